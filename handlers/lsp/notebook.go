package lsp

import (
	"strings"

	"go.lsp.dev/protocol"
)

// Synchronisation of notebooks, of version 3.17 of the protocol. The text of each cell is a document of its own, with a
// version and a URI, about which requests are made as about any other.
const (
	MethodNotebookDidOpen   = "notebookDocument/didOpen"
	MethodNotebookDidChange = "notebookDocument/didChange"
	MethodNotebookDidSave   = "notebookDocument/didSave"
	MethodNotebookDidClose  = "notebookDocument/didClose"
)

// NotebookSyncOptions says which cells of which notebooks a client reports.
type NotebookSyncOptions struct {
	NotebookSelector []NotebookSelector `json:"notebookSelector"`
	Save             bool               `json:"save"`
}

// NotebookSelector selects cells by the language of their text.
type NotebookSelector struct {
	Notebook string         `json:"notebook"` // a type of notebooks; "*" is any
	Cells    []CellLanguage `json:"cells"`
}

// CellLanguage names a language.
type CellLanguage struct {
	Language string `json:"language"`
}

// CellMarkup is the kind of a cell that is text for people.
const CellMarkup = 1

// NotebookCell is a cell without its text.
type NotebookCell struct {
	Kind     int                  `json:"kind"` // CellMarkup, or 2 for code
	Document protocol.DocumentURI `json:"document"`
}

// NotebookDidOpenParams reports a notebook that was opened, with the text of the cells that were selected.
type NotebookDidOpenParams struct {
	NotebookDocument struct {
		URI   protocol.DocumentURI `json:"uri"`
		Cells []NotebookCell       `json:"cells"`
	} `json:"notebookDocument"`
	CellTextDocuments []protocol.TextDocumentItem `json:"cellTextDocuments"`
}

// NotebookDidChangeParams reports changes of a notebook.
type NotebookDidChangeParams struct {
	NotebookDocument protocol.TextDocumentIdentifier `json:"notebookDocument"`
	Change           struct {
		Cells struct {
			Structure struct {
				Array struct {
					Cells []NotebookCell `json:"cells"` // that were added
				} `json:"array"`
				DidOpen  []protocol.TextDocumentItem       `json:"didOpen"`
				DidClose []protocol.TextDocumentIdentifier `json:"didClose"`
			} `json:"structure"`
			TextContent []struct {
				Document protocol.VersionedTextDocumentIdentifier `json:"document"`
				Changes  []ContentChange                          `json:"changes"`
			} `json:"textContent"`
		} `json:"cells"`
	} `json:"change"`
}

// NotebookParams reports that a notebook was saved, or closed with its cells.
type NotebookParams struct {
	NotebookDocument protocol.TextDocumentIdentifier `json:"notebookDocument"`
}

// CellPath returns the file of the notebook that VS Code's URI of a cell names.
func CellPath(u protocol.DocumentURI) (string, bool) {
	scheme, rest, _ := strings.Cut(string(u), ":")
	if scheme != "vscode-notebook-cell" {
		return "", false
	}
	return Path(protocol.DocumentURI("file:" + rest))
}
