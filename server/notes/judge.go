package notes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/server/folders"
	"lacuna/vecmath/mapped"
)

// Rejudge implements [folders.OpenNotes].
func (n *Notes) Rejudge(f *folders.Folder, pause time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, d := range n.open {
		if d.folder == f {
			d.pause.Reset(pause)
		}
	}
}

// judge looks at every question of a note that is not known yet and publishes diagnostics. It runs
// on the timer's goroutine when the user has paused; a change of the note ends it and starts the
// pause again.
func (n *Notes) judge(d *Document) {
	defer n.editor.Contain("judge")
	mapped.Guard() // the index is memory-mapped, and its files may be truncated
	ctx, cancel := context.WithCancel(n.editor.Context())
	defer cancel()
	n.mu.Lock()
	if d.closed {
		n.mu.Unlock()
		return
	}
	d.stop()
	d.stop = cancel
	snapshot, folder := d.snapshot(), d.folder
	n.mu.Unlock()
	state, _ := handlers.StateOfSources(snapshot.Settings.Sources, snapshot.Library)
	if state == handlers.SourcesRead {
		return // the first library judges every note
	}

	folder.Exclusively(ctx, func() {
		folder.Review(ctx)
		if state == handlers.SourcesReady && snapshot.Settings.Diagnostics.Enabled && !snapshot.Note.Private && folder.MayBeNote(snapshot.Path) {
			folder.JudgeNote(ctx, snapshot, func() { n.Publish(d) })
			if ctx.Err() == nil {
				folder.JudgeClaims(ctx, snapshot, func() { n.Publish(d) })
			}
		}
		if ctx.Err() == nil {
			n.Publish(d)
			folder.Retain()
		}
	})
}

// Publish sends the diagnostics of a note as it is now, or has an editor that pulls them ask again. If
// the note changes or closes while they are computed they are dropped: a change is followed by a run of
// its own.
func (n *Notes) Publish(d *Document) {
	d.publishing.Lock()
	defer d.publishing.Unlock()
	n.mu.Lock()
	snapshot := d.snapshot()
	n.mu.Unlock()
	marks, unchanged := DiagnosticsOf(snapshot), false
	if n.agent {
		if marks, unchanged = n.given(d, snapshot); unchanged {
			return
		}
	}
	diagnostics, id := encode(marks)
	n.mu.Lock()
	defer n.mu.Unlock()
	if d.closed || d.note != snapshot.Note {
		return
	}
	if n.editor.Client().PullDiagnostics {
		if id != d.pulled {
			n.editor.Refresh(lsp.MethodDiagnosticRefresh)
		}
	} else {
		n.send(d, &d.version, diagnostics)
	}
	if now := d.folder.Revision(); now != d.shown {
		d.shown = now
		n.editor.ViewsChanged()
	}
	n.editor.StatusChanged()
}

// given returns what an agent is given of a note: its gaps, redacted and recorded, if the user has allowed it. It is unchanged if the agent
// has it already. The caller must hold d.publishing.
func (n *Notes) given(d *Document, snapshot handlers.Snapshot) (marks []protocol.Diagnostic, unchanged bool) {
	none := []protocol.Diagnostic{}
	if marks = none; snapshot.Settings.Diagnostics.Enabled {
		marks = handlers.GapDiagnostics(snapshot)
	}
	reader := d.folder.Reader()
	if reader == nil {
		return none, true
	}
	if len(marks) > 0 {
		if err := reader.Allowed(); err != nil {
			n.editor.TellAgent(messages.Message{Level: messages.Warning, Text: err.Error()})
			marks = none
		}
	}
	before := ResultID(marks)
	if before == d.given {
		return nil, true
	}
	d.given = before
	texts := make([]*string, len(marks))
	for i := range marks {
		texts[i] = &marks[i].Message
	}
	if len(texts) > 0 {
		if err := reader.Give(texts); err != nil {
			n.log.Error("gaps not given to the agent", "err", err)
			d.given = ""
			return none, false
		}
	}
	return marks, false
}

// send queues encoded diagnostics. The caller must hold Notes.mu, which keeps them in order with a close.
func (n *Notes) send(d *Document, version *int32, diagnostics json.RawMessage) {
	if !n.editor.Client().DiagnosticVersion {
		version = nil
	}
	params := struct {
		lsp.PublishDiagnosticsParams
		Diagnostics json.RawMessage `json:"diagnostics"`
	}{lsp.PublishDiagnosticsParams{URI: d.URI, Version: version}, diagnostics}
	n.editor.Notify(protocol.MethodTextDocumentPublishDiagnostics, params)
}

// Pulled remembers the identity of the diagnostics that the editor has pulled, unless the note has changed
// since: then a later request has the last word.
func (n *Notes) Pulled(d *Document, s handlers.Snapshot, id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d.note == s.Note {
		d.pulled = id
	}
}

// DiagnosticsOf returns what the editor is shown of a document; never nil.
func DiagnosticsOf(snapshot handlers.Snapshot) []protocol.Diagnostic {
	if !snapshot.Settings.Diagnostics.Enabled {
		return []protocol.Diagnostic{}
	}
	return handlers.Diagnostics(snapshot)
}

// ResultID returns the identity of diagnostics: equal for equal ones.
func ResultID(items []protocol.Diagnostic) string {
	_, id := encode(items)
	return id
}

func encode(items []protocol.Diagnostic) (encoded json.RawMessage, id string) {
	encoded, _ = json.Marshal(items) // our values always encode
	sum := sha256.Sum256(encoded)
	return encoded, hex.EncodeToString(sum[:8])
}
