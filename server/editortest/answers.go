package editortest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
)

// told handles a notification of the server's.
func (e *Editor) told(m Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.changed.Broadcast()
	e.seen = append(e.seen, m.Method) // while the lock is held: who counts messages looks next at what they changed
	switch m.Method {
	case "textDocument/publishDiagnostics":
		var p lsp.PublishDiagnosticsParams
		e.decode(m.Params, &p)
		e.findings[p.URI] = p
	case "window/showMessage":
		var p protocol.ShowMessageParams
		e.decode(m.Params, &p)
		e.messages = append(e.messages, p)
	case "lacuna/status":
		var view handlers.StatusView // a new one: somebody may hold the last
		e.decode(m.Params, &view)
		e.status = view
	case "$/cancelRequest":
		var p struct{ ID json.RawMessage }
		e.decode(m.Params, &p)
		e.asking = slices.DeleteFunc(e.asking, func(q Asking) bool { return string(q.id) == string(p.ID) })
	case "$/progress":
		var p struct {
			Token lsp.ProgressToken
			Value json.RawMessage
		}
		e.decode(m.Params, &p)
		if strings.HasPrefix(string(p.Value), "[") || strings.HasPrefix(string(p.Value), `{"items"`) {
			e.parts = append(e.parts, Part(p))
			return
		}
		known := Progress{Token: p.Token}
		e.decode(p.Value, &known.Value)
		e.progress = append(e.progress, known)
	}
}

// asked answers a request of the server's.
func (e *Editor) asked(m Message) (any, error) {
	switch m.Method {
	case "workspace/applyEdit":
		return e.applyEdit(m.Params), nil
	case "workspace/configuration":
		return e.configuration(m.Params), nil
	case "client/registerCapability":
		e.register(m.Params)
		return nil, nil
	case "client/unregisterCapability":
		e.unregister(m.Params)
		return nil, nil
	case "window/showDocument":
		var p protocol.ShowDocumentParams
		e.decode(m.Params, &p)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.shown = append(e.shown, p.URI)
		e.changed.Broadcast()
		return map[string]any{"success": true}, nil
	case lsp.MethodDiagnosticRefresh:
		for uri := range e.Buffers() {
			e.pull(uri)
		}
		return nil, nil
	case "window/workDoneProgress/create", "workspace/codeLens/refresh", lsp.MethodInlayHintRefresh:
		return nil, nil
	}
	return nil, fmt.Errorf("%s is not supported", m.Method)
}

func (e *Editor) askPerson(m Message) {
	var p protocol.ShowMessageRequestParams
	e.decode(m.Params, &p)
	asking := Asking{Message: p.Message, id: m.ID}
	for _, action := range p.Actions {
		asking.Items = append(asking.Items, action.Title)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asking = append(e.asking, asking)
	e.changed.Broadcast()
}

// Asking returns the questions to the person that wait for an answer, oldest first.
func (e *Editor) Asking() []Asking {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asking)
}

// Choose waits for a question to the person and answers the oldest; with an empty title it is
// closed without an answer. It returns the question.
func (e *Editor) Choose(title string) Asking {
	e.t.Helper()
	var asking Asking
	e.Await("a question to the person", func() bool {
		if len(e.asking) == 0 {
			return false
		}
		asking, e.asking = e.asking[0], e.asking[1:]
		return true
	})
	var result any
	if title != "" {
		if !slices.Contains(asking.Items, title) {
			e.t.Errorf("%q is not among %q", title, asking.Items)
		}
		result = map[string]any{"title": title}
	}
	e.send(map[string]any{"id": asking.id, "result": result})
	return asking
}

// documentChange is a member of documentChanges.
type documentChange struct {
	Kind         string
	URI          protocol.DocumentURI
	OldURI       protocol.DocumentURI
	NewURI       protocol.DocumentURI
	TextDocument protocol.OptionalVersionedTextDocumentIdentifier
	Edits        []lsp.TextEdit
}

