package gap

import (
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
)

// aspect is a side of a subject that a question may ask about and a heading may announce.
type aspect struct {
	name string // as it is worded to a person, after "Nothing on"
	// cues are words, or runs of words, that name the aspect in a question or in a heading. A cue
	// ending in "*" stands for every word that begins with it.
	cues []string
}

// aspects are the built-in sides of a subject, the more particular first: where two fit, the first
// is meant.
var aspects = []aspect{
	{"side effects", []string{"side effect*", "adverse*", "undesirable effect*", "toxicity"}},
	{"interactions", []string{"interact*"}},
	{"contraindications", []string{"contraindicat*", "contra-indicat*", "who should not"}},
	{"overdose", []string{"overdos*"}},
	{"storage", []string{"storage", "store", "stored", "dispos*"}},
	{"dosage", []string{"dose*", "dosage*", "dosing", "how much", "how many mg", "posolog*"}},
	{"monitoring", []string{"monitor*", "follow-up"}},
	{"pregnancy and breastfeeding", []string{"pregnan*", "breastfeed*", "breast-feed*", "lactation"}},
	{"risk factors", []string{"risk*", "susceptib*", "predispos*"}},
	{"prevention", []string{"prevent*", "prophyla*", "precaution*"}},
	{"inheritance", []string{"inherit*", "hereditary"}},
	{"the genetics", []string{"genetic*", "mutation*"}},
	{"stages", []string{"stage*", "staging"}},
	{"complications", []string{"complicat*"}},
	{"frequency", []string{"frequen*", "how common", "how many people", "prevalence", "incidence", "epidemiolog*"}},
	{"outlook", []string{"prognos*", "outlook", "life expectancy", "survival"}},
	{"tests", []string{"diagnos*", "test", "tests", "testing", "exam*", "investigation*", "workup", "screening"}},
	{"treatment", []string{"treat*", "therap*", "manage*", "cure*"}},
	{"symptoms", []string{"symptom*", "sign", "signs", "presentation", "clinical features", "manifest*"}},
	{"causes", []string{"cause*", "causing", "etiolog*", "aetiolog*"}},
	{"research", []string{"research", "clinical trials"}},
	{"the definition", []string{"definition*", "overview", "introduction", "information", "what is"}},
}

// otherCues are words that ask for a side of a subject and name none of the aspects.
const otherCues = "people many common long usually"

// cueTerms are the analysed single-word cues, without those that are prefixes of longer cues only.
var cueTerms = func() map[string]bool {
	terms := make(map[string]bool)
	for _, a := range aspects {
		for _, cue := range a.cues {
			if strings.Contains(cue, " ") {
				continue
			}
			for _, term := range lexical.Terms(strings.TrimSuffix(cue, "*")) {
				terms[term] = true
			}
		}
	}
	for _, term := range lexical.Terms(otherCues) {
		terms[term] = true
	}
	return terms
}()

// aspectOf finds the aspect that a heading, a type of question or a question names, or returns "".
func aspectOf(text string) string {
	words := lexical.Words(text)
	for _, a := range aspects {
		if slices.ContainsFunc(a.cues, func(cue string) bool { return holdsCue(words, cue) }) {
			return a.name
		}
	}
	return ""
}

// holdsCue tells whether the words of a cue stand in words one after the other.
func holdsCue(words []string, cue string) bool {
	parts := lexical.Words(strings.TrimSuffix(cue, "*"))
	prefix := strings.HasSuffix(cue, "*")
	for at := 0; at+len(parts) <= len(words); at++ {
		fits := true
		for i, part := range parts {
			w := words[at+i]
			last := i == len(parts)-1
			fits = fits && (w == part || prefix && last && strings.HasPrefix(w, part))
		}
		if fits {
			return true
		}
	}
	return false
}
