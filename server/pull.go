package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

// Diagnostics are pushed to a client or pulled by it, never both. They are pulled by a client that
// can, and that can be told to pull again: what is known of a question changes without an edit.

// pullDiagnostics answers with what is known now. When more is known the client is told to ask again.
func (s *session) pullDiagnostics(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.DocumentDiagnosticParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.documents[lsp.Key(p.TextDocument.URI)]
	if doc == nil || !s.client.PullDiagnostics {
		return dispatch.Work{Result: lsp.NewDiagnosticReport(nil, "", "")}, nil
	}
	snapshot := s.snapshotOf(doc)
	return dispatch.Work{Lane: dispatch.Fast, Run: func(ctx context.Context) (any, error) {
		items := diagnosticsOf(snapshot)
		id := resultID(items)
		s.mu.Lock()
		if doc.note == snapshot.Note { // else a later request has the last word
			doc.pulled = id
		}
		s.mu.Unlock()
		return lsp.NewDiagnosticReport(items, id, p.PreviousResultID), ctx.Err()
	}}, nil
}

// diagnosticsOf are what a client is shown of a document; never nil.
func diagnosticsOf(snapshot handlers.Snapshot) []protocol.Diagnostic {
	if !snapshot.Settings.Diagnostics.Enabled {
		return []protocol.Diagnostic{}
	}
	return handlers.Diagnostics(snapshot)
}

// resultID is the same for the same diagnostics.
func resultID(items []protocol.Diagnostic) string {
	text, _ := json.Marshal(items) // values of ours always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// refreshEvery is how long changes are gathered before a client is told to ask again.
const refreshEvery = 100 * time.Millisecond

// refresher tells a client to ask anew for what it shows.
type refresher struct {
	mu    sync.Mutex
	timer *time.Timer     // runs from the first change until the client is told; guarded by mu
	due   map[string]bool // methods; guarded by mu
}

// refresh has the client told soon. It may be called with any lock held.
func (s *session) refresh(methods ...string) {
	r := &s.refresher
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.due == nil {
		r.due = make(map[string]bool)
	}
	for _, method := range methods {
		r.due[method] = true
	}
	if r.timer == nil && len(r.due) > 0 {
		r.timer = time.AfterFunc(refreshEvery, s.refreshNow)
	}
}

func (s *session) refreshNow() {
	r := &s.refresher
	r.mu.Lock()
	due := r.due
	r.due, r.timer = nil, nil
	r.mu.Unlock()
	for method := range due {
		go s.request(method, nil)
	}
}

// viewsChanged has the client ask anew for what it shows of questions beside diagnostics.
func (s *session) viewsChanged() {
	if s.client.CodeLensRefresh {
		s.refresh("workspace/codeLens/refresh")
	}
	if s.client.InlayHintRefresh {
		s.refresh(lsp.MethodInlayHintRefresh)
	}
}
