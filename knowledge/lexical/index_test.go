package lexical

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var anyParameters = Parameters{K1: 1.1, B: 0.6}

// built returns an index of texts in a folder of its own.
func built(t testing.TB, texts []string) *Index {
	t.Helper()
	x, err := Open(builtDir(t, texts))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func builtDir(t testing.TB, texts []string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "lexical")
	if err := Build(t.Context(), dir, anyParameters, textsOf(texts), nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func textsOf(texts []string) Texts {
	return Texts{N: len(texts), Text: func(i int) string { return texts[i] }}
}

// plainBM25 is the textbook formula without an index.
func plainBM25(texts []string, query []string) []float64 {
	total := 0
	counts := make([]map[string]int, len(texts))
	lengths := make([]int, len(texts))
	df := map[string]int{}
	for i, text := range texts {
		counts[i] = map[string]int{}
		for _, term := range Terms(text) {
			counts[i][term]++
			lengths[i]++
			total++
		}
		for term := range counts[i] {
			df[term]++
		}
	}
	mean := float64(total) / float64(len(texts))
	scores := make([]float64, len(texts))
	for i := range texts {
		for _, term := range query {
			tf := float64(counts[i][term])
			if tf == 0 {
				continue
			}
			n, d := float64(len(texts)), float64(df[term])
			idf := math.Log(1 + (n-d+0.5)/(d+0.5))
			scores[i] += idf * tf / (tf + anyParameters.K1*(1-anyParameters.B+anyParameters.B*float64(lengths[i])/mean))
		}
	}
	return scores
}

// zipfTexts returns texts of words of which some are far more frequent than others.
func zipfTexts(n int, seed uint64) []string {
	random := rand.New(rand.NewPCG(seed, 0))
	zipf := rand.NewZipf(random, 1.2, 3, 300)
	texts := make([]string, n)
	for i := range texts {
		var words []string
		for range random.IntN(12) {
			words = append(words, fmt.Sprintf("w%d", zipf.Uint64()))
		}
		texts[i] = strings.Join(words, " ")
	}
	return texts
}

func TestScoresAreTextbookBM25(t *testing.T) {
	// The sizes are those around which the number of bluge's segments changes.
	for _, n := range []int{1, 2, 3, 9, 10, 11, 99, 101, 1234, 20001} {
		texts := zipfTexts(n, uint64(n))
		texts[n/2] += " w1 w1 alone"
		x := built(t, texts)
		for _, query := range []string{"w1", "w1 w7 w300 unknown", "w2 w2 w5", "alone", ""} {
			scores, err := x.Score(t.Context(), Terms(query), nil)
			if err != nil {
				t.Fatal(err)
			}
			for ordinal, want := range plainBM25(texts, Terms(query)) {
				if got := scores.Of(ordinal); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%d texts, %q, text %d (%q): %v, want %v", n, query, ordinal, texts[ordinal], got, want)
				}
				if got := x.ScoreText(Terms(query), Terms(texts[ordinal]), nil); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%d texts, %q, the text %q alone: %v, want %v", n, query, texts[ordinal], got, want)
				}
			}
			scores.Release()
		}
	}
}

func TestBestIsASortedPrefixWithTiesByOrdinal(t *testing.T) {
	texts := zipfTexts(500, 1)
	x := built(t, texts)
	query := Terms("w1 w2 w9")
	even := func(ordinal int) bool { return ordinal%2 == 0 }
	all := plainBM25(texts, query)
	for _, k := range []int{0, 1, 2, 3, 10, 100, 1000} {
		for name, keep := range map[string]func(int) bool{"all": nil, "even": even} {
			var want []Hit
			for ordinal, score := range all {
				if score > 0 && (keep == nil || keep(ordinal)) {
					want = append(want, Hit{ordinal, score})
				}
			}
			slices.SortFunc(want, compare)
			want = want[:min(k, len(want))]
			got, err := x.Search(t.Context(), query, k, keep)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(ordinals(want), ordinals(got)); diff != "" {
				t.Errorf("best %d of %s: %s", k, name, diff)
			}
		}
	}
}

func ordinals(hits []Hit) []int {
	list := []int{}
	for _, hit := range hits {
		list = append(list, hit.Ordinal)
	}
	return list
}

func TestStatistics(t *testing.T) {
	x := built(t, []string{"iron iron tablets", "iron infusion", "的", ""})
	if x.N() != 4 || x.DocFreq("iron") != 2 || x.DocFreq("的") != 1 || x.DocFreq("zinc") != 0 {
		t.Errorf("N %d, df %d %d %d", x.N(), x.DocFreq("iron"), x.DocFreq("的"), x.DocFreq("zinc"))
	}
	if diff := cmp.Diff([]string{"iron", "iron", "tablet"}, x.Terms(0)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"iron", "tablet", "infus", "的"}, x.Vocabulary()); diff != "" {
		t.Error(diff)
	}
}

