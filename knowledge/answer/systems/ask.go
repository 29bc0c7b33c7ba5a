package systems

import (
	"context"
	"errors"
	"fmt"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// call is one question to a model.
type call struct {
	stage    answer.Stage
	detail   string
	role     llm.Role
	input    prompts.Input
	sampling llm.Sampling
	delta    func(text string)
}

// ask renders a prompt, asks the role's model and parses its reply; a reply that cannot be parsed is asked
// for once more, for nothing but its form. It records one step. An error means that the stage has to do
// without; the caller says by [run.degrade] what it does instead.
func ask[T any](ctx context.Context, r *run, c call, parse func(text string) (T, prompts.Path, error)) (T, error) {
	value, _, err := askStep(ctx, r, c, func(reply llm.Reply) (T, prompts.Path, error) { return parse(reply.Text) })
	return value, err
}

// askStep is ask for a caller that amends the step or needs the thinking of a reply.
func askStep[T any](ctx context.Context, r *run, c call, parse func(reply llm.Reply) (T, prompts.Path, error)) (T, *entry, error) {
	step := r.start(c.stage, c.detail)
	value, err := exchange(ctx, r, c, &step, parse)
	step.Took, step.Results = r.since(step), countOf(value)
	if err != nil {
		step.Outcome, step.Err = answer.Failed, err
	}
	recorded := r.trace.record(step)
	if err != nil {
		err = &stepError{err, recorded}
	}
	return value, recorded, err
}

// countOf returns how many things a reply named.
func countOf(value any) int {
	switch v := value.(type) {
	case prompts.Judgement:
		return len(v.Gaps)
	case prompts.Exploration:
		return len(v.Points)
	case []prompts.Fact:
		return len(v)
	case []string:
		return len(v)
	case []int:
		return len(v)
	}
	return 0
}

// exchange asks a model up to twice and fills in what a step tells of it.
func exchange[T any](ctx context.Context, r *run, c call, step *answer.Step, parse func(llm.Reply) (T, prompts.Path, error)) (T, error) {
	var none T
	chat, err := r.render(ctx, c)
	if err != nil {
		return none, fmt.Errorf("%s: %w", c.stage, err)
	}
	step.Inputs = hashOf(chat.Messages)
	var partial *T // what a truncated object says
	for attempt := range 2 {
		request := llm.Request{
			Role: c.role, Stage: string(c.stage), Chat: chat, Delta: c.delta,
			Account: r.account, Fresh: r.Fresh, Sampling: r.parameters(c),
		}
		reply, failed := r.Model.Chat(ctx, request)
		if failed != nil && attempt == 0 && r.Model.Excess(ctx, c.role, chat) > 0 { // what refused it named its window
			if request.Chat, err = r.render(ctx, c); err == nil {
				chat = request.Chat
				reply, failed = r.Model.Chat(ctx, request)
			}
		}
		var value T
		if err = failed; failed == nil {
			r.countReply(reply, step)
			value, step.Path, err = parse(withoutThinking(chat, reply))
		}
		// Thinking may have left the object too little room.
		truncated := err == nil && chat.Thinks && step.Path == prompts.Closed && reply.RanOut()
		switch {
		case err == nil && !truncated:
			return value, nil
		case errors.Is(err, prompts.ErrEmpty) && attempt == 0 && chat.Schema == nil: // asked once more, as it stands
			again := 1
			if seed := r.parameters(c).Seed; seed != nil {
				again = *seed + 1
			}
			c.sampling.Seed = &again
			continue
		case err != nil && partial != nil:
			step.Path = prompts.Closed
			return *partial, nil
		case failed != nil || attempt > 0 || chat.Schema == nil:
			return none, fmt.Errorf("%s: %w", c.stage, err)
		case truncated:
			partial = &value
		}
		chat = prompts.OnlyJSON(chat, reply.Text)
	}
	return none, fmt.Errorf("%s: %w", c.stage, err)
}

// render returns the prompt of a call, with as much of its contexts as the window of the model takes, and with the note around the
// question among its origins.
func (r *run) render(ctx context.Context, c call) (prompts.Chat, error) {
	chat, err := r.Prompts.Render(c.input)
	for range 3 { // what is cut is estimated
		excess := 0
		if err == nil {
			excess = r.Model.Excess(ctx, c.role, chat)
		}
		shrunk, cut := prompts.Shrink(c.input, excess)
		if !cut {
			break
		}
		c.input = shrunk
		chat, err = r.Prompts.Render(c.input)
	}
	if r.question.Note != "" {
		chat.Origins = append(chat.Origins, r.question.Note)
	}
	return chat, err
}

// withoutThinking takes the thinking of a reply for its text if the model stopped by itself without saying
// that its thinking had ended: what it was asked for is at the end of that.
func withoutThinking(chat prompts.Chat, reply llm.Reply) llm.Reply {
	if chat.Schema != nil && reply.Text == "" && !reply.RanOut() {
		reply.Text, reply.Reasoning = reply.Reasoning, ""
	}
	return reply
}

// isPermanent reports whether the next call to the same model will fail in the same way, so that it is not
// worth the user's time.
func isPermanent(err error) bool {
	var failed *llm.Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Fault {
	case llm.Unreachable, llm.Untrusted, llm.Unauthorised, llm.NotFound, llm.NotPermitted, llm.OverBudget, llm.Unset, llm.NotRecorded:
		return true
	}
	return false
}

// thinkingOf says where a model thought: in a trace of its own, in its text, or nowhere.
func thinkingOf(trace, text string) answer.Thinking {
	switch {
	case trace != "":
		return answer.OwnTrace
	case text != "":
		return answer.InText
	}
	return answer.NoThinking
}
