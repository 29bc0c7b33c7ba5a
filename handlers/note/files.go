package note

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// WalkFiles calls take for each file below root that is a note by its name, in the order of names.
// Hidden files and folders and node_modules are passed over, links are not followed, and what cannot be
// read holds no notes. pass is called before for every other file and folder; its error, as that of
// take, is treated as [filepath.WalkDir] does: fs.SkipDir leaves the folder out, fs.SkipAll the rest.
func WalkFiles(root string, pass func(path string, entry fs.DirEntry) error, take func(path string, entry fs.DirEntry) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		passedOver := path != root && strings.HasPrefix(name, ".")
		switch {
		case err != nil && (entry == nil || entry.IsDir()):
			return fs.SkipDir
		case entry.IsDir() && (passedOver || name == "node_modules"):
			return fs.SkipDir
		case err != nil || passedOver:
			return nil
		}
		if err := pass(path, entry); err != nil {
			if err == fs.SkipDir && !entry.IsDir() {
				return nil
			}
			return err
		}
		if !entry.Type().IsRegular() || !Known("", path) {
			return nil
		}
		return take(path, entry)
	})
}
