// Package regular opens only regular files. If a pipe, a device or a folder has taken a file's place,
// opening it the usual way may block for ever, or reading it may never end; here it is an error.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"
	"time"
)

// ErrNotRegular means that what has the file's name is no regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a file for reading and follows links. The error is [fs.ErrNotExist] also if what should be its
// folder is a file.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is [os.OpenFile] for regular files. It never blocks on a pipe.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	file, err := os.OpenFile(path, flag|NonBlocking, perm)
	if flag == os.O_RDONLY && errors.Is(err, syscall.ENOTDIR) { // its folder is a file, so there is none
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// ReadFile is [os.ReadFile] for regular files.
func ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	content := make([]byte, 0, info.Size()+1)
	for {
		n, err := file.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if errors.Is(err, io.EOF) {
			return content, nil
		}
		if err != nil {
			return content, err
		}
		if len(content) == cap(content) {
			content = append(content, 0)[:len(content)]
		}
	}
}

// Create creates a file with mode 0600, replacing whatever has its name, even a folder. It never writes into
// an existing file, so a link leads nowhere.
func Create(path string) (*os.File, error) {
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

// ahead is how far the clock of another machine, whose disk this is, may be ahead of ours.
const ahead = 24 * time.Hour

// Age returns how long ago a file was changed. One that was changed in the future got its time from a clock that was
// wrong and has been set right: it has the greatest age, so that it does not stay until that time comes.
func Age(info fs.FileInfo, now time.Time) time.Duration {
	age := now.Sub(info.ModTime())
	if age < -ahead {
		return math.MaxInt64
	}
	return age
}

// LinkOrCopy gives a file that never changes a second name, or copies and syncs it where there are no hard
// links. Nothing may have that name yet.
func LinkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
