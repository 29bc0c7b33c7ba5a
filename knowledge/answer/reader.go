package answer

import (
	"cmp"
	"context"

	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// draft answers from the evidence of the first round, for the judge to look at.
func (r *run) draft(ctx context.Context, evidence []Evidence) (string, error) {
	r.begin(StageDraft)
	return r.text(ctx, StageDraft, r.styled(prompts.AnswerContext{Contexts: r.contexts(evidence, 1)}), nil)
}

// readNote writes the answer from what in holds, while the person watches, and keeps it with what
// supports it: evidence[i] is what the contexts of in call i+1. Without any evidence the model
// answers from what it knows.
func (r *run) readNote(ctx context.Context, in prompts.AnswerContext, evidence []Evidence) error {
	r.begin(StageRead)
	in = r.styled(in)
	var input prompts.Input = in
	if len(in.Contexts)+len(in.GapContexts) == 0 {
		input = prompts.AnswerDirect{Question: in.Question, Style: in.Style, Language: in.Language}
	}
	text, err := r.text(ctx, StageRead, input, r.stream())
	if err != nil {
		return err
	}
	r.say(text, evidence)
	return nil
}

// answerFrom reads documents: for one of the options where there are any, else for a note.
func (r *run) answerFrom(ctx context.Context, documents []Evidence) error {
	if len(r.question.Options) > 0 {
		return r.choose(ctx, prompts.AnswerChoice{Contexts: r.contexts(documents, 1)}, documents)
	}
	return r.readNote(ctx, prompts.AnswerContext{Contexts: r.contexts(documents, 1)}, documents)
}

// styled fills in what the question says of its answer.
func (r *run) styled(in prompts.AnswerContext) prompts.AnswerContext {
	in.Question, in.Style, in.Language = r.asked(), r.style(), r.Options.Language
	return in
}

func (r *run) style() prompts.Style { return cmp.Or(r.question.Style, prompts.Note) }

// text asks the reader for a text.
func (r *run) text(ctx context.Context, stage Stage, in prompts.Input, delta func(string)) (string, error) {
	return ask(ctx, r, call{stage: stage, role: llm.Reader, input: in, delta: delta},
		func(reply llm.Reply) (string, prompts.Path, error) { return prompts.ParseAnswer(reply.Text, r.style()) })
}
