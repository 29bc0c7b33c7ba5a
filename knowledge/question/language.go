package question

import (
	"unicode"

	"lacuna/knowledge/plaintext"
)

// Language is a language that the rules of this package know.
type Language string

// The languages; Other has no rules, so that its questions have a subject at most.
const (
	English Language = "en"
	German  Language = "de"
	Chinese Language = "zh"
	Other   Language = "other"
)

var (
	englishWords = plaintext.Set(`the of and to is are do does did how what which when where why who can could should would will
		my our your in on for with i we you it a an be have has there this that from if or not must may about`)
	germanWords = plaintext.Set(`der die das den dem des ein eine einen einem einer und oder ist sind war wie was wer wann wo warum
		wieso weshalb wozu wofür welche welcher welches welchen welchem kann können muss müssen darf dürfen soll sollte
		ich wir man mein meine meinen meinem unser ihr sie es nicht kein keine zu zum zur im am vom beim mit für von auf bei nach
		aus über unter wenn dass gibt hat haben wird werden bekomme geht mache viel viele lange oft`)
	otherWords = plaintext.Set(`le les des une est sont que qui quoi comment pourquoi combien où quel quelle dans pour avec el los las
		una qué cómo cuándo dónde cuánto por para con il gli della di che perché quando dove het een wat hoe waarom voor met
		och att är hur vad varför jest jak co dlaczego`)
)

// LanguageOf returns the language of a text by its script and its words of grammar. Latin text without such
// words counts as English.
func LanguageOf(text string) Language {
	letters, han, kana, latin := 0, 0, 0, 0
	german := 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Latin, r):
			latin++
			if r == 'ß' || r == 'ä' || r == 'ö' || r == 'ü' || r == 'Ä' || r == 'Ö' || r == 'Ü' {
				german = 1
			}
		}
	}
	switch {
	case kana > 0 && kana*4 > han:
		return Other
	case han > 0 && han*4 >= latin:
		return Chinese
	case latin*2 < letters:
		return Other
	}
	english, other := 0, 0
	for _, w := range wordsOf(text) {
		if englishWords[w.plain] {
			english++
		}
		if germanWords[w.plain] {
			german++
		}
		if otherWords[w.plain] {
			other++
		}
	}
	switch {
	case other > english && other > german:
		return Other
	case german > english:
		return German
	}
	return English
}
