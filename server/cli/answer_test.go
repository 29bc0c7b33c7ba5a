package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lacuna/handlers/note"
	"lacuna/knowledge/passage"
	"lacuna/server/cli/atomicfile"
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

	// Another program writes the note between reading and writing.
	if f, err = openNote(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := f.replace("ours"); !errors.Is(err, atomicfile.ErrChanged) {
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
	if err := f.replace("ours"); !errors.Is(err, atomicfile.ErrReadOnly) {
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
