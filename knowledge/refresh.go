package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
	"lacuna/vecmath/mapped"
)

// Refresh brings the index up to date with the sources: it reads what changed, indexes it, trains and fits,
// and publishes a library after each step that improves the search. If nothing changed it encodes and writes
// nothing. If another process is the writer, Refresh does not wait but loads what that process has written.
// When ctx ends, what has been published stays, and the next refresh goes on from there.
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
	report := x.options.Report
	if report == nil {
		report = func(Event) {}
	}
	x.meter = newMeter(report)
	defer x.meter.end()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("refresh the index: %v", p)
		}
		x.publishBuilt()
	}()

	writes := x.claim()
	x.reload()
	if !writes {
		x.report(Event{Stage: SearchOnly})
		return nil
	}
	x.inspect()
	err = x.update(ctx)
	if err != nil && ctx.Err() == nil && x.damage == "" {
		if x.inspect(); x.damage != "" { // what the update was built upon was damaged during it
			err = x.update(ctx)
		}
	}
	if err = x.useFallback(ctx, err); err != nil {
		return err
	}
	if g := x.state.generation; g != nil && x.unwritable == nil {
		removeGenerations(x.dir, g.dir) // left by a killed process
	}
	x.publishBuilt()
	x.report(Event{Stage: Ready, Percent: 100})
	return nil
}

// inspect finds out whether the index can be built upon, and reports if it cannot.
func (x *Index) inspect() {
	if g := x.state.generation; x.damage == "" && g != nil {
		if err := g.intact(); err != nil {
			x.damage = err.Error()
		}
	}
	if x.damage != "" && x.unwritable == nil { // useFallback says why it cannot be repaired
		x.report(Event{Stage: Damaged, Note: x.damage})
	}
}

// reload loads and publishes what another process has written.
func (x *Index) reload() {
	pointed, err := readPointer(x.dir)
	if err != nil {
		if x.state.generation != nil {
			x.damage = err.Error() // what was loaded was removed
		}
		return
	}
	if pointed.same(x.lastPointer) {
		x.catchUp()
		return
	}
	before := x.state
	x.load()
	if x.damage != "" {
		x.state = before // what was loaded still serves
		return
	}
	x.state = x.state.carryVectors(before)
	x.publish(x.state.library(false))
}

// catchUp publishes a library with the remote vectors that the writing process has obtained since.
func (x *Index) catchUp() {
	if better := x.withVectors(x.state); better != x.state {
		x.state = better
		x.publish(x.state.library(false))
	}
}

// reportLimits reports once which limit left out how many files, or parts of files.
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
	if note != x.lastLimits && note != "" {
		x.report(Event{Stage: Limited, Note: note})
	}
	x.lastLimits = note
}

