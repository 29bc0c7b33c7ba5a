package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/llm"
	"lacuna/server/dispatch"
	"lacuna/server/editor"
	"lacuna/server/folders"
	"lacuna/server/notes"
)

// executeCommand runs a command in the slow lane. It takes no snapshot here: a command works on
// the document as it is when it runs, and again when its edit is ready.
func (s *session) executeCommand(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.ExecuteCommandParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	p.Command = s.editor.Client().Understood(p.Command)
	return s.command(p.Command, p.WorkDoneToken, func(ctx context.Context, c *command) (any, error) {
		return handlers.Execute(ctx, c, p.Command, p.Arguments)
	}), nil
}

// resolveCodeAction answers with the edit of a code action that was chosen, which is as much work as its
// command.
func (s *session) resolveCodeAction(params json.RawMessage) (dispatch.Work, error) {
	var action lsp.CodeAction
	var of struct{ Data handlers.Deferred }
	err := json.Unmarshal(params, &action)
	if err == nil {
		err = json.Unmarshal(params, &of)
	}
	if err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	if s.notes.Find(of.Data.URI) == nil {
		return dispatch.Work{}, lsp.ErrContentModified
	}
	return s.command(of.Data.Command, nil, func(ctx context.Context, c *command) (any, error) {
		action.Edit, err = handlers.Resolve(ctx, c, of.Data)
		return action, err
	}), nil
}

// command returns the work of a command, with progress and with the right to ask the user for consent.
func (s *session) command(name string, token *lsp.ProgressToken, run func(context.Context, *command) (any, error)) dispatch.Work {
	return dispatch.Work{Lane: laneOf(name), Run: func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.serving, cancel)()
		c := &command{session: s, shown: &editor.Progress{}}
		if !handlers.Quiet(name) || token != nil {
			var given lsp.ProgressToken
			if token != nil {
				given = *token
			}
			c.shown = s.editor.BeginProgress(ctx, cancel, given, messages.TitleWorking)
		}
		if handlers.Asks(name) {
			c.answers = true
			s.countAnswering(1)
			defer s.countAnswering(-1)
		}
		defer c.shown.End("")
		defer c.clearPartial()
		result, err := run(withCommand(ctx, c), c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return result, err
	}}
}

// countAnswering counts commands at work that have questions answered.
func (s *session) countAnswering(more int64) {
	s.answering.Add(more)
	s.editor.StatusChanged()
}

// laneOf keeps what takes an instant from waiting behind questions to a model.
func laneOf(command string) dispatch.Lane {
	if handlers.Asks(command) {
		return dispatch.Slow
	}
	return dispatch.Brisk
}

// command is one running command. It implements handlers.Editor.
type command struct {
	*session
	shown   *editor.Progress
	answers bool // whether it counts among the session's answering commands

	mu      sync.Mutex
	doc     *notes.Document // last asked for; guarded by mu
	folder  *folders.Folder // of doc; guarded by mu
	waiting int             // questions to the user that are open; guarded by mu
	asking  []string        // questions put to a strategy; guarded by mu
	decided map[string]bool // whether the command may send to a host, as the user said; guarded by mu
}

func (c *command) Snapshot(uri protocol.DocumentURI) (handlers.Snapshot, bool) {
	snapshot, doc := c.notes.Snapshot(uri)
	if doc == nil {
		return snapshot, false
	}
	folder := c.notes.Folder(doc)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doc, c.folder = doc, folder
	return snapshot, true
}

// about returns the document last asked for and its folder; nil if there was none.
func (c *command) about() (*notes.Document, *folders.Folder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.doc, c.folder
}

// Strategy returns a strategy that says what it finds while it runs.
func (c *command) Strategy(way answer.Request) (answer.Strategy, error) {
	doc, folder := c.about()
	if folder == nil {
		return nil, errors.New("no document was named")
	}
	watch := way.Watch
	way.Watch = func(p answer.Progress) {
		if p.Known != nil {
			c.showPartial(doc, folder, *p.Known)
		}
		// Words come faster than anybody reads; those in between are not even put into a sentence.
		if watch != nil && (p.Text == "" || c.shown.IsDue()) {
			watch(p)
		}
	}
	return folder.Strategy(way)
}

