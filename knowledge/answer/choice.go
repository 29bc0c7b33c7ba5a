package answer

import (
	"context"

	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// choiceTemperature is that of the reader of questions with options in the MedRGAG paper.
const choiceTemperature = 0.2

// choose answers a question with options from what in holds beside them, and keeps the sentences of its
// reasoning with what supports them: evidence[i] is what the contexts of in call i+1. A reply that names
// no single option is no answer.
func (r *run) choose(ctx context.Context, in prompts.AnswerChoice, evidence []Evidence) error {
	r.begin(StageRead)
	choice, err := r.choice(ctx, 0, in)
	if err != nil {
		return err
	}
	r.chosen(choice, evidence)
	return nil
}

// choice asks the reader for one of the options, in the i-th of several readings.
func (r *run) choice(ctx context.Context, i int, in prompts.AnswerChoice) (prompts.Choice, error) {
	in.Question, in.Options = r.question.Text, r.question.Options
	temperature := choiceTemperature
	sampling := r.sampled(i)
	sampling.Temperature = &temperature
	in.Question, in.Options = r.question.Text, r.question.Options
	return ask(ctx, r, call{
		stage: StageRead, detail: nth(i), role: llm.Reader, sampling: sampling, input: in,
	}, func(reply llm.Reply) (prompts.Choice, prompts.Path, error) {
		return prompts.ParseChoice(reply.Text, r.question.Options)
	})
}

// chosen makes a choice the result, and its reasoning what is said for it.
func (r *run) chosen(choice prompts.Choice, documents []Evidence) {
	r.say(choice.Reasoning, documents)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Choice, r.result.State, r.result.Reason = choice.Letter, Answered, ""
}
