package share

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// swap exchanges two folders at one moment. Not every file system can.
func swap(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// settleFile has a file written through; here settleAll does that for all of them, a hundred thousand in one step.
func settleFile(*os.File) error { return nil }

// settleAll has everything in a folder written through.
func settleAll(folder string) error {
	if dir, err := os.Open(folder); err == nil {
		return errors.Join(syncAll(dir), dir.Close())
	}
	return nil
}

// syncAll is replaced in tests.
var syncAll = func(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) }
