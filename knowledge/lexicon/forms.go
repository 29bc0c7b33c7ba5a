package lexicon

import "strings"

// Language decides by which endings two forms of a word are told to be one.
type Language int

const (
	English Language = iota
	German
)

// leastStem is the number of letters that a word must keep without its endings.
const leastStem = 4

// Family returns what the forms of a word and the words made of it share: "pay" for payment, "entscheid" for
// Entscheidung. Words of equal families are probably kin; equal families of four letters or fewer mean little.
func Family(term string, language Language) string {
	if language == German {
		return trim(foldGerman(term), germanEndings, leastStem)
	}
	return trim(term, englishEndings, leastStem)
}

// Inflected reports whether two terms differ at most by the endings of cases, numbers and persons, as German
// words do: English ones are stemmed already.
func Inflected(a, b string, language Language) bool {
	return language == German && trim(foldGerman(a), germanInflections, leastStem) == trim(foldGerman(b), germanInflections, leastStem)
}

// trim takes endings off a word for as long as it keeps least letters.
func trim(word string, endings []string, least int) string {
	for again := true; again; {
		again = false
		for _, ending := range endings {
			if len(word) >= least+len(ending) && strings.HasSuffix(word, ending) {
				word, again = word[:len(word)-len(ending)], true
				break
			}
		}
	}
	return word
}

// foldGerman writes ae, oe and ue as the index has ä, ö and ü.
func foldGerman(word string) string {
	if !strings.Contains(word, "e") {
		return word
	}
	return strings.NewReplacer("ae", "a", "oe", "o", "que", "que", "eue", "eue", "aue", "aue", "ue", "u").Replace(word)
}

// Endings, longer ones before shorter ones that they end in. The terms are Porter's stems, which have lost most
// English endings, so some of these are what Porter leaves.
var (
	englishEndings = strings.Fields(`
		isation ization ational ations ation ition ator ative atori ment ness ship hood abl ibl able ible
		anc enc ance ence ant ent ing ion iv ive iti ity ist ism iz is ifi al ial ic ical er or eri ari ori ful less ous
		ate at ed li ly i e s`)
	germanInflections = strings.Fields(`ern em en er es e n s`)
	germanEndings     = strings.Fields(`
		ungen ung heiten heit keiten keit schaft ierung ieren iert ation ationen lichkeit liche lich isch igkeit ig bar
		los innen in chen nis tum ern ten te em en er es et st t e n s`)
)

// joints are what stands between the parts of a German compound.
var joints = []string{"", "s", "es", "n", "en", "e", "er"}

// leastPart is the number of letters of a part of a compound.
const leastPart = 4

// Parts returns the two parts of which a German compound is made, as terms that known accepts: "Arbeitszeitkonto"
// may be "Arbeitszeit" and "Konto". Of several ways it takes the one with the longest second part, which is what
// the compound is a kind of. It returns false for a word that is none.
func Parts(term string, known func(term string) (string, bool)) (first, second string, ok bool) {
	for at := leastPart; at <= len(term)-leastPart; at++ {
		second, isWord := known(term[at:])
		if !isWord {
			continue
		}
		for _, joint := range joints {
			if head, found := strings.CutSuffix(term[:at], joint); found && len(head) >= leastPart {
				if first, isWord := known(head); isWord {
					return first, second, true
				}
			}
		}
	}
	return "", "", false
}
