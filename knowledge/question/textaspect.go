package question

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
)

// Shares has for each learnt aspect how probable it is that a text treats it.
type Shares map[Aspect]float64

// TextAspects returns how probable it is that a text treats each aspect whose wording was learnt, judged by its
// words: for text without headings. The title, whose words tell the subject and not the aspect, is left out. Of the
// windows of 60 words the one that fits an aspect best counts, so that the shares need not have the sum 1. A text with
// hardly a known word, such as any outside English, gets nil. A passage takes less than 100 µs.
//
// The words were learnt from MedQuAD, so the aspects are those of illnesses. The first window is of the right aspect
// for .902 of 4,098 answers about illnesses that were left out of the training, and for .39 to .79 if their whole
// website was left out: trust a heading more. Taking only features
// that several websites share changes neither (measured).
func TextAspects(text, title string) Shares {
	return aspectsOfWords(latinWords(Blank(text, title)))
}

// OpeningAspects is [TextAspects] of the first window of a text.
func OpeningAspects(text, title string) Shares {
	words := latinWords(Blank(text[:min(len(text), openingBytes)], title))
	return aspectsOfWords(words[:min(windowWords, len(words))])
}

// openingBytes is more than the words of a window take.
const openingBytes = 800

func aspectsOfWords(words []string) Shares {
	m := textModel()
	var shares Shares
	for window := range slices.Chunk(words, windowWords) {
		found := m.vector(window)
		if len(found) < minKnown {
			continue
		}
		p := m.predict(found)
		if shares == nil {
			shares = make(Shares, len(m.aspects))
		}
		for i, a := range m.aspects {
			shares[a] = max(shares[a], p[i])
		}
	}
	return shares
}

const (
	windowWords = 60 // of a text that are judged together
	minKnown    = 5  // features that a window must have
)

// textWeights is written by TestTextAspects -update; NOTICE names the data.
//
//go:embed textaspects.gz
var textWeights []byte

// wordingModel tells the aspect of a window of text by its words and pairs of words.
type wordingModel struct {
	aspects  []Aspect
	features map[string]int // words, and pairs joined by a space
	idf      []float64
	weights  []float64 // of feature f for aspect a at f*len(aspects)+a
	bias     []float64
}

var textModel = sync.OnceValue(func() *wordingModel {
	m, err := decodeWording(textWeights)
	if err != nil {
		panic("textaspects.gz: " + err.Error()) // part of the program, and tested
	}
	return m
})

// latinWords returns the lower-case words of at least two Latin letters.
func latinWords(text string) []string {
	words := make([]string, 0, len(text)/6)
	start := -1
	lower := strings.ToLower(text)
	for at := 0; at <= len(lower); at++ {
		letter := at < len(lower) && 'a' <= lower[at] && lower[at] <= 'z'
		switch {
		case letter && start < 0:
			start = at
		case !letter && start >= 0:
			if at-start >= 2 {
				words = append(words, lower[start:at])
			}
			start = -1
		}
	}
	return words
}

// weighted is a feature with its value.
type weighted struct {
	feature int
	value   float64
}

// vector returns the known words and pairs of a window, as a vector of length 1.
func (m *wordingModel) vector(window []string) []weighted {
	counts := make(map[int]int, len(window))
	var pair []byte
	for i, w := range window {
		if f, ok := m.features[w]; ok {
			counts[f]++
		}
		if i == 0 {
			continue
		}
		pair = append(append(append(pair[:0], window[i-1]...), ' '), w...)
		if f, ok := m.features[string(pair)]; ok {
			counts[f]++
		}
	}
	found := make([]weighted, 0, len(counts))
	sum := 0.0
	for f, n := range counts {
		v := (1 + math.Log(float64(n))) * m.idf[f]
		found = append(found, weighted{f, v})
		sum += v * v
	}
	slices.SortFunc(found, func(a, b weighted) int { return a.feature - b.feature })
	for i := range found {
		found[i].value /= math.Sqrt(sum)
	}
	return found
}

// predict returns the probability of every aspect.
func (m *wordingModel) predict(found []weighted) []float64 {
	n := len(m.aspects)
	scores := slices.Clone(m.bias)
	for _, w := range found {
		for a, weight := range m.weights[w.feature*n : (w.feature+1)*n] {
			scores[a] += w.value * weight
		}
	}
	top, total := slices.Max(scores), 0.0
	for i, s := range scores {
		scores[i] = math.Exp(s - top)
		total += scores[i]
	}
	for i := range scores {
		scores[i] /= total
	}
	return scores
}

// The file is gzip of: a line of the aspects, separated by tabs; a line with the number of features; a line for each
// feature; then as little-endian float32 the scale of the weights, the biases and the idf of the features; then the
// weights as int8.

func (m *wordingModel) encode() []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	names := make([]string, len(m.aspects))
	for i, a := range m.aspects {
		names[i] = string(a)
	}
	features := make([]string, len(m.features))
	for text, f := range m.features {
		features[f] = text
	}
	_, _ = io.WriteString(z, strings.Join(names, "\t")+"\n"+strings.Join(features, "\t")+"\n")
	top := 0.0
	for _, w := range m.weights {
		top = max(top, math.Abs(w))
	}
	scale := top / math.MaxInt8
	floats := []float32{float32(scale)}
	for _, v := range slices.Concat(m.bias, m.idf) {
		floats = append(floats, float32(v))
	}
	_ = binary.Write(z, binary.LittleEndian, floats)
	weights := make([]int8, len(m.weights))
	for i, w := range m.weights {
		weights[i] = int8(math.Round(w / scale))
	}
	_ = binary.Write(z, binary.LittleEndian, weights)
	_ = z.Close()
	return b.Bytes()
}

func decodeWording(data []byte) (*wordingModel, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	m := &wordingModel{features: make(map[string]int)}
	names, rest, _ := bytes.Cut(all, []byte("\n"))
	features, rest, _ := bytes.Cut(rest, []byte("\n"))
	for name := range strings.SplitSeq(string(names), "\t") {
		m.aspects = append(m.aspects, Aspect(name))
	}
	for text := range strings.SplitSeq(string(features), "\t") {
		m.features[text] = len(m.features)
	}
	r := bytes.NewReader(rest)
	floats := make([]float32, 1+len(m.aspects)+len(m.features))
	if err := binary.Read(r, binary.LittleEndian, floats); err != nil {
		return nil, err
	}
	weights := make([]int8, len(m.aspects)*len(m.features))
	if err := binary.Read(r, binary.LittleEndian, weights); err != nil {
		return nil, err
	}
	for i, v := range floats[1:] {
		if i < len(m.aspects) {
			m.bias = append(m.bias, float64(v))
		} else {
			m.idf = append(m.idf, float64(v))
		}
	}
	m.weights = make([]float64, len(weights))
	for i, w := range weights {
		m.weights[i] = float64(w) * float64(floats[0])
	}
	return m, nil
}
