package regular

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestRenameWaitsForTheOthers has a file that another process has open for some attempts, as Windows tells it.
func TestRenameWaitsForTheOthers(t *testing.T) {
	const sharing, denied, notFound, full = syscall.Errno(32), syscall.Errno(5), syscall.Errno(2), syscall.Errno(112)
	for _, c := range []struct {
		name     string
		failed   error
		times    int // that it fails
		windows  bool
		attempts int
		works    bool
	}{
		{"at once", nil, 0, true, 1, true},
		{"a scanner reads it", sharing, 3, true, 4, true},
		{"it is about to be deleted", syscall.Errno(303), 1, true, 2, true},
		{"it is mapped", syscall.Errno(1224), 2, true, 3, true},
		{"it stays open", denied, 1000, true, len(renamePauses) + 1, false},
		{"it is not there", notFound, 1000, true, 1, false},
		{"the disk is full", full, 1000, true, 1, false},
		{"an error without a number", errors.New("no"), 1000, true, 1, false},
		{"another system, where 5 is a fault of the disk", denied, 1000, false, 1, false},
	} {
		attempts, waited := 0, time.Duration(0)
		err := renameWith(func(from, to string) error {
			if attempts++; attempts <= c.times {
				return &os.LinkError{Op: "rename", Old: from, New: to, Err: c.failed}
			}
			return nil
		}, func(d time.Duration) { waited += d }, c.windows, "a", "b")
		if (err == nil) != c.works || attempts != c.attempts || waited > 3*time.Second {
			t.Errorf("%s: %v after %d attempts and %v", c.name, err, attempts, waited)
		}
	}
	if err := Rename("there is no such file", "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
