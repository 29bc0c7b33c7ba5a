package testset

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// KnownItems makes up to n questions of a library whose right place is known without anybody's labels: the title and the
// heading of a section, or a stored question, both without their short words and in lower case, as people type into a
// search. The search sees the same words, so this is the easiest way to ask: what is not found so is found by nobody, and
// settings can be compared. The same seed makes the same questions of the same library.
func KnownItems(library *knowledge.Library, n int, seed uint64) []Item {
	var all []Item
	asked := make(map[string]int) // how many places the same words lead to
	for _, p := range library.Passages() {
		item, ok := itemOf(p)
		if !ok {
			continue
		}
		if at, again := asked[item.Text]; again {
			if !all[at].Fits(p) {
				all[at].Documents = nil // ambiguous
			}
			continue
		}
		asked[item.Text] = len(all)
		all = append(all, item)
	}
	kept := all[:0]
	for _, item := range all {
		if item.Expects() && len(item.Documents) > 0 {
			kept = append(kept, item)
		}
	}
	random := rand.New(rand.NewPCG(seed, ^seed))
	random.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	kept = kept[:min(n, len(kept))]
	for i := range kept {
		kept[i].ID = fmt.Sprint(i + 1)
	}
	return kept
}

// shortest is the length in letters of the shortest word of a language with spaces that is kept.
const shortest = 4

func itemOf(p *passage.Passage) (Item, bool) {
	text, heading, document := "", "", filepath.ToSlash(p.Place.File)
	switch {
	case p.Kind == passage.QA:
		text, document = p.Question, p.Record
	case len(p.Headings) > 0:
		heading = p.Headings[len(p.Headings)-1]
		text = p.Title + " " + heading
	default:
		return Item{}, false
	}
	var words []string
	for _, word := range lexical.Words(text) {
		if r, _ := utf8.DecodeRuneInString(word); r > 0x2E80 || utf8.RuneCountInString(word) >= shortest || strings.ContainsAny(word, "0123456789") {
			words = append(words, word)
		}
	}
	if len(words) < 2 || document == "" {
		return Item{}, false
	}
	return Item{Query: eval.Query{Text: strings.Join(words, " ")}, Documents: []string{document}, Heading: heading}, true
}
