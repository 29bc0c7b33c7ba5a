package server_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/server/editortest"
)

// TestOddNotebooks sends what no client should. Nothing is read as a note that is no Markdown cell of an open notebook,
// and the session goes on.
func TestOddNotebooks(t *testing.T) {
	uri := lsp.URI(filepath.Join(t.TempDir(), "a.ipynb"))
	cell := editortest.CellURI(uri, "W0")
	text := func(language string) string {
		return fmt.Sprintf(`{"uri":%q,"languageId":%q,"version":1,"text":"What is the dose of metformin?"}`, cell, language)
	}
	tests := []struct{ name, method, params string }{
		{"code in Markdown", lsp.MethodNotebookDidOpen, fmt.Sprintf(`{"notebookDocument":{"uri":%q,"cells":[{"kind":2,"document":%q}]},"cellTextDocuments":[%s]}`, uri, cell, text("markdown"))},
		{"markup in another language", lsp.MethodNotebookDidOpen, fmt.Sprintf(`{"notebookDocument":{"uri":%q,"cells":[{"kind":1,"document":%q}]},"cellTextDocuments":[%s]}`, uri, cell, text("python"))},
		{"text without a cell", lsp.MethodNotebookDidOpen, fmt.Sprintf(`{"notebookDocument":{"uri":%q,"cells":null},"cellTextDocuments":[%s]}`, uri, text("markdown"))},
		{"change of a notebook that is not open", lsp.MethodNotebookDidChange, fmt.Sprintf(`{"notebookDocument":{"uri":"file:///b.ipynb"},"change":{"cells":{"structure":{"array":{"cells":[{"kind":1,"document":%q}]},"didOpen":[%s]}}}}`, cell, text("markdown"))},
		{"change of a cell that is not open", lsp.MethodNotebookDidChange, fmt.Sprintf(`{"notebookDocument":{"uri":%q},"change":{"cells":{"textContent":[{"document":{"uri":%q,"version":-1},"changes":[{"text":"What is the dose of insulin?"}]}]}}}`, uri, cell)},
		{"nothing", lsp.MethodNotebookDidChange, fmt.Sprintf(`{"notebookDocument":{"uri":%q}}`, uri)},
		{"no parameters", lsp.MethodNotebookDidOpen, `{}`},
		{"of another type", lsp.MethodNotebookDidOpen, `[]`},
		{"save", lsp.MethodNotebookDidSave, fmt.Sprintf(`{"notebookDocument":{"uri":%q}}`, uri)},
		{"close", lsp.MethodNotebookDidClose, fmt.Sprintf(`{"notebookDocument":{"uri":%q}}`, uri)},
		{"close again", lsp.MethodNotebookDidClose, fmt.Sprintf(`{"notebookDocument":{"uri":%q}}`, uri)},
	}
	e, _ := serve(t, &fakeWorkspace{}, editortest.Rich())
	e.Start(t.TempDir())
	for _, test := range tests {
		e.Send(editortest.Frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, test.method, test.params)))
		if n := questions(e, cell); n > 0 {
			t.Errorf("%s: the cell is a note with %d questions", test.name, n)
		}
	}
	e.OpenNotebook(uri, []editortest.Cell{{Name: "W0", Language: "markdown", Text: "What is the dose of metformin?"}})
	if n := questions(e, cell); n != 1 {
		t.Errorf("a Markdown cell has %d questions, want 1", n)
	}
}

// questions counts the symbols of a document.
func questions(e *editortest.Editor, uri protocol.DocumentURI) int {
	var symbols []any
	e.MustCall("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uri}}, &symbols)
	return len(symbols)
}
