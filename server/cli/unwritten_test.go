package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// shelfOfIron is a workspace with one source and a note that asks about it.
const shelfOfIron = `-- kb/iron.md --
# Iron

Iron tablets are taken on an empty stomach.
-- note.md --
- When are iron tablets taken?
`

// Every command answers where the cache can be written by nobody, and one line says what it did
// instead.
func TestCommandsWhereTheCacheCannotBeWritten(t *testing.T) {
	for name, set := range map[string]func(t *testing.T, dir string) (says string){
		"a file in its place": func(t *testing.T, dir string) string {
			file := filepath.Join(dir, "file")
			if err := os.WriteFile(file, []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("LACUNA_CACHE_DIR", file)
			return "a temporary index is used"
		},
		"no home": func(t *testing.T, _ string) string {
			for _, name := range []string{"HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"} {
				t.Setenv(name, "")
			}
			return "set LACUNA_CACHE_DIR"
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workspaceOf(t, txtar.Parse([]byte(shelfOfIron)))
			says := set(t, dir)
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("XDG_RUNTIME_DIR", os.Getenv("TMPDIR"))
			for _, command := range [][]string{
				{"ask", "When are iron tablets taken?"}, {"search", "empty stomach"}, {"answer", "note.md"}, {"check", "note.md"},
				{"gaps"}, {"sources"}, {"index"}, {"answer", "--write", "note.md"}, {"check", "note.md"},
			} {
				out, errs, code := run(t, strings.NewReader(""), command...)
				if code != exitDone && !(code == exitNo && command[0] == "check") {
					t.Errorf("%v: exit %d\n%s%s", command, code, out, errs)
				}
				if (command[0] == "ask" || command[0] == "search" || command[0] == "answer" && len(command) == 2) && !strings.Contains(out, "empty stomach") {
					t.Errorf("%v does not answer:\n%s%s", command, out, errs)
				}
				if strings.Count(errs, says) != 1 || strings.Contains(errs, "level=") || strings.Count(errs, "\n") > 2 {
					t.Errorf("%v says:\n%s", command, errs)
				}
			}
			if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); err != nil || len(left) > 0 {
				t.Errorf("%v is left, %v", left, err)
			}
			if note, err := os.ReadFile("note.md"); err != nil || !strings.Contains(string(note), "empty stomach") {
				t.Errorf("the note holds %q, %v", note, err)
			}
		})
	}
}
