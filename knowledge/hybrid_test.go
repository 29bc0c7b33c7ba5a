package knowledge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// topics is a library large enough for encoders of both kinds: texts and questions on a few
// topics whose words occur together. The last source alone says "quinine".
var topics = sync.OnceValue(func() []*passage.Passage {
	words := [][]string{
		strings.Fields("iron anaemia ferritin tablets blood tired pale haemoglobin"),
		strings.Fields("sugar diabetes insulin metformin glucose thirst feet retina"),
		strings.Fields("breath asthma inhaler steroid wheeze cough chest night"),
	}
	var passages []*passage.Passage
	for i := range 150 {
		topic := words[i%len(words)]
		var body []string
		for j := range 7 {
			body = append(body, topic[(i/3+j*(1+i%2))%len(topic)])
		}
		body = append(body, fmt.Sprintf("case%d", i))
		passages = append(passages, text(fmt.Sprint("ward", i%2), strings.Join(body, " ")))
		passages = append(passages, pair("desk", strings.Join(body[2:], " "), strings.Join(body, " ")+" answer"))
	}
	return append(passages, text("tropics", "quinine malaria fever blood tired chills"))
})

func TestHybridFindsMoreThanTheWords(t *testing.T) {
	l := build(t, topics()...)
	if !l.Status().Encoder {
		t.Fatal("no encoder was trained")
	}
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		hits, err := l.Search(t.Context(), Query{Text: "ferritin pale", Kind: kind, K: 40})
		if err != nil || len(hits) < 25 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
		withoutWords := 0
		for i, hit := range hits {
			if hit.Retriever != Hybrid || hit.Score <= 0 || hit.Score > 1 || i > 0 && hit.Score > hits[i-1].Score {
				t.Errorf("%d: %+v", i, hit)
			}
			if hit.Cosine == 0 || (kind == passage.Text) != (hit.MaxSim > 0) {
				t.Errorf("%d: cosine %v, max-sim %v", i, hit.Cosine, hit.MaxSim)
			}
			if hit.BM25 == 0 {
				withoutWords++
			}
			if !strings.Contains(hit.Passage.Text, "iron") && !strings.Contains(hit.Passage.Text, "anaemia") && i < 20 {
				t.Errorf("%d is on another topic: %s", i, hit.Passage.Text)
			}
		}
		if withoutWords == 0 {
			t.Error("every hit has a word of the query, so the encoder added nothing")
		}
	}
}

// TestEncoderOfFewTextsCountsForLittle asks libraries of ever more texts: from the words alone to the
// whole mixture.
func TestEncoderOfFewTextsCountsForLittle(t *testing.T) {
	var notes []*passage.Passage
	for _, p := range topics() {
		if p.Kind == passage.Text {
			notes = append(notes, p)
		}
	}
	for n, trust := range map[int]float64{minTexts: 0, (minTexts + fullWeightAt) / 2: 0.5, fullWeightAt: 1, len(notes): 1} {
		l := build(t, notes[:n]...)
		want := mixtures[passage.Text]
		want = mixture{trust * want.cosine, trust * want.maxSim, trust * want.window}
		if got := l.Collection(passage.Text).mixture(); got != want {
			t.Errorf("%d texts: %+v, want %+v", n, got, want)
		}
		hits, err := l.Search(t.Context(), Query{Text: "ferritin pale", K: n})
		if err != nil || len(hits) == 0 || hits[0].Retriever != Hybrid {
			t.Fatalf("%d texts: %v, %v", n, hits, err)
		}
		words, err := l.Search(t.Context(), Query{Text: "ferritin pale", K: n, Retriever: BM25})
		if err != nil {
			t.Fatal(err)
		}
		byWords := math.Abs(hits[0].Score-words[0].Score) < 1e-9
		if byWords != (trust == 0) {
			t.Errorf("%d texts: scored by words alone is %v", n, byWords)
		}
	}
}

func TestDenseSearchSaysSo(t *testing.T) {
	l := build(t, topics()...)
	hits, err := l.Search(t.Context(), Query{Text: "ferritin", Retriever: Dense, Kind: passage.Text})
	if err != nil {
		t.Fatal(err)
	}
	for i, hit := range hits {
		if hit.Retriever != Dense || hit.Score != hit.Cosine || i > 0 && hit.Cosine > hits[i-1].Cosine {
			t.Errorf("%d: %+v", i, hit)
		}
	}
	neighbors := l.Collection(passage.Text).Nearest(vectorOf(t, l, "ferritin"), len(hits))
	for i, n := range neighbors {
		if n.Ordinal != hits[i].Ordinal || n.Cosine != hits[i].Cosine {
			t.Errorf("%d: nearest is %+v, found %+v", i, n, hits[i])
		}
	}
}

