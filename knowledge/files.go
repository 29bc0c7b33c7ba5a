package knowledge

import (
	"errors"
	"os"
	"runtime"
	"time"

	"lacuna/vecmath/regular"
)

// writeSynced writes a file, in the place of whatever has its name, that is on the disk when it returns.
func writeSynced(path string, content []byte) error {
	f, err := regular.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir brings the names in a folder to the disk. Windows has no such thing and needs none.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// renamed replaces a file by another. On Windows it fails while another process reads the old one,
// which takes that process an instant.
func renamed(from, to string) error {
	const tries = 20
	for try := 1; ; try++ {
		err := os.Rename(from, to)
		if err == nil || runtime.GOOS != "windows" || try == tries {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}
