package knowledge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"lacuna/knowledge/ingest"
	"lacuna/vecmath/mapped"
)

// Refresh brings the index up to date with the sources: it reads what changed, indexes it, trains
// and fits, and publishes a library after each step that makes the search better. With nothing
// changed it encodes nothing and writes nothing. Where another process is the writer it waits for
// nothing and loads what that one has written. When ctx ends, what has been published stays, and
// the next refresh goes on from there.
func (x *Index) Refresh(ctx context.Context) (err error) {
	x.waiting.Add(1)
	select {
	case x.turn <- struct{}{}:
		x.waiting.Add(-1)
	case <-ctx.Done():
		x.waiting.Add(-1)
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
		x.built()
	}()

	writer := x.claim()
	x.reload()
	if !writer {
		x.report(Event{Stage: SearchOnly})
		return nil
	}
	x.inspect()
	err = x.update(ctx)
	if err != nil && ctx.Err() == nil && x.damage == "" {
		if x.inspect(); x.damage != "" { // somebody damaged meanwhile what was built upon
			err = x.update(ctx)
		}
	}
	if err = x.withoutWriting(ctx, err); err != nil {
		return err
	}
	if g := x.state.generation; g != nil && x.barred == nil {
		removeGenerations(x.dir, g.dir) // that a killed process has left, also where nothing has changed since
	}
	x.built()
	x.report(Event{Stage: Ready, Percent: 100})
	return nil
}

// inspect finds out whether the index can be built upon, and says so if it cannot.
func (x *Index) inspect() {
	if g := x.state.generation; x.damage == "" && g != nil {
		if err := g.intact(); err != nil {
			x.damage = err.Error()
		}
	}
	if x.damage != "" && x.barred == nil { // it is said below why it cannot be repaired
		x.report(Event{Stage: Damaged, Note: x.damage})
	}
}

// reload loads and publishes what another process has written meanwhile, if anything.
func (x *Index) reload() {
	pointed, err := readPointer(x.dir)
	if err != nil {
		if x.state.generation != nil {
			x.damage = err.Error() // somebody removed what was loaded
		}
		return
	}
	if pointed.same(x.seen) {
		x.catchUp()
		return
	}
	before := x.state
	x.load()
	if x.damage != "" {
		x.state = before // what was loaded once still serves
		return
	}
	x.state = x.state.carryVectors(before)
	x.publish(x.state.library(false))
}

// catchUp publishes a library with what an endpoint has encoded since, asked by the process that writes.
func (x *Index) catchUp() {
	if better := x.withVectors(x.state); better != x.state {
		x.state = better
		x.publish(x.state.library(false))
	}
}

// reportLimits says once which limit left out how many files, or parts of files.
func (x *Index) reportLimits(files []ingest.File) {
	count, first := 0, ""
	for i := range files {
		if limit := files[i].Limited(); limit != "" {
			if count++; count == 1 {
				first = fmt.Sprintf("%s, first %q", limit, filepath.Base(files[i].File))
			}
		}
	}
	note := ""
	if count > 0 {
		note = fmt.Sprintf("%d of %d files are left out or cut short (%s)", count, len(files), first)
	}
	if note != x.limited && note != "" {
		x.report(Event{Stage: Limited, Note: note})
	}
	x.limited = note
}

// update does the work of a refresh in the process that writes.
func (x *Index) update(ctx context.Context) (err error) {
	defer mapped.Release(nil, mapped.Guard())
	defer func() { err = x.state.generation.survived(recover(), err) }()
	if x.state.generation == nil {
		x.nowBuilding()
	}
	limits := x.options.Limits
	if limits == (ingest.Limits{}) {
		limits = ingest.DefaultLimits()
	}
	files, err := ingest.Read(ctx, limits, x.options.Sources, x.state.files, x.percent(Reading))
	if err != nil {
		return err
	}
	x.reportLimits(files)
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
	if err := x.fit(ctx); err != nil {
		return err
	}
	x.embed(ctx)
	return nil
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

// built publishes that nothing better is to come until the next refresh.
func (x *Index) built() {
	if l := x.Library(); l.status.Building {
		x.publish(l.whileBuilding(false))
	}
}

// with returns a copy of the state, changed.
func (s *state) with(change func(*state)) *state {
	changed := *s
	change(&changed)
	return &changed
}

// step writes the next generation: fill writes its folder and returns the state it holds. The
// generation becomes the current one and its library is published; after an error the index is as
// it was.
//
// An error of writing is an [unwritten].
func (x *Index) step(passages string, fill func(g *generation) (*state, error)) error {
	x.nowBuilding()
	if x.barred != nil {
		return unwritten{x.barred}
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
	x.state, x.seen, x.damage = next, g, ""
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
			n := len(shelved(next.passages, kind))
			if n == 0 {
				continue
			}
			shelf, err := buildShelf(ctx, filepath.Join(g.dir, string(kind)), next.passages, kind, x.state, func(done int) {
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

// assess notes what is still to be learnt about a state's passages.
func (x *Index) assess(s *state) {
	if s.generation != nil {
		s.untrained, s.fitted = s.outgrown(), x.isFitted(s)
	}
}
