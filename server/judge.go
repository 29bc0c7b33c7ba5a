package server

import (
	"context"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/vecmath/mapped"
)

// publishEvery is how often the diagnostics of a long note are published while it is judged.
const publishEvery = time.Second

// judge looks at every question of a note that is not known yet and publishes diagnostics. It runs
// on the timer's goroutine when the user has paused; a change of the note ends it and starts the
// pause again.
func (s *session) judge(doc *document) {
	defer s.contain("judge")
	mapped.Guard() // the index is memory-mapped, and its files may be truncated
	ctx, cancel := context.WithCancel(s.conn.Context())
	defer cancel()
	s.mu.Lock()
	if doc.closed {
		s.mu.Unlock()
		return
	}
	doc.stop()
	doc.stop = cancel
	snapshot, base := s.snapshotOf(doc), doc.base
	s.mu.Unlock()
	state, _ := handlers.StateOfSources(snapshot.Settings.Sources, snapshot.Library)
	if state == handlers.SourcesRead {
		return // the first library judges every note
	}

	s.inTurn(ctx, func() {
		base.review(ctx)
		if state == handlers.SourcesReady && snapshot.Settings.Diagnostics.Enabled && !snapshot.Note.Private && !base.holds(snapshot.Path) {
			s.findOut(ctx, doc, base, snapshot)
		}
		if ctx.Err() == nil {
			s.publish(doc)
			base.findings.retain(base.notes())
		}
	})
}

// inTurn does a piece of judging when no other is under way. It reports whether it was done: not if ctx
// ends before.
func (s *session) inTurn(ctx context.Context, work func()) bool {
	select {
	case s.judging <- struct{}{}:
		defer func() { <-s.judging }()
		work()
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// findOut answers the questions of a snapshot that nobody has answered with its library yet.
func (s *session) findOut(ctx context.Context, doc *document, base *base, snapshot handlers.Snapshot) {
	// No model and no network: nobody asked for anything yet.
	strategy, err := base.strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		s.log.Debug("nothing to judge with", "err", err)
		return
	}
	generation := snapshot.Library.Generation()
	var open []note.Question
	for _, q := range snapshot.Note.Questions {
		if !base.findings.fresh(q, generation) {
			open = append(open, q)
		}
	}
	if known := len(snapshot.Note.Questions) - len(open); known > 0 && len(open) > 1 {
		s.publish(doc) // what is known moves along with the typing and does not wait for all the rest
	}
	published := time.Now()
	for _, q := range open {
		if base.findings.fresh(q, generation) { // it was asked twice
			continue
		}
		base.judgeQuestion(ctx, strategy, snapshot.Library, q)
		if ctx.Err() != nil {
			return
		}
		if time.Since(published) >= publishEvery {
			s.publish(doc)
			published = time.Now()
		}
	}
}

// judgeQuestion keeps what the offline judge finds, unless ctx ends before.
func (b *base) judgeQuestion(ctx context.Context, strategy answer.Strategy, library *knowledge.Library, q note.Question) {
	result, err := contained{b, strategy}.Answer(ctx, library, answer.Question{Text: q.Text})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		b.s.log.Warn("question not judged", "err", err)
	default:
		b.findings.judge(q, result, library.Generation())
	}
}

// openNotes returns the open notes of a base by their names.
func (s *session) openNotes(b *base) map[string]*note.Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	notes := make(map[string]*note.Note)
	for _, doc := range s.documents {
		if doc.base == b {
			notes[doc.name()] = doc.note
		}
	}
	return notes
}

// publish sends the diagnostics of a note as it is now, or has a client that pulls them ask again. If
// the note changes or closes while they are computed they are dropped: a change is followed by a run of
// its own.
func (s *session) publish(doc *document) {
	doc.publish.Lock()
	defer doc.publish.Unlock()
	s.mu.Lock()
	snapshot := s.snapshotOf(doc)
	s.mu.Unlock()
	diagnostics := diagnosticsOf(snapshot)
	id := ""
	if s.client.PullDiagnostics {
		id = resultID(diagnostics)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if doc.closed || doc.note != snapshot.Note {
		return
	}
	if s.client.PullDiagnostics {
		if id != doc.pulled {
			s.refresh(lsp.MethodDiagnosticRefresh)
		}
	} else {
		s.send(doc.uri, &doc.version, diagnostics)
	}
	if now := doc.base.findings.revision(); now != doc.shown {
		doc.shown = now
		s.viewsChanged()
	}
	s.statusChanged()
}

// send queues diagnostics; the caller holds session.mu, which keeps them in order with a close.
func (s *session) send(uri protocol.DocumentURI, version *int32, diagnostics []protocol.Diagnostic) {
	if !s.client.DiagnosticVersion {
		version = nil
	}
	s.conn.Notify(protocol.MethodTextDocumentPublishDiagnostics, lsp.PublishDiagnosticsParams{
		URI: uri, Version: version, Diagnostics: diagnostics,
	})
}

// judgeAll judges every open note of a base again, after a short pause in which more may change.
func (s *session) judgeAll(b *base, pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, doc := range s.documents {
		if doc.base == b {
			doc.pause.Reset(pause)
		}
	}
}
