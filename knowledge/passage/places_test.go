package passage

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPlacesAgreeWithAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 100, 1000} {
		ids := make([]ID, n)
		for i := range ids {
			ids[i][0], ids[i][9] = byte(random.IntN(40)), byte(random.IntN(3)) // many meet in a slot, some are equal
		}
		places := NewPlaces(n, func(place int) ID { return ids[place] })
		want := map[ID][]int{}
		for place, id := range ids {
			places.Add(place)
			want[id] = append(want[id], place)
		}
		for first := range 256 {
			for second := range 4 {
				var id ID
				id[0], id[9] = byte(first), byte(second)
				if got := slices.Collect(places.Of(id)); !slices.Equal(got, want[id]) {
					t.Fatalf("%d things, %v: %v, want %v", n, id, got, want[id])
				}
				place, found := places.First(id)
				if found != (len(want[id]) > 0) || found && place != want[id][0] {
					t.Fatalf("%d things, first of %v: %v, %v", n, id, place, found)
				}
			}
		}
	}
}

func TestPlacesRefuseMoreThanTheyAreFor(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a third of two things was added")
		}
	}()
	places := NewPlaces(2, func(int) ID { return ID{} })
	for place := range 3 {
		places.Add(place)
	}
}

// A sentence that stands on every page must not cost the square of their number.
func TestPlacesOfOneText(t *testing.T) {
	const n = 1 << 20
	places := NewPlaces(n, func(int) TextID { return TextID{1} })
	for place := range n {
		places.Add(place)
	}
	next := 0
	for place := range places.Of(TextID{1}) {
		if place != next {
			t.Fatalf("place %d comes at %d", place, next)
		}
		next++
	}
	if next != n {
		t.Errorf("%d places of %d", next, n)
	}
}
