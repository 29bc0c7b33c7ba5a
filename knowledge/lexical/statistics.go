package lexical

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"lacuna/vecmath/mapped"
)

// Statistics holds what scores depend on besides the text itself: how many texts an index has, how long they are, and
// in how many each term stands. It is immutable and safe for concurrent use. [Statistics.Excerpt] scores some of the
// texts by them, to the bit as the whole index does.
type Statistics struct {
	bm25    Parameters
	texts   int
	terms   int      // of all texts
	forward *forward // the vocabulary and the document frequencies, without texts
}

// Statistics returns the statistics of the index.
func (x *Index) Statistics() *Statistics {
	f := *x.forward
	s := &Statistics{bm25: x.bm25, texts: x.N(), terms: len(f.terms), forward: &f}
	f.terms, f.starts = nil, []uint64{0}
	return s
}

// Texts returns the number of texts that the statistics are of.
func (s *Statistics) Texts() int { return s.texts }

// Vocabulary returns every term of the texts, each once. The slice must not be changed.
func (s *Statistics) Vocabulary() []string { return s.forward.vocabulary }

// Parameters returns the parameters of the index.
func (s *Statistics) Parameters() Parameters { return s.bm25 }

// On disk the statistics are statisticsMagic, the version of the terms, k1 and b (IEEE 754 binary64), the numbers of
// texts and of terms in all texts (64 bits each), and a list of terms without texts as in the file of forward.
const (
	statisticsMagic  = "LACSTAT\x01"
	statisticsHeader = len(statisticsMagic) + 5*8
)

var errStatistics = errors.New("no statistics of an index")

// WriteTo writes the statistics.
func (s *Statistics) WriteTo(w io.Writer) (int64, error) {
	header := []byte(statisticsMagic)
	for _, n := range []uint64{uint64(analysisVersion), math.Float64bits(s.bm25.K1), math.Float64bits(s.bm25.B), uint64(s.texts), uint64(s.terms)} {
		header = binary.LittleEndian.AppendUint64(header, n)
	}
	file := bytes.NewBuffer(header)
	if err := s.forward.writeTo(file); err != nil {
		return 0, err
	}
	return file.WriteTo(w)
}

// ReadStatistics returns what WriteTo wrote, as views of data, which must not change. The error is an
// [ErrOtherVersion] if the terms are those of another version of [Analyze].
func ReadStatistics(data []byte) (*Statistics, error) {
	if len(data) < statisticsHeader || string(data[:len(statisticsMagic)]) != statisticsMagic {
		return nil, errStatistics
	}
	header := mapped.View[uint64](data[len(statisticsMagic):statisticsHeader])
	if header[0] != uint64(analysisVersion) {
		return nil, fmt.Errorf("%w: terms of version %d", ErrOtherVersion, header[0])
	}
	const most = math.MaxInt32
	if header[3] == 0 || header[3] > most || header[4] > math.MaxInt64 {
		return nil, errStatistics
	}
	s := &Statistics{
		bm25:  Parameters{K1: math.Float64frombits(header[1]), B: math.Float64frombits(header[2])},
		texts: int(header[3]), terms: int(header[4]),
	}
	if err := s.bm25.check(); err != nil {
		return nil, err
	}
	var err error
	if s.forward, err = readForward(data[statisticsHeader:]); err != nil {
		return nil, err
	}
	if s.forward.texts() != 0 || slices.ContainsFunc(s.forward.documents, func(df uint32) bool { return int(df) > s.texts }) {
		return nil, errStatistics
	}
	return s, nil
}

// Excerpt returns an index of some of the texts, given by their terms in order, that scores each as the index of all
// texts would. Ordinals are those of the given texts; [Index.N], [Index.DocFreq] and [Index.Vocabulary] are of all.
// Every text is compared, so that it is for some thousands. It fails for a text with a term that no text has.
func (s *Statistics) Excerpt(texts [][]string) (*Index, error) {
	f := *s.forward
	f.starts = append(make([]uint64, 0, len(texts)+1), 0)
	f.terms = nil
	for i, text := range texts {
		for _, term := range text {
			number, known := s.forward.number(term)
			if !known {
				return nil, fmt.Errorf("text %d has the term %q, which no text has", i, term)
			}
			f.terms = append(f.terms, number)
		}
		f.starts = append(f.starts, uint64(len(f.terms)))
	}
	x := &Index{bm25: s.bm25, forward: &f, texts: s.texts, mean: float64(s.terms) / float64(s.texts), excerpt: true}
	x.rooms.New = func() any { return new(scratch) }
	return x, nil
}

// compareAll returns the k best texts of an excerpt, by scoring each.
func (s *Scores) compareAll(k int, keep func(ordinal int) bool) []Hit {
	var hits []Hit
	for ordinal := range s.index.forward.texts() {
		if keep != nil && !keep(ordinal) {
			continue
		}
		if score := s.Of(ordinal); score > 0 {
			hits = append(hits, Hit{ordinal, score})
		}
	}
	slices.SortFunc(hits, compare)
	return hits[:min(k, len(hits))]
}
