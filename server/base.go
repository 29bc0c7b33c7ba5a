package server

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/ingest"
)

const (
	// settle is how long changes of files or of the library are gathered before they are acted on.
	settle = 300 * time.Millisecond
	// replyTime bounds a question to the client that needs no person.
	replyTime = 5 * time.Second
	// writerCheck is how often a session that only searches looks for what the process that writes
	// the index has added, and whether that one has ended.
	writerCheck = 3 * time.Second
)

// base is the knowledge of one folder: its workspace and what has been found out with it. One
// goroutine (run) opens, refreshes and closes the workspace; the rest of the session reads what
// that goroutine has published.
type base struct {
	s        *session
	folder   string // empty when the client has none open
	name     string // the client's, of the folder; may be empty
	inside   string // the client's folder, where this one is a workspace found below it
	findings *findings
	shelf    shelf                                 // the notes on disk that were looked at last
	closed   atomic.Pointer[map[string]*note.Note] // the notes on disk by path; nil before the first look
	now      atomic.Pointer[opened]
	activity atomic.Pointer[activity]
	decision atomic.Value  // string: what the newest answer of a model was made from
	stale    chan struct{} // holds a token when the sources may have changed
	reopen   chan struct{} // holds a token when the settings may have changed

	notesStale chan struct{} // holds a token when the notes on disk or the library may have changed
	stop       context.CancelFunc
	done       chan struct{} // closed when run has returned
}

// opened is a workspace with what was read from it once. The zero workspace stands for a base
// that is not open yet: it has no sources and the default settings.
type opened struct {
	workspace Workspace // nil before the first opening
	folder    string    // of the index; empty when nothing is kept
	settings  settings.Settings
	sources   []ingest.Source
	ledger    *ledger.Ledger
	pages     string      // folder of the pages that explain diagnostics; empty when they could not be written
	read      atomic.Bool // the first refresh has ended
}

// addBase makes the base of a folder and opens it if the session has begun. The caller holds
// session.mu or runs before anything else does.
func (s *session) addBase(folder string) *base {
	b := &base{
		s:        s,
		folder:   folder,
		findings: newFindings(),
		stale:    make(chan struct{}, 1),
		reopen:   make(chan struct{}, 1),

		notesStale: make(chan struct{}, 1),
		done:       make(chan struct{}),
	}
	b.now.Store(&opened{settings: settings.Default(), ledger: b.openLedger(s.conn.Context(), "")})
	b.activity.Store(&activity{state: handlers.Indexing, message: messages.OpeningSources})
	s.bases = append(s.bases, b)
	if s.started {
		b.start()
	}
	return b
}

func (b *base) start() {
	ctx, cancel := context.WithCancel(b.s.conn.Context())
	b.stop = cancel
	go b.run(ctx)
}

// baseFor chooses the base of a document: the innermost folder that holds it, or the workspace
// below that folder to which the document belongs, else the first base. A client without folders
// gets the workspace of the first note it opens. The caller holds session.mu.
func (s *session) baseFor(path string) *base {
	var innermost *base
	for _, b := range s.bases {
		if within(path, b.folder) && (innermost == nil || len(b.folder) > len(innermost.folder)) {
			innermost = b
		}
	}
	switch home := s.home(path); {
	case innermost != nil && !lsp.SamePath(home, innermost.folder) && within(home, innermost.folder):
		b := s.addBase(home)
		b.inside = innermost.folder
		return b
	case innermost != nil:
		return innermost
	case len(s.bases) > 0:
		return s.bases[0]
	case home != "":
		return s.addBase(home)
	case path != "":
		return s.addBase(filepath.Dir(path))
	}
	return s.addBase("")
}

// home is the workspace a file belongs to by what lies on disk; empty if there is none.
func (s *session) home(path string) string {
	if path == "" || s.options.Home == nil {
		return ""
	}
	folder, _ := s.options.Home(filepath.Dir(path))
	return folder
}

// within reports whether path is folder or lies in it. It reads nothing.
func within(path, folder string) bool {
	if path == "" || folder == "" {
		return false
	}
	_, inside := lsp.Within(filepath.Clean(path), filepath.Clean(folder))
	return inside
}

