package systems

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// run is one question on its way through a system. Its steps may run concurrently; what they share is
// guarded by mu.
type run struct {
	*Environment
	system   System
	library  *knowledge.Library
	question answer.Question
	checker  *support.Checker
	account  *llm.Account
	started  time.Time
	trace    trace

	// What is searched for, computed once; see [run.searchText].
	rewriting  sync.Once
	rewritten  string
	rewriteErr error

	mu     sync.Mutex
	result answer.Result // what is known so far, except for its trace; guarded by mu
	fresh  bool          // a model was asked; guarded by mu
	closed bool          // the answer was written without a document of the sources; guarded by mu
	light  bool          // the failure of the result is one of [run.failLightly]; guarded by mu

	watching sync.Mutex // held while Watch runs
}

func newRun(e *Environment, s System, library *knowledge.Library, question answer.Question) *run {
	env := *e
	env.Options = e.Options.asPublished(s)
	e = &env
	stands := func(p *passage.Passage, span passage.Span) bool { return e.Offline.Stands(library, p, span) }
	return &run{
		Environment: e, system: s, library: library, question: question,
		checker: support.NewChecker(library, question.Text, stands),
		account: llm.NewAccount(e.Options.Budget), started: time.Now(),
		result: answer.Result{Question: question, System: s.ID, State: answer.Nothing},
	}
}

// start returns a step of a stage that begins now; inputs are hashed into it.
func (r *run) start(stage answer.Stage, detail string, inputs ...any) answer.Step {
	s := answer.Step{Stage: stage, Detail: detail, Started: time.Since(r.started), Outcome: answer.OK}
	if len(inputs) > 0 {
		s.Inputs = hashOf(inputs...)
	}
	return s
}

// since returns how long a step has taken by now.
func (r *run) since(s answer.Step) time.Duration { return time.Since(r.started) - s.Started }

// begin says that a stage begins.
func (r *run) begin(stage answer.Stage) {
	done := r.trace.begin()
	r.notify(answer.Progress{Stage: stage, Done: done, Total: max(r.system.stages, done+1)})
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
	r.mu.Unlock()
	begun, last := r.trace.progress()
	r.notify(answer.Progress{Stage: last, Done: max(0, begun-1), Total: max(r.system.stages, begun), Known: &known})
}

// hits returns the documents that are in the sources, ranked in their order.
func hits(evidence []answer.Evidence) []knowledge.Hit {
	all := make([]knowledge.Hit, 0, len(evidence))
	for _, e := range evidence {
		if !e.Generated() {
			hit := *e.Hit
			hit.Rank = len(all) + 1
			all = append(all, hit)
		}
	}
	return all
}

func (r *run) notify(p answer.Progress) {
	if r.Watch == nil {
		return
	}
	r.watching.Lock()
	defer r.watching.Unlock()
	r.Watch(p)
}

// An answer is shown again when it has grown by shownEvery bytes and by a tenth: showing reads all of it, and a model
// that does not stop must not cost the square of what it writes.
const shownEvery = 32

// stream shows an answer while it is written, as plain text and without its citation marks, which mean
// nothing to the user. What could still become markup is held back.
func (r *run) stream() func(delta string) {
	if r.Watch == nil {
		return nil
	}
	var written strings.Builder
	shown := 0
	return func(delta string) {
		written.WriteString(delta)
		if written.Len() < shown+max(shownEvery, shown/10) {
			return
		}
		shown = written.Len()
		if text := support.PlainText(completePart(written.String())); text != "" {
			begun, _ := r.trace.progress()
			r.notify(answer.Progress{Stage: answer.StageRead, Done: begun - 1, Total: max(r.system.stages, begun), Text: text})
		}
	}
}

