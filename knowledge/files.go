package knowledge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"lacuna/vecmath/regular"
)

// UpdateFile replaces a small file's content with the result of change, while no other process or goroutine
// that uses UpdateFile does the same. change gets nil if there is no file. The new content replaces the old
// in one step, with mode 0600, so that a crash leaves one of the two. Equal content is not written. The
// folder is created with mode 0700 if necessary, and a lock file with the ending ".lock" stays next to the
// file.
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
	temporary := path + ".new" // only the holder of the lock writes it
	if err := writeSynced(temporary, content); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return regular.Rename(temporary, path)
}

// lockPoll is the interval at which a process checks whether another has released a file's lock.
const lockPoll = 5 * time.Millisecond

// AppendLine appends a line to a file, while no other process or goroutine that uses AppendLine does the
// same. line gets the last line, or nil, and returns the new one, both without a line feed. What a crash
// left unfinished at the end is terminated first and counts as a line; spaces that [CanAppend] left are
// removed. When AppendLine returns, the line is on disk, or nothing of it is in the file. The file has mode
// 0600 and its folder 0700, and a lock file with the ending ".lock" stays next to it.
func AppendLine(ctx context.Context, path string, line func(last []byte) ([]byte, error)) error {
	return appending(ctx, path, func(file *os.File) error {
		last, ended, err := lastLine(file)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		added, err := line(last)
		if err != nil {
			return err
		}
		if !ended {
			added = append([]byte("\n"), added...)
		}
		end, err := file.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		if _, err = file.Write(append(added, '\n')); err == nil {
			err = file.Sync()
		}
		if err != nil {
			return errors.Join(err, file.Truncate(end))
		}
		return nil
	})
}

// CanAppend fails if [AppendLine] could not append a line of size bytes to a file. It allocates the space
// and releases it.
func CanAppend(ctx context.Context, path string, size int) error {
	return appending(ctx, path, func(file *os.File) error {
		end, err := file.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		_, err = file.Write(bytes.Repeat([]byte(" "), size))
		return errors.Join(err, file.Truncate(end))
	})
}

// Rotate gives a file of lines another name once it has at least most bytes, while no other process or goroutine uses
// [AppendLine] on it. It leaves alone a file whose last line has not ended.
func Rotate(ctx context.Context, path string, most int64, to string) error {
	lock := newLock(path + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	defer func() { _ = lock.Close() }()
	info, err := os.Lstat(path)
	if err != nil || info.Size() < most {
		return err
	}
	file, err := regular.Open(path)
	if err != nil {
		return err
	}
	_, ended, err := lastLine(file)
	if err = errors.Join(err, file.Close()); err != nil || !ended {
		return err
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return err // another process has just done it
	}
	return regular.Rename(path, to)
}

// Writable fails if no index can be created or changed in a folder.
func Writable(dir string) error {
	if err := makeFolder(dir); err != nil {
		return err
	}
	return probe(dir)
}

// TempDir is a folder of this process alone: only the user can read it, and Close removes it. A process that
// is killed leaves it behind; the next one that needs such a folder removes it.
type TempDir struct {
	dir  string
	lock *flock.Flock // held while the folder is in use
}

// Dir returns the folder's path.
func (t *TempDir) Dir() string { return t.dir }

// Close removes the folder. It may be called again, and on nil.
func (t *TempDir) Close() error {
	if t == nil {
		return nil
	}
	if err := errors.Join(t.lock.Close(), os.RemoveAll(t.dir)); err != nil {
		return fmt.Errorf("remove the temporary folder: %w", err)
	}
	return nil
}

// NewTempDir creates a temporary folder in the first of the parents where that succeeds.
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

// writeSynced writes a file, replacing whatever has its name, and syncs it.
func writeSynced(path string, content []byte) error {
	f, err := regular.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir syncs the names in a folder. Windows has no such operation and needs none.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// tailBlock is the number of bytes read at a time while looking for the last line of a file.
const tailBlock = 16 << 10

// appending opens a file for appending under its lock, without the spaces at its end.
func appending(ctx context.Context, path string, work func(file *os.File) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := newLock(path + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	defer func() { _ = lock.Close() }() // the lock ends with its descriptor in any case
	file, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := trimSpaces(file); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return work(file)
}

// trimSpaces removes the spaces at the end of a file.
func trimSpaces(file *os.File) error {
	end, err := file.Seek(0, io.SeekEnd)
	for at := end; err == nil && at > 0; {
		block := make([]byte, min(at, tailBlock))
		if _, err := file.ReadAt(block, at-int64(len(block))); err != nil {
			return err
		}
		kept := len(bytes.TrimRight(block, " "))
		if at -= int64(len(block) - kept); kept > 0 {
			if at < end {
				err = file.Truncate(at)
			}
			return err
		}
		if at == 0 {
			err = file.Truncate(0)
		}
	}
	return err
}

// lastLine reads the last line of a file from its end and reports whether it ends in a line feed; an empty
// file has no line and needs none.
func lastLine(file *os.File) (line []byte, ended bool, err error) {
	at, err := file.Seek(0, io.SeekEnd)
	if err != nil || at == 0 {
		return nil, true, err
	}
	for first := true; at > 0; first = false {
		block := make([]byte, min(at, tailBlock))
		at -= int64(len(block))
		if _, err := file.ReadAt(block, at); err != nil {
			return nil, false, err
		}
		if first {
			block, ended = bytes.CutSuffix(block, []byte("\n"))
		}
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			return append(bytes.Clone(block[i+1:]), line...), ended, nil
		}
		line = append(block, line...)
	}
	return line, ended, nil
}

// newLock returns the lock at path, whose file is created when the lock is taken. A pipe in its place is
// locked like a file.
func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NonBlocking), flock.SetPermissions(0o600))
}

// makeFolder creates a folder that only the user can read, or makes an existing one so.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	return err
}

func probe(dir string) error {
	made, err := os.MkdirTemp(dir, "probe-")
	if err == nil {
		_ = os.Remove(made)
	}
	return err
}

// temporaryPrefix begins the names of temporary folders.
const temporaryPrefix = "lacuna-index-"

// errTaken means that another process took a folder that had just been made.
var errTaken = errors.New("another process has the temporary folder")

// AbandonedTempDirs returns the temporary folders in a parent whose process ended without removing them.
func AbandonedTempDirs(parent string) []string {
	folders, _ := filepath.Glob(filepath.Join(parent, temporaryPrefix+"*")) // the pattern is well formed
	return slices.DeleteFunc(folders, func(folder string) bool {
		file := filepath.Join(folder, lockName)
		if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
			return true // it may be being created
		}
		lock := newLock(file)
		taken, err := lock.TryLock()
		_ = lock.Close() // Windows removes no file that is open
		return err != nil || !taken
	})
}

func writeTo(path string, content io.WriterTo) error {
	f, err := regular.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	_, err = content.WriteTo(w)
	return errors.Join(err, w.Flush(), f.Close())
}

func entriesOf(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	paths := make([]string, len(entries))
	for i, entry := range entries {
		paths[i] = filepath.Join(dir, entry.Name())
	}
	return paths
}

func newTemporary(parent string) (*TempDir, error) {
	for _, folder := range AbandonedTempDirs(parent) {
		_ = os.RemoveAll(folder)
	}
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

const lockName = "lock"
