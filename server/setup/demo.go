package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lacuna/examples"
)

// demoFolder is the name of the folder for the example; others get a number.
const demoFolder = "lacuna-demo"

// FreeFolder returns the path below parent of a folder for the example that does not exist.
func FreeFolder(parent string) string {
	folder := filepath.Join(parent, demoFolder)
	for n := 2; ; n++ {
		if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) || n > 1000 {
			return folder
		}
		folder = filepath.Join(parent, fmt.Sprintf("%s-%d", demoFolder, n))
	}
}

// CopyExample copies an example into a new folder. It fails if there is anything at that path, which stays as it is.
func CopyExample(e examples.Example, folder string) error {
	files, err := e.Files()
	if err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	return os.CopyFS(folder, files)
}

// EditorCommand is how to open a note in an editor.
type EditorCommand struct{ Editor, Command string }

// EditorCommands lists how to open the note of a folder in each editor that has a guide.
func EditorCommands(folder, note string) []EditorCommand {
	file := typed(filepath.Join(folder, note))
	return []EditorCommand{
		{"Neovim", "nvim " + file},
		{"VS Code", "code " + typed(folder) + ", then " + note},
		{"Helix", "hx " + file},
		{"Emacs", "emacs " + file},
		{"Vim", "vim " + file},
		{"Kate", "kate " + file},
		{"Obsidian", "“Open folder as vault”, " + folder},
	}
}

// typed returns a path as one types it into a shell.
func typed(path string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '\\' || r == ':' || r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `$`, `\$`, "`", "\\`").Replace(path) + `"`
}
