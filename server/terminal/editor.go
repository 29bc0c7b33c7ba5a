package terminal

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

var errNoEditor = errors.New("no editor is named: set EDITOR, as in EDITOR=nvim")

// editorCommand returns the words of the command that opens an item in the user's editor, at its line. The environment names
// the editor, VISUAL before EDITOR, with arguments if it has any; nothing else does.
func editorCommand(item Item, getenv func(string) string) ([]string, error) {
	words := strings.Fields(getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(getenv("EDITOR"))
	}
	if len(words) == 0 {
		return nil, errNoEditor
	}
	place := fmt.Sprintf("%s:%d", item.File, item.Line)
	name := strings.ToLower(strings.TrimSuffix(filepath.Base(filepath.ToSlash(words[0])), ".exe"))
	switch name {
	case "hx", "helix", "zed", "subl", "sublime_text", "micro":
		return append(words, place), nil
	case "code", "code-insiders", "codium", "cursor", "windsurf":
		return append(words, "--goto", place), nil
	case "kate", "kwrite":
		return append(words, "--line", fmt.Sprint(item.Line), item.File), nil
	case "notepad":
		return append(words, item.File), nil
	}
	return append(words, fmt.Sprintf("+%d", item.Line), item.File), nil
}
