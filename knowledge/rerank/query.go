package rerank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// Candidate is a passage that a search found, with its signals.
type Candidate struct {
	Passage *passage.Passage
	Ordinal int      // of the passage in its library
	Terms   []uint32 // of what is indexed of it, in order, as places in the vocabulary
	Score   float64  // of the search
	BM25    float64
	Cosine  float64
	MaxSim  float64
	Window  float64
	Vector  []float32 // unit; nil without an encoder
}

// Base provides what must be known about the words of a collection.
type Base struct {
	N          int
	Vocabulary []string
	Number     func(term string) (uint32, bool)
	IDF        func(term string) float64
	MeanLength float64
	// Near returns how near each term of the query is to the text, as the greatest cosine of their vectors;
	// nil without an encoder. Terms are in the order in which the query has them; one that the encoder does
	// not know is 0.
	Near func(text []uint32) []float32
}

// Query is what was searched for in one collection. It is not safe for concurrent use.
type Query struct {
	base    *Base
	reading question.Reading
	words   []lexicon.Word
	weight  float64             // of all words
	rarest  int                 // the word with the greatest weight
	kin     map[uint32][]kin    // by number in the vocabulary
	phrases []phrase            // kin of several terms
	numbers map[string][]uint32 // by title or heading
	aspects map[string][]question.Aspect
	spelt   map[string][]string // parts of words, by title or heading
	asked   map[string]int      // parts of the question's words, in order
	within  map[uint32][]int    // which of these a term has, by number in the vocabulary
	named   []bool              // words that are spelt like names
	subject []bool              // words of the first subject
	has     []uint32            // scratch: which terms of each phrase occur
}

// kin says which word of a query a term of the base stands for, and how well; or of which phrase it is part.
type kin struct {
	word     int
	strength float64
	phrase   int    // 1 plus its index; 0 for none
	part     uint32 // bit of the term in the phrase
}

// phrase is kin of several terms, all of which a text must have.
type phrase struct {
	word     int
	strength float64
	all      uint32
}

// NewQuery returns a query for a question with the words that a collection is searched for.
func NewQuery(text string, wording *lexicon.Wording, base *Base) *Query {
	q := &Query{
		base: base, reading: question.Read(text), words: wording.Words, kin: make(map[uint32][]kin),
		numbers: make(map[string][]uint32), aspects: make(map[string][]question.Aspect),
	}
	for i, word := range q.words {
		q.weight += word.Weight
		if word.Weight > q.words[q.rarest].Weight {
			q.rarest = i
		}
		if number, known := base.Number(word.Term); known {
			q.kin[number] = append(q.kin[number], kin{word: i, strength: 1})
		}
		for _, other := range word.Kin {
			q.addKin(i, other)
		}
	}
	q.has = make([]uint32, len(q.phrases))
	q.readNames(text)
	return q
}

func (q *Query) addKin(word int, other lexicon.Kin) {
	if len(other.Terms) == 1 {
		if number, known := q.base.Number(other.Terms[0]); known {
			q.kin[number] = append(q.kin[number], kin{word: word, strength: other.Weight})
		}
		return
	}
	q.phrases = append(q.phrases, phrase{word: word, strength: other.Weight, all: 1<<len(other.Terms) - 1})
	for bit, term := range other.Terms {
		if number, known := q.base.Number(term); known {
			q.kin[number] = append(q.kin[number], kin{word: word, phrase: len(q.phrases), part: 1 << bit})
		}
	}
}

// sameWord is the least strength of kin that count as the word itself.
const sameWord = .8

// asks reports whether a term stands for a word of the query, and how well at best.
func (q *Query) asks(number uint32) float64 {
	best := 0.0
	for _, k := range q.kin[number] {
		best = max(best, k.strength)
	}
	return best
}

// analysed returns the terms of a title or heading that the base has.
func (q *Query) analysed(text string) []uint32 {
	if text == "" {
		return nil
	}
	numbers, seen := q.numbers[text]
	if !seen {
		for _, t := range lexical.Terms(text) {
			if number, known := q.base.Number(t); known {
				numbers = append(numbers, number)
			}
		}
		q.numbers[text] = numbers
	}
	return numbers
}

// cover raises the strength with which each word of the query occurs among some terms.
func (q *Query) cover(strengths []float64, terms []uint32) {
	clear(q.has)
	for _, number := range terms {
		for _, k := range q.kin[number] {
			switch {
			case k.phrase == 0:
				strengths[k.word] = max(strengths[k.word], k.strength)
			default:
				p := q.phrases[k.phrase-1]
				if q.has[k.phrase-1] |= k.part; q.has[k.phrase-1] == p.all {
					strengths[p.word] = max(strengths[p.word], p.strength)
				}
			}
		}
	}
}

// share returns the share of the query's weight that strengths hold.
func (q *Query) share(strengths []float64) float64 {
	if q.weight == 0 {
		return 0
	}
	sum := 0.0
	for i, s := range strengths {
		sum += s * q.words[i].Weight
	}
	return sum / q.weight
}

// whole returns the share of the weight of some terms that stand in the query, 0 without any.
func (q *Query) whole(terms []uint32) float64 {
	held, total := 0.0, 0.0
	for _, number := range terms {
		weight := q.base.IDF(q.base.Vocabulary[number])
		total += weight
		held += q.asks(number) * weight
	}
	if total == 0 {
		return 0
	}
	return held / total
}

// readNames finds out which words of the question are spelt like names, and which are its subject, and takes
// its words apart.
func (q *Query) readNames(text string) {
	place := make(map[string]int, len(q.words))
	for i, word := range q.words {
		place[word.Term] = i
	}
	q.named, q.subject = make([]bool, len(q.words)), make([]bool, len(q.words))
	q.spelt, q.asked = make(map[string][]string), make(map[string]int)
	q.within = make(map[uint32][]int)
	var content []string
	for _, token := range lexical.Content(text) {
		written := text[token.Start:token.End]
		content = append(content, written)
		first, _ := utf8.DecodeRuneInString(written)
		isName := token.Start > 0 && unicode.IsUpper(first) || strings.ContainsAny(written, "0123456789")
		if i, listed := place[token.Term]; listed && isName {
			q.named[i] = true
		}
	}
	if len(q.reading.Subject) > 0 {
		for _, term := range q.reading.Subject[0].Terms {
			if i, listed := place[term]; listed {
				q.subject[i] = true
			}
		}
	}
	for _, part := range parts(strings.Join(content, " ")) {
		q.asked[part] = len(q.asked)
	}
}

// reading is what is measured of a candidate before the list is known.
type reading struct {
	row      []float64 // by name
	all      []float64 // strength of each term of the query
	document string
}
