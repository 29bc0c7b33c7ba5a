package eval

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lines returns measures as a table: name, value and number of questions.
func lines(measures []Measure) string {
	var b strings.Builder
	for _, m := range measures {
		fmt.Fprintf(&b, "%s %.3f n=%d\n", m.Name, m.Value, m.N)
	}
	return b.String()
}

func TestSearchIsMeasured(t *testing.T) {
	got := RankingMeasures([]Ranking{
		{Records: []string{"x", "a"}, Grades: map[string]int{"a": 1, "b": 1}},
		{Records: []string{"a"}, Grades: map[string]int{"a": 1}},
	}, 2, func(name string) string { return name + "@2" })
	// nDCG of the first: (1/log2(3)) / (1 + 1/log2(3)) = 0.3869.
	want := "nDCG@2 0.693 n=2\nrecall@2 0.750 n=2\nMRR@2 0.750 n=2\nfirst is relevant 0.500 n=2\n"
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("measures (-want +got):\n%s", diff)
	}
	for _, m := range got {
		if !(m.Low <= m.Value && m.Value <= m.High) {
			t.Errorf("%s: %v outside [%v, %v]", m.Name, m.Value, m.Low, m.High)
		}
	}
}

func TestGapsAreMeasured(t *testing.T) {
	judged := []Prediction{{0.9, true}, {0.7, true}, {0.2, true}, {0.65, false}, {0.1, false}}
	want := "AUC 0.833 n=5\ncalibration error 0.390 n=5\ncaught at 10 % false alarms 0.667 n=5\n" +
		"missing, flagged at 0.6 0.667 n=3\ncovered, flagged at 0.6 0.500 n=2\n"
	if diff := cmp.Diff(want, lines(GapMeasures(judged))); diff != "" {
		t.Errorf("measures (-want +got):\n%s", diff)
	}
	if got := lines(GapMeasures(judged[:3])); got != "missing, flagged at 0.6 0.667 n=3\n" {
		t.Errorf("of missing ones alone:\n%s", got)
	}
	if got := GapMeasures(nil); got != nil {
		t.Errorf("of none: %v", got)
	}
	if got := lines(FlagRateMeasures([]float64{0.6, 0.2})); got != "flagged at 0.6 0.500 n=2\nmean probability 0.400 n=2\n" {
		t.Errorf("without labels:\n%s", got)
	}
}

func TestAnswersAreMeasured(t *testing.T) {
	query := Query{Ideal: []string{"Other.", "The dose is halved."}, Exact: [][]string{{"halving", "halved"}}}
	got := AnswerMeasures([]Reply{
		{Query: query, Lead: "The dose is halved.", Shown: "The dose is halved. It is checked.", Sure: true, Citations: 2, Resolved: 1},
		{Query: query, Lead: "The dose.", Shown: "The dose.", Citations: 1, Resolved: 1},
		{Query: query},
		{Query: Query{Type: "yesno", Exact: [][]string{{"yes"}}}, Lead: "Yes.", Shown: "Yes.", Sure: true},
	})
	want := `answered 0.500 n=4
nearest places shown 0.250 n=4
not answered 0.250 n=4
ROUGE-L of the lead, of replies 0.833 n=2
ROUGE-L of the lead, of all 0.556 n=3
ROUGE-L of all shown, of replies 0.697 n=2
ROUGE-2 of all shown, of replies 0.583 n=2
exact answer on screen, of replies 0.500 n=2
exact answer on screen, of all 0.333 n=3
exact answer on screen, where answered 1.000 n=1
exact answer on screen, where nearest places 0.000 n=1
citations that resolve 0.667 n=3
`
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("measures (-want +got):\n%s", diff)
	}
}

func TestQuantile(t *testing.T) {
	durations := []time.Duration{4, 1, 3, 2}
	for q, want := range map[float64]time.Duration{0: 1, .25: 1, .5: 2, .51: 3, .99: 4, 1: 4} {
		if got := Quantile(durations, q); got != want {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
	if Quantile(nil, .5) != 0 {
		t.Error("a quantile of nothing")
	}
}
