package gap

import (
	"slices"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	"lacuna/knowledge/vocabulary"
)

// subjectPhrases returns what a question is about as a gap may call it: Chinese by the word.
func subjectPhrases(r question.Reading) []question.Phrase {
	var phrases []question.Phrase
	for _, p := range r.Subject {
		if plaintext.HasHan(p.Text) {
			phrases = append(phrases, hanPhrases(p)...)
		} else {
			phrases = append(phrases, p)
		}
	}
	if len(phrases) == 0 {
		return r.Subject
	}
	return phrases
}

// hanPhrases returns the names in a run of Chinese characters: words of two characters or more in a row that are
// not common, up to maxHanWord characters.
func hanPhrases(p question.Phrase) []question.Phrase {
	var phrases []question.Phrase
	begin, end := -1, -1
	flush := func() {
		if begin >= 0 {
			text := p.Text[begin:end]
			phrases = append(phrases, question.Phrase{
				Text: text, Terms: plaintext.Distinct(lexical.Terms(text)), Span: passage.Span{Start: p.Start + begin, End: p.Start + end},
			})
		}
		begin = -1
	}
	for _, w := range vocabulary.Segment(p.Text) {
		if utf8.RuneCountInString(w.Text) < 2 || vocabulary.Chinese(w.Text) == vocabulary.Common {
			flush()
			continue
		}
		if begin >= 0 && (w.Start != end || utf8.RuneCountInString(p.Text[begin:w.End]) > maxHanWord) {
			flush()
		}
		if begin < 0 {
			begin = w.Start
		}
		end = w.End
	}
	flush()
	if len(phrases) == 0 && utf8.RuneCountInString(p.Text) > 1 {
		return []question.Phrase{p}
	}
	return phrases
}

// classOf returns the class of a word of a question; of another by how common it is.
func (q inquiry) classOf(text string) wordClass {
	terms := lexical.Terms(text)
	for _, w := range q.words {
		if slices.Equal(w.terms, terms) {
			return w.class
		}
	}
	most := plainWord
	for _, w := range q.words {
		if slices.ContainsFunc(terms, func(term string) bool { return slices.Contains(w.terms, term) }) {
			most = max(most, w.class)
		}
	}
	return most
}
