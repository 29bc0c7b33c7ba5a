package systems

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// draft answers from the evidence of the first round, for the judge.
func (r *run) draft(ctx context.Context, evidence []answer.Evidence) (string, error) {
	r.begin(answer.StageDraft)
	return r.text(ctx, answer.StageDraft, r.withStyle(prompts.AnswerContext{Contexts: r.contexts(evidence, 1)}), nil)
}

// readNote writes the answer while the user watches, and adds what supports it: evidence[i] is what the
// contexts of in call i+1. Without any evidence the model answers from what it knows.
func (r *run) readNote(ctx context.Context, in prompts.AnswerContext, evidence []answer.Evidence) error {
	r.begin(answer.StageRead)
	in = r.withStyle(in)
	var input prompts.Input = in
	if len(in.Contexts)+len(in.GapContexts) == 0 {
		input = prompts.AnswerDirect{Question: in.Question, Style: in.Style, Language: in.Language}
	}
	text, err := r.text(ctx, answer.StageRead, input, r.stream())
	if err != nil {
		return err
	}
	r.say(text, evidence)
	return nil
}

// answerFrom reads documents and answers: by one of the options if the question has any, else by a note.
func (r *run) answerFrom(ctx context.Context, documents []answer.Evidence) error {
	if len(r.question.Options) > 0 {
		return r.readChoice(ctx, prompts.AnswerChoice{Contexts: r.contexts(documents, 1)}, documents)
	}
	return r.readNote(ctx, prompts.AnswerContext{Contexts: r.contexts(documents, 1)}, documents)
}

// withStyle fills in what the question says about its answer.
func (r *run) withStyle(in prompts.AnswerContext) prompts.AnswerContext {
	in.Question, in.Style, in.Language = r.withOptions(), r.style(), r.Options.Language
	return in
}

func (r *run) style() prompts.Style { return cmp.Or(r.question.Style, r.Options.Style, prompts.Note) }

// text asks the reader for a text.
func (r *run) text(ctx context.Context, stage answer.Stage, in prompts.Input, delta func(string)) (string, error) {
	return ask(ctx, r, call{stage: stage, role: llm.Reader, input: in, delta: delta},
		func(text string) (string, prompts.Path, error) { return prompts.ParseAnswer(text, r.style()) })
}

// readChoice answers a question with options and adds what supports the sentences of its reasoning:
// evidence[i] is what the contexts of in call i+1. A reply that does not name a single option is no
// answer.
func (r *run) readChoice(ctx context.Context, in prompts.AnswerChoice, evidence []answer.Evidence) error {
	r.begin(answer.StageRead)
	choice, err := r.askChoice(ctx, 0, in)
	if err != nil {
		return err
	}
	r.sayChoice(choice, evidence)
	return nil
}

// askChoice asks the reader for one of the options, in the i-th of several readings.
func (r *run) askChoice(ctx context.Context, i int, in prompts.AnswerChoice) (prompts.Choice, error) {
	temperature := choiceTemperature
	sampling := r.sampled(i)
	sampling.Temperature = &temperature
	in.Question, in.Options = r.question.Text, r.question.Options
	return ask(ctx, r, call{
		stage: answer.StageRead, detail: nth(i), role: llm.Reader, sampling: sampling, input: in,
	}, func(text string) (prompts.Choice, prompts.Path, error) {
		return prompts.ParseChoice(text, r.question.Options)
	})
}

// choiceTemperature is the MedRGAG paper's for the reader of questions with options.
const choiceTemperature = 0.2

// think answers step by step; evidence[i] is what the contexts of in call i+1. The steps are kept apart
// from the answer.
func (r *run) think(ctx context.Context, in prompts.Input, evidence []answer.Evidence) error {
	r.begin(answer.StageRead)
	thinking, trace := "", ""
	text, step, err := askStep(ctx, r, call{stage: answer.StageRead, role: llm.Reader, input: in}, func(reply llm.Reply) (answer string, path prompts.Path, err error) {
		trace = reply.Reasoning
		thinking, answer, path, err = prompts.ParseLastAnswer(reply.Text)
		return answer, path, err
	})
	if err != nil {
		return err
	}
	r.trace.amend(step, func(s *answer.Step) { s.Thinking = thinkingOf(trace, thinking) })
	r.say(text, evidence)
	r.setReasoning(cmp.Or(thinking, trace))
	return nil
}

// readFor asks the reader for a text on the way to the answer.
func (r *run) readFor(ctx context.Context, stage answer.Stage, detail string, sampling llm.Sampling, in prompts.AnswerContext) (string, error) {
	return ask(ctx, r, call{stage: stage, detail: detail, role: llm.Reader, sampling: sampling, input: in},
		func(text string) (string, prompts.Path, error) { return prompts.ParseAnswer(text, in.Style) })
}

// nth tells the readings of one stage apart.
func nth(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("reading %d", i+1)
}

// sampled returns the sampling of the i-th of several similar calls, so that they do not all say the same.
func (r *run) sampled(i int) llm.Sampling {
	seed := r.seed(i)
	return llm.Sampling{Seed: &seed}
}

// seed returns the i-th seed of the question, the same each time it is asked.
func (r *run) seed(i int) int {
	h := fnv.New32a()
	h.Write([]byte(cmp.Or(r.question.ID, r.question.Text)))
	return int(h.Sum32()>>2) + i + r.Options.Seed<<8 // fits the 31 bits that every endpoint takes
}

// random returns a source of random numbers, the same for a question each time it is asked.
func (r *run) random() *rand.Rand { return rand.New(rand.NewPCG(uint64(r.seed(0)), 0)) }
