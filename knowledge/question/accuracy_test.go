package question

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the accuracy that was measured")

// labelled is a question with what a person reads in it; each has alternatives.
type labelled struct {
	language                    Language
	question                    string
	subjects, aspects, expected []string
	conditions                  []string
}

func labelledQuestions(t *testing.T) []labelled {
	text, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	var language Language
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			language = Language(name)
		}
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != 5 {
			t.Fatalf("%d fields: %s", len(fields), line)
		}
		split := func(i int) []string {
			if f := strings.TrimSpace(fields[i]); f != "" {
				return strings.Split(f, "/")
			}
			return nil
		}
		all = append(all, labelled{language, strings.TrimSpace(fields[0]), split(1), split(2), split(3), split(4)})
	}
	return all
}

// TestAccuracy reads questions that were labelled before the program read them. The figures are a golden file:
// a change to them is part of the review.
func TestAccuracy(t *testing.T) {
	right := make(map[string]int)
	total := make(map[Language]int)
	var report strings.Builder
	for _, q := range labelledQuestions(t) {
		r := Read(q.question)
		total[q.language]++
		check := func(what string, ok bool, got any) {
			if ok {
				right[string(q.language)+" "+what]++
			} else {
				t.Logf("%s: %s %v", q.question, what, got)
			}
		}
		check("language", r.Language == q.language, r.Language)
		subject := ""
		if len(r.Subject) > 0 {
			subject = strings.ToLower(r.Subject[0].Text)
		}
		check("subject", slices.ContainsFunc(q.subjects, func(s string) bool { return strings.Contains(subject, strings.ToLower(s)) }), subject)
		aspect := string(r.Aspect)
		if aspect == "" {
			aspect = "-"
		}
		check("aspect", slices.Contains(q.aspects, aspect), aspect)
		kind := strings.TrimSpace(string(r.Expected.Kind) + " " + string(r.Expected.Measure))
		check("expected", slices.Contains(q.expected, kind) || slices.Contains(q.expected, string(r.Expected.Kind)), kind)
		var conditions []string
		for _, c := range r.Conditions {
			conditions = append(conditions, c.Name)
		}
		slices.Sort(conditions)
		conditions = slices.Compact(conditions)
		check("conditions", slices.Equal(conditions, q.conditions), conditions)
	}
	for _, language := range []Language{English, German, Chinese} {
		for _, what := range []string{"language", "subject", "aspect", "expected", "conditions"} {
			n, k := float64(total[language]), float64(right[string(language)+" "+what])
			low, high := wilson(k, n)
			fmt.Fprintf(&report, "%s %-10s %3.0f of %3.0f  [%.2f, %.2f]\n", language, what, k, n, low, high)
		}
	}
	const golden = "testdata/accuracy.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(report.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != report.String() {
		t.Errorf("got\n%swant\n%s%v", report.String(), want, err)
	}
}

// wilson returns the 95 % interval of a share k/n.
func wilson(k, n float64) (low, high float64) {
	const z = 1.96
	p := k / n
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return centre - half, centre + half
}
