// Package knowledge is what the user has: sources read, indexed and searchable.
//
// A [Library] is an immutable snapshot that requests work on; an [Index] keeps the files of the
// snapshots on disk and publishes a new Library whenever there is something better to search with.
package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lacuna/knowledge/copies"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/superseded"
)

// Library is an immutable snapshot of everything the user's sources say. It is safe for
// concurrent use. Hold it as long as the work lasts; a newer one does not disturb it. The zero
// Library is empty.
type Library struct {
	searching *atomic.Int32 // counts the searches under way in all libraries of an index; nil without one
	contents
	byText func() *passage.Places[passage.TextID] // ordinals; nil of the zero Library
	byFile func() map[string][]int                // ordinals, ascending; nil of the zero Library
	copies func() *copies.Index                   // nil of the zero Library
	old    func() *superseded.Index               // nil of the zero Library
	digest func() string                          // nil of the zero Library
	cited  *atomic.Pointer[[]*passage.Passage]    // see [Index.Cite]; nil without an index
}

// contents holds the parts of a library.
type contents struct {
	passages    []*passage.Passage
	collections []*Collection // at most one of each kind; their ordinals index passages
	files       []ingest.FileReport
	blobs       map[string][]byte
	generation  string
	disk        *generation // whose files it reads; nil without any
	status      Status      // Passages, Pairs and Encoder are filled in by newLibrary

	// Of an excerpt alone:
	wants     *wants   // nil of a whole library
	total     int      // passages of the whole library
	positions []int    // there, by ordinal
	sources   []string // of all passages
	answers   *string  // the words of all stored answers
}

// newLibrary makes a library of its contents, which must not be changed afterwards.
func newLibrary(c contents) *Library {
	l := &Library{contents: c}
	l.byText = sync.OnceValue(func() *passage.Places[passage.TextID] {
		places := passage.NewPlaces(len(c.passages), func(ordinal int) passage.TextID { return c.passages[ordinal].ID.Text() })
		for ordinal := range c.passages {
			places.Add(ordinal)
		}
		return places
	})
	l.byFile = sync.OnceValue(func() map[string][]int {
		files := make(map[string][]int)
		for ordinal, p := range c.passages {
			files[p.Place.File] = append(files[p.Place.File], ordinal)
		}
		return files
	})
	l.copies = sync.OnceValue(func() *copies.Index { return copies.Find(c.passages) })
	l.old = sync.OnceValue(func() *superseded.Index { return superseded.New(c.passages) })
	l.digest = sync.OnceValue(func() string {
		h := sha256.New()
		for _, p := range c.passages {
			fmt.Fprintf(h, "%q %q %s %v\n", p.Source, p.Record, p.ID, p.Private)
		}
		return hex.EncodeToString(h.Sum(nil)[:8])
	})
	l.status.Passages, l.status.Pairs = 0, 0
	for _, p := range c.passages {
		if p.Kind == passage.QA {
			l.status.Pairs++
		} else {
			l.status.Passages++
		}
	}
	l.status.Encoder = slices.ContainsFunc(c.collections, func(s *Collection) bool { return s.encoder != nil })
	return l
}

// Pending returns the library of sources that have not been read yet: empty, with more to come.
func Pending() *Library { return newLibrary(contents{status: Status{Building: true}}) }

// Status says what a library can do so far.
type Status struct {
	Passages, Pairs int
	Encoder         bool // hybrid search serves; otherwise BM25 alone does
	Calibrated      bool // every companion has been fitted to this base
	Building        bool // a refresh is under way
	Partial         bool // it is the first reading, and not everything has been read; what is missing now may come
	Read, Found     int  // the files that have been read, of so many; equal unless Partial
}

// Passages returns all passages; a passage's index is its ordinal. The slice must not be changed.
func (l *Library) Passages() []*passage.Passage { return l.passages }

// Surroundings returns the text of a hit's passage with what stands before and behind it in its document, about so many bytes
// of each, under its title and headings. A passage of another library stands alone. Unlike [Library.Run] it asks an engine for
// nothing: in an excerpt it has what is there.
func (l *Library) Surroundings(h *Hit, bytes int) string {
	p := h.Passage
	first, last := h.Ordinal, h.Ordinal+1
	if l == nil || h.Ordinal >= len(l.passages) || l.passages[h.Ordinal] != p {
		return p.Text
	}
	is := func(i int) bool {
		return i >= 0 && i < len(l.passages) && l.passages[i].Source == p.Source && l.passages[i].Document == p.Document && l.passages[i].Kind == passage.Text
	}
	if p.Kind == passage.Text {
		for left := bytes; left > 0 && is(first-1); left -= len(l.passages[first].Text) {
			first--
		}
		for left := bytes; left > 0 && is(last); left -= len(l.passages[last-1].Text) {
			last++
		}
	}
	var b strings.Builder
	line := func(text string) {
		if text != "" {
			b.WriteString(text)
			b.WriteByte('\n')
		}
	}
	line(p.Title)
	var above []string
	for _, p := range l.passages[first:last] {
		if !slices.Equal(above, p.Headings) {
			above = p.Headings
			line(strings.Join(above, "\n"))
		}
		line(p.Question)
		line(p.Text)
	}
	return b.String()
}

