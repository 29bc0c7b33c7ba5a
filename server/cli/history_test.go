package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/server/workspace"
)

// TestHistoryIsListedExportedAndForgotten plays a transcript in a workspace where two answers were
// accepted, of which one rests on a page that has changed since, and one was overruled.
func TestHistoryIsListedExportedAndForgotten(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("testdata", "history.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := workspaceOf(t, archive)
	harvest(t, filepath.Join(dir, "ws"), "What lowers a fever?", "What is given for gout?")
	if err := os.WriteFile(filepath.Join(dir, "ws", "kb", "gout.md"), []byte("# Gout\n\nGout is painful.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	last := &archive.Files[len(archive.Files)-1]
	got := transcribe(t, dir, string(last.Data))
	if *update {
		last.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(last.Data), got); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// harvest accepts the offline answers to questions of the note visit.md, and overrules the first.
func harvest(t *testing.T, root string, questions ...string) {
	t.Helper()
	config := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "lacuna")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte("history.harvest = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(t.Context(), workspace.Request{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	strategy, err := w.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for i, question := range questions {
		r, err := strategy.Answer(t.Context(), w.Library(), answer.Question{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		pair, err := history.PairOf(r, question, "visit.md", day)
		if err == nil {
			err = w.History().Accept(t.Context(), pair)
		}
		if err != nil {
			t.Fatal(err)
		}
		alone := answer.Result{System: "direct", Models: []string{"m"}, Statements: []answer.Statement{{Basis: answer.Unsupported, Text: "Rest."}}}
		if label, ok := history.LabelOfPreference(alone, r, question, "visit.md", day); ok && i == 0 {
			label.Model = "m"
			if err := w.History().Keep(t.Context(), label); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Refresh(t.Context(), nil); err != nil { // they serve from here on
		t.Fatal(err)
	}
}

// TestAcceptedAnswerIsAsked has the program answer from an accepted pair, and no longer once it is
// forgotten.
func TestAcceptedAnswerIsAsked(t *testing.T) {
	dir := workspaceOf(t, &txtar.Archive{Files: []txtar.File{
		{Name: "kb/fever.md", Data: []byte("# Fever\n\nParacetamol lowers a fever within the hour.\n")},
	}})
	harvest(t, filepath.Join(dir, "ws"), "What lowers a fever?")
	const stored = `"stored":{"source":"accepted answers"`
	for _, test := range []struct {
		before string
		serves bool
	}{{"history list", true}, {"history forget --all", false}} {
		if _, stderr, code := runTyped(t, test.before); code != 0 {
			t.Fatalf("%s: %s", test.before, stderr)
		}
		stdout, stderr, code := runTyped(t, `ask --json "What lowers a fever?"`)
		if code != 0 || strings.Contains(stdout, stored) != test.serves {
			t.Errorf("after %s: code %d\n%s%s", test.before, code, stdout, stderr)
		}
	}
}

// TestDamagedHistoryIsNamed damages a line of either file: whoever looks at what is kept is told, and
// the rest serves.
func TestDamagedHistoryIsNamed(t *testing.T) {
	dir := workspaceOf(t, &txtar.Archive{Files: []txtar.File{
		{Name: "kb/fever.md", Data: []byte("# Fever\n\nParacetamol lowers a fever within the hour.\n")},
	}})
	harvest(t, filepath.Join(dir, "ws"), "What lowers a fever?")
	for _, name := range []string{"accepted.jsonl", "gate-labels.jsonl"} {
		files, err := filepath.Glob(filepath.Join(dir, "home", "cache", "lacuna", "*", name))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %q, %v", name, files, err)
		}
		content, err := os.ReadFile(files[0])
		if err == nil {
			err = os.WriteFile(files[0], append([]byte("{\"id\":\"lost\n"), content...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const said = ":1: unreadable and therefore ignored; correct or delete the line"
	for _, test := range []struct {
		command string
		code    int
	}{
		{"history", 0}, {"history export", 0}, {"gate report --policy always --folds 2", 0}, {"doctor", 1},
	} {
		stdout, stderr, code := runTyped(t, test.command)
		told := stderr
		if test.command == "doctor" {
			told = stdout
		}
		if strings.Count(told, said) != 2 || code != test.code {
			t.Errorf("%s: code %d, want %d; both lines named: %t\n%s%s", test.command, code, test.code, strings.Count(told, said) == 2, stdout, stderr)
		}
	}
	stdout, _, code := runTyped(t, "history list --json")
	if strings.Count(stdout, `{"kind":"unread"`) != 2 || strings.Count(stdout, `"serves":true`) != 1 || code != 0 {
		t.Errorf("code %d\n%s", code, stdout)
	}
	if _, stderr, code := runTyped(t, "history forget --all"); code != 0 {
		t.Errorf("forget: code %d\n%s", code, stderr)
	}
	if stdout, stderr, _ := runTyped(t, "history"); stderr != "" || !strings.Contains(stdout, "no answer of this workspace is stored") {
		t.Errorf("after all was forgotten:\n%s%s", stdout, stderr)
	}
}
