package knowledge_test

import (
	"fmt"
	"slices"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// TestWithoutIsALibraryOfTheRest leaves passages out of a library and compares it with one that was
// built of the rest: the same is found, with the same scores.
func TestWithoutIsALibraryOfTheRest(t *testing.T) {
	var all []*passage.Passage
	for i := range 40 {
		text := fmt.Sprintf("w%d w%d shared%d", i%7, i%11, i%2)
		all = append(all, &passage.Passage{
			ID: passage.IDOf(text + fmt.Sprint(i)), Source: "s", Document: fmt.Sprint(i), Record: fmt.Sprint(i), Kind: passage.Text,
			Format: passage.Plain, Text: fmt.Sprintf("%s own%d", text, i),
		})
	}
	library, err := knowledge.Build(t.Context(), all, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hidden := []int{3, 10, 17, 24, 31, 5}
	var rest []*passage.Passage
	for i, p := range all {
		if !slices.Contains(hidden, i) {
			rest = append(rest, p)
		}
	}
	built, err := knowledge.Build(t.Context(), rest, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, fewer := range map[string]*knowledge.Library{
		"at one time":        library.Without(hidden),
		"one by one":         library.Without(hidden[:1]).Without(hidden[1:2]).Without(hidden[2:]),
		"some of them twice": library.Without(hidden[:4]).Without(hidden),
	} {
		collection, want := fewer.Collection(passage.Text), built.Collection(passage.Text)
		if collection.N() != want.N() {
			t.Errorf("%s: %d texts, want %d", name, collection.N(), want.N())
		}
		for _, query := range []string{"w3", "w3 w10 shared1", "own3", "w3 own5 own6", "shared0"} {
			got, wanted := found(t, fewer, query), found(t, built, query)
			if !slices.Equal(got, wanted) {
				t.Errorf("%s: %q finds\n%v\nwant\n%v", name, query, got, wanted)
			}
		}
		if got := collection.DocFreq("own3"); got != 0 {
			t.Errorf("%s: a hidden word stands in %d texts", name, got)
		}
	}
	if n := library.Collection(passage.Text).N(); n != len(all) {
		t.Errorf("the library itself has %d texts left", n)
	}
}

func found(t *testing.T, library *knowledge.Library, query string) []string {
	t.Helper()
	hits, err := library.Search(t.Context(), knowledge.Query{Text: query, K: 50, Verbatim: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, hit := range hits {
		all = append(all, fmt.Sprintf("%s %.6f %.6f", hit.Passage.Text, hit.Score, hit.BM25))
	}
	return all
}

// TestWithoutHidesFromEveryRetriever trains an encoder, leaves passages out, and searches in each way.
func TestWithoutHidesFromEveryRetriever(t *testing.T) {
	var all []*passage.Passage
	for i := range 120 {
		text := fmt.Sprintf("Plant number %d likes soil of kind %d and water of kind %d.", i, i%9, i%5)
		all = append(all, &passage.Passage{ID: passage.IDOf(text), Source: "s", Document: fmt.Sprint(i), Record: fmt.Sprint(i), Kind: passage.Text, Format: passage.Plain, Text: text})
	}
	library, err := knowledge.Build(t.Context(), all, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	collection := library.Collection(passage.Text)
	if collection.Encoder() == nil {
		t.Fatal("no encoder was trained")
	}
	hidden := []int{0, 9, 18, 27}
	fewer := library.Without(hidden)
	for _, retriever := range []knowledge.Retriever{knowledge.Hybrid, knowledge.BM25, knowledge.Dense} {
		for _, sources := range [][]string{nil, {"s"}} {
			hits, err := fewer.Search(t.Context(), knowledge.Query{Text: "plant soil kind water", K: 120, Retriever: retriever, Sources: sources})
			if err != nil || len(hits) == 0 {
				t.Fatalf("%s: %d hits, %v", retriever, len(hits), err)
			}
			for _, hit := range hits {
				if slices.Contains(hidden, hit.Ordinal) {
					t.Errorf("%s, sources %v: finds %d", retriever, sources, hit.Ordinal)
				}
			}
		}
	}
	for _, n := range fewer.Collection(passage.Text).Nearest(collection.Vector(0), 120) {
		if slices.Contains(hidden, n.Ordinal) {
			t.Errorf("%d is among the nearest", n.Ordinal)
		}
	}
}

// TestBesideLeavesOutTheNoteItself asks for what a library has for the notes among its own files.
func TestBesideLeavesOutTheNoteItself(t *testing.T) {
	texts := map[string][]string{
		"note":    {"gout lasts a day. gout hurts", "it may come back"},
		"copy":    {"gout lasts a day", "gout hurts. it may come back", "one line more"},
		"quoting": {"gout lasts a day", "a page of its own on gout", "with more on gout", "and yet more on gout"},
		"source":  {"gout lasts two weeks"},
	}
	var all []*passage.Passage
	for _, file := range []string{"note", "copy", "quoting", "source"} {
		for i, text := range texts[file] {
			all = append(all, &passage.Passage{
				ID: passage.IDOf(text), Source: "s", Document: file, Record: fmt.Sprint(file, i), Kind: passage.Text,
				Format: passage.Plain, Text: text, Place: passage.Place{File: "/" + file},
			})
		}
	}
	library, err := knowledge.Build(t.Context(), all, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		file string
		want []string // files that a search finds
	}{
		{"/note", []string{"/quoting", "/source"}},
		{"/copy", []string{"/quoting", "/source"}},
		{"/quoting", []string{"/copy", "/note", "/source"}},
		{"/source", []string{"/copy", "/note", "/quoting"}},
		{"/elsewhere", []string{"/copy", "/note", "/quoting", "/source"}},
	} {
		hits, err := library.Beside(test.file).Search(t.Context(), knowledge.Query{Text: "gout", K: 20})
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, hit := range hits {
			files = append(files, hit.Passage.Place.File)
		}
		slices.Sort(files)
		if files = slices.Compact(files); !subset(files, test.want) || len(files) == 0 {
			t.Errorf("%s finds %q, want only %q", test.file, files, test.want)
		}
	}
	if hits, _ := new(knowledge.Library).Beside("/note").Search(t.Context(), knowledge.Query{Text: "gout"}); len(hits) > 0 {
		t.Error("the empty library finds something")
	}
}

func subset(some, of []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(of, s) })
}
