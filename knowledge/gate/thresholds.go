package gate

// Thresholds holds the three thresholds of CCSK's decision (equation 7).
type Thresholds struct {
	Prediction float64 `json:"prediction"` // of g·F
	Confidence float64 `json:"confidence"` // up to it a single module decides
	Single     float64 `json:"single"`     // of that module
}

// Suggested holds the thresholds from which the paper starts its search.
var Suggested = Thresholds{Prediction: .6, Confidence: .5, Single: .5}

// decide is equation 7, with the condition of its second case as in the text of the paper.
func (t Thresholds) decide(prediction, confidence, single float64) (retrieve bool, score, threshold float64) {
	if confidence > t.Confidence {
		return prediction > t.Prediction, prediction, t.Prediction
	}
	return single > t.Single, single, t.Single
}

// tuning says which thresholds are searched for; the others stay as suggested.
type tuning struct{ prediction, confidence, single bool }

var tuneAll = tuning{true, true, true}

// grid returns the values a threshold may have: 0.05 to 0.95 in steps of 0.05 if it is tuned.
func grid(tune bool, suggested float64) []float64 {
	if !tune {
		return []float64{suggested}
	}
	var all []float64
	for step := 1; step < 20; step++ {
		all = append(all, float64(step)/20)
	}
	return all
}

// Sweep shows what CCSK would reach with other values of one threshold, the two others as [Suggested].
type Sweep struct {
	Threshold string // such as prediction
	Points    []SweepPoint
}

// SweepPoint is the result with one value of a threshold.
type SweepPoint struct {
	Value     float64
	Score     Interval
	Retrieved float64 // share
}

// Sweeps varies each threshold of the outcomes of a ccsk policy, which had seen none of their questions. Outcomes without
// a fusion net are left out; n counts the others.
func Sweeps(outcomes []Outcome) (all []Sweep, n int) {
	var fused []Outcome
	for _, o := range outcomes {
		if _, ok := o.Decision.Signals["prediction"]; ok {
			fused = append(fused, o)
		}
	}
	if len(fused) == 0 {
		return nil, 0
	}
	for _, vary := range []struct {
		name string
		set  func(t *Thresholds, value float64)
	}{
		{"prediction", func(t *Thresholds, value float64) { t.Prediction = value }},
		{"confidence", func(t *Thresholds, value float64) { t.Confidence = value }},
		{"single", func(t *Thresholds, value float64) { t.Single = value }},
	} {
		s := Sweep{Threshold: vary.name}
		for _, value := range grid(true, 0) {
			t := Suggested
			vary.set(&t, value)
			s.Points = append(s.Points, sweepPoint(fused, t, value))
		}
		all = append(all, s)
	}
	return all, len(fused)
}

func sweepPoint(fused []Outcome, t Thresholds, value float64) SweepPoint {
	p := SweepPoint{Value: value}
	scores := make([]float64, len(fused))
	for i, o := range fused {
		signals := o.Decision.Signals
		single := signals["sn"]
		if signals["weight rqm"] > signals["weight sn"] {
			single = signals["rqm"]
		}
		scores[i] = o.Item.Score[0]
		if retrieve, _, _ := t.decide(signals["prediction"], signals["confidence"], single); retrieve {
			scores[i] = o.Item.Score[1]
			p.Retrieved += 1 / float64(len(fused))
		}
	}
	p.Score = interval(scores)
	return p
}
