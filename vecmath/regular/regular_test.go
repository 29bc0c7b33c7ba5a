package regular

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadFile(t *testing.T) {
	for _, content := range []string{"", "a", strings.Repeat("abc\n", 5000)} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(content))
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := ReadFile(filepath.Join(os.Args[0], "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file in a file: %v", err)
	}
	if _, err := ReadFile(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}

func TestAge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		changed time.Time
		want    time.Duration
	}{
		{"an hour ago", now.Add(-time.Hour), time.Hour},
		{"in another zone", now.Add(-time.Hour).In(time.FixedZone("", 14*3600)), time.Hour},
		{"by a clock that is ahead", now.Add(time.Hour), -time.Hour},
		{"by a clock that was wrong", now.AddDate(10, 0, 0), math.MaxInt64},
		{"in 1970", time.Unix(0, 0), now.Sub(time.Unix(0, 0))},
	} {
		if err := os.Chtimes(path, c.changed, c.changed); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := Age(info, now); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCreateReplacesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "file")
	if err := os.WriteFile(target, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"nothing":  func() error { return nil },
		"a file":   func() error { return os.WriteFile(path, []byte("old"), 0o644) },
		"a link":   func() error { return os.Symlink(target, path) },
		"a folder": func() error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) },
	} {
		if err := errors.Join(os.RemoveAll(path), put()); err != nil {
			t.Log(name, err)
			continue
		}
		file, err := Create(path)
		if err != nil {
			t.Errorf("in the place of %s: %v", name, err)
			continue
		}
		if _, err := file.WriteString("new"); err != nil {
			t.Error(err)
		}
		file.Close()
		got, err := os.ReadFile(path)
		if theirs, _ := os.ReadFile(target); err != nil || string(got) != "new" || string(theirs) != "theirs" {
			t.Errorf("in the place of %s: %q, %v; the target of the link holds %q", name, got, err, theirs)
		}
	}
}