// applyEdit applies a workspace edit if every version it names is the buffer's own. As in real editors
// the buffers have changed before the reply; the server may be told later.
func (e *Editor) applyEdit(raw json.RawMessage) any {
	var p struct {
		Edit struct {
			Changes           map[protocol.DocumentURI][]lsp.TextEdit
			DocumentChanges   []documentChange
			ChangeAnnotations map[string]protocol.ChangeAnnotation
		}
	}
	e.decode(raw, &p)
	e.annotate(p.Edit.DocumentChanges, p.Edit.ChangeAnnotations)
	if e.options.BeforeEdit != nil {
		e.options.BeforeEdit()
	}
	refuse := func(reason string) any { return map[string]any{"applied": false, "failureReason": reason} }
	if e.options.RefuseEdits {
		return refuse("the user said no")
	}
	for uri, edits := range p.Edit.Changes {
		change := documentChange{Edits: edits}
		change.TextDocument.URI = uri
		p.Edit.DocumentChanges = append(p.Edit.DocumentChanges, change)
	}
	switch current := e.applyChanges(p.Edit.DocumentChanges); {
	case !current && e.options.DropsOldEdits:
		return map[string]any{"applied": true}
	case !current:
		return refuse("the document has another version")
	}
	if e.options.ChangeBeforeReply || e.options.SaveEdits {
		e.tell()
	}
	if e.options.SaveEdits {
		for _, change := range p.Edit.DocumentChanges {
			e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": change.TextDocument.URI}})
		}
	}
	if e.options.AfterEdit != nil {
		e.options.AfterEdit()
	}
	return map[string]any{"applied": true}
}

// applyChanges makes all changes or, where one is for another version, none.
func (e *Editor) applyChanges(changes []documentChange) (current bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, change := range changes {
		buffer := e.buffers[change.TextDocument.URI]
		if version := change.TextDocument.Version; version != nil && (buffer == nil || buffer.Version != *version) {
			return false
		}
	}
	for _, change := range changes {
		e.applyChange(change)
	}
	return true
}

// applyChange makes a change; the caller holds e.mu.
func (e *Editor) applyChange(change documentChange) {
	if change.Kind == "create" {
		e.buffers[change.URI] = &Buffer{}
		return
	}
	if e.buffers[change.TextDocument.URI] == nil {
		e.t.Errorf("edit of %s, which is not open", change.TextDocument.URI)
		return
	}
	// Edits of one version do not see each other: apply the last place first.
	slices.SortFunc(change.Edits, func(a, b lsp.TextEdit) int {
		return int(b.Range.Start.Line) - int(a.Range.Start.Line)
	})
	changes := make([]lsp.ContentChange, len(change.Edits))
	for i, edit := range change.Edits {
		changes[i] = lsp.ContentChange{Range: &edit.Range, Text: edit.NewText}
	}
	e.change(change.TextDocument.URI, changes)
}

// Open opens a document.
func (e *Editor) Open(uri protocol.DocumentURI, languageID, text string) {
	e.mu.Lock()
	e.buffers[uri] = &Buffer{Text: text, Version: 0}
	e.mu.Unlock()
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": languageID, "version": 0, "text": text,
	}})
	e.pull(uri)
}

// annotate remembers what an edit says of the words in it, as a preview would show it.
func (e *Editor) annotate(changes []documentChange, annotations map[string]protocol.ChangeAnnotation) {
	var labels []string
	for _, change := range changes {
		for _, edit := range change.Edits {
			about, known := annotations[edit.AnnotationID]
			switch {
			case edit.AnnotationID == "":
				continue
			case !known || about.NeedsConfirmation:
				e.t.Errorf("edit with annotation %q, which is %+v", edit.AnnotationID, about)
			}
			labels = append(labels, about.Label)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.annotated = labels
}

// Annotations returns the labels in the last edit that the server requested, in order.
func (e *Editor) Annotations() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.annotated)
}

