package answer

import (
	"cmp"
	"context"
	"strings"

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

// shownEvery is by how many bytes an answer grows before it is shown again.
const shownEvery = 32

// stream shows an answer while it is written, as plain text and without its marks, which mean nothing
// to a person. What could still become markup is held back.
func (r *run) stream() func(delta string) {
	if r.Watch == nil {
		return nil
	}
	var written strings.Builder
	shown := 0
	return func(delta string) {
		written.WriteString(delta)
		if written.Len() < shown+shownEvery {
			return
		}
		shown = written.Len()
		if text := worded(settledPart(written.String())); text != "" {
			r.mu.Lock()
			p := Progress{Stage: StageRead, Done: r.begun - 1, Total: max(r.system.stages, r.begun), Text: text}
			r.mu.Unlock()
			r.tell(p)
		}
	}
}

// settledPart is a text up to its last word or bracket that is not closed yet.
func settledPart(text string) string {
	if at := strings.LastIndexAny(text, " \n"); at >= 0 {
		text = text[:at]
	}
	for _, pair := range []struct{ open, shut string }{{"[", "]"}, {"【", "】"}, {"<", ">"}, {"](", ")"}} {
		if at := strings.LastIndex(text, pair.open); at >= 0 && !strings.Contains(text[at:], pair.shut) {
			text = text[:at]
		}
	}
	return text
}
