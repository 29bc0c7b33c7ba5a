package server

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
	"lacuna/server/notes"
)

// Diagnostics are pushed to a client or pulled by it, never both. A client pulls them if it supports that
// and can be asked to pull again, because what is known of a question changes without an edit.

// pullDiagnostics replies with the current diagnostics. When they change the client is asked to pull again.
func (s *session) pullDiagnostics(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.DocumentDiagnosticParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, doc := s.notes.Capture(p.TextDocument.URI)
	if doc == nil || !s.editor.Client().PullDiagnostics {
		return dispatch.Work{Result: lsp.NewDiagnosticReport(nil, "", "")}, nil
	}
	return dispatch.Work{Lane: dispatch.Interactive, Run: func(ctx context.Context) (any, error) {
		items := notes.DiagnosticsOf(snapshot)
		id := notes.ResultID(items)
		s.notes.Pulled(doc, snapshot, id)
		return lsp.NewDiagnosticReport(items, id, p.PreviousResultID), ctx.Err()
	}}, nil
}

// A client that pulls diagnostics also gets closed notes' diagnostics: the gaps of their questions. Open
// notes are left out, because the client pulls them one by one.

// changePause is the time for which changes are collected before a client that waits for them is notified.
const changePause = time.Second

// pullWorkspace answers with the reports that are other than those the client has. A client that takes
// partial results gets them as they come, until it cancels or the session ends.
func (s *session) pullWorkspace(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.WorkspaceDiagnosticParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	none := lsp.WorkspaceDiagnosticReport{Items: []lsp.WorkspaceDocumentReport{}}
	if !s.editor.Client().PullDiagnostics {
		return dispatch.Work{Result: none}, nil
	}
	has := make(reports)
	for _, previous := range p.PreviousResultIDs {
		has[lsp.Key(previous.URI)] = report{previous.URI, previous.Value}
	}
	if p.PartialResultToken == "" {
		return dispatch.Work{Lane: dispatch.Brief, Run: func(ctx context.Context) (any, error) {
			return lsp.WorkspaceDiagnosticReport{Items: s.newReports(ctx, has, true)}, ctx.Err()
		}}, nil
	}
	return dispatch.Work{Lane: dispatch.Held, Run: func(ctx context.Context) (any, error) {
		listening, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(s.serving, stop)()
		for first := true; listening.Err() == nil; first = false {
			more := s.editor.Changed()
			if items := s.newReports(listening, has, first); first || len(items) > 0 {
				s.conn.Notify(protocol.MethodProgress, lsp.ProgressParams{Token: p.PartialResultToken, Value: lsp.WorkspaceDiagnosticReport{Items: items}})
			}
			select {
			case <-more:
				wait(listening, changePause)
			case <-listening.Done():
			}
		}
		return none, ctx.Err()
	}}, nil
}

// report describes the last report to a client about a document: the URI's spelling, and the result.
type report struct {
	uri protocol.DocumentURI
	id  string
}

// reports holds a client's reports, by [lsp.Key].
type reports map[string]report

// newReports returns what is not among the reports that a client has, in the order of the names, and puts it
// there. On the first time the unchanged ones are named as well.
func (s *session) newReports(ctx context.Context, has reports, first bool) []lsp.WorkspaceDocumentReport {
	items := []lsp.WorkspaceDocumentReport{}
	found := s.closedNotes(ctx)
	for _, key := range slices.Sorted(maps.Keys(found)) {
		diagnostics := notes.DiagnosticsOf(found[key])
		id, had := notes.ResultID(diagnostics), has[key]
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
		if s.notes.Find(has[key].uri) == nil { // else it has its own, which this would take away
			items = append(items, lsp.WorkspaceDocumentReport{DocumentDiagnosticReport: lsp.NewDiagnosticReport(nil, "", ""), URI: has[key].uri})
		}
		delete(has, key)
	}
	return items
}

// closedNotes returns the notes that are not open and have known gaps, by [lsp.Key].
func (s *session) closedNotes(ctx context.Context) map[string]handlers.Snapshot {
	isOpen := func(path string) bool { return s.notes.Find(lsp.URI(path)) != nil }
	closed := make(map[string]handlers.Snapshot)
	for _, f := range s.folders.All() {
		for path, snapshot := range f.ClosedNotes(ctx, isOpen) {
			if key := lsp.Key(lsp.URI(path)); closed[key].Note == nil {
				closed[key] = snapshot
			}
		}
	}
	return closed
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
