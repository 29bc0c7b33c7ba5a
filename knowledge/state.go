package knowledge

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// state is a generation in memory, with what a refresh needs beyond the library. It is immutable.
type state struct {
	*generation // nil before the first build
	files       []ingest.File
	passages    []*passage.Passage
	collections []*Collection
	blobs       map[string][]byte
	untrained   []passage.Kind // whose collections have outgrown their encoder, or have none and could
	found       int            // how many files a first reading found that has not ended, of which these are some; else 0
	calibrated  bool           // every companion's blob is there and was fitted to these passages or nearly these
}

// load reads the generation that the index folder points at. A folder without an index of this version's
// format gives an empty state; anything else that cannot be read is an error. If another process replaces
// the generation during the reading, load reads the newer one.
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
	s = &state{generation: g, files: files, passages: ingest.Passages(files), found: g.manifest.Found, blobs: map[string][]byte{}}
	if _, err := verified(); err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		ordinals := ordinalsOf(s.passages, kind)
		if len(ordinals) == 0 {
			continue
		}
		collection, err := openCollection(kind, s.passages, ordinals, indexes[kind], encoders[kind])
		if errors.Is(err, lexical.ErrOtherVersion) {
			return &state{files: files}, nil // what was read still counts; all else is built again
		}
		if err != nil {
			return nil, err
		}
		s.collections = append(s.collections, collection)
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

// openCollection returns the collection of the passages with these ordinals, once its index and its encoder
// are open.
func openCollection(kind passage.Kind, passages []*passage.Passage, ordinals []int, index func() (*lexical.Index, error), encoder func() (*savedEncoder, error)) (*Collection, error) {
	words, err := index()
	if err != nil {
		return nil, err
	}
	collection, err := newCollection(kind, passages, ordinals, words)
	if err != nil {
		return nil, err
	}
	saved, err := encoder()
	if err != nil {
		return nil, err
	}
	return collection.withSavedEncoder(saved)
}

// library returns the state as a library.
func (s *state) library(building bool) *Library {
	c := contents{
		passages:    s.passages,
		collections: s.collections,
		blobs:       s.blobs,
		status:      Status{Calibrated: s.calibrated, Building: building, Partial: s.found > 0, Read: len(s.files), Found: max(s.found, len(s.files))},
	}
	if s.generation != nil {
		c.generation, c.disk = s.name(), s.generation
	}
	for _, file := range s.files {
		c.files = append(c.files, file.FileReport)
	}
	return newLibrary(c)
}

// holds reports whether the state was built from passages with this digest.
func (s *state) holds(digest string) bool {
	return s.generation != nil && s.manifest.Passages == digest
}

// with returns a changed copy of the state.
func (s *state) with(change func(*state)) *state {
	changed := *s
	change(&changed)
	return &changed
}

// collection returns the collection of a kind, or nil.
func (s *state) collection(kind passage.Kind) *Collection {
	if i := slices.IndexFunc(s.collections, func(c *Collection) bool { return c.kind == kind }); i >= 0 {
		return s.collections[i]
	}
	return nil
}

// previous returns the state's collection of a kind, matched with the passages of the next state that have
// these ordinals, or nil if there is none.
func (s *state) previous(kind passage.Kind, next []*passage.Passage, ordinals []int) *previous {
	old := s.collection(kind)
	if old == nil {
		return nil
	}
	return &previous{old, filepath.Join(s.dir, string(kind)), old.match(s.passages, next, ordinals)}
}

// carryVectors returns the state with the remote vectors that an earlier one has of the same texts, in
// collections that have none of their own.
func (s *state) carryVectors(before *state) *state {
	collections := slices.Clone(s.collections)
	for i, c := range collections {
		if old := before.collection(c.kind); old != nil && old.remote != nil && c.remote == nil {
			collections[i] = c.carryVectors(before.previous(c.kind, s.passages, c.ordinals))
		}
	}
	return s.with(func(s *state) { s.collections = collections })
}

// sameReports reports whether two readings report the same about the same files.
func sameReports(a, b []ingest.File) bool {
	return slices.EqualFunc(a, b, func(a, b ingest.File) bool { return reflect.DeepEqual(a.FileReport, b.FileReport) })
}

// outgrown returns the kinds whose collections are large enough for an encoder and have none, or one to
// which too many passages are new.
func (s *state) outgrown() []passage.Kind {
	var kinds []passage.Kind
	for _, collection := range s.collections {
		if collection.N() < minTexts {
			continue
		}
		trained := filepath.Join(s.dir, string(collection.kind), trainedName)
		if added, _ := turnover(trained, collection.passages(s.passages)); collection.encoder == nil || added > retrainAt {
			kinds = append(kinds, collection.kind)
		}
	}
	return kinds
}
