package systems

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// ask renders a prompt, asks the role's model and reads its reply; where that cannot be read, it
// asks once more for nothing but the form. It records one step. An error means that the stage has to
// do without; the caller says what it does instead by [run.degrade].
func ask[T any](ctx context.Context, r *run, c call, parse func(reply llm.Reply) (T, prompts.Path, error)) (T, error) {
	step := answer.Step{Stage: c.stage, Detail: c.detail, Started: time.Since(r.started), Outcome: answer.OK}
	value, err := asking(ctx, r, c, &step, parse)
	step.Took = time.Since(r.started) - step.Started
	step.Results = amountOf(value)
	if err != nil {
		step.Outcome, step.Err = answer.Failed, err
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
	stage    answer.Stage
	detail   string
	role     llm.Role
	input    prompts.Input
	sampling llm.Sampling
	delta    func(text string)
}

func asking[T any](ctx context.Context, r *run, c call, step *answer.Step, parse func(llm.Reply) (T, prompts.Path, error)) (T, error) {
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
func (r *run) replied(reply llm.Reply, step *answer.Step) {
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

// entry is a step of the trace with the number of the stage that was running.
type entry struct {
	answer.Step
	stage int
}

// record adds a step to the trace.
func (r *run) record(s answer.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace = append(r.trace, entry{s, r.begun})
}

// degrade says of the last failed step of a stage what is used instead, and remembers what failed
// unless it was only a reply that could not be understood.
func (r *run) degrade(stage answer.Stage, instead string, err error) {
	var failed *llm.Error
	if errors.As(err, &failed) {
		r.fail(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage && s.Outcome == answer.Failed {
			s.Outcome, s.Fallback = answer.Degraded, instead
			return
		}
	}
}

// lack remembers that the system does without something. The steps of a stage say what is done instead.
func (r *run) lack(missing answer.Lack, stage answer.Stage, instead string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.result.Lacks, missing) {
		r.result.Lacks = append(r.result.Lacks, missing)
	}
	for i := range r.trace {
		if s := &r.trace[i]; s.Stage == stage && r.trace[i].stage == r.begun && s.Outcome == answer.OK {
			s.Outcome, s.Fallback = answer.Degraded, instead
		}
	}
}

// counted says of the last step of a stage how many results it had.
func (r *run) counted(stage answer.Stage, results int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage {
			s.Results = results
			return
		}
	}
}

// detailed says of the last step of a stage what it came to.
func (r *run) detailed(stage answer.Stage, detail string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage {
			s.Detail = detail
			return
		}
	}
}

// thought says of the last step of a stage where its model thought: in its own trace, in its text, or
// not at all.
func (r *run) thought(stage answer.Stage, trace, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage {
			switch {
			case trace != "":
				s.Thinking = answer.OwnTrace
			case text != "":
				s.Thinking = answer.InText
			default:
				s.Thinking = answer.NoThinking
			}
			return
		}
	}
}

// hashOf is a short hash of what goes into a step; equal values have equal hashes.
func hashOf(inputs ...any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%#v", inputs)
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// inOrder returns the steps by stage. Those of one stage run at once and may begin in any order, so
// they are told apart by what they are about.
func inOrder(trace []entry) []answer.Step {
	slices.SortStableFunc(trace, func(a, b entry) int {
		return cmp.Or(
			cmp.Compare(a.stage, b.stage), strings.Compare(a.Detail, b.Detail), cmp.Compare(a.Started, b.Started),
		)
	})
	steps := make([]answer.Step, len(trace))
	for i, e := range trace {
		steps[i] = e.Step
	}
	return steps
}

// timings adds up the stages. What runs at once is counted once, from the first beginning to the last
// end.
func timings(trace []entry) answer.Timings {
	type interval struct{ from, to time.Duration }
	stages := make(map[int]interval)
	named := make(map[int]answer.Stage)
	for _, e := range trace {
		known, met := stages[e.stage]
		if !met {
			known, named[e.stage] = interval{e.Started, e.Started}, e.Stage
		}
		stages[e.stage] = interval{min(known.from, e.Started), max(known.to, e.Started+e.Took)}
	}
	var t answer.Timings
	for number, stage := range named {
		took := stages[number].to - stages[number].from
		switch stage {
		case answer.StageRewrite, answer.StageRetrieve, answer.StageRerank:
			t.Retrieve += took
		case answer.StageJudge, answer.StageExplore, answer.StageSolve:
			t.Judge += took
		case answer.StageRead, answer.StageVote:
			t.Read += took
		}
	}
	return t
}
