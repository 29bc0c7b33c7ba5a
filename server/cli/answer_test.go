package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"lacuna/handlers/note"
	"lacuna/knowledge/passage"
)

func TestANoteIsReplacedWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.md")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	f, err := openNote(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.replace("new"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "new" {
		t.Errorf("the note behind the link: %q, %v", text, err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err = os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// Somebody else writes the note between reading and writing.
	if f, err = openNote(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := f.replace("ours"); !errors.Is(err, errChanged) {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "theirs" {
		t.Errorf("the other's text is lost: %q", text)
	}

	if err := os.Chmod(path, 0o440); err != nil {
		t.Fatal(err)
	}
	if f, err = openNote(path); err != nil {
		t.Fatal(err)
	}
	if err := f.replace("ours"); !errors.Is(err, errReadOnly) {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "theirs" {
		t.Errorf("a read-only note was written: %q", text)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestApplyKeepsTheOrderOfEdits(t *testing.T) {
	edits := []note.Edit{
		{Span: passage.Span{Start: 4, End: 6}, NewText: "X"},
		{Span: passage.Span{Start: 1, End: 1}, NewText: "+"},
		{Span: passage.Span{Start: 1, End: 1}, NewText: "-"},
	}
	if got := apply("abcdef", edits); got != "a+-bcdX" {
		t.Errorf("applied: %q", got)
	}
}

// What a program that was killed has left beside a note goes when the note is written the next time;
// what another is writing stays, and so do files of the user's own.
func TestFilesThatAKillLeftAreRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.md")
	old, fresh, own, other := ".note.md"+besideMark+"OLD", ".note.md"+besideMark+"NEW", ".note.md.bak", ".other.md"+besideMark+"OLD"
	for _, name := range []string{"note.md", old, fresh, own, other} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != fresh && name != "note.md" {
			past := time.Now().Add(-2 * abandoned)
			if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	f := &noteFile{path, 0o600, note.Parse("before", note.Markdown)}
	if err := f.replace("after"); err != nil {
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
