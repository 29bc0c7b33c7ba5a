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
		ratio := 0.0
		for range 3 { // other programs may be busy
			if ratio = float64(taken(unit, 32<<10)) / float64(taken(unit, 2<<10)); ratio < 40 {
				break
			}
		}
		if ratio >= 40 {
			t.Errorf("sixteen times %q took %.0f times as long", unit, ratio)
		}
	}
}
