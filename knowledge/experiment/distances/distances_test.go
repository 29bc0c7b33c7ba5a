package distances

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/passage"
)

// onCircle encodes a text that is an angle in degrees.
func onCircle(text string) ([]float32, bool) {
	var degrees float64
	if n, err := fmt.Sscan(text, &degrees); n != 1 || err != nil {
		return nil, false
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(cos), float32(sin)}, true
}

// chord is the distance of two unit vectors at an angle.
func chord(degrees float64) float64 { return 2 * math.Sin(degrees*math.Pi/360) }

func TestMeasure(t *testing.T) {
	bases := []Base{
		{"passages", []Text{{Text: "90"}, {Text: "180"}, {Text: "unknown"}}},
		{"pairs", []Text{{"0", "The 0?"}, {"30", "other"}, {"100", "third"}}},
	}
	r, err := Measure(t.Context(), onCircle, []string{"0", "100", "nothing", "170"}, bases, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.N != 3 || r.Unknown != 1 || r.Bases[0].Texts != 2 || r.Bases[1].OwnPairs != 1 || r.Bases[0].OwnPairs != 0 {
		t.Errorf("%+v", r)
	}
	// The pair of the question 0 is the same question, so its nearest is at 30 degrees.
	for base, want := range [][]float64{{chord(90), chord(10), chord(10)}, {chord(30), 0, chord(70)}} {
		for i, d := range r.Bases[base].Distances {
			if math.Abs(d-want[i]) > 1e-3 {
				t.Errorf("%s: question %d at %.4f, want %.4f", r.Bases[base].Name, i, d, want[i])
			}
		}
	}
	p := r.Bases[0]
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-3 {
			t.Errorf("%s is %.4f, want %.4f", name, got, want)
		}
	}
	near("mean", p.Mean, (chord(90)+2*chord(10))/3)
	near("median", p.Median, chord(10))
	near("third quartile", p.ThirdQuartile, (chord(90)+chord(10))/2)
	if p.Histogram[3] != 2 || p.Histogram[28] != 1 { // .1743 and 1.4142 in bins of .05
		t.Errorf("histogram %v", p.Histogram)
	}
	c := r.Compare(1, 0, 1)
	near("share", c.Share, 2./3)
	near("difference", c.Difference, (chord(30)+chord(70)-chord(90)-2*chord(10))/3)
}

func TestTiesAreNotNearer(t *testing.T) {
	r := Result{N: 4, Bases: []Figures{{Distances: []float64{1, 1, .5, 1}}, {Distances: []float64{1, 2, 1, .5}}}}
	if c := r.Compare(0, 1, 1); c.Share != .5 || c.Ties != 1 || c.Difference != -.25 {
		t.Errorf("%+v", c)
	}
}

func TestNothingToMeasure(t *testing.T) {
	for name, call := range map[string]struct {
		questions []string
		base      []Text
	}{
		"no known question": {[]string{"x"}, []Text{{Text: "1"}}},
		"no question":       {nil, []Text{{Text: "1"}}},
		"no text":           {[]string{"1"}, nil},
		"only its own pair": {[]string{"1"}, []Text{{"1", "1"}}},
	} {
		if _, err := Measure(t.Context(), onCircle, call.questions, []Base{{"base", call.base}}, 1); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBasesOfALibrary(t *testing.T) {
	bases := BasesOf([]*passage.Passage{
		{Kind: passage.Text, Title: "Asthma", Text: "A reliever opens the airways."},
		{Kind: passage.QA, Question: "What is a spacer?", Text: "A tube."},
	})
	if len(bases) != 3 || bases[0].Texts[0].Question != "" || bases[1].Texts[0] != (Text{"What is a spacer?\nA tube.", "What is a spacer?"}) || bases[2].Texts[0].Text != "What is a spacer?" {
		t.Errorf("%+v", bases)
	}
	if only := BasesOf([]*passage.Passage{{Kind: passage.Text}}); len(only) != 1 {
		t.Errorf("%+v", only)
	}
}

// TestTrainedEncoder trains on both kinds together, so that a question is near the passage and the pair about its thing.
func TestTrainedEncoder(t *testing.T) {
	if _, err := Train(t.Context(), nil); !errors.Is(err, dense.ErrTooSmall) {
		t.Errorf("of nothing: %v", err)
	}
	var passages []*passage.Passage
	things := []string{"metformin", "asthma", "warfarin", "anaemia", "migraine", "gout"}
	for i := range 120 {
		thing := things[i%len(things)]
		passages = append(passages,
			&passage.Passage{Kind: passage.Text, Title: thing, Text: fmt.Sprintf("%s is treated in clinic %d. The dose of %s is reviewed. Doctors of %s meet there.", thing, i, thing, thing)},
			&passage.Passage{Kind: passage.QA, Question: fmt.Sprintf("Who treats %s in ward %d?", thing, i), Text: fmt.Sprintf("The team of %s does, with its nurses.", thing)})
	}
	encoder, err := Train(t.Context(), passages)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(t.Context(), EncodeBy(encoder), []string{"Who treats gout?", "team for migraine"}, BasesOf(passages), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.N {
		passages, pairs := r.Bases[0].Distances[i], r.Bases[1].Distances[i]
		if !(pairs < passages && passages < math.Sqrt2) {
			t.Errorf("question %d: %.2f from its pair, %.2f from its passage", i, pairs, passages)
		}
	}
}
