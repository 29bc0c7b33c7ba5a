// Package editortest has an editor without a screen, for tests of the server from outside: it
// speaks the protocol over any stream, keeps buffers, applies the edits it is asked to apply as a
// real editor would, and remembers what it was told.
//
// It shares no code with the server's own reading and writing of messages.
package editortest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
)

// patience bounds a test's wait for something that should happen soon. A passing test never reaches it, and
// under testing/synctest it takes no time.
const patience = 5 * time.Minute

// Editor is a fake editor. Its methods may be called from one goroutine at a time; what comes
// from the server is handled concurrently.
type Editor struct {
	t       testing.TB
	rwc     io.ReadWriteCloser
	options Options
	telling sync.Mutex // held while the server is told of changes, to keep their order
	writing sync.Mutex // held for one message

	mu        sync.Mutex // guards the fields below
	changed   *sync.Cond // something came or changed
	next      int        // number of the last request
	pending   map[string]chan Message
	buffers   map[protocol.DocumentURI]*Buffer
	findings  map[protocol.DocumentURI]lsp.PublishDiagnosticsParams
	pulls     map[protocol.DocumentURI]*pulled
	messages  []protocol.ShowMessageParams
	shown     []protocol.DocumentURI
	status    handlers.StatusView // the newest
	asking    []Asking            // questions to the person that wait for an answer, oldest first
	progress  []Progress
	parts     []Part
	watched   map[string][]lsp.FileSystemWatcher // by the id of their registration
	seen      []string                           // methods that came, in order
	annotated []string                           // labels in the last edit of the server's
	untold    []untold                           // changes of buffers, in order, of which the server has still to be told
	closed    bool
}

// Options say what kind of editor it is. The zero value understands only what every client must.
type Options struct {
	Capabilities map[string]any
	Encoding     position.Encoding // empty means UTF-16
	FullSync     bool              // sends whole documents instead of ranges
	// ChangeBeforeReply sends the change notification of an applied edit before the reply to the
	// request for it; editors do either. The buffer has changed before the reply in any case.
	ChangeBeforeReply bool
	// Debounce is how long after the reply that notification is sent at the latest, and how long after
	// [Editor.Type] the notification of what was typed: what is about to be asked of the server is sent
	// behind it, a reply to the server is not.
	Debounce time.Duration
	// DropsOldEdits says that an edit for an old version is not made and reported as applied.
	DropsOldEdits bool
	RefuseEdits   bool
	// Unsupported lists the requests that it answers with "method not found", Unanswered those that it does
	// what they say for and does not answer, Ignored those that it does nothing for. "*" stands for all.
	Unsupported, Unanswered, Ignored []string
	BeforeEdit                       func() // runs before an edit is looked at, if set; nothing else is read while it runs
	AfterEdit                        func() // runs before the reply to an edit that was made, if set
	SaveEdits                        bool   // tells of the change and saves it before the reply, as editors that save by themselves may
	// Pull has the editor ask for diagnostics when a document is opened or changed and when it is told
	// to; see [Options.Pulling].
	Pull          bool
	Configuration any // what workspace/configuration answers
	// Scoped, if set, is what it answers for a folder instead.
	Scoped      func(folder protocol.DocumentURI) any
	InitOptions any
}

// Buffer is an open document.
type Buffer struct {
	Text    string
	Version int32
	undo    []string
}

// Progress is a progress notification.
type Progress struct {
	Token lsp.ProgressToken    `json:"token"`
	Value lsp.WorkDoneProgress `json:"value"`
}

// Part is a part of the result of a request, as JSON.
type Part struct {
	Token lsp.ProgressToken
	Value json.RawMessage
}

// Asking is a question to the person with the answers to choose from.
type Asking struct {
	Message string
	Items   []string
	id      json.RawMessage
}

