package gate

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge/passage"
)

// mirage reads the development decisions: questions of medical examinations with the answers of two
// models, with and without retrieved passages.
func mirage(t testing.TB) []Item {
	dir := os.Getenv("LACUNA_DATA")
	if dir == "" {
		t.Skip("LACUNA_DATA is not set: no decisions to measure on")
	}
	open := func(name string) io.Reader {
		f, err := os.Open(filepath.Join(dir, "decision", name))
		if err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { f.Close() })
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	questions, err := ReadQuestions(open("mirage-questions.dev.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	items, err := Read(open("mirage-responses.dev.jsonl.gz"), questions)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// nothing is an encoder for policies that need none.
type nothing struct{}

func (nothing) Dim() int                { return 8 }
func (nothing) Identity() string        { return "nothing" }
func (nothing) Encode(string) []float32 { return make([]float32, 8) }

// TestPlainRulesOnRealDecisions holds the rules to what they reach in five folds by question.
func TestPlainRulesOnRealDecisions(t *testing.T) {
	items := mirage(t)
	for _, test := range []struct {
		policy           string
		weaker, stronger float64 // accuracy at least, in %
	}{
		{"never", 58.7, 74.3}, {"always", 61.2, 70.0}, {"refusal", 59.7, 75.2}, {"fallback", 64.4, 74.3},
		{"default", 64.3, 76.0},
	} {
		l, err := Find(test.policy, DefaultPrice)
		if err != nil {
			t.Fatal(err)
		}
		outcomes, err := Evaluate(t.Context(), l, items, nothing{}, 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		for model, want := range map[string]float64{"gpt-35-turbo-16k": test.weaker, "gpt-4": test.stronger} {
			sum, n, retrieved := 0.0, 0, 0
			for _, o := range outcomes {
				if o.Item.Model != model && !(model == "gpt-4" && o.Item.Model != "gpt-35-turbo-16k") {
					continue
				}
				n++
				sum += o.Score
				if o.Decision.Retrieve {
					retrieved++
				}
			}
			got := 100 * sum / float64(n)
			t.Logf("%s, %s: %.2f (%.0f %%) of %d", test.policy, model, got, 100*float64(retrieved)/float64(n), n)
			if got < want {
				t.Errorf("%s, %s: %.2f, want %.1f", test.policy, model, got, want)
			}
		}
	}
}

// TestSplitOffFindsExplanationsOfRealQuestions: a base of explanations of examination questions hands
// the gate the answers. All of them explain questions of the history, whose identities hold theirs.
func TestSplitOffFindsExplanationsOfRealQuestions(t *testing.T) {
	items := mirage(t)
	f, err := os.Open(filepath.Join(os.Getenv("LACUNA_DATA"), "kb", "passages-medmcqa-explanations.jsonl.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var passages []*passage.Passage
	for lines := json.NewDecoder(z); lines.More(); {
		var row struct{ ID string }
		if err := lines.Decode(&row); err != nil {
			t.Fatal(err)
		}
		passages = append(passages, &passage.Passage{Record: row.ID})
	}
	kept, dropped := SplitLeaked(items, passages)
	if len(dropped) != 2*len(passages) || len(kept)+len(dropped) != len(items) { // two models answered each
		t.Errorf("%d passages, %d rows dropped, %d kept of %d", len(passages), len(dropped), len(kept), len(items))
	}
}
