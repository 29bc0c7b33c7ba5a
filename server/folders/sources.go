package folders

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/settings"
	"lacuna/knowledge/ingest"
)

// defaultSource is the folder that is read without any setting.
const defaultSource = "kb"

// AddSource makes a folder or file of the workspace one of its sources, in its own settings file, and returns
// its path; the empty path stands for a folder kb, which is made. Only the user's own settings may name what
// lies outside. The error is for the user.
func (f *Folder) AddSource(path string) (added string, err error) {
	w, err := f.rooted()
	if err != nil {
		return "", err
	}
	root := w.Root()
	added = filepath.Join(root, defaultSource)
	if path != "" {
		if added = filepath.FromSlash(path); !filepath.IsAbs(added) {
			added = filepath.Join(root, added)
		}
	}
	relative, inside := lsp.Within(filepath.Clean(added), filepath.Clean(root))
	if !inside {
		return "", fmt.Errorf(messages.OutsideFolder, added, w.UserFile())
	}
	if path == "" {
		err = os.MkdirAll(added, 0o755)
	} else {
		_, err = os.Stat(added)
	}
	if err != nil {
		return "", err
	}
	sources := w.Settings().Sources
	named := slices.ContainsFunc(sources, func(s ingest.Source) bool { return s.Confined && !s.Implicit })
	names := []string{cmp.Or(filepath.ToSlash(relative), ".")} // the folder itself
	switch {
	case slices.ContainsFunc(sources, func(s ingest.Source) bool { return s.Path == filepath.Clean(added) }):
		names = nil // it is one already
	case path == "" && !named:
		names = nil // it is read by itself
	case !named && path != "":
		if info, err := os.Stat(filepath.Join(root, defaultSource)); err == nil && info.IsDir() && relative != defaultSource {
			names = append([]string{defaultSource}, names...) // which is no longer read by itself
		}
	}
	tables := make([]settings.Source, len(names))
	for i, name := range names {
		tables[i].Path = name
	}
	if err := settings.AppendSources(filepath.Join(root, settings.File), tables, 0o644); err != nil {
		return "", err
	}
	wake(f.reopen)
	return added, nil
}

// SettingsFile returns the path of the workspace's settings file and gives it a beginning if there is none.
// The error is for the user.
func (f *Folder) SettingsFile() (string, error) {
	w, err := f.rooted()
	if err != nil {
		return "", err
	}
	file := filepath.Join(w.Root(), settings.File)
	if _, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(file, []byte(fmt.Sprintf(messages.SettingsTemplate, w.UserFile())), 0o644); err != nil {
			return "", err
		}
	}
	return file, nil
}

// rooted returns the workspace if it is open and has a folder.
func (f *Folder) rooted() (Workspace, error) {
	w, err := f.Workspace()
	if err == nil && w.Root() == "" {
		err = fmt.Errorf(messages.NoFolderToName, w.UserFile())
	}
	return w, err
}
