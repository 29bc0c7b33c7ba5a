package prompts

import (
	"regexp"
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
// itself; a script tells it for certain in these cases only.
func languageOf(question, wanted string) string {
	if wanted != "" {
		if name, known := languages[strings.ToLower(wanted)]; known {
			return name
		}
		if languageName.MatchString(wanted) {
			return wanted
		}
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

// languageName is what the name of a language looks like. The setting may come with a workspace, so it
// is not taken for more than that.
var languageName = regexp.MustCompile(`^[\p{L}\p{M}][\p{L}\p{M} -]{1,30}$`)

// languages are the names of languages by their tags; any other is shown as it is set.
var languages = map[string]string{
	"ar": "Arabic (العربية)", "cs": "Czech (čeština)", "da": "Danish (dansk)", "de": "German (Deutsch)", "el": "Greek (Ελληνικά)",
	"en": "English", "es": "Spanish (español)", "fi": "Finnish (suomi)", "fr": "French (français)", "he": "Hebrew (עברית)",
	"hi": "Hindi (हिन्दी)", "id": "Indonesian (bahasa Indonesia)", "it": "Italian (italiano)", "ja": "Japanese (日本語)",
	"ko": "Korean (한국어)", "nl": "Dutch (Nederlands)", "no": "Norwegian (norsk)", "pl": "Polish (polski)", "pt": "Portuguese (português)",
	"ru": "Russian (русский)", "sv": "Swedish (svenska)", "th": "Thai (ไทย)", "tr": "Turkish (Türkçe)", "uk": "Ukrainian (українська)",
	"vi": "Vietnamese (tiếng Việt)", "zh": "Chinese (中文)", "zh-cn": "Simplified Chinese (简体中文)", "zh-hans": "Simplified Chinese (简体中文)",
	"zh-tw": "Traditional Chinese (繁體中文)", "zh-hant": "Traditional Chinese (繁體中文)",
}
