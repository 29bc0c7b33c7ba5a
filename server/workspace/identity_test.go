package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lacuna/handlers/messages"
	"lacuna/knowledge/llm"
)

// TestAYesIsForTheFolderThatWasThere has folders take each other's place below one path, each with the consent of the same
// index, while the program runs and for another process.
func TestAYesIsForTheFolderThatWasThere(t *testing.T) {
	const host = "a.example:443"
	for _, test := range []struct {
		name   string
		change func(t *testing.T, root, aside string)
		still  bool
	}{
		{"nothing changed", func(*testing.T, string, string) {}, true},
		{"a file was added", func(t *testing.T, root, _ string) { must(t, os.WriteFile(filepath.Join(root, "x.md"), nil, 0o600)) }, true},
		{"moved away and back", func(t *testing.T, root, aside string) {
			must(t, os.Rename(root, aside))
			must(t, os.Rename(aside, root))
		}, true},
		{"replaced", func(t *testing.T, root, aside string) {
			must(t, os.Rename(root, aside))
			must(t, os.Mkdir(root, 0o700))
		}, false},
		{"replaced by a copy", func(t *testing.T, root, aside string) {
			must(t, os.Rename(root, aside))
			must(t, os.CopyFS(root, os.DirFS(aside)))
		}, false},
		{"gone", func(t *testing.T, root, _ string) { must(t, os.RemoveAll(root)) }, false},
		{"a link to the folder itself", func(t *testing.T, root, aside string) {
			must(t, os.Rename(root, aside))
			link(t, aside, root)
		}, true},
		{"a link elsewhere", func(t *testing.T, root, aside string) {
			must(t, os.Rename(root, aside))
			link(t, t.TempDir(), root)
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, cache := filepath.Join(t.TempDir(), "notes"), t.TempDir()
			must(t, os.Mkdir(root, 0o700))
			must(t, os.WriteFile(filepath.Join(root, "a.md"), []byte("a\n"), 0o600))
			if _, err := identify(root); err != nil {
				t.Skipf("folders cannot be told apart here: %v", err)
			}
			asked := 0
			running := newConsent(cache, root, func(context.Context, llm.Outbound) (bool, error) {
				asked++
				return true, nil
			}, discard)
			must(t, running.permit(t.Context(), somewhere(host)))
			test.change(t, root, root+"-aside")
			silent := newConsent(cache, root, nil, discard) // another process, without a user to ask
			if err := silent.permit(t.Context(), somewhere(host)); (err == nil) != test.still || err != nil && !errors.Is(err, messages.ErrNotAllowed) {
				t.Errorf("another process: %v", err)
			}
			must(t, running.permit(t.Context(), somewhere(host)))
			if again := asked > 1; again == test.still {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// TestAYesThatNamesNoFolderIsAskedForAgain has files of an older version, and damaged ones.
func TestAYesThatNamesNoFolderIsAskedForAgain(t *testing.T) {
	for _, content := range []string{
		`{"a.example:443":"2026-01-02T03:04:05Z"}`, `{"hosts":{"a.example:443":"2026-01-02T03:04:05Z"}}`,
		`{"folder":"","hosts":{"a.example:443":"2026-01-02T03:04:05Z"}}`, `{"folder":"none","hosts":{"a.example:443":"2026-01-02T03:04:05Z"}}`, `{"folder":`, ``,
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, consentFile), []byte(content), 0o600))
		if err := asking(dir, nil).permit(t.Context(), somewhere("a.example:443")); !errors.Is(err, messages.ErrNotAllowed) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// TestAFolderReplacedWhileTheUserIsAskedGetsNoYes: the yes was for what the user saw.
func TestAFolderReplacedWhileTheUserIsAskedGetsNoYes(t *testing.T) {
	root, cache := filepath.Join(t.TempDir(), "notes"), t.TempDir()
	must(t, os.Mkdir(root, 0o700))
	if _, err := identify(root); err != nil {
		t.Skipf("folders cannot be told apart here: %v", err)
	}
	c := newConsent(cache, root, func(context.Context, llm.Outbound) (bool, error) {
		must(t, os.Rename(root, root+"-aside"))
		must(t, os.Mkdir(root, 0o700))
		return true, nil
	}, discard)
	if err := c.permit(t.Context(), somewhere("a.example:443")); !errors.Is(err, messages.ErrNotAllowed) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(cache, consentFile)); err == nil {
		t.Error("a yes was stored")
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("this user may not make links")
		}
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
