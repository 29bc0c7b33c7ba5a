package knowledge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"lacuna/vecmath/regular"
)

// lockPoll is how often a process looks whether another has finished with a file.
const lockPoll = 5 * time.Millisecond

// UpdateFile replaces the content of a small file by what change makes of it, while no other
// process or goroutine that uses UpdateFile does the same; change gets nil where there is no file.
// The new content takes the old one's place in one step, with mode 0600, so that a crash leaves one
// of the two. Equal content is not written. The folder is made with mode 0700 if need be, and a
// file with the ending ".lock" stays beside the file.
func UpdateFile(ctx context.Context, path string, change func(content []byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := newLock(path + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	defer func() { _ = lock.Close() }() // the lock ends with its descriptor in any case
	old, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = nil, nil
	}
	if err != nil {
		return err
	}
	content, err := change(old)
	if err != nil || bytes.Equal(content, old) {
		return err
	}
	temporary := path + ".new" // nobody else writes it while the lock is held
	if err := writeSynced(temporary, content); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return renamed(temporary, path)
}
