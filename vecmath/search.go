package vecmath

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"lacuna/vecmath/mapped"
)

// search is the work on one or several queries. Level by level, the head first if there is one, it
// computes the bounds of all rows that may still be among the nearest (scan), which processors
// share by blocks of rows, and then takes the distance of the most promising rows (settle), which
// makes the limit of what may be among the nearest fall. After the last level it takes the distance
// of whatever is below the limit.
type search struct {
	*Index
	queries []queryState
	level   int // that is being scanned
	perTask int // blocks
	pool
}

// queryState is a query with what is known about its neighbours.
type queryState struct {
	query   []float32
	room    int // how many neighbours are wanted
	keep    func(row int) bool
	images  *projections
	coded   []query // on each level
	bounds  []float32
	least   []float32 // bound, of each block
	limit   float32   // no row with a larger bound is among the nearest
	nearest heap      // the nearest of those measured
	seeds   heap      // the rows of least bound, which stand in for their distances
	done    []int     // the rows measured
	plain   bool      // nothing is coded: all rows are measured
}

const (
	blockRows    = 256     // rows whose bounds are computed at a time
	idleSearches = 2       // that keep their memory
	taskBytes    = 1 << 18 // of codes, per task
	sharedBytes  = 8 << 20 // of codes, times queries; with fewer sharing hardly pays
)

// begin returns a search without queries.
func (x *Index) begin() *search {
	select {
	case s := <-x.idle:
		return s
	default:
		return &search{Index: x}
	}
}

// end keeps the memory of one query for the next search.
func (s *search) end() {
	if cap(s.queries) > 1 {
		s.queries = slices.Clone(s.queries[:1])
	}
	for i := range s.queries {
		s.queries[i].query, s.queries[i].keep = nil, nil
	}
	s.queries = s.queries[:0]
	select {
	case s.idle <- s:
	default:
	}
}

// add adds a query, which must be a possible row.
func (s *search) add(q []float32, k int, keep func(row int) bool) {
	if len(s.queries) == cap(s.queries) {
		s.queries = append(s.queries, queryState{})
	} else {
		s.queries = s.queries[:len(s.queries)+1]
	}
	a := &s.queries[len(s.queries)-1]
	if a.images == nil {
		a.images = s.newImages()
		for _, level := range s.levels {
			a.coded = append(a.coded, query{digits: make([]int16, level.width)})
		}
		padded := paddedTo(s.Len(), groupRows)
		a.bounds = make([]float32, padded)
		a.least = make([]float32, (padded+blockRows-1)/blockRows)
	}
	a.query, a.room, a.keep = q, min(max(k, 0), s.Len()), keep
	a.nearest.empty(a.room)
	a.done = a.done[:0]
	a.limit = math.MaxFloat32
}

// run finds the nearest rows of all queries.
func (s *search) run() error {
	if err := s.each(len(s.queries), (*search).prepare); err != nil {
		return err
	}
	for s.level = range s.levels {
		if err := s.each(s.share(), (*search).scan); err != nil {
			return err
		}
		if err := s.each(len(s.queries), (*search).settle); err != nil {
			return err
		}
	}
	return nil
}

// share divides the blocks of the level into tasks, and returns their number.
func (s *search) share() int {
	blocks, codes := len(s.queries[0].least), s.levels[s.level]
	s.perTask = max(1, taskBytes/(blockRows*codes.width))
	if len(codes.bytes)*len(s.queries) < sharedBytes {
		s.perTask = max(1, blocks)
	}
	return (blocks + s.perTask - 1) / s.perTask
}

// prepare codes a query on every level. Few rows, queries that cannot be coded and those that want
// many of the rows are answered here, without codes.
func (s *search) prepare(_ *worker, number int) {
	a := &s.queries[number]
	s.project(a.images, a.query)
	a.plain = a.images.points[0].uncodable || !s.coded && (s.Len() < fewRows || a.room > s.Len()/4)
	if a.plain {
		for row := range s.Len() {
			if a.keep == nil || a.keep(row) {
				a.nearest.push(s.neighbor(a, row))
			}
		}
		return
	}
	for i := range a.coded {
		a.coded[i].encode(&a.images.points[i])
	}
}

