// Package editor represents the connected editor: its capabilities, and every notification and request that
// the server sends it on its own account. It knows nothing of notes and folders.
package editor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/knowledge/par"
	"lacuna/knowledge/sanitise"
	"lacuna/server/dispatch"
)

const (
	// ReplyTime bounds a question to the editor that needs no user.
	ReplyTime = 5 * time.Second
	// editTime bounds an edit, which the user may have to look at first.
	editTime = 2 * time.Minute
	// askTime bounds a question to the user if the editor is not known to show them any.
	askTime = time.Minute
)

// Editor is the connected editor. Nothing but [Editor.Connect] changes what it declared.
type Editor struct {
	conn     *dispatch.Dispatcher
	log      *slog.Logger
	declared handlers.Client
	edits    ability // to change documents: workspace/applyEdit
	asks     ability // to ask the user: window/showMessageRequest

	progress  progressTable
	refresher refresher
	announcer announcer

	muted bool // nothing is said to a person; see Mute

	mu    sync.Mutex
	shown map[string]bool // messages that were shown once; guarded by mu
}

// New returns the editor at the other end of a connection, without capabilities until it declares them.
// Status computes the lacuna/status notification.
func New(conn *dispatch.Dispatcher, log *slog.Logger, status func() handlers.StatusView) *Editor {
	return &Editor{conn: conn, log: log, shown: make(map[string]bool), announcer: announcer{status: status}}
}

// Connect takes in what the editor declares. It is called once, before anything else.
func (e *Editor) Connect(c lsp.ClientCapabilities) {
	e.declared = clientOf(c)
	e.edits.declared = c.Workspace.ApplyEdit
	e.asks.declared = c.Window.ShowMessage.MessageActionItem != nil
}

// Client returns what the editor can do as far as is known by now.
func (e *Editor) Client() handlers.Client {
	client := e.declared
	client.ApplyEdit = e.edits.isUsable()
	client.ShowMessageActions = e.asks.isUsable()
	return client
}

// Context ends with the connection.
func (e *Editor) Context() context.Context { return e.conn.Context() }

// Notify tells the editor something; see [dispatch.Dispatcher.Notify].
func (e *Editor) Notify(method string, params any) { e.conn.Notify(method, params) }

// Mute writes what would be said to a person into the log instead, because an agent may read it. It is called once, before anything else.
func (e *Editor) Mute() { e.muted = true }

// Show shows a message.
func (e *Editor) Show(m messages.Message) {
	if e.muted {
		e.log.Info("not shown to an agent", "message", m.Text)
		return
	}
	e.tell(m)
}

// TellAgent shows a message that holds nothing of documents, once in a session, even if the editor is muted.
func (e *Editor) TellAgent(m messages.Message) {
	if e.first(m) {
		e.tell(m)
	}
}

func (e *Editor) tell(m messages.Message) {
	kind := protocol.MessageTypeInfo
	switch m.Level {
	case messages.Warning:
		kind = protocol.MessageTypeWarning
	case messages.Error:
		kind = protocol.MessageTypeError
	}
	e.conn.Notify(protocol.MethodWindowShowMessage, protocol.ShowMessageParams{Type: kind, Message: sanitise.Notice(m.Text)})
}

// ShowOnce shows a message that the user did not ask for, unless it has been shown in this session.
func (e *Editor) ShowOnce(m messages.Message) {
	if e.first(m) {
		e.Show(m)
	}
}

// first reports whether a message is new in this session.
func (e *Editor) first(m messages.Message) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	first := !e.shown[m.Text]
	e.shown[m.Text] = true
	return first
}

// Open opens a document in the editor, if it can, and reports whether it did.
func (e *Editor) Open(ctx context.Context, uri protocol.DocumentURI) bool {
	return e.OpenAt(ctx, uri, nil)
}

// OpenAt is Open at a place of the document.
func (e *Editor) OpenAt(ctx context.Context, uri protocol.DocumentURI, place *protocol.Range) bool {
	if !e.declared.ShowDocument {
		return false
	}
	var reply protocol.ShowDocumentResult
	params := protocol.ShowDocumentParams{URI: uri, TakeFocus: true, Selection: place}
	if err := e.conn.Call(ctx, ReplyTime, protocol.MethodShowDocument, params, &reply); err != nil {
		e.log.Debug("document not shown", "err", err)
		return false
	}
	return reply.Success
}

// Choose asks the user with buttons. The user may take their time: only ctx and the end of the session end
// the question. Chosen is the index of an item; ok is false if the user chose none or cannot be asked.
func (e *Editor) Choose(ctx context.Context, kind protocol.MessageType, message string, items []string) (chosen int, ok bool) {
	if !e.asks.isUsable() || len(items) == 0 {
		return 0, false
	}
	params := protocol.ShowMessageRequestParams{Type: kind, Message: sanitise.Notice(message)}
	for _, item := range items {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: item})
	}
	var reply *protocol.MessageActionItem
	err := e.conn.Call(ctx, e.asks.patience(0, askTime), protocol.MethodWindowShowMessageRequest, params, &reply)
	e.asks.learn(ctx, err)
	if err != nil || reply == nil {
		return 0, false
	}
	chosen = slices.Index(items, reply.Title)
	return max(chosen, 0), chosen >= 0
}

