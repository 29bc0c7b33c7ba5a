package folders

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
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

// Bounds on the notes of a folder that are looked at besides the open ones. A folder may be a whole home
// folder.
const (
	mostEntries  = 50_000   // files and folders visited
	mostPages    = 5_000    // notes read
	mostPageSize = 1 << 20  // bytes of one note
	mostPageText = 32 << 20 // bytes of all notes
)

// noteCache holds the notes of a folder that are on disk, parsed, for as long as their files do not
// change. It is safe for concurrent use.
type noteCache struct {
	mu    sync.Mutex
	notes map[string]cachedNote // by path; guarded by mu
}

type cachedNote struct {
	modified time.Time
	size     int64
	note     *note.Note
}

// Pages captures the open notes of the folder and returns what goes through all of its notes: the open
// ones as they were, in the order of their addresses, and then the rest on disk, in the order of the folder.
// Links are not followed, and hidden folders, sources and what is too much are passed over. The disk is read
// while the pages are taken, until ctx ends.
func (f *Folder) Pages() func(ctx context.Context) iter.Seq[handlers.Page] {
	open := slices.SortedFunc(maps.Values(f.notes.In(f)), func(x, y handlers.Page) int {
		return strings.Compare(string(x.URI), string(y.URI))
	})
	open = slices.DeleteFunc(open, func(p handlers.Page) bool { return !f.MayBeNote(p.Path) })
	return func(ctx context.Context) iter.Seq[handlers.Page] {
		return func(yield func(handlers.Page) bool) {
			taken := make(map[string]bool)
			for _, page := range open {
				taken[lsp.PathKey(page.Path)] = true
				if !yield(page) {
					return
				}
			}
			w := walk{folder: f, taken: taken, yield: yield, seen: make(map[string]cachedNote)}
			w.run(ctx)
		}
	}
}

// walk goes once through the notes on disk.
type walk struct {
	folder *Folder
	taken  map[string]bool // files that have been yielded, by lsp.PathKey
	yield  func(handlers.Page) bool
	seen   map[string]cachedNote

	entries int
	bytes   int64
}

// run goes on until the end of the folder, a bound, ctx or the caller of yield ends it. After a whole walk the
// cache holds exactly what was seen.
func (w *walk) run(ctx context.Context) {
	root := w.folder.path
	if root == "" {
		return
	}
	err := note.WalkFiles(root, func(path string, entry fs.DirEntry) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if w.entries++; w.entries > mostEntries || len(w.seen) > mostPages || w.bytes > mostPageText {
			w.folder.log.Info("not every note was looked at", "folder", root, "notes", len(w.seen))
			return fs.SkipAll
		}
		if path != root && !w.folder.MayBeNote(path) {
			return fs.SkipDir
		}
		return nil
	}, w.take)
	if err == nil {
		w.folder.cache.replace(w.seen)
	}
}

// errEnough ends a walk of which the rest is not wanted.
var errEnough = errors.New("enough")

// take yields the note in a file; one that was yielded before or cannot be read is passed over.
func (w *walk) take(path string, entry fs.DirEntry) error {
	if w.taken[lsp.PathKey(path)] {
		return nil
	}
	info, err := entry.Info()
	if err != nil || info.Size() > mostPageSize {
		return nil
	}
	found, err := w.folder.cache.read(path, info)
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

// read returns the note in a file, parsed again if the file has changed.
func (c *noteCache) read(path string, info fs.FileInfo) (cachedNote, error) {
	c.mu.Lock()
	had, ok := c.notes[path]
	c.mu.Unlock()
	if ok && had.size == info.Size() && had.modified.Equal(info.ModTime()) {
		return had, nil
	}
	text, err := regular.ReadFile(path)
	if err != nil {
		return cachedNote{}, err
	}
	return cachedNote{
		modified: info.ModTime(), size: info.Size(),
		note: note.Parse(string(text), note.LanguageOf("", path)),
	}, nil
}

// note returns the note in a file and caches it.
func (c *noteCache) note(path string) (*note.Note, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostPageSize || !info.Mode().IsRegular() {
		return nil, errors.New("no note, or too large for one")
	}
	found, err := c.read(path, info)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notes == nil {
		c.notes = make(map[string]cachedNote)
	}
	c.notes[path] = found
	return found.note, nil
}

// replace replaces everything in the cache.
func (c *noteCache) replace(seen map[string]cachedNote) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = seen
}