// Rich returns the options of an editor that can do everything we ask about.
func Rich() Options {
	yes := map[string]any{"dynamicRegistration": true, "relativePatternSupport": true}
	return Options{
		Encoding: position.UTF8,
		Capabilities: map[string]any{
			"general": map[string]any{"positionEncodings": []string{"utf-8", "utf-16"}},
			"window": map[string]any{
				"workDoneProgress": true,
				"showDocument":     map[string]any{"support": true},
				"showMessage":      map[string]any{"messageActionItem": map[string]any{"additionalPropertiesSupport": true}},
			},
			"notebookDocument": map[string]any{"synchronization": map[string]any{}},
			"workspace": map[string]any{
				"applyEdit": true, "configuration": true, "didChangeWatchedFiles": yes,
				"workspaceEdit":  map[string]any{"documentChanges": true, "resourceOperations": []string{"create", "rename"}, "changeAnnotationSupport": map[string]any{}},
				"symbol":         map[string]any{},
				"inlayHint":      map[string]any{"refreshSupport": true},
				"fileOperations": map[string]any{"willRename": true, "didRename": true, "didDelete": true},
				"codeLens":       map[string]any{"refreshSupport": true},
			},
			"experimental": map[string]any{"lacuna": map[string]any{"status": true, "workspaceDiagnostics": true}},
			"textDocument": map[string]any{
				"hover":            map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
				"references":       map[string]any{},
				"rename":           map[string]any{"prepareSupport": true},
				"completion":       map[string]any{},
				"inlayHint":        map[string]any{},
				"inlineCompletion": map[string]any{},
				"semanticTokens":   map[string]any{"requests": map[string]any{"full": map[string]any{"delta": true}, "range": true}, "formats": []string{"relative"}},
				"documentLink":     map[string]any{"tooltipSupport": true},
				"documentSymbol":   map[string]any{"hierarchicalDocumentSymbolSupport": true},
				"foldingRange":     map[string]any{"lineFoldingOnly": true},
				"codeAction":       map[string]any{"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix"}}}, "isPreferredSupport": true, "disabledSupport": true, "dataSupport": true, "resolveSupport": map[string]any{"properties": []string{"edit"}}},
				"publishDiagnostics": map[string]any{
					"versionSupport": true, "relatedInformation": true, "dataSupport": true, "codeDescriptionSupport": true,
				},
			},
		},
	}
}

// Without returns the options of an editor that does the same and does not declare a capability.
func (o Options) Without(path ...string) Options {
	o.Capabilities = without(o.Capabilities, path)
	return o
}

func without(capabilities map[string]any, path []string) map[string]any {
	rest := maps.Clone(capabilities)
	if len(path) == 1 {
		delete(rest, path[0])
	} else if inner, ok := rest[path[0]].(map[string]any); ok {
		rest[path[0]] = without(inner, path[1:])
	}
	return rest
}

// Start shakes hands: initialize with these folders, and initialized. It returns the reply.
func (e *Editor) Start(folders ...string) lsp.InitializeResult {
	e.t.Helper()
	open := []protocol.WorkspaceFolder{}
	for _, folder := range folders {
		open = append(open, protocol.WorkspaceFolder{URI: string(lsp.URI(folder)), Name: "test"})
	}
	capabilities := e.options.Capabilities
	if capabilities == nil {
		capabilities = map[string]any{}
	}
	var result lsp.InitializeResult
	e.MustCall("initialize", map[string]any{
		"processId":             nil,
		"rootUri":               nil,
		"workspaceFolders":      open,
		"capabilities":          capabilities,
		"initializationOptions": e.options.InitOptions,
	}, &result)
	e.Notify("initialized", map[string]any{})
	return result
}

// Send writes bytes to the server as they are.
func (e *Editor) Send(text string) {
	e.writing.Lock()
	defer e.writing.Unlock()
	if _, err := io.WriteString(e.rwc, text); err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.closed {
			e.t.Logf("editor: write: %v", err)
		}
	}
}

func (e *Editor) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		panic(err) // the test's own values
	}
	e.Send(Frame(string(body)))
}

// Notify sends a notification. What has changed is sent first, as every editor does.
func (e *Editor) Notify(method string, params any) {
	e.tell()
	e.notify(method, params)
}

func (e *Editor) notify(method string, params any) {
	e.send(map[string]any{"method": method, "params": params})
}

// untold is a change of a buffer of which the server has to be told.
type untold struct {
	uri     protocol.DocumentURI
	version int32
	changes []lsp.ContentChange
}

