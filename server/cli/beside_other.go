//go:build !linux

package cli

import (
	"errors"
	"os"
)

// writeUnnamed is for systems with files that have no name until they are whole.
func writeUnnamed(string, string, os.FileMode) (name string, err error) {
	return "", errors.ErrUnsupported
}
