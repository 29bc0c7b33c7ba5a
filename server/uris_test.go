package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/server/editortest"
)

// TestSpellingsOfOneDocument opens a document under one spelling of its address and goes on under
// another. What the server says of it bears the first.
func TestSpellingsOfOneDocument(t *testing.T) {
	for _, test := range []struct{ opened, then protocol.DocumentURI }{
		{"file:///c%3A/Notes/visit.md", "file:///C:/Notes/visit.md"},
		{"file:///C:/Notes/visit.md", "file:///c%3a/Notes/visit.md"},
		{"file:///notes/a%20b%C3%A9.md", "file:///notes/a bé.md"},
		{"file://localhost/notes/visit.md", "file:///notes/visit.md"},
		{"untitled:Untitled-1", "untitled:Untitled%2D1"},
		{"untitled:/c%3A/Notes/visit.md", "untitled:/c:/Notes/visit.md"},
		{"vscode-notebook-cell:/notes/x.ipynb#W0sZmlsZQ%3D%3D", "vscode-notebook-cell:/notes/x.ipynb#W0sZmlsZQ=="},
		{"vscode-remote://wsl%2Bubuntu/notes/visit.md", "vscode-remote://wsl+ubuntu/notes/visit.md"},
	} {
		synctest.Test(t, func(t *testing.T) {
			e, _ := serve(t, new(asked).workspace(), editortest.Rich())
			e.Start("/notes")
			e.Open(test.opened, "markdown", "What is gout?\n")
			time.Sleep(time.Minute)
			synctest.Wait()
			e.Notify("textDocument/didChange", map[string]any{
				"textDocument":   map[string]any{"uri": test.then, "version": 7},
				"contentChanges": []any{map[string]any{"text": "\n\nWhat is gout?\n"}},
			})
			time.Sleep(time.Minute)
			synctest.Wait()
			got := e.Diagnostics(test.opened)
			if got.Version == nil || *got.Version != 7 || len(got.Diagnostics) != 1 || got.Diagnostics[0].Range.Start.Line != 2 {
				t.Errorf("%s, then %s: %+v", test.opened, test.then, got)
			}
			var hover *protocol.Hover
			e.MustCall("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": test.then}, "position": at(2, 3)}, &hover)
			if hover == nil {
				t.Errorf("%s is not known as %s", test.opened, test.then)
			}
		})
	}
}

// TestSpellingsThatDifferInCase goes on with a document under a name that the system takes for the same.
// An answer that was written before is one of the note still.
func TestSpellingsThatDifferInCase(t *testing.T) {
	was := lsp.FoldsCase
	lsp.FoldsCase = true
	t.Cleanup(func() { lsp.FoldsCase = was })
	const other protocol.DocumentURI = "file:///Notes/VISIT.md"
	w := harvesting(t)
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		id := note.Parse(question, note.Markdown).Questions[0].ID
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		e.Notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": other, "version": 9}, "contentChanges": []any{map[string]any{"text": "A line.\n\n" + e.Text(noteURI)}},
		})
		e.Open(other, "markdown", "A line.\n\n"+e.CloseBuffer(noteURI))
		rest()
		err := e.Call("workspace/executeCommand", map[string]any{
			"command": "lacuna.acceptAnswer", "arguments": []any{map[string]any{"v": 1, "uri": other, "question": id}},
		}, nil)
		if err != nil {
			t.Error(err)
		}
	})
}
