// Package ocr makes scanned PDF files readable with a command of the user's, such as ocrmypdf, and caches
// what it read.
//
// The command is a setting of the user alone: no document and no workspace can name one. It gets the
// file and returns another PDF file, which package pdf reads in its child like any other. Its text is
// cached by the hash of the file and of the command, so places in it lead to the same words again.
//
// Begin with [Use] and [Read].
package ocr

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lacuna/knowledge/ingest/pdf"
	"lacuna/vecmath/regular"
)

// current is the command of this process. There is one, because it is a setting of the user, and places
// must be found again without any settings.
var current atomic.Pointer[Command]

// Use sets the command of this process.
func Use(c Command) {
	c.Words = slices.Clone(c.Words)
	current.Store(&c)
}

// active returns the command, or nil if there is none.
func active() *Command {
	if c := current.Load(); c != nil && len(c.Words) > 0 {
		return c
	}
	return nil
}

// Active reports whether there is a command.
func Active() bool { return active() != nil }

// Stamp identifies the command: with another one, the same files may have another text. It is empty if
// there is none.
func Stamp() string {
	c := active()
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%q", c.Words)
}

type cachedOnly struct{}

// CachedOnly returns a context in which [Read] starts no program.
func CachedOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, cachedOnly{}, true)
}

// errNotCached says that the text is not in the cache and that no program may be started.
var errNotCached = errors.New("its text is not in the cache of ocr.command")

// Read returns the document that the command makes of a PDF file, from the cache if it is there. Its
// errors tell the user what is wrong with the command. It may be used concurrently.
func Read(ctx context.Context, content []byte) (pdf.Document, error) {
	c := active()
	if c == nil {
		return pdf.Document{}, errNotCached
	}
	path := c.path(content)
	if d, ok := load(path); ok {
		return d, nil
	}
	if ctx.Value(cachedOnly{}) != nil {
		return pdf.Document{}, errNotCached
	}
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
		return pdf.Document{}, fmt.Errorf("ocr.command has no folder for its results: %w", err)
	}
	made, err := c.run(ctx, content)
	if err != nil {
		return pdf.Document{}, err
	}
	d, err := pdf.Read(ctx, made, pdf.MaxTime)
	if ctx.Err() != nil {
		return pdf.Document{}, ctx.Err()
	}
	if err != nil {
		return pdf.Document{}, fmt.Errorf("ocr.command ended, but what it made cannot be read: %w", err)
	}
	if err := store(path, d); err != nil {
		return pdf.Document{}, fmt.Errorf("the result of ocr.command cannot be stored: %w", err)
	}
	c.trim(path)
	return d, nil
}

// version changes whenever cached texts can no longer be used.
const version = 1

// path returns the file that caches the text of a PDF file.
func (c *Command) path(content []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %q %d ", version, c.Words, len(content))
	h.Write(content)
	return filepath.Join(c.Folder, hex.EncodeToString(h.Sum(nil))+suffix)
}

const suffix = ".json"

// load returns a cached document and marks it as used.
func load(path string) (d pdf.Document, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFolder {
		return d, false
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &d) != nil {
		return pdf.Document{}, false
	}
	if now := time.Now(); regular.Age(info, now) > time.Hour {
		_ = os.Chtimes(path, now, now) // only for trim, which may then take another
	}
	return d, true
}

// store writes a document for this user alone. After a crash the file is whole or absent.
func store(path string, d pdf.Document) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = regular.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// maxFolder bounds the cached texts, in bytes: some 100,000 pages.
const maxFolder = 512 << 20

// abandoned is the age from which what a killed program left is removed.
const abandoned = 25 * time.Hour

// trim removes the texts that were not used for longest until the rest fits. The text at keep stays.
func (c *Command) trim(keep string) {
	type cached struct {
		path string
		size int64
		age  time.Duration // since it was last used
	}
	now := time.Now()
	entries, err := os.ReadDir(c.Folder)
	if err != nil {
		return
	}
	var all []cached
	for _, entry := range entries {
		path := filepath.Join(c.Folder, entry.Name())
		info, err := entry.Info()
		switch {
		case err != nil || path == keep:
		case strings.HasSuffix(path, suffix):
			all = append(all, cached{path, info.Size(), regular.Age(info, now)})
		case regular.Age(info, now) > abandoned:
			_ = os.RemoveAll(path)
		}
	}
	slices.SortFunc(all, func(a, b cached) int { return cmp.Compare(a.age, b.age) })
	total := int64(0)
	for _, one := range all {
		if total += one.size; total > maxFolder {
			_ = os.Remove(one.path)
		}
	}
}