func (b *base) settings() settings.Settings { return b.now.Load().settings }
func (b *base) ledger() *ledger.Ledger      { return b.now.Load().ledger }

// unread serves until a workspace is open and has read something, or has found that there is
// nothing to read.
var unread = knowledge.Pending()

func (b *base) library() *knowledge.Library {
	now := b.now.Load()
	if now.workspace == nil {
		return unread
	}
	library := now.workspace.Library()
	if len(library.Passages()) == 0 && !now.read.Load() {
		return unread
	}
	return library
}

func (b *base) strategy(way answer.Request) (answer.Strategy, error) {
	if w := b.now.Load().workspace; w != nil {
		return w.Strategy(way)
	}
	return nil, errors.New(messages.SourcesNotOpen)
}

func (b *base) models() handlers.Models {
	if w := b.now.Load().workspace; w != nil {
		return w.Models()
	}
	return handlers.Models{}
}

// holds reports whether a file belongs to one of the sources: a source is no note.
func (b *base) holds(path string) bool {
	for _, source := range b.now.Load().sources {
		if within(path, source.Path) {
			return true
		}
	}
	return false
}

// run is the life of a base.
func (b *base) run(ctx context.Context) {
	defer close(b.done)
	defer b.s.contain("workspace")
	for ctx.Err() == nil {
		b.openAndServe(ctx)
	}
}

// openAndServe opens the workspace and keeps its index fresh until the settings change or ctx
// ends.
func (b *base) openAndServe(ctx context.Context) {
	workspace, err := b.s.options.Open(ctx, OpenRequest{
		Folder: b.folder, Editor: b.s.editorSettings(ctx, b), Consent: b.s.consent,
	})
	if err != nil {
		if ctx.Err() == nil {
			b.s.log.Error("workspace not opened", "folder", b.folder, "err", err)
			m := messages.CannotOpen(b.folder, err)
			b.s.tell(m)
			b.doing(handlers.Trouble, m.Text, 0)
		}
		select {
		case <-ctx.Done():
		case <-b.reopen:
		}
		return
	}
	defer func() {
		if err := workspace.Close(); err != nil {
			b.s.log.Warn("workspace not closed", "err", err)
		}
	}()
	b.publish(ctx, workspace)
	b.logUnread(workspace)
	defer workspace.Subscribe(func(*knowledge.Library) { b.s.libraryChanged(b) })()
	defer b.s.watch(b, workspace)()

	serving, cancel := context.WithCancel(ctx)
	defer cancel()
	var background sync.WaitGroup
	for name, work := range map[string]func(context.Context, Workspace){"index": b.keepFresh, "watching": b.poll, "checking": b.check, "notes": b.judgeClosed} {
		background.Go(func() {
			defer b.s.contain(name)
			work(serving, workspace)
		})
	}
	select {
	case <-ctx.Done():
	case <-b.reopen:
		wait(ctx, settle)
	}
	cancel()
	background.Wait()
}

// publish makes a workspace the one that the session works with.
func (b *base) publish(ctx context.Context, w Workspace) {
	b.now.Store(&opened{
		workspace: w,
		folder:    w.IndexDir(),
		settings:  w.Settings(),
		sources:   w.Sources(),
		ledger:    b.openLedger(ctx, w.IndexDir()),
		pages:     b.writePages(w.IndexDir()),
	})
	var lines []string
	for _, problem := range w.Problems() {
		lines = append(lines, problem.String())
	}
	if len(lines) > 0 {
		b.s.tell(messages.SettingsProblems(lines))
	}
	b.s.viewsChanged() // other settings may show other things
	b.s.judgeAll(b, 0)
}

// keepFresh refreshes the index now, whenever the sources may have changed, and now and then while
// another process writes it.
func (b *base) keepFresh(ctx context.Context, w Workspace) {
	searchOnly := false
	for {
		var check <-chan time.Time
		if searchOnly = b.refresh(ctx, w, searchOnly); searchOnly {
			check = time.After(writerCheck)
		}
		select {
		case <-ctx.Done():
			return
		case <-check:
		case <-b.stale:
			wait(ctx, settle)
			select { // what came while waiting is covered by this refresh
			case <-b.stale:
			default:
			}
		}
	}
}

