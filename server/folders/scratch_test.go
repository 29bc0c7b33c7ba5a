package folders

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestScratchTextsOfOtherDaysAreDropped has texts of yesterday, of now, and of a clock that was wrong.
func TestScratchTextsOfOtherDaysAreDropped(t *testing.T) {
	folder := t.TempDir()
	now := time.Now()
	texts := map[string]struct {
		at   time.Time
		gone bool
	}{
		"now": {now, false}, "an hour ago": {now.Add(-time.Hour), false}, "an hour ahead": {now.Add(time.Hour), false},
		"two days ago": {now.AddDate(0, 0, -2), true}, "1970": {time.Unix(0, 0), true}, "ten years ahead": {now.AddDate(10, 0, 0), true},
	}
	for name, c := range texts {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(path, 0o700), os.WriteFile(filepath.Join(path, "page.md"), nil, 0o600), os.Chtimes(path, c.at, c.at)); err != nil {
			t.Fatal(err)
		}
	}
	dropScratch(folder)
	for name, c := range texts {
		if _, err := os.Stat(filepath.Join(folder, name)); errors.Is(err, os.ErrNotExist) != c.gone {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAReplacedSettingsFileIsSeen replaces a file by another of its size and time, as stores do in which all files have
// one time.
func TestAReplacedSettingsFileIsSeen(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "a.toml"), filepath.Join(dir, "b.toml")
	at := time.Unix(1, 0)
	for path, text := range map[string]string{file: "max = 3", other: "max = 7"} {
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	before, again := stampOf(file), stampOf(file)
	if !before.equal(again) || before.equal(stampOf(filepath.Join(dir, "none"))) || !stampOf(filepath.Join(dir, "none")).equal(stamp{}) {
		t.Error("two looks at one file differ, or a file is like none")
	}
	if err := os.Rename(other, file); err != nil {
		t.Fatal(err)
	}
	if before.equal(stampOf(file)) {
		t.Error("another file of that size and time is not seen")
	}
}