// showPartial shows the evidence and the gaps of an answer that is still under way.
func (c *command) showPartial(doc *notes.Document, folder *folders.Folder, r answer.Result) {
	folder.BeginPart(r)
	c.mu.Lock()
	c.asking = append(c.asking, r.Question.Text)
	c.mu.Unlock()
	c.notes.Publish(doc)
}

// clearPartial takes back what was shown of answers that came to nothing.
func (c *command) clearPartial() {
	doc, folder := c.about()
	c.mu.Lock()
	asking := c.asking
	c.mu.Unlock()
	had := false
	for _, text := range asking {
		had = folder.EndPart(text) || had
	}
	if had {
		c.notes.Publish(doc)
	}
}

func (c *command) Show(_ context.Context, m messages.Message) { c.editor.Show(m) }

func (c *command) Report(stage string, percent int) { c.shown.Report(stage, percent) }

func (c *command) Choose(ctx context.Context, message string, items []string) (chosen int, ok bool) {
	return c.choose(ctx, protocol.MessageTypeInfo, message, items)
}

func (c *command) Turn(ctx context.Context, uri protocol.DocumentURI) (end func(), err error) {
	return c.notes.LockEdits(ctx, c.notes.Find(uri))
}

func (c *command) ApplyEdit(ctx context.Context, label string, edit handlers.DocumentEdit) (applied bool, reason string, err error) {
	return c.notes.ApplyEdit(ctx, label, edit)
}

func (c *command) CreateFile(ctx context.Context, path, text string) error {
	return c.editor.CreateFile(ctx, path, text)
}

func (c *command) Wrote(uri protocol.DocumentURI, q note.Question, r answer.Result) {
	c.notes.Wrote(uri, q, r)
}

func (c *command) Accept(ctx context.Context, uri protocol.DocumentURI, q note.Question) error {
	return c.notes.Accept(ctx, uri, q)
}

// Overrule remembers that the user preferred the second of two answers.
func (c *command) Overrule(uri protocol.DocumentURI, q note.Question, first, second answer.Result) {
	if doc := c.notes.Find(uri); doc != nil {
		c.notes.Folder(doc).Overrule(doc.Name(), q.Text, first, second)
	}
}

func (c *command) Dismiss(uri protocol.DocumentURI, q note.Question, gapID string, dismissed bool) {
	if doc := c.notes.Find(uri); doc != nil {
		c.notes.Folder(doc).Dismiss(folders.RefOf(doc.Name(), q), gapID, dismissed)
		c.notes.Publish(doc)
	}
}

func (c *command) Learn(uri protocol.DocumentURI, q note.Question, r answer.Result) {
	if doc := c.notes.Find(uri); doc != nil {
		c.notes.Folder(doc).Learn(folders.RefOf(doc.Name(), q), r)
		c.notes.Publish(doc)
	}
}

// Overview brings what is remembered up to date before it is listed.
func (c *command) Overview(ctx context.Context) handlers.Overview {
	for _, f := range c.folders.All() {
		f.Review(ctx)
	}
	return c.overview()
}

// OpenGaps groups the open gaps of the folder of a document, or of the first one.
func (c *command) OpenGaps(ctx context.Context, uri protocol.DocumentURI) ([]ledger.Cluster, error) {
	folder := c.folderOf(uri)
	if folder == nil {
		return nil, nil
	}
	return ledger.Clusters(folder.Library(), folder.OpenGaps(ctx)), ctx.Err()
}

