package answer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
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
	} else {
		r.citeAfterwards(ctx)
	}
	r.judgeUnjudged(ctx)
	return r.finish(), nil
}

// run is one question on its way through a system. Its steps may run concurrently; what they share
// is behind mu.
type run struct {
	*Bench
	system    System
	library   *knowledge.Library
	question  Question
	account   *llm.Account
	started   time.Time
	rewording rewording
	titles    titles

	mu     sync.Mutex
	result Result  // what is known so far, but for its trace; guarded by mu
	trace  []entry // in the order in which the steps ended; guarded by mu
	begun  int     // stages; guarded by mu
	fresh  bool    // a model was asked; guarded by mu
	closed bool    // the answer was written without a document of the sources; guarded by mu
	light  bool    // the failure of the result is one of [run.failLightly]; guarded by mu

	telling sync.Mutex // held while Watch runs
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
	if len(r.result.Models) > 0 && len(r.result.Evidence) == 0 && r.result.searched() {
		r.result.Lacks = append(r.result.Lacks, NoEvidence)
	}
	if r.result.Judged() {
		r.result.MissingProbability = missingProbability(r.result.Gaps)
	}
	r.result.HeedMissing()
	return r.result
}

// judgeUnjudged has the offline judge say what is missing where the sources were searched and no model
// was asked for it. Where it fails, nothing is said.
func (r *run) judgeUnjudged(ctx context.Context) {
	r.mu.Lock()
	so := Result{Trace: inOrder(r.trace), System: r.result.System}
	offline := r.result.System == OfflineID
	r.mu.Unlock()
	if offline || so.Judged() || !so.searched() || r.Offline.Judge == nil {
		return
	}
	verdict, err := r.Offline.Judge.Judge(ctx, r.library, r.question.Text, r.question.Sources)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.result.MissingProbability = verdict.Probability
	r.mu.Unlock()
	r.show(nil, verdict.Gaps)
}

// fail remembers the first thing that failed.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result.Failure == nil || r.light {
		r.result.Failure, r.light = err, false
	}
}

// failLightly remembers a failure that costs an answer little, until a graver one takes its place.
func (r *run) failLightly(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result.Failure == nil {
		r.result.Failure, r.light = err, true
	}
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
	case llm.Unreachable, llm.Untrusted, llm.Unauthorised, llm.NotFound, llm.NotPermitted, llm.OverBudget, llm.Unset:
		return true
	}
	return false
}
