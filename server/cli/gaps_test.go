package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/sanitise"
	"lacuna/server/terminal"
)

const vaultOfFerries = `
-- .lacuna.toml --
[[source]]
path = "."
-- ferry.md --
# Ferry

How long does the crossing take?

Is the car deck heated?
-- timetable.md --
# Timetable

The crossing takes forty minutes in summer.
-- private.md --
---
lacuna: private
---
Is the car deck heated?
-- log.txt --
Is the car deck heated?
`

// TestDesk answers and dismisses through what the terminal shows.
func TestDesk(t *testing.T) {
	workspaceOf(t, txtar.Parse([]byte(vaultOfFerries)))
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	p := &program{Streams: Streams{In: strings.NewReader(""), Out: &said, Err: sanitise.NewMessageWriter(&said)}, console: &said}
	w, err := p.openRequest(t.Context(), p.request(root))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	d := &desk{p: p, w: w}
	items := func() map[string]terminal.Item {
		t.Helper()
		list, err := d.Items(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		byPlace := map[string]terminal.Item{}
		for _, item := range list {
			byPlace[item.Name+" "+item.Question] = item
		}
		if len(byPlace) != 3 {
			t.Fatalf("%d questions: %v", len(byPlace), byPlace)
		}
		return byPlace
	}
	const crossing, deck, log = "ferry.md How long does the crossing take?", "ferry.md Is the car deck heated?", "log.txt Is the car deck heated?"
	for _, c := range []struct {
		place string
		state terminal.State
		line  int
	}{{crossing, terminal.Known, 3}, {deck, terminal.Lacking, 5}, {log, terminal.Lacking, 1}} {
		if got := items()[c.place]; got.State != c.state || got.Line != c.line {
			t.Errorf("%s: %s at line %d, want %s at %d", c.place, got.State, got.Line, c.state, c.line)
		}
	}
	if done, err := d.Dismiss(t.Context(), items()[log], false); err != nil || items()[log].State == terminal.Lacking || items()[deck].State != terminal.Lacking {
		t.Errorf("dismissed: %q, %v, %s, the same question elsewhere %s", done, err, items()[log].State, items()[deck].State)
	}
	before := items()[deck]
	if _, err := d.Dismiss(t.Context(), before, false); err != nil {
		t.Error(err)
	}
	if _, err := d.Dismiss(t.Context(), before, true); err != nil || items()[deck].State != terminal.Lacking {
		t.Errorf("restored: %v, %s", err, items()[deck].State)
	}
	if done, err := d.Answer(t.Context(), items()[crossing]); err != nil || items()[crossing].State != terminal.Answered {
		t.Errorf("answered: %q, %v, %s", done, err, items()[crossing].State)
	}
	text, err := os.ReadFile(filepath.Join(root, "ferry.md"))
	if err != nil || !strings.Contains(string(text), `"The crossing takes forty minutes in summer." [`) || !strings.HasSuffix(string(text), "Is the car deck heated?\n") {
		t.Errorf("%v, %s", err, text)
	}
	gone := items()[deck]
	if err := os.WriteFile(filepath.Join(root, "ferry.md"), []byte("# Ferry\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Answer(t.Context(), gone); err == nil {
		t.Error("a question that is gone was answered")
	}
	if said.Len() > 0 {
		t.Errorf("said %s", said.String())
	}
}
