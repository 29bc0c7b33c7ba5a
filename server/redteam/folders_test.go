package redteam_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// cases reads an archive with sections "case | file", in order.
func cases(t *testing.T, file string) (names []string, files map[string]map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]map[string]string{}
	for _, f := range archive.Files {
		name, path, _ := strings.Cut(f.Name, " | ")
		if files[name] == nil {
			names, files[name] = append(names, name), map[string]string{}
		}
		files[name][path] = string(f.Data)
	}
	return names, files
}

// TestFolders opens a folder with each of the cases and has a question answered. Nothing reaches the thief, no
// command runs, and the model gets byte for byte what it gets without the attack, or less.
func TestFolders(t *testing.T) {
	names, files := cases(t, "folders.txtar")
	honest := start(t, setup{script: llmtest.Obliging()})
	honest.answer()
	usual := honest.bodies()
	if len(usual) == 0 {
		t.Fatal("the model was not asked")
	}
	for n, name := range names {
		if n%everyCase != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup{script: llmtest.Obliging(), files: map[string]string{}}
			for path, text := range files[name] {
				if path == "editor.json" {
					s.editorText = text
					continue
				}
				s.files[path] = text
			}
			b := start(t, s)
			b.answer()
			b.checkSent()
			b.checkSeen()
			got := b.bodies()
			switch less := strings.HasPrefix(name, "narrows"); {
			case !less && !slices.Equal(got, usual):
				t.Errorf("without the attack the model got\n%s\nand with it\n%s", strings.Join(usual, "\n"), strings.Join(got, "\n"))
			case less && slices.Equal(got, usual):
				t.Errorf("the model got\n%s", strings.Join(got, "\n"))
			}
			b.end()
		})
	}
}

// answer opens the note and has its question answered.
func (b *bench) answer() {
	b.t.Helper()
	b.open()
	if err := b.run("lacuna.answerQuestion", ""); err != nil {
		b.t.Error(err)
	}
}

// bodies are the requests that arrived, in the order of their text.
func (b *bench) bodies() []string {
	var all []string
	for _, call := range b.model.Calls() {
		if len(call.Body) > 0 {
			all = append(all, string(call.Body))
		}
	}
	slices.Sort(all)
	return all
}

// link makes a link of the form "file -> target" in a folder.
func (b *bench) link(root, arrow string) {
	b.t.Helper()
	name, target, _ := strings.Cut(arrow, " -> ")
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Symlink(filepath.FromSlash(b.filled(target)), path); err != nil {
		b.t.Skip("no links here: ", err)
	}
}

// configuration reads what the editor answers.
func (b *bench) configuration(text string) any {
	if text == "" {
		return nil
	}
	var value any
	if err := json.Unmarshal([]byte(b.filled(text)), &value); err != nil {
		b.t.Fatal(err)
	}
	return value
}
