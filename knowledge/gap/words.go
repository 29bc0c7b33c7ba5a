package gap

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	"lacuna/knowledge/vocabulary"
)

// word is a word of a question that says what it is about.
type word struct {
	text       string
	start, end int      // in the question
	terms      []string // analysed; a Chinese word has one for each pair of its characters
	class      wordClass
	named      bool    // written as a name: with a capital where others have none, or with letters and digits
	kin        float64 // 1 if the collection has the word, else the weight of its best kin; set by [newWording]
}

// wordClass says how much it tells that the sources lack a word.
type wordClass uint8

const (
	plainWord    wordClass = iota // of asking, of grammar, a number, or of an aspect
	everydayWord                  // of everyday speech: what people tell of their situation
	knownWord                     // of general vocabulary
	nameWord                      // a name, a product, a technical term
	wordClasses
)

// classWeights is the share of its idf that a word of a class keeps.
var classWeights = [wordClasses]float64{plainWord: 0.2, everydayWord: 0.6, knownWord: 0.8, nameWord: 1}

// wordsOf returns the words of a question that it is searched by, each once.
func wordsOf(text string, isAspect func(term string) bool) []word {
	language := question.LanguageOf(text)
	var words []word
	seen := make(map[string]bool)
	add := func(w word) {
		key := strings.Join(w.terms, " ")
		if len(w.terms) > 0 && !seen[key] {
			seen[key] = true
			words = append(words, w)
		}
	}
	if plaintext.HasHan(text) {
		for _, w := range hanWords(text) {
			add(w)
		}
	}
	capitals := manyCapitals(text)
	segmented := len(words) > 0
	for _, token := range lexical.Content(text) {
		if lexical.IsHan(token.Term) {
			if !segmented {
				add(word{text: token.Term, start: token.Start, end: token.End, terms: []string{token.Term}, class: everydayWord})
			}
			continue
		}
		written := text[token.Start:token.End]
		w := word{text: written, start: token.Start, end: token.End, terms: []string{token.Term}, class: levelClass(token.Term, language)}
		switch {
		case isAspect(token.Term), question.IsPlainTerm(token.Term), isFigure(token.Term), isContraction(written):
			w.class = plainWord
		case language != question.German && !capitals && token.Start > 0 && !opensSentence(text, token.Start) && isNamed(written):
			w.class = nameWord
		}
		w.named = hasNameForm(written) ||
			language != question.German && token.Start > 0 && !opensSentence(text, token.Start) && unicode.IsUpper(firstRune(written))
		add(w)
	}
	return words
}

// hasNameForm reports a word that is written as names of products and abbreviations are in any place: with letters
// and digits, two capitals at its head, or a capital inside.
func hasNameForm(written string) bool { return nameForm.MatchString(written) }

var nameForm = regexp.MustCompile(`^[A-Z]{2}|[a-z][A-Z]|\d\S*[A-Za-z]|[A-Za-z]\S*\d`)

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// hanWords returns the Chinese words of a text that do not only ask. Single characters are left out: they mean
// too many things.
func hanWords(text string) []word {
	asking := lexical.AskingPhrases(text)
	var words []word
	for _, w := range vocabulary.Segment(text) {
		if utf8.RuneCountInString(w.Text) < 2 || overlaps(asking, w.Start, w.End) {
			continue
		}
		words = append(words, word{text: w.Text, start: w.Start, end: w.End, terms: lexical.Terms(w.Text), class: classOf(vocabulary.Chinese(w.Text))})
	}
	return words
}

func overlaps(tokens []lexical.Token, start, end int) bool {
	for _, t := range tokens {
		if t.Start < end && start < t.End {
			return true
		}
	}
	return false
}

// levelClass returns the class of a term by how common it is in its language.
func levelClass(term string, language question.Language) wordClass {
	level := vocabulary.English(term)
	if language == question.German {
		level = max(level, vocabulary.German(term))
	}
	return classOf(level)
}

func classOf(level vocabulary.Level) wordClass {
	switch level {
	case vocabulary.Common:
		return plainWord
	case vocabulary.Everyday:
		return everydayWord
	case vocabulary.Known:
		return knownWord
	}
	return nameWord
}

// isFigure reports a term of digits and signs alone.
func isFigure(term string) bool { return !strings.ContainsFunc(term, unicode.IsLetter) }

// isContraction reports a word of grammar with an apostrophe: "shouldn't", "I'm".
func isContraction(written string) bool {
	at := strings.IndexAny(written, "'’")
	return at > 0 && !strings.HasSuffix(written, "'s") && !strings.HasSuffix(written, "’s")
}

