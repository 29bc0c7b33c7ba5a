package setup

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/experiment/testset"
	"lacuna/knowledge/passage"
)

// Proof is a question made of a heading, or a title, of the user's own documents, with its answer.
type Proof struct {
	Question string
	Result   answer.Result
}

const (
	mostTried = 24 // headings to ask about
	proofSeed = 1
	longest   = 120 // characters of a question that is read at a glance
)

// Prove asks about headings of the library until one is answered from the page it is from, and returns that, or else the
// first for which that page was among the nearest places. found is false if there is neither; proof is empty then if there
// are neither headings nor, in their place, titles. The documents that say that they are private are not asked about,
// because somebody may be looking over the user's shoulder.
func Prove(ctx context.Context, library *knowledge.Library, strategy answer.Strategy) (proof Proof, found bool, err error) {
	items := testset.KnownItems(library, mostTried, proofSeed)
	if len(items) == 0 {
		items = titles(library)
	}
	for _, item := range items {
		at := slices.IndexFunc(library.Passages(), item.Fits)
		if at < 0 || library.Passages()[at].Private {
			continue
		}
		try := Proof{Question: questionOf(library.Passages()[at], item)}
		if utf8.RuneCountInString(try.Question) > longest {
			continue
		}
		if try.Result, err = strategy.Answer(ctx, library, answer.Question{Text: try.Question}); err != nil {
			return try, false, err
		}
		cited := cites(try.Result, item)
		if cited && try.Result.State == answer.Answered {
			return try, true, nil
		}
		if proof.Question == "" || cited && !found {
			proof, found = try, cited
		}
	}
	return proof, found, nil
}

// titles returns the documents that have a title, at most mostTried, in the order of the library.
func titles(library *knowledge.Library) []testset.Item {
	var items []testset.Item
	known := map[string]bool{"": true}
	for _, p := range library.Passages() {
		if !known[p.Title] && len(items) < mostTried {
			known[p.Title] = true
			items = append(items, testset.Item{Documents: []string{filepath.ToSlash(p.Place.File)}})
		}
	}
	return items
}

// questionOf makes a question of the heading that an item is made from.
func questionOf(from *passage.Passage, item testset.Item) string {
	if from.Kind == passage.QA {
		return from.Question
	}
	heading := strings.TrimSpace(cmp.Or(item.Heading, from.Title))
	if strings.HasSuffix(heading, "?") || strings.HasSuffix(heading, "？") {
		return heading
	}
	title := strings.TrimSpace(from.Title)
	if title == "" || strings.EqualFold(title, heading) {
		return "What about " + heading + "?"
	}
	return title + ": what about " + heading + "?"
}

// cites reports whether an answer quotes the document that an item is made from.
func cites(r answer.Result, item testset.Item) bool {
	return slices.ContainsFunc(r.Citations, func(c answer.Citation) bool {
		return slices.Contains(item.Documents, filepath.ToSlash(c.Passage.Place.File)) || slices.Contains(item.Documents, c.Passage.Record)
	})
}
