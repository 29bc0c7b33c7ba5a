// Package redteam attacks Lacuna as a stranger would who has written one of the user's documents, the files
// of a folder, or the replies of a model, and looks at the bytes that leave and at all that the user sees.
// Everything is real: files, index, search, prompts, HTTP, the language server, the terminal. The cases are
// data, in testdata; docs/threats.md says what each of them is for.
package redteam_test

import (
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge/ingest/pdf"
)

// TestMain keeps the machine's own settings out.
func TestMain(m *testing.M) {
	pdf.Child()
	home, err := os.MkdirTemp("", "lacuna-redteam-")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA", "XDG_CACHE_HOME", "LOCALAPPDATA"} {
		if err := os.Setenv(name, filepath.Join(home, name)); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(home) // the system's temporary folder
	os.Exit(code)
}