func vectorOf(t *testing.T, l *Library, term string) []float32 {
	t.Helper()
	vector, ok := l.Collection(passage.Text).Encoder().Encode([]string{term})
	if !ok {
		t.Fatalf("the encoder does not know %q", term)
	}
	return vector
}

// TestNoWordInTheSource asks sources for a word that only another one has: what is nearest in
// meaning comes after everything that has a word of the query, and shows how it was found.
func TestNoWordInTheSource(t *testing.T) {
	l := build(t, topics()...)
	hits, err := l.Search(t.Context(), Query{Text: "malaria", Sources: []string{"ward0"}})
	if err != nil || len(hits) == 0 {
		t.Fatalf("%v, %v", hits, err)
	}
	for _, hit := range hits {
		if hit.Retriever != Dense || hit.BM25 != 0 || hit.Score >= 0 {
			t.Errorf("%+v", hit)
		}
	}
	hits, err = l.Search(t.Context(), Query{Text: "malaria"})
	if err != nil || len(hits) == 0 || hits[0].Passage.Source != "tropics" || hits[0].Retriever != Hybrid {
		t.Errorf("%+v, %v", hits, err)
	}
}

// TestSlipsOfSpelling asks with misspelt words. What judges the sources looks for them as they stand.
func TestSlipsOfSpelling(t *testing.T) {
	l := build(t, topics()...)
	for _, c := range []struct {
		query Query
		word  string // in the best text; empty means that nothing is found by its words
	}{
		{Query{Text: "haemoglobn"}, "haemoglobin"},
		{Query{Text: "what is haemoglobn?"}, "haemoglobin"},
		{Query{Text: "haemoglobn", Kind: passage.QA}, "haemoglobin"},
		{Query{Text: "haemoglobn", Verbatim: true}, ""},
		{Query{Text: "haemoglobn", Retriever: BM25}, ""},
		{Query{Text: "HAEMOGLO"}, ""},
	} {
		hits, err := l.Search(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		if c.word == "" && len(hits) > 0 || c.word != "" && (len(hits) == 0 || !strings.Contains(hits[0].Passage.Text, c.word)) {
			t.Errorf("%+v: %v", c.query, records(hits))
		}
		for _, hit := range hits {
			if hit.BM25 != 0 {
				t.Errorf("%+v: a text scores %v for a word it does not hold", c.query, hit.BM25)
			}
		}
	}
}

// TestTextOfUnknownWords searches for no word that is like one of very many unknown ones, which would
// take a walk through the vocabulary each.
func TestTextOfUnknownWords(t *testing.T) {
	l := build(t, topics()...)
	var unknown strings.Builder
	const many = 64
	for i := range many {
		fmt.Fprintf(&unknown, " zzzz%dzzzz", i)
	}
	for text, want := range map[string]bool{"haemoglobn" + unknown.String() + " haemoglobn": true, unknown.String() + " haemoglobn": false} {
		s := &search{library: l, query: Query{Text: text}}
		if got := slices.Contains(s.terms(l.collections[0]), "haemoglobin"); got != want {
			t.Errorf("%q: mended is %v, want %v", text, got, want)
		}
	}
}

// TestLetters asks with a letter: a word of it counts twice at most, and question words do not count.
func TestLetters(t *testing.T) {
	l := build(t, topics()...)
	s := &search{library: l, query: Query{Text: "My blood.\n\nMy blood is tired. Why is blood tired, I ask?"}}
	want := []string{"blood", "blood", "tire", "tire", "ask"}
	for _, collection := range l.collections {
		if diff := cmp.Diff(want, s.terms(collection)); diff != "" {
			t.Errorf("%s: %s", collection.kind, diff)
		}
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	var results [][]Hit
	for range 2 {
		hits, err := build(t, topics()...).Search(t.Context(), Query{Text: "metformin glucose", K: 30})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, hits)
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Error(diff)
	}
}

func TestConcurrentSearches(t *testing.T) {
	l := build(t, topics()...)
	queries := []Query{
		{Text: "ferritin pale"}, {Text: "wheeze", Kind: passage.QA}, {Text: "insulin", Allocation: TwoWay},
		{Text: "cough night", Retriever: Dense}, {Text: "tired", Allocation: Balanced},
	}
	var group sync.WaitGroup
	for _, q := range queries {
		want, err := l.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			group.Go(func() {
				for range 20 {
					if got, err := l.Search(t.Context(), q); err != nil || !slices.Equal(got, want) {
						t.Errorf("%+v: differs beside others, %v", q, err)
					}
				}
			})
		}
	}
	group.Wait()
}

