// Package notes holds the notes that are open in the editor, with a lock of their own: it opens, changes and
// closes them, edits them for commands one at a time, has their questions judged when the user pauses, and
// remembers which answers were written into them.
//
// A note's text is immutable: a change makes another [note.Note], and requests work on the snapshot captured
// when they arrived.
package notes

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/server/editor"
	"lacuna/server/folders"
)

// Notes holds the open notes. It is safe for concurrent use; Open, Change and Close are called in the order of
// the editor's notifications. It implements [folders.OpenNotes].
type Notes struct {
	editor *editor.Editor
	log    *slog.Logger
	agent  bool // the client is an agent, which is given gaps and nothing else

	mu     sync.Mutex               // guards the fields below and the fields of documents
	open   map[string]*Document     // by lsp.Key
	closed map[string]closedAnswers // answers in notes that are closed, by lsp.PathKey
	saves  []func()                 // what is still to be observed of saved notes, in order; the first is at work
}

// New returns a set of notes in which none is open. An agent is given their gaps and nothing else.
func New(e *editor.Editor, log *slog.Logger, agent bool) *Notes {
	return &Notes{editor: e, log: log, agent: agent, open: make(map[string]*Document), closed: make(map[string]closedAnswers)}
}

// Document is an open note.
type Document struct {
	URI  protocol.DocumentURI // the editor's spelling
	Path string               // of the file, or of the notebook that a cell belongs to; empty for a document without one

	// The fields below are guarded by Notes.mu.
	version int32
	note    *note.Note
	folder  *folders.Folder
	closed  bool
	gone    bool   // the editor has deleted its file, and may close it minutes later
	pulled  string // identity of the diagnostics that the editor pulled last
	tokens  tokens // that the editor was given last
	shown   int    // revision of the findings that the editor has

	pause   *time.Timer        // until the note is judged
	stop    context.CancelFunc // ends the judging that is under way
	answers answers            // that this session wrote; nil at first
	saved   *note.Note         // as it was saved last; nil at first

	edited int32         // version that the newest edit of ours was for; differs from version once the editor has reported the change
	dirty  chan struct{} // closed by the next change and by the close, and then replaced

	// The fields below are not guarded.
	editing    chan struct{} // the edit lock: holds a token while a command edits the note
	publishing sync.Mutex    // held from taking a snapshot to sending its diagnostics
	given      string        // identity of what an agent was given last; guarded by publishing
}

// tokens holds the semantic tokens last sent to the editor for a document.
type tokens struct {
	number int // of the result; 0 is none
	data   []uint32
}

// Name identifies a document in what is remembered between sessions.
func (d *Document) Name() string { return folders.NameOf(d.URI, d.Path) }

// hasFile reports whether a file holds the document and nothing else; the cells of a notebook share theirs.
func (d *Document) hasFile() bool {
	_, ok := lsp.Path(d.URI)
	return ok
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

// Snapshot implements handlers.EditTarget.
func (n *Notes) Snapshot(uri protocol.DocumentURI) (handlers.Snapshot, bool) {
	s, d := n.Capture(uri)
	return s, d != nil
}

// Capture captures a document as it is now. For one that is not open, d is nil.
func (n *Notes) Capture(uri protocol.DocumentURI) (s handlers.Snapshot, d *Document) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d = n.open[lsp.Key(uri)]; d != nil {
		s = d.snapshot()
	}
	return s, d
}

// snapshot captures a document. The caller must hold Notes.mu.
func (d *Document) snapshot() handlers.Snapshot {
	s := d.folder.Snapshot(d.URI, d.Path, d.version, d.note)
	s.Settings.Diagnostics.Enabled = s.Settings.Diagnostics.Enabled && !d.gone
	return s
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

// writtenAnswer is an answer that this session has written below a question.
type writtenAnswer struct {
	question note.Question
	result   answer.Result
	fate     handlers.Disposition // that was acted upon last; empty at first
}

// asked returns what the answer is stored with: the question as it was searched for, which means the same in any note.
func (w writtenAnswer) asked() string {
	q := w.question
	q.Text = cmp.Or(w.result.Question.Text, q.Text)
	return q.Asked()
}

// answers holds the answers that this session has written into a note.
type answers map[note.QuestionID]writtenAnswer

// closedAnswers holds the answers written into a note that has been closed since.
type closedAnswers struct {
	path    string
	answers answers
	renamed bool // since it was closed
}
