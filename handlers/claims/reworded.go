package claims

import (
	"slices"
	"unicode"

	"lacuna/handlers/lsp"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Rewording is a sentence of a source that says in other words what a note quotes from it.
type Rewording struct {
	Passage *passage.Passage
	Span    passage.Span // of the sentence in the text of the passage
	Now     string       // the sentence as people read it
	// Lost and New are the words that only the quote or only the sentence has: spans of the quote and of Now.
	Lost, New []passage.Span
}

// Place returns where the sentence is on disk.
func (r Rewording) Place() passage.Place { return r.Passage.PlaceOf(r.Span) }

// likeness is the share of their words that a quote and a sentence must have in common, in their order, for one to be
// the other reworded.
const likeness = .6

// Reworded finds the sentence of a file that is most like a quote that the file no longer holds; false if none is like
// it.
func Reworded(passages []*passage.Passage, file, quote string) (Rewording, bool) {
	words := cutWords(quote)
	if len(words) > mostWords {
		return Rewording{}, false
	}
	best, found := likeness, Rewording{}
	for _, p := range passages {
		if !lsp.SamePath(p.Place.File, file) {
			continue
		}
		for _, span := range passage.Sentences(p.Text, p.Format) {
			now := p.Render().Span(span)
			others := cutWords(now)
			if len(others) == 0 || len(others) > mostWords {
				continue
			}
			kept, same := common(words, others)
			if share := float64(2*same) / float64(len(words)+len(others)); share >= best {
				best = share
				found = Rewording{p, span, now, missing(words, kept[0]), missing(others, kept[1])}
			}
		}
	}
	return found, found.Passage != nil
}

// mostWords bounds the sentences that are compared.
const mostWords = 200

type placedWord struct {
	passage.Span
	text string
}

// cutWords cuts a text into words, and ideographs into single ones.
func cutWords(text string) []placedWord {
	var words []placedWord
	start := -1
	end := func(at int) {
		if start >= 0 {
			words = append(words, placedWord{passage.Span{Start: start, End: at}, plaintext.Fold(text[start:at])})
			start = -1
		}
	}
	for at, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			end(at)
			words = append(words, placedWord{passage.Span{Start: at, End: at + len(string(r))}, string(r)})
		case unicode.IsSpace(r) || unicode.IsPunct(r) && r != '.' && r != ',' && r != '%' && r != '-':
			end(at)
		case start < 0:
			start = at
		}
	}
	end(len(text))
	for i, w := range words { // the point at the end of a sentence is none of a number
		for len(w.text) > 1 && (w.text[len(w.text)-1] == '.' || w.text[len(w.text)-1] == ',') {
			w.text, w.End = w.text[:len(w.text)-1], w.End-1
		}
		words[i] = w
	}
	return words
}

// common returns which words belong to the longest common subsequence of two texts, and how many.
func common(a, b []placedWord) (kept [2][]bool, same int) {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].text == b[j].text {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	kept = [2][]bool{make([]bool, len(a)), make([]bool, len(b))}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].text == b[j].text:
			kept[0][i], kept[1][j] = true, true
			i, j = i+1, j+1
		case table[i+1][j] >= table[i][j+1]:
			i++
		default:
			j++
		}
	}
	return kept, table[0][0]
}

// missing joins the neighbouring words that are not kept.
func missing(words []placedWord, kept []bool) []passage.Span {
	var spans []passage.Span
	for i, w := range words {
		switch {
		case kept[i]:
		case i > 0 && !kept[i-1]:
			spans[len(spans)-1].End = w.End
		default:
			spans = append(spans, w.Span)
		}
	}
	return slices.Clip(spans)
}
