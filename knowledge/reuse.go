package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// previous is a collection of the last state with the place of each passage of the next state in it, or -1.
// With it nothing is analysed or encoded twice.
type previous struct {
	*Collection
	dir    string // of the collection
	places []int
}

// match returns for each passage of the next state, given by its ordinal, the place in this collection of
// the last one, or -1, and no place twice. A passage of an unchanged file is the same object in both
// states; one of a file that was moved, or changed elsewhere, has another with an equal text.
func (s *Collection) match(last, next []*passage.Passage, ordinals []int) []int {
	places := make(map[*passage.Passage]int, s.N())
	for place, ordinal := range s.ordinals {
		places[last[ordinal]] = place
	}
	found := make([]int, len(ordinals))
	var strangers []int
	taken := make([]bool, s.N())
	for i, ordinal := range ordinals {
		place, known := places[next[ordinal]]
		if found[i] = place; !known {
			found[i] = -1
			strangers = append(strangers, i)
			continue
		}
		taken[place] = true
	}
	if len(strangers) > 0 {
		s.matchTexts(last, next, ordinals, strangers, taken, found)
	}
	return found
}

// matchTexts finds strangers on free places of the collection by the text they are searched by. Any number
// of passages may have the same text; each is considered once.
func (s *Collection) matchTexts(last, next []*passage.Passage, ordinals, strangers []int, taken []bool, found []int) {
	at := func(place int) *passage.Passage { return last[s.ordinals[place]] }
	stranger := func(n int) *passage.Passage { return next[ordinals[strangers[n]]] }
	known := passage.NewPlaces(s.N(), func(place int) passage.ID { return at(place).ID })
	for place := range s.N() {
		if !taken[place] {
			known.Add(place)
		}
	}
	alike := passage.NewPlaces(len(strangers), func(n int) passage.ID { return stranger(n).ID })
	for n := range strangers {
		alike.Add(n)
	}
	for n := range strangers {
		id := stranger(n).ID
		if first, _ := alike.First(id); first != n {
			continue // found with the first
		}
		free := make(map[string][]int) // places by what they are searched by
		for place := range known.Of(id) {
			indexed := at(place).Indexed()
			free[indexed] = append(free[indexed], place)
		}
		for n := range alike.Of(id) {
			indexed := stranger(n).Indexed()
			if places := free[indexed]; len(places) > 0 {
				found[strangers[n]], free[indexed] = places[0], places[1:]
			}
		}
	}
}

func writeIDs(file string, passages []*passage.Passage) error {
	content := make([]byte, 0, len(passages)*len(passage.ID{}))
	for _, p := range passages {
		content = append(content, p.ID[:]...)
	}
	return os.WriteFile(file, content, 0o600)
}

// sameIDs reports whether ids are the passages' identities, in order.
func sameIDs(ids []byte, passages []*passage.Passage) bool {
	const size = len(passage.ID{})
	if len(ids) != len(passages)*size {
		return false
	}
	for i, p := range passages {
		if passage.ID(ids[i*size:][:size]) != p.ID {
			return false
		}
	}
	return true
}

// turnover returns the fraction of the passages that is not in a file of identities, and the fraction of the
// identities that is not among the passages. Without the file both are 1.
func turnover(file string, passages []*passage.Passage) (added, gone float64) {
	content, err := regular.ReadFile(file)
	if err != nil || len(passages) == 0 {
		return 1, 1
	}
	const size = len(passage.ID{})
	if sameIDs(content, passages) {
		return 0, 0
	}
	id := func(place int) passage.ID { return passage.ID(content[place*size:][:size]) }
	listed := len(content) / size
	places := passage.NewPlaces(listed, id)
	before := 0 // different identities
	for place := range listed {
		if _, known := places.First(id(place)); !known {
			places.Add(place)
			before++
		}
	}
	fresh, still := 0, 0
	kept := make([]bool, listed)
	for _, p := range passages {
		place, known := places.First(p.ID)
		switch {
		case !known:
			fresh++
		case !kept[place]:
			kept[place] = true
			still++
		}
	}
	return float64(fresh) / float64(len(passages)), float64(before-still) / float64(max(1, before))
}

// digestOf identifies the passages that files give, and the order they come in.
func digestOf(files []ingest.File) string {
	h := sha256.New()
	for _, f := range files {
		if len(f.Passages) > 0 {
			fmt.Fprintf(h, "%q %q %x %x\n", f.Source, f.File, f.Stamp.Content, f.Stamp.Reading)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// carryVectors returns the collection with the last one's remote vectors of the same texts, if it has none
// of its own.
func (s *Collection) carryVectors(last *previous) *Collection {
	if last == nil || last.remote == nil || s.remote != nil {
		return s
	}
	carried := *s
	carried.remote = last.remote.carryTo(last.places)
	return &carried
}
