// Package atomicfile replaces the text of a user's file: after a crash the file holds the old text or
// the new one, never a part. Begin with [Replace].
package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lacuna/vecmath/regular"
)

var (
	// ErrChanged means that the file no longer holds the text that was read.
	ErrChanged = errors.New("the file has changed in the meantime; nothing was written")
	// ErrReadOnly means that the file's mode forbids writing, which a rename would evade.
	ErrReadOnly = errors.New("the file is read-only; nothing was written")
)

// Replace gives the regular file at path, whose mode is mode and whose text was old, the text in its place.
// It writes a temporary file next to it and renames that. path must not be a symbolic link, which the
// rename would replace.
func Replace(path, old, text string, mode os.FileMode) error {
	if mode&0o222 == 0 {
		return ErrReadOnly
	}
	removeAbandoned(path)
	temporary, err := write(path, text, mode)
	if err == nil {
		if err = swap(path, old, temporary); err != nil {
			_ = os.Remove(temporary)
		}
	}
	if err != nil {
		return fmt.Errorf("write the note: %w", err)
	}
	return nil
}

func swap(path, old, temporary string) error {
	now, err := regular.ReadFile(path)
	if err != nil {
		return err
	}
	if string(now) != old {
		return ErrChanged
	}
	return regular.Rename(temporary, path)
}

// mark is part of the name of each temporary file.
const mark = ".lacuna-"

// abandoned is the age from which a temporary file is taken for one that a killed program left.
const abandoned = 10 * time.Minute

// pattern returns the pattern for [os.CreateTemp] of temporary files for path. Of a long name it has the beginning, because
// no file system takes names of more than 255 bytes or characters.
func pattern(path string) string {
	name := filepath.Base(path)
	if len(name) > mostName {
		name = strings.ToValidUTF8(name[:mostName], "")
	}
	return "." + name + mark + "*"
}

// mostName is how many bytes of a file's name are in that of a temporary file.
const mostName = 200

// removeAbandoned removes the temporary files for path that killed programs left.
func removeAbandoned(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path)) // writing the file will say what is wrong with the folder
	prefix := strings.TrimSuffix(pattern(path), "*")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && regular.Age(info, time.Now()) > abandoned {
			_ = os.Remove(filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
}

// write writes text to a temporary file next to path, synced to disk, and returns its name.
func write(path, text string, mode os.FileMode) (name string, err error) {
	if name, err = writeUnnamed(path, text, mode); err == nil {
		return name, nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), pattern(path))
	if err != nil {
		return "", err
	}
	if err := fill(file, text, mode, func() error { return nil }); err != nil {
		_ = os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// fill writes and syncs file, calls then while it is open, and closes it.
func fill(file *os.File, text string, mode os.FileMode, then func() error) error {
	_, err := file.WriteString(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync()); err == nil {
		err = then()
	}
	return errors.Join(err, file.Close())
}
