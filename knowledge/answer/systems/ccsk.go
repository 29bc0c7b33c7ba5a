package systems

import (
	"context"
	"errors"
	"time"

	"lacuna/knowledge/answer"
)

// errNoGate says that nobody brought a gate.
var errNoGate = errors.New("no gate has been trained")

// Decider decides whether a question needs the sources. Package gate makes them of policies.
type Decider interface {
	// ByQuestion reports whether the model's own answer makes no difference.
	ByQuestion() bool
	// Decide decides about a question; closed is what the model answered from what it knows, nil where it
	// was not asked.
	Decide(q answer.Question, closed *answer.Result) answer.Decision
}

// gated is a system of the CCSK paper whose decision is learnt from past questions: r0 is an answer by
// manual chain of thought from what the model knows, r1 the same over the sources, and the policy of that
// name says which of them to give.
type gated struct{ policy string }

func (s gated) system(name string, calls int) System {
	return System{ID: s.policy, Name: name, Paper: ccskPaper, Models: true, Gate: s.policy, Calls: calls, stages: calls + 2, steps: s.answer}
}

// answer asks the model first only where its answer plays a part. Without a gate the sources are searched.
func (s gated) answer(ctx context.Context, r *run) error {
	decider, err := r.decider(s.policy)
	if err != nil {
		r.lack(answer.NoGate, answer.StageDecide, "the sources are searched")
		return manualChainOfThoughtWithSources(ctx, r)
	}
	d := answer.Decision{Retrieve: true}
	if decider.ByQuestion() {
		d = r.decide(decider, nil)
	}
	var closed error
	if !d.Retrieve || !decider.ByQuestion() {
		if closed = manualChainOfThought(ctx, r); closed != nil {
			if hopeless(closed) {
				return closed
			}
			r.degrade(answer.StageRead, "the sources are searched", closed)
			d.Retrieve, d.Why = true, NoAnswerOfItsOwn
			r.decided(d)
		} else if !decider.ByQuestion() {
			had := r.soFar()
			d = r.decide(decider, &had)
		}
	}
	if !d.Retrieve {
		return nil
	}
	err = manualChainOfThoughtWithSources(ctx, r)
	if err != nil && closed == nil && !decider.ByQuestion() {
		r.degrade(answer.StageRead, "the model's own answer", err)
		d.Kept = true
		r.decided(d)
		return nil
	}
	return err
}

// NoAnswerOfItsOwn is why the sources are searched where a model was to answer without them and did not.
const NoAnswerOfItsOwn = "the model gave no answer of its own"

// decider is the trained gate for a policy. Where there is none, the trace says why.
func (r *run) decider(policy string) (decider Decider, err error) {
	if err = errNoGate; r.Gate != nil {
		decider, err = r.Gate(policy)
	}
	if err != nil {
		r.begin(answer.StageDecide)
		r.record(answer.Step{Stage: answer.StageDecide, Started: time.Since(r.started), Outcome: answer.OK, Err: err})
	}
	return decider, err
}

// decide has a gate decide, and keeps what it decided.
func (r *run) decide(decider Decider, closed *answer.Result) answer.Decision {
	r.begin(answer.StageDecide)
	step := answer.Step{Stage: answer.StageDecide, Started: time.Since(r.started), Outcome: answer.OK, Inputs: hashOf(r.question.Text, r.question.Options)}
	d := decider.Decide(r.question, closed)
	step.Took, step.Detail = time.Since(r.started)-step.Started, d.Why
	r.record(step)
	r.decided(d)
	return d
}

// soFar is the result as far as it is known.
func (r *run) soFar() answer.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result
}
