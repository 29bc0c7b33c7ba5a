package folders

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/handlers/wiki"
	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/server/editor"
)

const (
	// writerCheck is how often a session that only searches looks for what the process that writes
	// the index has added, and whether that one has ended.
	writerCheck = 3 * time.Second
	// pollEvery is the interval at which a session looks for changes that the editor does not report.
	pollEvery = 5 * time.Second
	// checkEvery is the interval between comparisons of the index with its checksums; opening it compares too.
	checkEvery = time.Hour
)

// layersOf returns the settings that came from the editor for a folder, weakest first.
type layersOf func(ctx context.Context, folder string) []json.RawMessage

// start begins the life of a folder, which ends with stop.
func (f *Folder) start(layers layersOf) {
	ctx, cancel := context.WithCancel(f.editor.Context())
	f.stop = cancel
	go func() {
		defer close(f.done)
		defer f.editor.Contain("workspace")
		for ctx.Err() == nil {
			f.openAndServe(ctx, layers)
		}
	}()
}

// openAndServe opens the workspace and keeps its index fresh until the settings change or ctx
// ends.
func (f *Folder) openAndServe(ctx context.Context, layers layersOf) {
	workspace, err := f.options.Open(ctx, OpenRequest{
		Folder: f.path, Editor: layers(ctx, f.path), Consent: refuse,
	})
	if err != nil {
		if ctx.Err() == nil {
			f.log.Error("workspace not opened", "folder", f.path, "err", err)
			m := messages.CannotOpen(f.path, err)
			f.editor.ShowOnce(m)
			f.doing(handlers.Trouble, m.Text, 0)
		}
		select {
		case <-ctx.Done():
		case <-f.reopen:
		}
		return
	}
	defer func() {
		if err := workspace.Close(); err != nil {
			f.log.Warn("workspace not closed", "err", err)
		}
	}()
	f.publish(ctx, workspace)
	f.logUnread(workspace)
	defer workspace.Subscribe(func(*knowledge.Library) { f.libraryChanged() })()
	defer f.watch(workspace)()

	serving, cancel := context.WithCancel(ctx)
	defer cancel()
	var background sync.WaitGroup
	for name, work := range map[string]func(context.Context, Workspace){"index": f.keepFresh, "watching": f.poll, "checking": f.check, "notes": f.judgeClosed} {
		background.Go(func() {
			defer f.editor.Contain(name)
			work(serving, workspace)
		})
	}
	select {
	case <-ctx.Done():
	case <-f.reopen:
		wait(ctx, settleTime)
	}
	cancel()
	background.Wait()
}

// refuse permits nothing: the user asked for nothing.
func refuse(context.Context, llm.Outbound) (bool, error) {
	return false, errors.New(messages.NotRequested)
}

// publish makes a workspace the one that the session works with.
func (f *Folder) publish(ctx context.Context, w Workspace) {
	f.now.Store(&openState{
		workspace: w,
		folder:    w.IndexDir(),
		settings:  w.Settings(),
		sources:   w.Sources(),
		ledger:    f.openLedger(ctx, w.IndexDir()),
		pages:     f.writePages(w.IndexDir()),
		wikiLinks: sync.OnceValue(func() bool { return wiki.Habit(w.Root()) }),
	})
	var lines []string
	for _, problem := range w.Problems() {
		lines = append(lines, problem.String())
	}
	if len(lines) > 0 {
		f.editor.ShowOnce(messages.SettingsProblems(lines))
	}
	f.editor.ViewsChanged() // other settings may show other things
	f.notes.Rejudge(f, 0)
}

// keepFresh refreshes the index now, whenever the sources may have changed, and now and then while
// another process writes it.
func (f *Folder) keepFresh(ctx context.Context, w Workspace) {
	searchOnly := false
	for {
		var check <-chan time.Time
		if searchOnly = f.refresh(ctx, w, searchOnly); searchOnly {
			check = time.After(writerCheck)
		}
		select {
		case <-ctx.Done():
			return
		case <-check:
		case <-f.stale:
			wait(ctx, settleTime)
			select { // what came while waiting is covered by this refresh
			case <-f.stale:
			default:
			}
		}
	}
}