// folderOf returns the folder of a document or of a path, or else the first one; nil if none is open.
func (s *session) folderOf(uri protocol.DocumentURI) *folders.Folder {
	if doc := s.notes.Find(uri); doc != nil {
		return s.notes.Folder(doc)
	}
	path, _ := lsp.Path(uri) // a folder, or a file that is not open
	return s.folders.Around(path)
}

// workspaceOf returns the workspace of a document, as [session.folderOf] finds it.
func (s *session) workspaceOf(uri protocol.DocumentURI) (*folders.Folder, folders.Workspace, error) {
	folder := s.folderOf(uri)
	if folder == nil {
		return nil, nil, lsp.Failed("%s", messages.DocumentClosed)
	}
	w, err := folder.Workspace()
	if err != nil {
		return nil, nil, lsp.Failed("%v", err)
	}
	return folder, w, nil
}

// Preview returns what answering in that way would send.
func (c *command) Preview(ctx context.Context, uri protocol.DocumentURI, question answer.Question, way answer.Request) ([]llm.Outbound, error) {
	folder, w, err := c.workspaceOf(uri)
	if err != nil {
		return nil, err
	}
	return w.Preview(ctx, folder.Library(), question, way)
}

// ForgetConsent takes back every permission to send something of the workspace of a document.
func (c *command) ForgetConsent(ctx context.Context, uri protocol.DocumentURI) error {
	_, w, err := c.workspaceOf(uri)
	if err != nil {
		return err
	}
	return w.Forget(ctx, "")
}

func (c *command) AddSource(_ context.Context, uri protocol.DocumentURI, path string) (added string, err error) {
	folder := c.folderOf(uri)
	if folder == nil {
		return "", errors.New(messages.NoFolder)
	}
	return folder.AddSource(path)
}

// NameSources opens the settings file of the workspace.
func (c *command) NameSources(ctx context.Context, uri protocol.DocumentURI) error {
	folder := c.folderOf(uri)
	if folder == nil {
		return errors.New(messages.NoFolder)
	}
	file, err := folder.SettingsFile()
	if err != nil {
		return err
	}
	if !c.editor.Open(ctx, lsp.URI(file)) {
		return fmt.Errorf(messages.NameSourcesYourself, file)
	}
	return nil
}

// Offer writes the Markdown next to the index, under its title, and opens it. If the editor cannot open
// a document, the plain text is the message.
func (c *command) Offer(ctx context.Context, title, markdown, plain string) {
	if !c.openScratch(ctx, ".md", "# "+strings.TrimRight(title, ".")+"\n\n"+markdown+"\n") {
		c.editor.Show(messages.Message{Level: messages.Warning, Text: title + "\n\n" + plain})
	}
}

// openScratch reports whether the editor has opened a document with exactly this content.
func (c *command) openScratch(ctx context.Context, ending, content string) bool {
	_, folder := c.about()
	if folder == nil {
		folder = c.folderOf("")
	}
	if folder == nil || !c.editor.Client().ShowDocument {
		return false
	}
	path, err := folder.Scratch(ending, content)
	if err != nil {
		c.log.Warn("scratch text not written", "err", err)
		return false
	}
	return c.editor.Open(ctx, lsp.URI(path))
}

// choose asks the user with buttons; see [editor.Editor.Choose].
func (c *command) choose(ctx context.Context, kind protocol.MessageType, message string, items []string) (chosen int, ok bool) {
	if !c.editor.Client().ShowMessageActions || len(items) == 0 {
		return 0, false
	}
	defer c.await()()
	return c.editor.Choose(ctx, kind, message, items)
}

// await tells the session that the command waits for a person, who may never answer, and so answers
// nothing meanwhile. What it returns ends that.
func (c *command) await() (resume func()) {
	if !c.answers {
		return func() {}
	}
	count := func(waiting int) {
		c.mu.Lock()
		before := c.waiting
		c.waiting += waiting
		changed := (before == 0) != (c.waiting == 0)
		c.mu.Unlock()
		if changed {
			c.countAnswering(int64(-waiting))
		}
	}
	count(1)
	return func() { count(-1) }
}
