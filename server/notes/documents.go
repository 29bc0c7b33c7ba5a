package notes

import (
	"encoding/json"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/server/folders"
)

// emptyList is the encoded list without diagnostics.
var emptyList = json.RawMessage("[]")

// Open takes in a document that the editor has opened, in its folder.
func (n *Notes) Open(item protocol.TextDocumentItem, path string, parsed *note.Note, folder *folders.Folder) {
	d := &Document{
		URI: item.URI, Path: path, version: item.Version, edited: item.Version - 1, note: parsed, folder: folder,
		stop: func() {}, dirty: make(chan struct{}), editing: make(chan struct{}, 1),
	}
	key := lsp.Key(item.URI)
	n.mu.Lock()
	defer n.mu.Unlock()
	if old := n.open[key]; old != nil { // opened twice without a close between
		old.discard()
	}
	n.rejoin(d)
	n.open[key] = d
	d.pause = time.AfterFunc(0, func() { n.judge(d) })
}

// Change takes in changes of a document.
func (n *Notes) Change(p lsp.DidChangeParams) {
	n.mu.Lock()
	defer n.mu.Unlock()
	d := n.open[lsp.Key(p.TextDocument.URI)]
	if d == nil {
		return
	}
	if p.TextDocument.Version <= d.version {
		// The changes are still the newest state of the text there is; refusing them would leave
		// every later one at the wrong place.
		n.log.Warn("version did not increase", "from", d.version, "to", p.TextDocument.Version)
	}
	text := ApplyChanges(d.note, p.ContentChanges, n.editor.Client().Encoding)
	d.version = p.TextDocument.Version
	d.signal()
	if text == d.note.Text {
		return
	}
	d.note = d.note.WithText(text)
	d.gone = false // who types into it wants to keep it
	d.stop()
	d.pause.Reset(d.folder.Settings().Diagnostics.Debounce)
}

// ApplyChanges returns the text of a note after changes. It makes them one after the other, each on the result of the one before. Odd
// positions are clamped: a change that misses by a column still has to leave the rest in step.
func ApplyChanges(n *note.Note, changes []lsp.ContentChange, e position.Encoding) string {
	text, lines := n.Text, n.Lines
	for i, change := range changes {
		if i > 0 {
			lines = position.NewLines(text)
		}
		if change.Range == nil {
			text = change.Text
			continue
		}
		start := lines.Offset(position.Position{Line: change.Range.Start.Line, Column: change.Range.Start.Character}, e)
		end := lines.Offset(position.Position{Line: change.Range.End.Line, Column: change.Range.End.Character}, e)
		if end < start {
			start, end = end, start
		}
		text = text[:start] + change.Text + text[end:]
	}
	return text
}

// MakePrivate makes an open note private, whatever it says, until it is closed.
func (n *Notes) MakePrivate(uri protocol.DocumentURI) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d := n.open[lsp.Key(uri)]; d != nil && !d.note.Private {
		d.note = d.note.AsPrivate()
		d.stop()
		d.pause.Reset(0)
	}
}

// Close takes in that the editor has closed a document.
func (n *Notes) Close(uri protocol.DocumentURI) {
	key := lsp.Key(uri)
	n.mu.Lock()
	defer n.mu.Unlock()
	d := n.open[key]
	if d == nil {
		return
	}
	n.leave(d)
	d.discard()
	delete(n.open, key)
	if d.Path == "" { // it cannot be opened again
		go n.prune(d, d.folder, nil)
	}
	if !n.editor.Client().PullDiagnostics { // an editor that pulls knows by itself
		n.send(d, nil, emptyList)
	}
	d.folder.NotesChanged()
	n.editor.StatusChanged()
}

// Saved takes in that the editor has saved a document.
func (n *Notes) Saved(d *Document) {
	n.mu.Lock()
	now, folder := d.note, d.folder
	if d.gone {
		d.gone = false
		d.pause.Reset(0)
	}
	n.mu.Unlock()
	go n.prune(d, folder, now)
	n.observe(d, now)
}

// Deleted takes the marks from the open notes at these paths or below them, which the editor has deleted: VS Code tells that
// they are closed when it has no more use for their text, up to some minutes later.
func (n *Notes) Deleted(paths []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, d := range n.open {
		if !d.hasFile() || !slices.ContainsFunc(paths, func(path string) bool { _, in := lsp.Within(d.Path, path); return in }) {
			continue
		}
		d.gone = true
		d.stop()
		d.pause.Reset(0) // publishes that there is nothing
	}
}

// prune forgets what is remembered of questions that are not in a document as it was saved, and everything
// about a document that is gone, which is nil. The document may have been changed or closed since.
func (n *Notes) prune(d *Document, folder *folders.Folder, saved *note.Note) {
	defer n.editor.Contain("gaps")
	folder.Prune(n.editor.Context(), d.Name(), saved)
}