// DeclaresEdits reports whether the editor said that it makes edits, and so answers when it is asked to.
func (e *Editor) DeclaresEdits() bool { return e.edits.declared }

// Apply asks for an edit, unless the editor is known to make none. The reason says why it was not made. The
// protocol library's own ApplyEdit expects a bare boolean and calls every conforming reply an error after
// the edit was made.
func (e *Editor) Apply(ctx context.Context, label string, edit lsp.WorkspaceEdit) (applied bool, reason string, err error) {
	if !e.edits.isUsable() {
		return false, messages.NoApplyEdit, nil
	}
	var reply protocol.ApplyWorkspaceEditResponse
	params := lsp.ApplyWorkspaceEditParams{Label: label, Edit: edit}
	err = e.conn.Call(ctx, e.edits.patience(editTime, ReplyTime), protocol.MethodWorkspaceApplyEdit, params, &reply)
	e.edits.learn(ctx, err)
	switch {
	case err != nil && !e.edits.isUsable():
		return false, messages.NoApplyEdit, nil
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return false, messages.NoEditReply, nil
	case err != nil:
		return false, "", err
	}
	if !reply.Applied && reply.FailureReason == "" {
		reply.FailureReason = messages.EditRefused
	}
	return reply.Applied, reply.FailureReason, nil
}

// CreateFile asks the editor to create a file with this text, and opens it.
func (e *Editor) CreateFile(ctx context.Context, path, text string) error {
	if !e.edits.isUsable() || !e.declared.ResourceCreate {
		return lsp.Failed(messages.NoCreateFile, path)
	}
	uri := lsp.URI(path)
	applied, reason, err := e.Apply(ctx, messages.LabelCreatePage, lsp.WorkspaceEdit{DocumentChanges: []any{
		lsp.NewCreateFile(uri),
		lsp.NewTextDocumentEdit(uri, nil, []lsp.TextEdit{{TextEdit: protocol.TextEdit{NewText: text}}}),
	}})
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	if !applied {
		return lsp.Failed("%s was not created: %s", path, reason)
	}
	e.Open(ctx, uri)
	return nil
}

// Settings asks for the user's settings of a folder; nil if the editor has none or cannot be asked.
func (e *Editor) Settings(ctx context.Context, folder string) json.RawMessage {
	if !e.declared.ConfigurationPull {
		return nil
	}
	item := lsp.ConfigurationItem{Section: "lacuna"}
	if folder != "" {
		item.ScopeURI = lsp.URI(folder)
	}
	var reply []json.RawMessage
	params := lsp.ConfigurationParams{Items: []lsp.ConfigurationItem{item}}
	if err := e.conn.Call(ctx, ReplyTime, protocol.MethodWorkspaceConfiguration, params, &reply); err != nil {
		e.log.Warn("client's settings not read", "err", err)
		return nil
	}
	if len(reply) == 0 || string(reply[0]) == "null" {
		return nil
	}
	return reply[0]
}

// Register asks the editor to report something, in the background.
func (e *Editor) Register(id, method string, options any) {
	go e.request(protocol.MethodClientRegisterCapability, protocol.RegistrationParams{
		Registrations: []protocol.Registration{{ID: id, Method: method, RegisterOptions: options}},
	})
}

// Unregister takes [Editor.Register] back.
func (e *Editor) Unregister(id, method string) {
	go e.request(protocol.MethodClientUnregisterCapability, protocol.UnregistrationParams{
		Unregisterations: []protocol.Unregistration{{ID: id, Method: method}},
	})
}

// request asks something of which only failure matters, and only to the log.
func (e *Editor) request(method string, params any) {
	if err := e.conn.Call(e.Context(), ReplyTime, method, params, nil); err != nil {
		e.log.Debug("client refused", "method", method, "err", err)
	}
}

// Contain is deferred by background work: it logs a panic, and the session goes on without that work.
func (e *Editor) Contain(what string) {
	if cause := recover(); cause != nil {
		_ = e.panicked(what, cause)
	}
}

// Safely does work and makes an error of its panic.
func (e *Editor) Safely(what string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = e.panicked(what, cause)
		}
	}()
	return work()
}

func (e *Editor) panicked(what string, cause any) error {
	e.log.Error("panic contained", "in", what, "cause", cause, "stack", string(par.Stack(cause)))
	return fmt.Errorf("internal error in the %s; the log has the details", what)
}

// ability is something that the editor may do for the server. What an editor declares is not the whole
// truth: Kate and ALE make edits and declare nothing. So it is asked in any case, until it has shown that
// it does not do it.
type ability struct {
	declared bool
	lacking  atomic.Bool
}