// completePart returns a text up to its last word, or to a bracket that is not closed yet.
func completePart(text string) string {
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

// countReply adds a reply to the step and to the result.
func (r *run) countReply(reply llm.Reply, step *answer.Step) {
	step.Model, step.Attempts, step.Cached = reply.Model, step.Attempts+reply.Attempts, !reply.CachedAt.IsZero()
	step.Usage = step.Usage.Plus(reply.Usage)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Spared = r.result.Spared.Plus(reply.Spared)
	if !slices.Contains(r.result.Models, reply.Model) {
		r.result.Models = append(r.result.Models, reply.Model)
		slices.Sort(r.result.Models)
	}
	switch kept := r.result.CachedAt; {
	case reply.CachedAt.IsZero():
		r.fresh = true
	case kept.IsZero() || reply.CachedAt.Before(kept):
		r.result.CachedAt = reply.CachedAt
	}
}

// fail remembers the first failure.
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

// degrade says what is used instead of the step that failed with err, and remembers the failure unless it
// was only a reply that could not be parsed.
func (r *run) degrade(instead string, err error) {
	if failed := (*llm.Error)(nil); errors.As(err, &failed) {
		r.fail(err)
	}
	r.trace.degrade(instead, err)
}

// lack remembers that the system does without something. The steps of the running stage say what is done
// instead; no stage means that none does.
func (r *run) lack(missing answer.Lack, stage answer.Stage, instead string) {
	r.mu.Lock()
	if !slices.Contains(r.result.Lacks, missing) {
		r.result.Lacks = append(r.result.Lacks, missing)
	}
	r.mu.Unlock()
	r.trace.degradeStage(stage, instead)
}

// say makes a text of a model the answer, with what supports it: evidence[i] is what the text cites as
// [i+1]. The answer is Answered where at least one sentence is supported by the sources, Nearest where
// none is, and Nothing where the model says no more than that it does not know. For a question with
// options, the option that the text names is the choice.
func (r *run) say(text string, evidence []answer.Evidence) {
	checked := r.checker.Check(text, evidence)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Statements, r.result.Citations, r.result.Disagree = checked.Statements, checked.Citations, checked.Disagree
	r.result.Said, r.result.Given = support.PlainText(text), given(evidence)
	r.result.Refused += checked.Refused
	r.result.Dropped += checked.Dropped
	r.closed = !slices.ContainsFunc(evidence, func(e answer.Evidence) bool { return !e.Generated() })
	if len(r.question.Options) > 0 {
		choice, _, _ := prompts.ParseChoice(text, r.question.Options) // none is named where that is an error
		r.result.Choice = choice.Letter
	}
	switch {
	case answer.Supported(checked.Statements):
		r.result.State, r.result.Reason = answer.Answered, ""
	case len(checked.Statements) > 0:
		r.result.State, r.result.Reason = answer.Nearest, ""
	default:
		r.result.State, r.result.Reason = answer.Nothing, answer.Weak
		if answer.MissingProbability(r.result.Gaps) > 0 {
			r.result.Reason = answer.NoTopic
		}
	}
}

// given returns what a model is given.
func given(evidence []answer.Evidence) []answer.Given {
	all := make([]answer.Given, len(evidence))
	for i, e := range evidence {
		if all[i].Generated = e.Generated(); !all[i].Generated {
			all[i].Passage, all[i].Kind = e.Hit.Passage.ID, e.Hit.Passage.Kind
		}
	}
	return all
}

// sayChoice makes a choice the result, and its reasoning what is said for it.
func (r *run) sayChoice(choice prompts.Choice, documents []answer.Evidence) {
	r.say(choice.Reasoning, documents)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Choice, r.result.State, r.result.Reason = choice.Letter, answer.Answered, ""
}

// setReasoning makes what a model thought part of the result, as plain text.
func (r *run) setReasoning(reasoning string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Reasoning = support.PlainText(reasoning)
}

// setThought makes the reasons of a judge part of the result.
func (r *run) setThought(thought, reasoning string) {
	r.setReasoning(reasoning)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Thought = thought
}

// setDecision makes a decision whether to search part of the result.
func (r *run) setDecision(d answer.Decision) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Decision = &d
}

// addGenerated makes texts that a model wrote from its own knowledge part of the result.
func (r *run) addGenerated(documents ...answer.Evidence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, document := range documents {
		r.result.Generated = append(r.result.Generated, answer.Generated{Point: document.Point, Text: support.PlainText(document.Text)})
	}
}

// soFar returns the result as far as it is known.
func (r *run) soFar() answer.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result
}
