package note_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/handlers/note"
)

func TestWalkFiles(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{
		"a.md", "b.go", "c/d.org", "c/.e.md", ".git/f.md", "node_modules/g/h.md", "kb/i.md", "kb.md", "z.txt",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	walk := func(pass func(name string) error) string {
		var found []string
		relative := func(path string) string {
			name, _ := filepath.Rel(root, path)
			return filepath.ToSlash(name)
		}
		err := note.WalkFiles(root,
			func(path string, _ fs.DirEntry) error { return pass(relative(path)) },
			func(path string, _ fs.DirEntry) error { found = append(found, relative(path)); return nil })
		if err != nil {
			t.Error(err)
		}
		return strings.Join(found, " ")
	}
	for name, c := range map[string]struct {
		pass func(name string) error
		want string
	}{
		"all":             {func(string) error { return nil }, "a.md c/d.org kb/i.md kb.md z.txt"},
		"without sources": {func(name string) error { return skipIf(name == "kb" || name == "kb.md") }, "a.md c/d.org z.txt"},
		"bounded": {func(name string) error {
			if name >= "kb" {
				return fs.SkipAll
			}
			return nil
		}, "a.md c/d.org"},
	} {
		if got := walk(c.pass); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if err := note.WalkFiles(filepath.Join(root, "gone"), nil, nil); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func skipIf(yes bool) error {
	if yes {
		return fs.SkipDir
	}
	return nil
}
