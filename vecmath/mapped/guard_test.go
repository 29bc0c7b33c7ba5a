package mapped

import (
	"errors"
	"fmt"
	"testing"
)

type fakeFault struct{ error }

func (fakeFault) Addr() uintptr { return 8 }

func TestFault(t *testing.T) {
	fault := fakeFault{errors.New("unexpected fault address")}
	if Fault(nil) != nil || Fault(fault) != error(fault) || !IsFault(fmt.Errorf("search: %w", fault)) {
		t.Error("a fault was not told")
	}
	defer func() {
		if p := recover(); p != "boom" {
			t.Errorf("%v", p)
		}
	}()
	_ = Fault("boom")
}

func TestGuardAllocatesNothing(t *testing.T) {
	f := &File{data: []byte("iron")}
	sum := 0
	if n := testing.AllocsPerRun(100, func() { sum += first(f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

//go:noinline
func first(f *File) int {
	defer Release(f, Guard())
	return int(f.data[0])
}

func BenchmarkGuard(b *testing.B) {
	f := &File{data: []byte("iron")}
	for b.Loop() {
		first(f)
	}
}
