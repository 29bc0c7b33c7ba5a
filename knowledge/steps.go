package knowledge

import (
	"context"
	"errors"
	"fmt"
	"lacuna/knowledge/dense"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// step writes the next generation: fill writes its folder and returns the state it holds. The
// generation becomes the current one and its library is published; after an error the index is as
// it was.
//
// An error of writing is an [unwritten].
func (x *Index) step(passages string, fill func(g *generation) (*state, error)) error {
	x.publishBuilding()
	if x.unwritable != nil {
		return unwritten{x.unwritable}
	}
	g, err := x.begin(x.dir, passages)
	if err != nil {
		return unwritten{err}
	}
	next, err := fill(g)
	if err == nil {
		err = g.seal()
	}
	if err == nil {
		err = g.makeCurrent()
	}
	if err != nil {
		_ = os.RemoveAll(g.dir) // tried again with the next generation
		return unwritten{err}
	}
	next.generation = g
	x.assess(next)
	x.state, x.lastPointer, x.damage = next, g, ""
	x.publish(next.library(true))
	// Building takes several times the memory of what was built; it is wanted back now, not when
	// the next collection happens to come.
	debug.FreeOSMemory()
	return nil
}

// rebuild indexes the passages of files. What the last generation learnt serves on until it is
// learnt anew.
func (x *Index) rebuild(ctx context.Context, files []ingest.File, digest string) error {
	return x.step(digest, func(g *generation) (*state, error) {
		if err := writeStore(filepath.Join(g.dir, storeName), files); err != nil {
			return nil, err
		}
		next := &state{files: files, passages: ingest.Passages(files)}
		indexed, percent := 0, x.percent(Indexing)
		for _, kind := range kinds {
			n := len(ordinalsOf(next.passages, kind))
			if n == 0 {
				continue
			}
			collection, err := buildCollection(ctx, filepath.Join(g.dir, string(kind)), next.passages, kind, x.state, func(done int) {
				percent(100 * (indexed + done) / len(next.passages))
			})
			if err != nil {
				return nil, err
			}
			indexed += n
			if collection, err = x.inheritEncoder(g, collection, next.passages); err != nil {
				return nil, err
			}
			next.collections = append(next.collections, collection)
		}
		next = next.carryVectors(x.state)
		return next, x.inheritBlobs(g, next)
	})
}

// keepReports writes a generation that says of its files what was found now; the passages are the
// same.
func (x *Index) keepReports(files []ingest.File) error {
	return x.step(x.state.manifest.Passages, func(g *generation) (*state, error) {
		if err := g.adopt(x.state.generation, func(name string) bool { return name != storeName }); err != nil {
			return nil, err
		}
		return x.state.with(func(s *state) { s.files = files }), writeStore(filepath.Join(g.dir, storeName), files)
	})
}

// train trains the encoders of the collections that have none or have outgrown theirs.
func (x *Index) train(ctx context.Context) error {
	if len(x.state.untrained) == 0 {
		return nil
	}
	x.publishBuilding()
	percent := x.percent(Training)
	collections := slices.Clone(x.state.collections)
	var trained []passage.Kind
	for i, collection := range collections {
		if !slices.Contains(x.state.untrained, collection.kind) || collection.N() < minTexts {
			continue
		}
		if err := x.probe(); err != nil { // what is learnt could not be kept
			return err
		}
		var better *Collection
		err := par.LowPriority(func() (err error) {
			better, err = collection.trainEncoder(ctx, x.state.passages, dense.Options{Progress: func(done, total int) {
				percent(100 * (len(trained)*total + done) / (len(x.state.untrained) * total))
				x.yield()
			}})
			return err
		})
		if errors.Is(err, dense.ErrTooSmall) {
			continue
		}
		if err != nil {
			return fmt.Errorf("train the encoder: %w", err)
		}
		collections[i] = better
		trained = append(trained, collection.kind)
	}
	if len(trained) == 0 {
		x.state = x.state.with(func(s *state) { s.untrained = nil })
		return nil
	}
	return x.step(x.state.manifest.Passages, func(g *generation) (*state, error) {
		// What companions learnt with another encoder serves until they are fitted again.
		if err := g.adopt(x.state.generation, func(name string) bool {
			return name != fittedName && !slices.ContainsFunc(trained, func(k passage.Kind) bool { return ofEncoder(name, k) })
		}); err != nil {
			return nil, err
		}
		for i, collection := range collections {
			if slices.Contains(trained, collection.kind) {
				var err error
				if collections[i], err = collection.saveEncoder(g, x.state.passages); err != nil {
					return nil, err
				}
			}
		}
		return x.state.with(func(s *state) { s.collections = collections }), nil
	})
}

// inheritEncoder gives a collection of the next generation the encoder of the last one, which encodes
// only the passages that are new.
func (x *Index) inheritEncoder(g *generation, collection *Collection, passages []*passage.Passage) (*Collection, error) {
	i := slices.IndexFunc(x.state.collections, func(s *Collection) bool { return s.kind == collection.kind && s.encoder != nil })
	if i < 0 {
		return collection, nil
	}
	old := x.state.collections[i]
	if err := g.adopt(x.state.generation, func(name string) bool {
		return ofEncoder(name, collection.kind) && path.Base(name) != vectorsName
	}); err != nil {
		return nil, err
	}
	vectors := vecmath.NewIndex(collection.encodeNew(passages, old, x.state.passages))
	return collection.withEncoder(old.encoder, vectors).saveVectors(filepath.Join(g.dir, string(collection.kind)))
}

// fit lets the companions learn that have not learnt about these passages, and writes what they
// learnt. One that fails is tried again by the next refresh.
func (x *Index) fit(ctx context.Context) error {
	if x.state.calibrated || len(x.state.passages) == 0 {
		return nil
	}
	if err := x.probe(); err != nil { // what is learnt could not be kept
		return err
	}
	blobs, learnt, failures := x.learn(ctx)
	if ctx.Err() != nil || len(learnt) == 0 {
		return failures
	}
	err := x.step(x.state.manifest.Passages, func(g *generation) (*state, error) {
		err := g.adopt(x.state.generation, func(name string) bool {
			folder, base := path.Split(name)
			_, kept := blobs[base]
			return name != fittedName && (folder != blobsName+"/" || kept && !slices.Contains(learnt, base))
		})
		if err != nil {
			return nil, err
		}
		return x.state.with(func(s *state) { s.blobs = blobs }), x.writeBlobs(g, blobs, learnt)
	})
	return errors.Join(err, failures)
}

// learn fits the companions that have to be fitted. It returns the blobs of all, and the names of
// those that have learnt now.
func (x *Index) learn(ctx context.Context) (blobs map[string][]byte, learnt []string, failures error) {
	blobs = maps.Clone(x.state.blobs)
	if blobs == nil {
		blobs = map[string][]byte{}
	}
	onlyMissing := x.nearlyFitted(x.state)
	percent := x.percent(Fitting)
	for i, companion := range x.options.Companions {
		if _, known := blobs[companion.Name()]; known && onlyMissing {
			continue
		}
		percent(100 * i / len(x.options.Companions))
		sofar := x.state.with(func(s *state) { s.blobs = maps.Clone(blobs) }).library(true)
		var blob []byte
		err := par.LowPriority(func() (err error) {
			blob, err = companion.Fit(ctx, sofar)
			return err
		})
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("fit %s: %w", companion.Name(), err))
			delete(blobs, companion.Name())
			continue
		}
		blobs[companion.Name()] = blob
		learnt = append(learnt, companion.Name())
	}
	return blobs, learnt, failures
}