// isNamed reports whether a word inside a sentence is written as a name: with a capital, or with a digit.
func isNamed(written string) bool {
	return written != "I" && strings.ContainsFunc(written, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
}

// opensSentence reports whether a sentence begins at a place of a text.
func opensSentence(text string, at int) bool {
	before := strings.TrimRightFunc(text[:at], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'“‘(-–`, r) })
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:")
}

// manyCapitals reports a text in which capitals mean nothing, since most words have one.
func manyCapitals(text string) bool {
	words := strings.Fields(text)
	n := 0
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
			n++
		}
	}
	return n > 2 && 2*n > len(words)
}

// wording holds what a collection knows of the words of a question.
type wording struct {
	words   []word
	weights []float64 // idf, times the share of its class
	idfs    []float64 // the largest of its terms, whatever the collection says instead
	known   []bool    // whether the collection has the word, or says it in another way
	lexicon *lexicon.Wording
}

// A name that the collection has in no form is not said by words that mean nearly the same, as everyday words
// are: leastForm is the least weight of kin that is the same word in another form or by another name, leastKin
// of kin by which a collection says any other word, and otherName what of kin's weight remains to a name.
const (
	leastKin  = 0.5
	leastForm = 0.85
	otherName = 0.5
)

func newWording(words []word, c *knowledge.Collection) wording {
	var terms []string
	for _, w := range words {
		terms = append(terms, w.terms...)
	}
	m := wording{words: words, lexicon: c.Wording(terms)}
	m.words = slices.Clone(words)
	for i, w := range words {
		known, weight, kin, rarest := true, 0.0, 1.0, 0.0
		least := leastKin
		if w.class == nameWord {
			least = leastForm
		}
		for _, term := range w.terms {
			one := m.lexicon.Word(term)
			rarest = max(rarest, c.IDF(term))
			if !one.Known {
				best := 0.0
				if len(one.Kin) > 0 {
					best = one.Kin[0].Weight
				}
				kin = min(kin, best, math.Nextafter(1, 0))
			}
			meant := one.Known || len(one.Kin) > 0 && one.Kin[0].Weight >= least
			if known = known && meant; meant {
				weight = max(weight, one.Weight)
			} else {
				weight = max(weight, c.IDF(term))
			}
		}
		m.words[i].kin = kin
		m.idfs = append(m.idfs, rarest)
		m.known = append(m.known, known)
		m.weights = append(m.weights, weight*classWeights[w.class])
	}
	return m
}

// match returns how well a text says the i-th word.
func (m wording) match(i int, has func(term string) bool) float64 {
	least := 1.0
	for _, term := range m.words[i].terms {
		least = min(least, m.lexicon.Word(term).Match(has))
	}
	if m.words[i].class == nameWord && !m.known[i] {
		least *= otherName
	}
	return least
}

// coverage returns the share of the words' weight that a text has; 0 for no words.
func (m wording) coverage(has func(term string) bool) float64 {
	held, whole := 0.0, 0.0
	for i, weight := range m.weights {
		held, whole = held+weight*m.match(i, has), whole+weight
	}
	if whole == 0 {
		return 0
	}
	return held / whole
}

// unknown counts the words of a class that the collection does not have.
func (m wording) unknown(class wordClass) int {
	n := 0
	for i, w := range m.words {
		if w.class == class && !m.known[i] {
			n++
		}
	}
	return n
}

// count counts the words that the collection lacks and that are of a kind.
func (m wording) count(of func(word) bool) int {
	n := 0
	for _, w := range m.words {
		if w.kin < 1 && of(w) {
			n++
		}
	}
	return n
}

// isNameOfThing reports a word written as a name, other than a figure with its unit.
func (w word) isNameOfThing() bool {
	return w.named && w.class != plainWord && w.kin < leastForm && !figureWithUnit.MatchString(w.text)
}

var figureWithUnit = regexp.MustCompile(`^\d+[a-z]{0,3}$`)

// isLongTerm reports a rare word that is no name and too long to be an abbreviation or a slip of the keyboard.
func (w word) isLongTerm() bool {
	return w.class == nameWord && !w.named && w.kin < leastKin && utf8.RuneCountInString(w.text) >= 5
}

// telling counts the words that are not plain.
func (m wording) telling() int {
	n := 0
	for _, w := range m.words {
		if w.class != plainWord {
			n++
		}
	}
	return n
}