// update does a refresh's work in the process that writes.
func (x *Index) update(ctx context.Context) (err error) {
	defer mapped.Release(nil, mapped.Guard())
	defer func() { err = x.state.generation.checkFault(recover(), err) }()
	if x.state.generation == nil {
		x.publishBuilding()
	}
	limits := x.options.Limits
	if limits == (ingest.Limits{}) {
		limits = ingest.DefaultLimits()
	}
	checkpoint := x.checkpoint(ctx)
	files, err := ingest.Read(ctx, limits, x.options.Sources, x.state.files, func(p ingest.Progress) {
		x.meter.read(p, x.expect(p))
		checkpoint(p)
	})
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
		err = x.rebuild(ctx, files, digest, 0)
	case x.state.found > 0 || !sameReports(files, x.state.files):
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

// firstCheckpoint is how long a first reading takes until what has been read can be searched. Each checkpoint
// comes after twice the time of the one before, so that all of them cost little.
const firstCheckpoint = 5 * time.Second

// checkpoint returns a function that publishes what a first reading has read so far, now and then. If the
// reading is interrupted, the next one goes on from there. An existing index of all there was serves until all is read.
func (x *Index) checkpoint(ctx context.Context) func(ingest.Progress) {
	if x.state.generation != nil && x.state.found == 0 {
		return func(ingest.Progress) {}
	}
	began, after := time.Now(), x.firstCheckpoint
	return func(p ingest.Progress) {
		if p.Passages == 0 || time.Since(began) < after || p.Left < after/2 {
			return
		}
		done := p.Done()
		// An error, such as a full disk, comes back when all is read, and is handled then.
		_ = x.rebuild(ctx, done, digestOf(done), max(p.TotalFiles, len(done)+1))
		after = 2 * time.Since(began)
	}
}

// expect returns what a refresh is expected to do with the passages that are read.
func (x *Index) expect(p ingest.Progress) plan {
	if p.New == 0 && x.state.generation != nil {
		return plan{}
	}
	next, share := plan{index: p.Expected}, float64(p.New)/float64(max(1, p.Expected))
	untrained := !slices.ContainsFunc(x.state.collections, func(c *Collection) bool { return c.encoder != nil })
	if p.Expected >= minTexts && (untrained || share > retrainAt) {
		next.train, next.write = p.Expected, p.Expected
	}
	if len(x.options.Companions) > 0 && (!x.state.calibrated || share > refitAt) {
		next.fit = p.Expected
	}
	return next
}

// claim reports whether this process updates the index. If no lock can be taken, nothing can be written
// either, and any process may look for changes.
func (x *Index) claim() bool {
	x.unwritable = makeFolder(x.dir)
	if info, err := os.Lstat(x.lock.Path()); err == nil && !info.Mode().IsRegular() {
		_ = os.RemoveAll(x.lock.Path()) // no process has locked it
	}
	writer, err := x.lock.TryLock()
	if err != nil {
		x.unwritable = err
	}
	return writer || x.unwritable != nil
}

// useFallback handles the error of an update. If the index could not be written, because its disk is full or
// read-only, questions are still answered: from the whole index that is there, however old, or else from one
// built in a temporary folder. It reports that and returns nil.
func (x *Index) useFallback(ctx context.Context, err error) error {
	var failed unwritten
	if !errors.As(err, &failed) || ctx.Err() != nil || errors.Is(err, ErrDamaged) || mapped.IsFault(err) {
		return err
	}
	if x.state.generation != nil {
		x.report(Event{Stage: Unwritten, Note: failed.err.Error()})
		return nil
	}
	for _, parent := range x.options.Spare {
		if x.moveTo(parent) != nil {
			continue
		}
		again := x.update(ctx)
		if x.state.generation != nil && (again == nil || errors.As(again, new(unwritten))) {
			x.report(Event{Stage: Provisional, Note: failed.err.Error()})
			return nil
		}
		if !errors.As(again, new(unwritten)) {
			return again
		}
	}
	return err
}

// moveTo makes the index write into a new folder below parent, until it is closed.
func (x *Index) moveTo(parent string) error {
	temporary, err := NewTempDir(parent)
	if err != nil {
		return err
	}
	// Another process may write where the index belongs; it need not wait for this one to end.
	_ = errors.Join(x.lock.Close(), x.temporary.Close())
	x.temporary, x.dir, x.lock, x.unwritable = temporary, temporary.dir, temporary.lock, nil
	x.state = &state{files: x.state.files} // there is nothing there to build upon
	return nil
}

// rebuild indexes the passages of files, which are some of those found, or all of them if found is 0. What the last generation learnt serves until it is learnt again.
func (x *Index) rebuild(ctx context.Context, files []ingest.File, digest string, found int) error {
	return x.step(digest, func(g *generation) (*state, error) {
		if err := writeStore(filepath.Join(g.dir, storeName), files); err != nil {
			return nil, err
		}
		next := &state{files: files, passages: ingest.Passages(files), found: found}
		indexed, percent := 0, x.percent(Indexing)
		for _, kind := range kinds {
			ordinals := ordinalsOf(next.passages, kind)
			if len(ordinals) == 0 {
				continue
			}
			last := x.state.previous(kind, next.passages, ordinals)
			collection, err := buildCollection(ctx, filepath.Join(g.dir, string(kind)), next.passages, ordinals, kind, last, func(done int) {
				percent(100 * (indexed + done) / len(next.passages))
			})
			if err != nil {
				return nil, err
			}
			indexed += len(ordinals)
			if collection, err = x.inheritEncoder(g, collection, last); err != nil {
				return nil, err
			}
			next.collections = append(next.collections, collection.carryVectors(last))
		}
		return next, x.inheritBlobs(g, next)
	})
}

// keepReports writes a generation with new reports about the same passages, which are all there are.
func (x *Index) keepReports(files []ingest.File) error {
	return x.step(x.state.manifest.Passages, func(g *generation) (*state, error) {
		if err := g.adopt(x.state.generation, func(name string) bool { return name != storeName }); err != nil {
			return nil, err
		}
		return x.state.with(func(s *state) { s.files, s.found = files, 0 }), writeStore(filepath.Join(g.dir, storeName), files)
	})
}

// train trains the encoders of collections that have none or have outgrown theirs.
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
		if err := x.probe(); err != nil { // or the work would be lost
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
		percent := x.percent(Writing)
		for i, collection := range collections {
			if slices.Contains(trained, collection.kind) {
				percent(100 * i / len(collections))
				var err error
				if collections[i], err = collection.saveEncoder(g, x.state.passages); err != nil {
					return nil, err
				}
			}
		}
		return x.state.with(func(s *state) { s.collections = collections }), nil
	})
}

