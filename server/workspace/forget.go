package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"lacuna/knowledge"
)

// Trace is a file or a folder in which the program has stored something.
type Trace struct {
	Path  string
	Files int
}

// ownFolder matches the names that [IndexDir] makes. No other folder is removed, whatever stands in the folder of all
// indexes, which the user chose.
var ownFolder = regexp.MustCompile(`^[a-z0-9-]+-[0-9a-f]{12}$`)

// Traces returns what is stored of this workspace: the folder of its index, which holds all of it, and an audit
// elsewhere. With all it returns what is stored of every workspace of the user below the same folder: also the text of
// scanned pages, temporary indexes that a killed run has left, and the log.
func (w *Workspace) Traces(all bool) ([]Trace, error) {
	set, base := w.loaded.Settings, filepath.Dir(w.indexDir)
	paths := []string{w.indexDir, w.audit.tail, w.audit.tail + ".lock"}
	if set.Privacy.AuditDir != "" {
		parts, err := w.audit.parts()
		if err != nil {
			return nil, err
		}
		paths = append(append(paths, w.AuditFile(), w.AuditFile()+".lock"), parts...)
	}
	if all {
		entries, err := os.ReadDir(base)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			dir := filepath.Join(base, entry.Name())
			if entry.IsDir() && (ownFolder.MatchString(entry.Name()) && isIndex(dir) || entry.Name() == "ocr" || entry.Name() == tailFolder) {
				paths = append(paths, dir)
			}
		}
		for _, parent := range temporaryParents() {
			paths = append(paths, knowledge.AbandonedTempDirs(parent)...)
		}
		if set.Log.File != "" {
			paths = append(paths, set.Log.File)
		}
	}
	slices.Sort(paths)
	var traces []Trace
	for _, path := range slices.Compact(paths) {
		trace := Trace{Path: path}
		err := filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !entry.IsDir() {
				trace.Files++
			}
			return nil
		})
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			traces = append(traces, trace)
		}
	}
	return traces, nil
}

// isIndex reports whether a folder has a file that only the program writes.
func isIndex(dir string) bool {
	for _, name := range []string{"lock", "CURRENT", auditFile, consentFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// ForgetTraces removes what Traces returns, and returns what of it is still there. The workspace must not be used
// afterwards except to be closed. A server that runs elsewhere writes again what it knows.
func (w *Workspace) ForgetTraces(all bool) (left []Trace, err error) {
	traces, err := w.Traces(all)
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, trace := range traces {
		problems = append(problems, os.RemoveAll(trace.Path))
	}
	left, err = w.Traces(all)
	return left, errors.Join(append(problems, err)...)
}
