package answer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// judgement is what a judge holds of the first round of evidence.
type judgement struct {
	thought   string // why
	reasoning string // that led to it, whole
	missing   bool   // what is missing is to be searched for
	gaps      []gap.Gap
	queries   []string // to search for, at most one more than there are gaps where these have none
	named     []string // the gaps as the final prompt is told of them
}

// judge asks a model what the evidence and the draft lack: the reasoner step by step, or the reader
// just like that. A reply that cannot be understood leaves the question to the offline judge. A model
// that cannot be reached says nothing about the sources, so nothing is taken to be missing then.
func (r *run) judge(ctx context.Context, evidence []Evidence, draft string, stepwise bool) judgement {
	r.begin(StageJudge)
	role := llm.Reader
	if stepwise && r.Model.Has(llm.Reasoner) {
		role = llm.Reasoner
	}
	trace, written := "", "" // of the model's own; in the text of its reply
	said, err := ask(ctx, r, call{
		stage: StageJudge, role: role,
		input: prompts.JudgeGaps{
			Question: r.asked(), Contexts: r.contexts(evidence, 1), Draft: draft, Stepwise: stepwise,
		},
	}, func(reply llm.Reply) (prompts.Judgement, prompts.Path, error) {
		said, path, err := prompts.ParseJudgement(reply.Text)
		// The thinking of a reply that broke off is not repeated by the next, which is asked for JSON alone.
		trace, written = cmp.Or(trace, reply.Reasoning), cmp.Or(written, said.Reasoning)
		return said, path, err
	})
	reasoning := cmp.Or(trace, written)
	if stepwise {
		r.thought(StageJudge, trace, written)
	}
	var failed *llm.Error
	switch {
	case errors.As(err, &failed):
		r.degrade(StageJudge, "nothing taken to be missing", err)
		return judgement{}
	case err != nil:
		r.degrade(StageJudge, "the offline judge", err)
		return r.judgeOffline(ctx, evidence)
	}
	j := judged(said, evidence)
	j.reasoning = reasoning
	if j.missing && len(j.queries) == 0 {
		if sought, err := r.sought(ctx); err == nil {
			j.queries = []string{sought} // served from ranks below those that were read
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Thought, r.result.Reasoning = j.thought, worded(reasoning)
	return j
}

// judged makes gaps of what a judge said is missing. If it holds the evidence to suffice, they are
// hints, and not searched for.
func judged(said prompts.Judgement, evidence []Evidence) judgement {
	j := judgement{thought: worded(said.Thought), missing: said.Missing}
	probability := hintProbability
	if said.Missing {
		probability = judgedProbability
	}
	for i, text := range said.Gaps {
		text, query := worded(text), worded(said.Queries[i])
		g := gap.Named(text, query, probability, passages(evidence))
		if text == "" || slices.ContainsFunc(j.gaps, func(other gap.Gap) bool { return other.ID == g.ID }) {
			continue
		}
		j.gaps = append(j.gaps, g)
		j.named = append(j.named, g.Text)
		j.queries = append(j.queries, g.Query)
	}
	for _, query := range said.Extra {
		if query = worded(query); query != "" {
			j.queries = append(j.queries, query)
		}
	}
	return j
}

// judgeOffline judges without a model. The texts of its gaps may name what stands in private passages,
// so that no prompt is told of them; without a judge, the question is searched for once more if no
// document covers it.
func (r *run) judgeOffline(ctx context.Context, evidence []Evidence) judgement {
	if r.Offline.Judge == nil {
		covers := func(e Evidence) bool { return (gap.Gap{Text: r.question.Text}).Fills(e.Hit.Passage) }
		return judgement{missing: !slices.ContainsFunc(evidence, covers), queries: []string{r.question.Text}}
	}
	verdict, err := r.Offline.Judge.Judge(ctx, r.library, r.question.Text, r.question.Sources)
	if err != nil {
		r.fail(err)
		return judgement{}
	}
	j := judgement{missing: len(verdict.Gaps) > 0, gaps: verdict.Gaps}
	for _, g := range verdict.Gaps {
		j.queries = append(j.queries, cmp.Or(g.Query, g.Text))
	}
	return j
}

// fill searches for what is missing: k documents in total, for all queries in turn, that are not held
// yet. The passages nearest to a gap are those that its query found.
func (r *run) fill(ctx context.Context, j *judgement, from base, k int, held []Evidence) ([]Evidence, error) {
	if !j.missing || k == 0 {
		return nil, nil
	}
	found, lists, err := r.retrieve(ctx, 2, from, k, held, j.queries...)
	if err != nil {
		return nil, err
	}
	for i := range j.gaps {
		g := &j.gaps[i]
		if g.Code == gap.MissingKnowledge && len(lists[i]) > 0 {
			*g = gap.Named(g.Text, g.Query, g.Probability, passages(lists[i]))
		}
	}
	for i := range found {
		at := slices.Index(j.queries, found[i].Query)
		if 0 <= at && at < len(j.gaps) {
			found[i].Point = j.gaps[at].Text
		}
	}
	return found, nil
}
