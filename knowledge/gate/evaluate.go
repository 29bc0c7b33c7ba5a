package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"sync"

	"lacuna/knowledge/eval"
)

// Outcome is the result for one item of a policy that had not seen its question.
type Outcome struct {
	Item        Item
	Decision    Decision
	KeepsClosed bool    // the closed-book answer is kept where a retrieved one is there too, decided or not
	Score       float64 // of the answer that was given
}

// KeptClosed reports whether retrieval was decided on and the closed-book answer kept all the same.
func (o Outcome) KeptClosed() bool { return o.Decision.Retrieve && o.KeepsClosed }

// Right reports whether the decision agrees with the label; false for questions whose answers are equally
// good.
func (o Outcome) Right() bool {
	return o.Item.Label() == Better && o.Decision.Retrieve || o.Item.Label() == Worse && !o.Decision.Retrieve
}

// Evaluate cross-validates a learner: each question is decided by a policy that was fitted without it, and
// without the same question as another model answered it. Outcomes are in the order of the items.
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

// Fold returns the items to learn from, and the indexes of those that are held out.
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

// Comparison holds the outcomes of several policies for the same items.
type Comparison struct {
	Policies []string // in order; the oracle, which knows the labels, comes last
	Outcomes map[string][]Outcome
}

// Oracle is the name of the policy that knows which answer is better.
const Oracle = "oracle"

// Compare cross-validates learners on the same folds. It calls begin, which may be nil, with the name of each
// learner before it starts.
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
		o.KeepsClosed = a.KeepsClosed(i.Question, i.Retrieved)
	}
	o.Score = i.Score[o.given()]
	return o
}

// oracle returns the best outcomes that any policy could have.
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

// Row holds the figures of one policy on a group of questions. Shares and scores lie in 0..1; an unknown
// figure is NaN.
type Row struct {
	Policy    string
	Model     string
	Dataset   string // empty: all together
	N         int
	Score     Interval // mean quality of the answers given
	EM, F1    float64  // of open questions with gold answers
	Retrieved float64  // share
	Kept      float64  // share retrieved in vain: the closed-book answer was kept
	Decision  float64  // share of right decisions among questions whose answers differ in quality
	Same      float64  // share of questions whose answers do not
	// Gain is the difference in score to the baseline policy, paired by question.
	Gain Interval
}

// Interval is a mean with its 95 % bootstrap interval.
type Interval struct{ Mean, Low, High float64 }

const (
	resamples     = 2000
	bootstrapSeed = 1
)