// isUsable reports whether it is worth asking.
func (a *ability) isUsable() bool { return !a.lacking.Load() }

// patience returns how long the editor may take: the user may have to act, but an editor that declared
// nothing may not even answer.
func (a *ability) patience(declared, undeclared time.Duration) time.Duration {
	if a.declared {
		return declared
	}
	return undeclared
}

// learn takes in how the editor answered a request made under ctx.
func (a *ability) learn(ctx context.Context, err error) {
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused) && refused.Code == jsonrpc2.MethodNotFound:
		a.lacking.Store(true)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && !a.declared:
		a.lacking.Store(true)
	}
}

const (
	// refreshEvery is the time for which changes are collected before the editor is asked to refresh.
	refreshEvery = 100 * time.Millisecond
	// statusEvery is the time for which changes of the status are collected.
	statusEvery = 150 * time.Millisecond

	methodStatus = "lacuna/status"
)

// refresher asks the editor to refresh what it shows.
type refresher struct {
	mu    sync.Mutex
	timer *time.Timer     // runs from the first change until the editor is notified; guarded by mu
	due   map[string]bool // methods; guarded by mu
}

// Refresh soon calls methods that have the editor ask again. It may be called with any lock held.
func (e *Editor) Refresh(methods ...string) {
	r := &e.refresher
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.due == nil {
		r.due = make(map[string]bool)
	}
	for _, method := range methods {
		r.due[method] = true
	}
	if r.timer == nil && len(r.due) > 0 {
		r.timer = time.AfterFunc(refreshEvery, e.refreshNow)
	}
}

func (e *Editor) refreshNow() {
	r := &e.refresher
	r.mu.Lock()
	due := r.due
	r.due, r.timer = nil, nil
	r.mu.Unlock()
	for method := range due {
		go e.request(method, nil)
	}
}

// ViewsChanged has the editor ask again for what it shows of questions besides diagnostics.
func (e *Editor) ViewsChanged() {
	if e.declared.CodeLensRefresh {
		e.Refresh("workspace/codeLens/refresh")
	}
	if e.declared.InlayHintRefresh {
		e.Refresh(lsp.MethodInlayHintRefresh)
	}
}

// announcer tells the editor the status when it has changed, and wakes those who wait for any change.
type announcer struct {
	status func() handlers.StatusView

	mu    sync.Mutex
	timer *time.Timer   // runs from a change until it is looked at; guarded by mu
	dirty chan struct{} // closed by the next change; nil if nothing waits for it; guarded by mu

	telling sync.Mutex // held from the look to the telling, so that the newest look has the last word
	last    []byte     // the last notification; guarded by telling
}

// Changed returns a channel that the next [Editor.StatusChanged] closes.
func (e *Editor) Changed() <-chan struct{} {
	a := &e.announcer
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dirty == nil {
		a.dirty = make(chan struct{})
	}
	return a.dirty
}

// StatusChanged schedules a notification of the status. It may be called with any lock held and at any time.
func (e *Editor) StatusChanged() {
	a := &e.announcer
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dirty != nil {
		close(a.dirty)
		a.dirty = nil
	}
	if e.declared.Status && a.timer == nil {
		a.timer = time.AfterFunc(statusEvery, e.announce)
	}
}

func (e *Editor) announce() {
	defer e.Contain("status")
	a := &e.announcer
	a.telling.Lock()
	defer a.telling.Unlock()
	a.mu.Lock()
	a.timer = nil
	a.mu.Unlock()
	if e.Context().Err() != nil {
		return
	}
	status, err := json.Marshal(a.status())
	if err != nil {
		e.log.Error("status not sent", "err", err)
		return
	}
	if !bytes.Equal(status, a.last) {
		a.last = status
		e.conn.Notify(methodStatus, json.RawMessage(status))
	}
}

// progressTable finds the work behind a token, for the editor's cancel button.
type progressTable struct {
	mu      sync.Mutex
	cancels map[lsp.ProgressToken]context.CancelFunc // guarded by mu
	number  int                                      // of our newest token; guarded by mu
}

// CancelProgress handles window/workDoneProgress/cancel.
func (e *Editor) CancelProgress(p struct {
	Token lsp.ProgressToken `json:"token"`
}) {
	t := &e.progress
	t.mu.Lock()
	cancel := t.cancels[p.Token]
	t.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (t *progressTable) add(token lsp.ProgressToken, cancel context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancels == nil {
		t.cancels = make(map[lsp.ProgressToken]context.CancelFunc)
	}
	t.cancels[token] = cancel
}

func (t *progressTable) remove(token lsp.ProgressToken) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.cancels, token)
}

// next returns a token of ours.
func (t *progressTable) next() lsp.ProgressToken {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.number++
	return lsp.NewProgressToken("lacuna-" + strconv.Itoa(t.number))
}
