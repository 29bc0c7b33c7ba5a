package answer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
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
// else the offline one, and Result.Failure says what failed. A model that says that it does not
// know has not failed: the answer is then Nothing.
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
	result Result  // what is known so far, but for its trace; guarded by mu
	trace  []entry // in the order in which the steps ended; guarded by mu
	begun  int     // stages; guarded by mu
	fresh  bool    // a model was asked; guarded by mu

	telling sync.Mutex // held while Watch runs
}

// entry is a step of the trace with the number of the stage that was running.
type entry struct {
	Step
	stage int
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
	r.result.Timings = timings(r.trace)
	r.result.Timings.Total = time.Since(r.started)
	r.result.Usage = r.account.Usage()
	if r.fresh {
		r.result.Kept = time.Time{}
	}
	r.result.Trace = inOrder(r.trace)
	if r.result.Judged() {
		r.result.MissingProbability = missingProbability(r.result.Gaps)
	}
	return r.result
}

// inOrder returns the steps by stage. Those of one stage run at once and may begin in any order, so
// they are told apart by what they are about.
func inOrder(trace []entry) []Step {
	slices.SortStableFunc(trace, func(a, b entry) int {
		return cmp.Or(
			cmp.Compare(a.stage, b.stage), strings.Compare(a.Detail, b.Detail), cmp.Compare(a.Started, b.Started),
		)
	})
	steps := make([]Step, len(trace))
	for i, e := range trace {
		steps[i] = e.Step
	}
	return steps
}

// timings adds up the stages. What runs at once is counted once, from the first beginning to the last
// end.
func timings(trace []entry) Timings {
	type interval struct{ from, to time.Duration }
	stages := make(map[int]interval)
	named := make(map[int]Stage)
	for _, e := range trace {
		known, met := stages[e.stage]
		if !met {
			known, named[e.stage] = interval{e.Started, e.Started}, e.Stage
		}
		stages[e.stage] = interval{min(known.from, e.Started), max(known.to, e.Started+e.Took)}
	}
	var t Timings
	for number, stage := range named {
		took := stages[number].to - stages[number].from
		switch stage {
		case StageRetrieve, StageRerank:
			t.Retrieve += took
		case StageJudge, StageExplore, StageSolve:
			t.Judge += took
		case StageRead, StageVote:
			t.Read += took
		}
	}
	return t
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

// begin says that a stage begins.
func (r *run) begin(stage Stage) {
	r.mu.Lock()
	p := Progress{Stage: stage, Done: r.begun, Total: max(r.system.stages, r.begun+1)}
	r.begun++
	r.mu.Unlock()
	r.tell(p)
}

// show makes evidence and gaps known before there is an answer. Nil leaves what is known.
func (r *run) show(evidence []Evidence, gaps []gap.Gap) {
	r.mu.Lock()
	if evidence != nil {
		r.result.Evidence = hits(evidence)
	}
	if gaps != nil {
		r.result.Gaps = gaps
	}
	known := Result{
		Question: r.question, System: r.system.ID, State: Nothing,
		Evidence: r.result.Evidence, Gaps: slices.Clone(r.result.Gaps),
	}
	p := Progress{Done: max(0, r.begun-1), Total: max(r.system.stages, r.begun), Known: &known}
	if n := len(r.trace); n > 0 {
		p.Stage = r.trace[n-1].Stage
	}
	r.mu.Unlock()
	r.tell(p)
}

// tell passes on progress.
func (r *run) tell(p Progress) {
	if r.Watch == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.Watch(p)
}

// record adds a step to the trace.
func (r *run) record(s Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace = append(r.trace, entry{s, r.begun})
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
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage && s.Outcome == Failed {
			s.Outcome, s.Fallback = Degraded, instead
			return
		}
	}
}

// counted says of the last step of a stage how many results it had.
func (r *run) counted(stage Stage, results int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage {
			s.Results = results
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

// answerOffline answers without models where they failed before anything could be said. What a model
// had named as missing by then stays; otherwise the offline judge says it.
func (r *run) answerOffline(ctx context.Context) error {
	offline, err := r.Offline.Answer(ctx, r.library, r.question)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	had := r.result
	r.result = offline
	r.result.Failure = had.Failure
	r.result.Models, r.result.Kept = had.Models, had.Kept
	r.result.Thought, r.result.Reasoning, r.result.Written = had.Thought, had.Reasoning, had.Written
	if len(had.Gaps) > 0 {
		r.result.Gaps = had.Gaps
	}
	return nil
}

// hopeless reports whether a call failed in a way that the next one to the same model will as well,
// before it costs a person more time.
func hopeless(err error) bool {
	var failed *llm.Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Fault {
	case llm.Unreachable, llm.Unauthorised, llm.NotFound, llm.NotPermitted, llm.OverBudget, llm.Unset:
		return true
	}
	return false
}
