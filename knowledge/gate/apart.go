package gate

import (
	"context"
	"fmt"
	"sync"
)

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
