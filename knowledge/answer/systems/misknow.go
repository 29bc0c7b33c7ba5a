package systems

import (
	"context"
	"slices"

	"lacuna/knowledge/answer"
	"lacuna/prompts"
)

// misknowPaper is the title of the paper of Misknow-RAG and its baselines. Its Table 1 compares them.
const misknowPaper = "Reasoning Enhanced Missing Knowledge Retrieval Augmented Generation Framework for Domain Specific Question Answering"

// readerPassages is the number of passages for the reader: K = 4 in every system of the paper that retrieves.
const readerPassages = 4

func misknowSystems() []System {
	systems := []System{
		{ID: "direct", Name: "DirectGen", Calls: 1, stages: 1, steps: direct},
		{ID: "cot", Name: "Chain of Thought", Calls: 1, stages: 1, steps: chainOfThought},
		{ID: "std-rag/wiki", Name: "STD-RAG Wiki", Calls: 1, stages: 2, Published: denseFour, steps: standard{wiki}.answer},
		{ID: "std-rag/qa", Name: "STD-RAG QA", Calls: 1, stages: 2, Published: denseFour, steps: standard{qa}.answer},
		{ID: "std-rag/merged", Name: "STD-RAG Merged", Calls: 1, stages: 2, Published: denseFour, steps: standard{merged}.answer},
		{ID: "std-rag/2way", Name: "STD-RAG 2-way", Calls: 1, stages: 2, Published: denseFour, steps: standard{twoWay}.answer},
	}
	published := denseFour
	published.Differs = append(published.Differs[:2:2],
		Difference{"rounds of looking for what is missing", "`answer.rounds`", "1"},
		Difference{"prompt of the judge", "contexts, draft, question", "question, contexts, draft"},
	)
	for _, s := range []struct {
		id, name      string
		first, second corpus
	}{
		{"wiki", "Wiki", wiki, wiki},
		{"qa", "QA", qa, qa},
		{"wiki+qa", "Wiki+QA", wiki, qa},
		{"qa+wiki", "QA+Wiki", qa, wiki},
		{"merged", "Merged", merged, merged},
	} {
		id, name := "misknow/"+s.id, "Misknow-RAG "+s.name
		whole := misknow{first: s.first, second: s.second}
		noReasoning, noTrace := whole, whole
		noReasoning.withoutReasoning, noTrace.withoutTrace = true, true
		systems = append(systems,
			System{ID: id, Name: name, Calls: 3, repeats: true, stages: 5, Published: published, steps: whole.answer},
			System{ID: id + "/no-reasoning", Name: name + " without reasoning", Calls: 3, repeats: true, stages: 5, Published: published, steps: noReasoning.answer},
			System{ID: id + "/no-trace", Name: name + " without the trace in the last prompt", Calls: 3, repeats: true, stages: 5, Published: published, steps: noTrace.answer},
		)
	}
	return ofPaper(misknowPaper, systems...)
}

// direct is DirectGen of the paper's Table 1: it answers from what the model knows.
func direct(ctx context.Context, r *run) error {
	r.begin(answer.StageRead)
	text, err := r.text(ctx, answer.StageRead, prompts.AnswerDirect{
		Question: r.question.Text, Options: r.question.Options, Style: r.style(), Language: r.Options.Language,
	}, r.stream())
	if err != nil {
		return err
	}
	r.say(text, nil)
	return nil
}

// chainOfThought is CoT of the paper's Table 1: it answers from what the model knows, after thinking step
// by step.
func chainOfThought(ctx context.Context, r *run) error {
	return r.think(ctx, prompts.AnswerCoT{
		Question: r.question.Text, Options: r.question.Options, Style: r.style(), Language: r.Options.Language,
	}, nil)
}

// standard is STD-RAG of the paper's Table 1: retrieve once, read.
type standard struct{ base corpus }

func (s standard) answer(ctx context.Context, r *run) error {
	evidence, err := r.first(ctx, s.base, r.passageCount())
	if err != nil {
		return err
	}
	r.show(evidence, nil)
	return r.answerFrom(ctx, evidence)
}

