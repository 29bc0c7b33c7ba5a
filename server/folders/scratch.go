package folders

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"lacuna/handlers/explain"
	"lacuna/vecmath/regular"
)

// A scratch text is one that the user asked for and that has no place in a note: it is written next to the
// index, in a folder that only the user can read, and opened.

const (
	scratchFolder = "offers"
	// scratchAge bounds the age of scratch texts: a note's text has no business there for longer.
	scratchAge = 24 * time.Hour
)

// Scratch writes a text of the user's next to the index, into a file of that name, and returns its path.
func (f *Folder) Scratch(name, content string) (path string, err error) {
	return writeScratch(f.now.Load().folder, name, content)
}

// writeScratch writes a text into the index's folder and drops old ones.
func writeScratch(folder, name, content string) (string, error) {
	if folder == "" {
		return "", os.ErrNotExist
	}
	all := filepath.Join(folder, scratchFolder)
	dropScratch(all)
	sum := sha256.Sum256([]byte(content)) // an editor that shows an older text of that name keeps it
	folder = filepath.Join(all, hex.EncodeToString(sum[:4]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, name)
	return path, os.WriteFile(path, []byte(content), 0o600)
}

// explainFolder lies next to the index and holds the pages that explain diagnostics, for editors that
// open the address of an explanation.
const explainFolder = "explain"

// writePages writes the pages that explain diagnostics and returns their folder, or "" where that
// cannot be done. A page that is there already is left alone.
func (f *Folder) writePages(folder string) string {
	if folder == "" || !f.editor.Client().CodeDescription {
		return ""
	}
	folder = filepath.Join(folder, explainFolder)
	err := os.MkdirAll(folder, 0o700)
	for _, code := range explain.Codes() {
		page, _ := explain.Page(code)
		path := filepath.Join(folder, code+".md")
		if there, unread := regular.ReadFile(path); err == nil && (unread != nil || string(there) != page) {
			err = os.WriteFile(path, []byte(page), 0o600)
		}
	}
	if err != nil {
		f.log.Warn("explanations not written", "err", err)
		return ""
	}
	return folder
}

// dropScratch removes the texts of earlier days. What cannot be removed stays for the next time.
func dropScratch(folder string) {
	files, _ := os.ReadDir(folder)
	for _, file := range files {
		if info, err := file.Info(); err == nil && regular.Age(info, time.Now()) > scratchAge {
			_ = os.RemoveAll(filepath.Join(folder, file.Name()))
		}
	}
}