// fewRows is the number of rows below which codes save nothing.
const fewRows = 200

// neighbor measures the distance of a row.
func (s *search) neighbor(a *queryState, row int) Neighbor {
	return Neighbor{row, sqrt32(s.kernel.square(a.query, s.rows.Row(row)))}
}

// scan computes the bounds of the rows of a task's blocks for all queries.
func (s *search) scan(w *worker, task int) {
	codes := s.levels[s.level]
	for block := task * s.perTask; block < min((task+1)*s.perTask, len(s.queries[0].least)); block++ {
		from := block * blockRows
		to := min(from+blockRows, len(codes.groups)*groupRows)
		w.full = w.full[:0]
		for i := range s.queries {
			if a := &s.queries[i]; !a.plain && (s.level == 0 || s.scanFew(w, a, block, from, to)) {
				w.full = append(w.full, a)
			}
		}
		s.scanFull(w, block, from, to)
	}
}

// scanFull computes the bounds of a block for all queries in w.whole, two by two.
func (s *search) scanFull(w *worker, block, from, to int) {
	codes := s.levels[s.level]
	groups, dots, others := codes.groups[from/groupRows:to/groupRows], w.dots[0][:to-from], w.dots[1][:to-from]
	for i := 0; i < len(w.full); i += 2 {
		a := w.full[i]
		if i+1 == len(w.full) {
			s.kernel.dots(dots, codes.span(from, to), a.coded[s.level].digits)
		} else {
			b := w.full[i+1]
			s.kernel.dotsOfTwo(dots, others, codes.span(from, to), a.coded[s.level].digits, b.coded[s.level].digits)
			b.least[block] = s.kernel.bounds(b.bounds[from:to], others, groups, &b.coded[s.level].terms)
		}
		a.least[block] = s.kernel.bounds(a.bounds[from:to], dots, groups, &a.coded[s.level].terms)
	}
}

// scanFew replaces the bounds below the limit in a block, row by row. If there are too many it does
// nothing and reports true: then reading all codes in sequence is faster, and a head that says nothing
// about a query costs little more than none.
func (s *search) scanFew(w *worker, a *queryState, block, from, to int) (many bool) {
	if a.least[block] > a.limit {
		return false
	}
	bounds, few := a.bounds[from:to], 0
	for _, bound := range bounds {
		if bound <= a.limit {
			few++
		}
	}
	if few > blockRows/8 {
		return true
	}
	codes, coded, least := s.levels[s.level], &a.coded[s.level], float32(math.Inf(1))
	dot := w.dots[0][:1]
	for i, bound := range bounds {
		if bound <= a.limit {
			row := from + i
			s.kernel.dots(dot, codes.row(row), coded.digits)
			bounds[i] = lowerBound(dot[0], &codes.groups[row/groupRows], row%groupRows, &coded.terms)
		}
		least = min(least, bounds[i])
	}
	a.least[block] = least
	return false
}

// settle measures the rows with the least bounds, so that the limit falls, and after the last level
// all rows up to the limit.
func (s *search) settle(_ *worker, number int) {
	a := &s.queries[number]
	if a.plain || a.room == 0 {
		return
	}
	for _, row := range a.done {
		a.bounds[row] = float32(math.Inf(1)) // as before it was scanned again
	}
	a.findSeeds()
	for _, seed := range a.seeds.sorted() {
		s.measure(a, seed.Row)
	}
	if s.level < len(s.levels)-1 {
		return
	}
	for block, least := range a.least {
		if least > a.limit {
			continue
		}
		for i, bound := range a.block(block) {
			if row := block*blockRows + i; bound <= a.limit && a.keeps(row) {
				s.measure(a, row)
			}
		}
	}
}

