package prompts

import (
	"strings"
	"text/template"
	"unicode"
)

// functions are what templates may call beside what Go gives them.
var functions = template.FuncMap{
	"next":     func(i int) int { return i + 1 },
	"join":     strings.Join,
	"language": languageOf,
}

// languageOf names the language that a reply is to be written in, as part of a sentence. Small
// models slip into English when the evidence is English, least so when the language is named in
// itself; a script tells it for certain in these cases only. What is wanted but not among [Languages]
// counts as nothing.
func languageOf(question, wanted string) string {
	if name := LanguageName(LanguageTag(wanted)); name != "" {
		return name
	}
	var han, kana, hangul, other int
	for _, r := range question {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.IsLetter(r):
			other++
		}
	}
	switch {
	case 4*(han+kana+hangul) < other: // a foreign word or two
	case kana > 0:
		return "Japanese (日本語)"
	case hangul > 0:
		return "Korean (한국어)"
	case han > 0:
		return "Chinese (中文)"
	}
	return "the language of the question"
}
