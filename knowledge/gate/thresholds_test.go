package gate

import (
	"math"
	"testing"
)

// TestSweeps varies the thresholds of four outcomes by hand. With the thresholds suggested, .6 .5 .5:
//
//	a  prediction .7, confident       retrieves, which is right
//	b  prediction .3, confident       keeps the closed answer, which is right
//	c  not confident, relies on sn    .9: retrieves, which is wrong
//	d  not confident, relies on rqm   .2: keeps the closed answer, which is wrong
func TestSweeps(t *testing.T) {
	outcome := func(prediction, confidence, sn, rqm, weightSN float64, score [2]float64) Outcome {
		return Outcome{Item: Item{Score: score}, Decision: Decision{Signals: map[string]float64{
			"prediction": prediction, "confidence": confidence, "sn": sn, "rqm": rqm, "weight sn": weightSN, "weight rqm": 1 - weightSN,
		}}}
	}
	better, worse := [2]float64{0, 1}, [2]float64{1, 0}
	outcomes := []Outcome{
		outcome(.7, .9, 0, 0, .5, better),
		outcome(.3, .9, 0, 0, .5, worse),
		outcome(0, .1, .9, 0, .8, worse),
		outcome(0, .1, 1, .2, .3, better),
		{Decision: Decision{Signals: map[string]float64{"sn": 1}}}, // without a net
	}
	sweeps, n := Sweeps(outcomes)
	if n != 4 || len(sweeps) != 3 {
		t.Fatalf("%d outcomes, %d sweeps", n, len(sweeps))
	}
	for _, want := range []struct {
		sweep            int
		value            float64
		score, retrieved float64
	}{
		{0, .2, 1. / 4, 3. / 4}, // a, b and c retrieve
		{0, .6, 2. / 4, 2. / 4},
		{0, .8, 1. / 4, 1. / 4},  // c alone
		{1, .05, 3. / 4, 1. / 4}, // everybody is confident: a retrieves
		{1, .95, 1. / 4, 1. / 4}, // nobody is: a and b rely on sn and keep the closed answer, c retrieves
		{2, .1, 3. / 4, 3. / 4},  // c and d retrieve
		{2, .95, 3. / 4, 1. / 4}, // a alone retrieves
	} {
		for _, p := range sweeps[want.sweep].Points {
			if math.Abs(p.Value-want.value) < 1e-9 && (math.Abs(p.Score.Mean-want.score) > 1e-9 || math.Abs(p.Retrieved-want.retrieved) > 1e-9) {
				t.Errorf("%s at %.2f: %.2f right, %.2f retrieved, want %.2f and %.2f", sweeps[want.sweep].Threshold, p.Value, p.Score.Mean, p.Retrieved, want.score, want.retrieved)
			}
		}
		if len(sweeps[want.sweep].Points) != 19 {
			t.Errorf("%d points", len(sweeps[want.sweep].Points))
		}
	}
	if none, n := Sweeps(outcomes[4:]); none != nil || n != 0 {
		t.Error("a sweep without a net")
	}
}
