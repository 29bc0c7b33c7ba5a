package atomicfile

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	memory "unsafe"
)

const (
	openUnnamed   = 0x400000 | syscall.O_DIRECTORY // O_TMPFILE
	currentFolder = -0x64                          // AT_FDCWD
	followLink    = 0x400                          // AT_SYMLINK_FOLLOW
)

// writeUnnamed is like write, but the file has no name until it is whole, so that a kill can hardly leave
// it behind. Some file systems do not support that.
func writeUnnamed(path, text string, mode os.FileMode) (name string, err error) {
	file, err := os.OpenFile(filepath.Dir(path), openUnnamed|syscall.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	name = filepath.Join(filepath.Dir(path), strings.Replace(pattern(path), "*", rand.Text()[:12], 1))
	err = fill(file, text, mode, func() error {
		from, err := syscall.BytePtrFromString(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
		if err != nil {
			return err
		}
		to, err := syscall.BytePtrFromString(name)
		if err != nil {
			return err
		}
		folder := currentFolder
		_, _, failed := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(folder), uintptr(memory.Pointer(from)), uintptr(folder), uintptr(memory.Pointer(to)), followLink, 0)
		if failed != 0 {
			return failed
		}
		return nil
	})
	return name, err
}
