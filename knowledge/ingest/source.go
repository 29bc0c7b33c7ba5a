package ingest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/ingest/bibliography"
	"lacuna/knowledge/ingest/glob"
	"lacuna/knowledge/passage"
)

// Source is a configured source. Path is absolute.
type Source struct {
	Name    string
	Kind    passage.Kind
	Path    string   // a folder or a file
	Include []string // patterns relative to Path; empty means every format we read
	Exclude []string
	Fields  Fields
	Chunker Chunker // of running text; empty means Sentences
	// Notes says that its texts are notes as well: what they ask is looked up in all others.
	Notes bool
	// Implicit sources are found in the workspace's kb/ folder rather than configured. Their rows with
	// a question are pairs whatever Kind says, and files that match Exclude are not reported, because
	// they are an implicit source of their own.
	Implicit bool
	// Confined refuses files whose real path lies outside Path. It is set for sources that a workspace
	// names, so that a link in a cloned repository cannot read the user's home.
	Confined bool
}

// Fields names the columns of a JSON Lines or CSV source. Empty names mean the defaults.
type Fields struct {
	ID, Question, Answer, Also       string // question-answer pairs; defaults id question answer synonyms
	Title, Section, Text             string // passages; defaults title section text
	Document, Date, Topic, Kind, URL string // defaults ref date focus qtype url
}

// orDefaults returns f with each empty name replaced by its default.
func (f Fields) orDefaults() Fields {
	for _, field := range []struct {
		name *string
		def  string
	}{
		{&f.ID, "id"}, {&f.Question, "question"}, {&f.Answer, "answer"}, {&f.Also, "synonyms"},
		{&f.Title, "title"}, {&f.Section, "section"}, {&f.Text, "text"},
		{&f.Document, "ref"}, {&f.Date, "date"}, {&f.Topic, "focus"}, {&f.Kind, "qtype"}, {&f.URL, "url"},
	} {
		if *field.name == "" {
			*field.name = field.def
		}
	}
	return f
}

// mixed reports whether each row of the source tells its own kind.
func (s *Source) mixed() bool { return s.Implicit || s.Kind == "" }

// wanted returns the columns of which every row must have one.
func (s *Source) wanted() []string {
	fields := s.Fields.orDefaults()
	switch {
	case s.mixed():
		return []string{fields.Text, fields.Question}
	case s.Kind == passage.QA:
		return []string{fields.Question}
	}
	return []string{fields.Text}
}

// candidate is a file that belongs to a source.
type candidate struct {
	source    *Source
	path      string // absolute
	record    string // relative to the source, with forward slashes; its base name if the source is a file
	size      int64
	changed   time.Time             // last, on disk
	reason    string                // why it is not to be read; empty if it is
	state     FileState             // with a reason
	allowance allowance             // the cost allowed for reading it
	library   *bibliography.Library // reference lists that may describe it; nil for none
}

// walk lists the files of a source by path. It leaves out hidden files, version control, installed
// packages, and files that the include patterns do not match.
func walk(ctx context.Context, source Source) ([]candidate, error) {
	w := walker{source: &source, include: glob.Compile(source.Include), exclude: glob.Compile(source.Exclude)}
	info, err := os.Lstat(source.Path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if source.Confined {
			w.refuse(source.Path, filepath.Base(source.Path), Failed, "a link; name the folder or file it leads to")
			return w.found, nil
		}
		info, err = os.Stat(source.Path)
	}
	switch {
	case err != nil:
		w.refuse(source.Path, filepath.Base(source.Path), Failed, fileErrorReason(err))
	case !info.IsDir():
		w.add(source.Path, filepath.Base(source.Path), info)
	default:
		// A trailing separator makes the walk enter a folder that is itself a link.
		root := strings.TrimRight(source.Path, string(filepath.Separator)) + string(filepath.Separator)
		err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return w.visit(root, file, entry, err)
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(w.found, func(a, b candidate) int { return strings.Compare(a.record, b.record) })
	return w.found, nil
}

type walker struct {
	source           *Source
	include, exclude glob.Patterns
	found            []candidate
}

func (w *walker) visit(root, file string, entry fs.DirEntry, err error) error {
	relative, relErr := filepath.Rel(root, file)
	record := filepath.ToSlash(relative)
	if relErr != nil || err != nil {
		w.refuse(file, record, Failed, fileErrorReason(errors.Join(err, relErr)))
		if entry != nil && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if record == "." {
		return nil
	}
	name := entry.Name()
	switch {
	case strings.HasPrefix(name, "."), entry.IsDir() && name == "node_modules":
		if entry.IsDir() {
			return fs.SkipDir
		}
	case entry.IsDir():
	case entry.Type()&fs.ModeSymlink != 0:
		w.link(file, record)
	default:
		info, err := entry.Info()
		if err != nil {
			w.refuse(file, record, Failed, fileErrorReason(err))
			return nil
		}
		w.add(file, record, info)
	}
	return nil
}

// link adds the file that a link leads to. It does not follow links to folders, which may lead in
// circles.
func (w *walker) link(file, record string) {
	if !w.included(record) {
		return
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		w.refuse(file, record, Skipped, "a broken link")
	case info.IsDir():
		w.refuse(file, record, Skipped, "a link to a folder; name the folder as a source of its own")
	default:
		w.add(file, record, info)
	}
}

func (w *walker) add(file, record string, info fs.FileInfo) {
	if !w.included(record) {
		return
	}
	pattern := w.exclude.First(record)
	if pattern != "" && w.source.Implicit {
		return // not excluded by the user: it is a source of its own
	}
	c := candidate{source: w.source, path: filepath.Clean(file), record: record, size: info.Size(), changed: info.ModTime()}
	if pattern != "" {
		c.state, c.reason = Skipped, excludedBy+pattern
	} else if !info.Mode().IsRegular() {
		c.state, c.reason = Skipped, "not a regular file"
	}
	w.found = append(w.found, c)
}

func (w *walker) refuse(file, record string, state FileState, reason string) {
	w.found = append(w.found, candidate{source: w.source, path: filepath.Clean(file), record: record, state: state, reason: reason})
}

func (w *walker) included(record string) bool {
	return len(w.source.Include) == 0 || w.include.First(record) != ""
}
