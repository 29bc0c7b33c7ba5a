//go:build !race

package redact

import (
	"strings"
	"testing"
	"time"
)

// TestLongLines redacts lines that repeat what is costly to read. Sixteen times as much takes at most forty times as long: a text
// that somebody made must not keep a request waiting.
func TestLongLines(t *testing.T) {
	Messages([]string{"reads the lists"}, Options{})
	taken := func(unit string, bytes int) time.Duration {
		recent = recentTexts{found: make(map[string][]hit)}
		text := strings.Repeat(unit, bytes/len(unit))
		start := time.Now()
		Messages([]string{text}, Options{})
		return time.Since(start)
	}
	for _, unit := range []string{"14/9 ", "<b>", "A1-", "Dr. "} {
		staysLinear(t, unit, func(bytes int) time.Duration { return taken(unit, bytes) })
	}
}

// TestLongNumbers does the same with numbers that never end, and with letters before them.
func TestLongNumbers(t *testing.T) {
	for _, unit := range []string{"1/", "1-", "1.1-", "1.1/", "1→", "1, "} {
		staysLinear(t, unit, func(bytes int) time.Duration {
			text := "a" + strings.Repeat(unit, bytes/len(unit)) + "1.1 mg"
			start := time.Now()
			dosesIn(text)
			return time.Since(start)
		})
	}
}

// staysLinear reports what takes more than forty times as long for sixteen times as much.
func staysLinear(t *testing.T, unit string, taken func(bytes int) time.Duration) {
	t.Helper()
	ratio := 0.0
	for range 3 { // other programs may be busy
		if ratio = float64(taken(32<<10)) / float64(taken(2<<10)); ratio < 40 {
			return
		}
	}
	t.Errorf("sixteen times %q took %.0f times as long", unit, ratio)
}
