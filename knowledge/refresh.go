package knowledge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"lacuna/knowledge/ingest"
)

const (
	// retrainAt is the share of passages new to the encoder beyond which it is trained again. With
	// half of the passages unseen a mixed search keeps over half of its gain (measured), so a fifth
	// costs little.
	retrainAt = 0.20
	// refitAt is the share of passages that came or went beyond which the companions are fitted
	// again. What they learn are statistics of the whole base.
	refitAt = 0.05
)

// Refresh brings the index up to date with the sources: it reads what changed, indexes it, trains
// and fits, and publishes a library after each step that makes the search better. With nothing
// changed it encodes nothing and writes nothing. Where another process is the writer it waits for
// nothing and loads what that one has written. When ctx ends, what has been published stays, and
// the next refresh goes on from there.
func (x *Index) Refresh(ctx context.Context) (err error) {
	select {
	case x.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-x.turn }()
	if x.closing.Err() != nil {
		return errClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(x.closing, cancel)()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("refresh the index: %v", p)
		}
		if l := x.Library(); l.status.Building {
			x.publish(l.whileBuilding(false))
		}
	}()

	writer, err := x.lock.TryLock()
	if err != nil {
		return fmt.Errorf("index lock: %w", err)
	}
	x.reload()
	if !writer {
		x.report(Event{Stage: SearchOnly})
		return nil
	}
	if x.damage != "" {
		x.report(Event{Stage: Damaged, Note: x.damage})
	}
	if err := x.update(ctx); err != nil {
		return err
	}
	x.report(Event{Stage: Ready, Percent: 100})
	return nil
}

// reload loads and publishes what another process has written meanwhile, if anything.
func (x *Index) reload() {
	pointed, err := readPointer(x.options.Dir)
	if err != nil {
		if x.state.generation != nil {
			x.damage = err.Error() // somebody removed what was loaded
		}
		return
	}
	if pointed.sum == x.seen {
		return
	}
	before := x.state
	x.load()
	if x.damage != "" {
		x.state = before // what was loaded once still serves
		return
	}
	x.publish(x.state.library(false))
}

// update does the work of a refresh in the process that writes.
func (x *Index) update(ctx context.Context) error {
	if x.state.generation == nil {
		x.nowBuilding()
	}
	files, err := ingest.Read(ctx, x.options.Sources, x.state.files, x.percent(Reading))
	if err != nil {
		return err
	}
	if x.damage != "" {
		x.state = &state{files: x.state.files} // nothing else on the disk can be built upon
	}
	digest := digestOf(files)
	switch {
	case !x.state.holds(digest):
		err = x.rebuild(ctx, files, digest)
	case !sameReports(files, x.state.files):
		err = x.keepReports(files)
	default:
		x.state = x.state.with(func(s *state) { s.files = files })
	}
	if err != nil {
		return err
	}
	if err := x.train(ctx); err != nil {
		return err
	}
	return x.fit(ctx)
}

// whileBuilding is the same library with another status.
func (l *Library) whileBuilding(building bool) *Library {
	same := *l
	same.status.Building = building
	return &same
}

// nowBuilding publishes that better is to come.
func (x *Index) nowBuilding() {
	if l := x.Library(); !l.status.Building {
		x.publish(l.whileBuilding(true))
	}
}

// with returns a copy of the state, changed.
func (s *state) with(change func(*state)) *state {
	changed := *s
	change(&changed)
	return &changed
}

// step writes the next generation: make fills its folder and returns the state it holds. The
// generation becomes the current one and its library is published; after an error the index is as
// it was.
func (x *Index) step(passages string, make func(g *generation) (*state, error)) error {
	x.nowBuilding()
	g, err := newGeneration(x.options.Dir, passages)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	next, err := make(g)
	if err == nil {
		err = g.seal()
	}
	if err == nil {
		err = g.makeCurrent()
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(g.dir))
	}
	next.generation = g
	x.assess(next)
	x.state, x.seen, x.damage = next, g.sum, ""
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
		next := &state{files: files, passages: ingest.Distinct(files)}
		indexed, percent := 0, x.percent(Indexing)
		for _, kind := range kinds {
			n := len(shelved(next.passages, kind))
			if n == 0 {
				continue
			}
			shelf, err := buildShelf(ctx, filepath.Join(g.dir, string(kind)), next.passages, kind, func(done int) {
				percent(100 * (indexed + done) / len(next.passages))
			})
			if err != nil {
				return nil, err
			}
			indexed += n
			if shelf, err = x.inheritEncoder(g, shelf, next.passages); err != nil {
				return nil, err
			}
			next.shelves = append(next.shelves, shelf)
		}
		return next, x.inheritBlobs(g, next)
	})
}

