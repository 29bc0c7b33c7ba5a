package dense

import (
	"math"
	"slices"
	"testing"

	"lacuna/vecmath"
)

// plane returns an encoder of three terms in the plane; the third is the mean of the others.
func plane() *Encoder {
	return newEncoder(2, []string{"iron", "zinc", "metal"}, []float32{1, 2, 0.5}, []float32{2, 0, 0, 1, 3, 3})
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		name  string
		terms []string
		want  []float32 // before normalisation; nil means unknown
	}{
		{"one", []string{"iron"}, []float32{1, 0}},
		{"two, weighed", []string{"iron", "zinc"}, []float32{1 * 2 * .5, 2 * 1 * .5}},
		{"repeated", []string{"iron", "zinc", "iron"}, []float32{1 * 2 * 2. / 3, 2 * 1 * .5}},
		{"unknown skipped", []string{"lead", "zinc"}, []float32{0, 1}},
		{"all unknown", []string{"lead"}, nil},
		{"nothing", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := plane().Encode(c.terms)
			if ok != (c.want != nil) {
				t.Fatalf("%v, %v", got, ok)
			}
			length := vecmath.Norm(c.want)
			for i := range c.want {
				if math.Abs(float64(got[i]-c.want[i]/length)) > 1e-6 {
					t.Fatalf("%v, want the direction of %v", got, c.want)
				}
			}
		})
	}
}

func TestOppositeTermsHaveNoDirection(t *testing.T) {
	e := newEncoder(1, []string{"up", "down"}, []float32{1, 1}, []float32{1, -1})
	if v, ok := e.Encode([]string{"up", "down"}); ok {
		t.Errorf("%v", v)
	}
}

func TestMaxSim(t *testing.T) {
	e := plane()
	half := math.Sqrt(0.5) // cosine of metal with either
	for _, c := range []struct {
		name        string
		query, text []string
		want        float64
	}{
		{"the same", []string{"iron"}, []string{"zinc", "iron"}, 1},
		{"near", []string{"iron"}, []string{"metal"}, half},
		{"nothing alike", []string{"iron"}, []string{"zinc"}, 0},
		{"weighed by idf", []string{"iron", "zinc"}, []string{"zinc"}, 2. / 3},
		{"repetition changes nothing", []string{"iron", "zinc", "iron"}, []string{"zinc", "zinc"}, 2. / 3},
		{"unknown words are left out", []string{"iron", "lead"}, []string{"iron", "lead"}, 1},
		{"no known word", []string{"lead"}, []string{"iron"}, 0},
		{"empty text", []string{"iron"}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := e.MaxSim(c.query, c.text); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%v, want %v", got, c.want)
			}
			// The same by numbers of a vocabulary that lists the text backwards.
			vocabulary := slices.Clone(c.text)
			slices.Reverse(vocabulary)
			numbers := make([]uint32, len(c.text))
			for i := range numbers {
				numbers[i] = uint32(len(numbers) - 1 - i)
			}
			if got := e.Matcher(c.query).MaxSimNumbers(numbers, e.Translate(vocabulary)); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("by numbers: %v, want %v", got, c.want)
			}
		})
	}
	m := e.Matcher([]string{"iron", "zinc"})
	for range 2 { // the second time from memory
		if got := m.MaxSim([]string{"metal"}); math.Abs(got-half) > 1e-6 {
			t.Errorf("matcher: %v, want %v", got, half)
		}
	}
}

func TestWordVector(t *testing.T) {
	if v, ok := plane().WordVector("metal"); !ok || math.Abs(float64(vecmath.Norm(v))-1) > 1e-6 {
		t.Errorf("%v, %v", v, ok)
	}
	if _, ok := plane().WordVector("lead"); ok {
		t.Error("a vector of an unknown word")
	}
}
