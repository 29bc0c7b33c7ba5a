//go:build !linux

package par

// lowerPriority has no counterpart for one thread that needs no rights.
func lowerPriority() {}
