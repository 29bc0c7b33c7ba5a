package server

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/vecmath/regular"
)

// Bounds on the notes of a workspace that are looked at beside those that are open. A folder may be
// somebody's whole home.
const (
	mostEntries  = 50_000   // files and folders visited
	mostPages    = 5_000    // notes read
	mostPageSize = 1 << 20  // bytes of one note
	mostPageText = 32 << 20 // bytes of all notes
)

// shelf keeps the notes of a workspace that are on disk, parsed, for as long as their files do not
// change. It is safe for concurrent use.
type shelf struct {
	mu   sync.Mutex
	kept map[string]kept // by path; guarded by mu
}

type kept struct {
	modified time.Time
	size     int64
	note     *note.Note
}

// pages captures the open notes of a base and returns what goes through all of its notes: the open
// ones as they were, in the order of their names, and then those on disk, in the order of the folder.
// Links are not followed, and hidden folders, sources and what is too much are passed over. What lies
// on disk is read while the pages are taken, until ctx ends.
func (b *base) pages() func(ctx context.Context) iter.Seq[handlers.Page] {
	open := b.s.openPages(b)
	return func(ctx context.Context) iter.Seq[handlers.Page] {
		return func(yield func(handlers.Page) bool) {
			opened := make(map[string]bool)
			for _, page := range open {
				opened[lsp.PathKey(page.Path)] = true
				if !yield(page) {
					return
				}
			}
			w := walk{base: b, opened: opened, yield: yield, seen: make(map[string]kept)}
			w.run(ctx)
		}
	}
}

// openPages returns the open notes of a base, sorted; a source that is open is none.
func (s *session) openPages(b *base) []handlers.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pages []handlers.Page
	for _, doc := range s.documents {
		if doc.base == b && !b.holds(doc.path) {
			pages = append(pages, handlers.Page{URI: doc.uri, Path: doc.path, Note: doc.note})
		}
	}
	slices.SortFunc(pages, func(x, y handlers.Page) int { return strings.Compare(string(x.URI), string(y.URI)) })
	return pages
}

// walk goes once through the notes on disk.
type walk struct {
	base   *base
	opened map[string]bool // files that have been yielded, by lsp.PathKey
	yield  func(handlers.Page) bool
	seen   map[string]kept

	entries int
	bytes   int64
}

// run goes on until the end of the folder, a bound, ctx or whoever takes the pages ends it. What was
// seen on a whole walk is what the shelf holds then.
func (w *walk) run(ctx context.Context) {
	root := w.base.folder
	if root == "" {
		return
	}
	err := note.WalkFiles(root, func(path string, entry fs.DirEntry) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if w.entries++; w.entries > mostEntries || len(w.seen) > mostPages || w.bytes > mostPageText {
			w.base.s.log.Info("not every note was looked at", "folder", root, "notes", len(w.seen))
			return fs.SkipAll
		}
		if path != root && w.base.holds(path) {
			return fs.SkipDir
		}
		return nil
	}, w.take)
	if err == nil {
		w.base.shelf.keep(w.seen)
	}
}

// errEnough ends a walk of which nobody takes the rest.
var errEnough = errors.New("enough")

// take yields the note in a file; one that was yielded before or cannot be read is passed over.
func (w *walk) take(path string, entry fs.DirEntry) error {
	if w.opened[lsp.PathKey(path)] {
		return nil
	}
	info, err := entry.Info()
	if err != nil || info.Size() > mostPageSize {
		return nil
	}
	found, err := w.base.shelf.read(path, info)
	if err != nil {
		return nil
	}
	w.seen[path] = found
	w.bytes += found.size
	if !w.yield(handlers.Page{URI: lsp.URI(path), Path: path, Note: found.note}) {
		return errEnough
	}
	return nil
}

// read returns the note in a file, parsed anew if the file has changed.
func (s *shelf) read(path string, info fs.FileInfo) (kept, error) {
	s.mu.Lock()
	had, ok := s.kept[path]
	s.mu.Unlock()
	if ok && had.size == info.Size() && had.modified.Equal(info.ModTime()) {
		return had, nil
	}
	text, err := regular.ReadFile(path)
	if err != nil {
		return kept{}, err
	}
	return kept{
		modified: info.ModTime(), size: info.Size(),
		note: note.Parse(string(text), note.LanguageOf("", path)),
	}, nil
}

// note returns the note in a file, which it keeps.
func (s *shelf) note(path string) (*note.Note, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostPageSize || !info.Mode().IsRegular() {
		return nil, errors.New("no note, or too large for one")
	}
	found, err := s.read(path, info)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = make(map[string]kept)
	}
	s.kept[path] = found
	return found.note, nil
}

// keep replaces what is on the shelf.
func (s *shelf) keep(seen map[string]kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = seen
}
