package gate

import (
	"context"
	"fmt"
	"hash/fnv"
)

// Outcome is what became of one item under a policy that had not seen its question.
type Outcome struct {
	Item     Item
	Decision Decision
	Kept     bool    // retrieved, but the closed-book answer was kept
	Score    float64 // of the answer that was given
}

// Right reports whether the decision was that of the label; false for questions whose answers are
// equally good.
func (o Outcome) Right() bool {
	return o.Item.Label() == Better && o.Decision.Retrieve || o.Item.Label() == Worse && !o.Decision.Retrieve
}

// Evaluate cross-validates a learner: each question is decided by a policy that was fitted without
// it, and without the same question as another model answered it. Outcomes are in the order of the
// items.
func Evaluate(ctx context.Context, l Learner, items []Item, e Encoder, folds int, seed uint64) ([]Outcome, error) {
	if folds < 2 {
		return nil, fmt.Errorf("%d folds, want at least 2", folds)
	}
	outcomes := make([]Outcome, len(items))
	for fold := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var history []Item
		for _, i := range items {
			if foldOf(i, folds) != fold {
				history = append(history, i)
			}
		}
		policy, err := l.Fit(ctx, history, e, seed)
		if err != nil {
			return nil, fmt.Errorf("fit %s: %w", l.Name, err)
		}
		for n, i := range items {
			if foldOf(i, folds) == fold {
				outcomes[n] = judge(policy, i)
			}
		}
	}
	return outcomes, nil
}

// foldOf puts all rows of a question into one fold.
func foldOf(i Item, folds int) int {
	h := fnv.New32a()
	h.Write([]byte(first(i.ID, i.Text)))
	return int(h.Sum32() % uint32(folds))
}

func judge(p Policy, i Item) Outcome {
	o := Outcome{Item: i, Decision: p.Decide(i.Question)}
	if !o.Decision.Retrieve {
		o.Score = i.Score[0]
		return o
	}
	if a, ok := p.(Arbiter); ok {
		o.Kept = a.KeepsFirst(i.Question, i.Retrieved)
	}
	o.Score = i.Score[1]
	if o.Kept {
		o.Score = i.Score[0]
	}
	return o
}

// Oracle is the best that any policy could do.
func Oracle(items []Item) []Outcome {
	outcomes := make([]Outcome, len(items))
	for n, i := range items {
		retrieve := i.Label() == Better
		outcomes[n] = Outcome{Item: i, Decision: Decision{Policy: "oracle", Retrieve: retrieve}, Score: max(i.Score[0], i.Score[1])}
	}
	return outcomes
}