// misknow is Misknow-RAG with the corpora of its two rounds (a row of Table 1), or one of its ablations
// (Table 5).
type misknow struct {
	first, second    corpus
	withoutReasoning bool // the reader judges, and not step by step; the last prompt has no reasoning
	withoutTrace     bool // the last prompt has no reasoning
}

// answer is the algorithm of §3.4 and appendix A: half of the K passages for the question, a draft, a
// judge that names what is missing, the other half for that, and the answer from both. The options may allow
// further rounds of the judge and of as many passages each. If the final answer fails, the draft is the answer.
func (s misknow) answer(ctx context.Context, r *run) error {
	k := r.passageCount()
	first, err := r.first(ctx, s.first, (k+1)/2)
	if err != nil {
		return err
	}
	r.show(first, nil)
	draft, err := r.draft(ctx, first)
	if err != nil {
		if isPermanent(err) {
			return err
		}
		r.degrade("no draft", err)
	}
	j, second := s.lookUp(ctx, r, first, draft, k/2)

	if err = s.read(ctx, r, j, first, second); err != nil && draft != "" {
		r.degrade("the draft", err)
		r.say(draft, first)
		return nil
	}
	return err
}

// lookUp judges what is missing and searches for it, k documents a round, until nothing is missing, nothing new
// is searched for or found, or the options allow no other round. It returns what all judgements say together, and
// what was found.
func (s misknow) lookUp(ctx context.Context, r *run, first []answer.Evidence, draft string, k int) (judgement, []answer.Evidence) {
	var whole judgement
	var found []answer.Evidence
	most, before := max(r.Options.Rounds, 1), make(map[string]bool) // queries of earlier rounds
	for n := 1; ; n++ {
		held := slices.Concat(first, found)
		j := r.judge(ctx, n, held, draft, !s.withoutReasoning)
		if n > 1 && !j.failed {
			j = j.after(whole, r.resolveGaps(whole.gaps, found, nil))
		}
		if n > 1 && j.failed {
			r.endRounds(answer.Round{End: answer.EndFailed})
			return whole, found
		}
		whole = j
		r.show(held, whole.gaps)
		more, searched, err := r.fillGaps(ctx, n+1, &whole, before, s.second, k, held)
		if err != nil {
			r.fail(err) // what was found before is still there
		}
		found = append(found, more...)
		r.show(slices.Concat(first, found), r.resolveGaps(whole.gaps, found, nil))

		round := answer.Round{Missing: whole.latest, Queries: searched, Found: idsOf(more)}
		switch {
		case err != nil || whole.failed:
			round.End = answer.EndFailed
		case !whole.missing:
			round.End = answer.EndComplete
		case k == 0: // one passage is all that is read
			round.End = answer.EndLimit
		case len(searched) == 0:
			round.End = answer.EndRepeated
		case len(more) == 0:
			round.End = answer.EndNothingNew
		case n == most:
			round.End = answer.EndLimit
		}
		r.endRounds(round)
		if round.End != "" {
			return whole, found
		}
	}
}

// read is the final prompt of appendix B.2: the passages of both rounds, the gaps and the judge's thought.
// The paper's figure shows the gaps in that place and the appendix the thought; the prompt has both.
func (s misknow) read(ctx context.Context, r *run, j judgement, first, second []answer.Evidence) error {
	all := slices.Concat(first, second)
	in := prompts.AnswerContext{
		Contexts: r.contexts(first, 1), GapContexts: r.contexts(second, len(first)+1),
		Gaps: j.named, Thought: j.thought,
	}
	if !s.withoutReasoning && !s.withoutTrace {
		in.Reasoning = compress(r.checker.Weight, j.reasoning, r.aboutJudgement(j.gaps, all)...)
	}
	if len(r.question.Options) > 0 {
		return r.readChoice(ctx, prompts.AnswerChoice{
			Contexts: in.Contexts, GapContexts: in.GapContexts, Gaps: in.Gaps, Thought: in.Thought, Reasoning: in.Reasoning,
		}, all)
	}
	return r.readNote(ctx, in, all)
}