// Table summarises a comparison by model, and for each model over all data sets and for each. Gains are
// against the policy named; that policy and the oracle have none.
func (c Comparison) Table(against string) []Row {
	var rows []Row
	base := c.Outcomes[against]
	for _, g := range partsOf(c.Outcomes[Oracle]) {
		for _, policy := range c.Policies {
			row := g.row(policy, c.Outcomes[policy])
			if base != nil && policy != against && policy != Oracle {
				row.Gain = g.gain(c.Outcomes[policy], base)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Gain returns the difference in score between two policies over all questions. The answers of several models
// to one question are not independent, so they count as one case.
func (c Comparison) Gain(policy, against string) Interval {
	sums, counts := make(map[string]float64), make(map[string]float64)
	for n, o := range c.Outcomes[policy] {
		id := first(o.Item.ID, o.Item.Text)
		sums[id] += o.Score - c.Outcomes[against][n].Score
		counts[id]++
	}
	var differences []float64
	for _, id := range sortedKeys(sums) {
		differences = append(differences, sums[id]/counts[id])
	}
	return interval(differences)
}

// Resolution returns the difference in score below which chance explains what is seen: the median half width
// of the intervals of the gains that have a width, or NaN if there is none.
func Resolution(rows []Row) float64 {
	var halves []float64
	for _, r := range rows {
		if half := (r.Gain.High - r.Gain.Low) / 2; half > 0 {
			halves = append(halves, half)
		}
	}
	if len(halves) == 0 {
		return math.NaN()
	}
	slices.Sort(halves)
	return halves[len(halves)/2]
}

// part holds the items of one model and of one data set or all.
type part struct {
	model, dataset string
	at             []int
}

func partsOf(all []Outcome) []part {
	var parts []part
	add := func(model, dataset string, i int) {
		for p := range parts {
			if parts[p].model == model && parts[p].dataset == dataset {
				parts[p].at = append(parts[p].at, i)
				return
			}
		}
		parts = append(parts, part{model, dataset, []int{i}})
	}
	for i, o := range all {
		add(o.Item.Model, "", i)
		if o.Item.Dataset != "" {
			add(o.Item.Model, o.Item.Dataset, i)
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.dataset, b.dataset))
	})
	return parts
}

func (g part) row(policy string, all []Outcome) Row {
	r := Row{
		Policy: policy, Model: g.model, Dataset: g.dataset, N: len(g.at), EM: math.NaN(), F1: math.NaN(),
		Gain: Interval{math.NaN(), math.NaN(), math.NaN()},
	}
	scores := make([]float64, len(g.at))
	differ, right, open := 0, 0, 0
	em, f1 := 0.0, 0.0
	for n, i := range g.at {
		o := all[i]
		scores[n] = o.Score
		r.Retrieved += share(o.Decision.Retrieve, len(g.at))
		r.Kept += share(o.KeptClosed(), len(g.at))
		if o.Item.Label() != Same {
			differ++
			if o.Right() {
				right++
			}
		}
		if given := o.given(); !math.IsNaN(o.Item.F1[given]) {
			open++
			em += o.Item.EM[given]
			f1 += o.Item.F1[given]
		}
	}
	r.Score = interval(scores)
	r.Same = 1 - float64(differ)/float64(len(g.at))
	r.Decision = float64(right) / float64(differ) // NaN where no answers differ
	if open > 0 {
		r.EM, r.F1 = em/float64(open), f1/float64(open)
	}
	return r
}

// given returns which of the two answers was given.
func (o Outcome) given() int {
	if o.Decision.Retrieve && !o.KeepsClosed {
		return 1
	}
	return 0
}

func (g part) gain(all, base []Outcome) Interval {
	differences := make([]float64, len(g.at))
	for n, i := range g.at {
		differences[n] = all[i].Score - base[i].Score
	}
	return interval(differences)
}

func share(is bool, of int) float64 {
	if is {
		return 1 / float64(of)
	}
	return 0
}

func interval(values []float64) Interval {
	low, high := eval.Bootstrap(values, mean, resamples, bootstrapSeed)
	return Interval{mean(values), low, high}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Curve shows what a policy would reach at other shares retrieved, if the questions with the highest scores
// are retrieved for first. It has a point for each hundredth.
type Curve struct {
	Policy string
	Score  [101]float64 // by the share retrieved, in hundredths
}

// CostCurve orders outcomes by how far each score is above its threshold. For items with equal margins the
// curve is the expectation over their orders. A policy that keeps some closed-book answers does so at every
// share.
func CostCurve(policy string, outcomes []Outcome) Curve {
	margin := func(o Outcome) float64 { return o.Decision.Score - o.Decision.Threshold }
	order := slices.Clone(outcomes)
	slices.SortStableFunc(order, func(a, b Outcome) int { return cmp.Compare(margin(b), margin(a)) })
	// gained[n] is what retrieving for the first n items changes.
	gained := make([]float64, 1, len(order)+1)
	for at := 0; at < len(order); {
		end, gain := at, 0.0
		for ; end < len(order) && margin(order[end]) == margin(order[at]); end++ {
			if o := order[end]; !o.KeepsClosed {
				gain += o.Item.Score[1] - o.Item.Score[0]
			}
		}
		before := gained[at]
		for n := at + 1; n <= end; n++ {
			gained = append(gained, before+gain*float64(n-at)/float64(end-at))
		}
		at = end
	}
	closed := 0.0
	for _, o := range order {
		closed += o.Item.Score[0]
	}
	c := Curve{Policy: policy}
	for hundredth := range c.Score {
		taken := float64(hundredth) / 100 * float64(len(order))
		whole := int(taken)
		gain := gained[whole]
		if whole < len(order) {
			gain += (taken - float64(whole)) * (gained[whole+1] - gained[whole])
		}
		c.Score[hundredth] = (closed + gain) / float64(max(len(order), 1))
	}
	return c
}

// Of returns the comparison for one model.
func (c Comparison) Of(model string) Comparison {
	own := Comparison{Policies: c.Policies, Outcomes: make(map[string][]Outcome, len(c.Outcomes))}
	for policy, outcomes := range c.Outcomes {
		own.Outcomes[policy] = OfModel(model, outcomes)
	}
	return own
}

// OfModel returns the outcomes of one model.
func OfModel(model string, outcomes []Outcome) []Outcome {
	var own []Outcome
	for _, o := range outcomes {
		if o.Item.Model == model {
			own = append(own, o)
		}
	}
	return own
}

// Area returns the mean height of the curve above the straight line from never to always retrieving, which is
// what retrieving for random questions reaches.
func (c Curve) Area() float64 {
	last := len(c.Score) - 1
	sum := 0.0
	for n, score := range c.Score {
		t := float64(n) / float64(last)
		sum += score - (1-t)*c.Score[0] - t*c.Score[last]
	}
	return sum / float64(len(c.Score))
}
