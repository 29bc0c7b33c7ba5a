package knowledge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Options configure an index.
type Options struct {
	Sources []ingest.Source
	Dir     string // of the index; made with mode 0700
	// Spare lists folders to be tried in order if Dir holds no index and none can be written there. In the
	// first that works a folder for this process alone is created; [Index.Close] removes it.
	Spare []string
	// Limits bounds what the sources may cost together; zero means [ingest.DefaultLimits].
	Limits ingest.Limits
	// Companions are fitted in order, if there is no blob of theirs or if more than a twentieth of the
	// passages came or went since the last fit. A later one finds the earlier ones' blobs.
	Companions []Companion
	// Remote encodes passages and queries instead of the built-in encoder, for searches that ask for it; nil
	// for none.
	Remote RemoteEncoder
	// Report receives progress and warnings; it may be nil. Calls do not overlap. While a stage is under way,
	// it is called at least every second or two.
	Report func(Event)
}

// Companion learns something about a finished library that is stored with it, such as the gap judge's
// calibration. Fit runs in the background and must be deterministic. Its blob must make sense for a library
// that differs in a few passages, which it serves until the next fit.
type Companion interface {
	Name() string // a file name without extension; changes when the learnt format changes
	Fit(ctx context.Context, library *Library) ([]byte, error)
}

// Index keeps a library up to date on disk. One process writes, any number search. It is safe for concurrent
// use.
type Index struct {
	options Options
	library atomic.Pointer[Library]
	cited   atomic.Pointer[[]*passage.Passage]
	queries *queryEncoder // of the endpoint; nil without one
	waiting atomic.Int32  // refreshes that wait for their turn
	// searching counts the searches under way in libraries of this index.
	searching atomic.Int32

	closing context.Context // ends with Close
	close   context.CancelFunc
	turn    chan struct{} // holds a token while a refresh is under way
	writer                // guarded by turn

	mu          sync.Mutex // guards the next two
	subscribers map[int]func(*Library)
	subscribed  int
}

// writer holds what a refresh works on. Only the goroutine whose token is in the index's turn may use it.
type writer struct {
	lock        *flock.Flock // held by the process that writes, from its first Refresh to Close
	state       *state       // what is published, and what the next generation is built upon
	dir         string       // where generations are written: the options' folder, or a temporary one
	temporary   *TempDir     // the folder that dir is then; else nil
	begin       func(dir, passages string) (*generation, error)
	lastPointer *generation // last loaded or written, also if it was loaded in vain; nil before
	lastLimits  string      // what was last reported about limits that the sources exceed
	unwritable  error       // why dir cannot be written; nil if no reason is known
	damage      string      // what was wrong with the index on disk; empty if nothing was
	meter       *meter      // of the refresh under way
	// firstCheckpoint is the constant of that name, except in tests.
	firstCheckpoint time.Duration
}

// errClosed is returned by a refresh of a closed index.
var errClosed = errors.New("the index is closed")

// Open loads what the index folder holds; it neither reads sources nor trains. If the folder is empty,
// outdated, damaged or cannot be created, the library is empty and there is no error.
func Open(o Options) (*Index, error) {
	x := &Index{
		options:     o,
		turn:        make(chan struct{}, 1),
		subscribers: map[int]func(*Library){},
		queries:     newQueries(o.Remote),
		writer: writer{
			dir: o.Dir, unwritable: makeFolder(o.Dir), begin: newGeneration, lock: newLock(filepath.Join(o.Dir, lockName)),
			firstCheckpoint: firstCheckpoint,
		},
	}
	x.closing, x.close = context.WithCancel(context.Background())
	x.load()
	x.publish(x.state.library(false))
	return x, nil
}

// load replaces the state with what the index folder holds.
func (x *Index) load() {
	if pointed, err := readPointer(x.dir); err == nil {
		x.lastPointer = pointed
	}
	s, err := load(x.dir)
	if err != nil {
		x.state, x.damage = &state{}, err.Error()
		return
	}
	x.assess(s)
	x.state, x.damage = x.withVectors(s), ""
}

// Library returns the newest snapshot; never nil.
func (x *Index) Library() *Library { return x.library.Load() }

