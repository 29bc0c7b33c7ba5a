//go:build !linux

package lexical_test

import (
	"testing"
	"time"
)

// ownClock returns a clock; on Linux it stands still while others use the processor.
func ownClock(*testing.B) func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
