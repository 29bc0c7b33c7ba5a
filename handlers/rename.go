package handlers

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/wiki"
	"lacuna/knowledge"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// Rename moves a file or folder to another path.
type Rename struct{ From, To string }

// Renames is a list of renames that happen together.
type Renames []Rename

// Apply returns the path that a file has after the renames.
func (r Renames) Apply(path string) string {
	for _, rename := range r {
		if rest, inside := lsp.Within(path, rename.From); inside && path != "" {
			return filepath.Join(rename.To, rest)
		}
	}
	return path
}

// PrepareRename returns the place of the citation at a position and the name of the file that it cites, which
// [SourceRename] changes. It refuses with a message for the user where nothing is cited.
func PrepareRename(ctx context.Context, s Snapshot, at protocol.Position) (*lsp.PrepareRenameResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, span, err := s.renamable(at)
	if err != nil {
		return nil, err
	}
	return &lsp.PrepareRenameResult{Range: s.rangeOf(span), Placeholder: filepath.Base(file)}, nil
}

// SourceRename returns the rename that gives the source cited at a position a new name in its folder. A name without
// an extension keeps the one of the file. Citations follow by [Relocations].
func SourceRename(ctx context.Context, s Snapshot, at protocol.Position, name string) (Rename, error) {
	if err := ctx.Err(); err != nil {
		return Rename{}, err
	}
	file, _, err := s.renamable(at)
	if err != nil {
		return Rename{}, err
	}
	name = strings.TrimSpace(name)
	if strings.ContainsAny(name, `/\:*?"<>|`) || strings.HasPrefix(name, ".") || strings.ContainsFunc(name, unicode.IsControl) || name == "" {
		return Rename{}, lsp.Failed(messages.NoFileName, sanitise.Visible(name))
	}
	if filepath.Ext(name) == "" {
		name += filepath.Ext(file)
	}
	to := filepath.Join(filepath.Dir(file), name)
	if _, err := os.Lstat(to); err == nil && !lsp.SamePath(to, file) {
		return Rename{}, lsp.Failed(messages.NameTaken, sanitise.Visible(name))
	}
	return Rename{From: file, To: to}, nil
}

// renamable returns the file of the source that is cited at a position, and the place of the citation. A file that the
// settings name keeps its name, because they would lead nowhere.
func (s Snapshot) renamable(at protocol.Position) (file string, span passage.Span, err error) {
	if s.outside(at) {
		return "", span, lsp.Failed("%s", messages.NoRename)
	}
	citation, quote, span, ok := s.Note.CitationAt(s.offsetOf(at))
	if !ok {
		return "", span, lsp.Failed("%s", messages.NoRename)
	}
	cited := s.locate(citation, quote)
	file = cited.file
	if cited.passage != nil {
		file = cited.passage.Place.File
	}
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || !s.isSource(file) {
		return "", span, lsp.Failed("%s", messages.NoRenameGone)
	}
	named := func(source ingest.Source) bool { return !source.Implicit && lsp.SamePath(source.Path, file) }
	if cited.passage != nil && cited.passage.Source == history.SourceName || slices.ContainsFunc(s.Settings.Sources, named) {
		return "", span, lsp.Failed(messages.NamedInSettings, sanitise.Visible(filepath.Base(file)))
	}
	return file, span, nil
}

// PageEdit holds the edits of a page.
type PageEdit struct {
	Page  Page
	Edits []note.Edit
}

// Relocations returns the edits after which the citations in the pages lead to the same files, when cited
// files or the pages themselves are renamed: citations in answers, and links that the user wrote. The
// library and the sources are from before the renames.
func Relocations(ctx context.Context, renames Renames, library *knowledge.Library, sources []ingest.Source, pages iter.Seq[Page]) ([]PageEdit, error) {
	var all []PageEdit
	r := relocation{renames: renames, library: library, sources: sources, read: sync.OnceValue(func() map[string]bool { return filesOf(library) })}
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if page.Path == "" {
			continue
		}
		edits := slices.Concat(r.inAnswers(page), r.inText(page))
		if len(edits) > 0 {
			all = append(all, PageEdit{Page: page, Edits: edits})
		}
	}
	return all, ctx.Err()
}

// filesOf returns the files that a library was read from, by [lsp.PathKey].
func filesOf(library *knowledge.Library) map[string]bool {
	files := make(map[string]bool)
	for _, p := range library.Passages() {
		files[lsp.PathKey(p.Place.File)] = true
	}
	return files
}

// relocation holds the renames that citations have to follow.
type relocation struct {
	renames Renames
	library *knowledge.Library
	sources []ingest.Source
	read    func() map[string]bool // the files of the sources, by [lsp.PathKey]
}

