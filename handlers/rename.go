package handlers

import (
	"context"
	"iter"
	"path/filepath"
	"strings"

	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Rename is a file or folder that gets another path.
type Rename struct{ From, To string }

// Renames are made at once.
type Renames []Rename

// Apply returns the path that a file has after the renames.
func (r Renames) Apply(path string) string {
	for _, rename := range r {
		if path == rename.From {
			return rename.To
		}
		if rest, inside := strings.CutPrefix(path, rename.From+string(filepath.Separator)); inside {
			return filepath.Join(rename.To, rest)
		}
	}
	return path
}

// PageEdit is what has to change in a page.
type PageEdit struct {
	Page  Page
	Edits []note.Edit
}

// Relocations are the edits by which the citations of the pages lead to their files after the renames,
// of cited files as well as of the pages themselves. The library and the sources are those of before.
func Relocations(ctx context.Context, renames Renames, library *knowledge.Library, sources []ingest.Source, pages iter.Seq[Page]) ([]PageEdit, error) {
	var all []PageEdit
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if page.Path == "" {
			continue
		}
		edits := relocated(page, renames, library, sources)
		if len(edits) > 0 {
			all = append(all, PageEdit{Page: page, Edits: edits})
		}
	}
	return all, ctx.Err()
}

func relocated(page Page, renames Renames, library *knowledge.Library, sources []ingest.Source) []note.Edit {
	var edits []note.Edit
	pageAfter := renames.Apply(page.Path)
	for _, block := range page.Note.Answers {
		for _, listed := range block.Citations {
			before := fileOf(page.Path, listed.Path)
			after := renames.Apply(before)
			path := pathFrom(pageAfter, after)
			if filepath.IsAbs(filepath.FromSlash(listed.Path)) {
				path = filepath.ToSlash(after)
			}
			if path != listed.Path && (before != after || page.Path != pageAfter) {
				edits = append(edits, page.Note.Relocate(listed, relabelled(listed, after, library, sources), path))
			}
		}
	}
	return edits
}

// relabelled names a listed source as answers do once its file is at that path. The name of a record
// does not depend on its file.
func relabelled(listed note.Citation, file string, library *knowledge.Library, sources []ingest.Source) string {
	p, known := library.Passage(listed.Passage)
	if !known {
		p = &passage.Passage{}
	}
	if p.Place.Field != "" {
		return visible(label(p, listed.Line))
	}
	moved := *p
	moved.Place.File = file
	moved.Source, moved.Record = recordIn(sources, p.Source, file)
	return visible(label(&moved, listed.Line))
}

// recordIn names a file in a source that holds it, in the one of that name rather than in another. A file
// outside of all is named after its folder.
func recordIn(sources []ingest.Source, name, file string) (source, record string) {
	for _, s := range sources {
		rel, err := filepath.Rel(s.Path, file)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
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
