package server_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers/lsp"
	"lacuna/knowledge/answer"
	"lacuna/server/editortest"
)

// TestGapsOfNotesNobodyOpened has notes judged that lie on disk: gaps of a workspace are those of all its notes.
func TestGapsOfNotesNobodyOpened(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return unknown(q), nil
	})
	w.root = t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(w.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "What is gout?\n")
	write("deep/b.org", "* What is a bruise?\n")
	write("private.md", "---\nlacuna: private\n---\nWhat is secret?\n")
	write("plain.md", "No question stands here.\n")
	synctest.Test(t, func(t *testing.T) {
		e, _ := serve(t, w, editortest.Rich())
		e.Start(w.root)
		rest()
		listed := func() string {
			var reply struct {
				Gaps []struct{ URI, Question string }
			}
			e.MustCall("workspace/executeCommand", map[string]any{"command": "lacuna.listGaps"}, &reply)
			var all []string
			for _, g := range reply.Gaps {
				all = append(all, filepath.Base(g.URI)+": "+g.Question)
			}
			slices.Sort(all)
			return strings.Join(all, "; ")
		}
		check := func(when, want string) {
			t.Helper()
			rest()
			if got := listed(); got != want {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
			var status struct{ Folders []struct{ Gaps int } }
			e.MustCall("workspace/executeCommand", map[string]any{"command": "lacuna.status"}, &status)
			if n := strings.Count(want, "?"); len(status.Folders) != 1 || status.Folders[0].Gaps != n {
				t.Errorf("%s: status %+v, want %d", when, status, n)
			}
		}
		changed := func(name string) {
			uri := lsp.URI(filepath.Join(w.root, filepath.FromSlash(name)))
			e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri, "type": 2}}})
		}
		check("nobody opened any", "a.md: What is gout?; b.org: What is a bruise?")

		uri := lsp.URI(filepath.Join(w.root, "a.md"))
		e.Open(uri, "markdown", "What is gout?\n\nWhat is a cough?\n")
		check("one is open and edited", "a.md: What is a cough?; a.md: What is gout?; b.org: What is a bruise?")
		e.CloseBuffer(uri)
		check("it is closed without being saved", "a.md: What is gout?; b.org: What is a bruise?")

		write("deep/b.org", "* What is a burn?\n")
		changed("deep/b.org")
		check("another was changed beside the editor", "a.md: What is gout?; b.org: What is a burn?")
		if err := os.Remove(filepath.Join(w.root, "a.md")); err != nil {
			t.Fatal(err)
		}
		write("new.txt", "What is a wart?\n")
		time.Sleep(2 * time.Minute) // and nobody tells
		check("one is gone and one is new", "b.org: What is a burn?; new.txt: What is a wart?")
	})
}
