package question

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/plaintext"
)

// Aspect is a side of a subject that a question may ask for and a heading may announce, by the name that a
// user reads after "Nothing on". "" is none.
type Aspect string

// Definition is the aspect that a text without a heading usually treats.
const Definition Aspect = "the definition"

//go:embed aspects.txt
var aspectCues string

var aspectTable = newTable(aspectCues)

// Aspects returns all built-in aspects in the order of aspects.txt.
func Aspects() []Aspect {
	all := make([]Aspect, len(aspectTable.names))
	for i, name := range aspectTable.names {
		all[i] = Aspect(name)
	}
	return all
}

// AspectOf returns the aspect that a heading names, or "": Treatment for "Management of asthma".
func AspectOf(heading string) Aspect { return first(AspectsOf(heading)) }

// AspectsOf returns the aspects that a heading names, the meant one first: for "Fees and deadlines" cost and
// deadline.
func AspectsOf(heading string) []Aspect { return aspectsIn(heading, inHeading, LanguageOf(heading)) }

// AspectCue is a word by which a question names an aspect.
type AspectCue struct {
	Aspect     Aspect
	Start, End int  // bytes of the question
	Weak       bool // it counts only if no other names an aspect
}

// AspectCues returns the words of a question that name an aspect, without those that a cue lets stand between its own:
// of "What does the red lamp mean?" what, does and mean. A cue inside a
// longer one counts for nothing.
func AspectCues(text string) []AspectCue {
	var cues []AspectCue
	words := wordsOf(text)
	found := aspectTable.searchIn(text, inQuestion, LanguageOf(text))
	for _, f := range found {
		if slices.ContainsFunc(found, func(longer find) bool {
			return longer.size() > f.size() && longer.start <= f.start && f.end <= longer.end
		}) {
			continue
		}
		cue := AspectCue{Aspect(aspectTable.names[f.owner]), f.start, f.end, f.weak}
		if f.inScript {
			cues = append(cues, cue)
			continue
		}
		at := f.first
		for i, p := range f.parts {
			for i > 0 && !p.fits(words[at].plain) {
				at++
			}
			cue.Start, cue.End = words[at].start, words[at].end
			cues = append(cues, cue)
			at++
		}
	}
	return cues
}

func first(aspects []Aspect) Aspect {
	if len(aspects) == 0 {
		return ""
	}
	return aspects[0]
}

// aspectsIn returns the aspects that a text names, the meant one first.
func aspectsIn(text string, where usage, language Language) []Aspect {
	var aspects []Aspect
	for _, f := range ranked(aspectTable.searchIn(text, where, language)) {
		if a := Aspect(aspectTable.names[f.owner]); !slices.Contains(aspects, a) {
			aspects = append(aspects, a)
		}
	}
	return aspects
}

// ranked orders finds: those that are not weak, then those of more words, then the head of a phrase before
// what it is of ("cost of treatment", "treatment cost", 治疗的费用).
func ranked(found []find) []find {
	slices.SortStableFunc(found, func(a, b find) int {
		if a.weak != b.weak {
			if a.weak {
				return 1
			}
			return -1
		}
		if a.inScript && b.inScript {
			return cmp.Or(b.size()-a.size(), b.start-a.start)
		}
		return cmp.Or(b.size()-a.size(), a.start-b.start)
	})
	for i := 1; i < len(found); i++ {
		if a, b := found[i-1], found[i]; !a.inScript && a.weak == b.weak && a.size() == b.size() && b.first == a.first+1 && b.start == a.end+1 {
			found[i-1], found[i] = b, a
		}
	}
	return found
}

// IsClinical reports whether an aspect is one of medicine, by which illnesses and drugs are written about. Pages
// on them have a heading for nearly every such aspect that they treat, so that a heading's absence tells.
func (a Aspect) IsClinical() bool {
	at := slices.Index(aspectTable.names, string(a))
	return at >= 0 && at < aspectTable.border
}

// In reports whether a text names an aspect, by a word that a heading or a question would have for it.
func (a Aspect) In(text string) bool {
	words := wordsOf(text)
	for _, c := range aspectTable.of(a) {
		switch {
		case c.where != inQuestion|inHeading:
		case c.inScript:
			if strings.Contains(text, c.parts[0].text) {
				return true
			}
		default:
			for at := range words {
				if _, ok := c.follows(words, at); ok {
					return true
				}
			}
		}
	}
	return false
}

// HasTerm reports whether an analysed term names an aspect by itself.
func (a Aspect) HasTerm(term string) bool {
	return slices.ContainsFunc(aspectTable.of(a), func(c *cue) bool { return c.hasTerm(term) })
}

func (t *table) of(a Aspect) []*cue {
	at := slices.Index(t.names, string(a))
	if at < 0 {
		return nil
	}
	from, _ := slices.BinarySearchFunc(t.cues, at, func(c *cue, owner int) int { return c.owner - owner })
	to, _ := slices.BinarySearchFunc(t.cues, at+1, func(c *cue, owner int) int { return c.owner - owner })
	return t.cues[from:to]
}

// hasTerm reports whether a cue of one word, for questions and headings, is a word of an analysed term.
func (c *cue) hasTerm(term string) bool {
	if c.where != inQuestion|inHeading || c.inScript || len(c.parts) != 1 {
		return false
	}
	p := c.parts[0]
	return p.anyEnd && strings.HasPrefix(term, p.text) || slices.Contains(lexical.Terms(p.text), term)
}

// clinicalTerms holds the analysed words that name an aspect of medicine, and words that ask for one without
// naming it; clinicalPrefixes has the beginnings of others.
var clinicalTerms, clinicalPrefixes = func() (map[string]bool, []string) {
	terms := plaintext.Set("peopl mani common long usual")
	var prefixes []string
	for _, c := range aspectTable.cues {
		if c.owner >= aspectTable.border || c.where != inQuestion|inHeading || c.inScript || len(c.parts) != 1 {
			continue
		}
		for _, term := range lexical.Terms(c.parts[0].text) {
			terms[term] = true
		}
		if c.parts[0].anyEnd {
			prefixes = append(prefixes, c.parts[0].text)
		}
	}
	return terms, prefixes
}()

// IsClinicalTerm reports whether an analysed term names an aspect of medicine ("treat", "dosag") or asks for one
// ("mani"), rather than a subject.
func IsClinicalTerm(term string) bool {
	return clinicalTerms[term] || slices.ContainsFunc(clinicalPrefixes, func(prefix string) bool { return strings.HasPrefix(term, prefix) })
}
