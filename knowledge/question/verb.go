package question

import (
	_ "embed"
	"strings"

	"lacuna/knowledge/plaintext"
)

//go:embed verbs.txt
var verbList string

// verbForm says which form of a verb a word may be.
type verbForm uint8

const (
	plainForm verbForm = 1 << iota // "keep", "keeps"
	pastForm                       // "kept", "counted"
	ingForm                        // "keeping"
	otherWord                      // it is also a noun or an adjective
)

// verbForms has the forms of English verbs.
var verbForms = func() map[string]verbForm {
	forms := make(map[string]verbForm, 12000)
	other := verbForm(0)
	for line := range strings.Lines(verbList) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line == "==" {
			other = otherWord
			continue
		}
		fields := strings.Fields(line)
		add := func(word string, form verbForm) {
			if _, known := forms[word]; !known || other == 0 {
				forms[word] |= form | other
			}
		}
		verb := fields[0]
		add(verb, plainForm)
		stem, doubled := strings.TrimSuffix(verb, "e"), verb+verb[len(verb)-1:]
		switch {
		case strings.HasSuffix(verb, "y") && !strings.ContainsAny(verb[len(verb)-2:len(verb)-1], "aeiou"):
			add(verb[:len(verb)-1]+"ies", plainForm)
			add(verb[:len(verb)-1]+"ied", pastForm)
		case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "z"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "o"):
			add(verb+"es", plainForm)
			add(stem+"ed", pastForm)
		default:
			add(verb+"s", plainForm)
			add(stem+"ed", pastForm)
		}
		add(stem+"ing", ingForm)
		for _, form := range fields[1:] {
			if strings.HasSuffix(form, "ing") {
				add(form, ingForm)
			} else {
				add(form, pastForm)
			}
		}
		if len(fields) == 1 || fields[1] == doubled+"ed" {
			add(doubled+"ed", pastForm)
			add(doubled+"ing", ingForm)
		}
	}
	return forms
}()

// isVerb reports whether the word at i is used as an English verb, by its form and its neighbours: a verb that is
// a noun as well counts behind a pronoun, behind an auxiliary or "to", and at the end of a question that "do" or the
// like opens.
func isVerb(words []word, i int) bool {
	before := ""
	if i > 0 && !words[i].after {
		before = strings.ToLower(words[i-1].text)
	}
	form := verbForms[words[i].text]
	if form == 0 {
		return subjectPronouns[before]
	}
	ends := i+1 == len(words) || words[i+1].after || isGrammar(strings.ToLower(words[i+1].text)) || isContraction(strings.ToLower(words[i+1].text))
	switch {
	case subjectPronouns[before]:
		return true
	case form&plainForm == 0:
		return ends && (form&otherWord == 0 || before != "" && behind(words, i, passives)) || form&otherWord == 0 && form&ingForm != 0 && gerundWords[before]
	case form&otherWord == 0:
		return true
	case modals[before]:
		return true
	case before == "to":
		return i == 1 || isGrammar(strings.ToLower(words[i-2].text)) || verbForms[strings.ToLower(words[i-2].text)] != 0
	}
	several := strings.HasSuffix(before, "s") || before != "" && before != words[i-1].text
	return ends && several && !isGrammar(before) && !strings.HasSuffix(words[i].text, "s") && behind(words, i, modals)
}

// behind reports whether one of the given words stands before the word at i in its clause.
func behind(words []word, i int, set map[string]bool) bool {
	for j := i - 1; j >= 0 && !words[j+1].after; j-- {
		if set[strings.ToLower(words[j].text)] {
			return true
		}
	}
	return false
}

var (
	subjectPronouns = plaintext.Set("i you we they he she it mine who someone anyone somebody anybody everyone everybody there")
	gerundWords     = plaintext.Set("without by for of when while after before about from in on than is are was were and or")
	passives        = plaintext.Set("is are was were be been being get gets got isn't aren't")
	modals          = plaintext.Set("do does did can could should would will may might must shall don't doesn't didn't can't cannot couldn't shouldn't won't wouldn't not")
)

// verbBases has the base forms of the irregular and regular forms of English verbs that are not base forms
// themselves.
var verbBases = func() map[string]string {
	bases := make(map[string]string, 12000)
	for line := range strings.Lines(verbList) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" {
			continue
		}
		for _, form := range fields[1:] {
			if _, known := bases[form]; !known {
				bases[form] = fields[0]
			}
		}
	}
	return bases
}()

// VerbBase returns the base form of an irregular form of an English verb, such as "give" for "given"; false for
// other words. VerbForms says more.
func VerbBase(word string) (base string, ok bool) {
	base, ok = verbBases[word]
	return base, ok
}

// VerbForms says how an English word may be used: as the base form or third person of a verb, as its past form or
// participle, as its "-ing" form, and whether it is a noun or an adjective as well.
func VerbForms(word string) (plain, past, ing, other bool) {
	form := verbForms[word]
	return form&plainForm != 0, form&pastForm != 0, form&ingForm != 0, form&otherWord != 0
}
