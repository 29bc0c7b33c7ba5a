package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A note is written into a file beside it, which then takes its place. A program that is killed in
// between leaves that file; the next one to write the note removes it.

// besideMark is in the name of each such file.
const besideMark = ".lacuna-"

// abandoned is how old a file beside a note is before it is taken for left behind.
const abandoned = 10 * time.Minute

// besidePattern is the pattern of [os.CreateTemp] for the files beside a note.
func besidePattern(path string) string { return "." + filepath.Base(path) + besideMark + "*" }

// removeAbandoned removes what killed programs have left beside a note.
func removeAbandoned(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path)) // writing the note will say what is wrong with the folder
	prefix := strings.TrimSuffix(besidePattern(path), "*")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
}

// writeBeside writes a file beside a note, which is on the disk when it returns, and returns its name.
func writeBeside(path, text string, mode os.FileMode) (name string, err error) {
	removeAbandoned(path)
	if name, err = writeUnnamed(path, text, mode); err == nil {
		return name, nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), besidePattern(path))
	if err != nil {
		return "", err
	}
	if err := filled(file, text, mode, func() error { return nil }); err != nil {
		_ = os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// filled writes a file, does something with it while it is open, and closes it.
func filled(file *os.File, text string, mode os.FileMode, then func() error) error {
	_, err := file.WriteString(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync()); err == nil {
		err = then()
	}
	return errors.Join(err, file.Close())
}
