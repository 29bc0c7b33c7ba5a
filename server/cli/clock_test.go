package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDatesAreJudgedByTheClock holds that a review is due from the day after its date, in every command that says so.
func TestDatesAreJudgedByTheClock(t *testing.T) {
	dir := t.TempDir()
	isolate(t, dir)
	for name, text := range map[string]string{
		"kb/rules.md": "---\nreview_due: 2026-03-31\n---\n# Rules\n\n## Smoking\n\nSmoking is not allowed on the car deck.\n",
		"note.md":     "# Trip\n\nSmoking is not allowed on the car deck ([rules](kb/rules.md)).\n",
	} {
		file := filepath.Join(dir, "ws", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "ws"))
	for _, test := range []struct {
		day string
		due bool
	}{{"2026-03-30", false}, {"2026-03-31", false}, {"2026-04-01", true}} {
		today, err := time.ParseInLocation(time.DateOnly, test.day, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		clock := func() time.Time { return today.Add(12 * time.Hour) }
		for _, c := range []struct{ command, says string }{
			{"check --stale", "superseded-source"},
			{"ask --json Is smoking allowed on the car deck?", `"reason":"review_due"`},
			{"ask Is smoking allowed on the car deck?", "was due for review"},
		} {
			args := strings.Fields(c.command)
			if args[0] == "ask" {
				flags, question, _ := strings.Cut(strings.TrimPrefix(c.command, "ask "), "Is ")
				args = append(append([]string{"ask"}, strings.Fields(flags)...), "Is "+question)
			}
			var out, errs bytes.Buffer
			runAt(context.Background(), clock, args, Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
			if said := strings.Contains(out.String(), c.says); said != test.due {
				t.Errorf("on %s %s says %q: %v, want %v\n%s%s", test.day, c.command, c.says, said, test.due, &out, &errs)
			}
		}
	}
}