// refresh runs one refresh with progress that the user can cancel, and reports whether another
// process is the one that writes. A quiet refresh shows nothing in that case.
func (f *Folder) refresh(ctx context.Context, w Workspace, quiet bool) (searchOnly bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shown := &editor.Progress{}
	begun := false
	begin := func() {
		if !begun {
			shown, begun = f.editor.BeginProgress(ctx, cancel, "", messages.TitleIndexing), true
		}
	}
	if !quiet {
		begin()
	}
	opened := f.now.Load()
	percent := 0 // warnings have no share of their own and leave the bar where it is
	err := f.editor.Safely("index", func() error {
		return w.Refresh(ctx, func(e knowledge.Event) {
			if searchOnly = e.Stage == knowledge.SearchOnly; !searchOnly {
				begin()
			}
			f.warn(e)
			percent = max(percent, e.Overall)
			shown.Report(messages.IndexStage(e), percent)
			if searchOnly {
				f.doing(handlers.SearchingOnly, messages.IndexStage(e), 0)
			} else {
				f.doing(handlers.Indexing, messages.IndexStage(e), percent)
			}
		})
	})
	if err != nil && ctx.Err() == nil {
		f.log.Error("index not refreshed", "err", err)
		f.editor.ShowOnce(messages.CannotIndex(err))
		f.doing(handlers.Trouble, messages.CannotIndex(err).Text, 0)
	} else if !searchOnly {
		f.doing("", "", 0)
	}
	library := w.Library()
	nothingYet := searchOnly && library.Generation() == ""
	if !nothingYet && !opened.read.Swap(true) && len(library.Passages()) == 0 {
		f.libraryChanged() // nothing was published, and that is a change too
	}
	shown.End(f.standing())
	return searchOnly
}

// warn reports what went wrong while the index was refreshed without ending it.
func (f *Folder) warn(e knowledge.Event) {
	switch e.Stage {
	case knowledge.Damaged:
		f.log.Warn("index was damaged and is rebuilt", "why", e.Note)
		f.editor.ShowOnce(messages.IndexDamaged(f.path, e.Note))
	case knowledge.Unembedded:
		f.editor.ShowOnce(messages.RemoteEncoderFailed(e.Note))
	case knowledge.Limited:
		f.log.Warn("sources beyond the limits", "why", e.Note)
		f.editor.ShowOnce(messages.Message{Level: messages.Warning, Text: "Lacuna: " + messages.SourcesLimited(e)})
	case knowledge.Unwritten, knowledge.Provisional:
		f.log.Warn("index not written", "stage", e.Stage, "why", e.Note)
		f.editor.ShowOnce(messages.Message{Level: messages.Warning, Text: "Lacuna: " + messages.IndexNotKept(e)})
	}
}

// libraryChanged judges questions again with a library that knows more. It is called by the index's
// goroutine and returns immediately.
func (f *Folder) libraryChanged() {
	f.changed()
	f.notes.Rejudge(f, settleTime)
	wake(f.notesStale)
}

// poll looks now and then for what the client does not report: changes of sources and settings that
// it does not watch, and damage to the index. It returns when ctx ends.
func (f *Folder) poll(ctx context.Context, w Workspace) {
	unwatched := f.unwatched(w)
	configuration := f.unwatchedSettings(w)
	seen, _ := ingest.FingerprintOf(ctx, unwatched) // an error is ctx's, which ends the loop
	set := stampsOf(configuration)
	lost, damaged := "", false // the generation that is damaged, if any is
	every := pollEvery
	for {
		if wait(ctx, every); ctx.Err() != nil {
			return
		}
		began := time.Now()
		now, err := ingest.FingerprintOf(ctx, unwatched)
		if err != nil {
			return
		}
		if now != seen {
			seen = now
			wake(f.stale)
		}
		if now := stampsOf(configuration); !slices.EqualFunc(now, set, stamp.equal) {
			set = now
			wake(f.reopen)
		}
		intact, generation := w.Intact(), w.Library().Generation()
		// Once for each generation: damage that a refresh cannot repair would have the index refreshed for ever.
		if !intact && !(damaged && generation == lost) {
			wake(f.stale)
		}
		lost, damaged = generation, !intact
		every = max(pollEvery, pollShare*time.Since(began))
	}
}

