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
	// asking are the cues in a question where those of a heading would mislead: "can it cause a
	// rash" does not ask for causes.
	asking []string
}

// aspects are the built-in sides of a subject, the more particular first: where two fit, the first
// is meant.
var aspects = []aspect{
	{name: "side effects", cues: []string{"side effect*", "adverse*", "undesirable effect*", "toxicity"}},
	{name: "interactions", cues: []string{"interact*"}},
	{name: "contraindications", cues: []string{"contraindicat*", "contra-indicat*", "who should not"}},
	{name: "overdose", cues: []string{"overdos*"}},
	{name: "storage", cues: []string{"storage", "store", "stored", "dispos*"}},
	{name: "dosage", cues: []string{"dose*", "dosage*", "dosing", "how much", "how many mg", "posolog*"}},
	{name: "monitoring", cues: []string{"monitor*", "follow-up"}},
	{name: "pregnancy and breastfeeding", cues: []string{"pregnan*", "breastfeed*", "breast-feed*", "lactation"}},
	{name: "risk factors", cues: []string{"risk*", "susceptib*", "predispos*"}},
	{name: "prevention", cues: []string{"prevent*", "prophyla*", "precaution*"}},
	{name: "inheritance", cues: []string{"inherit*", "hereditary"}},
	{name: "the genetics", cues: []string{"genetic*", "mutation*"}},
	{name: "stages", cues: []string{"stage*", "staging"}},
	{name: "complications", cues: []string{"complicat*"}},
	{name: "frequency", cues: []string{"frequen*", "how common", "how many people", "prevalence", "incidence", "epidemiolog*"}},
	{name: "outlook", cues: []string{"prognos*", "outlook", "life expectancy", "survival"}},
	{name: "tests", cues: []string{"diagnos*", "test", "tests", "testing", "exam", "exams", "examination*", "investigation*", "workup", "screening"}},
	{name: "treatment", cues: []string{"treat*", "therap*", "manage*", "cure*"}},
	{name: "symptoms", cues: []string{"symptom*", "sign", "signs", "presentation", "clinical features", "manifest*"}},
	{
		name: "causes", cues: []string{"cause", "causes", "etiolog*", "aetiolog*"},
		asking: []string{"what causes", "causes of", "cause of", "caused by", "etiolog*", "aetiolog*"},
	},
	{name: "research", cues: []string{"research", "clinical trials"}},
	{name: "the definition", cues: []string{"definition*", "overview", "introduction", "information", "what is"}},
}

// otherCues are words that ask for a side of a subject and name none of the aspects.
const otherCues = "people many common long usually"

// cueTerms are the analysed cues of one word.
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

// cuePrefixes are the beginnings of words that are cues.
var cuePrefixes = func() []string {
	var prefixes []string
	for _, a := range aspects {
		for _, cue := range a.cues {
			if prefix, ok := strings.CutSuffix(cue, "*"); ok && !strings.Contains(cue, " ") {
				prefixes = append(prefixes, prefix)
			}
		}
	}
	return prefixes
}()

// isCue tells whether an analysed term names an aspect.
func isCue(term string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(term, prefix) }
	return cueTerms[term] || slices.ContainsFunc(cuePrefixes, begins)
}

// aspectOf finds the aspect that a heading or a type of question names, or returns "".
func aspectOf(label string) string {
	words := lexical.Words(label)
	for _, a := range aspects {
		if a.cued(words, a.cues) {
			return a.name
		}
	}
	return ""
}

// aspectAsked finds the aspect that a question names, or returns "".
func aspectAsked(question string) string {
	words := lexical.Words(question)
	for _, a := range aspects {
		cues := a.cues
		if a.asking != nil {
			cues = a.asking
		}
		if a.cued(words, cues) {
			return a.name
		}
	}
	return ""
}

func (a aspect) cued(words, cues []string) bool {
	return slices.ContainsFunc(cues, func(cue string) bool { return holdsCue(words, cue) })
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
