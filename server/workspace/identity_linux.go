package workspace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// identify names a folder by its device, its number there and when it was created: a number is given out again
// after its folder is removed. It follows symbolic links. It fails for the root of a file system without such times, as on a
// memory stick: two sticks in turn would look alike.
func identify(folder string) (string, error) {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, folder, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return "", err
	}
	born := s.Mask&unix.STATX_BTIME != 0 && (s.Btime.Sec != 0 || s.Btime.Nsec != 0)
	if !born {
		if s.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 || s.Ino <= 2 {
			return "", errors.New("its file system does not say which one it is")
		}
		return fmt.Sprintf("%d:%d/%d", s.Dev_major, s.Dev_minor, s.Ino), nil
	}
	return fmt.Sprintf("%d:%d/%d@%d.%09d", s.Dev_major, s.Dev_minor, s.Ino, s.Btime.Sec, s.Btime.Nsec), nil
}
