package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"lacuna/vecmath"
)

// TestBestWindow compares with encoding each window as a text of its own.
func TestBestWindow(t *testing.T) {
	e := randomEncoder(12)
	vocabulary := append([]string{"nobody-knows-this"}, e.vocabulary...)
	rows := e.Translate(vocabulary)
	random := rand.New(rand.NewPCG(3, 0))
	query := e.vocabulary[:3]
	vector, _ := e.Encode(query)
	for length := range 80 {
		numbers, terms := make([]uint32, length), make([]string, length)
		for i := range numbers {
			numbers[i] = uint32(random.IntN(min(9, len(vocabulary)))) // so that terms repeat
			terms[i] = vocabulary[numbers[i]]
		}
		want := 0.0
		for start := 0; start < length; start += windowStep {
			if start > 0 && start+windowStep >= length {
				break // the window before reaches the end
			}
			if v, known := e.Encode(terms[start:min(start+windowLength, length)]); known {
				want = max(want, float64(vecmath.Dot(v, vector)))
			}
		}
		m := e.Matcher(query)
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			if got := m.BestWindow(vector, numbers, rows); math.Abs(got-min(1, want)) > 1e-5 {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

// randomEncoder returns an encoder of so many terms in sixteen dimensions.
func randomEncoder(terms int) *Encoder {
	random := rand.New(rand.NewPCG(7, 0))
	var vocabulary []string
	var idf, vectors []float32
	for term := range terms {
		vocabulary = append(vocabulary, fmt.Sprint("term", term))
		idf = append(idf, 1+random.Float32())
		for range 16 {
			vectors = append(vectors, float32(random.NormFloat64()))
		}
	}
	return newEncoder(16, vocabulary, idf, vectors)
}
