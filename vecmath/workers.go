package vecmath

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"lacuna/vecmath/mapped"
)

// crew shares the tasks of a step of a search among the goroutine that searches and the helpers
// that have nothing to do.
type crew struct {
	step    func(s *search, w *worker, task int)
	tasks   int
	next    atomic.Int64 // task
	helping sync.WaitGroup
	own     worker
	broken  atomic.Pointer[any] // what a goroutine panicked with
}

// worker is the memory of one goroutine at work.
type worker struct {
	dots  [2][blockRows]int32
	whole []*asked // that want all bounds of a block
}

// helpers is where idle helpers wait. They are started with the first search that is large enough,
// one for each other processor, and stay.
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

// each does a step for the tasks from 0 on. Where there is one task the calling goroutine does it.
// What breaks in any goroutine breaks here: a fault in the mapped file is an error, anything else a
// panic.
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

// work does tasks until none is left, or something breaks.
func (s *search) work(w *worker) {
	defer mapped.Release(s, mapped.Guard())
	defer func() {
		clear(w.whole[:cap(w.whole)]) // or a helper would keep the memory of searches
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
		if task%tasksInARow == tasksInARow-1 {
			runtime.Gosched()
		}
	}
}

// tasksInARow is after how many tasks others may run that have less to do. A search would else keep
// them waiting for as long as it takes, or ten milliseconds, on every processor.
const tasksInARow = 16
