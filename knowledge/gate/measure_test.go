package gate

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// TestPoliciesOnRealDecisions prints the table of all policies on the development decisions, with an
// encoder trained on medical passages that explain none of the questions. It takes minutes and runs
// only when LACUNA_MEASURE is set.
func TestPoliciesOnRealDecisions(t *testing.T) {
	if os.Getenv("LACUNA_MEASURE") == "" {
		t.Skip("LACUNA_MEASURE is not set: this takes minutes")
	}
	items := mirage(t)
	encoder := Remember(medical(t))
	outcomes := make(map[string][]Outcome)
	var names []string
	for _, l := range Learners(DefaultPrice) {
		var err error
		if outcomes[l.Name], err = Evaluate(t.Context(), l, items, encoder, 5, 1); err != nil {
			t.Fatal(err)
		}
		names = append(names, l.Name)
	}
	outcomes["oracle"] = Oracle(items)
	for _, row := range Table(outcomes, append(names, "oracle"), "default") {
		if row.Dataset == "" {
			t.Log(row.Model, row)
		}
	}
}

func medical(t *testing.T) Encoder {
	index, err := knowledge.Open(knowledge.Options{
		Sources: []ingest.Source{{Name: "pubmed", Kind: passage.Text, Path: filepath.Join(os.Getenv("LACUNA_DATA"), "kb", "passages-pubmed.jsonl.gz")}},
		Dir:     t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	if err := index.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	e := LibraryEncoder(index.Library())
	if e == nil {
		t.Fatal("no encoder")
	}
	return e
}
