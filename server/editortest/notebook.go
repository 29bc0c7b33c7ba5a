package editortest

import (
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

// CellURI returns the URI of a cell of a notebook.
func CellURI(notebook protocol.DocumentURI, name string) protocol.DocumentURI {
	return protocol.DocumentURI(cellScheme + strings.TrimPrefix(string(notebook), "file:") + "#" + name)
}

// Cell is a cell of a notebook.
type Cell struct {
	Name     string // behind "#" of its URI
	Language string // of its text; code has another than "markdown" and "raw"
	Text     string
}

// cells returns the cells without their text, and the text of those that the server selects.
func (e *Editor) cells(notebook protocol.DocumentURI, cells []Cell) (all []lsp.NotebookCell, texts []protocol.TextDocumentItem) {
	for _, cell := range cells {
		uri, kind := CellURI(notebook, cell.Name), 2
		if cell.Language == "markdown" {
			kind = lsp.CellMarkup
		}
		all = append(all, lsp.NotebookCell{Kind: kind, Document: uri})
		if cell.Language != "markdown" && cell.Language != "raw" {
			continue
		}
		texts = append(texts, protocol.TextDocumentItem{URI: uri, LanguageID: protocol.LanguageIdentifier(cell.Language), Text: cell.Text})
		e.mu.Lock()
		e.buffers[uri] = &Buffer{Text: cell.Text}
		e.mu.Unlock()
	}
	return all, texts
}

// OpenNotebook opens a notebook with its cells.
func (e *Editor) OpenNotebook(uri protocol.DocumentURI, cells []Cell) {
	all, texts := e.cells(uri, cells)
	e.Notify("notebookDocument/didOpen", map[string]any{
		"notebookDocument":  map[string]any{"uri": uri, "notebookType": "jupyter-notebook", "version": 0, "cells": all},
		"cellTextDocuments": texts,
	})
}

// AddCell adds a cell at the end of a notebook.
func (e *Editor) AddCell(uri protocol.DocumentURI, cell Cell) {
	all, texts := e.cells(uri, []Cell{cell})
	e.tell()
	e.notifyNotebook(uri, map[string]any{"structure": map[string]any{
		"array": map[string]any{"start": 1, "deleteCount": 0, "cells": all}, "didOpen": texts,
	}})
}

// RemoveCell removes a cell of a notebook.
func (e *Editor) RemoveCell(uri protocol.DocumentURI, name string) {
	cell := CellURI(uri, name)
	e.tell()
	e.notifyNotebook(uri, map[string]any{"structure": map[string]any{
		"array": map[string]any{"start": 0, "deleteCount": 1}, "didClose": []any{map[string]any{"uri": cell}},
	}})
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.buffers, cell)
}
