package lexical

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func scoredPlainly(t testing.TB, x *Index, query []string) []float64 {
	t.Helper()
	scores, err := scorePlainly(x, query)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// agree fails unless a search finds what plain scoring does, to the bit.
func agree(t testing.TB, x *Index, query []string) {
	t.Helper()
	want := scoredPlainly(t, x, query)
	scores, err := x.Score(t.Context(), query, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer scores.Release()
	for ordinal := range want {
		if got := scores.Of(ordinal); got != want[ordinal] {
			t.Fatalf("%q, text %d: score %v, want %v", query, ordinal, got, want[ordinal])
		}
	}
	keeps := map[string]func(int) bool{
		"all": nil, "every third": func(i int) bool { return i%3 == 1 }, "the last": func(i int) bool { return i == x.N()-1 },
		"none": func(int) bool { return false },
	}
	for _, k := range []int{0, 1, 2, 7, 32, 200, x.N() + 1} {
		for name, keep := range keeps {
			if got, want := scores.Best(k, keep), bestOf(want, k, keep); !slices.Equal(got, want) {
				t.Fatalf("%q, best %d of %s of %d: %s", query, k, name, x.N(), firstDifference(got, want))
			}
		}
	}
}

func firstDifference(got, want []Hit) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("place %d is %v, want %v", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d hits, want %d", len(got), len(want))
}

// zipfQuery is a query of words of zipfTexts, of which some occur twice and some nowhere.
func zipfQuery(random *rand.Rand) []string {
	zipf := rand.NewZipf(random, 1.1, 3, 310)
	query := make([]string, 1+random.IntN(30))
	for i := range query {
		query[i] = fmt.Sprintf("w%d", zipf.Uint64())
	}
	return query
}

func TestSearchAgreesWithPlainScoring(t *testing.T) {
	// The sizes are those around which terms become common and windows begin.
	for _, n := range []int{1, 63, 64, 65, 300, windowSize, windowSize + 1, 3*windowSize - 1} {
		x := built(t, zipfTexts(n, uint64(n)))
		random := rand.New(rand.NewPCG(7, uint64(n)))
		for range 12 {
			agree(t, x, zipfQuery(random))
		}
		agree(t, x, nil)
		agree(t, x, []string{"unknown"})
	}
}

func TestSearchAgreesWhenManyTextsTie(t *testing.T) {
	texts := make([]string, 2*windowSize+100)
	for i := range texts {
		texts[i] = []string{"iron", "iron zinc", "zinc copper", "iron iron zinc copper"}[i*i%4]
	}
	x := built(t, texts)
	for _, query := range []string{"iron", "zinc copper", "copper zinc iron", "iron iron zinc"} {
		agree(t, x, strings.Fields(query))
	}
}

// The second window holds only texts that are hardly better than the first window's.
func TestSearchFindsWhatIsHardlyBetterInAnotherWindow(t *testing.T) {
	texts := make([]string, 2*windowSize)
	for i := range 100 {
		texts[i] = "iron"
		if i > 0 {
			texts[windowSize+i] = "zinc" // in one text less, and so worth a little more
		}
	}
	agree(t, built(t, texts), []string{"iron", "zinc"})
}

// All texts of up to three words of three, as often as makes their words common, against all
// queries of up to three words.
func TestSearchAgreesOnAllSmallCases(t *testing.T) {
	words := []string{"iron", "zinc", "copper"}
	all := []string{""}
	for from := 0; len(all) < 1+3+9+27; from++ {
		for _, word := range words {
			all = append(all, strings.TrimSpace(all[from]+" "+word))
		}
	}
	for _, times := range []int{1, 3} { // rare and common
		var texts []string
		for i := range times * len(all) {
			texts = append(texts, all[i%len(all)])
		}
		x := built(t, texts)
		for _, query := range all {
			agree(t, x, strings.Fields(query))
		}
	}
}

func FuzzSearch(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 3))
	texts := zipfTexts(2*windowSize, 9)
	for i := range texts { // few long texts among many short ones, where bounds are widest
		if random.IntN(500) == 0 {
			texts[i] = strings.Repeat(texts[i]+" ", 200)
		}
	}
	x := built(f, texts)
	f.Add([]byte{1, 2, 3}, 32)
	f.Add([]byte("what are the symptoms and treatments"), 200)
	f.Fuzz(func(t *testing.T, words []byte, k int) {
		query := make([]string, len(words))
		for i, word := range words {
			query[i] = fmt.Sprintf("w%d", word)
		}
		got, err := x.Search(t.Context(), query, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := bestOf(scoredPlainly(t, x, query), k, nil); len(got)+len(want) > 0 && !slices.Equal(got, want) {
			t.Fatalf("best %d for %q: %s", k, query, firstDifference(got, want))
		}
	})
}

func TestSearchAgreesWhenThePostingsStandInManyParts(t *testing.T) {
	defer func(before int) { largestPart = before }(largestPart)
	for _, largestPart = range []int{100, 333, 1000} {
		x := built(t, zipfTexts(1000, 12))
		if want := (1000 + largestPart - 1) / largestPart; len(x.parts) != want {
			t.Errorf("%d parts, want %d", len(x.parts), want)
		}
		random := rand.New(rand.NewPCG(9, 9))
		for range 5 {
			agree(t, x, zipfQuery(random))
		}
	}
}

// Texts come, go, change and move from index to index, each built upon the last: the result is that
// of an index built from the same texts in one go.
func TestRebuiltIndexesAgreeWithNewOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	pool := zipfTexts(10_000, 11)
	ordinals := random.Perm(2000) // of the pool
	old := builtOf(t, pool, ordinals, nil, nil)
	most := 0
	for range 12 {
		before := ordinals
		ordinals = edited(random, before, len(pool))
		x := builtOf(t, pool, ordinals, old, before)
		fresh := builtOf(t, pool, ordinals, nil, nil)
		for _, name := range []string{forwardName, boundsName} {
			if x.manifest.Files[name] != fresh.manifest.Files[name] {
				t.Fatalf("%s differs from that of a new index", name)
			}
		}
		for range 3 {
			agree(t, x, zipfQuery(random))
			query := zipfQuery(random)
			if !slices.Equal(scoredPlainly(t, x, query), scoredPlainly(t, fresh, query)) {
				t.Fatalf("%q: other postings than in a new index", query)
			}
		}
		most = max(most, len(x.parts))
		old = x
	}
	if most < 2 {
		t.Error("no index had more than one part")
	}
}

