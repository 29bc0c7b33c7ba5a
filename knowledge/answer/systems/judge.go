package systems

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// How much of the judge's reasoning the final prompt holds. The Misknow-RAG paper passes "part of" it;
// which part is our choice.
const (
	reasoningTokens = 256
	lastSentences   = 2 // always included: a trace ends in its conclusion
)

// The probability of a gap that a model names. It has not been measured; the numbers place such gaps among
// the offline judge's, which are calibrated. A gap that remains after a second search deserves a warning. A
// gap that the model mentions although it finds the evidence sufficient is shown next to the answer and does
// not weaken it.
const (
	judgedProbability = .9
	hintProbability   = .5
)

// resolveGaps says what became of each gap: a document fills it after all, or a model wrote about it, or
// neither.
func (r *run) resolveGaps(gaps []gap.Gap, found, written []answer.Evidence) []gap.Gap {
	gaps = slices.Clone(gaps) // what has been shown is not changed
	for i := range gaps {
		g := &gaps[i]
		for _, document := range found {
			if !document.Generated() && g.Fills(document.Hit.Passage) {
				g.Status = gap.Retrieved
				g.Evidence = append(slices.Clone(g.Evidence), document.Hit.Passage.ID)
			}
		}
		if g.Status == gap.Open && slices.ContainsFunc(written, func(e answer.Evidence) bool { return e.Point == g.Query }) {
			g.Status = gap.Generated
		}
	}
	return gaps
}

// resolve resolves the gaps of the result.
func (r *run) resolve(found, written []answer.Evidence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Gaps = r.resolveGaps(r.result.Gaps, found, written)
}

// judgement holds a judge's findings about the first round of evidence.
type judgement struct {
	thought   string // why
	reasoning string // that led to it, whole
	missing   bool   // what is missing is to be searched for
	gaps      []gap.Gap
	queries   []string // to search for, at most one more than there are gaps where these have none
	named     []string // the gaps as the final prompt names them
	latest    []string // the first gaps, which the last round named
	failed    bool     // no judge could be asked
}

// after returns a judgement with what those of earlier rounds said; gaps are the earlier ones as they are now. A gap
// that the judge, who has read more by now, names no more is a hint.
func (j judgement) after(earlier judgement, gaps []gap.Gap) judgement {
	for _, g := range gaps {
		if slices.ContainsFunc(j.gaps, func(other gap.Gap) bool { return other.ID == g.ID }) {
			continue
		}
		if g.Status != gap.Retrieved {
			g.Probability = min(g.Probability, hintProbability)
		}
		j.gaps = append(j.gaps, g)
	}
	for _, name := range slices.Backward(earlier.named) {
		if !slices.Contains(j.named, name) {
			j.named = slices.Insert(j.named, 0, name)
		}
	}
	j.thought, j.reasoning = cmp.Or(j.thought, earlier.thought), cmp.Or(j.reasoning, earlier.reasoning)
	return j
}

// endRounds adds a round to the result, if the options allow more than one.
func (r *run) endRounds(round answer.Round) {
	if r.Options.Rounds <= 1 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Rounds = append(r.result.Rounds, round)
}

// idsOf returns the identities of the passages among documents.
func idsOf(documents []answer.Evidence) []passage.ID {
	var ids []passage.ID
	for _, p := range answer.Passages(documents) {
		ids = append(ids, p.ID)
	}
	return ids
}

// judge asks a model what the evidence and the draft lack: the reasoner step by step, or the reader
// without steps (the paper's ablation "w/o reasoning"). If the reply cannot be parsed, the offline judge
// decides. A model that cannot be reached says nothing about the sources, so nothing counts as missing
// then. Round is counted from 1.
func (r *run) judge(ctx context.Context, round int, evidence []answer.Evidence, draft string, stepwise bool) judgement {
	r.begin(answer.StageJudge)
	role := llm.Reader
	if stepwise && r.Model.Has(llm.Reasoner) {
		role = llm.Reasoner
	}
	detail := ""
	if round > 1 {
		detail = fmt.Sprintf("round %d", round)
	}
	trace, written := "", "" // of the model's own; in the text of its reply
	said, step, err := askStep(ctx, r, call{
		stage: answer.StageJudge, detail: detail, role: role,
		input: prompts.JudgeGaps{
			Question: r.withOptions(), Contexts: r.contexts(evidence, 1), Draft: support.BareMarks(draft), Stepwise: stepwise,
			QuestionFirst: r.Options.AsPublished,
		},
	}, func(reply llm.Reply) (prompts.Judgement, prompts.Path, error) {
		said, path, err := prompts.ParseJudgement(reply.Text)
		// The thinking of a reply that broke off is not repeated by the next, which is asked for JSON alone.
		trace, written = cmp.Or(trace, reply.Reasoning), cmp.Or(written, said.Reasoning)
		return said, path, err
	})
	reasoning := cmp.Or(trace, written)
	if stepwise {
		r.trace.amend(step, func(s *answer.Step) { s.Thinking = thinkingOf(trace, written) })
	}
	var failed *llm.Error
	switch {
	case errors.As(err, &failed):
		r.degrade("nothing taken to be missing", err)
		return judgement{failed: true}
	case err != nil:
		r.degrade("the offline judge", err)
		return r.judgeOffline(ctx, evidence)
	}
	j := newJudgement(said, evidence)
	j.reasoning = reasoning
	if j.missing && len(j.queries) == 0 {
		if sought, err := r.searchText(ctx); err == nil {
			j.queries = []string{sought} // served from ranks below those that were read
		}
	}
	r.setThought(j.thought, reasoning)
	return j
}

