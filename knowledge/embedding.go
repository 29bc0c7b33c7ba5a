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
)

// embeddedAtOnce is how many texts are sent before their vectors are kept and a waiting refresh is
// let in.
const embeddedAtOnce = 256

// embeddingsName is the folder, within that of the index, of what an endpoint has encoded.
const embeddingsName = "embeddings"

// vectorLogName is the file in it that holds vectors by text; beside it lie those of the shelves.
const vectorLogName = "log"

// embed brings the vectors of the endpoint up to date with the passages, if there is an endpoint.
// Until all are there, those that were there before serve; without any the embedded encoder does. A failure is reported and tried again by the next refresh. What is
// there already is never sent again. It leaves off when another refresh is waiting, which goes on with
// it.
func (x *Index) embed(ctx context.Context) {
	if x.options.Remote == nil || !slices.ContainsFunc(x.state.shelves, func(s *Collection) bool { return !x.encoded(s) }) {
		return
	}
	if x.dir != x.options.Dir { // everything would be sent again by the next process
		x.report(Event{Stage: Unembedded, Note: "its vectors could not be kept"})
		return
	}
	done, err := x.encodeAtEndpoint(ctx)
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

// encodeAtEndpoint has the endpoint encode the texts that it has not yet, and says whether all are.
func (x *Index) encodeAtEndpoint(ctx context.Context) (done bool, err error) {
	kept, err := openVectorLog(x.embeddings(vectorLogName))
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
		end := min(start+embeddedAtOnce, len(keys))
		vectors, err := x.options.Remote.Passages(ctx, texts[start:end])
		if err != nil {
			return false, err
		}
		if kept.dim > 0 && len(vectors[0]) != kept.dim { // another model answers to the same name
			if begunAnew {
				return false, errors.New("the endpoint changes the length of its vectors")
			}
			begunAnew = true
			if err := kept.startAnew(); err != nil {
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

// missingFrom returns the texts that may be sent and have no vector yet, each once.
func missingFrom(kept *vectorLog, passages []*passage.Passage) (keys []vectorKey, texts []string) {
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

// adoptVectors writes the vectors of each shelf in its order and publishes a library that uses them.
func (x *Index) adoptVectors() (err error) {
	kept, err := openVectorLog(x.embeddings(vectorLogName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	if kept.dim == 0 {
		return nil // everything is private
	}
	for _, shelf := range x.state.shelves {
		rows, err := shelf.rowsFrom(kept, x.state.passages)
		if err != nil {
			return err
		}
		file := x.shelfVectors(x.state, shelf.kind)
		if err := writeTo(file+".new", vecmath.NewIndex(rows)); err != nil {
			return err
		}
		if err := renamed(file+".new", file); err != nil {
			return err
		}
	}
	x.state = x.withVectors(x.state)
	x.removeOldVectors()
	x.publish(x.state.library(true))
	return kept.compact()
}

// rowsFrom collects the vectors of the shelf's texts, of length 1; zero for what was not sent.
func (s *Collection) rowsFrom(kept *vectorLog, passages []*passage.Passage) (*vecmath.Rows, error) {
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

// encoded reports whether the configured model has encoded exactly the texts of a shelf.
func (x *Index) encoded(s *Collection) bool {
	return s.foreign != nil && s.foreign.rows == nil
}

// withVectors returns the state with the vectors of the endpoint that lie on the disk by now; the same
// state if they are those that it has.
func (x *Index) withVectors(s *state) *state {
	if x.options.Remote == nil || s.generation == nil {
		return s
	}
	shelves := slices.Clone(s.shelves)
	for i, shelf := range shelves {
		if found := x.openVectors(x.shelfVectors(s, shelf.kind), shelf); found != nil {
			better := *shelf
			better.foreign = found
			shelves[i] = &better
		}
	}
	if slices.Equal(shelves, s.shelves) {
		return s
	}
	return s.with(func(s *state) { s.shelves = shelves })
}

// openVectors opens a file with the vectors of a shelf's texts; nil when there is none but that which
// the shelf has.
func (x *Index) openVectors(file string, shelf *Collection) *foreign {
	info, err := os.Stat(file)
	if err != nil || shelf.foreign != nil && shelf.foreign.isOf(info) {
		return nil
	}
	vectors, err := vecmath.OpenIndex(file)
	if err != nil || vectors.Len() != shelf.N() {
		return nil
	}
	return &foreign{vectors: vectors, queries: x.queries, file: info}
}

// carryVectors returns the state with the vectors of the endpoint that an earlier one has of the same
// texts, on shelves that have none of their own.
func (s *state) carryVectors(before *state) *state {
	shelves := slices.Clone(s.shelves)
	for i, shelf := range shelves {
		if old := before.shelf(shelf.kind); shelf.foreign == nil && old != nil && old.foreign != nil {
			better := *shelf
			better.foreign = old.foreign.carried(old.recognise(before.passages, s.passages, shelf.ordinals))
			shelves[i] = &better
		}
	}
	return s.with(func(s *state) { s.shelves = shelves })
}

// embeddings is a file of what the endpoint has encoded.
func (x *Index) embeddings(name string) string {
	sum := sha256.Sum256([]byte(x.options.Remote.Name()))
	return filepath.Join(x.options.Dir, embeddingsName, hex.EncodeToString(sum[:8]), name)
}

// shelfVectors is the file with the vectors of a shelf, for exactly these passages.
func (x *Index) shelfVectors(s *state, kind passage.Kind) string {
	return x.embeddings(fmt.Sprintf("%s-%.16s", kind, s.manifest.Passages))
}

// removeOldVectors removes the vectors of other models and of passages as they were.
func (x *Index) removeOldVectors() {
	current := x.embeddings("")
	for _, folder := range entriesOf(filepath.Dir(current)) {
		if folder != current {
			_ = os.RemoveAll(folder) // tried again another time
		}
	}
	keep := []string{x.embeddings(vectorLogName)}
	for _, kind := range kinds {
		keep = append(keep, x.shelfVectors(x.state, kind))
	}
	for _, file := range entriesOf(current) {
		if !slices.Contains(keep, file) {
			_ = os.Remove(file)
		}
	}
}

func entriesOf(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	paths := make([]string, len(entries))
	for i, entry := range entries {
		paths[i] = filepath.Join(dir, entry.Name())
	}
	return paths
}
