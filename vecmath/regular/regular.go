// Package regular opens files that have to be regular ones. Where somebody has put a pipe, a device
// or a folder in the place of a file, opening it the usual way may wait for ever, or read without an
// end; here it is an error.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular means that what has the file's name is no regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a file for reading. Links are followed. The error is [fs.ErrNotExist] also where what
// should be its folder is a file.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is [os.OpenFile] for regular files alone. It never waits for somebody at the other end of a
// pipe.
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

// ReadFile is [os.ReadFile] for regular files alone.
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

// Create makes a new file with mode 0600 in the place of whatever has its name, a folder included. It
// writes into nothing that is there already, so that a link leads nowhere.
func Create(path string) (*os.File, error) {
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}
