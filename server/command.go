package server

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

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
	p.Command = s.editor.Client().CanonicalCommand(p.Command)
	return s.command(p.Command, p.WorkDoneToken, func(ctx context.Context, c *command) (any, error) {
		return c.run(ctx, p.Command, p.Arguments, s.notes)
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
	arguments, err := json.Marshal(of.Data.Arguments)
	if err != nil {
		return dispatch.Work{}, err
	}
	return s.command(of.Data.Command, nil, func(ctx context.Context, c *command) (any, error) {
		target := &capture{Notes: s.notes}
		if _, err := c.run(ctx, of.Data.Command, []json.RawMessage{arguments}, target); err != nil {
			return nil, err
		}
		if target.edit == nil { // the note has changed, or there is nothing to do any more
			return nil, lsp.ErrContentModified
		}
		action.Edit = target.edit
		return action, nil
	}), nil
}

// capture takes the edit of a command instead of asking the editor for it.
type capture struct {
	*notes.Notes
	edit *lsp.WorkspaceEdit
}

// ApplyEdit implements handlers.EditTarget.
func (t *capture) ApplyEdit(_ context.Context, _ string, edit handlers.DocumentEdit) (bool, string, error) {
	now, open := t.Snapshot(edit.URI)
	if !open {
		return false, messages.NoteNotOpen, nil
	}
	whole := now.Client.WorkspaceEdit(now.Note, edit)
	t.edit = &whole
	return true, "", nil
}

// command returns the work of a command, with progress and with the right to ask the user for consent.
func (s *session) command(name string, token *lsp.ProgressToken, run func(context.Context, *command) (any, error)) dispatch.Work {
	return dispatch.Work{Lane: laneOf(name), Run: func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.serving, cancel)()
		c := &command{session: s, shown: &editor.Progress{}}
		if !handlers.ReadOnly(name) || token != nil {
			var given lsp.ProgressToken
			if token != nil {
				given = *token
			}
			c.shown = s.editor.BeginProgress(ctx, cancel, given, messages.TitleWorking)
		}
		if handlers.CallsModel(name) {
			c.answers = true
			s.countAnswering(1)
			defer s.countAnswering(-1)
		}
		defer c.shown.End("")
		defer c.clearPartial()
		result, err := run(ctx, c)
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
	if handlers.TakesLong(command) {
		return dispatch.Answering
	}
	return dispatch.Brief
}

// command is one running command. It implements handlers.Services.
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

// Snapshot implements handlers.Services.
func (c *command) Snapshot(uri protocol.DocumentURI) (handlers.Snapshot, bool) {
	snapshot, doc := c.notes.Capture(uri)
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

// run runs a command and has done what it wants done: first its effects, then its edit, then what follows.
func (c *command) run(ctx context.Context, name string, args []json.RawMessage, target handlers.EditTarget) (any, error) {
	outcome, uri, err := handlers.Execute(ctx, c, name, args)
	if err == nil {
		err = c.perform(ctx, uri, outcome.Effects)
	}
	if err != nil || outcome.Edit == nil {
		return outcome.Reply, err
	}
	written := c.write(ctx, uri, *outcome.Edit, target)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	after, err := outcome.Edit.Conclude(written)
	if err != nil {
		return nil, err
	}
	return after.Reply, c.perform(ctx, uri, after.Effects)
}

// write makes an edit under the edit lock and remembers the answers that it wrote.
func (c *command) write(ctx context.Context, uri protocol.DocumentURI, edit handlers.NoteEdit, target handlers.EditTarget) handlers.Written {
	unlock, err := c.notes.LockEdits(ctx, c.notes.Find(uri))
	if err != nil {
		return handlers.Written{Err: err}
	}
	defer unlock()
	answers, written := edit.Write(ctx, target, uri)
	for _, a := range answers {
		c.notes.Wrote(uri, a.Question, a.Result)
	}
	return written
}

// perform does effects in their order until one fails.
func (c *command) perform(ctx context.Context, uri protocol.DocumentURI, effects []handlers.Effect) error {
	for _, effect := range effects {
		if err := c.do(ctx, uri, effect); err != nil {
			return err
		}
	}
	return nil
}

func (c *command) do(ctx context.Context, uri protocol.DocumentURI, effect handlers.Effect) error {
	switch e := effect.(type) {
	case handlers.Show:
		c.editor.Show(e.Message)
	case handlers.Offer:
		c.offer(ctx, e)
	case handlers.Dismiss:
		c.withNote(uri, func(f *folders.Folder, doc *notes.Document) {
			f.Dismiss(handlers.RefOf(doc.Name(), e.Note, e.Question), e.Gap, e.Dismissed)
			c.notes.Publish(doc)
		})
	case handlers.Overrule:
		c.withNote(uri, func(f *folders.Folder, doc *notes.Document) {
			f.Overrule(doc.Name(), e.Second.Question.Text, e.First, e.Second)
		})
	case handlers.Accept:
		if err := c.notes.Accept(ctx, uri, e.Question); err != nil {
			return lsp.Failed("%s", messages.NotSaved(err))
		}
	case handlers.StorePair:
		stored := lsp.Failed("%s", messages.DocumentClosed)
		c.withNote(uri, func(f *folders.Folder, doc *notes.Document) {
			stored = f.Accept(ctx, doc.Name(), e.Result.Question.Text, e.Result)
		})
		if stored != nil {
			return lsp.Failed("%s", messages.NotSaved(stored))
		}
	case handlers.OpenPlace:
		if !c.editor.OpenAt(ctx, e.URI, &e.Range) {
			return lsp.Failed("%s", messages.PlaceNotShown)
		}
	case handlers.CreateFile:
		return c.editor.CreateFile(ctx, e.Path, e.Text)
	case handlers.AddSource:
		return c.addSource(uri, e.Path)
	case handlers.OpenSettings:
		return c.openSettings(ctx, uri)
	case handlers.ForgetConsent:
		_, w, err := c.workspaceOf(uri)
		if err == nil {
			err = w.Forget(ctx, "")
		}
		if err != nil {
			return lsp.Failed("%v", err)
		}
	}
	return nil
}

// withNote does something with an open note and its folder, if it is open.
func (c *command) withNote(uri protocol.DocumentURI, do func(*folders.Folder, *notes.Document)) {
	if doc := c.notes.Find(uri); doc != nil {
		do(c.notes.Folder(doc), doc)
	}
}

// longestWait is how long a command waits for the first sources to be read. The first of them can be searched after some
// seconds, unless a single file takes longer to read.
const longestWait = 30 * time.Second

// AwaitSources implements handlers.Services.
func (c *command) AwaitSources(ctx context.Context, n handlers.Snapshot) handlers.Snapshot {
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	for {
		changed := c.editor.Changed()
		now, open := c.Snapshot(n.URI)
		if !open {
			return n
		}
		n.Library = now.Library
		if state, _ := handlers.StateOfSources(n.Settings.Sources, n.Library); state != handlers.SourcesRead {
			return n
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return n
		}
	}
}

// Answer implements handlers.Services. The answer says what it has found while it runs.
func (c *command) Answer(ctx context.Context, n handlers.Snapshot, q note.Question, as answer.Question, r answer.Request) (answer.Result, error) {
	doc, folder := c.about()
	watch := r.Watch
	r.Watch = func(p answer.Progress) {
		if p.Known != nil {
			c.showPartial(doc, folder, p.Known.WhileReading(n.Library.Status()))
		}
		// Words come faster than anybody reads; those in between are not even put into a sentence.
		if watch != nil && (p.Text == "" || c.shown.IsDue()) {
			watch(p)
		}
	}
	r.Permit = c.permit
	strategy, err := folder.Strategy(r)
	if err != nil {
		return answer.Result{}, lsp.Failed("%s", messages.NotAsked(err))
	}
	result, err := strategy.Answer(ctx, n.Library.Beside(n.Path), as)
	result = result.WhileReading(n.Library.Status())
	switch {
	case ctx.Err() != nil:
		return answer.Result{}, ctx.Err()
	case err != nil:
		return answer.Result{}, lsp.Failed("%s", messages.CannotAnswer(err))
	case result.Reading != nil: // what it says holds only until more is read, and the judge asks again then
	case result.Reason != answer.ToolFailure: // that says nothing about the sources
		c.withNote(n.URI, func(f *folders.Folder, doc *notes.Document) {
			f.Learn(handlers.RefOf(doc.Name(), n.Note, q), result)
			c.notes.Publish(doc)
		})
	}
	return result, nil
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

func (c *command) Show(m messages.Message) { c.editor.Show(m) }

func (c *command) Report(stage string, percent int) { c.shown.Report(stage, percent) }

func (c *command) Choose(ctx context.Context, message string, items []string) (chosen int, ok bool) {
	return c.choose(ctx, protocol.MessageTypeInfo, message, items)
}

// Overview brings what is remembered up to date before it is listed.
func (c *command) Overview(ctx context.Context) handlers.Overview {
	for _, f := range c.folders.All() {
		f.Review(ctx)
	}
	return c.overview()
}

// StaleNotes judges the notes of all folders. A note that two folders hold belongs to the inner one.
func (c *command) StaleNotes(ctx context.Context) (stale []handlers.StaleNote, notes int, err error) {
	all := slices.SortedStableFunc(slices.Values(c.folders.All()), func(a, b *folders.Folder) int { return cmp.Compare(len(b.Path()), len(a.Path())) })
	seen := make(map[string]bool)
	for _, f := range all {
		err := f.JudgeNotes(ctx, seen, func(n handlers.Snapshot) {
			notes++
			if problems := handlers.StaleProblems(n); len(problems) > 0 {
				stale = append(stale, handlers.StaleNote{Snapshot: n, Problems: problems})
			}
			if c.shown.IsDue() {
				c.shown.Report(messages.NotesCompared(notes), 0)
			}
		})
		if err != nil {
			return nil, 0, err
		}
	}
	slices.SortStableFunc(stale, func(a, b handlers.StaleNote) int { return strings.Compare(string(a.URI), string(b.URI)) })
	return stale, notes, nil
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
	path, _ := lsp.Path(uri)
	return w.Preview(ctx, folder.Library().Beside(path), question, way)
}

func (c *command) addSource(uri protocol.DocumentURI, path string) error {
	folder := c.folderOf(uri)
	if folder == nil {
		return lsp.Failed("%s", messages.NoFolder)
	}
	added, err := folder.AddSource(path)
	if err != nil {
		return lsp.Failed("%v", err)
	}
	c.editor.Show(messages.Message{Level: messages.Info, Text: messages.SourceAdded(added, path == "")})
	return nil
}

// openSettings opens the settings file of the workspace.
func (c *command) openSettings(ctx context.Context, uri protocol.DocumentURI) error {
	folder := c.folderOf(uri)
	if folder == nil {
		return lsp.Failed("%s", messages.NoFolder)
	}
	file, err := folder.SettingsFile()
	switch {
	case err != nil:
		return lsp.Failed("%v", err)
	case !c.editor.Open(ctx, lsp.URI(file)):
		return lsp.Failed(messages.NameSourcesYourself, file)
	}
	return nil
}

// offer shows the Markdown as a page. If the editor cannot open one, the plain text is the message.
func (c *command) offer(ctx context.Context, o handlers.Offer) {
	if !c.openPage(ctx, strings.TrimRight(o.Title, "."), o.Markdown) {
		c.editor.Show(messages.Message{Level: messages.Warning, Text: o.Title + "\n\n" + o.Plain})
	}
}

// openPage shows a text under a title, in a document that is no file or, for editors that have none such, in
// a file next to the index. It reports whether the editor has opened it.
func (c *command) openPage(ctx context.Context, title, markdown string) bool {
	if !c.editor.Client().ShowDocument {
		return false
	}
	name := lsp.PageName(title)
	text := "# " + title + "\n\n" + markdown + "\n"
	if c.editor.Client().Pages {
		uri := lsp.PageURI(name)
		if c.pages.put(name, text) {
			params := lsp.TextDocumentContentParams{URI: uri}
			if err := c.conn.Call(ctx, editor.ReplyTime, lsp.MethodTextDocumentContentRefresh, params, nil); err != nil {
				c.log.Debug("page not refreshed", "err", err)
			}
		}
		return c.editor.Open(ctx, uri)
	}
	_, folder := c.about()
	if folder == nil {
		folder = c.folderOf("")
	}
	if folder == nil {
		return false
	}
	path, err := folder.Scratch(name, text)
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

// await counts the command as not answering while it waits for the user, who may never reply. Resume ends
// that.
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
