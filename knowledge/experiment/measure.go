package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lacuna/knowledge/entail"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/knowledge/question"
)

// Results are the figures of a run.
type Results struct {
	Tables []Table `json:"tables"`
}

// Measured reports whether anything could be measured.
func (r Results) Measured() bool {
	return slices.ContainsFunc(r.Tables, func(t Table) bool {
		return slices.ContainsFunc(t.Rows, func(row Row) bool { return row.Asked > row.Failed })
	})
}

// Repeatable returns the results without how long answers took, so that a second run with equal replies, or from the
// cache, has the same.
func (r Results) Repeatable() Results {
	r.Tables = slices.Clone(r.Tables)
	for i := range r.Tables {
		t := &r.Tables[i]
		t.Rows = slices.Clone(t.Rows)
		for j := range t.Rows {
			t.Rows[j].Times.MedianMS = 0
		}
	}
	return r
}

// Progress counts the questions that were asked, also if they failed, and all of the plan.
func (r Results) Progress() (asked, planned int) {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			asked, planned = asked+row.Asked, planned+row.Planned
		}
	}
	return asked, planned
}

// Failed counts the questions that are left out because something failed.
func (r Results) Failed() int {
	n := 0
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			n += row.Failed
		}
	}
	return n
}

// Table has the figures of one data set with one model and seed: a row for each system.
type Table struct {
	Dataset string `json:"dataset"`
	Kind    string `json:"kind"`
	Model   string `json:"model,omitempty"`
	Seed    *int   `json:"seed,omitempty"`
	Rows    []Row  `json:"rows"`
}

// Row has the figures of one cell.
type Row struct {
	Cell     Cell `json:"cell"`
	Planned  int  `json:"questions"` // of the plan
	Asked    int  `json:"asked"`
	Failed   int  `json:"failed"`
	Degraded int  `json:"degraded"`
	// Lacks counts the answers that did without something, by what that was.
	Lacks   map[string]int `json:"lacks,omitempty"`
	Figures []Figure       `json:"figures"`
	// Gains are the differences to the baseline on the questions that both answered.
	Gains []Gain `json:"gains,omitempty"`
	Times Times  `json:"times"`
	// Curve is the share of wrong answers over coverage, if those questions are answered first of which least is missing.
	Curve []eval.Risk `json:"-"`
	// Majority is the accuracy of always giving the most frequent right letter; null without questions with options.
	Majority *float64 `json:"majority,omitempty"`
}

// Figure is a measure with its uncertainty: the central 95 % of 10,000 resamples of the questions.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"`
}

// Gain is a difference to the baseline with its interval, and the probability of one as large by chance
// ([eval.PairedTest]).
type Gain struct {
	Figure
	Chance float64 `json:"p"`
}

// Times says what a cell cost.
type Times struct {
	MedianMS float64 `json:"median_ms,omitzero"` // of the answers without a reply from the cache; 0 of none
	Calls    float64 `json:"calls"`              // of a question, mean
	Prompt   float64 `json:"prompt_tokens"`
	Written  float64 `json:"completion_tokens"`
	Cost     float64 `json:"cost,omitzero"` // of a question, mean, by the prices of the plan
	Currency string  `json:"currency,omitempty"`
}

// resamples is the number of bootstrap resamples of an interval.
const resamples = 10_000