func (x *Index) writeBlobs(g *generation, blobs map[string][]byte, learnt []string) error {
	if err := os.MkdirAll(filepath.Join(g.dir, blobsName), 0o700); err != nil {
		return err
	}
	for _, name := range learnt {
		if err := os.WriteFile(filepath.Join(g.dir, blobsName, name), blobs[name], 0o600); err != nil {
			return err
		}
	}
	return writeIDs(filepath.Join(g.dir, fittedName), x.state.passages)
}

// inheritBlobs takes over what companions learnt about the last generation, if most of its
// passages are in the next one.
func (x *Index) inheritBlobs(g *generation, next *state) error {
	if x.state.generation == nil {
		return nil
	}
	added, gone := turnover(filepath.Join(x.state.dir, fittedName), next.passages)
	if max(added, gone) > retrainAt {
		return nil
	}
	next.blobs = x.state.blobs
	return g.adopt(x.state.generation, func(name string) bool {
		return name == fittedName || strings.HasPrefix(name, blobsName+"/")
	})
}

// embed brings the vectors of the endpoint up to date with the passages, if there is an endpoint.
// Until all are there, those that were there before serve; without any the embedded encoder does. A failure is reported and tried again by the next refresh. What is
// there already is never sent again. It leaves off when another refresh is waiting, which goes on with
// it.
func (x *Index) embed(ctx context.Context) {
	if x.options.Remote == nil || !slices.ContainsFunc(x.state.collections, func(s *Collection) bool { return !x.isEncoded(s) }) {
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
		if err := rename(file+".new", file); err != nil {
			return err
		}
	}
	x.state = x.withVectors(x.state)
	x.removeOldVectors()
	x.publish(x.state.library(true))
	return kept.compact()
}
