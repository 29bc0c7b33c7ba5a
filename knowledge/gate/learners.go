package gate

import (
	"context"
	"fmt"
	"strings"

	"lacuna/knowledge/gate/fusion"
	"lacuna/knowledge/par"
)

// Learners lists every policy, plain rules first. The price is how much accuracy one retrieval must
// earn, for the policies that know a price; [DefaultPrice] is the usual one.
//
// The learners of one list share a training cache: a part that several of them need is trained once.
func Learners(price float64) []Learner {
	cache := newTrainCache()
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
			return cache.quality(history, e, seed)
		}),
		encoding("linear", cache.fitLinear),
	}, cache.ccsks()...)
}

// ccsks lists the full method, its other readings, and variants with thresholds left at their suggested
// values.
func (cache *trainCache) ccsks() []Learner {
	var learners []Learner
	for _, c := range []struct {
		name      string
		attention fusion.Attention
		literal   bool
		tuning    tuning
	}{
		{"ccsk", fusion.Sentences, false, tuneAll},
		{"ccsk-literal", fusion.Sentences, true, tuneAll},
		{"ccsk-outer", fusion.Outer, false, tuneAll},
		{"ccsk-pooled", fusion.Pooled, false, tuneAll},
		{"ccsk-fixed-prediction", fusion.Sentences, false, tuning{confidence: true, single: true}},
		{"ccsk-fixed-confidence", fusion.Sentences, false, tuning{prediction: true, single: true}},
		{"ccsk-fixed-single", fusion.Sentences, false, tuning{prediction: true, confidence: true}},
		{"ccsk-fixed", fusion.Sentences, false, tuning{}},
	} {
		learners = append(learners, encoding(c.name, func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
			return cache.ccsk(ctx, history, e, seed, ccsk{name: c.name, literal: c.literal}, c.attention, c.tuning)
		}))
	}
	return learners
}

// encoding makes a learner of a policy that compares texts by their encodings, fitted for each model.
func encoding(name string, fit func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error)) Learner {
	return fitPerModel(Learner{Name: name, Encodes: true, Fit: fit})
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

// perModel holds a policy for each model, because what retrieval is worth differs more from model to
// model than from question to question.
type perModel struct {
	name   string
	models map[string]Policy
}

// fitPerModel makes a learner fit a policy for each model.
func fitPerModel(l Learner) Learner {
	fit := l.Fit
	l.Fit = func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
		byModel := make(map[string][]Item)
		for _, i := range history {
			byModel[i.Model] = append(byModel[i.Model], i)
		}
		names := sortedKeys(byModel)
		policies, errs := make([]Policy, len(names)), make([]error, len(names))
		par.Each(len(names), func(n int) { policies[n], errs[n] = fit(ctx, byModel[names[n]], e, seed) })
		p := perModel{name: l.Name, models: make(map[string]Policy, len(names))}
		for n, model := range names {
			if errs[n] != nil {
				return nil, fmt.Errorf("for the model %q: %w", model, errs[n])
			}
			p.models[model] = policies[n]
		}
		return p, nil
	}
	return l
}

func (p perModel) Name() string { return p.name }

// of returns the policy for a model. A history that names no model serves every model.
func (p perModel) of(model string) (Policy, bool) {
	policy, ok := p.models[model]
	if !ok {
		policy, ok = p.models[""]
	}
	return policy, ok
}

// ByQuestion reports whether the policies of all models decide by the question alone.
func (p perModel) ByQuestion() bool {
	for _, policy := range p.models {
		if !ByQuestion(policy) {
			return false
		}
	}
	return true
}

// Missing implements [Partial] and names the model that lacks a part.
func (p perModel) Missing() []string {
	var missing []string
	for _, model := range sortedKeys(p.models) {
		for _, part := range MissingParts(p.models[model]) {
			if model != "" {
				part = fmt.Sprintf("for %s %s", model, part)
			}
			missing = append(missing, part)
		}
	}
	return missing
}

func (p perModel) Decide(q Question) Decision {
	policy, ok := p.of(q.Model)
	if !ok {
		return Decision{Policy: p.name, Retrieve: true, Score: 1, Threshold: .5, Why: "there are no past questions of this model"}
	}
	return policy.Decide(q)
}
