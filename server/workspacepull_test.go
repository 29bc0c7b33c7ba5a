package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/server/editortest"
)

// judgedNote is a session with a note on disk in which a model has named a gap, and which is closed again.
type judgedNote struct {
	t    *testing.T
	w    *fakeWorkspace
	e    *editortest.Editor
	uri  protocol.DocumentURI
	path string
}

func closedWithGap(t *testing.T, w *fakeWorkspace) judgedNote {
	path := filepath.Join(w.root, "visit.md")
	if err := os.WriteFile(path, []byte(question), 0o600); err != nil {
		t.Fatal(err)
	}
	e, _ := serve(t, w, editortest.Rich().Pulling())
	e.Start(w.root)
	j := judgedNote{t: t, w: w, e: e, uri: lsp.URI(path), path: path}
	j.open()
	err := e.Call("workspace/executeCommand", map[string]any{
		"command":   "lacuna.answerQuestion",
		"arguments": []any{map[string]any{"v": 1, "uri": j.uri, "question": note.Parse(question, note.Markdown).Questions[0].ID}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Undo(j.uri)
	e.CloseBuffer(j.uri)
	rest()
	return j
}

func (j judgedNote) open() {
	j.e.Open(j.uri, "markdown", question)
	rest()
}

// pull returns the reports by the names of their files, and what the next pull has to say it has.
func (j judgedNote) pull(previous ...map[string]any) (string, []map[string]any) {
	j.t.Helper()
	var report lsp.WorkspaceDiagnosticReport
	params := map[string]any{"previousResultIds": append([]map[string]any{}, previous...)}
	j.e.MustCall(lsp.MethodWorkspaceDiagnostic, params, &report)
	if report.Items == nil {
		j.t.Error("null instead of a list")
	}
	var ids []map[string]any
	for _, item := range report.Items {
		ids = append(ids, map[string]any{"uri": item.URI, "value": item.ResultID})
	}
	return printed(report), ids
}

func printed(report lsp.WorkspaceDiagnosticReport) string {
	var lines []string
	for _, item := range report.Items {
		line := filepath.Base(string(item.URI)) + " " + item.Kind
		for _, d := range item.Items {
			line += fmt.Sprintf(" %v:%d", d.Code, d.Range.Start.Line)
		}
		if item.Version != nil {
			line += " version"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

const reported = "visit.md full missing-knowledge:0"

func judging(t *testing.T) *fakeWorkspace {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q, missing), nil
	})
	w.root = t.TempDir()
	return w
}

func TestGapsOfClosedNotesArePulled(t *testing.T) {
	w := judging(t)
	synctest.Test(t, func(t *testing.T) {
		j := closedWithGap(t, w)
		got, ids := j.pull()
		if got != reported {
			t.Fatalf("pulled %q", got)
		}
		if got, _ := j.pull(ids...); got != "visit.md unchanged" {
			t.Errorf("pulled again %q", got)
		}
		j.open()
		if got, _ := j.pull(ids...); got != "" {
			t.Errorf("of an open note %q", got)
		}
		j.e.CloseBuffer(j.uri)
		if err := os.Remove(j.path); err != nil {
			t.Fatal(err)
		}
		if got, _ := j.pull(ids...); got != "visit.md full" {
			t.Errorf("of a note that is gone %q", got)
		}
		if got, _ := j.pull(); got != "" {
			t.Errorf("of a note that is gone, to who had nothing of it %q", got)
		}
	})
}

// TestNewsOfClosedNotesComeByAndBy has a client wait for what changes in notes that are not open.
func TestNewsOfClosedNotesComeByAndBy(t *testing.T) {
	w := judging(t)
	filled := pages(t, goutPage, "Safety of colchicine in pregnancy: colchicine is held to be safe in pregnancy.")
	synctest.Test(t, func(t *testing.T) {
		j := closedWithGap(t, w)
		waiting := j.e.Begin(lsp.MethodWorkspaceDiagnostic, map[string]any{"previousResultIds": []any{}, "partialResultToken": "w"})
		seen := 0
		next := func(when, want string) {
			t.Helper()
			rest()
			var lines []string
			parts := j.e.Parts()
			for _, part := range parts[seen:] {
				var report lsp.WorkspaceDiagnosticReport
				if err := json.Unmarshal(part.Value, &report); err != nil {
					t.Fatal(err)
				}
				lines = append(lines, printed(report))
			}
			seen = len(parts)
			if got := strings.Join(lines, "; "); got != want {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		next("at first", reported)
		next("with nothing new", "")
		j.open()
		next("while it is open", "")
		j.e.CloseBuffer(j.uri)
		next("when it is closed again", reported)
		w.publish(filled)
		next("when the sources have what was missing", "visit.md full")
		w.publish(onePage)
		next("when they have lost it again", reported)
		if err := os.Remove(j.path); err != nil {
			t.Fatal(err)
		}
		j.e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": j.uri, "type": 3}}})
		time.Sleep(2 * time.Second)
		next("when somebody has deleted its file", "visit.md full")
		if waiting.Done() {
			t.Error("the request has been answered")
		}
		j.e.MustCall("shutdown", nil, nil)
		var last lsp.WorkspaceDiagnosticReport
		if err := waiting.Wait(&last); err != nil || last.Items == nil || len(last.Items) > 0 {
			t.Errorf("at the end %+v, %v", last, err)
		}
	})
}

// TestClosedNotesArePushedToNobody has a client that does not pull.
func TestClosedNotesArePushedToNobody(t *testing.T) {
	w := judging(t)
	synctest.Test(t, func(t *testing.T) {
		e, _ := serve(t, w, editortest.Rich())
		e.Start(w.root)
		var report lsp.WorkspaceDiagnosticReport
		e.MustCall(lsp.MethodWorkspaceDiagnostic, map[string]any{"previousResultIds": []any{}}, &report)
		if report.Items == nil || len(report.Items) > 0 || e.Asked(published) > 0 {
			t.Errorf("%+v, %v", report, e.Seen())
		}
	})
}
