package server

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/server/dispatch"
)

// A client that pulls diagnostics gets those of notes that are not open, too: what is missing for their
// questions. An open note is left out, as its own are pulled.

// newsPause is how long news is gathered before a client that waits for it is told.
const newsPause = time.Second

// pullWorkspace answers with the reports that are other than those the client has. A client that takes
// parts is told by and by, until it cancels or the session ends.
func (s *session) pullWorkspace(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.WorkspaceDiagnosticParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	none := lsp.WorkspaceDiagnosticReport{Items: []lsp.WorkspaceDocumentReport{}}
	if !s.client.PullDiagnostics {
		return dispatch.Work{Result: none}, nil
	}
	has := make(reports)
	for _, previous := range p.PreviousResultIDs {
		has[lsp.Key(previous.URI)] = report{previous.URI, previous.Value}
	}
	if p.PartialResultToken == "" {
		return dispatch.Work{Lane: dispatch.Brisk, Run: func(ctx context.Context) (any, error) {
			return lsp.WorkspaceDiagnosticReport{Items: s.newReports(ctx, has, true)}, ctx.Err()
		}}, nil
	}
	return dispatch.Work{Lane: dispatch.Held, Run: func(ctx context.Context) (any, error) {
		listening, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(s.serving, stop)()
		for first := true; listening.Err() == nil; first = false {
			more := s.unseen.next()
			if items := s.newReports(listening, has, first); first || len(items) > 0 {
				s.conn.Notify(protocol.MethodProgress, lsp.ProgressParams{Token: p.PartialResultToken, Value: lsp.WorkspaceDiagnosticReport{Items: items}})
			}
			select {
			case <-more:
				wait(listening, newsPause)
			case <-listening.Done():
			}
		}
		return none, ctx.Err()
	}}, nil
}

// report is what a client was told of a document last: under which spelling, and which result.
type report struct {
	uri protocol.DocumentURI
	id  string
}

// reports are those that a client has, by [lsp.Key].
type reports map[string]report

// newReports returns what is not among the reports that a client has, in the order of the names, and puts it
// there. On the first time the unchanged ones are named as well.
func (s *session) newReports(ctx context.Context, has reports, first bool) []lsp.WorkspaceDocumentReport {
	items := []lsp.WorkspaceDocumentReport{}
	found := s.closedNotes(ctx)
	for _, key := range slices.Sorted(maps.Keys(found)) {
		diagnostics := diagnosticsOf(found[key])
		id, had := resultID(diagnostics), has[key]
		if had.id == id && !first || had.id == "" && len(diagnostics) == 0 {
			continue
		}
		has[key] = report{found[key].URI, id}
		items = append(items, lsp.WorkspaceDocumentReport{
			DocumentDiagnosticReport: lsp.NewDiagnosticReport(diagnostics, id, had.id), URI: found[key].URI,
		})
	}
	for _, key := range slices.Sorted(maps.Keys(has)) {
		if _, there := found[key]; there || ctx.Err() != nil {
			continue
		}
		if s.document(has[key].uri) == nil { // else it has its own, which this would take away
			items = append(items, lsp.WorkspaceDocumentReport{DocumentDiagnosticReport: lsp.NewDiagnosticReport(nil, "", ""), URI: has[key].uri})
		}
		delete(has, key)
	}
	return items
}

// closedNotes are the notes that are not open and of which gaps are known, by [lsp.Key].
func (s *session) closedNotes(ctx context.Context) map[string]handlers.Snapshot {
	s.mu.Lock()
	bases := slices.Clone(s.bases)
	s.mu.Unlock()
	closed := make(map[string]handlers.Snapshot)
	for _, b := range bases {
		for _, listed := range s.openGaps(ctx, b) {
			path := listed.Ref.Note
			key := lsp.Key(lsp.URI(path))
			if _, done := closed[key]; done || ctx.Err() != nil || b.holds(path) || s.document(lsp.URI(path)) != nil {
				continue
			}
			if n, err := b.shelf.note(path); err == nil && note.Known("", path) {
				closed[key] = b.closedNote(path, n)
			}
		}
	}
	return closed
}

// closedNote is a note on disk, with what is known of its questions.
func (b *base) closedNote(path string, n *note.Note) handlers.Snapshot {
	library, stored := b.library(), b.ledger()
	return handlers.Snapshot{
		URI: lsp.URI(path), Path: path, Note: n, Library: library, Settings: b.settings(), Client: b.s.client, Pages: b.now.Load().pages,
		Finding: func(q note.Question) (answer.Result, bool) {
			if gaps, judged := stored.Gaps(library, askedIn(path, q)); judged {
				return answer.Result{Gaps: gaps}, true
			}
			found, known := b.findings.get(askedIn(path, q), library)
			return answer.Result{Gaps: found.Gaps}, known
		},
		Dismissed: func(q note.Question, gapID string) bool { return stored.IsDismissed(askedIn(path, q), gapID) },
	}
}

// news wakes those who wait for it. The zero value is ready, and its methods may be called at any time.
type news struct {
	mu   sync.Mutex
	came chan struct{} // closed by the next news; nil while nobody waits; guarded by mu
}

// next is closed when there is news from now on.
func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.came == nil {
		n.came = make(chan struct{})
	}
	return n.came
}

func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.came != nil {
		close(n.came)
		n.came = nil
	}
}