// refresh runs one refresh with progress that the user can cancel, and reports whether another
// process is the one that writes. A quiet refresh shows nothing in that case.
func (b *base) refresh(ctx context.Context, w Workspace, quiet bool) (searchOnly bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shown := &progress{}
	begun := false
	begin := func() {
		if !begun {
			shown, begun = b.s.beginProgress(ctx, cancel, "", messages.TitleIndexing), true
		}
	}
	if !quiet {
		begin()
	}
	opened := b.now.Load()
	percent := 0 // mishaps have no share of their own and leave the bar where it is
	err := b.s.safely("index", func() error {
		return w.Refresh(ctx, func(e knowledge.Event) {
			if searchOnly = e.Stage == knowledge.SearchOnly; !searchOnly {
				begin()
			}
			b.warn(e)
			percent = max(percent, overall(e))
			shown.report(messages.IndexStage(e), percent)
			if searchOnly {
				b.doing(handlers.SearchingOnly, messages.IndexStage(e), 0)
			} else {
				b.doing(handlers.Indexing, messages.IndexStage(e), percent)
			}
		})
	})
	if err != nil && ctx.Err() == nil {
		b.s.log.Error("index not refreshed", "err", err)
		b.s.tell(messages.CannotIndex(err))
		b.doing(handlers.Trouble, messages.CannotIndex(err).Text, 0)
	} else if !searchOnly {
		b.doing("", "", 0)
	}
	library := w.Library()
	nothingYet := searchOnly && library.Generation() == ""
	if !nothingYet && !opened.read.Swap(true) && len(library.Passages()) == 0 {
		b.s.libraryChanged(b) // nothing was published, and that is news too
	}
	shown.end(b.standing())
	return searchOnly
}

// warn tells of what went wrong while the index was refreshed without ending it.
func (b *base) warn(e knowledge.Event) {
	switch e.Stage {
	case knowledge.Damaged:
		b.s.log.Warn("index was damaged and is rebuilt", "why", e.Note)
		b.s.tell(messages.IndexDamaged(b.folder, e.Note))
	case knowledge.Unembedded:
		b.s.tell(messages.RemoteEncoderFailed(e.Note))
	case knowledge.Limited:
		b.s.log.Warn("sources beyond the limits", "why", e.Note)
		b.s.tell(messages.Message{Level: messages.Warning, Text: "Lacuna: " + messages.SourcesLimited(e)})
	case knowledge.Unwritten, knowledge.Provisional:
		b.s.log.Warn("index not written", "stage", e.Stage, "why", e.Note)
		b.s.tell(messages.Message{Level: messages.Warning, Text: "Lacuna: " + messages.IndexNotKept(e)})
	}
}

// libraryChanged judges the open notes again with a library that knows more. It is called by the
// index's goroutine and returns at once.
func (s *session) libraryChanged(b *base) {
	s.statusChanged()
	s.viewsChanged()
	s.judgeAll(b, settle)
	wake(b.notesStale)
}

// closeBases ends the work of every base and waits for it, so that an index is closed in order.
func (s *session) closeBases() {
	s.mu.Lock()
	var started []*base
	for _, b := range s.bases {
		if b.stop != nil {
			b.stop()
			started = append(started, b)
		}
	}
	s.mu.Unlock()
	timeout := time.After(flushTime)
	for _, b := range started {
		select {
		case <-b.done:
		case <-timeout:
			s.log.Warn("index work did not end in time")
			return
		}
	}
}

// wake leaves a token for the goroutine that waits on the channel.
func wake(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
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

// editorSettings are the layers of settings that came from the editor, weakest first.
func (s *session) editorSettings(ctx context.Context, b *base) []json.RawMessage {
	layers := []json.RawMessage{s.initOptions}
	if pulled := s.pullConfiguration(ctx, b); pulled != nil {
		return append(layers, pulled)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(layers, s.changed)
}
