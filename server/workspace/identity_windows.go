package workspace

import (
	"fmt"
	"os"
	"syscall"
)

// identify names a folder by its volume, its number there and when it was created: a number is given out again
// after its folder is removed. It follows symbolic links and junctions.
func identify(folder string) (string, error) {
	f, err := os.Open(folder)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var s syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &s); err != nil {
		return "", err
	}
	return fmt.Sprintf("%08x/%08x%08x@%d", s.VolumeSerialNumber, s.FileIndexHigh, s.FileIndexLow, s.CreationTime.Nanoseconds()), nil
}
