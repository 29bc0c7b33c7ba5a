package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAFileWithTheLongestNameIsReplaced has names that leave no room for a longer one next to them.
func TestAFileWithTheLongestNameIsReplaced(t *testing.T) {
	for _, name := range []string{strings.Repeat("n", 252) + ".md", strings.Repeat("漢", 84) + ".md"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
			t.Skip(err)
		}
		err := Replace(path, "before", "after", 0o600)
		if text, unread := os.ReadFile(path); err != nil || unread != nil || string(text) != "after" {
			t.Errorf("%q, %v, %v", text, err, unread)
		}
		if _, err := write(path, "x", 0o600); err != nil {
			t.Error(err)
		}
	}
}

// A temporary file that a killed program left goes with the next write; one that another program is
// writing stays, and so do the user's files.
func TestFilesThatAKillLeftAreRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.md")
	old, future, fresh, own, other := ".note.md"+mark+"OLD", ".note.md"+mark+"FUTURE", ".note.md"+mark+"NEW", ".note.md.bak", ".other.md"+mark+"OLD"
	for _, name := range []string{"note.md", old, future, fresh, own, other} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != fresh && name != "note.md" {
			past := time.Now().Add(-2 * abandoned)
			if name == future { // by a clock that was wrong
				past = time.Now().AddDate(5, 0, 0)
			}
			if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Replace(path, "before", "after", 0o600); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := []string{own, fresh, other, "note.md"}
	slices.Sort(want)
	if text, err := os.ReadFile(path); err != nil || string(text) != "after" || !slices.Equal(names, want) {
		t.Errorf("%q, %v; the folder has %q, want %q", text, err, names, want)
	}
}
