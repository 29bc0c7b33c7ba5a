package gate

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"lacuna/knowledge/gate/fusion"
)

// Learners lists every policy, plain rules first. The price is how much accuracy one retrieval must
// earn, for the policies that know a price; [DefaultPrice] is the usual one.
//
// The learners of one list train together what they train alike.
func Learners(price float64) []Learner {
	w := newWorkshop()
	return append([]Learner{
		rule(Never),
		rule(Always),
		alias("manual-cot", Never),
		alias("manual-cot-ir", Always),
		rule(refusal{}),
		rule(fallback{Always, "fallback"}),
		plain("kind", func(history []Item) Policy { return FitPrior("kind", history, price, false) }),
		plain("default", func(history []Item) Policy {
			return fallback{FitPrior("default", history, price, true), "default"}
		}),
		thinkThenAct.learner("check and closed_confidence"),
		selfDC.learner("closed_confidence"),
		encoding("skr-knn", fitSKR),
		encoding("sn", func(_ context.Context, history []Item, e Encoder, _ uint64) (Policy, error) {
			return fitSN("sn", history, e, Suggested.Single)
		}),
		encoding("rqm", func(_ context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
			return w.quality(history, e, seed)
		}),
		encoding("linear", w.fitLinear),
	}, w.ccsks()...)
}

// ccsks are the full method, its readings, and it with thresholds left where the search would begin.
func (w *workshop) ccsks() []Learner {
	var learners []Learner
	for _, c := range []struct {
		name      string
		attention fusion.Attention
		literal   bool
		tuned     tuned
	}{
		{"ccsk", fusion.Sentences, false, allTuned},
		{"ccsk-literal", fusion.Sentences, true, allTuned},
		{"ccsk-outer", fusion.Outer, false, allTuned},
		{"ccsk-pooled", fusion.Pooled, false, allTuned},
		{"ccsk-fixed-prediction", fusion.Sentences, false, tuned{confidence: true, single: true}},
		{"ccsk-fixed-confidence", fusion.Sentences, false, tuned{prediction: true, single: true}},
		{"ccsk-fixed-single", fusion.Sentences, false, tuned{prediction: true, confidence: true}},
		{"ccsk-fixed", fusion.Sentences, false, tuned{}},
	} {
		learners = append(learners, encoding(c.name, func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
			return w.ccsk(ctx, history, e, seed, ccsk{name: c.name, literal: c.literal}, c.attention, c.tuned)
		}))
	}
	return learners
}

// encoding makes a learner of a policy that compares texts by their encodings, for each model apart.
func encoding(name string, fit func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error)) Learner {
	return Apart(Learner{Name: name, Encodes: true, Fit: fit})
}

// Find returns the learner of that name.
func Find(name string, price float64) (Learner, error) {
	var names []string
	for _, l := range Learners(price) {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	if IsRemoved(name) {
		return Learner{}, fmt.Errorf("the policy %q was removed because it was no better than default; known: %s", name, strings.Join(names, ", "))
	}
	return Learner{}, fmt.Errorf("no policy is called %q; known: %s", name, strings.Join(names, ", "))
}

// IsRemoved reports whether earlier versions had a policy of this name. The learned parts of the
// default policy, score and arbiter, are in no paper and gained nothing (docs/gate.md).
func IsRemoved(name string) bool { return name == "score" || name == "arbiter" }

// apart is a policy for each model, as what retrieval is worth differs more from model to model than
// from question to question.
type apart struct {
	name   string
	models map[string]Policy
}

// Apart makes of a learner one that learns for each model by itself.
func Apart(l Learner) Learner {
	fit := l.Fit
	l.Fit = func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
		byModel := make(map[string][]Item)
		for _, i := range history {
			byModel[i.Model] = append(byModel[i.Model], i)
		}
		names := sortedKeys(byModel)
		policies, errs := make([]Policy, len(names)), make([]error, len(names))
		var running sync.WaitGroup
		for n, model := range names {
			running.Go(func() { policies[n], errs[n] = fit(ctx, byModel[model], e, seed) })
		}
		running.Wait()
		a := apart{name: l.Name, models: make(map[string]Policy, len(names))}
		for n, model := range names {
			if errs[n] != nil {
				return nil, fmt.Errorf("for the model %q: %w", model, errs[n])
			}
			a.models[model] = policies[n]
		}
		return a, nil
	}
	return l
}

func (a apart) Name() string { return a.name }

// of is the policy for a model; a history that names no model serves for all.
func (a apart) of(model string) (Policy, bool) {
	p, known := a.models[model]
	if !known {
		p, known = a.models[""]
	}
	return p, known
}

// ByQuestion reports whether that holds for all models.
func (a apart) ByQuestion() bool {
	for _, p := range a.models {
		if !ByQuestion(p) {
			return false
		}
	}
	return true
}

// Missing implements [Partial], with the model for which a part is missing.
func (a apart) Missing() []string {
	var missing []string
	for _, model := range sortedKeys(a.models) {
		for _, part := range MissingOf(a.models[model]) {
			if model != "" {
				part = fmt.Sprintf("for %s %s", model, part)
			}
			missing = append(missing, part)
		}
	}
	return missing
}

func (a apart) Decide(q Question) Decision {
	p, known := a.of(q.Model)
	if !known {
		return Decision{Policy: a.name, Retrieve: true, Score: 1, Threshold: .5, Why: "there are no past questions of this model"}
	}
	return p.Decide(q)
}
