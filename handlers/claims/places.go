package claims

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// places finds the passages that a citation means in one library. It is safe for concurrent use.
type places struct {
	library *knowledge.Library

	mu     sync.Mutex
	byFile map[string][]*passage.Passage // by lsp.PathKey; nil until it is needed; guarded by mu
	byName map[string][]*passage.Passage // by what a page may be called; nil until it is needed; guarded by mu
}

// serve reports whether they are those of a library, too: what [knowledge.Library.Beside] hides from searches, which
// differs from note to note in a vault, can be cited.
func (x *places) serve(library *knowledge.Library) bool {
	had, now := x.library.Passages(), library.Passages()
	return x.library == library || len(had) > 0 && len(had) == len(now) && &had[0] == &now[0]
}

// of returns the passages at the place that a citation names, and all passages of its file if it names the file.
// Without a place in the file, only the latter.
func (x *places) of(notePath string, c note.Cite) (here, around []*passage.Passage) {
	if c.Passage != (passage.ID{}) {
		file := fileOf(notePath, c.Path)
		p, how := x.library.Resolve(c.Passage, func(p *passage.Passage) int {
			if lsp.SamePath(p.Place.File, file) {
				return 1
			}
			return 0
		})
		if how != knowledge.Lost {
			return []*passage.Passage{p}, nil
		}
	}
	switch {
	case c.Path != "":
		around = x.file(fileOf(notePath, c.Path))
	default:
		around = x.page(c.Name)
	}
	if words := strings.Fields(c.Quote); len(words) > 0 {
		here = keep(around, func(p *passage.Passage) bool {
			_, _, holds := plaintext.FindWords(p.Text, words)
			_, shown := p.Render().Find(c.Quote)
			return holds || shown
		})
		if len(here) > 0 {
			return here, around
		}
	}
	if c.Heading != "" {
		wanted := plaintext.Fold(c.Heading)
		here = keep(around, func(p *passage.Passage) bool {
			return slices.ContainsFunc(p.Headings, func(h string) bool { return plaintext.Fold(h) == wanted })
		})
	}
	if c.Line > 0 {
		here = keep(around, func(p *passage.Passage) bool { return p.Place.Line <= c.Line && c.Line <= p.LineAt(len(p.Text)) })
	}
	return here, around
}

// file returns the passages of a file.
func (x *places) file(file string) []*passage.Passage {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byFile == nil {
		x.byFile = make(map[string][]*passage.Passage)
		for _, p := range x.library.Passages() {
			at := lsp.PathKey(p.Place.File)
			x.byFile[at] = append(x.byFile[at], p)
		}
	}
	return x.byFile[lsp.PathKey(file)]
}

// page returns the passages of the page with a name: of its file, with or without folders and ending, of its
// record or its title.
func (x *places) page(name string) []*passage.Passage {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byName == nil {
		x.byName = make(map[string][]*passage.Passage)
		for _, p := range x.library.Passages() {
			record := strings.ToLower(p.Record)
			bare := strings.TrimSuffix(record, path.Ext(record))
			names := []string{record, bare, path.Base(bare), strings.ToLower(p.Source) + "/" + record, strings.ToLower(p.Source) + "/" + bare, strings.ToLower(p.Title)}
			slices.Sort(names)
			for _, one := range slices.Compact(names) {
				if one != "" {
					x.byName[one] = append(x.byName[one], p)
				}
			}
		}
	}
	return x.byName[strings.ToLower(strings.TrimSpace(name))]
}

// fileOf returns the file that a link of a note leads to.
func fileOf(notePath, link string) string {
	file := filepath.FromSlash(link)
	if filepath.IsAbs(file) || notePath == "" {
		return filepath.Clean(file)
	}
	return filepath.Join(filepath.Dir(notePath), file)
}

func keep(all []*passage.Passage, wanted func(*passage.Passage) bool) []*passage.Passage {
	var kept []*passage.Passage
	for _, p := range all {
		if wanted(p) {
			kept = append(kept, p)
		}
	}
	return kept
}

func distinct(all []*passage.Passage) []*passage.Passage {
	var kept []*passage.Passage
	for _, p := range all {
		if !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// mostLike bounds the passages of a file that are looked at.
const mostLike = 2000

// likest returns the passages that share most words with a text, at most k, the likest first. One that shares
// none is left out.
func likest(text string, among []*passage.Passage, k int) []*passage.Passage {
	wanted := wordsOf(text)
	type scored struct {
		p     *passage.Passage
		share int
	}
	var found []scored
	for _, p := range among[:min(len(among), mostLike)] {
		share := 0
		for word := range wordsOf(p.Above() + "\n" + p.Text) {
			if wanted[word] {
				share++
			}
		}
		if share > 0 {
			found = append(found, scored{p, share})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.share, a.share) })
	var best []*passage.Passage
	for _, one := range found[:min(len(found), k)] {
		best = append(best, one.p)
	}
	return best
}

// wordsOf returns the words of a text without case, of Chinese the pairs of characters.
func wordsOf(text string) map[string]bool {
	words := make(map[string]bool)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !plaintext.HasHan(word) {
			words[word] = true
			continue
		}
		runes := []rune(word)
		for i := 1; i < len(runes); i++ {
			words[string(runes[i-1:i+1])] = true
		}
	}
	return words
}
