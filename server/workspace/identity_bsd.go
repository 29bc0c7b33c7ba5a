//go:build darwin || freebsd

package workspace

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// identify names a folder by its device, its number there and when it was created: a number is given out again
// after its folder is removed. It follows symbolic links.
func identify(folder string) (string, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return "", err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || s.Birthtimespec.Sec <= 0 {
		return "", errors.New("its file system does not say when it was created")
	}
	return fmt.Sprintf("%d/%d@%d.%09d", s.Dev, s.Ino, s.Birthtimespec.Sec, s.Birthtimespec.Nsec), nil
}
