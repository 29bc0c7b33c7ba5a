package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// judged builds cases from the scores of the true and of the false ones.
func judged(trues, falses []float64) []Prediction {
	var all []Prediction
	for _, s := range trues {
		all = append(all, Prediction{s, true})
	}
	for _, s := range falses {
		all = append(all, Prediction{s, false})
	}
	return all
}

func near(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-12 }

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		name           string
		trues, falses  []float64
		want, caught50 float64
	}{
		{"perfect", []float64{.9, .8}, []float64{.1, .2}, 1, 1},
		{"reversed", []float64{.1, .2}, []float64{.9, .8}, 0, 0},
		{"one pair wrong", []float64{.9, .3}, []float64{.1, .5}, .75, 1},
		{"all tied", []float64{.5, .5}, []float64{.5, .5}, .5, 0},
		{"half tied", []float64{.5, .9}, []float64{.5, .1}, .875, 1},
		{"no false case", []float64{.5}, nil, math.NaN(), math.NaN()},
		{"no true case", nil, []float64{.5}, math.NaN(), math.NaN()},
	} {
		all := judged(c.trues, c.falses)
		if got := AUC(all); !near(got, c.want) {
			t.Errorf("%s: AUC %v, want %v", c.name, got, c.want)
		}
		if got := CaughtAt(all, 0.5); !near(got, c.caught50) {
			t.Errorf("%s: caught at 50 %% false alarms %v, want %v", c.name, got, c.caught50)
		}
	}
	if got := AUC([]Prediction{{math.NaN(), true}, {1, false}}); !math.IsNaN(got) {
		t.Errorf("AUC of a NaN score is %v", got)
	}
}

// TestAUCIsTheMannWhitneyStatistic compares the fast way with counting pairs.
func TestAUCIsTheMannWhitneyStatistic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		all := make([]Prediction, 2+random.IntN(30))
		for i := range all {
			all[i] = Prediction{float64(random.IntN(6)) / 5, random.IntN(2) == 0}
		}
		wins, pairs := 0.0, 0.0
		for _, a := range all {
			for _, b := range all {
				if a.True && !b.True {
					pairs++
					if a.Score > b.Score {
						wins++
					} else if a.Score == b.Score {
						wins += 0.5
					}
				}
			}
		}
		if got := AUC(all); !near(got, wins/pairs) {
			t.Fatalf("AUC %v, counting pairs %v, of %v", got, wins/pairs, all)
		}
	}
}

func TestECE(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []Prediction
		want float64
	}{
		{"certain and right", []Prediction{{1, true}, {0, false}}, 0},
		{"certain and wrong", []Prediction{{1, false}, {0, true}}, 1},
		{"half sure, half right", []Prediction{{.5, true}, {.5, false}}, 0},
		{"two bins", []Prediction{{.25, false}, {.25, false}, {.75, true}, {.75, false}}, .25},
		{"above one", []Prediction{{1.5, true}}, math.NaN()},
		{"none", nil, math.NaN()},
	} {
		if got := ECE(c.all); !near(got, c.want) {
			t.Errorf("%s: ECE %v, want %v", c.name, got, c.want)
		}
	}
}

func TestBootstrapHoldsTheValueAndRepeats(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var all []Prediction
	for range 300 {
		truth := random.IntN(2) == 0
		score := random.NormFloat64()
		if truth {
			score++
		}
		all = append(all, Prediction{score, truth})
	}
	low, high := Bootstrap(all, AUC, 200, 7)
	if auc := AUC(all); !(low < auc && auc < high && high-low < 0.2) {
		t.Errorf("AUC %v, interval [%v, %v]", auc, low, high)
	}
	if l, h := Bootstrap(all, AUC, 200, 7); l != low || h != high {
		t.Errorf("the same seed gives [%v, %v] and [%v, %v]", low, high, l, h)
	}
}

func TestRankingMeasures(t *testing.T) {
	log := math.Log2
	for _, c := range []struct {
		name           string
		ranked         []string
		grades         map[string]int
		k              int
		ndcg, recall   float64
		reciprocalRank float64
	}{
		{"perfect", []string{"a", "b", "x"}, map[string]int{"a": 1, "b": 1}, 10, 1, 1, 1},
		{"second of one", []string{"x", "a"}, map[string]int{"a": 1}, 10, 1 / log(3), 1, 0.5},
		{"cut off", []string{"x", "a"}, map[string]int{"a": 1}, 1, 0, 0, 0},
		{"graded", []string{"b", "a"}, map[string]int{"a": 3, "b": 1}, 10, (1 + 3/log(3)) / (3 + 1/log(3)), 1, 1},
		{"more relevant than places", []string{"a"}, map[string]int{"a": 1, "b": 1, "c": 1}, 1, 1, 1. / 3, 1},
		{"a document twice", []string{"a", "a"}, map[string]int{"a": 1, "b": 1}, 10, 1 / (1 + 1/log(3)), 0.5, 1},
		{"grade 0 is not relevant", []string{"x", "a"}, map[string]int{"x": 0, "a": 2}, 10, 1 / log(3), 1, 0.5},
		{"nothing ranked", nil, map[string]int{"a": 1}, 10, 0, 0, 0},
		{"nothing relevant", []string{"a"}, nil, 10, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for measure, pair := range map[string][2]float64{
				"nDCG":            {NDCG(c.ranked, c.grades, c.k), c.ndcg},
				"recall":          {Recall(c.ranked, c.grades, c.k), c.recall},
				"reciprocal rank": {ReciprocalRank(c.ranked, c.grades, c.k), c.reciprocalRank},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12 {
					t.Errorf("%s = %v, want %v", measure, pair[0], pair[1])
				}
			}
		})
	}
}
