//go:build unix

package regular

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a writer, and a device without an end, are refused and not waited for.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	link := pipe + ".link"
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/zero", t.TempDir()} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_APPEND, os.O_WRONLY} {
			file, err := OpenFile(path, flag, 0o600)
			if err == nil {
				t.Errorf("%s was opened", path)
				file.Close()
			}
			if path == pipe && flag == os.O_RDONLY && !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
