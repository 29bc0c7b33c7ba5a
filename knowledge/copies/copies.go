// Package copies finds files that say the same.
package copies

import (
	"hash/maphash"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// Index knows which files hold the same sentences. It is immutable.
type Index struct {
	files map[uint64][]string        // that hold a sentence, by its hash
	said  map[string]map[uint64]bool // the sentences of a file
	seed  maphash.Seed
}

// Find reads the passages of files with text of their own.
func Find(passages []*passage.Passage) *Index {
	c := &Index{files: make(map[uint64][]string), said: make(map[string]map[uint64]bool), seed: maphash.MakeSeed()}
	for _, p := range passages {
		if p.Kind != passage.Text || p.Place.Field != "" {
			continue
		}
		file := p.Place.File
		if c.said[file] == nil {
			c.said[file] = make(map[uint64]bool)
		}
		for sentence := range strings.FieldsFuncSeq(p.Text, func(r rune) bool { return strings.ContainsRune(".!?\n。！？", r) }) {
			if sentence = strings.Trim(sentence, " \t\r-*>#"); sentence == "" {
				continue
			}
			hash := maphash.String(c.seed, sentence)
			if !c.said[file][hash] {
				c.said[file][hash] = true
				c.files[hash] = append(c.files[hash], file)
			}
		}
	}
	return c
}

// Of returns the files that are copies of a file, in order: most of their sentences stand in it, and most of its
// sentences in them. A page that a note quotes is no copy of it.
func (c *Index) Of(file string) []string {
	own := c.said[file]
	shared := make(map[string]int)
	for hash := range own {
		for _, other := range c.files[hash] {
			shared[other]++
		}
	}
	var found []string
	for other, n := range shared {
		if other != file && 2*n > len(own) && 2*n > len(c.said[other]) {
			found = append(found, other)
		}
	}
	slices.Sort(found)
	return found
}
