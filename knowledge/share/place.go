package share

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lacuna/vecmath/regular"
)

// Place keeps publications under names with forward slashes. Its methods may be called concurrently.
type Place interface {
	// Get returns what is kept under a name, or [fs.ErrNotExist]. More than most bytes are an error.
	Get(ctx context.Context, name string, most int64) ([]byte, error)
	// Has reports whether something is kept under a name.
	Has(ctx context.Context, name string) (bool, error)
	// Put keeps content under a name: whole, or not at all.
	Put(ctx context.Context, name string, content []byte) error
	// String is how messages name the place.
	String() string
}

// get fetches a piece and checks it; kept is how it is kept.
func get(ctx context.Context, from Place, p Piece) (content, kept []byte, err error) {
	kept, err = from.Get(ctx, p.name(), p.Bytes+p.Bytes/8+1024) // gzip adds little to what it cannot compress
	if err == nil {
		content, err = p.unpack(kept)
	}
	return content, kept, err
}

// Folder is a place on this machine or on a file share.
type Folder string

func (f Folder) String() string { return string(f) }

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Get implements [Place].
func (f Folder) Get(ctx context.Context, name string, most int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := regular.Open(f.path(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("%s: %w", name, ErrAltered)
	}
	return content, err
}

// Has implements [Place].
func (f Folder) Has(_ context.Context, name string) (bool, error) {
	info, err := os.Stat(f.path(name))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular() && info.Size() > 0, err
}

// Put implements [Place].
func (f Folder) Put(ctx context.Context, name string, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		return err
	}
	return write(f.path(name), content, 0o644)
}

// prune removes pieces that nothing needs and that are older than an hour: until then somebody who
// publishes concurrently may be about to name them.
func (f Folder) prune(needed map[Piece]bool, now time.Time) (removed int, err error) {
	names := make(map[string]bool, len(needed))
	for p := range needed {
		names[f.path(p.name())] = true
	}
	err = filepath.WalkDir(f.path(piecesFolder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || names[path] {
			return err
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour && os.Remove(path) == nil {
			removed++
		}
		return nil
	})
	return removed, err
}

// fsync is replaced in tests, which are many and lose no power.
var fsync = (*os.File).Sync

// temporaryOf is the pattern of what write writes before it is called name.
func temporaryOf(name string) string { return "." + strings.TrimPrefix(name, ".") + ".*.new" }

// write replaces a file as a whole.
func write(path string, content []byte, mode fs.FileMode) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), temporaryOf(filepath.Base(path)))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	_, err = temporary.Write(content)
	if err == nil {
		err = temporary.Chmod(mode)
	}
	if err == nil {
		err = fsync(temporary)
	}
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
