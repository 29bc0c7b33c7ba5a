//go:build !linux

package knowledge

// lowerPriority has no counterpart for one thread that needs no rights.
func lowerPriority() {}
