package wiki

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"lacuna/handlers/note"
)

// What is looked at to learn a habit.
const (
	mostEntries = 5000     // of folders
	mostNotes   = 300      // that are read
	mostBytes   = 64 << 10 // of a note
	clear       = 30       // more of one kind of links than of the other are a habit
)

// Habit reports whether the notes below a folder link to others as wikis do: as Obsidian is set there or, if it is not,
// by what most links are.
func Habit(root string) bool {
	if root == "" {
		return false
	}
	if byMarkdown, set := obsidian(root); set {
		return !byMarkdown
	}
	entries, notes, wiki, markdown := 0, 0, 0, 0
	visit := func(string, fs.DirEntry) error {
		if entries++; entries > mostEntries {
			return fs.SkipAll
		}
		return nil
	}
	_ = note.WalkFiles(root, visit, func(path string, _ fs.DirEntry) error { // a folder that cannot be read has no habit
		if note.LanguageOf("", path) != note.Markdown {
			return nil
		}
		w, m := note.Parse(beginning(path), note.Markdown).LinkHabit()
		wiki, markdown = wiki+w, markdown+m
		if notes++; notes >= mostNotes || wiki-markdown >= clear || markdown-wiki >= clear {
			return fs.SkipAll
		}
		return nil
	})
	return wiki > markdown
}

// obsidian reports what Obsidian is told in a folder: to write links of Markdown instead of its own. It is not set where
// the folder is no vault.
func obsidian(root string) (byMarkdown, set bool) {
	folder := filepath.Join(root, ".obsidian")
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return false, false
	}
	var app struct {
		UseMarkdownLinks bool `json:"useMarkdownLinks"`
	}
	_ = json.Unmarshal([]byte(beginning(filepath.Join(folder, "app.json"))), &app) // Obsidian's default without it
	return app.UseMarkdownLinks, true
}

// beginning returns the beginning of a file; empty if it cannot be read.
func beginning(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, mostBytes)) // what was read so far
	return string(text)
}
