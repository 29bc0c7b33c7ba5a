package support

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
)

// A sentence may share nearly all its words with a source and be about something else: another medicine,
// another gene. So the names of a claim are looked for by themselves. What a name is, the base tells: a
// word that hardly any of its passages holds.

// A sentence may share nearly all its words with a source and be about something else: another medicine,
// another gene. So the names of a claim are looked for by themselves. The base tells what a name is: a
// word that hardly any passage holds.
//
// rareFrom is the share of the weight of an unknown word from which on a source must hold a word of a
// claim. Measured on the 1,824 sentences of experts' answers: .776 keep the support of a marked passage
// with it, .784 with .7 and .759 with .5; of 115 with another medicine none, 3 and none still pass.
const rareFrom = .6

// inflected matches words that name nothing, by their endings: a paraphrase may use words that the base
// does not know.
var inflected = regexp.MustCompile(`^\p{Ll}+(?:ly|ed|ings?|able|ible|ful|ness|ments?|less)$`)

// bigram is a term of two neighbours in a script without spaces.
type bigram struct {
	term   string
	weight float64 // as a share of an unknown word's
	goes   bool    // on from the bigram before it
}

// minPassages is the size from which on a base's unknown words count as names: smaller bases lack many
// ordinary words. On bases of 160 passages around BioASQ questions .94 of the supported sentences remain
// supported, on 660 .88, on 24,000 .97; nothing smaller was measured.
const minPassages = 100

// names returns the terms of a text that name something, each once, and the bigrams of its scripts without
// spaces, none of which is a name by itself.
func (l *lexicon) names(text string) (names []string, bigrams []bigram) {
	most, end := l.Weight(unknownTerm), 0
	small := l.base == nil || l.base.N() < minPassages
	for _, token := range lexical.Analyze(text) {
		weight, word := l.Weight(token.Term)/most, text[token.Start:token.End]
		if small && l.isUnknown(token.Term) && (token.Start == 0 || word == strings.ToLower(word)) {
			weight = 0
		}
		if _, _, is := HanPair(token.Term); is {
			bigrams = append(bigrams, bigram{token.Term, weight, token.Start < end})
			end = token.End
		} else if weight >= rareFrom && !unicode.IsDigit(rune(word[0])) && !inflected.MatchString(word) && !slices.Contains(names, token.Term) {
			names = append(names, token.Term)
		}
	}
	return names, bigrams
}

// unknownTerm is a term that no base knows.
const unknownTerm = "\x00"

// A form of a word is at most maxEnding bytes longer than another, which has at least minRoot bytes. Any
// two letters stand somewhere among the initials of a long text, so a name needs minInitials.
const (
	maxEnding   = 3
	minRoot     = 5
	minInitials = 3
)

// initials returns the first characters of the words of a text.
func initials(text string) string {
	var b strings.Builder
	for _, word := range lexical.Words(text) {
		_, size := utf8.DecodeRuneInString(word)
		b.WriteString(word[:size])
	}
	return b.String()
}

// missingPart is a part of a text in a script without spaces that another text lacks.
type missingPart struct {
	inner        []bigram // without those at its edges, one of whose characters is of the word before or after
	before, next string   // the bigrams next to it; empty at an end
}

// missingParts returns the parts of a text that another lacks.
func missingParts(bigrams []bigram, in func(term string) bool) []missingPart {
	var found []missingPart
	for from := 0; from < len(bigrams); from++ {
		if in(bigrams[from].term) {
			continue
		}
		to := from + 1
		for to < len(bigrams) && bigrams[to].goes && !in(bigrams[to].term) {
			to++
		}
		l := missingPart{inner: bigrams[from:to]}
		if bigrams[from].goes {
			l.before, l.inner = bigrams[from-1].term, l.inner[1:]
		}
		if to < len(bigrams) && bigrams[to].goes {
			l.next = bigrams[to].term
			l.inner = l.inner[:max(len(l.inner)-1, 0)]
		}
		found = append(found, l)
		from = to
	}
	return found
}

// longName is the number of consecutive bigrams, all rare and in no source, that indicate a name and not
// other words for the same thing.
const longName = 2

// hasUnknownName reports whether a claim in a script without spaces has a name that is in none of the
// sources.
func hasUnknownName(bigrams []bigram, in func(term string) bool) bool {
	for _, l := range missingParts(bigrams, in) {
		row := 0
		for _, b := range l.inner {
			if row++; b.weight < rareFrom {
				row = 0
			}
			if row >= longName {
				return true
			}
		}
	}
	return false
}

// nameShare is the minimum weight, as a share, of every bigram of a name in a script without spaces. Other
// words for the same thing more often contain a common one. Measured on 1,942 reworded sentences of
// Chinese answers: .822 stay supported with it, .849 without it; of 177 with another illness .192 and .796
// pass.
const nameShare = .36

// exchangesName reports whether a claim has a name where the quote has another one.
func exchangesName(claimed, quoted []bigram, above map[string]bool) bool {
	among := func(bigrams []bigram) func(term string) bool {
		return func(term string) bool {
			return above[term] || slices.ContainsFunc(bigrams, func(b bigram) bool { return b.term == term })
		}
	}
	name := func(l missingPart) bool {
		return len(l.inner) > 0 && !slices.ContainsFunc(l.inner, func(b bigram) bool { return b.weight < nameShare })
	}
	others := missingParts(quoted, among(claimed))
	return slices.ContainsFunc(missingParts(claimed, among(quoted)), func(own missingPart) bool {
		return name(own) && slices.ContainsFunc(others, func(other missingPart) bool {
			return own.before == other.before && own.next == other.next && name(other)
		})
	})
}

// replacesName reports whether a claim has another name in the place of one of the quote's, which the
// claim lacks: next to a word that both have, or between two such words if the quote has the claim's name
// elsewhere. Some paraphrases fall to this as well: of the experts' sentences it rejects one in 80 of
// those supported without it. Of sentences with another name from their passage, .92 pass without it and
// .46 with it.
func (l *lexicon) replacesName(above map[string]bool, quoted, claimed []string) bool {
	for i, own := range claimed {
		if _, _, is := HanPair(own); is || above[own] {
			continue
		}
		elsewhere := slices.Contains(quoted, own)
		for j, other := range quoted {
			before := i > 0 && j > 0 && claimed[i-1] == quoted[j-1]
			after := i+1 < len(claimed) && j+1 < len(quoted) && claimed[i+1] == quoted[j+1]
			if (before && after || (before || after) && !elsewhere) && own != other &&
				!slices.Contains(claimed, other) && l.isName(own) && l.isName(other) {
				return true
			}
		}
	}
	return false
}

// besideFrom is the share of the weight of an unknown word from which on a word counts as a name for
// [lexicon.replacesName].
const besideFrom = .5

// isName reports whether a term may name what a sentence is about, such as a medicine: the base hardly
// knows it, or has a page with that title.
func (l *lexicon) isName(term string) bool {
	return l.Weight(term) >= besideFrom*l.Weight(unknownTerm) || l.titles()[term]
}
