package server

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/server/notes"
)

// Each Markdown cell of a notebook is a note whose file is the notebook's. Raw cells are read for what the front matter
// of the notebook says, and code is never read.

// rawLanguage is the language of cells that are for other programs, such as Quarto's front matter.
const rawLanguage = "raw"

// notebookSync says which cells the client is to report.
var notebookSync = &lsp.NotebookSyncOptions{
	NotebookSelector: []lsp.NotebookSelector{{
		Notebook: "*", Cells: []lsp.CellLanguage{{Language: string(note.Markdown)}, {Language: rawLanguage}},
	}},
	Save: true,
}

// notebook is an open notebook. It is used on the reading goroutine only.
type notebook struct {
	path    string                          // of the file; empty without one
	markup  map[string]bool                 // cells with text for people, by [lsp.Key]
	cells   map[string]protocol.DocumentURI // that are open notes, by [lsp.Key]
	raw     map[string]*note.Note           // raw cells by [lsp.Key]
	private bool                            // a cell says so, or said so since the notebook was opened
}

func (s *session) didOpenNotebook(p lsp.NotebookDidOpenParams) {
	uri := p.NotebookDocument.URI
	s.closeNotebook(uri) // opened twice without a close between
	path, _ := lsp.Path(uri)
	book := &notebook{path: path, markup: make(map[string]bool), cells: make(map[string]protocol.DocumentURI), raw: make(map[string]*note.Note)}
	if s.notebooks == nil {
		s.notebooks = make(map[string]*notebook)
	}
	s.notebooks[lsp.Key(uri)] = book
	book.know(p.NotebookDocument.Cells)
	s.openCells(book, p.CellTextDocuments)
}

// know takes in which cells are text for people.
func (b *notebook) know(cells []lsp.NotebookCell) {
	for _, cell := range cells {
		b.markup[lsp.Key(cell.Document)] = cell.Kind == lsp.CellMarkup
	}
}

// openCells opens the Markdown cells as notes. Raw cells come first: what they say of all cells holds from the beginning.
func (s *session) openCells(book *notebook, items []protocol.TextDocumentItem) {
	for _, item := range items {
		if key := lsp.Key(item.URI); item.LanguageID == rawLanguage {
			book.raw[key] = note.Parse(item.Text, note.Markdown)
			book.private = book.private || book.raw[key].Private
		}
	}
	var opened []protocol.DocumentURI
	for _, item := range items {
		key := lsp.Key(item.URI)
		if !book.markup[key] || item.LanguageID == rawLanguage || !note.Known(string(item.LanguageID), "") {
			continue
		}
		parsed := note.Parse(item.Text, note.LanguageOf(string(item.LanguageID), ""))
		book.private = book.private || parsed.Private
		if book.private {
			parsed = parsed.AsPrivate()
		}
		s.notes.Open(item, book.path, parsed, s.folders.For(book.path))
		book.cells[key] = item.URI
		opened = append(opened, item.URI)
	}
	if book.private && len(opened) < len(book.cells) {
		s.withhold(book)
	}
}

// withhold makes all cells of a notebook private, because one of them says so.
func (s *session) withhold(book *notebook) {
	book.private = true
	for _, uri := range book.cells {
		s.notes.MakePrivate(uri)
	}
}

func (s *session) didChangeNotebook(p lsp.NotebookDidChangeParams) {
	book := s.notebooks[lsp.Key(p.NotebookDocument.URI)]
	if book == nil {
		return
	}
	cells := p.Change.Cells
	for _, closed := range cells.Structure.DidClose {
		s.closeCell(book, closed.URI)
	}
	book.know(cells.Structure.Array.Cells)
	s.openCells(book, cells.Structure.DidOpen)
	for _, change := range cells.TextContent {
		key := lsp.Key(change.Document.URI)
		if raw := book.raw[key]; raw != nil {
			book.raw[key] = raw.WithText(notes.ApplyChanges(raw, change.Changes, s.editor.Client().Encoding))
			if !book.private && book.raw[key].Private {
				s.withhold(book)
			}
			continue
		}
		if _, open := book.cells[key]; !open {
			continue
		}
		s.notes.Change(lsp.DidChangeParams{TextDocument: change.Document, ContentChanges: change.Changes})
		if now, doc := s.notes.Capture(change.Document.URI); doc != nil && now.Note.Private && !book.private {
			s.withhold(book)
		}
	}
}

func (s *session) closeCell(book *notebook, uri protocol.DocumentURI) {
	key := lsp.Key(uri)
	if _, open := book.cells[key]; open {
		s.notes.Close(uri)
	}
	delete(book.cells, key)
	delete(book.raw, key)
	delete(book.markup, key)
}

func (s *session) didSaveNotebook(p lsp.NotebookParams) {
	book := s.notebooks[lsp.Key(p.NotebookDocument.URI)]
	if book == nil {
		return
	}
	if book.path != "" {
		s.folders.FileChanged(book.path)
	}
	for _, uri := range book.cells {
		if doc := s.notes.Find(uri); doc != nil {
			s.notes.Saved(doc)
		}
	}
}

func (s *session) didCloseNotebook(p lsp.NotebookParams) { s.closeNotebook(p.NotebookDocument.URI) }

func (s *session) closeNotebook(uri protocol.DocumentURI) {
	key := lsp.Key(uri)
	if book := s.notebooks[key]; book != nil {
		for _, cell := range book.cells {
			s.notes.Close(cell)
		}
		delete(s.notebooks, key)
	}
}
