package extract

import (
	"maps"
	"os"
	"sync"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// diskCache compares quotes with the files they come from. It remembers what it read of a file until the
// file's size or time changes, so that checking again costs one stat. Its zero value is ready; it is safe
// for concurrent use.
type diskCache struct {
	mu    sync.Mutex
	files map[string]*fileTexts // by path; guarded by mu
}

// fileTexts holds what stands in a file of this size and time.
type fileTexts struct {
	size     int64
	modified time.Time
	texts    map[passage.Place]string
}

func (c *fileTexts) describes(info os.FileInfo) bool {
	return c != nil && c.size == info.Size() && c.modified.Equal(info.ModTime())
}

// settleTime is the age from which on a file's modification time distinguishes it from a later change to
// the same size: the coarsest file system clock in use ticks every two seconds.
const settleTime = 2 * time.Second

// read returns what stands at a place of the file of a passage: the passage's own, or one beside it.
func (d *diskCache) read(library *knowledge.Library, p *passage.Passage, at passage.Place) (string, bool) {
	if p.Published != nil {
		return signed(p, at)
	}
	at.Line = p.Place.Line
	info, err := os.Stat(p.Place.File)
	if err != nil {
		return "", false
	}
	d.mu.Lock()
	known := d.files[p.Place.File]
	if known.describes(info) {
		if text, ok := known.texts[at]; ok {
			d.mu.Unlock()
			return text, true
		}
	}
	d.mu.Unlock()
	wanted := []*passage.Passage{p}
	if ingest.ReadWhole(p.Place.File) {
		wanted = sameFile(library, p) // all in one reading: there is no way to the middle of it
	}
	found := resolve(wanted, at)
	if time.Since(info.ModTime()) >= settleTime {
		d.store(p.Place.File, info, found)
	}
	text, ok := found[at]
	return text, ok
}

// signed returns what stands at a place of a passage that was published and verified, with its leads, when it came here.
func signed(p *passage.Passage, at passage.Place) (string, bool) {
	if at.Span == p.Place.Span {
		return p.Text, true
	}
	for _, l := range p.Leads {
		if at.Span == l.Span {
			return l.Text, true
		}
	}
	return "", false
}

// sameFile returns p and the other passages of its file.
func sameFile(library *knowledge.Library, p *passage.Passage) []*passage.Passage {
	together := []*passage.Passage{p}
	for _, other := range library.Passages() {
		if other != p && other.Place.File == p.Place.File {
			together = append(together, other)
		}
	}
	return together
}

// resolve reads what stands at the places of passages of one file and of their leads, and at another place
// of it. Text that has not changed shares its memory with the passage.
func resolve(passages []*passage.Passage, also passage.Place) map[passage.Place]string {
	places, written := []passage.Place{also}, []string{""}
	for _, p := range passages {
		places, written = append(places, p.Place), append(written, p.Text)
		for _, l := range p.Leads {
			at := p.Place
			at.Span = l.Span
			places, written = append(places, at), append(written, l.Text)
		}
	}
	texts := make(map[passage.Place]string, len(places))
	for i, found := range ingest.ResolveAll(places) {
		switch {
		case found.Err != nil:
		case found.Text == written[i]:
			texts[places[i]] = written[i]
		default:
			texts[places[i]] = found.Text
		}
	}
	return texts
}

func (d *diskCache) store(file string, info os.FileInfo, texts map[passage.Place]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.files[file]
	if !known.describes(info) {
		if d.files == nil {
			d.files = make(map[string]*fileTexts)
		}
		known = &fileTexts{size: info.Size(), modified: info.ModTime(), texts: make(map[passage.Place]string)}
		d.files[file] = known
	}
	maps.Copy(known.texts, texts)
}