// Apply makes the edit that a request was answered with, of buffers and of files that are not open, and
// returns what it edited, sorted.
func (e *Editor) Apply(edit lsp.WorkspaceEdit) []protocol.DocumentURI {
	e.t.Helper()
	raw, err := json.Marshal(edit.DocumentChanges)
	if err != nil {
		e.t.Fatal(err)
	}
	var changes []documentChange
	e.decode(raw, &changes)
	for uri, edits := range edit.Changes {
		change := documentChange{Edits: edits}
		change.TextDocument.URI = uri
		changes = append(changes, change)
	}
	var edited []protocol.DocumentURI
	for _, change := range changes {
		if change.Kind == "rename" {
			e.renameFile(change.OldURI, change.NewURI)
			continue
		}
		uri := change.TextDocument.URI
		edited = append(edited, uri)
		e.mu.Lock()
		buffer := e.buffers[uri]
		e.mu.Unlock()
		if buffer != nil {
			if v := change.TextDocument.Version; v == nil || *v != buffer.Version {
				e.t.Errorf("edit of %s for version %v, which is at %d", uri, v, buffer.Version)
			}
			e.mu.Lock()
			e.applyChange(change)
			e.mu.Unlock()
			e.tell()
			continue
		}
		path, _ := lsp.Path(uri)
		text, err := os.ReadFile(path)
		if err != nil || change.TextDocument.Version != nil {
			e.t.Fatalf("edit of %s, version %v: %v", uri, change.TextDocument.Version, err)
		}
		whole := string(text)
		slices.SortFunc(change.Edits, func(a, b lsp.TextEdit) int { return int(b.Range.Start.Line) - int(a.Range.Start.Line) })
		for _, one := range change.Edits {
			whole = applied(whole, lsp.ContentChange{Range: &one.Range, Text: one.NewText}, e.options.Encoding)
		}
		if err := os.WriteFile(path, []byte(whole), 0o644); err != nil {
			e.t.Fatal(err)
		}
	}
	slices.Sort(edited)
	return edited
}

// renameFile renames a file that is not open, and tells the server that it did.
func (e *Editor) renameFile(from, to protocol.DocumentURI) {
	e.t.Helper()
	before, _ := lsp.Path(from)
	after, _ := lsp.Path(to)
	if _, err := os.Lstat(after); err == nil {
		e.t.Fatalf("%s is there already", to)
	}
	if err := os.Rename(before, after); err != nil {
		e.t.Fatal(err)
	}
	e.Notify("workspace/didRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": from, "newUri": to}}})
}

// CloseBuffer closes a document and returns what it held.
func (e *Editor) CloseBuffer(uri protocol.DocumentURI) string {
	text := e.Text(uri)
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.buffers, uri)
	return text
}

// Change changes a buffer as typing does and tells the server, in ranges or as a whole.
func (e *Editor) Change(uri protocol.DocumentURI, changes ...lsp.ContentChange) {
	e.mu.Lock()
	e.change(uri, changes)
	e.mu.Unlock()
	e.tell()
}

// Type is Change by an editor that gathers what is typed before it tells of it, see Options.Debounce.
func (e *Editor) Type(uri protocol.DocumentURI, changes ...lsp.ContentChange) {
	e.mu.Lock()
	e.change(uri, changes)
	e.mu.Unlock()
	e.tellLater()
}

// change changes a buffer and leaves to tell what has to be told; the caller holds e.mu.
func (e *Editor) change(uri protocol.DocumentURI, changes []lsp.ContentChange) {
	buffer := e.buffers[uri]
	buffer.undo = append(buffer.undo, buffer.Text)
	for _, change := range changes {
		buffer.Text = applied(buffer.Text, change, e.options.Encoding)
	}
	buffer.Version++
	if e.options.FullSync {
		changes = []lsp.ContentChange{{Text: buffer.Text}}
	}
	e.untold = append(e.untold, untold{uri, buffer.Version, changes})
	e.changed.Broadcast()
}

func applied(text string, change lsp.ContentChange, encoding position.Encoding) string {
	if change.Range == nil {
		return change.Text
	}
	lines := position.NewLines(text)
	at := func(p protocol.Position) int {
		return lines.Offset(position.Position{Line: p.Line, Column: p.Character}, encoding)
	}
	return text[:at(change.Range.Start)] + change.Text + text[at(change.Range.End):]
}

