package knowledge

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// leaf is a passage of a page: its file, its title, its text.
func leaf(file, title, text string) *passage.Passage {
	p := &passage.Passage{
		Source: "kb", Record: path.Base(file), Document: "kb/" + path.Base(file), Kind: passage.Text, Format: passage.Plain,
		Title: title, Text: text, Place: passage.Place{File: file, Line: 1},
	}
	p.Identify("")
	return p
}

const same = "No adjustment of the dose is needed in kidney disease."

// Each place of a text is found by its own title.
func TestEqualTextsAreFoundByTheirTitles(t *testing.T) {
	var pages []*passage.Passage
	for i := range 60 {
		name := fmt.Sprintf("Remedin %c%c", 'A'+i/26, 'a'+i%26)
		pages = append(pages, leaf("/kb/"+name, name, same), leaf("/kb/"+name, name, "Store it in a dry place, number "+fmt.Sprint(i)+"."))
	}
	l := build(t, pages...)
	for _, title := range []string{"Remedin Aa", "Remedin Bc", "Remedin Ch"} {
		hits, err := l.Search(t.Context(), Query{Text: "dose of " + title + " in kidney disease", K: 5})
		if err != nil || len(hits) == 0 || hits[0].Passage.Title != title || hits[0].Passage.Text != same {
			t.Errorf("%s: %v, %v", title, records(hits), err)
		}
		n := 0
		for _, hit := range hits {
			if hit.Passage.Text == same {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: the same text %d times", title, n)
		}
	}
	hits, err := l.Search(t.Context(), Query{Text: "kidney disease with remedin Aa or remedin Bc", K: 5})
	var titles []string
	for _, hit := range hits {
		if hit.Passage.Text == same {
			titles = append(titles, hit.Passage.Title)
		}
	}
	slices.Sort(titles)
	if diff := cmp.Diff([]string{"Remedin Aa", "Remedin Bc"}, titles); diff != "" || err != nil {
		t.Errorf("a question about two: %s, %v", diff, err)
	}
}

// A paragraph that stands on every page leaves room for what else there is.
func TestTextOnEveryPageLeavesRoom(t *testing.T) {
	const copies = 20_000
	var pages []*passage.Passage
	for i := range copies {
		pages = append(pages, leaf(fmt.Sprintf("/kb/%d.md", i), fmt.Sprintf("Page %d", i), "Ask your doctor about iron."))
	}
	for i := range 30 {
		pages = append(pages, leaf(fmt.Sprintf("/kb/x%d.md", i), "Metals", fmt.Sprintf("Some iron is in food number %d, which a doctor may ask you about at length.", i)))
	}
	collection, err := buildCollection(t.Context(), t.TempDir(), pages, ordinalsOf(pages, passage.Text), passage.Text, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := newLibrary(contents{passages: pages, collections: []*Collection{collection}})
	hits, err := l.Search(t.Context(), Query{Text: "ask the doctor about iron", K: 20})
	if err != nil || len(hits) != 20 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	for i, hit := range hits {
		if strings.HasPrefix(hit.Passage.Text, "Ask") != (i == 0) {
			t.Errorf("hit %d is %q", i, hit.Passage.Text)
		}
	}
	if hits, _ := l.Search(t.Context(), Query{Text: "what does page 17003 say about iron", K: 3}); len(hits) == 0 || hits[0].Passage.Title != "Page 17003" {
		t.Errorf("page 17003 is not the first of %v", records(hits))
	}
	if p, how := l.Resolve(pages[17003].ID, nil); how != Same || p != pages[17003] {
		t.Errorf("page 17003 is cited as %v, %v", p, how)
	}
}

// A citation finds its page after all that may happen to it.
func TestCited(t *testing.T) {
	at := func(file string) func(*passage.Passage) int {
		return func(p *passage.Passage) int {
			if p.Place.File == file {
				return 1
			}
			return 0
		}
	}
	cited := leaf("/kb/three.md", "Orvanta 3", same)
	l := build(t, leaf("/kb/four.md", "Orvanta 4", same), cited, leaf("/kb/copy.md", "Orvanta 3", same), leaf("/kb/five.md", "Orvanta 5", "Other."))
	for _, c := range []struct {
		name string
		id   passage.ID
		file string
		want string
		how  Match
	}{
		{"as cited", cited.ID, "/kb/three.md", "/kb/three.md", Same},
		{"a copy was cited", cited.ID, "/kb/copy.md", "/kb/copy.md", Same},
		{"the file was moved", cited.ID, "/old/three.md", "/kb/three.md", Same},
		{"an earlier version's citation", passage.IDOf(same), "/kb/three.md", "/kb/three.md", Same},
		{"an earlier version's citation of a moved file", passage.IDOf(same), "/old/three.md", "/kb/four.md", Same},
		{"the title was changed", leaf("", "Orvanta Three", same).ID, "/kb/three.md", "/kb/three.md", Retitled},
		{"the page is gone", leaf("", "Orvanta 9", same).ID, "/kb/nine.md", "/kb/four.md", Elsewhere},
		{"the text is gone", leaf("", "Orvanta 9", "Gone.").ID, "/kb/three.md", "", Lost},
		{"an earlier version's citation of a text that is gone", passage.IDOf("Gone."), "/kb/three.md", "", Lost},
	} {
		p, how := l.Resolve(c.id, at(c.file))
		file := ""
		if p != nil {
			file = p.Place.File
		}
		if file != c.want || how != c.how {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, file, how, c.want, c.how)
		}
	}
}

// Thousands of equal rows are taken over from the last state in little time, each once.
func TestManyEqualTextsAreRecognised(t *testing.T) {
	const n = 50_000
	rows := func(file string) (all []*passage.Passage, ordinals []int) {
		for i := range n {
			all, ordinals = append(all, leaf(file, "", "Not known.")), append(ordinals, i)
		}
		return all, ordinals
	}
	last, _ := rows("/kb/a.jsonl")
	next, ordinals := rows("/kb/b.jsonl")
	collection, err := buildCollection(t.Context(), t.TempDir(), last, ordinalsOf(last, passage.Text), passage.Text, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found := collection.match(last, next, ordinals); !slices.Equal(found, ordinals) {
		t.Error("not each row was found at its own place")
	}
}
