//go:build unix

package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Whatever lies in a folder is listed with a reason that says why it is not read, and nothing of it
// holds up the reading: nothing ever writes into the pipes.
func TestOddFilesAreListed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pipe.md", "pipe.jsonl", "pipe.pdf"} {
		must(syscall.Mkfifo(at(name), 0o600))
	}
	must(os.Symlink("self.md", at("self.md")))
	must(os.Symlink("..", at("up")))
	for name, content := range map[string]string{
		"empty.md": "", "other.csv": "x,y\n1,2\n", "binary.txt": "a\x00b", "line\nbreak.md": "# Iron\n\nIron rusts.\n", "utf16.md": "\xff\xfea\x00",
	} {
		must(os.WriteFile(at(name), []byte(content), 0o600))
	}
	must(os.WriteFile(at("huge.md"), nil, 0o600))
	must(os.Truncate(at("huge.md"), 1<<30))
	files, err := Read(context.Background(), DefaultLimits(), []Source{{Name: "kb", Path: dir}}, nil, nil)
	must(err)
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprintf("%q %s: %s", filepath.Base(f.File), f.State, f.Reason))
	}
	want := []string{
		`"binary.txt" skipped: binary`,
		`"empty.md" skipped: no text`,
		`"huge.md" skipped: larger than 64 MiB`,
		`"line\nbreak.md" indexed: `,
		`"other.csv" skipped: no column "text" or "question" in the first row`,
		`"pipe.jsonl" skipped: not a regular file`,
		`"pipe.md" skipped: not a regular file`,
		`"pipe.pdf" skipped: not a regular file`,
		`"self.md" skipped: a broken link`,
		`"up" skipped: a link to a folder; name the folder as a source of its own`,
		`"utf16.md" failed: UTF-16; save it as UTF-8`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
