package gate

import (
	"context"
	"fmt"
	"math"

	"lacuna/knowledge/gate/trees"
)

// Settings of the trees, measured on examination questions: shallow and slow ones, each from a part of
// the rows and of the features.
var (
	scoreTrees   = trees.Options{Rounds: 300, Depth: 2, Leaves: 4, Rate: .05, RowShare: .5, ColumnShare: .3, MinRows: 40}
	arbiterTrees = trees.Options{Rounds: 250, Depth: 2, Leaves: 4, Rate: .05, RowShare: .5, ColumnShare: .3, MinRows: 25}
)

// scored is the default with a learned score in place of the group prior.
type scored struct {
	name      string
	sheets    *sheets
	prior     *Prior
	advantage *advantage // nil: too little to learn from
	price     float64
}

func (s scored) Name() string { return s.name }

func (s scored) Decide(q Question) Decision {
	d := s.prior.Decide(q)
	d.Policy = s.name
	if s.advantage == nil || Refuses(q, q.Closed) || q.Closed.Hidden {
		return d
	}
	gain := s.advantage.of(q, s.sheets.before(q))
	if math.IsNaN(gain) {
		return d
	}
	d.Score, d.Threshold, d.Retrieve = gain, s.price, gain > s.price
	d.Signals = map[string]float64{"advantage": gain, "prior": d.Signals["prior"]}
	d.Why = fmt.Sprintf("retrieval is expected to change the chance of a right answer by %+.1f points", 100*gain)
	return d
}

func (w *workshop) fitScore(ctx context.Context, name string, history []Item, e Encoder, seed uint64, price float64) (scored, error) {
	s := scored{name: name, sheets: w.sheetsOf(e), prior: FitPrior(name, history, price, true), price: price}
	var lessons []lesson
	for _, i := range history {
		if i.Closed != nil && i.Closed.Hidden {
			continue
		}
		l := lesson{item: i, row: s.sheets.before(i.Question), score: i.Score}
		if Refuses(i.Question, &i.Retrieved) {
			l.score[1] = l.score[0]
		}
		lessons = append(lessons, l)
	}
	var err error
	if len(lessons) >= leastToLearn {
		s.advantage, err = fitAdvantage(ctx, lessons, scoreTrees, seed)
	}
	return s, err
}

// leastToLearn is how many past questions a learned score needs.
const leastToLearn = 200

// arbiter is a policy with a learned choice between the two answers where both are there.
type arbiter struct {
	Policy
	name      string
	sheets    *sheets
	advantage *advantage // nil: too little to learn from, and the fallback serves
}

func (a arbiter) Name() string { return a.name }

func (a arbiter) Decide(q Question) Decision {
	d := a.Policy.Decide(q)
	d.Policy = a.name
	return d
}

// KeepsFirst implements [Arbiter].
func (a arbiter) KeepsFirst(q Question, retrieved Response) bool {
	if a.advantage == nil || !twoAnswers(q, retrieved) {
		return Refuses(q, &retrieved) && !Refuses(q, q.Closed)
	}
	gain := a.advantage.of(q, a.sheets.after(q, retrieved))
	return gain <= 0 // false where it is not known
}

// twoAnswers reports whether both answers are known, are answers, and differ.
func twoAnswers(q Question, retrieved Response) bool {
	if Refuses(q, q.Closed) || Refuses(q, &retrieved) || q.Closed.Hidden || retrieved.Hidden {
		return false
	}
	if len(q.Options) > 0 {
		return q.Closed.Choice != retrieved.Choice
	}
	return q.Closed.Text != retrieved.Text
}

// fitArbiter learns from the questions whose two answers are two.
func (w *workshop) fitArbiter(ctx context.Context, p Policy, history []Item, e Encoder, seed uint64) (arbiter, error) {
	a := arbiter{Policy: p, name: p.Name(), sheets: w.sheetsOf(e)}
	var lessons []lesson
	for _, i := range history {
		if !twoAnswers(i.Question, i.Retrieved) {
			continue
		}
		lessons = append(lessons, lesson{item: i, row: a.sheets.after(i.Question, i.Retrieved), score: i.Score})
	}
	var err error
	if len(lessons) >= leastToLearn {
		a.advantage, err = fitAdvantage(ctx, lessons, arbiterTrees, seed)
	}
	return a, err
}

// Improve makes the learner of "default", the policy of the product: the refusal rule, the group prior
// learnt with the fallback in place, and the fallback. With its learned parts a score takes the place
// of the prior, and an arbiter that of the fallback.
func Improve(price float64, score, arbiter bool) Learner {
	return newWorkshop().improved("default", price, score, arbiter)
}

func (w *workshop) improved(name string, price float64, score, arbiter bool) Learner {
	return Learner{Name: name, Encodes: score || arbiter, Fit: func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
		var p Policy = FitPrior(name, history, price, true)
		if score {
			s, err := w.fitScore(ctx, name, history, e, seed, price)
			if err != nil {
				return nil, err
			}
			p = s
		}
		if arbiter {
			a, err := w.fitArbiter(ctx, p, history, e, seed)
			return a, err
		}
		return fallback{p, name}, nil
	}}
}
