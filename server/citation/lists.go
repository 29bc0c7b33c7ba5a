package citation

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/ingest/bibliography"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// maxListBytes bounds the reference lists that are read.
const maxListBytes = 64 << 20

// Lists are the reference lists among the sources: what they say of the files beside them and of the works that they describe
// themselves. A nil Lists has none.
type Lists struct {
	libraries map[string]*bibliography.Library // by source
	entries   map[string][]bibliography.Entry  // by file
}

// ReadLists reads the reference lists among files, as they are on disk now. A list that cannot be read is left out: a work then has
// only what its document says.
func ReadLists(files []ingest.FileReport) *Lists {
	l := &Lists{libraries: map[string]*bibliography.Library{}, entries: map[string][]bibliography.Entry{}}
	bySource := map[string][]bibliography.List{}
	left := int64(maxListBytes)
	for _, f := range files {
		info, err := os.Stat(f.File)
		if !isList(f.File) || err != nil || info.Size() > left {
			continue
		}
		content, err := regular.ReadFile(f.File)
		if err != nil || !strings.EqualFold(filepath.Ext(f.File), ".bib") && !bibliography.IsCSL(content) {
			continue
		}
		left -= int64(len(content))
		l.entries[f.File] = parse(f.File, content)
		bySource[f.Source] = append(bySource[f.Source], bibliography.List{Folder: path.Dir(filepath.ToSlash(f.File)), Entries: l.entries[f.File]})
	}
	for source, lists := range bySource {
		l.libraries[source] = bibliography.NewLibrary(lists)
	}
	return l
}

// parse reads a list; a fault of the parser costs the list.
func parse(file string, content []byte) (entries []bibliography.Entry) {
	defer func() {
		if recover() != nil {
			entries = nil
		}
	}()
	return bibliography.Parse(file, content)
}

// isList reports whether a file may be a reference list, by its name.
func isList(file string) bool {
	ext := strings.ToLower(filepath.Ext(file))
	return ext == ".bib" || ext == ".json"
}

// entry returns what a list says of the document of a passage, whose DOI may be known; nil if none does.
func (l *Lists) entry(p *passage.Passage, doi string) *bibliography.Entry {
	switch {
	case l == nil:
		return nil
	case isList(p.Place.File):
		return l.own(p)
	case !strings.EqualFold(filepath.Ext(p.Place.File), ".pdf") || l.libraries[p.Source] == nil:
		return nil
	}
	if e := l.libraries[p.Source].OfFile(filepath.ToSlash(p.Place.File)); e != nil || doi == "" {
		return e
	}
	return l.libraries[p.Source].OfPage(doi)
}

// own returns the entry of a list that a passage of the list is from: the last of that name that begins before it.
func (l *Lists) own(p *passage.Passage) *bibliography.Entry {
	var found *bibliography.Entry
	for i, e := range l.entries[p.Place.File] {
		name := e.Title
		if name == "" {
			name = e.Key
		}
		if e.Line <= p.Place.Line && (len(p.Headings) > 0 && p.Headings[0] == name || p.Title == name) {
			found = &l.entries[p.Place.File][i]
		}
	}
	return found
}