// edited returns a changed list of distinct numbers below n.
func edited(random *rand.Rand, list []int, n int) []int {
	list = slices.Clone(list)
	for range 1 + random.IntN(60) { // changes
		at := random.IntN(len(list))
		if fresh := random.IntN(n); !slices.Contains(list, fresh) {
			list[at] = fresh
		}
	}
	from := random.IntN(len(list) - 50)
	list = slices.Delete(list, from, from+random.IntN(50))
	if random.IntN(4) == 0 {
		list = slices.Delete(list, 0, len(list)/3)
	}
	for range random.IntN(300) {
		if fresh := random.IntN(n); !slices.Contains(list, fresh) {
			list = slices.Insert(list, random.IntN(len(list)), fresh)
		}
	}
	if at := random.IntN(len(list)); random.IntN(2) == 0 {
		list = slices.Concat(list[at:], list[:at])
	}
	return list
}

// builtOf returns an index of some texts of a pool, built upon an old one of others.
func builtOf(t *testing.T, pool []string, ordinals []int, old *Index, before []int) *Index {
	t.Helper()
	known := make(map[int]int, len(before))
	for at, ordinal := range before {
		known[ordinal] = at
	}
	texts := Texts{
		N:    len(ordinals),
		Text: func(i int) string { return pool[ordinals[i]] },
		Old:  old,
		Known: func(i int) (int, bool) {
			at, ok := known[ordinals[i]]
			return at, ok
		},
	}
	if old != nil {
		texts.OldDir = old.dir
	}
	dir := filepath.Join(t.TempDir(), "lexical")
	if err := Build(t.Context(), dir, anyParameters, texts, nil); err != nil {
		t.Fatal(err)
	}
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
