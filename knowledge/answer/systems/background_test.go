package systems

import (
	"testing"

	"lacuna/knowledge/answer/extract"
)

func TestVote(t *testing.T) {
	for _, c := range []struct {
		name    string
		letters []string
		want    int
	}{
		{"nobody", nil, -1},
		{"one", []string{"B"}, 0},
		{"majority", []string{"A", "B", "C", "B", "B"}, 1},
		{"a tie goes to the first vote", []string{"C", "A", "A", "C", "B"}, 0},
		{"a tie of late letters", []string{"A", "B", "C", "C", "B"}, 1},
		{"all differ", []string{"D", "C", "B", "A"}, 0},
	} {
		if got := vote(c.letters); got != c.want {
			t.Errorf("%s: vote %d wins, want %d", c.name, got, c.want)
		}
	}
}

func TestMostAgreed(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  int
	}{
		{"one", []string{"Colchicine."}, 0},
		{"equal", []string{"Colchicine.", "Colchicine."}, 0},
		{"the odd one out loses", []string{"Rest in bed.", "Colchicine or naproxen.", "Naproxen or colchicine, early."}, 1},
		{"empty texts agree in nothing", []string{"", "", "Rest."}, 0},
	} {
		if got := extract.Central(c.texts); got != c.want {
			t.Errorf("%s: text %d, want %d", c.name, got, c.want)
		}
	}
}
