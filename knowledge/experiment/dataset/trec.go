package dataset

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Qrels holds the grades of the judged records of each question.
type Qrels map[string]map[string]int

// ReadQrels reads judgements in the form of TREC (question, anything, record, grade) or of BEIR (question, record, grade,
// below a heading).
func ReadQrels(path string) (Qrels, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	f.form = "TREC judgements"
	all := Qrels{}
	first := true
	for n, line := range f.lines() {
		columns := strings.Fields(line)
		heading := first && (columns[0] == "query-id" || columns[0] == "query_id")
		if first = false; heading {
			continue
		}
		if len(columns) == 4 {
			columns = slices.Delete(columns, 1, 2)
		}
		if len(columns) != 3 {
			return nil, f.fault(n, "expected a question, a record and a grade, or a question, 0, a record and a grade")
		}
		grade, err := strconv.Atoi(columns[2])
		if err != nil {
			return nil, f.fault(n, "expected a whole number as the grade, got %q", columns[2])
		}
		if all[columns[0]] == nil {
			all[columns[0]] = map[string]int{}
		}
		all[columns[0]][columns[1]] = grade
	}
	return all, nil
}

// Rankings holds the records found for each question, best first.
type Rankings map[string][]string

// ReadRankings reads a run in the form of TREC: question, Q0, record, rank, score, name. As trec_eval does, it orders by
// falling score and then by falling record, whatever the rank says.
func ReadRankings(path string) (Rankings, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	f.form = "a TREC run"
	found := map[string]map[string]float64{}
	for n, line := range f.lines() {
		columns := strings.Fields(line)
		if len(columns) < 5 {
			return nil, f.fault(n, "expected a question, Q0, a record, a rank, a score and a name")
		}
		score, err := strconv.ParseFloat(columns[4], 64)
		if err != nil || math.IsNaN(score) {
			return nil, f.fault(n, "expected a number as the score, got %q", columns[4])
		}
		scores := found[columns[0]]
		if scores == nil {
			scores = map[string]float64{}
			found[columns[0]] = scores
		}
		if _, twice := scores[columns[2]]; twice {
			return nil, f.fault(n, "the record %q stands twice among those of question %s", columns[2], columns[0])
		}
		scores[columns[2]] = score
	}
	all := Rankings{}
	for question, scores := range found {
		all[question] = slices.SortedFunc(maps.Keys(scores), func(a, b string) int {
			return cmp.Or(cmp.Compare(scores[b], scores[a]), strings.Compare(b, a))
		})
	}
	return all, nil
}
