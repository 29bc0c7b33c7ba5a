package knowledge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// TempDir is a folder of this process alone: nobody else can read it, and it is removed by Close.
// A process that is killed leaves it behind; the next one that needs such a folder removes it then.
type TempDir struct {
	dir  string
	lock *flock.Flock // held while the folder is in use
}

// temporaryPrefix begins the names of temporary folders.
const temporaryPrefix = "lacuna-index-"

// errTaken means that another process took a folder that had just been made.
var errTaken = errors.New("another process has the temporary folder")

// NewTempDir makes a temporary folder in the first of the parents where that succeeds.
func NewTempDir(parents ...string) (*TempDir, error) {
	err := errors.New("there is no folder for temporary files")
	for _, parent := range parents {
		var made *TempDir
		if made, err = newTemporary(parent); err == nil {
			return made, nil
		}
	}
	return nil, err
}

func newTemporary(parent string) (*TempDir, error) {
	removeAbandoned(parent)
	dir, err := os.MkdirTemp(parent, temporaryPrefix) // mode 0700
	if err != nil {
		return nil, err
	}
	lock := newLock(filepath.Join(dir, lockName))
	if taken, err := lock.TryLock(); err != nil || !taken {
		return nil, errors.Join(err, lock.Close(), os.RemoveAll(dir), errTaken)
	}
	return &TempDir{dir, lock}, nil
}

// Dir is the folder.
func (t *TempDir) Dir() string { return t.dir }

// Close removes the folder. It may be called again, and for no folder.
func (t *TempDir) Close() error {
	if t == nil {
		return nil
	}
	if err := errors.Join(t.lock.Close(), os.RemoveAll(t.dir)); err != nil {
		return fmt.Errorf("remove the temporary folder: %w", err)
	}
	return nil
}

// removeAbandoned removes temporary folders whose process has ended without removing them.
func removeAbandoned(parent string) {
	folders, _ := filepath.Glob(filepath.Join(parent, temporaryPrefix+"*")) // the pattern is well formed
	for _, folder := range folders {
		file := filepath.Join(folder, lockName)
		if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
			continue // it may be in the making
		}
		lock := newLock(file)
		taken, err := lock.TryLock()
		_ = lock.Close() // Windows removes no file that is open
		if err == nil && taken {
			_ = os.RemoveAll(folder)
		}
	}
}
