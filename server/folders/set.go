package folders

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/gap/ledger"
	"lacuna/server/editor"
)

// Set holds the folders of a session. It is safe for concurrent use.
type Set struct {
	shared

	mu      sync.Mutex      // guards the fields below
	list    []*Folder       // in the editor's order; the first also serves documents outside all that have no workspace
	initial json.RawMessage // settings from initialize
	pushed  json.RawMessage // settings from didChangeConfiguration
	started bool            // Start was called
}

// New returns an empty set.
func New(e *editor.Editor, log *slog.Logger, notes OpenNotes, o Options) *Set {
	return &Set{shared: shared{editor: e, log: log, notes: notes, options: o, judging: make(chan struct{}, 1)}}
}

// Initialize takes in the settings that the editor sent with initialize.
func (s *Set) Initialize(settings json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initial = settings
}

// Start opens the folders that were added and every one that is added from now on. It reports whether it
// was called for the first time; later calls do nothing.
func (s *Set) Start() (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return false
	}
	s.started = true
	for _, f := range s.list {
		f.start(s.editorSettings)
	}
	return true
}

// Add makes a folder, with the editor's name for it, and opens it if the session has begun. An empty path
// stands for an editor without a folder.
func (s *Set) Add(path, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(path, name, "")
}

// add is Add with the editor's folder that the new one was found in. The caller must hold mu.
func (s *Set) add(path, name, outer string) *Folder {
	f := newFolder(&s.shared, path, name, outer)
	s.list = append(s.list, f)
	if s.started {
		f.start(s.editorSettings)
	}
	return f
}

// Remove closes the folder at a path and those that were found in it.
func (s *Set) Remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(f *Folder) bool {
		gone := lsp.SamePath(f.path, path) || lsp.SamePath(f.outer, path)
		if gone && f.stop != nil {
			f.stop()
		}
		return gone
	})
}

// Close ends the work of every folder and waits for it, but at most for the time given, so that indexes
// are closed in order.
func (s *Set) Close(patience time.Duration) {
	s.mu.Lock()
	var started []*Folder
	for _, f := range s.list {
		if f.stop != nil {
			f.stop()
			started = append(started, f)
		}
	}
	s.mu.Unlock()
	timeout := time.After(patience)
	for _, f := range started {
		select {
		case <-f.done:
		case <-timeout:
			s.log.Warn("index work did not end in time")
			return
		}
	}
}

// All returns the folders in the editor's order.
func (s *Set) All() []*Folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// For chooses the folder of a document: the innermost one that holds it, or the workspace below that folder
// to which the document belongs. A document outside all of them gets the workspace that it has on disk, as in an
// editor without folders; without one it is answered from the first folder. For looks at the disk, and the caller should
// hold no lock.
func (s *Set) For(path string) *Folder {
	home := s.home(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	var innermost *Folder
	for _, f := range s.list {
		if within(path, f.path) && (innermost == nil || len(f.path) > len(innermost.path)) {
			innermost = f
		}
	}
	switch {
	case innermost != nil && !lsp.SamePath(home, innermost.path) && within(home, innermost.path):
		return s.add(home, "", innermost.path)
	case innermost != nil:
		return innermost
	case home != "":
		return s.add(home, "", "")
	case len(s.list) > 0:
		return s.list[0]
	case path != "":
		return s.add(filepath.Dir(path), "", "")
	}
	return s.add("", "", "")
}

// home returns the workspace a file belongs to by what lies on disk; empty if there is none.
func (s *Set) home(path string) string {
	if path == "" || s.options.Home == nil {
		return ""
	}
	folder, _ := s.options.Home(filepath.Dir(path))
	return folder
}

// Around returns the first folder that holds a path or, if none does or the path is empty, the first
// folder; nil without folders. It makes none.
func (s *Set) Around(path string) *Folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.IndexFunc(s.list, func(f *Folder) bool { return within(path, f.path) }); at >= 0 {
		return s.list[at]
	}
	if len(s.list) > 0 {
		return s.list[0]
	}
	return nil
}

// SettingsChanged opens every workspace again. Pushed holds the settings if the editor sent them, else nil.
func (s *Set) SettingsChanged(pushed json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pushed != nil {
		s.pushed = pushed
	}
	for _, f := range s.list {
		wake(f.reopen)
	}
}

// editorSettings returns the layers of settings that came from the editor, weakest first.
func (s *Set) editorSettings(ctx context.Context, folder string) []json.RawMessage {
	pulled := s.editor.Settings(ctx, folder)
	s.mu.Lock()
	defer s.mu.Unlock()
	if pulled != nil {
		return []json.RawMessage{s.initial, pulled}
	}
	return []json.RawMessage{s.initial, s.pushed}
}

// FileChanged wakes the folders that a file matters to.
func (s *Set) FileChanged(path string) {
	for _, f := range s.All() {
		w := f.now.Load().workspace
		if w == nil {
			continue
		}
		if filepath.Base(path) == settings.File && within(w.Root(), filepath.Dir(path)) {
			wake(f.reopen)
			continue
		}
		if f.holdsSource(path) {
			wake(f.stale)
		}
		if note.Known("", path) && within(path, f.path) && f.MayBeNote(path) {
			wake(f.notesStale)
		}
	}
}

// FileGone is FileChanged for a file or folder that somebody deleted; its notes are known no more.
func (s *Set) FileGone(path string) {
	s.FileChanged(path)
	for _, f := range s.All() {
		f.forget(path)
	}
}

// pathChanged wakes the folders that have sources at a path, in it or around it.
func (s *Set) pathChanged(path string) {
	s.FileChanged(path)
	for _, f := range s.All() {
		for _, source := range f.Sources() {
			if within(source.Path, path) { // a folder above the source
				wake(f.stale)
			}
		}
	}
}

// Renamed remembers under the new names what was remembered of notes, and reads sources again.
func (s *Set) Renamed(renames handlers.Renames) {
	for _, rename := range renames {
		s.pathChanged(rename.From)
		s.pathChanged(rename.To)
	}
	all := s.All()
	go func() {
		defer s.editor.Contain("rename")
		for _, f := range all {
			f.rename(s.editor.Context(), renames.Apply)
			s.notes.Rejudge(f, 0)
		}
	}()
}

// Deleted forgets what was remembered of notes at these paths or below them, and reads sources again.
func (s *Set) Deleted(paths []string) {
	for _, path := range paths {
		s.pathChanged(path)
	}
	all := s.All()
	for _, f := range all {
		f.forget(paths...)
	}
	go func() {
		defer s.editor.Contain("delete")
		for _, f := range all {
			err := f.ledger().Retain(s.editor.Context(), func(a ledger.QuestionRef) bool {
				return !slices.ContainsFunc(paths, func(path string) bool { return within(a.Note, path) })
			})
			if err != nil {
				s.log.Warn("remembered gaps of deleted notes stay", "err", err)
			}
		}
		s.editor.StatusChanged()
	}()
}

// Overview returns what is known of every folder. It computes nothing about questions.
func (s *Set) Overview() []handlers.Folder {
	var folders []handlers.Folder
	for _, f := range s.All() {
		folders = append(folders, f.overview())
	}
	return folders
}

// IsScratch reports whether a file is a scratch text or an explanation of ours: it is no note, though it
// may hold questions.
func (s *Set) IsScratch(path string) bool {
	return slices.ContainsFunc(s.All(), func(f *Folder) bool {
		folder := f.now.Load().folder
		return folder != "" && (within(path, filepath.Join(folder, scratchFolder)) || within(path, filepath.Join(folder, explainFolder)))
	})
}
