package lexicon

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Vocabulary holds the terms of a collection so that the forms of a word can be found. It is sorted when a
// question first needs it, in milliseconds for 300,000 terms, and safe for concurrent use.
type Vocabulary struct {
	terms    []string
	names    func() Names
	once     sync.Once
	language Language
	starts   buckets // by the first letters of the terms
	ends     buckets // by the last letters; of a German collection only
}

// NewVocabulary returns the vocabulary of some terms, each once, which must not be changed, and of the names that
// a base gives. Names are asked for when a question first needs them.
func NewVocabulary(terms []string, names func() Names) *Vocabulary {
	return &Vocabulary{terms: terms, names: sync.OnceValue(names)}
}

// reading finds kin in a base.
type reading struct {
	Base
	*Vocabulary
}

// Weights of kin by their form.
const (
	inflectionWeight = 0.9
	derivationWeight = 0.5
	clippingWeight   = 0.5 // "rehab" for rehabilitation
	partsWeight      = 0.7 // both parts of a compound
	headWeight       = 0.4 // the part that says what the compound is a kind of, and compounds that end in a word
	modifierWeight   = 0.3 // the other part, and compounds that begin with a word
	// knownShare is what remains of a compound's weight where the collection has the word itself.
	knownShare = 0.5
)

const (
	shortestForm   = 4 // letters of a word whose forms are looked for
	shortestFamily = 4 // letters of what forms share
	longestClipped = 6 // letters of a word that is short for another
	clippedBy      = 3 // letters that it lacks at least
	// germanFrom is the share of texts with each of the words und, der and die from which a base is German.
	germanFrom = 0.05
)

// buckets lists the numbers of terms by three letters that they begin or end with.
type buckets struct {
	from    []uint32 // where a bucket begins in numbers; one more than there are buckets
	numbers []uint32
}

const bucketBits = 14

// bucketOf returns the bucket of three bytes.
func bucketOf(letters string) uint32 {
	key := uint32(letters[0])<<16 | uint32(letters[1])<<8 | uint32(letters[2])
	return key * 0x9e3779b1 >> (32 - bucketBits)
}

// bucketLetters is the number of letters that terms of one bucket share.
const bucketLetters = 3

// newBuckets sorts the terms that are long enough, by the letters that part cuts out of them.
func newBuckets(terms []string, part func(term string) string) buckets {
	b := buckets{from: make([]uint32, 1<<bucketBits+1)}
	for _, term := range terms {
		if len(term) >= shortestForm {
			b.from[bucketOf(part(term))+1]++
		}
	}
	for i := range 1 << bucketBits {
		b.from[i+1] += b.from[i]
	}
	b.numbers = make([]uint32, b.from[1<<bucketBits])
	next := slices.Clone(b.from)
	for number, term := range terms {
		if len(term) >= shortestForm {
			bucket := bucketOf(part(term))
			b.numbers[next[bucket]] = uint32(number)
			next[bucket]++
		}
	}
	return b
}

// of returns the terms of the bucket of three letters, and some others.
func (b buckets) of(letters string) []uint32 {
	bucket := bucketOf(letters)
	return b.numbers[b.from[bucket]:b.from[bucket+1]]
}

func firstLetters(term string) string { return term[:bucketLetters] }
func lastLetters(term string) string  { return term[len(term)-bucketLetters:] }

// sort prepares the terms.
func (s reading) sort() {
	v := s.Vocabulary
	v.once.Do(func() {
		v.starts = newBuckets(v.terms, firstLetters)
		least := int(germanFrom * float64(s.N()))
		if s.DocFreq("und") > least && s.DocFreq("der") > least && s.DocFreq("die") > least {
			v.language = German
			v.ends = newBuckets(v.terms, lastLetters)
		}
	})
}

