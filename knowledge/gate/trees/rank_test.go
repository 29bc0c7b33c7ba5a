package trees

import (
	"math/rand/v2"
	"testing"
)

// lists returns groups of rows of which the second column tells the grade, up to noise, and the first which
// group a row belongs to.
func lists(n int) (rows [][]float64, grades []float64, groups []Group) {
	random := rand.New(rand.NewPCG(7, 7))
	for range n {
		start := len(rows)
		for range 20 {
			grade := float64(random.IntN(3))
			rows = append(rows, []float64{float64(start), grade + random.Float64(), random.Float64()})
			grades = append(grades, grade)
		}
		groups = append(groups, Group{Start: start, End: len(rows)})
	}
	return rows, grades, groups
}

func TestRankPutsBetterRowsFirst(t *testing.T) {
	rows, grades, groups := lists(60)
	m, err := Rank(rows, grades, nil, groups, Options{Leaves: 8, Rounds: 30, Rate: .1})
	if err != nil {
		t.Fatal(err)
	}
	first := 0.0
	for _, g := range groups {
		best, at := 0.0, -1
		for i := g.Start; i < g.End; i++ {
			if score, _ := m.Predict(rows[i]); at < 0 || score > best {
				best, at = score, i
			}
		}
		first += grades[at] / float64(len(groups))
	}
	if first < 1.95 {
		t.Errorf("the first rows have a mean grade of %.2f, want nearly 2", first)
	}
}

func TestRankIsDeterministic(t *testing.T) {
	rows, grades, groups := lists(20)
	a, err := Rank(rows, grades, nil, groups, Options{Leaves: 4, Rounds: 5})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Rank(rows, grades, nil, groups, Options{Leaves: 4, Rounds: 5})
	for _, row := range rows {
		x, _ := a.Predict(row)
		if y, _ := b.Predict(row); x != y {
			t.Fatalf("%v and %v for the same row", x, y)
		}
	}
}

// TestRankCorrectsTheStart checks that what the start orders well is left alone.
func TestRankCorrectsTheStart(t *testing.T) {
	rows, grades, groups := lists(20)
	start := make([]float64, len(rows))
	for i := range rows {
		start[i] = 100 * grades[i]
	}
	m, err := Rank(rows, grades, start, groups, Options{Leaves: 4, Rounds: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if score, _ := m.Predict(row); score > 1 || score < -1 {
			t.Fatalf("a correction of %.2f where nothing is wrong", score)
		}
	}
}

func TestRankRefusesGroupsOutside(t *testing.T) {
	rows, grades, _ := lists(1)
	if _, err := Rank(rows, grades, nil, []Group{{Start: 5, End: 21}}, Options{}); err == nil {
		t.Error("a group beyond the rows was accepted")
	}
}
