package gate

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"sync"
)

// Outcome is what became of one item under a policy that had not seen its question.
type Outcome struct {
	Item     Item
	Decision Decision
	Keeps    bool    // the closed-book answer is kept where a retrieved one is there too, decided or not
	Score    float64 // of the answer that was given
}

// Kept reports whether retrieval was decided on and the closed-book answer kept all the same.
func (o Outcome) Kept() bool { return o.Decision.Retrieve && o.Keeps }

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
	errs := make([]error, folds)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	for fold := range folds {
		running.Go(func() {
			slots <- struct{}{}
			errs[fold] = evaluateFold(ctx, l, items, e, folds, fold, seed, outcomes)
			<-slots
		})
	}
	running.Wait()
	return outcomes, errors.Join(errs...)
}

// evaluateFold fills in the outcomes of one fold.
func evaluateFold(ctx context.Context, l Learner, items []Item, e Encoder, folds, fold int, seed uint64, outcomes []Outcome) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	history, held := Fold(items, folds, fold)
	policy, err := l.Fit(ctx, history, e, seed)
	if err != nil {
		return fmt.Errorf("fit %s: %w", l.Name, err)
	}
	for _, n := range held {
		outcomes[n] = judge(policy, items[n])
	}
	return nil
}

// Fold divides items into those to learn from and the places of those that are held back.
func Fold(items []Item, folds, fold int) (history []Item, held []int) {
	for n, i := range items {
		if foldOf(i, folds) == fold {
			held = append(held, n)
		} else {
			history = append(history, i)
		}
	}
	return history, held
}

// Comparison is what several policies made of the same items.
type Comparison struct {
	Policies []string // in order; the oracle, which knows the labels, is the last
	Outcomes map[string][]Outcome
}

// Oracle is the name of the policy that knows which answer is the better one.
const Oracle = "oracle"

// Compare cross-validates learners on the same folds. Before each it calls begin, which may be nil,
// with its name.
func Compare(ctx context.Context, learners []Learner, items []Item, e Encoder, folds int, seed uint64, begin func(policy string)) (Comparison, error) {
	c := Comparison{Outcomes: map[string][]Outcome{Oracle: oracle(items)}}
	for _, l := range learners {
		if begin != nil {
			begin(l.Name)
		}
		outcomes, err := Evaluate(ctx, l, items, e, folds, seed)
		if err != nil {
			return c, err
		}
		c.Policies, c.Outcomes[l.Name] = append(c.Policies, l.Name), outcomes
	}
	c.Policies = append(c.Policies, Oracle)
	return c, nil
}

// foldOf puts all rows of a question into one fold.
func foldOf(i Item, folds int) int {
	h := fnv.New32a()
	h.Write([]byte(first(i.ID, i.Text)))
	return int(h.Sum32() % uint32(folds))
}

func judge(p Policy, i Item) Outcome {
	o := Outcome{Item: i, Decision: p.Decide(i.Question)}
	if a, ok := p.(Arbiter); ok {
		o.Keeps = a.KeepsFirst(i.Question, i.Retrieved)
	}
	o.Score = i.Score[o.given()]
	return o
}

// oracle is the best that any policy could do.
func oracle(items []Item) []Outcome {
	outcomes := make([]Outcome, len(items))
	for n, i := range items {
		retrieve := i.Label() == Better
		d := Decision{Policy: Oracle, Retrieve: retrieve, Threshold: .5}
		if retrieve {
			d.Score = 1
		}
		outcomes[n] = Outcome{Item: i, Decision: d, Score: max(i.Score[0], i.Score[1])}
	}
	return outcomes
}