// findSeeds fills the seeds with the rows of least bound.
func (a *queryState) findSeeds() {
	a.seeds.empty(seedsFor(a.room))
	limit := a.limit
	for block, least := range a.least {
		if least > limit {
			continue
		}
		for i, bound := range a.block(block) {
			row := block*blockRows + i
			if bound <= limit && a.keeps(row) && a.seeds.push(Neighbor{row, bound}) && a.seeds.full() {
				limit = a.seeds.list[0].Distance
			}
		}
	}
}

// seedsFor returns how many rows are measured before a limit is trusted. Measured, for ten neighbours among
// 100,000 and a head of 64 of 384: after 10 rows the head leaves 491 others, after 30 it leaves 156, and
// after 50 it leaves 127.
func seedsFor(room int) int { return 2*room + 10 }

// block returns the bounds of a block's rows.
func (a *queryState) block(block int) []float32 {
	return a.bounds[block*blockRows : min((block+1)*blockRows, len(a.bounds))]
}

func (a *queryState) keeps(row int) bool { return a.keep == nil || a.keep(row) }

// measure takes the distance of a row, once.
func (s *search) measure(a *queryState, row int) {
	if a.bounds[row] > a.limit {
		return
	}
	a.bounds[row] = float32(math.Inf(1))
	a.done = append(a.done, row)
	if a.nearest.push(s.neighbor(a, row)) && a.nearest.full() {
		a.limit = min(limitOf(a.nearest.list[0].Distance, s.Dim()), math.MaxFloat32)
	}
}

// pool shares the tasks of a search's step among the searching goroutine and idle helpers.
type pool struct {
	step    func(s *search, w *worker, task int)
	tasks   int
	next    atomic.Int64 // task
	helping sync.WaitGroup
	own     worker
	broken  atomic.Pointer[any] // what a goroutine panicked with
}

// worker is the memory of one goroutine of the pool.
type worker struct {
	dots [2][blockRows]int32
	full []*queryState // that want all bounds of a block
}

// helpers is the channel on which idle helpers wait. The first search that is large enough starts them, one
// for each other processor, and they stay.
var helpers = sync.OnceValue(func() chan *search {
	waiting := make(chan *search)
	for range runtime.GOMAXPROCS(0) - 1 {
		go func() {
			var w worker
			for s := range waiting {
				s.work(&w)
				s.helping.Done()
			}
		}()
	}
	return waiting
})

// each calls step for the tasks from 0 on, with the helpers' help; a single task runs in the calling
// goroutine. A fault in the mapped file is an error; any other panic is raised here.
func (s *search) each(tasks int, step func(s *search, w *worker, task int)) error {
	s.step, s.tasks = step, tasks
	s.next.Store(0)
	for enlisted := 1; enlisted < tasks && s.enlist(); enlisted++ {
	}
	s.work(&s.own)
	s.helping.Wait()
	if broken := s.broken.Swap(nil); broken != nil {
		return readFault(*broken)
	}
	return nil
}

// enlist gives the search to a helper, if one is idle.
func (s *search) enlist() bool {
	s.helping.Add(1)
	select {
	case helpers() <- s:
		return true
	default:
		s.helping.Done()
		return false
	}
}

// work does tasks until none is left, or one panics.
func (s *search) work(w *worker) {
	defer mapped.Release(s, mapped.Guard())
	defer func() {
		clear(w.full[:cap(w.full)]) // or a helper would keep the memory of searches
		if recovered := recover(); recovered != nil {
			broken := recovered // on the heap only now
			s.broken.Store(&broken)
			s.next.Store(math.MaxInt32)
		}
	}()
	for {
		task := int(s.next.Add(1)) - 1
		if task >= s.tasks {
			return
		}
		s.step(s, w, task)
	}
}

// readFault returns the error for a recovered memory fault, and nil for nil; see [mapped.Fault].
func readFault(recovered any) error {
	if fault := mapped.Fault(recovered); fault != nil {
		return fmt.Errorf("read vectors: %w", fault)
	}
	return nil
}
