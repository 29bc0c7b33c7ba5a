package history_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
)

// TestLinesThatCannotBeReadStay damages a line of either file in every way that there is: what can be
// read serves, and no change takes away what a person may still mend.
func TestLinesThatCannotBeReadStay(t *testing.T) {
	pair := history.Pair{ID: "0", Question: "Question?", Answer: "Answer."}
	label := history.Label{ID: "0", Question: "Question?", Label: gate.Same, How: history.Edited}
	for _, damage := range []struct{ name, line string }{
		{"zeros of a disk", "\x00\x00\x00\x00"},
		{"cut off", `{"id":"1","question":"Why?","ans`},
		{"another type", `{"id":1,"question":"Why?","answer":"So.","label":"same"}`},
		{"a list", `["id"]`},
		{"null", "null"},
		{"without an identity", `{"question":"Why?","answer":"So.","label":"same"}`},
		{"a name hit", `{"id":"1","qvestion":"Why?","answer":"So.","label":"same"}`},
		{"a value hit", `{"id":"1","question":"Why?","answer":"","label":"sane"}`},
		{"with a return", "{\r"},
	} {
		t.Run(damage.name, func(t *testing.T) {
			dir := t.TempDir()
			store := history.In(dir)
			pairs, labels := filepath.Join(dir, "accepted.jsonl"), filepath.Join(dir, "gate-labels.jsonl")
			keep := func(id string) {
				t.Helper()
				pair.ID, label.ID = id, id
				if err := errors.Join(store.Accept(t.Context(), pair), store.Keep(t.Context(), label)); err != nil {
					t.Fatal(err)
				}
			}
			keep("a")
			for _, file := range []string{pairs, labels} { // the last line, and it is not ended
				content, err := os.ReadFile(file)
				if err == nil {
					err = os.WriteFile(file, append(append([]byte("\n"), content...), damage.line...), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			check := func(when string, rows, line int) {
				t.Helper()
				keptPairs, err := store.Pairs()
				keptLabels, err2 := store.Labels()
				if len(keptPairs) != rows || len(keptLabels) != rows || err != nil || err2 != nil {
					t.Errorf("%s: %+v, %v; %+v, %v", when, keptPairs, err, keptLabels, err2)
				}
				var want []history.BadLine
				if line > 0 {
					want = []history.BadLine{{File: pairs, Line: line}, {File: labels, Line: line}}
				}
				unread, err := store.BadLines()
				if diff := cmp.Diff(want, unread); diff != "" || err != nil {
					t.Errorf("%s: %v, -want +got\n%s", when, err, diff)
				}
				for _, file := range []string{pairs, labels} {
					content, err := os.ReadFile(file)
					if has := bytes.Contains(content, []byte(damage.line)); err != nil || has != (line > 0) {
						t.Errorf("%s: the damaged line is there: %t, %v\n%s", when, has, err, content)
					}
				}
			}
			check("damaged", 1, 3)
			keep("b")
			check("after another is kept", 2, 1)
			if found, err := store.Forget(t.Context(), "a"); !found || err != nil {
				t.Errorf("forget: %t, %v", found, err)
			}
			check("after one is forgotten", 1, 1)
			if err := store.ForgetAll(t.Context()); err != nil {
				t.Fatal(err)
			}
			check("after all is forgotten", 0, 0)
		})
	}
}

// FuzzHistoryFiles reads files of a history that others have written.
func FuzzHistoryFiles(f *testing.F) {
	f.Add([]byte("{\"id\":\"1\",\"question\":\"q?\",\"cited\":[{\"passage\":\"00\"}]}\nnull\n[]\n\x00"))
	f.Add([]byte("{\"id\":\"1\",\"label\":\"ir better\",\"question\":\"q?\"}\r\n"))
	library := knowledge.Pending()
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		store := history.In(dir)
		for _, file := range []string{filepath.Join(dir, "accepted.jsonl"), filepath.Join(dir, "gate-labels.jsonl")} {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		checked, err := store.Check(library)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checked {
			if c.ID == "" || c.Inactive == nil {
				t.Errorf("%+v serves, and no source says it", c)
			}
		}
		if _, err := store.Labels(); err != nil {
			t.Fatal(err)
		}
		before, err := store.BadLines()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Forget(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		if after, err := store.BadLines(); err != nil || len(after) != len(before) {
			t.Errorf("%d lines cannot be read, before a change %d; %v", len(after), len(before), err)
		}
		if err := store.ForgetAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left, err := store.Pairs(); err != nil || len(left) > 0 {
			t.Errorf("left: %+v, %v", left, err)
		}
	})
}
