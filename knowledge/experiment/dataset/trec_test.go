package dataset

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadRankings(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          Rankings
		fault         string
	}{
		{"by score, ties by falling record", "q1 Q0 a 1 2 x\nq1 Q0 b 2 2 x\nq1 Q0 c 3 9e0 x\n\nq2 Q0 a 1 -1 x\n", Rankings{"q1": {"c", "b", "a"}, "q2": {"a"}}, ""},
		{"tabs, without a name", "q1\tQ0\ta\t1\t2\n", Rankings{"q1": {"a"}}, ""},
		{"a record twice", "q1 Q0 a 1 2 x\nq1 Q0 a 2 1 x\n", nil, `r.txt:2: the record "a" stands twice among those of question q1`},
		{"no score", "q1 Q0 a 1\n", nil, "r.txt:1: expected a question, Q0, a record"},
		{"a score that is none", "q1 Q0 a 1 NaN x\n", nil, `r.txt:1: expected a number as the score, got "NaN"`},
		{"nothing", "\n", nil, "r.txt: the file is empty"},
	} {
		got, err := ReadRankings(filepath.Join(write(t, map[string]string{"r.txt": c.content}), "r.txt"))
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %s", c.name, err, c.fault)
			}
		} else if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

func FuzzReadTREC(f *testing.F) {
	f.Add("q1 Q0 a 1 2 x\nq1 Q0 b 2 2 x\n")
	f.Add("query-id\tcorpus-id\tscore\nq1\td1\t2\n")
	f.Add("q 0 d 1e9\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(write(t, map[string]string{"f.txt": text}), "f.txt")
		if found, err := ReadRankings(path); err == nil {
			for question, records := range found {
				sorted := slices.Sorted(slices.Values(records))
				if question == "" || len(records) == 0 || len(slices.Compact(sorted)) != len(records) {
					t.Errorf("%q has %q", question, records)
				}
			}
		}
		if judged, err := ReadQrels(path); err == nil {
			for question, grades := range judged {
				if question == "" || len(grades) == 0 {
					t.Errorf("%q is judged without records", question)
				}
			}
		}
	})
}
