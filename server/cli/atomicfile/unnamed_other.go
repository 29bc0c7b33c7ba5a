//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// writeUnnamed fails: this system has no files without a name.
func writeUnnamed(string, string, os.FileMode) (name string, err error) {
	return "", errors.ErrUnsupported
}