// tell notifies the server of every change of a buffer, and returns when all are sent, also by another
// goroutine. The user's actions come after that: without it, a note could be saved or closed between an edit
// and its notification, which no editor does.
func (e *Editor) tell() {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.mu.Lock()
	changes := e.untold
	e.untold = nil
	e.mu.Unlock()
	for _, change := range changes {
		if notebook, ok := notebookOf(change.uri); ok {
			e.notifyNotebook(notebook, map[string]any{"textContent": []any{map[string]any{
				"document": map[string]any{"uri": change.uri, "version": change.version}, "changes": change.changes,
			}}})
			continue
		}
		e.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": change.uri, "version": change.version},
			"contentChanges": change.changes,
		})
		e.pull(change.uri)
	}
}

// cellScheme is how VS Code names the text of cells: the path of the notebook and a name behind "#".
const cellScheme = "vscode-notebook-cell:"

// notebookOf returns the notebook of a cell.
func notebookOf(uri protocol.DocumentURI) (protocol.DocumentURI, bool) {
	rest, isCell := strings.CutPrefix(string(uri), cellScheme)
	path, _, _ := strings.Cut(rest, "#")
	return protocol.DocumentURI("file:" + path), isCell
}

// notifyNotebook tells the server of a change of cells.
func (e *Editor) notifyNotebook(uri protocol.DocumentURI, cells map[string]any) {
	e.notify("notebookDocument/didChange", map[string]any{
		"notebookDocument": map[string]any{"uri": uri, "version": 1}, "change": map[string]any{"cells": cells},
	})
}

// tellLater is tell after the time for which the editor gathers changes.
func (e *Editor) tellLater() {
	go func() {
		time.Sleep(e.options.Debounce)
		e.tell()
	}()
}

// Pending is a request that has been sent.
type Pending struct {
	e     *Editor
	ID    int
	reply chan Message
}

// Begin sends a request and does not wait. What has changed is sent first, as every editor does.
func (e *Editor) Begin(method string, params any) *Pending {
	e.tell()
	e.mu.Lock()
	e.next++
	p := &Pending{e: e, ID: e.next, reply: make(chan Message, 2)}
	e.pending[strconv.Itoa(p.ID)] = p.reply
	e.mu.Unlock()
	message := map[string]any{"id": p.ID, "method": method}
	if params != nil {
		message["params"] = params
	}
	e.send(message)
	return p
}

// Wait returns the error of the reply, or decodes its result.
func (p *Pending) Wait(result any) error {
	p.e.t.Helper()
	select {
	case m := <-p.reply:
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-time.After(patience):
		return fmt.Errorf("no reply to request %d", p.ID)
	}
}

// Done reports whether the reply is there.
func (p *Pending) Done() bool { return len(p.reply) > 0 }

// Call sends a request and waits for its reply.
func (e *Editor) Call(method string, params, result any) error {
	e.t.Helper()
	return e.Begin(method, params).Wait(result)
}

// MustCall is Call for requests that have to succeed.
func (e *Editor) MustCall(method string, params, result any) {
	e.t.Helper()
	if err := e.Call(method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// Cancel asks the server to cancel a request.
func (e *Editor) Cancel(p *Pending) { e.Notify("$/cancelRequest", map[string]any{"id": p.ID}) }

// Await waits until a condition holds. The condition runs with the editor's lock held.
func (e *Editor) Await(what string, holds func() bool) {
	e.t.Helper()
	timer := time.AfterFunc(patience, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.changed.Broadcast()
	})
	defer timer.Stop()
	start := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !holds() {
		if time.Since(start) >= patience || e.closed {
			e.t.Fatalf("waited in vain for %s; came: %v", what, e.seen)
		}
		e.changed.Wait()
	}
}

// Seen returns the methods that came from the server, in order; replies are "reply N".
func (e *Editor) Seen() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen)
}

// Asked counts the messages of a method that came from the server.
func (e *Editor) Asked(method string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Came(method)
}

// Close ends the connection as an editor that dies does.
func (e *Editor) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	_ = e.rwc.Close() // a pipe of the test
}

// pulled holds a document's diagnostics in an editor that pulls them.
type pulled struct {
	asking, again    bool   // a request is under way, and another has to follow
	id               string // of the result that is shown
	asked, unchanged int    // requests, and answers that said that nothing has changed
}

// decode fails the test for what no client could read.
func (e *Editor) decode(raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		e.t.Errorf("server sent %s: %v", raw, err)
	}
}

// Came counts what has come of a method. It is for conditions of Await.
func (e *Editor) Came(method string) int {
	n := 0
	for _, seen := range e.seen {
		if seen == method {
			n++
		}
	}
	return n
}
