package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lacuna/knowledge/passage"
	"lacuna/vecmath"
	"lacuna/vecmath/regular"
)

// embed brings the remote vectors up to date with the passages, if there is a remote encoder. Until all are
// there, earlier ones serve, or else the built-in encoder. A failure is reported and tried again by the next
// refresh. Nothing is sent twice. If another refresh is waiting, embed stops, and that one goes on with it.
func (x *Index) embed(ctx context.Context) {
	if x.options.Remote == nil || !slices.ContainsFunc(x.state.collections, func(s *Collection) bool { return !x.isEncoded(s) }) {
		return
	}
	if x.dir != x.options.Dir { // everything would be sent again by the next process
		x.report(Event{Stage: Unembedded, Note: "its vectors could not be kept"})
		return
	}
	done, err := x.encodeMissing(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		x.report(Event{Stage: Unembedded, Note: err.Error()})
	case done:
		if err := x.adoptVectors(); err != nil {
			x.report(Event{Stage: Unembedded, Note: err.Error()})
		}
	}
}

// encodeMissing has the endpoint encode the texts that have no vector yet, and reports whether all have one.
func (x *Index) encodeMissing(ctx context.Context) (done bool, err error) {
	kept, err := openVectorCache(x.embeddings(vectorLogName))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	keys, texts := missingFrom(kept, x.state.passages)
	begunAnew := false
	percent := x.percent(Embedding)
	for start := 0; start < len(keys); {
		if x.waiting.Load() > 0 {
			return false, nil
		}
		percent(100 * start / len(keys))
		end := min(start+encodeBatch, len(keys))
		vectors, err := x.options.Remote.Passages(ctx, texts[start:end])
		if err != nil {
			return false, err
		}
		if kept.dim > 0 && len(vectors[0]) != kept.dim { // another model answers to the same name
			if begunAnew {
				return false, errors.New("the endpoint changes the length of its vectors")
			}
			begunAnew = true
			if err := kept.clear(); err != nil {
				return false, err
			}
			keys, texts = missingFrom(kept, x.state.passages)
			start = 0
			continue
		}
		if err := kept.add(keys[start:end], vectors); err != nil {
			return false, err
		}
		start = end
	}
	return true, nil
}

// encodeBatch is the number of texts sent before their vectors are stored and a waiting refresh is let in.
const encodeBatch = 256

// embeddingsName is the subfolder of the index for what an endpoint has encoded.
const embeddingsName = "embeddings"

// vectorLogName is the file in it that caches vectors by text, next to the collections' vectors.
const vectorLogName = "log"

// missingFrom returns the texts that may be sent and have no vector yet, each once.
func missingFrom(kept *vectorCache, passages []*passage.Passage) (keys []vectorKey, texts []string) {
	seen := make(map[vectorKey]bool)
	for _, p := range passages {
		text := sendable(p)
		if key := keyOf(text); text != "" && !kept.has(key) && !seen[key] {
			seen[key] = true
			keys, texts = append(keys, key), append(texts, text)
		}
	}
	return keys, texts
}

// rowsFrom collects the vectors of the collection's texts, scaled to length 1; zero for texts that were not
// sent.
func (s *Collection) rowsFrom(kept *vectorCache, passages []*passage.Passage) (*vecmath.Rows, error) {
	rows := vecmath.NewRows(kept.dim)
	nothing := make([]float32, kept.dim)
	for _, p := range s.passages(passages) {
		unit := nothing
		if text := sendable(p); text != "" {
			vector, err := kept.read(keyOf(text))
			if err != nil {
				return nil, err
			}
			if unit = unitOf(vector); unit == nil {
				unit = nothing
			}
		}
		if err := rows.Append(unit); err != nil {
			return nil, fmt.Errorf("vectors of the endpoint: %w", err)
		}
	}
	return rows, nil
}

// isEncoded reports whether the configured model has encoded exactly the texts of a collection.
func (x *Index) isEncoded(s *Collection) bool {
	return s.remote != nil && s.remote.rows == nil
}

// withVectors returns the state with the remote vectors that are on disk by now; the same state if it has
// them.
func (x *Index) withVectors(s *state) *state {
	if x.options.Remote == nil || s.generation == nil {
		return s
	}
	collections := slices.Clone(s.collections)
	for i, collection := range collections {
		if found := x.openVectors(x.collectionVectors(s, collection.kind), collection); found != nil {
			better := *collection
			better.remote = found
			collections[i] = &better
		}
	}
	if slices.Equal(collections, s.collections) {
		return s
	}
	return s.with(func(s *state) { s.collections = collections })
}

// openVectors opens a file with the vectors of a collection's texts; nil if there is none, or the collection
// has it.
func (x *Index) openVectors(file string, collection *Collection) *remoteVectors {
	info, err := os.Stat(file)
	if err != nil || collection.remote != nil && collection.remote.matches(info) {
		return nil
	}
	vectors, err := vecmath.OpenIndex(file)
	if err != nil || vectors.Len() != collection.N() {
		return nil
	}
	return &remoteVectors{vectors: vectors, queries: x.queries, file: info}
}

// embeddings returns the path of a file of the configured model.
func (x *Index) embeddings(name string) string {
	sum := sha256.Sum256([]byte(x.options.Remote.Name()))
	return filepath.Join(x.options.Dir, embeddingsName, hex.EncodeToString(sum[:8]), name)
}

// collectionVectors returns the path of a collection's vectors, for exactly these passages.
func (x *Index) collectionVectors(s *state, kind passage.Kind) string {
	return x.embeddings(fmt.Sprintf("%s-%.16s", kind, s.manifest.Passages))
}

// removeOldVectors removes the vectors of other models and of earlier passages.
func (x *Index) removeOldVectors() {
	current := x.embeddings("")
	for _, folder := range entriesOf(filepath.Dir(current)) {
		if folder != current {
			_ = os.RemoveAll(folder) // tried again another time
		}
	}
	keep := []string{x.embeddings(vectorLogName)}
	for _, kind := range kinds {
		keep = append(keep, x.collectionVectors(x.state, kind))
	}
	for _, file := range entriesOf(current) {
		if !slices.Contains(keep, file) {
			_ = os.Remove(file)
		}
	}
}

// adoptVectors writes the vectors of each collection in its order and publishes a library that uses them.
func (x *Index) adoptVectors() (err error) {
	kept, err := openVectorCache(x.embeddings(vectorLogName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	if kept.dim == 0 {
		return nil // everything is private
	}
	for _, collection := range x.state.collections {
		rows, err := collection.rowsFrom(kept, x.state.passages)
		if err != nil {
			return err
		}
		file := x.collectionVectors(x.state, collection.kind)
		if err := writeTo(file+".new", vecmath.NewIndex(rows)); err != nil {
			return err
		}
		if err := regular.Rename(file+".new", file); err != nil {
			return err
		}
	}
	x.state = x.withVectors(x.state)
	x.removeOldVectors()
	x.publish(x.state.library(true))
	return kept.compact()
}