// inAnswers returns the edits of the sources that answers list.
func (r relocation) inAnswers(page Page) []note.Edit {
	var edits []note.Edit
	for _, block := range page.Note.Answers {
		for _, listed := range block.Citations {
			if listed.Wiki {
				if edit, moved := r.renamePage(page, listed, quoteOf(block, listed)); moved {
					edits = append(edits, edit)
				}
				continue
			}
			if path, after, moved := r.newPath(page, listed.Path); moved {
				edits = append(edits, r.relocate(page, listed, after, path))
			}
		}
	}
	return edits
}

// renamePage returns the edit that names the page of a link in double brackets as it is called after the renames; false if
// the link stays unchanged.
func (r relocation) renamePage(page Page, listed note.Citation, quote string) (edit note.Edit, moved bool) {
	after, name, moved := r.newName(page, listed, quote)
	return page.Note.Relocate(listed, note.BlockSource{Page: name, Path: pathFrom(r.renames.Apply(page.Path), after)}), moved
}

// newName returns the file that a link in double brackets leads to after the renames, and its name then, which is empty if
// such a link cannot hold it; moved is false if the link stays unchanged.
func (r relocation) newName(page Page, link note.Citation, quote string) (file, name string, moved bool) {
	before := Snapshot{Path: page.Path, Library: r.library}.citedFile(link, quote)
	file = r.renames.Apply(before)
	if before == file || wiki.Means(link.Path, file) {
		return file, "", false
	}
	files := []string{r.renames.Apply(page.Path)}
	for _, p := range r.library.Passages() {
		files = append(files, r.renames.Apply(p.Place.File))
	}
	name, _ = wiki.NamesOf(files).Of(file)
	return file, name, true
}

// inText returns the edits of links to sources in the note's own text.
func (r relocation) inText(page Page) []note.Edit {
	var edits []note.Edit
	for _, link := range page.Note.Links() {
		if link.Wiki {
			if _, name, moved := r.newName(page, note.Citation{Path: link.Path, Wiki: true}, ""); moved && name != "" {
				edits = append(edits, page.Note.Redirect(link, name))
			}
			continue
		}
		if link.Label != "" {
			if label, moved := r.newLabel(link.Label); moved {
				edits = append(edits, page.Note.Redirect(link, label))
			}
			continue
		}
		if path, _, moved := r.newPath(page, link.Path); moved && r.read()[lsp.PathKey(fileOf(page.Path, link.Path))] {
			edits = append(edits, page.Note.Redirect(link, path))
		}
	}
	return edits
}

// newPath returns the path of a page's link after the renames, and the file that it leads to; moved is
// false if the link stays unchanged.
func (r relocation) newPath(page Page, link string) (path, file string, moved bool) {
	before, pageAfter := fileOf(page.Path, link), r.renames.Apply(page.Path)
	file = r.renames.Apply(before)
	path = pathFrom(pageAfter, file)
	if filepath.IsAbs(filepath.FromSlash(link)) {
		path = filepath.ToSlash(file)
	}
	return path, file, path != link && (before != file || page.Path != pageAfter)
}

// newLabel returns the label of a place of a source after the renames, from its present label without the
// line.
func (r relocation) newLabel(now string) (label string, moved bool) {
	for _, source := range r.sources {
		record, ok := strings.CutPrefix(now, source.Name+"/")
		before := filepath.Join(source.Path, filepath.FromSlash(record))
		after := r.renames.Apply(before)
		if ok && after != before && r.read()[lsp.PathKey(before)] {
			name, record := recordIn(r.sources, source.Name, after)
			return sanitise.Visible(name + "/" + record), true
		}
	}
	return "", false
}

// relocate returns the edit that lists a source at its new path. The name of a record does not depend on
// its file.
func (r relocation) relocate(page Page, listed note.Citation, file, path string) note.Edit {
	p, how := r.library.Resolve(listed.Passage, near(fileOf(page.Path, listed.Path), listed.Line))
	if how < knowledge.Retitled {
		p = &passage.Passage{}
	}
	moved := *p
	if p.Document == p.Source+"/"+p.Record || how < knowledge.Retitled { // a document
		moved.Place.File = file
		moved.Source, moved.Record = recordIn(r.sources, p.Source, file)
	}
	return page.Note.Relocate(listed, note.BlockSource{Label: sanitise.Visible(label(&moved, listed.Line)), Path: path})
}

// recordIn names a file by a source that contains it, preferably the source called name. A file outside of
// all sources is named after its folder.
func recordIn(sources []ingest.Source, name, file string) (source, record string) {
	for _, s := range sources {
		rel, inside := lsp.Within(file, s.Path)
		if !inside || rel == "" {
			continue
		}
		if s.Name == name || source == "" {
			source, record = s.Name, filepath.ToSlash(rel)
		}
	}
	if source == "" {
		return filepath.Base(filepath.Dir(file)), filepath.Base(file)
	}
	return source, record
}
