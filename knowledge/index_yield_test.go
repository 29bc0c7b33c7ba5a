package knowledge

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTrainingGivesWayToSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x Index
		waited := func() time.Duration {
			begun := time.Now()
			x.yield()
			return time.Since(begun)
		}
		if d := waited(); d != 0 {
			t.Errorf("waited %v for nobody", d)
		}
		x.searching.Add(1)
		time.AfterFunc(9*time.Millisecond, func() { x.searching.Add(-1) })
		if d := waited(); d != 10*time.Millisecond {
			t.Errorf("waited %v for a search of 9 ms, looking every %v", d, busyCheck)
		}
		x.searching.Add(1)
		if d := waited(); d != maxYield {
			t.Errorf("waited %v for a search without end", d)
		}
	})
}

// TestSearchesAreCounted checks that a library reports each search to its index.
func TestSearchesAreCounted(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	l := d.index.Library()
	if l.searching != &d.index.searching {
		t.Fatal("searches are counted elsewhere")
	}
	if _, err := l.Search(t.Context(), Query{Text: "iron"}); err != nil || l.searching.Load() != 0 {
		t.Errorf("%v; %d searches after the only one", err, l.searching.Load())
	}
}