func TestTextsWithoutTerms(t *testing.T) {
	x := built(t, []string{"", "the", "…"})
	hits, err := x.Search(t.Context(), []string{"iron"}, 5, nil)
	if err != nil || len(hits) != 0 || x.N() != 3 {
		t.Errorf("%v, %v, N %d", hits, err, x.N())
	}
}

func TestNoTexts(t *testing.T) {
	if err := Build(t.Context(), t.TempDir(), anyParameters, Texts{}, nil); err == nil {
		t.Error("an index of nothing was built")
	}
}

func TestParametersAreRecordedAndChecked(t *testing.T) {
	if got := built(t, []string{"iron"}).Parameters(); got != anyParameters {
		t.Errorf("%+v, want %+v", got, anyParameters)
	}
	for _, p := range []Parameters{{}, {K1: -1}, {K1: math.NaN()}, {K1: math.Inf(1)}, {1, -0.1}, {1, 1.1}, {1, math.NaN()}} {
		if err := Build(t.Context(), t.TempDir(), p, textsOf([]string{"iron"}), nil); err == nil {
			t.Errorf("built with %+v", p)
		}
	}
}

func TestCancelledSearchAndBuild(t *testing.T) {
	x := built(t, []string{"iron"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Search(ctx, []string{"iron"}, 5, nil); err != context.Canceled {
		t.Errorf("search: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "x")
	if err := Build(ctx, dir, anyParameters, textsOf([]string{"iron"}), nil); err == nil {
		t.Error("build went on")
	}
	if _, err := Open(dir); err == nil {
		t.Error("what an interrupted build left was opened")
	}
}

func TestConcurrentSearches(t *testing.T) {
	texts := zipfTexts(2000, 3)
	x := built(t, texts)
	queries := [][]string{{"w1", "w2"}, {"w3"}, {"w4", "w5", "w6"}, {"w300"}}
	want := make([][]Hit, len(queries))
	for i, query := range queries {
		want[i], _ = x.Search(t.Context(), query, 20, nil)
	}
	done := make(chan error)
	for worker := range 8 {
		go func() {
			for round := range 50 {
				i := (worker + round) % len(queries)
				got, err := x.Search(t.Context(), queries[i], 20, nil)
				if err == nil && !slices.Equal(got, want[i]) {
					err = fmt.Errorf("%v: %v, want %v", queries[i], got, want[i])
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	dir := builtDir(t, zipfTexts(500, 4))
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	damages := map[string]func([]byte) []byte{
		"cut off":       func(data []byte) []byte { return data[:len(data)*2/3] },
		"emptied":       func([]byte) []byte { return nil },
		"a bit flipped": func(data []byte) []byte { data[len(data)/2] ^= 4; return data },
		"longer":        func(data []byte) []byte { return append(data, 'x') },
	}
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, damage := range damages {
			os.WriteFile(path, damage(slices.Clone(whole)), 0o600)
			if _, err := Open(dir); err == nil {
				t.Errorf("%s %s: opened", path, name)
			}
		}
		os.Remove(path)
		if _, err := Open(dir); err == nil {
			t.Errorf("%s missing: opened", path)
		}
		os.WriteFile(path, whole, 0o600)
	}
	if _, err := Open(dir); err != nil {
		t.Errorf("repaired: %v", err)
	}
}

func FuzzReadForward(f *testing.F) {
	var encoded bytes.Buffer
	forwardOf([]string{"iron tablet iron", ""}).writeTo(&encoded)
	f.Add(encoded.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := readForward(data)
		if err != nil {
			return
		}
		for ordinal := range read.texts() {
			for _, number := range read.text(ordinal) {
				read.number(read.vocabulary[number])
			}
		}
		read.number("no such term")
		var again bytes.Buffer
		if read.writeTo(&again); !bytes.Equal(again.Bytes(), data) {
			t.Fatalf("%q reads as %+v and is written as %q", data, read, again.Bytes())
		}
	})
}

func FuzzReadBounds(f *testing.F) {
	const texts = 300
	terms := forwardOf(zipfTexts(texts, 5))
	var encoded bytes.Buffer
	newBounds(terms, anyParameters).writeTo(&encoded)
	f.Add(encoded.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := readBounds(data, texts, len(terms.vocabulary))
		if err != nil {
			return
		}
		for number := range terms.vocabulary {
			for at, to := read.lists(uint32(number)); at < to; at++ {
				list := read.list(at)
				for i, place := range list.places {
					if ordinal := list.window<<windowBits + int(place); ordinal >= texts {
						t.Fatalf("ordinal %d of %d, impact %d", ordinal, texts, list.impacts[i])
					}
				}
			}
		}
	})
}

// forwardOf gathers the terms of texts.
func forwardOf(texts []string) *forward {
	b := newForwardBuilder()
	for _, text := range texts {
		for _, term := range Terms(text) {
			b.add(b.numberOf(term))
		}
		b.endText()
	}
	return b.finish()
}
