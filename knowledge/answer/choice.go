package answer

import (
	"context"

	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// choiceTemperature is that of the reader of questions with options in the MedRGAG paper.
const choiceTemperature = 0.2

// choose answers a question with options from documents and from the answers to further questions,
// and keeps the sentences of its reasoning with what supports them. A reply that names no single
// option is no answer.
func (r *run) choose(ctx context.Context, documents []Evidence, subAnswers []prompts.SubAnswer) error {
	r.begin(StageRead)
	choice, err := r.choice(ctx, 0, documents, subAnswers)
	if err != nil {
		return err
	}
	r.chosen(choice, documents)
	return nil
}

// choice asks the reader for one of the options, in the i-th of several readings.
func (r *run) choice(ctx context.Context, i int, documents []Evidence, subAnswers []prompts.SubAnswer) (prompts.Choice, error) {
	temperature := choiceTemperature
	sampling := r.sampled(i)
	sampling.Temperature = &temperature
	return ask(ctx, r, call{
		stage: StageRead, detail: nth(i), role: llm.Reader, sampling: sampling,
		input: prompts.AnswerChoice{
			Question: r.question.Text, Options: r.question.Options,
			Contexts: r.contexts(documents, 1), SubAnswers: subAnswers,
		},
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