// Undo takes the last change of a buffer back, as one step.
func (e *Editor) Undo(uri protocol.DocumentURI) {
	e.mu.Lock()
	buffer := e.buffers[uri]
	if len(buffer.undo) == 0 {
		e.mu.Unlock()
		e.t.Fatalf("nothing to undo in %s", uri)
	}
	last := len(buffer.undo) - 1
	text, before := buffer.undo[last], buffer.undo[:last]
	e.mu.Unlock()
	e.Change(uri, lsp.ContentChange{Text: text})
	e.mu.Lock()
	buffer.undo = before
	e.mu.Unlock()
}

// Text returns what a buffer holds.
func (e *Editor) Text(uri protocol.DocumentURI) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.buffers[uri].Text
}

// Buffers returns what every buffer holds.
func (e *Editor) Buffers() map[protocol.DocumentURI]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	texts := make(map[protocol.DocumentURI]string)
	for uri, buffer := range e.buffers {
		texts[uri] = buffer.Text
	}
	return texts
}

// Told reports whether a message with this text has been shown. It is for conditions of Await.
func (e *Editor) Told(text string) bool {
	return slices.ContainsFunc(e.messages, func(m protocol.ShowMessageParams) bool { return strings.Contains(m.Message, text) })
}

// Diagnostics returns the newest diagnostics of a document; they are empty before the first.
func (e *Editor) Diagnostics(uri protocol.DocumentURI) lsp.PublishDiagnosticsParams {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.findings[uri]
}

// Progress returns all progress notifications, in order.
func (e *Editor) Progress() []Progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.progress)
}

// Parts returns the results that came by and by, in order.
func (e *Editor) Parts() []Part {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.parts)
}

// Messages returns the messages shown so far.
func (e *Editor) Messages() []protocol.ShowMessageParams {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

// Shown returns the documents that the server has asked to be shown.
func (e *Editor) Shown() []protocol.DocumentURI {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.shown)
}

// Encoding is the one the editor counts columns in.
func (e *Editor) Encoding() position.Encoding { return e.options.Encoding }

// Status returns the newest status that the server has told.
func (e *Editor) Status() handlers.StatusView {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.status
}

// configuration answers workspace/configuration.
func (e *Editor) configuration(params json.RawMessage) []any {
	var p lsp.ConfigurationParams
	e.decode(params, &p)
	var all []any
	for _, item := range p.Items {
		if e.options.Scoped != nil {
			all = append(all, e.options.Scoped(item.ScopeURI))
		} else {
			all = append(all, e.options.Configuration)
		}
	}
	return all
}

// register keeps what the server wants to be told of.
func (e *Editor) register(params json.RawMessage) {
	var p struct {
		Registrations []struct {
			ID              string
			RegisterOptions lsp.WatchOptions
		}
	}
	e.decode(params, &p)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range p.Registrations {
		if e.watched == nil {
			e.watched = make(map[string][]lsp.FileSystemWatcher)
		}
		if _, twice := e.watched[r.ID]; twice {
			e.t.Errorf("registration %q twice", r.ID)
		}
		e.watched[r.ID] = r.RegisterOptions.Watchers
	}
	e.changed.Broadcast()
}

func (e *Editor) unregister(params json.RawMessage) {
	var p struct {
		Unregisterations []struct{ ID string } // as the protocol spells it
	}
	e.decode(params, &p)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range p.Unregisterations {
		if _, known := e.watched[r.ID]; !known {
			e.t.Errorf("registration %q is taken back and was never made", r.ID)
		}
		delete(e.watched, r.ID)
	}
	e.changed.Broadcast()
}

// Watching lists what the editor watches for the server, sorted: globs, and relative patterns as
// "folder pattern".
func (e *Editor) Watching() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []string
	for _, watchers := range maps.All(e.watched) {
		for _, w := range watchers {
			if relative, ok := w.GlobPattern.(map[string]any); ok {
				list = append(list, fmt.Sprint(relative["baseUri"], " ", relative["pattern"]))
			} else {
				list = append(list, fmt.Sprint(w.GlobPattern))
			}
		}
	}
	slices.Sort(list)
	return list
}
