package knowledge

import (
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// terms are those by which a shelf is searched.
//
// Running text is searched by what a question is about, without the words of asking. Measured,
// nDCG@10 of the mixed search with them and without: BioASQ .824 and .833, PubMedQA .799 and .799,
// Huatuo .341 and .357, SciFact, which has claims, .733 both ways. Stored questions are searched by
// all words, since "what is" and "who gets" tell them apart (LiveQA's summaries: .599, without .565),
// unless a person wrote a letter around theirs (the letters themselves: .448, without .465).
//
// Of such letters no part is left out: searched by their asking sentences alone they find less (.310,
// with the subject line .405). But a word counts twice at most, however often it comes up (.474 and
// .487), and one that nobody else has written is taken for the one it is spelt like (.448 and .483;
// BioASQ's questions with a slip in their rarest word: .555 and .793).
func (s *search) terms(shelf *Collection) []string {
	if s.query.Verbatim || len(s.query.Terms) > 0 || s.query.Retriever == BM25 || s.query.Retriever == Dense {
		return s.written
	}
	text := s.query.Text
	tokens := lexical.Analyze
	if shelf.kind == passage.Text || IsLetter(text) {
		tokens = lexical.Content
	}
	var terms []string
	count := make(map[string]int)
	meant := make(map[string]string) // by unknown words
	for _, token := range tokens(text) {
		term := token.Term
		if !s.library.knows(term) && !isAbbreviation(text[token.Start:token.End]) {
			term = mended(meant, term, shelf.index)
		}
		if count[term]++; count[term] <= mostCounted {
			terms = append(terms, term)
		}
	}
	return terms
}

// mostCounted is how often a word of a query counts.
const mostCounted = 2

// mostMended is for how many words of a query one that is spelt alike is looked for, which takes a walk
// through the vocabulary each. A text of many more unknown words is no question about the sources.
const mostMended = 64

// mended is the word of the index that is meant by an unknown one, as far as that can be told. It
// remembers in meant what it has looked for.
func mended(meant map[string]string, term string, index *lexical.Index) string {
	if known, ok := meant[term]; ok {
		return known
	}
	if len(meant) == mostMended {
		return term
	}
	meant[term] = term
	if similar, ok := index.Similar(term); ok {
		meant[term] = similar
	}
	return meant[term]
}

// IsLetter reports whether a text has several sentences, as what people write around a question has.
func IsLetter(text string) bool { return len(passage.Sentences(text, passage.Plain)) > 1 }

// knows reports whether any shelf has a term.
func (l *Library) knows(term string) bool {
	for _, shelf := range l.shelves {
		if shelf.DocFreq(term) > 0 {
			return true
		}
	}
	return false
}

// isAbbreviation reports whether a word is short and in capitals, so that it is like no other.
func isAbbreviation(word string) bool {
	const longest = 8
	return utf8.RuneCountInString(word) <= longest && word == strings.ToUpper(word)
}