// inheritBlobs takes over what companions learnt about the last generation, if most of its
// passages are in the next one.
func (x *Index) inheritBlobs(g *generation, next *state) error {
	if x.state.generation == nil {
		return nil
	}
	added, gone := unlike(filepath.Join(x.state.dir, fittedName), next.passages)
	if max(added, gone) > retrainAt {
		return nil
	}
	next.blobs = x.state.blobs
	return g.adopt(x.state.generation, func(name string) bool {
		return name == fittedName || strings.HasPrefix(name, blobsName+"/")
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

// fit lets the companions learn that have not learnt about these passages.
func (x *Index) fit(ctx context.Context) error {
	if x.state.fitted || len(x.state.passages) == 0 {
		return nil
	}
	unfitted := x.options.Companions
	if x.nearlyFitted(x.state) {
		unfitted = slices.DeleteFunc(slices.Clone(unfitted), func(c Companion) bool {
			_, known := x.state.blobs[c.Name()]
			return known
		})
	}
	var failures error
	blobs := maps.Clone(x.state.blobs)
	if blobs == nil {
		blobs = map[string][]byte{}
	}
	percent := x.percent(Fitting)
	learnt := map[string]bool{}
	for i, companion := range unfitted {
		percent(100 * i / len(unfitted))
		known := x.state.with(func(s *state) { s.blobs = maps.Clone(blobs) }).library(true)
		blob, err := companion.Fit(ctx, known)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("fit %s: %w", companion.Name(), err))
			delete(blobs, companion.Name())
			continue
		}
		blobs[companion.Name()] = blob
		learnt[companion.Name()] = true
	}
	if len(learnt) == 0 {
		return failures
	}
	err := x.step(x.state.manifest.Passages, func(g *generation) (*state, error) {
		err := g.adopt(x.state.generation, func(name string) bool {
			folder, base := path.Split(name)
			_, kept := blobs[base]
			return name != fittedName && (folder != blobsName+"/" || kept && !learnt[base])
		})
		if err != nil {
			return nil, err
		}
		return x.state.with(func(s *state) { s.blobs = blobs }), x.writeBlobs(g, blobs, learnt)
	})
	return errors.Join(err, failures)
}

func (x *Index) writeBlobs(g *generation, blobs map[string][]byte, learnt map[string]bool) error {
	if err := os.MkdirAll(filepath.Join(g.dir, blobsName), 0o700); err != nil {
		return err
	}
	for name := range learnt {
		if err := os.WriteFile(filepath.Join(g.dir, blobsName, name), blobs[name], 0o600); err != nil {
			return err
		}
	}
	return writeIDs(filepath.Join(g.dir, fittedName), x.state.passages)
}

// assess notes what is still to be learnt about a state's passages.
func (x *Index) assess(s *state) {
	if s.generation != nil {
		s.untrained, s.fitted = s.outgrown(), x.isFitted(s)
	}
}

// isFitted reports whether every companion has learnt about the passages of s, or nearly these.
func (x *Index) isFitted(s *state) bool {
	for _, companion := range x.options.Companions {
		if _, ok := s.blobs[companion.Name()]; !ok {
			return false
		}
	}
	return len(x.options.Companions) == 0 || x.nearlyFitted(s)
}

// nearlyFitted reports whether the last fit was to nearly the passages of s.
func (x *Index) nearlyFitted(s *state) bool {
	added, gone := unlike(filepath.Join(s.dir, fittedName), s.passages)
	return max(added, gone) <= refitAt
}
