package systems

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lacuna/vecmath"
)

// around returns n unit vectors near one axis.
func around(axis, n int, random *rand.Rand) [][]float32 {
	vectors := make([][]float32, n)
	for i := range vectors {
		vector := make([]float32, 8)
		for d := range vector {
			vector[d] = random.Float32() * .1
		}
		vector[axis]++
		vecmath.Scale(vector, 1/vecmath.Norm(vector))
		vectors[i] = vector
	}
	return vectors
}

func TestClusterFindsGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var vectors [][]float32
	for axis := range 5 {
		vectors = append(vectors, around(axis, 10+axis, random)...)
	}
	groups := cluster(vectors, 5, rand.New(rand.NewPCG(1, 1)))
	if len(groups) != 5 {
		t.Fatalf("%d groups: %v", len(groups), groups)
	}
	first := 0
	for axis, group := range groups {
		for i, member := range group {
			if member != first+i {
				t.Fatalf("group %d is %v, want %d members from %d", axis, group, 10+axis, first)
			}
		}
		first += len(group)
	}
	if again := cluster(vectors, 5, rand.New(rand.NewPCG(1, 1))); !slices.EqualFunc(groups, again, slices.Equal) {
		t.Error("the same seed groups otherwise the second time")
	}
}

func TestClusterOfEqualVectorsIsOneGroup(t *testing.T) {
	same := around(2, 1, rand.New(rand.NewPCG(1, 2)))[0]
	vectors := [][]float32{same, same, same, same, same, same}
	if groups := cluster(vectors, 5, rand.New(rand.NewPCG(1, 1))); len(groups) != 1 || len(groups[0]) != 6 {
		t.Errorf("groups %v", groups)
	}
}
