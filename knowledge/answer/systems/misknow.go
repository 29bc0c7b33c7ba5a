package systems

import (
	"cmp"
	"context"
	"slices"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// misknowPaper is the paper of Misknow-RAG and of the systems it is compared with.
const misknowPaper = "Reasoning Enhanced Missing Knowledge Retrieval Augmented Generation Framework for Domain Specific Question Answering"

// paperBudget is how many documents the reader gets in all systems of the paper that retrieve.
const paperBudget = 4

// places is how many documents the reader gets: as many as in the paper unless the options say
// otherwise.
func (r *run) places() int { return cmp.Or(r.Options.K, paperBudget) }

func misknowSystems() []System {
	systems := []System{
		{ID: "direct", Name: "DirectGen", Paper: misknowPaper, Models: true, Calls: 1, stages: 1, steps: direct},
		{ID: "cot", Name: "Chain of Thought", Paper: misknowPaper, Models: true, Calls: 1, stages: 1, steps: chainOfThought},
		standard{wiki}.system("wiki", "STD-RAG Wiki"),
		standard{qa}.system("qa", "STD-RAG QA"),
		standard{merged}.system("merged", "STD-RAG Merged"),
		standard{twoWay}.system("2way", "STD-RAG 2-way"),
	}
	for _, s := range []struct {
		id, name string
		misknow
	}{
		{"wiki", "Wiki", misknow{first: wiki, second: wiki}},
		{"qa", "QA", misknow{first: qa, second: qa}},
		{"wiki+qa", "Wiki+QA", misknow{first: wiki, second: qa}},
		{"qa+wiki", "QA+Wiki", misknow{first: qa, second: wiki}},
		{"merged", "Merged", misknow{first: merged, second: merged}},
	} {
		unreasoned, traceless := s.misknow, s.misknow
		unreasoned.withoutReasoning, traceless.withoutTrace = true, true
		systems = append(systems,
			s.system("misknow/"+s.id, "Misknow-RAG "+s.name),
			unreasoned.system("misknow/"+s.id+"/no-reasoning", "Misknow-RAG "+s.name+" without reasoning"),
			traceless.system("misknow/"+s.id+"/no-trace", "Misknow-RAG "+s.name+" without the trace in the last prompt"),
		)
	}
	return append(systems, System{
		ID: "migres", Name: "MIGRES", Paper: misknowPaper, Models: true, Calls: migresCalls, steps: migres,
	})
}

// direct answers from what the model knows.
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

// chainOfThought answers from what the model knows, after thinking step by step.
func chainOfThought(ctx context.Context, r *run) error {
	return r.think(ctx, prompts.AnswerCoT{
		Question: r.question.Text, Options: r.question.Options, Style: r.style(), Language: r.Options.Language,
	}, nil)
}

// think answers step by step; evidence[i] is what the contexts of in call i+1. The steps are kept apart
// from the answer.
func (r *run) think(ctx context.Context, in prompts.Input, evidence []answer.Evidence) error {
	r.begin(answer.StageRead)
	thinking, trace := "", ""
	text, err := ask(ctx, r, call{stage: answer.StageRead, role: llm.Reader, input: in}, func(reply llm.Reply) (answer string, path prompts.Path, err error) {
		trace = reply.Reasoning
		thinking, answer, path, err = prompts.ParseLastAnswer(reply.Text)
		return answer, path, err
	})
	if err != nil {
		return err
	}
	r.thought(answer.StageRead, trace, thinking)
	r.say(text, evidence)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Reasoning = support.PlainText(cmp.Or(thinking, trace))
	return nil
}

// standard is STD-RAG: retrieve once, read.
type standard struct{ base base }

func (s standard) system(id, name string) System {
	return System{ID: "std-rag/" + id, Name: name, Paper: misknowPaper, Models: true, Calls: 1, stages: 2, steps: s.answer}
}

func (s standard) answer(ctx context.Context, r *run) error {
	evidence, err := r.first(ctx, s.base, r.places())
	if err != nil {
		return err
	}
	r.show(evidence, nil)
	return r.answerFrom(ctx, evidence)
}

// first is the first round of retrieval: k documents for the question, and then as many for the
// further queries that the person has.
func (r *run) first(ctx context.Context, from base, k int) ([]answer.Evidence, error) {
	sought, err := r.sought(ctx)
	if err != nil {
		return nil, err
	}
	evidence, _, err := r.retrieve(ctx, 1, from, k, nil, sought)
	further := r.further()
	if err != nil || len(further) == 0 {
		return evidence, err
	}
	more, _, err := r.retrieve(ctx, 1, from, k, evidence, further...)
	return append(evidence, more...), err
}

// misknow is Misknow-RAG, with the bases of its two rounds, or one of its ablations.
type misknow struct {
	first, second    base
	withoutReasoning bool // the reader judges, and not step by step; the last prompt has no reasoning
	withoutTrace     bool // the last prompt has no reasoning
}

func (s misknow) system(id, name string) System {
	return System{ID: id, Name: name, Paper: misknowPaper, Models: true, Calls: 3, stages: 5, steps: s.answer}
}

// answer is the algorithm of the paper: half of the documents for the question, a draft, a judge who
// says what is missing, the other half for that, and the answer from both. If the answer cannot be
// had, the draft is the answer.
func (s misknow) answer(ctx context.Context, r *run) error {
	k := r.places()
	first, err := r.first(ctx, s.first, (k+1)/2)
	if err != nil {
		return err
	}
	r.show(first, nil)
	draft, err := r.draft(ctx, first)
	if err != nil {
		if hopeless(err) {
			return err
		}
		r.degrade(answer.StageDraft, "no draft", err)
	}
	j := r.judge(ctx, first, draft, !s.withoutReasoning)
	r.show(first, j.gaps)
	second, err := r.fill(ctx, &j, s.second, k/2, first)
	if err != nil {
		r.fail(err) // what was found before is still there
	}
	r.show(slices.Concat(first, second), r.settled(j.gaps, second, nil))

	if err = s.read(ctx, r, j, first, second); err != nil && draft != "" {
		r.degrade(answer.StageRead, "the draft", err)
		r.say(draft, first)
		return nil
	}
	return err
}

// read answers from both rounds and from what the judge said.
func (s misknow) read(ctx context.Context, r *run, j judgement, first, second []answer.Evidence) error {
	all := slices.Concat(first, second)
	in := prompts.AnswerContext{
		Contexts: r.contexts(first, 1), GapContexts: r.contexts(second, len(first)+1),
		Gaps: j.named, Thought: j.thought,
	}
	if !s.withoutReasoning && !s.withoutTrace {
		in.Reasoning = compress(r.checker.Weight, j.reasoning, r.about(j.gaps, all)...)
	}
	if len(r.question.Options) > 0 {
		return r.choose(ctx, prompts.AnswerChoice{
			Contexts: in.Contexts, GapContexts: in.GapContexts, Gaps: in.Gaps, Thought: in.Thought, Reasoning: in.Reasoning,
		}, all)
	}
	return r.readNote(ctx, in, all)
}

// about is what the reasoning of a judge is about: the question, the gaps, the evidence.
func (r *run) about(gaps []gap.Gap, evidence []answer.Evidence) []string {
	texts := []string{r.question.Text}
	for _, g := range gaps {
		texts = append(texts, g.Text, g.Query)
	}
	for _, p := range answer.Passages(evidence) {
		texts = append(texts, p.Question, p.Text)
	}
	return texts
}
