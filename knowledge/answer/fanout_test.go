package answer

import (
	"slices"
	"sync/atomic"
	"testing"
)

func TestGatherKeepsTheOrder(t *testing.T) {
	got := gather(100, func(i int) (int, bool) { return i * i, i%3 == 0 })
	var want []int
	for i := 0; i < 100; i += 3 {
		want = append(want, i*i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := gather(0, func(int) (int, bool) { return 1, true }); len(got) != 0 {
		t.Errorf("nothing gathers %v", got)
	}
}

// TestPanicsReachTheOneWhoAsked holds that a panic of one comes after the others have ended, in the
// goroutine that can recover it.
func TestPanicsReachTheOneWhoAsked(t *testing.T) {
	var ended atomic.Int32
	defer func() {
		if p := recover(); p != "third" || ended.Load() != 9 {
			t.Errorf("recovered %v after %d had ended", p, ended.Load())
		}
	}()
	each(10, func(i int) {
		if i == 3 {
			panic("third")
		}
		ended.Add(1)
	})
}
