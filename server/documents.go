package server

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/knowledge/answer"
)

// document is an open note. Its fields are guarded by session.mu.
type document struct {
	uri     protocol.DocumentURI // the client's spelling
	path    string               // empty for a document without a file
	version int32
	note    *note.Note
	base    *base
	closed  bool
	pulled  string // identity of the diagnostics that the client pulled last
	tokens  tokens // that the client was given last
	shown   int    // revision of the findings that the client has been told of

	pause *time.Timer        // until the note is judged
	stop  context.CancelFunc // ends the judging that is under way
	wrote answers            // that this session wrote; nil at first
	saved *note.Note         // as it was saved last; nil at first

	edited  int32         // version that the newest edit of ours was for; another one than version once the client has told of it
	changed chan struct{} // closed by the next change and by the close, and then another one

	turn    chan struct{} // holds a token while a command edits the note; not guarded
	publish sync.Mutex    // held from taking a snapshot to sending its diagnostics
}

func newDocument(uri protocol.DocumentURI, path string, version int32, n *note.Note) *document {
	return &document{
		uri: uri, path: path, version: version, edited: version - 1, note: n,
		stop: func() {}, changed: make(chan struct{}), turn: make(chan struct{}, 1),
	}
}

func (s *session) didOpen(p protocol.DidOpenTextDocumentParams) {
	item := p.TextDocument
	path, _ := lsp.Path(item.URI)
	if !note.Known(string(item.LanguageID), path) { // it is some other server's
		return
	}
	parsed := note.Parse(item.Text, note.LanguageOf(string(item.LanguageID), path))
	doc := newDocument(item.URI, path, item.Version, parsed)
	key := lsp.Key(item.URI)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ours(path) {
		return
	}
	if old := s.documents[key]; old != nil { // opened twice without a close between
		old.discard()
	}
	doc.base = s.baseFor(path)
	s.rejoin(doc)
	s.documents[key] = doc
	doc.pause = time.AfterFunc(0, func() { s.judge(doc) })
}

func (s *session) didChange(p lsp.DidChangeParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.documents[lsp.Key(p.TextDocument.URI)]
	if doc == nil {
		return
	}
	if p.TextDocument.Version <= doc.version {
		// The changes are still the newest news of the text there is; refusing them would leave
		// every later one at the wrong place.
		s.log.Warn("version did not increase", "from", doc.version, "to", p.TextDocument.Version)
	}
	text := applyChanges(doc.note, p.ContentChanges, s.client.Encoding)
	doc.version = p.TextDocument.Version
	doc.news()
	if text == doc.note.Text {
		return
	}
	doc.note = doc.note.Edited(text)
	doc.stop()
	doc.pause.Reset(doc.base.settings().Diagnostics.Debounce)
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

func (s *session) didClose(p protocol.DidCloseTextDocumentParams) {
	key := lsp.Key(p.TextDocument.URI)
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.documents[key]
	if doc == nil {
		return
	}
	s.leave(doc)
	doc.discard()
	delete(s.documents, key)
	if doc.path == "" {
		go s.prune(s.conn.Context(), doc)
	}
	if !s.client.PullDiagnostics { // who pulls knows by itself
		s.send(doc.uri, nil, []protocol.Diagnostic{})
	}
	wake(doc.base.notesStale)
	s.statusChanged()
}

// discard ends everything that goes on for a document; the caller holds session.mu.
func (doc *document) discard() {
	doc.closed = true
	doc.news()
	doc.pause.Stop()
	doc.stop()
}

// news ends every wait for a change; the caller holds session.mu.
func (doc *document) news() {
	close(doc.changed)
	doc.changed = make(chan struct{})
}

// moved waits until a document is at another version than this one or is closed, or until d has passed
// or ctx has ended.
func (s *session) moved(ctx context.Context, doc *document, version int32, d time.Duration) {
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	for {
		s.mu.Lock()
		moved, changed := doc.closed || doc.version != version, doc.changed
		s.mu.Unlock()
		if moved {
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// name identifies a document in what is kept between sessions.
func (doc *document) name() string {
	if doc.path == "" {
		return string(doc.uri)
	}
	return doc.path
}

// snapshot captures a document as it is now.
func (s *session) snapshot(uri protocol.DocumentURI) (handlers.Snapshot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.documents[lsp.Key(uri)]
	if doc == nil {
		return handlers.Snapshot{}, false
	}
	return s.snapshotOf(doc), true
}

// snapshotOf captures a document; the caller holds session.mu.
func (s *session) snapshotOf(doc *document) handlers.Snapshot {
	base, name := doc.base, doc.name()
	return handlers.Snapshot{
		URI:       doc.uri,
		Path:      doc.path,
		Version:   doc.version,
		Note:      doc.note,
		Library:   base.library(),
		Settings:  base.settings(),
		Client:    s.clientNow(),
		Models:    base.models(),
		Pages:     base.now.Load().pages,
		Finding:   func(q note.Question) (answer.Result, bool) { return base.finding(askedIn(name, q)) },
		Part:      base.findings.part,
		Dismissed: func(q note.Question, gapID string) bool { return base.ledger().IsDismissed(askedIn(name, q), gapID) },
		Accepted:  base.accepted,
	}
}