func FuzzSearch(f *testing.F) {
	l := build(f, append(topics(), text("ward1", topics()[0].Text), pair("desk", "quinine?", ""), text("ward0", ""))...)
	f.Add("iron tablets and malaria", 5, byte(0))
	f.Add("quinine", 1000, byte(7))
	f.Add("\xff维生素", -3, byte(255))
	kinds := []passage.Kind{"", passage.Text, passage.QA}
	retrievers := []Retriever{"", BM25, Dense}
	shares := []Allocation{"", TwoWay, Balanced}
	sources := [][]string{nil, {"ward1"}, {"tropics", "desk", "nowhere"}}
	f.Fuzz(func(t *testing.T, words string, k int, choice byte) {
		c := int(choice)
		q := Query{Text: words, K: k, Kind: kinds[c%3], Retriever: retrievers[c/3%3], Allocation: shares[c/9%3], Sources: sources[c/27%3]}
		hits, err := l.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if limit := map[bool]int{true: k, false: 10}[k > 0]; len(hits) > limit {
			t.Fatalf("%d hits, asked for %d", len(hits), limit)
		}
		seen := map[passage.ID]bool{}
		for i, hit := range hits {
			switch p := hit.Passage; {
			case hit.Rank != i+1 || l.Passages()[hit.Ordinal] != p:
				t.Fatalf("%d: %+v", i, hit)
			case seen[p.ID] && p.Text != "":
				t.Fatalf("%q twice", p.Text)
			case q.Kind != "" && p.Kind != q.Kind, q.Sources != nil && !slices.Contains(q.Sources, p.Source):
				t.Fatalf("%+v found %+v", q, p)
			case q.Allocation == "" && i > 0 && hit.Score > hits[i-1].Score:
				t.Fatalf("%v after %v", hit.Score, hits[i-1].Score)
			default:
				seen[p.ID] = true
			}
		}
	})
}

// What was searched for before, or is at the same time, is used again and must change nothing.
func TestSearchesThatShareWorkFindWhatEachFindsAlone(t *testing.T) {
	l := build(t, topics()...)
	alone := func() *Library {
		fresh := *l
		fresh.collections = nil
		for _, collection := range l.collections {
			forgetful := *collection
			forgetful.cache = new(searchCache)
			fresh.collections = append(fresh.collections, &forgetful)
		}
		return &fresh
	}
	var queries []Query
	for _, text := range []string{"ferritin pale", "pale ferritin", "ferritin ferritin pale", "what is sugar?", "quinin", ""} {
		for _, sources := range [][]string{nil, {"ward0"}, {"ward0", "tropics"}, {"nowhere"}} {
			for _, k := range []int{3, 150} {
				queries = append(queries,
					Query{Text: text, K: k, Sources: sources}, Query{Text: text, K: k, Sources: sources, Verbatim: true},
					Query{Text: text, K: k, Sources: sources, Retriever: BM25}, Query{Text: text, K: k, Sources: sources, Retriever: Dense},
				)
			}
		}
	}
	var searching sync.WaitGroup
	for worker := range 4 {
		searching.Go(func() {
			for i := range queries {
				q := queries[(i/2*2+worker)%len(queries)] // neighbours at the same time, some of them twice
				got, err := l.Search(t.Context(), q)
				if err != nil {
					t.Error(err)
				}
				want, err := alone().Search(t.Context(), q)
				if err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%+v: %s", q, diff)
				}
			}
		})
	}
	searching.Wait()
	for _, word := range []string{"ferritin", "sugar"} {
		if _, err := l.Search(t.Context(), Query{Text: word, Kind: passage.Text}); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{0, 1, 10, candidates, 1000} {
			vector := vectorOf(t, l, word)
			got, want := l.Collection(passage.Text).Nearest(vector, k), alone().Collection(passage.Text).Nearest(vector, k)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d nearest to %s: %s", k, word, diff)
			}
		}
	}
}
