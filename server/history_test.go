package server_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/server/editortest"
)

// quoted is an answer that quotes the first passage of a workspace.
func quoted(w *fakeWorkspace, q answer.Question) answer.Result {
	p := w.library.Passages()[0]
	return answer.Result{
		Question: q, System: "misknow/merged", State: answer.Answered, Models: []string{"scripted"},
		Statements: []answer.Statement{{Basis: answer.Claim, Text: "Gout is treated with rest.", Citations: []int{1}}},
		Citations:  []answer.Citation{{N: 1, Passage: p, Quote: goutPage}},
	}
}

// harvesting is a workspace that keeps the answers that are accepted.
func harvesting(t *testing.T) *fakeWorkspace {
	w := modelled(t, nil)
	w.answerWay = func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return quoted(w, q), nil
	}
	w.settings = settings.Default()
	w.settings.History.Harvest = true
	return w
}

func wantKept(t *testing.T, w *fakeWorkspace, in string) {
	t.Helper()
	pairs, err := history.In(w.indexDir).Pairs()
	if err != nil || len(pairs) != 1 || pairs[0].Note != in {
		t.Errorf("kept %+v of %s: %v", pairs, in, err)
	}
}

// TestAnAnswerIsAcceptedBeforeItsCommandEnds has the user accept what stands in the note, before the
// editor has replied to the request for the edit; accepting does not wait for that for ever.
func TestAnAnswerIsAcceptedBeforeItsCommandEnds(t *testing.T) {
	for held, accepted := range map[time.Duration]bool{3 * time.Second: true, 20 * time.Second: false} {
		t.Run(held.String(), func(t *testing.T) {
			w := harvesting(t)
			synctest.Test(t, func(t *testing.T) {
				options := editortest.Rich()
				options.ChangeBeforeReply = true
				var e *editortest.Editor
				var accepting *editortest.Pending
				options.AfterEdit = func() {
					accepting = command(e, "lacuna.acceptAnswer", nil)
					time.Sleep(held)
				}
				e = opened(t, w, options)
				if err := ask(e, nil).Wait(nil); err != nil {
					t.Fatal(err)
				}
				if err := accepting.Wait(nil); (err == nil) != accepted {
					t.Errorf("accepting: %v", err)
				}
				if accepted {
					wantKept(t, w, filepath.FromSlash("/notes/visit.md"))
				}
			})
		})
	}
}

// TestAnAnswerOfARenamedNoteIsAccepted renames a note whose answer was written in the session, in the two
// orders in which editors tell of it.
func TestAnAnswerOfARenamedNoteIsAccepted(t *testing.T) {
	const renamed protocol.DocumentURI = "file:///notes/old/visit.md"
	for _, order := range []string{"told first", "told last"} {
		t.Run(order, func(t *testing.T) {
			w := harvesting(t)
			synctest.Test(t, func(t *testing.T) {
				e := opened(t, w, editortest.Rich())
				id := note.Parse(e.Text(noteURI), note.Markdown).Questions[0].ID
				if err := ask(e, nil).Wait(nil); err != nil {
					t.Fatal(err)
				}
				tell := func() {
					e.Notify("workspace/didRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": noteURI, "newUri": renamed}}})
				}
				if order == "told first" {
					tell()
				}
				e.Open(renamed, "markdown", e.CloseBuffer(noteURI))
				if order == "told last" {
					tell()
				}
				rest()
				accept := func() error {
					return e.Call("workspace/executeCommand", map[string]any{
						"command": "lacuna.acceptAnswer", "arguments": []any{map[string]any{"v": 1, "uri": renamed, "question": id}},
					}, nil)
				}
				if err := accept(); err != nil {
					t.Error(err)
				}
				path, _ := lsp.Path(renamed)
				wantKept(t, w, path)
				e.Open(renamed, "markdown", e.CloseBuffer(renamed))
				if err := accept(); err == nil {
					t.Error("an answer is remembered although its note was closed")
				}
			})
		})
	}
}
