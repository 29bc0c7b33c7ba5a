package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// Of many files some change, one goes and one comes: what is read then is what is read anew, and the
// others are not read again.
func TestManyFilesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-time.Hour)
	write := func(i int, text string) {
		name := filepath.Join(dir, fmt.Sprintf("%03d.md", i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, long, long.Add(time.Duration(len(text))*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	const count = 300
	for i := range count {
		write(i, fmt.Sprintf("Note %d is about iron.", i))
	}
	sources := []Source{{Name: "notes", Kind: passage.Text, Path: dir}}
	read := func(known []File) []File {
		files, err := Read(t.Context(), DefaultLimits(), sources, known, nil)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	before := read(nil)
	write(7, "Note 7 is about zinc, now.")
	write(count, "A new note.")
	if err := os.Remove(filepath.Join(dir, "100.md")); err != nil {
		t.Fatal(err)
	}
	after := read(before)
	if diff := cmp.Diff(read(nil), after); diff != "" {
		t.Errorf("with what was known and without: %s", diff)
	}
	kept := make(map[*passage.Passage]bool)
	for _, f := range before {
		kept[f.Passages[0]] = true
	}
	again := 0
	for _, f := range after {
		if !kept[f.Passages[0]] {
			again++
		}
	}
	if again != 2 {
		t.Errorf("%d files were read, want the changed and the new one", again)
	}
}

// TestTimesThatTellNothing replaces a file by another of its size and time, as archives and stores do that give every
// file the same time, and clocks that were wrong. Its words are read again.
func TestTimesThatTellNothing(t *testing.T) {
	for name, at := range map[string]time.Time{
		"the first of Unix": time.Unix(0, 0), "a second later": time.Unix(1, 0), "before": time.Unix(-86400, 0),
		"the first of FAT": time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), "a clock ahead": time.Now().Add(3 * time.Hour), "years ahead": time.Now().AddDate(40, 0, 0),
	} {
		file := filepath.Join(t.TempDir(), "a.md")
		write := func(text string) {
			if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, at, at)); err != nil {
				t.Fatal(err)
			}
		}
		sources := []Source{{Name: "notes", Kind: passage.Text, Path: filepath.Dir(file)}}
		write("Note 7 is about iron.")
		before, err := Read(t.Context(), DefaultLimits(), sources, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		write("Note 7 is about zinc.")
		after, err := Read(t.Context(), DefaultLimits(), sources, before, nil)
		if err != nil || after[0].Passages[0].Text != "Note 7 is about zinc." {
			t.Errorf("%s: %v, %v", name, after[0].Passages[0].Text, err)
		}
	}
}
