package answer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// ErrNoModel says that a system needs a model and none is configured.
var ErrNoModel = errors.New("no model is configured")

// reasoned is a system that uses models, as a [Strategy].
type reasoned struct {
	bench  *Bench
	system System
}

// Answer implements [Strategy]. When models fail, the answer is the best that was had by then, or
// else the offline one, and Result.Failure says what failed.
func (s reasoned) Answer(ctx context.Context, library *knowledge.Library, question Question) (Result, error) {
	r := newRun(s.bench, s.system, library, question)
	if status := library.Status(); status.Passages+status.Pairs == 0 {
		r.result.Reason, r.result.MissingProbability = NoSources, 1
		return r.finish(), nil
	}
	err := s.system.steps(ctx, r)
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("answer with %s: %w", s.system.ID, ctx.Err())
	}
	if err != nil {
		r.fail(err)
	}
	if len(r.result.Statements) == 0 && r.result.Choice == "" {
		if err := r.answerOffline(ctx); err != nil {
			return Result{}, err
		}
	}
	return r.finish(), nil
}

// run is one question on its way through a system. Its steps may run concurrently; what they share
// is behind mu.
type run struct {
	*Bench
	system   System
	library  *knowledge.Library
	question Question
	account  *llm.Account
	started  time.Time

	mu     sync.Mutex
	result Result // what is known so far; guarded by mu
	fresh  bool   // a model was asked; guarded by mu
}

func newRun(b *Bench, s System, library *knowledge.Library, question Question) *run {
	return &run{
		Bench: b, system: s, library: library, question: question,
		account: llm.NewAccount(b.Options.Budget), started: time.Now(),
		result: Result{Question: question, System: s.ID, State: Nothing},
	}
}

// finish closes the books.
func (r *run) finish() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Timings.Total = time.Since(r.started)
	r.result.Usage = r.account.Usage()
	if r.fresh {
		r.result.Kept = time.Time{}
	}
	slices.SortStableFunc(r.result.Trace, func(a, b Step) int { return int(a.Started - b.Started) })
	return r.result
}

// fail remembers the first thing that failed.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result.Failure == nil {
		r.result.Failure = err
	}
}

// ask renders a prompt, asks the role's model and reads its reply; where that cannot be read, it
// asks once more for nothing but the form. It records one step. An error means that the stage has to
// do without; the caller says what it does instead by [run.degrade].
func ask[T any](ctx context.Context, r *run, c call, parse func(reply llm.Reply) (T, prompts.Path, error)) (T, error) {
	step := Step{Stage: c.stage, Detail: c.detail, Started: time.Since(r.started), Outcome: OK}
	value, err := asking(ctx, r, c, &step, parse)
	step.Took = time.Since(r.started) - step.Started
	if err != nil {
		step.Outcome, step.Err = Failed, err
	}
	r.record(step)
	return value, err
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
	step.Inputs = hashOf(chat)
	var value T
	for attempt := range 2 {
		request := llm.Request{
			Role: c.role, Stage: string(c.stage), Chat: chat, Delta: c.delta,
			Account: r.account, Fresh: r.Fresh, Sampling: c.sampling,
		}
		reply, failed := r.Model.Chat(ctx, request)
		if failed != nil {
			return none, fmt.Errorf("%s: %w", c.stage, failed)
		}
		r.replied(reply, step)
		value, step.Path, err = parse(reply)
		if err == nil || attempt > 0 || chat.Schema == nil {
			break
		}
		chat = prompts.OnlyJSON(chat, reply.Text)
	}
	if err != nil {
		return none, fmt.Errorf("%s: %w", c.stage, err)
	}
	return value, nil
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

// record adds a step to the trace.
func (r *run) record(s Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Trace = append(r.result.Trace, s)
}

// degrade says of the last failed step of a stage what is used instead, and remembers what failed
// unless it was only a reply that could not be understood.
func (r *run) degrade(stage Stage, instead string, err error) {
	var failed *llm.Error
	if errors.As(err, &failed) {
		r.fail(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.result.Trace) - 1; i >= 0; i-- {
		if s := &r.result.Trace[i]; s.Stage == stage && s.Outcome == Failed {
			s.Outcome, s.Fallback = Degraded, instead
			return
		}
	}
}

// hashOf is a short hash of a prompt.
func hashOf(chat prompts.Chat) string {
	h := sha256.New()
	for _, m := range chat.Messages {
		fmt.Fprintf(h, "%s %d\n%s\n", m.Role, len(m.Text), m.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// tell passes on progress.
func (r *run) tell(p Progress) {
	if r.Watch == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Watch(p)
}

// answerOffline answers without models what they left without an answer.
func (r *run) answerOffline(ctx context.Context) error { panic("not built yet") }
