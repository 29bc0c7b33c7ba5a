package testset

import (
	"cmp"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/gap"
)

// Trouble is what is wrong with the outcome of an item, the worst of what could be named.
type Trouble int

// From harmless to worst.
const (
	Fine          Trouble = iota
	NotOutright           // the right place is shown, but only as a nearest place
	NotCited              // the right place was found and is not shown
	NotFound              // the right place is not among those found
	OtherPlace            // answered outright, from another place than the expected one
	FalseGap              // the sources have it and are said not to
	WrongAnswer           // answered outright without what is expected
	AnswerOfNone          // answered outright although the sources do not have it
	CouldNotBeRun         // a model or another endpoint failed
)

// Depth is how many of the passages that the search finds are looked at.
const Depth = 10

// Outcome is what became of an item.
type Outcome struct {
	Item    Item
	System  string // that answered
	Rank    int    // of the first passage found that fits, from 1; 0 if none of the first [Depth] does
	State   answer.State
	Letter  string // chosen, of a question with options
	Shown   string // what the answer shows
	Cited   bool   // something that fits is shown
	Says    bool   // one of the answers is shown, or the right option chosen
	Flagged bool   // something is said to be missing
	Failed  string // why it could not be run
	Trouble Trouble
}

// Judge compares a result and the passages that a search for the question finds, best first, with what an item expects.
func Judge(item Item, r answer.Result, found []knowledge.Hit, failed string) Outcome {
	o := Outcome{Item: item, System: r.System, State: r.State, Letter: r.Choice, Failed: failed, Flagged: gap.Missing(r.MissingProbability)}
	for i, hit := range found[:min(len(found), Depth)] {
		if item.Expects() && item.Fits(hit.Passage) {
			o.Rank = i + 1
			break
		}
	}
	for _, s := range r.Shown() {
		o.Shown += s.Reads() + " "
	}
	for _, c := range r.Citations {
		o.Cited = o.Cited || item.Expects() && item.Fits(c.Passage)
	}
	o.Says = len(item.Answers) > 0 && eval.Mentions(o.Shown, item.Answers) || item.Gold != "" && r.Choice == item.Gold
	o.Trouble = o.trouble()
	return o
}

func (o Outcome) trouble() Trouble {
	item, outright := o.Item, o.State == answer.Answered
	switch {
	case o.Failed != "":
		return CouldNotBeRun
	case item.Missing && outright:
		return AnswerOfNone
	case item.Missing:
		return Fine
	case outright && item.told() && !o.Says:
		return WrongAnswer
	case outright && !item.told() && item.Expects() && !o.Cited:
		return OtherPlace
	case o.Flagged && !outright:
		return FalseGap
	case item.Expects() && o.Rank == 0 && !o.Cited:
		return NotFound
	case item.Expects() && !o.Cited || item.told() && !o.Says:
		return NotCited
	case !outright:
		return NotOutright
	}
	return Fine
}

// Worst sorts outcomes by their trouble, the worst first, and leaves out those that are fine.
func Worst(all []Outcome) []Outcome {
	bad := slices.DeleteFunc(slices.Clone(all), func(o Outcome) bool { return o.Trouble == Fine })
	slices.SortStableFunc(bad, func(a, b Outcome) int { return cmp.Compare(b.Trouble, a.Trouble) })
	return bad
}

// figures lists what is measured: which items count, and whether one holds.
var figures = []struct {
	name   string
	counts func(Outcome) bool
	holds  func(Outcome) bool
}{
	{"found first", expects, func(o Outcome) bool { return o.Rank == 1 }},
	{"found in the first five", expects, func(o Outcome) bool { return o.Rank > 0 && o.Rank <= 5 }},
	{"right place shown", expects, func(o Outcome) bool { return o.Cited }},
	{"answer shown", func(o Outcome) bool { return known(o) && len(o.Item.Answers) > 0 }, func(o Outcome) bool { return o.Says }},
	{"right option chosen", func(o Outcome) bool { return known(o) && o.Item.Gold != "" }, func(o Outcome) bool { return o.Letter == o.Item.Gold }},
	{"answered outright", known, func(o Outcome) bool { return o.State == answer.Answered }},
	{"answered outright and wrong", func(o Outcome) bool { return known(o) && o.Item.told() }, func(o Outcome) bool { return o.Trouble == WrongAnswer }},
	{"answered outright from elsewhere", func(o Outcome) bool { return expects(o) && !o.Item.told() }, func(o Outcome) bool { return o.Trouble == OtherPlace }},
	{"called missing though it is there", known, func(o Outcome) bool { return o.Trouble == FalseGap }},
	{"answered outright though it is missing", missing, func(o Outcome) bool { return o.State == answer.Answered }},
	{"called missing where it is", missing, func(o Outcome) bool { return o.Flagged }},
}

func known(o Outcome) bool   { return o.Failed == "" && !o.Item.Missing }
func expects(o Outcome) bool { return known(o) && o.Item.Expects() }
func missing(o Outcome) bool { return o.Failed == "" && o.Item.Missing }

// Resamples of the intervals and rounds of the paired test, and the seed that makes them the same in every run.
const (
	resamples = 10000
	seed      = 1
)

// Figures measures outcomes. What none of the items asks for is left out.
func Figures(all []Outcome) []eval.Measure {
	var measured []eval.Measure
	for _, f := range figures {
		var values []float64
		for _, o := range all {
			if f.counts(o) {
				values = append(values, one(f.holds(o)))
			}
		}
		if len(values) > 0 {
			low, high := eval.Wilson(mean(values), len(values)) // questions of one's own are few
			measured = append(measured, eval.Measure{Name: f.name, Value: mean(values), Low: low, High: high, N: len(values)})
		}
	}
	return measured
}

// Difference is how much more of the items a second way of answering gets than a first.
type Difference struct {
	eval.Measure         // Value and the interval are differences of shares
	More, Fewer  int     // items that only the second gets, that only the first gets
	Chance       float64 // of a difference as large ([eval.PairedTest])
}

// Compare measures the differences, item by item, of those that both could run. The lists hold the same items in the same
// order.
func Compare(first, second []Outcome) []Difference {
	var all []Difference
	for _, f := range figures {
		d := Difference{Measure: eval.Measure{Name: f.name}}
		var values []float64
		for i := range first {
			if !f.counts(first[i]) || !f.counts(second[i]) {
				continue
			}
			a, b := f.holds(first[i]), f.holds(second[i])
			values = append(values, one(b)-one(a))
			switch {
			case b && !a:
				d.More++
			case a && !b:
				d.Fewer++
			}
		}
		if d.N = len(values); d.N == 0 {
			continue
		}
		d.Value = mean(values)
		d.Low, d.High = eval.Bootstrap(values, mean, resamples, seed)
		d.Chance = eval.PairedTest(values, resamples, seed)
		all = append(all, d)
	}
	return all
}

func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}