// Values returns a measure of each question that a cell answered and that the measure fits.
func Values(measure string, cell Cell, set Set, done func(Cell, string) (Answered, bool)) []float64 {
	at := slices.IndexFunc(metrics, func(m metric) bool { return m.name == measure })
	var values []float64
	for _, q := range set.Questions {
		if a, known := done(cell, q.ID); known && a.Failed == "" && at >= 0 {
			if v := metrics[at].of(a, q); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
	}
	return values
}

// metric is a figure that is the mean of a value of each question; NaN leaves a question out.
type metric struct {
	name string
	of   func(a Answered, q eval.Query) float64
}

// Measure returns the figures of what a folder holds of a plan.
func Measure(plan Plan, sets []Set, folder *Folder) Results {
	var results Results
	for _, cell := range plan.Cells(sets) {
		set := setOf(sets, cell)
		t := len(results.Tables) - 1
		if t < 0 || results.Tables[t].Dataset != cell.Dataset || results.Tables[t].Model != cell.Model || !sameSeed(results.Tables[t].Seed, cell.Seed) {
			results.Tables = append(results.Tables, Table{Dataset: cell.Dataset, Kind: string(set.Kind), Model: cell.Model, Seed: cell.Seed})
			t++
		}
		set = plan.withDecisions(cell, set, folder.Done)
		row := MeasureRow(cell, cmp.Or(plan.Baseline, plan.Systems[0]), set, plan.Seed, folder.Done)
		row.Times.Cost, row.Times.Currency = plan.cost(cell, row.Times)
		results.Tables[t].Rows = append(results.Tables[t].Rows, row)
	}
	return results
}

// withDecisions returns a set whose questions say whether to search for them, if the plan has two systems that tell.
func (p Plan) withDecisions(cell Cell, set Set, done func(Cell, string) (Answered, bool)) Set {
	if len(p.Decision) != 2 {
		return set
	}
	var good [2]func(q eval.Query) float64
	for i, system := range p.Decision {
		of := cell
		of.System = system
		good[i] = func(q eval.Query) float64 {
			a, known := done(of, q.ID)
			if !known || a.Failed != "" {
				return math.NaN()
			}
			return goodness(a, q)
		}
	}
	set.Questions = slices.Clone(set.Questions)
	for i := range set.Questions {
		q := &set.Questions[i]
		q.Retrieve = nil
		if without, with := good[0](*q), good[1](*q); without < with || with < without {
			search := without < with
			q.Retrieve = &search
		}
	}
	return set
}

// goodness says how good an answer is, by which two to one question are compared: right or wrong, of facts the F1.
func goodness(a Answered, q eval.Query) float64 {
	switch kind := dataset.KindOf(q); {
	case len(q.Options) > 0 && q.Gold != "":
		return truth(strings.EqualFold(a.Letter, q.Gold))
	case kind == dataset.Short:
		return eval.WordOverlap(a.Reply, golds(q)).F1
	}
	return math.NaN()
}

// cost returns what a question of a cell cost; 0 without a price.
func (p Plan) cost(cell Cell, t Times) (float64, string) {
	at := slices.IndexFunc(p.Prices, func(price Price) bool { return price.Model == cell.Model })
	if at < 0 {
		at = slices.IndexFunc(p.Prices, func(price Price) bool { return price.Model == "" })
	}
	if at < 0 {
		return 0, ""
	}
	return (t.Prompt*p.Prices[at].Sent + t.Written*p.Prices[at].Written) / 1e6, p.Currency
}

func sameSeed(a, b *int) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// MeasureRow returns the figures of one cell on a set, and what they are more than those of the system over, by the
// answers that done has. The seed draws the resamples.
func MeasureRow(cell Cell, over string, set Set, seed uint64, done func(Cell, string) (Answered, bool)) Row {
	row := Row{Cell: cell, Planned: len(set.Questions)}
	baseline := cell
	baseline.System = over
	var answers []Answered
	var queries []eval.Query
	for _, q := range set.Questions {
		a, known := done(cell, q.ID)
		if !known {
			continue
		}
		row.Asked++
		if a.Failed != "" {
			row.Failed++
			continue
		}
		if a.Degraded {
			row.Degraded++
		}
		for _, l := range a.Lacks {
			if row.Lacks == nil {
				row.Lacks = map[string]int{}
			}
			row.Lacks[l]++
		}
		answers, queries = append(answers, a), append(queries, q)
	}
	row.Times = timesOf(answers)
	row.Majority = majority(queries)
	for _, m := range metrics {
		var values, gains []float64
		for i, a := range answers {
			v := m.of(a, queries[i])
			if math.IsNaN(v) {
				continue
			}
			values = append(values, v)
			if b, known := done(baseline, queries[i].ID); known && b.Failed == "" && over != cell.System {
				if w := m.of(b, queries[i]); !math.IsNaN(w) {
					gains = append(gains, v-w)
				}
			}
		}
		if len(values) > 0 {
			row.Figures = append(row.Figures, Mean(m.name, values, seed))
		}
		if len(gains) > 0 {
			row.Gains = append(row.Gains, Gain{Mean(m.name, gains, seed), eval.PairedTest(gains, resamples, seed)})
		}
	}
	row.Figures = append(row.Figures, totals(answers, queries, seed)...)
	row.Curve, _ = eval.CoverageRisk(knownRight(answers, queries))
	return row
}

func majority(queries []eval.Query) *float64 {
	var golds []string
	for _, q := range queries {
		if len(q.Options) > 0 && q.Gold != "" {
			golds = append(golds, q.Gold)
		}
	}
	if len(golds) == 0 {
		return nil
	}
	share := eval.Majority(golds)
	return &share
}

// Mean returns the mean of a value of each question as a figure.
func Mean(name string, values []float64, seed uint64) Figure {
	low, high := eval.Bootstrap(values, mean, resamples, seed)
	return Figure{Name: name, Value: mean(values), Low: low, High: high, N: len(values)}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func timesOf(answers []Answered) Times {
	var t Times
	var took []float64
	for _, a := range answers {
		if !a.Cached {
			took = append(took, a.TookMS)
		}
		t.Calls += float64(a.Calls)
		t.Prompt += float64(a.Prompt)
		t.Written += float64(a.Written)
	}
	if n := float64(len(answers)); n > 0 {
		t.Calls, t.Prompt, t.Written = t.Calls/n, t.Prompt/n, t.Written/n
	}
	if len(took) > 0 {
		slices.Sort(took)
		t.MedianMS = took[len(took)/2]
	}
	return t
}

// metrics lists all measures. Each leaves out the questions that it does not fit, so that a set may mix kinds.
var metrics = slices.Concat(choiceMetrics, shortMetrics, paragraphMetrics, commonMetrics)

var choiceMetrics = []metric{
	{"accuracy", func(a Answered, q eval.Query) float64 {
		if len(q.Options) == 0 || q.Gold == "" {
			return math.NaN()
		}
		return truth(strings.EqualFold(a.Letter, q.Gold))
	}},
	{"unparsed", func(a Answered, q eval.Query) float64 {
		if len(q.Options) == 0 {
			return math.NaN()
		}
		return truth(a.Letter == "")
	}},
}

var shortMetrics = []metric{
	short("EM", func(reply string, golds []string) float64 { return truth(eval.ExactMatch(reply, golds)) }),
	short("cover match", func(reply string, golds []string) float64 { return truth(eval.CoverMatch(reply, golds)) }),
	short("F1", func(reply string, golds []string) float64 { return eval.WordOverlap(reply, golds).F1 }),
	short("precision", func(reply string, golds []string) float64 { return eval.WordOverlap(reply, golds).Precision }),
	short("recall", func(reply string, golds []string) float64 { return eval.WordOverlap(reply, golds).Recall }),
}

// short returns a measure of questions whose answers are short facts.
func short(name string, of func(reply string, golds []string) float64) metric {
	return metric{name, func(a Answered, q eval.Query) float64 {
		right := golds(q)
		if dataset.KindOf(q) != dataset.Short || len(right) == 0 {
			return math.NaN()
		}
		return of(a.Reply, right)
	}}
}

// tokenisation is a way to make tokens of an answer in a language; its name stands in the names of the measures.
type tokenisation struct {
	name   string
	tokens func(text string) []string
	han    bool // it is for Chinese; the others are for all else
}

var tokenisations = []tokenisation{
	{"characters", eval.Characters, true},
	{"Chinese words", eval.ChineseWords, true},
	{"words", eval.Words, false},
}

// pair returns an answer as tokens with the reference answer that has most of its words; false where the tokenisation does
// not fit, or there is no reference.
func (t tokenisation) pair(a Answered, q eval.Query) (eval.Pair, bool) {
	if len(q.Ideal) == 0 || t.han != (question.LanguageOf(q.Text) == question.Chinese) {
		return eval.Pair{}, false
	}
	p := eval.Pair{Prediction: t.tokens(a.Reply)}
	most := -1.0
	for _, ideal := range q.Ideal {
		reference := t.tokens(ideal)
		if f1 := eval.ROUGE(p.Prediction, reference, 1).F1; f1 > most {
			most, p.Reference = f1, reference
		}
	}
	return p, true
}

// paragraphMetrics compare wording: ROUGE-1, -2 and -L, and the mean of BLEU of each answer, for each tokenisation.
var paragraphMetrics = func() []metric {
	var all []metric
	for _, t := range tokenisations {
		add := func(name string, of func(p eval.Pair) float64) {
			all = append(all, metric{name + ", " + t.name, func(a Answered, q eval.Query) float64 {
				if p, ok := t.pair(a, q); ok {
					return of(p)
				}
				return math.NaN()
			}})
		}
		for n := 1; n <= 2; n++ {
			add(fmt.Sprintf("ROUGE-%d", n), func(p eval.Pair) float64 { return eval.ROUGE(p.Prediction, p.Reference, n).F1 })
		}
		add("ROUGE-L", func(p eval.Pair) float64 { return eval.ROUGEL(p.Prediction, p.Reference).F1 })
		for n := 1; n <= 4; n++ {
			add(fmt.Sprintf("mean BLEU-%d", n), func(p eval.Pair) float64 { return eval.SentenceBLEU(p, n) })
		}
	}
	return all
}()

var commonMetrics = []metric{
	{"context recall", recall(func(f Found) int { return f.Found })},
	{"context recall, as Eq. 4 is printed", recall(func(f Found) int { return f.Passages })},
	{"context recall, passages", recallIn(func(f Found) (int, bool) { return f.InTexts, f.Texts })},
	{"context recall, QA", recallIn(func(f Found) (int, bool) { return f.InPairs, f.Pairs })},
	{"context recall, by covered words", func(a Answered, q eval.Query) float64 {
		if a.Recall == nil || !a.Recall.ByWords {
			return math.NaN()
		}
		return recall(func(f Found) int { return f.Covered })(a, q)
	}},
	{"answered", func(a Answered, q eval.Query) float64 { return truth(a.Sure) }},
	{"right, of those answered", func(a Answered, q eval.Query) float64 {
		if right, known := isRight(a, q); known && a.Sure {
			return truth(right)
		}
		return math.NaN()
	}},
	ranking("nDCG", eval.NDCG),
	ranking("recall", eval.Recall),
	ranking("MRR", eval.ReciprocalRank),
	{"searched", func(a Answered, q eval.Query) float64 {
		if a.Retrieved == nil {
			return math.NaN()
		}
		return truth(*a.Retrieved)
	}},
	{"decides right", func(a Answered, q eval.Query) float64 {
		if a.Retrieved == nil || q.Retrieve == nil {
			return math.NaN()
		}
		return truth(*a.Retrieved == *q.Retrieve)
	}},
	{"read, of the sources", func(a Answered, q eval.Query) float64 {
		if a.Chosen == 0 {
			return math.NaN()
		}
		return 1 - float64(a.ChosenWritten)/float64(a.Chosen)
	}},
	{"sentences that sources state", supported(entail.States)},
	{"sentences that sources state in part", supported(entail.Partly)},
	{"sentences that sources contradict", supported(entail.Contradicts)},
	{"sentences that no source states", supported(entail.Absent)},
	{"sentences left unchecked", supported(entail.Unchecked)},
	{"citation precision", func(a Answered, q eval.Query) float64 {
		if a.Cited == 0 {
			return math.NaN()
		}
		return float64(a.Precise) / float64(a.Cited)
	}},
	{"citations resolved", func(a Answered, q eval.Query) float64 {
		if a.Citations == 0 {
			return math.NaN()
		}
		return float64(a.Resolved) / float64(a.Citations)
	}},
}

// rankingDepth is how many of the records read are measured against the relevant ones.
const rankingDepth = 10

// ranking returns a measure of the records that were read, of questions that say which are relevant.
func ranking(name string, of func(ranked []string, grades map[string]int, k int) float64) metric {
	return metric{fmt.Sprintf("%s@%d of what was read", name, rankingDepth), func(a Answered, q eval.Query) float64 {
		for _, grade := range q.Grades {
			if grade > 0 && a.Records != nil {
				return of(a.Records, q.Grades, rankingDepth)
			}
		}
		return math.NaN()
	}}
}

// supported returns the share of a model's sentences of which a check against the sources found one of some verdicts.
func supported(verdicts ...entail.Verdict) func(a Answered, q eval.Query) float64 {
	return func(a Answered, q eval.Query) float64 {
		part, all := 0, 0
		for verdict, n := range a.Support {
			all += n
			if slices.Contains(verdicts, entail.Verdict(verdict)) {
				part += n
			}
		}
		return float64(part) / float64(all) // NaN of none
	}
}

// recall returns what was found as a share of the statements of the reference answer; undefined without one. Eq. 4 of the
// Misknow-RAG paper, as printed, counts passages and not statements, so it can exceed 1.
func recall(part func(f Found) int) func(a Answered, q eval.Query) float64 {
	return func(a Answered, q eval.Query) float64 {
		if a.Recall == nil || a.Recall.Statements == 0 {
			return math.NaN()
		}
		return float64(part(*a.Recall)) / float64(a.Recall.Statements)
	}
}

// recallIn is recall by the sources of one kind; undefined where none was read.
func recallIn(part func(f Found) (n int, read bool)) func(a Answered, q eval.Query) float64 {
	return func(a Answered, q eval.Query) float64 {
		if a.Recall == nil {
			return math.NaN()
		}
		if _, read := part(*a.Recall); !read {
			return math.NaN()
		}
		return recall(func(f Found) int { n, _ := part(f); return n })(a, q)
	}
}

// golds returns all ways to write all facts of a question, without those that have no words left for a comparison, such
// as ")" or "A": an empty reply would equal them.
func golds(q eval.Query) []string {
	var all []string
	for _, fact := range q.Exact {
		all = append(all, fact...)
	}
	return slices.DeleteFunc(all, func(gold string) bool { return eval.Normalize(gold) == "" })
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
