package regular

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Rename is [os.Rename], which replaces a file that has the name already. On Windows that fails while another process
// has one of the two open, such as an editor, a scanner for viruses or another lacuna. Most take an instant, so it tries
// for a while.
func Rename(from, to string) error {
	return renameWith(os.Rename, time.Sleep, runtime.GOOS == "windows", from, to)
}

// Pauses between attempts; together they take three seconds.
var renamePauses = []time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond,
	400 * time.Millisecond, 700 * time.Millisecond, 700 * time.Millisecond, 820 * time.Millisecond,
}

func renameWith(rename func(from, to string) error, sleep func(time.Duration), windows bool, from, to string) error {
	err := rename(from, to)
	for _, pause := range renamePauses {
		if err == nil || !inUse(err, windows) {
			break
		}
		sleep(pause)
		err = rename(from, to)
	}
	return err
}

// usedErrors are the errors by which Windows says that a file is open elsewhere: access is denied to one that is to be
// replaced or is about to be deleted, besides the violations of sharing, of a lock and of a mapping.
var usedErrors = []syscall.Errno{5, 32, 33, 303, 1224}

// inUse reports whether an operation on a file may succeed once another process has closed it. Elsewhere than on Windows
// it never waits for that.
func inUse(err error, windows bool) bool {
	var number syscall.Errno
	return windows && errors.As(err, &number) && slices.Contains(usedErrors, number)
}