// Intact reports whether the newest library's files are still there, and all could be read so far. If not,
// call [Index.Refresh]: the index was damaged, or another process has written a newer one.
func (x *Index) Intact() bool {
	g := x.Library().disk
	return g == nil || g.intact() == nil
}

// Subscribe calls f with each newly published library until cancel is called. Calls are made one at a time
// from the goroutine that refreshes, which waits for them.
func (x *Index) Subscribe(f func(*Library)) (cancel func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := x.subscribed
	x.subscribed++
	x.subscribers[key] = f
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.subscribers, key)
	}
}

// publish makes a library the newest snapshot.
func (x *Index) publish(l *Library) {
	l.searching = &x.searching
	l.cited = &x.cited
	x.library.Store(l)
	x.mu.Lock()
	calls := make([]func(*Library), 0, len(x.subscribers))
	for key := range x.subscribed {
		if f, ok := x.subscribers[key]; ok {
			calls = append(calls, f)
		}
	}
	x.mu.Unlock()
	for _, f := range calls {
		f(l)
	}
}

// Cite has libraries, those published before as well, resolve citations of passages that are not among the sources,
// because they were published elsewhere and only what notes cite of them is here. They are not searched. The list must
// not be changed.
func (x *Index) Cite(passages []*passage.Passage) { x.cited.Store(&passages) }

// Close stops a running refresh, waits for it, and lets another process write. Published libraries stay
// usable.
func (x *Index) Close() error {
	x.close()
	x.turn <- struct{}{}
	defer func() { <-x.turn }()
	return errors.Join(x.lock.Close(), x.temporary.Close())
}

// report reports a warning, or that the refresh is done.
func (x *Index) report(e Event) { x.meter.warn(e) }

// percent reports progress within a stage.
func (x *Index) percent(stage Stage) func(percent int) {
	return func(percent int) { x.meter.at(stage, float64(percent)/100) }
}

// publishBuilding publishes that a better library is being built.
func (x *Index) publishBuilding() {
	if l := x.Library(); !l.status.Building {
		x.publish(l.withBuilding(true))
	}
}

// publishBuilt publishes that the library stays as it is until the next refresh.
func (x *Index) publishBuilt() {
	if l := x.Library(); l.status.Building {
		x.publish(l.withBuilding(false))
	}
}

// How long a step of training waits for questions to be answered, at most.
const (
	maxYield  = 100 * time.Millisecond
	busyCheck = 2 * time.Millisecond
)

// yield waits briefly while a search is running, so that the two do not share the processor and its caches.
// The wait is bounded: training must end however many searches there are.
func (x *Index) yield() {
	for waited := time.Duration(0); waited < maxYield && x.searching.Load() > 0; waited += busyCheck {
		time.Sleep(busyCheck)
	}
}

// unwritten is the error of a step whose generation could not be written.
type unwritten struct{ err error }

func (u unwritten) Error() string { return "index: " + u.err.Error() }

func (u unwritten) Unwrap() error { return u.err }

// probe fails if the index folder cannot be written. Call it before work whose result would be lost.
func (x *Index) probe() error {
	if x.unwritable != nil {
		return unwritten{x.unwritable}
	}
	if err := probe(x.dir); err != nil {
		return unwritten{err}
	}
	return nil
}

// assess records what is still to be learnt about a state's passages.
func (x *Index) assess(s *state) {
	if s.generation != nil {
		s.untrained, s.calibrated = s.outgrown(), x.isFitted(s)
	}
}

// step writes the next generation: fill writes its folder and returns the state it holds. The generation
// becomes current and its library is published. After an error, which is an [unwritten] if writing failed,
// the index is as it was.
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
		g.manifest.Found = next.found
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
	// Building takes several times the memory of its result; return it now rather than at some later
	// garbage collection.
	debug.FreeOSMemory()
	return nil
}

// isFitted reports whether every companion has learnt from the passages of s, or nearly these.
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
	added, gone := turnover(filepath.Join(s.dir, fittedName), s.passages)
	return max(added, gone) <= refitAt
}

// refitAt is the fraction of passages that came or went beyond which the companions are fitted again. What
// they learn are statistics of the whole base.
const refitAt = 0.05
