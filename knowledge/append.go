package knowledge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lacuna/vecmath/regular"
)

// tailBlock is how many bytes are read at once while looking for the last line of a file.
const tailBlock = 16 << 10

// AppendLine adds a line to a file, while no other process or goroutine that uses AppendLine does
// the same; line gets the last one that is there, or nil, and neither has its line feed. What a
// crash left unfinished at the end is ended first and counts as a line; spaces that [CanAppend] left are
// taken away. The line is on the disk when AppendLine returns, or nothing of it is in the file. The file
// has mode 0600 and its folder 0700, and a file with the ending ".lock" stays beside it.
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

// CanAppend is an error where a line of so many bytes could not be added to a file by [AppendLine]. It
// makes room for the line and gives it back.
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

// appending opens a file to add to it, while nobody else does, without the spaces at its end.
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

// trimSpaces takes away the spaces at the end of a file.
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

// lastLine reads the last line of a file from its end, and reports whether it has its line feed;
// an empty file has no line and needs none.
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
