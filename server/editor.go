package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/server/dispatch"
)

// personTime bounds a question to the client that a person may have to answer, such as an edit
// with a preview.
const personTime = 2 * time.Minute

// executeCommand runs a command in the slow lane. It takes no snapshot here: a command works on
// the document as it is when it runs, and again when its edit is ready.
func (s *session) executeCommand(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.ExecuteCommandParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	return dispatch.Work{Lane: dispatch.Slow, Run: func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var token lsp.ProgressToken
		if p.WorkDoneToken != nil {
			token = *p.WorkDoneToken
		}
		e := &editor{session: s, shown: s.beginProgress(ctx, cancel, token, textWorking)}
		defer e.shown.end("")
		result, err := handlers.Execute(ctx, e, p.Command, p.Arguments)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return result, err
	}}, nil
}

// editor is what one running command sees of the session. It implements handlers.Editor.
type editor struct {
	*session
	shown progress

	at   sync.Mutex
	base *base // of the document last asked for; guarded by at
}

func (e *editor) Snapshot(uri protocol.DocumentURI) (handlers.Snapshot, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	doc := e.documents[lsp.Key(uri)]
	if doc == nil {
		return handlers.Snapshot{}, false
	}
	e.at.Lock()
	e.base = doc.base
	e.at.Unlock()
	return e.snapshotOf(doc), true
}

func (e *editor) Strategy(way answer.Way) (answer.Strategy, error) {
	e.at.Lock()
	base := e.base
	e.at.Unlock()
	if base == nil {
		return nil, lsp.Failed("no document was named")
	}
	strategy, err := base.strategy(way)
	if err != nil {
		return nil, lsp.Failed("%v", err)
	}
	return contained{base, strategy}, nil
}

// contained is a strategy whose panic is an error, so that a command can still tell the user. A
// quote that is no longer in its file has the sources read again: not every client tells of files
// that change.
type contained struct {
	base  *base
	inner answer.Strategy
}

func (c contained) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (result answer.Result, err error) {
	err = c.base.s.safely("strategy", func() error {
		result, err = c.inner.Answer(ctx, library, q)
		return err
	})
	if result.Dropped > 0 {
		wake(c.base.stale)
	}
	return result, err
}

func (e *editor) ApplyEdit(ctx context.Context, label string, edit handlers.DocumentEdit) (applied bool, reason string, err error) {
	if !e.client.ApplyEdit {
		return false, textNoApplyEdit, nil
	}
	snapshot, ok := e.Snapshot(edit.URI)
	if !ok {
		return false, textClosed, nil
	}
	if snapshot.Version != edit.Version {
		return false, textMoved, nil
	}
	edits := make([]protocol.TextEdit, len(edit.Edits))
	for i, one := range edit.Edits {
		edits[i] = protocol.TextEdit{Range: handlers.SpanRange(snapshot.Note.Lines, one.Span, e.client.Encoding), NewText: one.NewText}
	}
	whole := lsp.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{snapshot.URI: edits}}
	if e.client.DocumentChanges {
		whole = lsp.WorkspaceEdit{DocumentChanges: []any{textEdit(snapshot.URI, &snapshot.Version, edits)}}
	}
	return e.apply(ctx, label, whole)
}

func textEdit(uri protocol.DocumentURI, version *int32, edits []protocol.TextEdit) lsp.TextDocumentEdit {
	return lsp.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri},
			Version:                version,
		},
		Edits: edits,
	}
}

// apply sends an edit. The library's own ApplyEdit expects a bare boolean and calls every
// conforming reply an error after the edit was made.
func (e *editor) apply(ctx context.Context, label string, edit lsp.WorkspaceEdit) (bool, string, error) {
	var reply protocol.ApplyWorkspaceEditResponse
	params := lsp.ApplyWorkspaceEditParams{Label: label, Edit: edit}
	if err := e.conn.Call(ctx, personTime, protocol.MethodWorkspaceApplyEdit, params, &reply); err != nil {
		return false, "", err
	}
	if !reply.Applied && reply.FailureReason == "" {
		reply.FailureReason = textRefused
	}
	return reply.Applied, reply.FailureReason, nil
}

func (e *editor) CreateFile(ctx context.Context, path, text string) error {
	if !e.client.ApplyEdit || !e.client.ResourceCreate {
		return lsp.Failed(textNoCreate, path)
	}
	uri := lsp.URI(path)
	applied, reason, err := e.apply(ctx, textCreate, lsp.WorkspaceEdit{DocumentChanges: []any{
		lsp.NewCreateFile(uri),
		textEdit(uri, nil, []protocol.TextEdit{{NewText: text}}),
	}})
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	if !applied {
		return lsp.Failed("%s was not created: %s", path, reason)
	}
	e.show(ctx, uri)
	return nil
}

// show opens a document in the client, where that can be asked for.
func (e *editor) show(ctx context.Context, uri protocol.DocumentURI) bool {
	if !e.client.ShowDocument {
		return false
	}
	var reply protocol.ShowDocumentResult
	params := protocol.ShowDocumentParams{URI: uri, TakeFocus: true}
	if err := e.conn.Call(ctx, replyTime, protocol.MethodShowDocument, params, &reply); err != nil {
		e.log.Debug("document not shown", "err", err)
		return false
	}
	return reply.Success
}

func (e *editor) Show(_ context.Context, m handlers.Message) { e.showMessage(m) }

// Offer writes the text beside the index and opens it. Where a client cannot open a document, the
// text itself is the message.
func (e *editor) Offer(ctx context.Context, title, text string) {
	e.at.Lock()
	base := e.base
	e.at.Unlock()
	if base != nil && e.client.ShowDocument {
		path, err := writeOffer(base.dismissals().folder, title, text)
		if err == nil && e.show(ctx, lsp.URI(path)) {
			return
		}
		if err != nil {
			e.log.Warn("offer not written", "err", err)
		}
	}
	e.showMessage(handlers.Message{Level: handlers.Warning, Text: title + "\n\n" + text})
}

// writeOffer keeps an offered text in the index's folder, which is the user's alone.
func writeOffer(folder, title, text string) (string, error) {
	if folder == "" {
		return "", os.ErrNotExist
	}
	folder = filepath.Join(folder, "offers")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	content := title + "\n\n" + text + "\n"
	sum := sha256.Sum256([]byte(content))
	path := filepath.Join(folder, hex.EncodeToString(sum[:8])+".md")
	return path, os.WriteFile(path, []byte(content), 0o600)
}

func (e *editor) Report(stage string, percent int) { e.shown.report(stage, percent) }

func (e *editor) Dismiss(uri protocol.DocumentURI, q note.Question, code string, dismissed bool) {
	e.mu.Lock()
	doc := e.documents[lsp.Key(uri)]
	e.mu.Unlock()
	if doc == nil {
		return
	}
	if err := doc.base.dismissals().set(doc.name(), q.ID, code, dismissed); err != nil {
		e.log.Error("dismissal not kept", "err", err)
		e.showMessage(handlers.Message{Level: handlers.Warning, Text: fmt.Sprintf(textNotKept, err)})
	}
	e.publish(doc)
}

func (e *editor) Learn(uri protocol.DocumentURI, q note.Question, r answer.Result) {
	e.mu.Lock()
	doc := e.documents[lsp.Key(uri)]
	e.mu.Unlock()
	if doc == nil {
		return
	}
	doc.base.findings.put(q, r, doc.base.library().Generation())
	e.publish(doc)
}
