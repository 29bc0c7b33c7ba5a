//go:build !linux

package endurance

import "errors"

// install needs Linux, which lets a process refuse system calls to itself.
func install(string) error { return errors.ErrUnsupported }
