package answer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// ask renders a prompt, asks the role's model and reads its reply; where that cannot be read, it
// asks once more for nothing but the form. It records one step. An error means that the stage has to
// do without; the caller says what it does instead by [run.degrade].
func ask[T any](ctx context.Context, r *run, c call, parse func(reply llm.Reply) (T, prompts.Path, error)) (T, error) {
	step := Step{Stage: c.stage, Detail: c.detail, Started: time.Since(r.started), Outcome: OK}
	value, err := asking(ctx, r, c, &step, parse)
	step.Took = time.Since(r.started) - step.Started
	step.Results = amountOf(value)
	if err != nil {
		step.Outcome, step.Err = Failed, err
	}
	r.record(step)
	return value, err
}

// amountOf is how many things a reply named.
func amountOf(value any) int {
	switch v := value.(type) {
	case prompts.Judgement:
		return len(v.Gaps)
	case prompts.Exploration:
		return len(v.Points)
	case prompts.Selection:
		return len(v.Selected)
	case []prompts.Fact:
		return len(v)
	case []string:
		return len(v)
	}
	return 0
}

// call is one question to a model.
type call struct {
	stage    Stage
	detail   string
	role     llm.Role
	input    prompts.Input
	sampling llm.Sampling
	delta    func(text string)
}

func asking[T any](ctx context.Context, r *run, c call, step *Step, parse func(llm.Reply) (T, prompts.Path, error)) (T, error) {
	var none T
	chat, err := r.Prompts.Render(c.input)
	if err != nil {
		return none, fmt.Errorf("%s: %w", c.stage, err)
	}
	step.Inputs = hashOf(chat.Messages)
	var partial *T // what a reply says whose object was cut off
	for attempt := range 2 {
		request := llm.Request{
			Role: c.role, Stage: string(c.stage), Chat: chat, Delta: c.delta,
			Account: r.account, Fresh: r.Fresh, Sampling: c.sampling,
		}
		reply, failed := r.Model.Chat(ctx, request)
		var value T
		if err = failed; failed == nil {
			r.replied(reply, step)
			value, step.Path, err = parse(unclosed(chat, reply))
		}
		// Thinking may have left the object too little room.
		cut := err == nil && chat.Thinks && step.Path == prompts.Closed && reply.RanOut()
		switch {
		case err == nil && !cut:
			return value, nil
		case err != nil && partial != nil:
			step.Path = prompts.Closed
			return *partial, nil
		case failed != nil || attempt > 0 || chat.Schema == nil:
			return none, fmt.Errorf("%s: %w", c.stage, err)
		case cut:
			partial = &value
		}
		chat = prompts.OnlyJSON(chat, reply.Text)
	}
	return none, fmt.Errorf("%s: %w", c.stage, err)
}

// unclosed is a reply whose model ended by itself without saying that its thinking had ended: what it
// was asked for is at the end of that.
func unclosed(chat prompts.Chat, reply llm.Reply) llm.Reply {
	if chat.Schema != nil && reply.Text == "" && !reply.RanOut() {
		reply.Text, reply.Reasoning = reply.Reasoning, ""
	}
	return reply
}

// replied books a reply.
func (r *run) replied(reply llm.Reply, step *Step) {
	step.Model, step.Attempts, step.Kept = reply.Model, step.Attempts+reply.Attempts, !reply.Kept.IsZero()
	step.Usage = step.Usage.Plus(reply.Usage)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.result.Models, reply.Model) {
		r.result.Models = append(r.result.Models, reply.Model)
		slices.Sort(r.result.Models)
	}
	switch kept := r.result.Kept; {
	case reply.Kept.IsZero():
		r.fresh = true
	case kept.IsZero() || reply.Kept.Before(kept):
		r.result.Kept = reply.Kept
	}
}