// inheritEncoder gives a collection of the next generation the last one's encoder, which encodes only the
// passages that are new. There need not be a last one, nor an encoder.
func (x *Index) inheritEncoder(g *generation, collection *Collection, last *previous) (*Collection, error) {
	if last == nil || last.encoder == nil {
		return collection, nil
	}
	if err := g.adopt(x.state.generation, func(name string) bool {
		return ofEncoder(name, collection.kind) && path.Base(name) != vectorsName
	}); err != nil {
		return nil, err
	}
	vectors := vecmath.NewIndex(collection.encodeNew(last))
	return collection.withEncoder(last.encoder, vectors).saveVectors(filepath.Join(g.dir, string(collection.kind)))
}

// Build makes a library of passages in one go, with its files in the folder dir. It is for tests and
// measurements; an [Index] does the same in steps and keeps the library up to date.
func Build(ctx context.Context, passages []*passage.Passage, dir string) (*Library, error) {
	c := contents{passages: passages}
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		ordinals := ordinalsOf(passages, kind)
		if len(ordinals) == 0 {
			continue
		}
		collection, err := buildCollection(ctx, filepath.Join(dir, string(kind)), passages, ordinals, kind, nil, nil)
		if err != nil {
			return nil, err
		}
		trained, err := collection.trainEncoder(ctx, passages, dense.Options{})
		switch {
		case err == nil:
			collection = trained
		case !errors.Is(err, dense.ErrTooSmall):
			return nil, err
		}
		c.collections = append(c.collections, collection)
	}
	c.generation = generationOf(passages)
	return newLibrary(c), nil
}

// generationOf identifies passages and their order.
func generationOf(passages []*passage.Passage) string {
	h := sha256.New()
	for _, p := range passages {
		fmt.Fprintf(h, "%s %q %q\n", p.ID, p.Source, p.Record)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// buildCollection indexes the passages with some ordinals, all of one kind, into a folder. It reuses what
// the last collection, if any, knows about the same passages.
func buildCollection(ctx context.Context, dir string, passages []*passage.Passage, ordinals []int, kind passage.Kind, last *previous, report func(done int)) (*Collection, error) {
	texts := lexical.Texts{
		N:    len(ordinals),
		Text: func(place int) string { return passages[ordinals[place]].Indexed() },
	}
	if last != nil {
		texts.Old, texts.OldDir = last.index, filepath.Join(last.dir, lexicalName)
		texts.Known = func(place int) (int, bool) { return last.places[place], last.places[place] >= 0 }
	}
	if err := lexical.Build(ctx, filepath.Join(dir, lexicalName), parameters(kind), texts, report); err != nil {
		return nil, err
	}
	index, err := openIndex(dir, kind)
	if err != nil {
		return nil, err
	}
	return newCollection(kind, passages, ordinals, index)
}