// check compares the index with its checksums now and then, for a session may last for weeks. If
// they differ it has the index refreshed, which tells the user. It returns when ctx ends.
func (f *Folder) check(ctx context.Context, w Workspace) {
	for {
		if wait(ctx, checkEvery); ctx.Err() != nil {
			return
		}
		if err := w.Check(ctx); err != nil && ctx.Err() == nil {
			f.log.Warn("the index is not as it was written", "err", err)
			wake(f.stale)
		}
	}
}

// watchNumber makes the ids of registrations distinct.
var watchNumber atomic.Int64

// watch asks the editor to report changes of the workspace's settings and sources, and of its notes if it shows more of them
// than those that are open, and returns what takes that back. An editor that cannot is served by saves.
func (f *Folder) watch(w Workspace) (unwatch func()) {
	if !f.editor.Client().WatchDynamic {
		return func() {}
	}
	id := "lacuna-watch-" + strconv.FormatInt(watchNumber.Add(1), 10)
	watchers := []lsp.FileSystemWatcher{}
	if root := w.Root(); root != "" {
		watchers = append(watchers, f.watcher(root, settings.File))
	}
	for _, source := range w.Sources() {
		watchers = append(watchers,
			f.watcher(source.Path, "**/*"),
			f.watcher(filepath.Dir(source.Path), filepath.Base(source.Path)))
	}
	if f.path != "" && f.editor.Client().PullClosed { // it shows marks of notes that are not open
		watchers = append(watchers, f.watcher(f.path, "**/*{"+strings.Join(note.Endings(), ",")+"}"))
	}
	f.editor.Register(id, protocol.MethodWorkspaceDidChangeWatchedFiles, lsp.WatchOptions{Watchers: watchers})
	return func() { f.editor.Unregister(id, protocol.MethodWorkspaceDidChangeWatchedFiles) }
}

func (f *Folder) watcher(folder, pattern string) lsp.FileSystemWatcher {
	if f.editor.Client().WatchRelative {
		return lsp.FileSystemWatcher{GlobPattern: lsp.RelativePattern{BaseURI: lsp.URI(folder), Pattern: pattern}}
	}
	return lsp.FileSystemWatcher{GlobPattern: filepath.ToSlash(folder) + "/" + pattern}
}

// unwatched returns the sources whose changes the client does not report: all of them if it cannot watch
// files, and in any case the ones outside the workspace, which some clients do not watch despite agreeing to.
func (f *Folder) unwatched(w Workspace) []ingest.Source {
	var list []ingest.Source
	for _, source := range w.Sources() {
		if !f.editor.Client().WatchDynamic || !within(source.Path, w.Root()) {
			list = append(list, source)
		}
	}
	return list
}

// unwatchedSettings returns the settings files whose changes the client does not report: the user's own, the
// ones in the folders around the workspace and, if the client cannot watch files, the workspace's.
func (f *Folder) unwatchedSettings(w Workspace) []string {
	var files []string
	if file := w.UserFile(); file != "" {
		files = append(files, file)
	}
	if w.Root() == "" {
		return files
	}
	places := settings.Files(w.Root())
	if f.editor.Client().WatchDynamic {
		places = places[:len(places)-1]
	}
	return append(files, places...)
}

func stampsOf(paths []string) []stamp {
	stamps := make([]stamp, len(paths))
	for i, path := range paths {
		stamps[i] = stampOf(path)
	}
	return stamps
}

// stamp tells the states of a small file apart; zero where there is none.
type stamp struct {
	size int64
	info fs.FileInfo
}

// equal also tells one file from another that has replaced it, because in some stores all files have the same time.
func (s stamp) equal(other stamp) bool {
	if s.info == nil || other.info == nil {
		return s == other
	}
	return s.size == other.size && s.info.ModTime().Equal(other.info.ModTime()) && os.SameFile(s.info, other.info)
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}
	}
	if err != nil {
		return stamp{size: -1}
	}
	return stamp{info.Size(), info}
}
