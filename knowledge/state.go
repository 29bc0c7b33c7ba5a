package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// kinds are the kinds of passages, each with a shelf of its own, in the order of their shelves.
var kinds = []passage.Kind{passage.Text, passage.QA}

// state is a generation in memory, with what a refresh needs beyond the library. It is not changed
// once made.
type state struct {
	*generation // nil before the first build
	files       []ingest.File
	passages    []*passage.Passage
	shelves     []*Collection
	blobs       map[string][]byte
	untrained   []passage.Kind // whose shelves have outgrown their encoder, or have none and could
	fitted      bool           // every companion's blob is there and was fitted to these passages or nearly these
}

// load reads the generation that the index folder points at. An index folder that holds none of
// this version's format gives an empty state; anything else that cannot be read is an error. While
// another process replaces the generation that is being read, load looks for the newer one.
func load(indexDir string) (*state, error) {
	for {
		g, err := readPointer(indexDir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOutdated) {
			return &state{}, nil
		}
		if err != nil {
			return nil, err
		}
		s, err := g.load()
		if err == nil {
			return s, nil
		}
		if newer, pointerErr := readPointer(indexDir); pointerErr != nil || newer.same(g) {
			return nil, err
		}
	}
}

func (g *generation) load() (s *state, err error) {
	defer mapped.Release(nil, mapped.Guard())
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("load the index: %v", p)
		}
	}()
	if err := g.readManifest(); err != nil {
		return nil, err
	}
	indexes := make(map[passage.Kind]func() (*lexical.Index, error))
	encoders := make(map[passage.Kind]func() (*savedEncoder, error))
	for _, kind := range kinds {
		indexes[kind] = par.Start(func() (*lexical.Index, error) { return openIndex(filepath.Join(g.dir, string(kind)), kind) })
		encoders[kind] = par.Start(func() (*savedEncoder, error) { return g.openEncoder(kind) })
	}
	verified := par.Start(func() (*generation, error) { return g, g.verify() })
	content, err := g.readString(storeName)
	if err != nil {
		return nil, err
	}
	files, err := decodeStore(content)
	if err != nil {
		return nil, err
	}
	s = &state{generation: g, files: files, passages: ingest.Passages(files), blobs: map[string][]byte{}}
	if _, err := verified(); err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		ordinals := shelved(s.passages, kind)
		if len(ordinals) == 0 {
			continue
		}
		shelf, err := opened(kind, ordinals, indexes[kind], encoders[kind])
		if errors.Is(err, lexical.ErrOtherVersion) {
			return &state{files: files}, nil // what was read still counts; all else is built anew
		}
		if err != nil {
			return nil, err
		}
		s.shelves = append(s.shelves, shelf)
	}
	for _, file := range g.manifest.Contents {
		if folder, name := path.Split(file.Name); folder == blobsName+"/" {
			if s.blobs[name], err = regular.ReadFile(filepath.Join(g.dir, blobsName, name)); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// opened is the shelf of the passages with these ordinals, once its index and its encoder are open.
func opened(kind passage.Kind, ordinals []int, index func() (*lexical.Index, error), encoder func() (*savedEncoder, error)) (*Collection, error) {
	words, err := index()
	if err != nil {
		return nil, err
	}
	shelf, err := newShelf(kind, ordinals, words)
	if err != nil {
		return nil, err
	}
	saved, err := encoder()
	if err != nil {
		return nil, err
	}
	return shelf.withSaved(saved)
}

// library publishes the state.
func (s *state) library(building bool) *Library {
	c := contents{
		passages: s.passages,
		shelves:  s.shelves,
		blobs:    s.blobs,
		status:   Status{Calibrated: s.fitted, Building: building},
	}
	if s.generation != nil {
		c.generation, c.on = s.name(), s.generation
	}
	for _, file := range s.files {
		c.files = append(c.files, file.FileReport)
	}
	return newLibrary(c)
}

// holds reports whether the state was built of passages with this digest.
func (s *state) holds(digest string) bool {
	return s.generation != nil && s.manifest.Passages == digest
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

// sameReports reports whether two readings say the same of the same files.
func sameReports(a, b []ingest.File) bool {
	return slices.EqualFunc(a, b, func(a, b ingest.File) bool { return a.FileReport == b.FileReport })
}

// fittedName is the file that says which passages the companions were fitted to: their identities,
// one after the other.
const fittedName = "fitted"

func writeIDs(file string, passages []*passage.Passage) error {
	content := make([]byte, 0, len(passages)*len(passage.ID{}))
	for _, p := range passages {
		content = append(content, p.ID[:]...)
	}
	return os.WriteFile(file, content, 0o600)
}

// areOf reports whether identities are those of the passages, in their order.
func areOf(ids []byte, passages []*passage.Passage) bool {
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

// unlike returns which share of the passages is not in a file of identities, and which share of
// the identities is not among the passages. Without the file all are new.
func unlike(file string, passages []*passage.Passage) (added, gone float64) {
	content, err := regular.ReadFile(file)
	if err != nil || len(passages) == 0 {
		return 1, 1
	}
	const size = len(passage.ID{})
	if areOf(content, passages) {
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
