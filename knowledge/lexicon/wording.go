package lexicon

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
)

// Wording is a question's words with their kin in a collection. It answers, for search, reader and judge
// alike, how well a text covers what a person asks in words of their own. It is immutable and safe for
// concurrent use.
type Wording struct {
	Words []Word // each once, in the order of the question
}

// Word is a term of a question.
type Word struct {
	Term string
	// Known says that the collection has the term itself.
	Known bool
	// Weight is the word's idf; that of its best kin if only those are known, since an everyday word that the
	// base says in another way is not rare.
	Weight float64
	Kin    []Kin // best first, without the term itself
}

// Meant reports whether the collection has the word or kin of it. If not, it knows nothing by that name.
func (w Word) Meant() bool { return w.Known || len(w.Kin) > 0 }

// Match returns how well a text says the word: 1 with the word itself, otherwise the greatest weight of kin
// that it has, otherwise 0.
func (w Word) Match(has func(term string) bool) float64 {
	if has(w.Term) {
		return 1
	}
	for _, kin := range w.Kin {
		if !slices.ContainsFunc(kin.Terms, func(term string) bool { return !has(term) }) {
			return kin.Weight
		}
	}
	return 0
}

// Coverage returns the share of the words' weight that a text has, kin in part; 0..1, and 0 for no words.
func (w *Wording) Coverage(has func(term string) bool) float64 {
	covered, whole := 0.0, 0.0
	for _, word := range w.Words {
		whole += word.Weight
		covered += word.Weight * word.Match(has)
	}
	if whole == 0 {
		return 0
	}
	return covered / whole
}

// Unknown returns the terms that the collection has neither itself nor as kin: what a question can be about
// and the sources say nothing on.
func (w *Wording) Unknown() []string {
	var terms []string
	for _, word := range w.Words {
		if !word.Meant() {
			terms = append(terms, word.Term)
		}
	}
	return terms
}

// Word returns the word of a term; one without kin for a term that is not the question's.
func (w *Wording) Word(term string) Word {
	for _, word := range w.Words {
		if word.Term == term {
			return word
		}
	}
	return Word{Term: term}
}

// How much a word weighs that is spelt alike: one slip away it is the same word, two slips away perhaps another
// name.
const (
	oneSlip  = 0.9
	twoSlips = 0.7
)

// maxSlips bounds the words that are looked up by spelling, each of which takes a walk through the vocabulary. A
// text with many more unknown words is no question about the sources.
const maxSlips = 64

// AddSlips gives words that the base has neither itself nor as kin the word of the base that is spelt alike.
// Similar returns that word, and how many slips of the keyboard lie between; 0 for none.
func (w *Wording) AddSlips(base Base, similar func(term string) (other string, slips int)) {
	tried := 0
	for i := range w.Words {
		word := &w.Words[i]
		if word.Meant() || tried == maxSlips {
			continue
		}
		tried++
		other, slips := similar(word.Term)
		if slips == 0 {
			continue
		}
		weight := oneSlip
		if slips > 1 {
			weight = twoSlips
		}
		word.Kin, word.Weight = []Kin{{[]string{other}, weight, Spelling}}, base.IDF(other)
	}
}

// Slip returns the word of the base that was meant, if this one is known only as a slip of the keyboard.
func (w Word) Slip() (meant string, ok bool) {
	if w.Known || len(w.Kin) == 0 || w.Kin[0].Why != Spelling {
		return "", false
	}
	return w.Kin[0].Terms[0], true
}

// NewWording returns the words of a question, given by its terms in order, with their kin in a base, whose
// words vocabulary has.
func NewWording(terms []string, base Base, vocabulary *Vocabulary) *Wording {
	s := reading{base, vocabulary}
	s.sort()
	kin := make(map[string][]Kin)
	order := make([]string, 0, len(terms))
	for _, term := range terms {
		if _, seen := kin[term]; !seen {
			kin[term] = s.relatives(term)
			order = append(order, term)
		}
	}
	s.addMeanings(kin, terms)
	w := &Wording{Words: make([]Word, 0, len(order))}
	for _, term := range order {
		w.Words = append(w.Words, s.word(term, kin[term]))
	}
	return w
}

// word joins a term with its kin.
func (s reading) word(term string, kin []Kin) Word {
	df := s.DocFreq(term)
	w := Word{Term: term, Known: df > 0, Weight: s.IDF(term), Kin: kin}
	slices.SortStableFunc(w.Kin, func(a, b Kin) int { return -cmp.Compare(a.Weight, b.Weight) })
	w.Kin = w.Kin[:min(maxKin, len(w.Kin))]
	if !w.Known && len(w.Kin) > 0 {
		w.Weight = s.rarest(w.Kin[0].Terms)
	}
	return w
}

// rarest returns the greatest idf of some terms.
func (s reading) rarest(terms []string) float64 {
	greatest := 0.0
	for _, term := range terms {
		greatest = max(greatest, s.IDF(term))
	}
	return greatest
}

// knowsAll reports whether the collection has all terms.
func (s reading) knowsAll(terms []string) bool {
	return !slices.ContainsFunc(terms, func(term string) bool { return s.DocFreq(term) == 0 })
}

// addKin adds kin to a list, unless it is there with as much weight.
func addKin(list []Kin, kin Kin) []Kin {
	for i, known := range list {
		if slices.Equal(known.Terms, kin.Terms) {
			if known.Weight < kin.Weight {
				list[i] = kin
			}
			return list
		}
	}
	return append(list, kin)
}

// addMeanings adds what the lexicon knows of the words and phrases of a question.
func (s reading) addMeanings(kin map[string][]Kin, terms []string) {
	for from := range terms {
		for to := from + 1; to <= min(from+LongestPhrase, len(terms)); to++ {
			s.addSynonyms(kin, terms[from:to], strings.Join(terms[from:to], " "))
		}
	}
	for from := 0; from < len(terms); {
		to, run := hanRun(terms, from)
		for a := 0; a < len(run); a++ {
			for b := a + 2; b <= min(len(run), a+longestHan); b++ {
				s.addSynonyms(kin, terms[from+a:from+b-1], string(run[a:b]))
			}
		}
		from = max(to, from+1)
	}
}

// longestHan is the number of characters of the longest Chinese word that is looked up.
const longestHan = 8

// hanRun joins the pairs of characters from a term on that overlap, and returns where they end and the text.
func hanRun(terms []string, from int) (to int, run []rune) {
	for to = from; to < len(terms); to++ {
		pair := []rune(terms[to])
		if len(pair) != 2 || !lexical.IsHan(terms[to]) {
			break
		}
		if run == nil {
			run = pair
			continue
		}
		if run[len(run)-1] != pair[0] {
			break
		}
		run = append(run, pair[1])
	}
	return to, run
}

// addSynonyms gives each term of a phrase what the phrase means, if the collection has it.
func (s reading) addSynonyms(kin map[string][]Kin, terms []string, phrase string) {
	add := func(synonyms []Synonym, why Kinship) {
		for _, synonym := range synonyms {
			if !s.knowsAll(synonym.Terms) {
				continue
			}
			for _, term := range terms {
				if !slices.Equal(synonym.Terms, []string{term}) {
					kin[term] = addKin(kin[term], Kin{synonym.Terms, synonym.Weight, why})
				}
			}
		}
	}
	add(s.names()[phrase], Name)
	add(Synonyms(phrase, s.language), Meaning)
}
