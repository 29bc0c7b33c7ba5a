package par

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestGatherKeepsTheOrder(t *testing.T) {
	got := Gather(100, func(i int) (int, bool) { return i * i, i%3 == 0 })
	var want []int
	for i := 0; i < 100; i += 3 {
		want = append(want, i*i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := Gather(0, func(int) (int, bool) { return 1, true }); len(got) != 0 {
		t.Errorf("nothing gathers %v", got)
	}
}

// raised returns what work panics with.
func raised(t *testing.T, work func()) (p *Panic) {
	t.Helper()
	defer func() { p, _ = recover().(*Panic) }()
	work()
	return nil
}

// TestPanicsReachTheCaller holds that a panic comes after the others have ended, in the goroutine that
// can recover it, with the stack on which it began.
func TestPanicsReachTheCaller(t *testing.T) {
	var ended atomic.Int32
	p := raised(t, func() {
		Each(10, func(i int) {
			if i == 3 {
				boom()
			}
			ended.Add(1)
		})
	})
	if p == nil || p.Value != "boom" || ended.Load() != 9 || !strings.Contains(string(Stack(p)), "par.boom") {
		t.Errorf("recovered %v after %d had ended", p, ended.Load())
	}
	for name, work := range map[string]func(){
		"nested": func() { Do(func() {}, func() { Do(boom) }) },
		"started": func() {
			_, _ = Start(func() (int, error) { boom(); return 0, nil })()
		},
		"low priority": func() {
			_ = LowPriority(func() error { boom(); return nil })
		},
		"ordered": func() {
			_ = Ordered(t.Context(), 5, func(context.Context, int) (int, error) { boom(); return 0, nil }, func(int, int) error { return nil })
		},
	} {
		if p := raised(t, work); p == nil || p.Value != "boom" || p.Error() != "boom" {
			t.Errorf("%s: %v", name, p)
		}
	}
}

func boom() { panic("boom") }

type fault struct{ error }

func (fault) Addr() uintptr { return 8 }

func TestAMemoryFaultStaysAsItIs(t *testing.T) {
	want := fault{errors.New("cut off")}
	defer func() {
		if p := recover(); p != error(want) {
			t.Errorf("%v", p)
		}
	}()
	Do(func() { panic(want) })
}

func TestStart(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	wait := Start(func() (int, error) { calls++; return 7, broken })
	for range 2 {
		if n, err := wait(); n != 7 || err != broken || calls != 1 {
			t.Errorf("%d, %v; %d calls", n, err, calls)
		}
	}
}

func TestLowPriority(t *testing.T) {
	broken := errors.New("broken")
	if err := LowPriority(func() error { return broken }); err != broken {
		t.Errorf("%v", err)
	}
}

func TestResultsComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 200
		var got []int
		work := func(_ context.Context, i int) (int, error) {
			time.Sleep(time.Duration(n-i) * time.Second) // the later, the faster
			return i, nil
		}
		err := Ordered(t.Context(), n, work, func(i, result int) error {
			if i != result {
				t.Errorf("result %d at place %d", result, i)
			}
			got = append(got, result)
			return nil
		})
		if err != nil || len(got) != n || !slices.IsSorted(got) {
			t.Errorf("%v, %v", got, err)
		}
	})
}

func TestTheFirstErrorStopsTheWork(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name       string
		work, emit int // at which place each fails
		want       int // results handed on
	}{
		{"work", 5, -1, 5},
		{"emit", -1, 3, 3},
		{"the first of all", 0, -1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			handed := 0
			work := func(ctx context.Context, i int) (int, error) {
				if i == test.work {
					return 0, broken
				}
				return i, nil
			}
			err := Ordered(t.Context(), 1000, work, func(i, _ int) error {
				if i == test.emit {
					return broken
				}
				handed++
				return nil
			})
			if !errors.Is(err, broken) || handed != test.want {
				t.Errorf("%d results, error %v; want %d and broken", handed, err, test.want)
			}
		})
	}
}

func TestAnEndedContextStopsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	work := func(ctx context.Context, i int) (int, error) {
		if i == 10 {
			cancel()
		}
		return i, ctx.Err()
	}
	err := Ordered(ctx, 1_000_000, work, func(int, int) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := Ordered(t.Context(), 0, work, func(int, int) error { return nil }); err != nil {
		t.Errorf("no work: %v", err)
	}
}