// relatives returns the terms of the collection that are other forms of a word or made of the same word.
func (s reading) relatives(term string) []Kin {
	if len(term) < shortestForm || strings.ContainsFunc(term, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return nil
	}
	kin := s.related(term)
	if s.language == German {
		kin = append(kin, s.compounds(term)...)
		kin = append(kin, s.parts(term)...)
	}
	return kin
}

// related returns the terms of a word's family.
func (s reading) related(term string) []Kin {
	var kin []Kin
	language := s.language
	family := Family(term, language)
	known := s.DocFreq(term) > 0
	common := shortestFamily // letters that all kin share
	if language == German {
		common = bucketLetters // since ae may stand for ä
	}
	clipped, frequency := "", 0 // the most frequent word that the term is short for
	for _, number := range s.starts.of(firstLetters(term)) {
		other := s.terms[number]
		if other == term || other[:common] != term[:common] {
			continue
		}
		switch {
		case Inflected(term, other, language):
			kin = s.addForm(kin, other, inflectionWeight, Inflection)
		case len(family) >= shortestFamily && Family(other, language) == family:
			kin = s.addForm(kin, other, derivationWeight, Derivation)
		case !known && isClipped(term, other):
			if df := s.DocFreq(other); df > frequency {
				clipped, frequency = other, df
			}
		}
	}
	if clipped != "" {
		kin = s.addForm(kin, clipped, clippingWeight, Derivation)
	}
	return kin
}

// isClipped reports whether a word may be short for another: a beginning of it, such as "rehab" or "config".
func isClipped(word, whole string) bool {
	return len(word) <= longestClipped && len(whole) >= len(word)+clippedBy && strings.HasPrefix(whole, word)
}

// addForm adds a term to a list of kin if the collection has it.
func (s reading) addForm(kin []Kin, term string, weight float64, why Kinship) []Kin {
	if s.DocFreq(term) == 0 {
		return kin
	}
	return append(kin, Kin{[]string{term}, weight, why})
}

// compounds returns the compounds of the collection that begin or end with a word, the most frequent ones.
func (s reading) compounds(term string) []Kin {
	const shortest = 5 // letters of a word within others
	if len(term) < shortest {
		return nil
	}
	type compound struct {
		term   string
		weight float64
		df     int
	}
	share := 1.0
	if s.DocFreq(term) > 0 {
		share = knownShare
	}
	var found []compound
	add := func(number uint32, weight float64, is func(s, part string) bool) {
		other := s.terms[number]
		if len(other) >= len(term)+shortestForm-1 && is(other, term) {
			if df := s.DocFreq(other); df > 0 {
				found = append(found, compound{other, weight * share, df})
			}
		}
	}
	for _, number := range s.starts.of(firstLetters(term)) {
		add(number, modifierWeight, strings.HasPrefix)
	}
	for _, number := range s.ends.of(lastLetters(term)) {
		add(number, headWeight, strings.HasSuffix)
	}
	slices.SortFunc(found, func(a, b compound) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), -cmp.Compare(a.df, b.df), strings.Compare(a.term, b.term))
	})
	var kin []Kin
	for _, c := range found[:min(len(found), maxKin)] {
		kin = append(kin, Kin{[]string{c.term}, c.weight, Compound})
	}
	return kin
}

// parts returns the parts of a compound that the collection has.
func (s reading) parts(term string) []Kin {
	first, second, ok := Parts(term, s.knownForm)
	if !ok {
		return nil
	}
	share := 1.0
	if s.DocFreq(term) > 0 {
		share = knownShare
	}
	return []Kin{
		{[]string{first, second}, partsWeight * share, Compound},
		{[]string{second}, headWeight * share, Compound},
		{[]string{first}, modifierWeight * share, Compound},
	}
}

// knownForm returns the form of a word's part that the collection has.
func (s reading) knownForm(part string) (string, bool) {
	if s.DocFreq(part) > 0 {
		return part, true
	}
	for _, ending := range []string{"e", "en", "n"} {
		if form := part + ending; s.DocFreq(form) > 0 {
			return form, true
		}
	}
	return "", false
}