// newJudgement makes gaps of what a judge says is missing. If it finds the evidence sufficient, they are
// hints and not searched for.
func newJudgement(said prompts.Judgement, evidence []answer.Evidence) judgement {
	j := judgement{thought: support.PlainText(said.Thought), missing: said.Missing}
	probability := hintProbability
	if said.Missing {
		probability = judgedProbability
	}
	for i, text := range said.Gaps {
		text, query := support.PlainText(text), support.PlainText(said.Queries[i])
		g := gap.FromModel(text, query, probability, answer.Passages(evidence))
		if text == "" || slices.ContainsFunc(j.gaps, func(other gap.Gap) bool { return other.ID == g.ID }) {
			continue
		}
		j.gaps = append(j.gaps, g)
		j.named, j.latest = append(j.named, g.Text), append(j.latest, g.Text)
		j.queries = append(j.queries, g.Query)
	}
	for _, query := range said.Extra {
		if query = support.PlainText(query); query != "" {
			j.queries = append(j.queries, query)
		}
	}
	return j
}

// judgeOffline judges without a model. Its gaps may name what stands in private passages, so no prompt
// shows them. Without a judge, the question is searched for once more unless a document covers it.
func (r *run) judgeOffline(ctx context.Context, evidence []answer.Evidence) judgement {
	if r.Offline.Judge == nil {
		covers := func(e answer.Evidence) bool { return (gap.Gap{Text: r.question.Text}).Fills(e.Hit.Passage) }
		return judgement{missing: !slices.ContainsFunc(evidence, covers), queries: []string{r.question.Text}}
	}
	verdict, err := r.Offline.Judge.Judge(ctx, r.library, r.question.Text, r.question.Sources)
	if err != nil {
		r.fail(err)
		return judgement{failed: true}
	}
	j := judgement{missing: len(verdict.Gaps) > 0, gaps: verdict.Gaps}
	for _, g := range verdict.Gaps {
		j.queries = append(j.queries, cmp.Or(g.Query, g.Text))
		j.latest = append(j.latest, g.Text)
	}
	return j
}

// fillGaps searches for what is missing, for all queries in turn that were not searched for before: k documents in
// total that are not held yet. It returns these and what was searched for. The passages nearest to a gap are those
// that its query found.
func (r *run) fillGaps(ctx context.Context, round int, j *judgement, before map[string]bool, from corpus, k int, held []answer.Evidence) ([]answer.Evidence, []string, error) {
	if !j.missing || k == 0 {
		return nil, nil, nil
	}
	var queries []string
	var of []int // index of each in j.queries
	for i, query := range j.queries {
		if !before[strings.ToLower(query)] {
			queries, of = append(queries, query), append(of, i)
		}
	}
	if len(queries) == 0 {
		return nil, nil, nil
	}
	for _, query := range queries {
		before[strings.ToLower(query)] = true
	}
	found, lists, err := r.retrieve(ctx, round, from, k, held, queries...)
	if err != nil {
		return nil, queries, err
	}
	for i, at := range of {
		if at >= len(j.latest) { // a query without a gap of its own
			break
		}
		g := &j.gaps[at]
		if g.Code == gap.MissingKnowledge && len(lists[i]) > 0 {
			*g = gap.FromModel(g.Text, g.Query, g.Probability, answer.Passages(lists[i]))
		}
	}
	for i := range found {
		at := slices.Index(j.queries, found[i].Query)
		if 0 <= at && at < len(j.latest) {
			found[i].Point = j.gaps[at].Text
		}
	}
	return found, queries, nil
}

// compress keeps the sentences of a reasoning that share the most idf weight with what it is about, in
// their order and as many as fit, and always the last two.
func compress(weight func(term string) float64, reasoning string, about ...string) string {
	terms := support.TermSet(strings.Join(about, "\n"))
	spans := passage.Sentences(reasoning, passage.Plain)
	scores := make([]float64, len(spans))
	order := make([]int, len(spans))
	for i, span := range spans {
		order[i] = i
		for _, term := range support.Terms(reasoning[span.Start:span.End]) {
			if terms[term] {
				scores[i] += weight(term)
			}
		}
	}
	last := max(0, len(spans)-lastSentences)
	slices.SortStableFunc(order, func(a, b int) int {
		if a >= last != (b >= last) {
			return cmp.Compare(b, a)
		}
		return cmp.Compare(scores[b], scores[a])
	})
	kept := make([]string, len(spans))
	room := reasoningTokens
	for _, i := range order {
		sentence := reasoning[spans[i].Start:spans[i].End]
		if i >= last {
			sentence = prompts.Cut(sentence, reasoningTokens/lastSentences)
		}
		if cost := prompts.Tokens(sentence); cost <= room {
			kept[i] = sentence
			room -= cost
		}
	}
	return strings.Join(slices.DeleteFunc(kept, func(s string) bool { return s == "" }), " ")
}

// aboutJudgement returns what a judge's reasoning is about: the question, the gaps, the evidence.
func (r *run) aboutJudgement(gaps []gap.Gap, evidence []answer.Evidence) []string {
	texts := []string{r.question.Text}
	for _, g := range gaps {
		texts = append(texts, g.Text, g.Query)
	}
	for _, p := range answer.Passages(evidence) {
		texts = append(texts, p.Question, p.Text)
	}
	return texts
}