// Files reports what became of every file of every source.
func (l *Library) Files() []ingest.FileReport { return l.files }

// Sources returns the names of the sources in the order of their first passages.
func (l *Library) Sources() []string {
	if l.wants != nil {
		return l.sources
	}
	var names []string
	seen := make(map[string]bool)
	for _, p := range l.passages {
		if !seen[p.Source] {
			seen[p.Source] = true
			names = append(names, p.Source)
		}
	}
	return names
}

// Collection returns the passages of one kind, or nil if the library has none. The two kinds are indexed
// separately: running text by itself, stored pairs by their questions.
func (l *Library) Collection(kind passage.Kind) *Collection {
	for _, s := range l.collections {
		if s.kind == kind {
			return s
		}
	}
	return nil
}

// Blob returns what the companion of that name learnt about this library, or nil.
func (l *Library) Blob(name string) []byte { return l.blobs[name] }

// Generation identifies the library's contents: equal generations give equal answers.
func (l *Library) Generation() string { return l.generation }

// Digest identifies the passages wherever their files are: a copy of the sources in another folder, or on
// another machine, has the same.
func (l *Library) Digest() string {
	if l.digest == nil {
		return ""
	}
	return l.digest()
}

// Status returns what the library can do so far.
func (l *Library) Status() Status { return l.status }

// Passage finds a passage by its identity, or by the identity that an earlier version gave its text; of
// several places the first.
func (l *Library) Passage(id passage.ID) (*passage.Passage, bool) {
	p, how := l.Resolve(id, nil)
	return p, how == Same
}

// Match says how a cited passage was found again.
type Match int

const (
	Lost      Match = iota // nothing says the same any more
	Elsewhere              // the same words stand in another file, under another title or heading
	Retitled               // the same words stand in the cited file, under another title or heading
	Same                   // it stands as it was cited
)

// Resolve finds the passage that a citation names by its identity. near, which may be nil, returns how near
// a passage is to the place that the citation leads to: 0 in another file, up to 3. Among passages that
// match equally well the nearest wins, then the first.
func (l *Library) Resolve(id passage.ID, near func(*passage.Passage) int) (*passage.Passage, Match) {
	if l.byText == nil {
		return nil, Lost
	}
	var best *passage.Passage
	found, rank := Lost, 0
	bare := false // whether id identifies the text alone
	for ordinal := range l.byText().Of(id.Text()) {
		p := l.passages[ordinal]
		if best == nil {
			bare = p.Bare() == id
		}
		how, nearness := Elsewhere, 0
		if near != nil {
			nearness = near(p)
		}
		switch {
		case bare || p.ID == id:
			how = Same
		case nearness > 0:
			how = Retitled
		}
		if r := 4*int(how) + nearness; r > rank {
			best, found, rank = p, how, r
		}
	}
	if found != Same {
		for _, p := range l.Cited() {
			if p.ID == id {
				return p, Same
			}
		}
	}
	return best, found
}

// Cited returns the passages that notes may cite though they are not among the sources; see [Index.Cite]. The slice must
// not be changed.
func (l *Library) Cited() []*passage.Passage {
	if l.cited == nil || l.cited.Load() == nil {
		return nil
	}
	return *l.cited.Load()
}

// Citable returns all passages that a note may cite: those of the library, and [Library.Cited]. The slice must not be
// changed.
func (l *Library) Citable() []*passage.Passage {
	if cited := l.Cited(); len(cited) > 0 {
		return slices.Concat(l.passages, cited)
	}
	return l.passages
}

// Superseded returns what speaks against relying on the page of a passage on a day: a page that replaces it, a newer
// version of it, a review that is due; false if nothing does.
func (l *Library) Superseded(p *passage.Passage, today time.Time) (superseded.Finding, bool) {
	if l.old == nil {
		return superseded.Finding{}, false
	}
	return l.old().Of(p, today)
}

// Without returns the library as it would be searched without the passages of some ordinals: they are
// neither found nor counted. The encoder stays, with what it learnt from them; so do ordinals and
// [Library.Passages], and methods about a single passage. It takes the time of reading those passages'
// terms.
func (l *Library) Without(ordinals []int) *Library {
	fewer := *l
	fewer.collections = make([]*Collection, len(l.collections))
	for i, collection := range l.collections {
		fewer.collections[i] = collection.without(ordinals)
	}
	return &fewer
}

// Beside returns the library as a note that is one of its files is judged by: [Library.Without] the note's own
// passages and those of its copies. It is the library itself for a file that is no source.
func (l *Library) Beside(file string) *Library {
	if l.byFile == nil {
		return l
	}
	own := l.byFile()[file]
	if len(own) == 0 {
		return l
	}
	hidden := own
	for _, copied := range l.copies().Of(file) {
		hidden = slices.Concat(hidden, l.byFile()[copied])
	}
	return l.Without(hidden)
}

// kinds lists the kinds of passages in the order of their collections.
var kinds = []passage.Kind{passage.Text, passage.QA}

// withBuilding returns the same library with another status.
func (l *Library) withBuilding(building bool) *Library {
	same := *l
	same.status.Building = building
	return &same
}
