package systems

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// foundAfterwards is how many passages a sentence is compared with, and how many more that the question
// finds.
const foundAfterwards = 5

// citeAfterwards looks the sentences of an answer that was written without the sources up in them, and
// cites what they hold. The answer stays as it is: nothing that is found here has been read by a model,
// and nothing is sent for it, so private passages count. A search that fails leaves the answer uncited.
func (r *run) citeAfterwards(ctx context.Context) {
	r.mu.Lock()
	statements := slices.Clone(r.result.Statements)
	closed := r.closed
	r.mu.Unlock()
	if !closed || len(statements) == 0 {
		return
	}
	step := answer.Step{Stage: answer.StageCite, Started: time.Since(r.started), Outcome: answer.OK, Inputs: hashOf(statements, r.library.Generation())}
	var checked support.Checked
	near, err := r.nearAfterwards(ctx, statements)
	if err == nil {
		checked = r.checker.Locate(statements, near)
	}
	step.Took, step.Results = time.Since(r.started)-step.Started, len(checked.Citations)
	if err != nil {
		step.Outcome, step.Err = answer.Failed, fmt.Errorf("%s: %w", answer.StageCite, err)
		r.failLightly(step.Err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace = append(r.trace, entry{step, r.begun + 1}) // a stage of its own, too short to tell anybody of
	if err != nil {
		return
	}
	r.result.Afterwards = true
	r.result.Statements, r.result.Citations, r.result.Differ = checked.Statements, checked.Citations, checked.Differ
	r.result.Dropped += checked.Dropped
	if len(checked.Citations) > 0 {
		r.result.State = answer.Answered
	}
}

// nearAfterwards finds passages near each statement: those that it finds itself, then those that the
// question finds.
func (r *run) nearAfterwards(ctx context.Context, statements []answer.Statement) ([][]knowledge.Hit, error) {
	texts := []string{r.question.Text}
	for _, s := range statements {
		texts = append(texts, s.Text)
	}
	found := make([][]knowledge.Hit, len(texts))
	errs := make([]error, len(texts))
	par.Each(len(texts), func(i int) {
		found[i], errs[i] = r.library.Search(ctx, knowledge.Query{Text: texts[i], K: foundAfterwards, Sources: r.question.Sources})
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	near := make([][]knowledge.Hit, len(statements))
	for i := range statements {
		near[i] = slices.Concat(found[i+1], found[0])
	}
	return near, nil
}

// begin says that a stage begins.
func (r *run) begin(stage answer.Stage) {
	r.mu.Lock()
	p := answer.Progress{Stage: stage, Done: r.begun, Total: max(r.system.stages, r.begun+1)}
	r.begun++
	r.mu.Unlock()
	r.tell(p)
}

// show makes evidence and gaps known before there is an answer. Nil leaves what is known.
func (r *run) show(evidence []answer.Evidence, gaps []gap.Gap) {
	r.mu.Lock()
	if evidence != nil {
		r.result.Evidence = hits(evidence)
	}
	if gaps != nil {
		r.result.Gaps = gaps
	}
	known := answer.Result{
		Question: r.question, System: r.system.ID, State: answer.Nothing,
		Evidence: r.result.Evidence, Gaps: slices.Clone(r.result.Gaps),
	}
	p := answer.Progress{Done: max(0, r.begun-1), Total: max(r.system.stages, r.begun), Known: &known}
	if n := len(r.trace); n > 0 {
		p.Stage = r.trace[n-1].Stage
	}
	r.mu.Unlock()
	r.tell(p)
}

// tell passes on progress.
func (r *run) tell(p answer.Progress) {
	if r.Watch == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.Watch(p)
}

// shownEvery is by how many bytes an answer grows before it is shown again.
const shownEvery = 32

// stream shows an answer while it is written, as plain text and without its marks, which mean nothing
// to a person. What could still become markup is held back.
func (r *run) stream() func(delta string) {
	if r.Watch == nil {
		return nil
	}
	var written strings.Builder
	shown := 0
	return func(delta string) {
		written.WriteString(delta)
		if written.Len() < shown+shownEvery {
			return
		}
		shown = written.Len()
		if text := support.PlainText(settledPart(written.String())); text != "" {
			r.mu.Lock()
			p := answer.Progress{Stage: answer.StageRead, Done: r.begun - 1, Total: max(r.system.stages, r.begun), Text: text}
			r.mu.Unlock()
			r.tell(p)
		}
	}
}

// settledPart is a text up to its last word or bracket that is not closed yet.
func settledPart(text string) string {
	if at := strings.LastIndexAny(text, " \n"); at >= 0 {
		text = text[:at]
	}
	for _, pair := range []struct{ open, shut string }{{"[", "]"}, {"【", "】"}, {"<", ">"}, {"](", ")"}} {
		if at := strings.LastIndex(text, pair.open); at >= 0 && !strings.Contains(text[at:], pair.shut) {
			text = text[:at]
		}
	}
	return text
}

// ErrNoModel says that a system needs a model and none is configured.
var ErrNoModel = errors.New("no model is configured")

// reasoned is a system that uses models, as an [answer.Strategy].
type reasoned struct {
	bench  *Environment
	system System
}

// Answer implements [answer.Strategy]. When models fail, the answer is the best that was had by then, or
// else the offline one, and Result.Failure says what failed. A model that says that it does not
// know has not failed: the answer is then Nothing.
func (s reasoned) Answer(ctx context.Context, library *knowledge.Library, question answer.Question) (answer.Result, error) {
	r := newRun(s.bench, s.system, library, question)
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
	}
	r.judgeUnjudged(ctx)
	return r.finish(), nil
}

// run is one question on its way through a system. Its steps may run concurrently; what they share
// is behind mu.
type run struct {
	*Environment
	system    System
	library   *knowledge.Library
	question  answer.Question
	account   *llm.Account
	started   time.Time
	rewording rewording
	checker   *support.Checker

	mu     sync.Mutex
	result answer.Result // what is known so far, but for its trace; guarded by mu
	trace  []entry       // in the order in which the steps ended; guarded by mu
	begun  int           // stages; guarded by mu
	fresh  bool          // a model was asked; guarded by mu
	closed bool          // the answer was written without a document of the sources; guarded by mu
	light  bool          // the failure of the result is one of [run.failLightly]; guarded by mu

	telling sync.Mutex // held while Watch runs
}

func newRun(b *Environment, s System, library *knowledge.Library, question answer.Question) *run {
	stands := func(p *passage.Passage, span passage.Span) bool { return b.Offline.Stands(library, p, span) }
	return &run{
		Environment: b, system: s, library: library, question: question,
		account: llm.NewAccount(b.Options.Budget), started: time.Now(),
		checker: support.NewChecker(library, question.Text, stands),
		result:  answer.Result{Question: question, System: s.ID, State: answer.Nothing},
	}
}

// finish closes the books.
func (r *run) finish() answer.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Timings = timings(r.trace)
	r.result.Timings.Total = time.Since(r.started)
	r.result.Usage = r.account.Usage()
	if r.fresh {
		r.result.Kept = time.Time{}
	}
	r.result.Trace = inOrder(r.trace)
	if len(r.result.Models) > 0 && len(r.result.Evidence) == 0 && r.result.Searched() {
		r.result.Lacks = append(r.result.Lacks, answer.NoEvidence)
	}
	if r.result.Judged() {
		r.result.MissingProbability = answer.MissingProbability(r.result.Gaps)
	}
	r.result.HeedMissing()
	return r.result
}

// judgeUnjudged has the offline judge say what is missing where the sources were searched and no model
// was asked for it. Where it fails, nothing is said.
func (r *run) judgeUnjudged(ctx context.Context) {
	r.mu.Lock()
	so := answer.Result{Trace: inOrder(r.trace), System: r.result.System}
	offline := r.result.System == answer.OfflineID
	r.mu.Unlock()
	if offline || so.Judged() || !so.Searched() || r.Offline.Judge == nil {
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

// say makes a text of a model the answer, with what supports it: evidence[i] is what the text cites as
// [i+1]. The answer is Answered where a sentence at least is supported by the sources, Possibly where
// none is, and Nothing where the model says no more than that it does not know. Of a question with
// options it is also looked which one the text names.
func (r *run) say(text string, evidence []answer.Evidence) {
	checked := r.checker.Check(text, evidence)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Statements, r.result.Citations, r.result.Differ = checked.Statements, checked.Citations, checked.Differ
	r.result.Refused += checked.Refused
	r.result.Dropped += checked.Dropped
	r.closed = !slices.ContainsFunc(evidence, func(e answer.Evidence) bool { return !e.Generated() })
	if len(r.question.Options) > 0 {
		choice, _, _ := prompts.ParseChoice(text, r.question.Options) // none is named where that is an error
		r.result.Choice = choice.Letter
	}
	switch {
	case len(checked.Citations) > 0:
		r.result.State, r.result.Reason = answer.Answered, ""
	case len(checked.Statements) > 0:
		r.result.State, r.result.Reason = answer.Possibly, ""
	default:
		r.result.State, r.result.Reason = answer.Nothing, answer.Weak
		if answer.MissingProbability(r.result.Gaps) > 0 {
			r.result.Reason = answer.NoTopic
		}
	}
}
