// Package notes holds the notes that are open in the editor, with a lock of their own: it opens, changes and
// closes them, edits them for commands one at a time, has their questions judged when the user pauses, and
// remembers which answers were written into them.
//
// A note's text is immutable: a change makes another [note.Note], and requests work on the snapshot captured
// when they arrived.
package notes

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/server/editor"
	"lacuna/server/folders"
)

// Notes are the open notes. It is safe for concurrent use; Open, Change and Close are called in the order in
// which the editor reports. It implements [folders.OpenNotes].
type Notes struct {
	editor *editor.Editor
	log    *slog.Logger

	mu     sync.Mutex               // guards the fields below and the fields of documents
	open   map[string]*Document     // by lsp.Key
	closed map[string]closedAnswers // answers in notes that are closed, by lsp.PathKey
	saves  []func()                 // what is still to be observed of saved notes, in order; the first is at work
}

// New returns a set of notes in which none is open.
func New(e *editor.Editor, log *slog.Logger) *Notes {
	return &Notes{editor: e, log: log, open: make(map[string]*Document), closed: make(map[string]closedAnswers)}
}

// Document is an open note.
type Document struct {
	URI  protocol.DocumentURI // the editor's spelling
	Path string               // empty for a document without a file

	// The fields below are guarded by Notes.mu.
	version int32
	note    *note.Note
	folder  *folders.Folder
	closed  bool
	pulled  string // identity of the diagnostics that the editor pulled last
	tokens  tokens // that the editor was given last
	shown   int    // revision of the findings that the editor has been told of

	pause   *time.Timer        // until the note is judged
	stop    context.CancelFunc // ends the judging that is under way
	answers answers            // that this session wrote; nil at first
	saved   *note.Note         // as it was saved last; nil at first

	edited int32         // version that the newest edit of ours was for; differs from version once the editor has reported the change
	dirty  chan struct{} // closed by the next change and by the close, and then replaced

	// The fields below are not guarded.
	editing    chan struct{} // the edit lock: holds a token while a command edits the note
	publishing sync.Mutex    // held from taking a snapshot to sending its diagnostics
}

// tokens are the semantic tokens that the editor was given last for a document.
type tokens struct {
	number int // of the result; 0 is none
	data   []uint32
}

// Name identifies a document in what is remembered between sessions.
func (d *Document) Name() string { return folders.NameOf(d.URI, d.Path) }

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
	text := applyChanges(d.note, p.ContentChanges, n.editor.Client().Encoding)
	d.version = p.TextDocument.Version
	d.signal()
	if text == d.note.Text {
		return
	}
	d.note = d.note.Edited(text)
	d.stop()
	d.pause.Reset(d.folder.Settings().Diagnostics.Debounce)
}

// applyChanges makes the changes one after the other, each on the result of the one before. Odd
// positions are clamped: a change that misses by a column still has to leave the rest in step.
func applyChanges(n *note.Note, changes []lsp.ContentChange, e position.Encoding) string {
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
	if d.Path == "" {
		go n.prune(d)
	}
	if !n.editor.Client().PullDiagnostics { // an editor that pulls knows by itself
		n.send(d, nil, emptyList)
	}
	d.folder.NotesChanged()
	n.editor.StatusChanged()
}

// discard ends everything that goes on for a document. The caller must hold Notes.mu.
func (d *Document) discard() {
	d.closed = true
	d.signal()
	d.pause.Stop()
	d.stop()
}

// signal ends every wait for a change. The caller must hold Notes.mu.
func (d *Document) signal() {
	close(d.dirty)
	d.dirty = make(chan struct{})
}

// Rehome gives every document the folder that it belongs to after the editor's folders have changed.
func (n *Notes) Rehome(folderOf func(path string) *folders.Folder) {
	for _, d := range n.all() {
		folder := folderOf(d.Path) // looks at the disk
		n.mu.Lock()
		if folder != d.folder && !d.closed {
			d.folder = folder
			d.pause.Reset(0)
		}
		n.mu.Unlock()
	}
}

func (n *Notes) all() []*Document {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []*Document
	for _, d := range n.open {
		all = append(all, d)
	}
	return all
}

// Find returns an open document, or nil.
func (n *Notes) Find(uri protocol.DocumentURI) *Document {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open[lsp.Key(uri)]
}

// Snapshot captures a document as it is now. For one that is not open, d is nil.
func (n *Notes) Snapshot(uri protocol.DocumentURI) (s handlers.Snapshot, d *Document) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d = n.open[lsp.Key(uri)]; d != nil {
		s = d.snapshot()
	}
	return s, d
}

// snapshot captures a document. The caller must hold Notes.mu.
func (d *Document) snapshot() handlers.Snapshot {
	return d.folder.Snapshot(d.URI, d.Path, d.version, d.note)
}

// Folder returns the folder of a document.
func (n *Notes) Folder(d *Document) *folders.Folder {
	n.mu.Lock()
	defer n.mu.Unlock()
	return d.folder
}

// Versions returns the versions of the open documents by [lsp.Key].
func (n *Notes) Versions() map[string]int32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	versions := make(map[string]int32, len(n.open))
	for key, d := range n.open {
		versions[key] = d.version
	}
	return versions
}

// In implements [folders.OpenNotes].
func (n *Notes) In(f *folders.Folder) map[string]handlers.Page {
	n.mu.Lock()
	defer n.mu.Unlock()
	pages := make(map[string]handlers.Page)
	for _, d := range n.open {
		if d.folder == f {
			pages[d.Name()] = handlers.Page{URI: d.URI, Path: d.Path, Note: d.note}
		}
	}
	return pages
}

// ReplaceTokens stores the newest semantic tokens of a document, numbers them, and returns the tokens before
// with their number, which is 0 for none.
func (n *Notes) ReplaceTokens(d *Document, data []uint32) (number int, before []uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	number, before = d.tokens.number, d.tokens.data
	d.tokens = tokens{number: number + 1, data: data}
	return number, before
}

// Saved takes in that the editor has saved a document.
func (n *Notes) Saved(d *Document) {
	go n.prune(d)
	n.mu.Lock()
	now := d.note
	n.mu.Unlock()
	n.observe(d, now)
}

// prune forgets what is remembered of questions that are not in the document any more.
func (n *Notes) prune(d *Document) {
	defer n.editor.Contain("gaps")
	n.mu.Lock()
	now, folder := d.note, d.folder
	if d.closed {
		now = nil
	}
	n.mu.Unlock()
	folder.Prune(n.editor.Context(), d.Name(), now)
}

// awaitChange waits until a document is closed or at another version than this one, or until d has passed or
// ctx has ended.
func (n *Notes) awaitChange(ctx context.Context, d *Document, version int32, patience time.Duration) {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		n.mu.Lock()
		changed, dirty := d.closed || d.version != version, d.dirty
		n.mu.Unlock()
		if changed {
			return
		}
		select {
		case <-dirty:
		case <-timeout.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
