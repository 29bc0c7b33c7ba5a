// Package eval measures search, gaps and answers.
//
// [RankingMeasures], [GapMeasures] and [AnswerMeasures] return what lacuna eval prints, each figure with its
// bootstrap interval. The metrics behind them, from [NDCG] and [AUC] to [ROUGEL], are functions of their own.
// Scores are in 0..1; multiply by 100 for the papers' tables. [QueryReader] reads the questions.
package eval

import (
	"math"
	"slices"
	"time"
)

// Measure is a figure with its uncertainty.
type Measure struct {
	Name      string
	Value     float64
	Low, High float64 // 95 % bootstrap interval; NaN where there is none
	N         int     // how many questions it was measured on
}

// Resamples of the intervals, and the seed that makes them the same in every run.
const (
	resamples     = 10000
	bootstrapSeed = 1
)

// measure applies a metric to cases and to resamples of them. There must be at least one case.
func measure[T any](name string, cases []T, metric func([]T) float64) Measure {
	low, high := Bootstrap(cases, metric, resamples, bootstrapSeed)
	return Measure{name, metric(cases), low, high, len(cases)}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Ranking holds the records found for one question, best first, and the grades of the relevant ones.
type Ranking struct {
	Records []string
	Grades  map[string]int
}

// RankingMeasures measures rankings at depth k: nDCG, recall, reciprocal rank, and how often the
// first record is relevant. There must be at least one ranking.
func RankingMeasures(rankings []Ranking, k int, at func(name string) string) []Measure {
	var all []Measure
	for _, m := range rankingMetrics(k, at) {
		values := make([]float64, len(rankings))
		for i, r := range rankings {
			values[i] = m.of(r)
		}
		all = append(all, measure(m.name, values, mean))
	}
	return all
}

// RankingGains measures how much more rankings have than others of the same questions, in the same
// order, by the measures of [RankingMeasures]. The intervals are of the differences.
func RankingGains(rankings, others []Ranking, k int, at func(name string) string) []Measure {
	var all []Measure
	for _, m := range rankingMetrics(k, at) {
		gains := make([]float64, len(rankings))
		for i, r := range rankings {
			gains[i] = m.of(r) - m.of(others[i])
		}
		all = append(all, measure(m.name, gains, mean))
	}
	return all
}

// rankingMetric measures one ranking.
type rankingMetric struct {
	name string
	of   func(r Ranking) float64
}

func rankingMetrics(k int, at func(name string) string) []rankingMetric {
	return []rankingMetric{
		{at("nDCG"), func(r Ranking) float64 { return NDCG(r.Records, r.Grades, k) }},
		{at("recall"), func(r Ranking) float64 { return Recall(r.Records, r.Grades, k) }},
		{at("MRR"), func(r Ranking) float64 { return ReciprocalRank(r.Records, r.Grades, k) }},
		{"first is relevant", func(r Ranking) float64 { return ReciprocalRank(r.Records, r.Grades, 1) }},
	}
}

// flagFrom is the probability from which a gap is shown in an editor.
const flagFrom = 0.6

// GapMeasures measures the probability that something is missing against whether it was. Only
// questions of both kinds make the first three possible; of no questions nothing is measured.
func GapMeasures(judged []Prediction) []Measure {
	missing := slices.ContainsFunc(judged, func(j Prediction) bool { return j.True })
	covered := slices.ContainsFunc(judged, func(j Prediction) bool { return !j.True })
	var all []Measure
	if missing && covered {
		all = append(all,
			measure("AUC", judged, AUC),
			measure("calibration error", judged, ECE),
			measure("caught at 10 % false alarms", judged, func(j []Prediction) float64 { return CaughtAt(j, 0.1) }))
	}
	if missing {
		all = append(all, measure("missing, flagged at 0.6", ofKind(judged, true), flagged))
	}
	if covered {
		all = append(all, measure("covered, flagged at 0.6", ofKind(judged, false), flagged))
	}
	return all
}

// FlagRateMeasures measures the probabilities of questions that are not labelled as covered or missing.
func FlagRateMeasures(probabilities []float64) []Measure {
	if len(probabilities) == 0 {
		return nil
	}
	return []Measure{
		measure("flagged at 0.6", probabilities, func(all []float64) float64 {
			return share(all, func(p float64) bool { return p >= flagFrom })
		}),
		measure("mean probability", probabilities, mean),
	}
}

func flagged(judged []Prediction) float64 {
	return share(judged, func(j Prediction) bool { return j.Score >= flagFrom })
}

func ofKind(judged []Prediction, missing bool) []Prediction {
	var some []Prediction
	for _, j := range judged {
		if j.True == missing {
			some = append(some, j)
		}
	}
	return some
}

// share of the cases for which something holds.
func share[T any](cases []T, holds func(T) bool) float64 {
	n := 0
	for _, c := range cases {
		if holds(c) {
			n++
		}
	}
	return float64(n) / float64(len(cases))
}

// Reply is an answer together with its question.
type Reply struct {
	Query     Query
	Letter    string // the option chosen; empty if none
	Lead      string // the first sentence; empty when nothing was said
	Shown     string // everything quoted
	Sure      bool   // given as the answer, not as the nearest places
	Citations int
	Resolved  int // citations whose quote stands on disk where they say
	Took      time.Duration
}

// AnswerMeasures measures answers. Wording is compared as ROUGE-L and ROUGE-2 F1 over lower-case
// runs of letters and digits, with the best of several ideal answers. What was not answered counts
// as nothing in the measures "of all", and is left out of those "of replies".
func AnswerMeasures(replies []Reply) []Measure {
	var all []Measure
	add := func(name string, cases []Reply, value func(Reply) float64) {
		if len(cases) == 0 {
			return
		}
		values := make([]float64, len(cases))
		for i, r := range cases {
			values[i] = value(r)
		}
		all = append(all, measure(name, values, mean))
	}
	given := filter(replies, func(r Reply) bool { return r.Shown != "" })
	add("answered", replies, func(r Reply) float64 { return one(r.Shown != "" && r.Sure) })
	add("nearest places shown", replies, func(r Reply) float64 { return one(r.Shown != "" && !r.Sure) })
	add("not answered", replies, func(r Reply) float64 { return one(r.Shown == "") })

	hasIdeal := func(r Reply) bool { return len(r.Query.Ideal) > 0 }
	add("ROUGE-L of the lead, of replies", filter(given, hasIdeal), func(r Reply) float64 { return r.likeness(r.Lead, ROUGEL) })
	add("ROUGE-L of the lead, of all", filter(replies, hasIdeal), func(r Reply) float64 { return r.likeness(r.Lead, ROUGEL) })
	add("ROUGE-L of all shown, of replies", filter(given, hasIdeal), func(r Reply) float64 { return r.likeness(r.Shown, ROUGEL) })
	add("ROUGE-2 of all shown, of replies", filter(given, hasIdeal), func(r Reply) float64 { return r.likeness(r.Shown, bigrams) })

	hasGold := func(r Reply) bool { return len(r.Query.Options) > 0 && r.Query.Gold != "" }
	add("right option chosen, of all", filter(replies, hasGold), func(r Reply) float64 { return one(r.Letter == r.Query.Gold) })
	add("right option chosen, where one is", filter(replies, func(r Reply) bool { return hasGold(r) && r.Letter != "" }), func(r Reply) float64 { return one(r.Letter == r.Query.Gold) })

	asksFact := func(r Reply) bool {
		return len(r.Query.Exact) > 0 && (r.Query.Type == "" || r.Query.Type == "factoid")
	}
	add("exact answer on screen, of replies", filter(given, asksFact), func(r Reply) float64 { return one(r.namesFact()) })
	add("exact answer on screen, of all", filter(replies, asksFact), func(r Reply) float64 { return one(r.namesFact()) })
	add("exact answer on screen, where answered", filter(given, func(r Reply) bool { return r.Sure && asksFact(r) }), func(r Reply) float64 { return one(r.namesFact()) })
	add("exact answer on screen, where nearest places", filter(given, func(r Reply) bool { return !r.Sure && asksFact(r) }), func(r Reply) float64 { return one(r.namesFact()) })

	var resolved []float64
	for _, r := range replies {
		for i := range r.Citations {
			resolved = append(resolved, one(i < r.Resolved))
		}
	}
	if len(resolved) > 0 {
		all = append(all, measure("citations that resolve", resolved, mean))
	}
	return all
}

// likeness returns the score against the ideal answer that is most like the text.
func (r Reply) likeness(text string, score func(prediction, reference []string) Overlap) float64 {
	best := 0.0
	if text == "" {
		return best
	}
	words := Characters(text)
	for _, ideal := range r.Query.Ideal {
		best = max(best, score(words, Characters(ideal)).F1)
	}
	return best
}

func bigrams(prediction, reference []string) Overlap { return ROUGE(prediction, reference, 2) }

// namesFact reports whether any of the facts is shown in any of the ways to write it.
func (r Reply) namesFact() bool {
	return slices.ContainsFunc(r.Query.Exact, func(ways []string) bool { return Mentions(r.Shown, ways) })
}

func filter(replies []Reply, keep func(Reply) bool) []Reply {
	var some []Reply
	for _, r := range replies {
		if keep(r) {
			some = append(some, r)
		}
	}
	return some
}

func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// Quantile returns the value below which the share q of the durations lies, by the nearest rank;
// 0 of none.
func Quantile(durations []time.Duration, q float64) time.Duration {
	if len(durations) == 0 {
		return 0
	}
	sorted := slices.Clone(durations)
	slices.Sort(sorted)
	rank := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(rank, 0)]
}
