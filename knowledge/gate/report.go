package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lacuna/knowledge/eval"
)

// Row is what one policy reached on a group of questions. Shares and scores lie in 0..1; a figure that
// cannot be had is NaN.
type Row struct {
	Policy    string
	Model     string
	Dataset   string // empty: all together
	N         int
	Score     Interval // mean quality of the answers given
	EM, F1    float64  // of open questions with gold answers
	Retrieved float64  // share
	Kept      float64  // share retrieved in vain: the closed-book answer was kept
	Decision  float64  // share of right decisions where the two answers differ in quality
	Same      float64  // share where they do not
	// Gain is the difference in score to the policy that is compared with, paired by question.
	Gain Interval
}

// Interval is a mean with its 95 % bootstrap interval.
type Interval struct{ Mean, Low, High float64 }

// Significant reports that an interval excludes 0.
func (i Interval) Significant() bool { return i.Low > 0 || i.High < 0 }

// Verdict says in words what a gain is worth.
func (i Interval) Verdict() string {
	switch {
	case math.IsNaN(i.Mean):
		return ""
	case i.Low > 0:
		return "better"
	case i.High < 0:
		return "worse"
	}
	return "no difference that chance does not explain"
}

const (
	resamples     = 2000
	bootstrapSeed = 1
)

// Table sums up the outcomes of policies on the same items, by model and, for each model, all together
// and by data set. Gains are against the outcomes named by against; others have none.
func Table(outcomes map[string][]Outcome, policies []string, against string) []Row {
	var rows []Row
	base := outcomes[against]
	for _, g := range groupsOf(outcomes[policies[0]]) {
		for _, policy := range policies {
			row := g.row(policy, outcomes[policy])
			if base != nil && policy != against {
				row.Gain = g.gain(outcomes[policy], base)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// part is the items of one model, of one data set or of all.
type part struct {
	model, dataset string
	at             []int
}

func groupsOf(all []Outcome) []part {
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
		r.Kept += share(o.Kept, len(g.at))
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

// given is which of the two answers was given.
func (o Outcome) given() int {
	if o.Decision.Retrieve && !o.Kept {
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

// Curve is what a policy would reach at other shares retrieved: the questions with the highest scores
// are retrieved for, one after another. It has a point for each hundredth.
type Curve struct {
	Policy string
	Score  [101]float64 // by the share retrieved, in hundredths
}

// CostCurve orders outcomes by how far each score is above its threshold. Items of equal standing are
// taken together in their order, by chance as far as the policy goes.
func CostCurve(policy string, outcomes []Outcome) Curve {
	order := make([]int, len(outcomes))
	for i := range order {
		order[i] = i
	}
	margin := func(i int) float64 { return outcomes[i].Decision.Score - outcomes[i].Decision.Threshold }
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(margin(b), margin(a))
	})
	c := Curve{Policy: policy}
	sum, taken := 0.0, 0
	for _, o := range outcomes {
		sum += o.Item.Score[0]
	}
	for hundredth := range c.Score {
		for ; taken < hundredth*len(order)/100; taken++ {
			o := outcomes[order[taken]]
			if !o.Kept {
				sum += o.Item.Score[1] - o.Item.Score[0]
			}
		}
		c.Score[hundredth] = sum / float64(max(len(order), 1))
	}
	return c
}

// String is a row as a line of text.
func (r Row) String() string {
	line := fmt.Sprintf("%-14s %5d  %6.2f [%.2f, %.2f]  %5.1f %%", r.Policy, r.N, 100*r.Score.Mean, 100*r.Score.Low, 100*r.Score.High, 100*r.Retrieved)
	if !math.IsNaN(r.Decision) {
		line += fmt.Sprintf("  %5.1f %%", 100*r.Decision)
	} else {
		line += "        "
	}
	if !math.IsNaN(r.Gain.Mean) {
		line += fmt.Sprintf("  %+5.2f [%+.2f, %+.2f] %s", 100*r.Gain.Mean, 100*r.Gain.Low, 100*r.Gain.High, r.Gain.Verdict())
	}
	return line
}
