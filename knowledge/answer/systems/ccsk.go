package systems

import (
	"context"
	"errors"

	"lacuna/knowledge/answer"
)

// errNoGate says that the environment has no gate.
var errNoGate = errors.New("no gate has been trained")

// ccskPaper is the title of the CCSK paper, which also compares other ways to decide whether to search
// (Table 2).
const ccskPaper = "CCSK: Cognitive Convection of Self-Knowledge Based Retrieval Augmentation for Large Language Models"

func ccskSystems() []System {
	return ofPaper(ccskPaper,
		System{ID: "manual-cot", Name: "Manual CoT", Calls: 1, stages: 1, steps: manualChainOfThought},
		System{ID: "manual-cot-ir", Name: "Manual CoT-IR", Calls: 1, stages: 2, steps: manualChainOfThoughtWithSources},
		System{ID: "think-then-act", Name: "Think-then-Act", Calls: 3, stages: 4, steps: thinkThenAct},
		System{ID: "self-dc", Name: "Self-DC", Calls: selfDCCalls, steps: selfDC},
		System{ID: "skr-knn", Name: "SKR-kNN", Gate: "skr-knn", Calls: 1, stages: 3, steps: gated{"skr-knn"}.answer},
		System{ID: "sn", Name: "CCSK, the Siamese network alone", Gate: "sn", Calls: 1, stages: 3, steps: gated{"sn"}.answer},
		System{ID: "rqm", Name: "CCSK, the response quality model alone", Gate: "rqm", Calls: 2, stages: 4, steps: gated{"rqm"}.answer},
		System{ID: "linear", Name: "CCSK with a linear mixture", Gate: "linear", Calls: 2, stages: 4, steps: gated{"linear"}.answer},
		System{ID: "ccsk", Name: "CCSK", Gate: "ccsk", Calls: 2, stages: 4, steps: gated{"ccsk"}.answer},
	)
}

// gated is a system of the CCSK paper that learns its decision from past questions: r₀ is an answer by
// manual chain of thought from what the model knows, r₁ the same over the sources, and the policy says
// which to give. The policies and their equations are in package gate.
type gated struct{ policy string }

// answer asks the model without sources only if its answer plays a part. Without a gate the sources are
// searched.
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
			if isPermanent(closed) {
				return closed
			}
			r.degrade("the sources are searched", closed)
			d.Retrieve, d.Why = true, NoOwnAnswer
			r.setDecision(d)
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
		r.degrade("the model's own answer", err)
		d.OwnAnswer = true
		r.setDecision(d)
		return nil
	}
	return err
}

// NoOwnAnswer is why the sources are searched if a model should have answered without them and did not.
const NoOwnAnswer = "the model gave no answer of its own"

// decider returns the trained gate of a policy. If there is none, the trace says why.
func (r *run) decider(policy string) (decider Decider, err error) {
	if err = errNoGate; r.Gate != nil {
		decider, err = r.Gate(policy)
	}
	if err != nil {
		r.begin(answer.StageDecide)
		step := r.start(answer.StageDecide, "")
		step.Err = err
		r.trace.record(step)
	}
	return decider, err
}

// decide has a gate decide, and makes the decision part of the result.
func (r *run) decide(decider Decider, closed *answer.Result) answer.Decision {
	r.begin(answer.StageDecide)
	step := r.start(answer.StageDecide, "", r.question.Text, r.question.Options)
	d := decider.Decide(r.question, closed)
	step.Took, step.Detail = r.since(step), d.Why
	r.trace.record(step)
	r.setDecision(d)
	return d
}
