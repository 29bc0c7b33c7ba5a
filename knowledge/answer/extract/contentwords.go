package extract

import (
	"slices"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
)

// statistics provides what reading needs to know about the base; [knowledge.Collection] implements it.
type statistics interface {
	N() int
	IDF(term string) float64
	DocFreq(term string) int
	Encoder() *dense.Encoder // nil without one
	Wording(terms []string) *lexicon.Wording
}

// questionWords only make a sentence a question, besides the words that the judge of gaps leaves out.
// "What to do" asks for a kind of answer, so the "do" of that phrase stays.
var questionWords = stemmed(`what which who whom whose when where why how do does did done can could
	should would may might must shall will have has had am been being were i me my we our you your
	he his she her it its they them tell please about need want know give explain there some any from`)

func stemmed(words string) map[string]bool {
	set := make(map[string]bool)
	for _, term := range lexical.Terms(words) {
		set[term] = true
	}
	return set
}

// contentWords returns the distinct analysed words of a question that say what it is about.
func contentWords(question string) []string {
	content := slices.DeleteFunc(slices.Clone(gap.ContentTerms(question)), func(term string) bool {
		return questionWords[term]
	})
	if asksWhatToDo(question) {
		content = append(content, "do")
	}
	return content
}

func asksWhatToDo(question string) bool {
	words := lexical.Words(question)
	for i := range len(words) - 1 {
		if words[i] == "to" && words[i+1] == "do" {
			return true
		}
	}
	return false
}

// judgementWords ask for a judgement or a quantity. Sources answer with others ("is avoided in…", "every
// two weeks"), so a lack of these says nothing.
var judgementWords = stemmed(`safe safely safety ok okay allowed harmful dangerous possible
	good better best way far long much many often soon`)

// everydayWords holds words of everyday speech, which sources leave out or replace.
var everydayWords = stemmed(`able after again always away back before between bring call come different
	easy else even ever fast find first get getting give given go going happen happens hard
	hear help keep kept know last less let like look lot make matter mean might most move never new
	next now old only other over people person put really right same say see set show since small
	sort stand still stuff sure take taken thing things think time today together too try
	turn until use used using usual usually very want well while work worry wrong yes yet`)

// circumstanceWords tell one sentence from another, but sources have many ways to put them.
var circumstanceWords = stemmed(`during`)

// tellingWords returns the content words of a question that tell one sentence from another.
func tellingWords(question string) []string {
	return without(contentWords(question), func(word string) bool { return everydayWords[word] || judgementWords[word] })
}

// SubjectWords returns the content words of a question that its sources should hold.
func SubjectWords(question string) []string {
	return without(tellingWords(question), func(word string) bool { return circumstanceWords[word] })
}

// without drops the words that are empty of meaning, or none if all are.
func without(words []string, empty func(string) bool) []string {
	kept := slices.DeleteFunc(slices.Clone(words), empty)
	if len(kept) == 0 {
		return words
	}
	return kept
}

// coverage returns the share of the words' weight on words that stand in text, and on words that the base
// does not know.
func coverage(words, text []string, base statistics) (covered, unknown float64) {
	var total float64
	for _, word := range words {
		weight := base.IDF(word)
		total += weight
		if slices.Contains(text, word) {
			covered += weight
		}
		if base.DocFreq(word) == 0 {
			unknown += weight
		}
	}
	if total == 0 {
		return 0, 0
	}
	return covered / total, unknown / total
}

func missesAny(words, text []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(text, word) })
}

// Negations lists words that deny, without words that also name things: "heart failure", "非甾体"
// (non-steroidal).
var Negations = map[string]bool{
	"no": true, "not": true, "never": true, "none": true, "nor": true, "neither": true,
	"without": true, "cannot": true, "isn": true, "aren": true, "wasn": true, "weren": true,
	"don": true, "doesn": true, "didn": true, "couldn": true, "shouldn": true,
	"lack": true, "lacks": true, "lacked": true, "lacking": true, "absence": true, "absent": true,
	"fail": true, "fails": true, "failed": true, "unlikely": true, "unable": true,
	"inconclusive": true, "ineffective": true, "contraindicated": true,
	"不": true, "没": true, "无": true, "未": true, "勿": true,
}

// negates reports whether a text denies something.
func negates(text string) bool {
	for _, word := range lexical.Words(text) {
		if Negations[word] {
			return true
		}
	}
	return false
}
