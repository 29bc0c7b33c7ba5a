package systems

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
)

// All returns every system: the offline one, then each paper's in its order.
func All() []System {
	return slices.Concat(
		[]System{{ID: answer.OfflineID, Name: "Offline"}},
		misknowSystems(), migresSystems(),
		medrgagSystems(), medragSystems(), backgroundSystems(),
		ccskSystems(),
	)
}

// Lookup finds a system by its ID.
func Lookup(id string) (System, bool) {
	all := All()
	at := slices.IndexFunc(all, func(s System) bool { return s.ID == id })
	if at < 0 {
		return System{}, false
	}
	return all[at], true
}

// IDs returns the IDs of all systems, in the order of [All].
func IDs() []string {
	var ids []string
	for _, s := range All() {
		ids = append(ids, s.ID)
	}
	return ids
}

// ErrNoModel says that a system needs a model and none is configured.
var ErrNoModel = errors.New("no model is configured")

// Strategy returns the system with an ID, working in this environment.
func (e *Environment) Strategy(id string) (answer.Strategy, error) {
	s, known := Lookup(id)
	switch {
	case !known:
		return nil, fmt.Errorf("no answering system is called %q; known: %s", id, strings.Join(IDs(), ", "))
	case !s.Models:
		return e.Offline, nil
	case e.Model == nil:
		return nil, ErrNoModel
	}
	return strategy{e, s}, nil
}

// strategy is a system that asks models, as an [answer.Strategy].
type strategy struct {
	environment *Environment
	system      System
}

// Answer implements [answer.Strategy]. When models fail, the answer is the best known by then, or else the
// offline one, and Result.Failure says what failed. A model that says that it does not know has not failed:
// the answer is then Nothing.
func (s strategy) Answer(ctx context.Context, library *knowledge.Library, question answer.Question) (answer.Result, error) {
	r := newRun(s.environment, s.system, library, question)
	if status := library.Status(); status.Passages+status.Pairs == 0 {
		r.result.Reason, r.result.MissingProbability = answer.NoSources, 1
		return r.finish(), nil
	}
	err := s.system.steps(ctx, r)
	if ctx.Err() != nil {
		return answer.Result{}, fmt.Errorf("answer with %s: %w", s.system.ID, ctx.Err())
	}
	if err != nil {
		r.fail(err)
		if err := r.answerOffline(ctx); err != nil {
			return answer.Result{}, err
		}
	} else {
		r.citeAfterwards(ctx)
		r.secondOpinion(ctx)
	}
	r.judgeUnjudged(ctx)
	return r.finish(), nil
}

// answerOffline answers without models where they failed before anything could be said. What a model named
// as missing by then stays; otherwise the offline judge names it. None of the options counts as chosen: a reply that
// names no option, or several, is no choice in any table.
func (r *run) answerOffline(ctx context.Context) error {
	offline, err := r.Offline.Answer(ctx, r.library, r.question)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.result
	r.result = offline
	r.result.Choice, r.result.Failure = "", before.Failure
	r.result.Models, r.result.CachedAt, r.result.Spared = before.Models, before.CachedAt, before.Spared
	r.result.Thought, r.result.Reasoning, r.result.Generated = before.Thought, before.Reasoning, before.Generated
	if len(before.Gaps) > 0 {
		r.result.Gaps = before.Gaps
	}
	return nil
}

// nearEach is the number of hits that each search finds: a statement is compared with its own hits and with
// the question's.
const nearEach = 5

// citeAfterwards looks up the statements of an answer that was written without the sources, and cites what
// supports them. The answer stays as it is: no model has read what is found here, and nothing is sent, so
// private passages count. If a search fails, the answer stays uncited.
func (r *run) citeAfterwards(ctx context.Context) {
	r.mu.Lock()
	statements := slices.Clone(r.result.Statements)
	closed := r.closed
	r.mu.Unlock()
	if !closed || len(statements) == 0 {
		return
	}
	step := r.start(answer.StageCite, "", statements, r.library.Digest())
	var checked support.Checked
	near, err := r.near(ctx, statements)
	if err == nil {
		checked = r.checker.Locate(statements, near)
	}
	step.Took, step.Results = r.since(step), len(checked.Citations)
	if err != nil {
		step.Outcome, step.Err = answer.Failed, fmt.Errorf("%s: %w", answer.StageCite, err)
		r.failLightly(step.Err)
	}
	r.trace.recordLast(step)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.CitedAfterwards = true
	r.result.Statements, r.result.Citations, r.result.Disagree = checked.Statements, checked.Citations, checked.Disagree
	r.result.Dropped += checked.Dropped
	if answer.Supported(checked.Statements) {
		r.result.State = answer.Answered
	}
}

// near finds passages near each statement: those that it finds itself, then those that the question finds.
func (r *run) near(ctx context.Context, statements []answer.Statement) ([][]knowledge.Hit, error) {
	texts := []string{r.question.Text}
	for _, s := range statements {
		texts = append(texts, s.Text)
	}
	found, err := concurrently(len(texts), func(i int) ([]knowledge.Hit, error) {
		return r.library.Search(ctx, knowledge.Query{Text: texts[i], K: nearEach, Sources: r.question.Sources})
	})
	near := make([][]knowledge.Hit, len(statements))
	for i := range statements {
		near[i] = slices.Concat(found[i+1], found[0])
	}
	return near, err
}

// judgeUnjudged has the offline judge say what is missing if the sources were searched and no model was
// asked for it. If it fails, nothing is said.
func (r *run) judgeUnjudged(ctx context.Context) {
	so := answer.Result{Trace: r.trace.ordered()}
	if r.soFar().System == answer.OfflineID || so.Judged() || !so.Searched() || r.Offline.Judge == nil {
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

// finish completes the result.
func (r *run) finish() answer.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Timings = r.trace.timings()
	r.result.Timings.Total = time.Since(r.started)
	r.result.Usage = r.account.Usage()
	if r.fresh {
		r.result.CachedAt = time.Time{}
	}
	r.result.Trace = r.trace.ordered()
	if len(r.result.Models) > 0 && len(r.result.Evidence) == 0 && r.result.Searched() {
		r.result.Lacks = append(r.result.Lacks, answer.NoEvidence)
	}
	if r.result.Judged() {
		r.result.MissingProbability = answer.MissingProbability(r.result.Gaps)
	}
	r.result.CapByMissing()
	return r.result
}
