package prompts

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// languages maps tags to names. A reply can be asked for only in these, because the setting may come
// with a folder, and no words of a folder's choice belong in a prompt.
var languages = map[string]string{
	"af": "Afrikaans", "am": "Amharic (አማርኛ)", "ar": "Arabic (العربية)", "as": "Assamese (অসমীয়া)", "az": "Azerbaijani (azərbaycan)",
	"be": "Belarusian (беларуская)", "bg": "Bulgarian (български)", "bn": "Bengali (বাংলা)", "bo": "Tibetan (བོད་སྐད)", "br": "Breton (brezhoneg)",
	"bs": "Bosnian (bosanski)", "ca": "Catalan (català)", "co": "Corsican (corsu)", "cs": "Czech (čeština)", "cy": "Welsh (Cymraeg)",
	"da": "Danish (dansk)", "de": "German (Deutsch)", "el": "Greek (Ελληνικά)", "en": "English", "eo": "Esperanto",
	"es": "Spanish (español)", "et": "Estonian (eesti)", "eu": "Basque (euskara)", "fa": "Persian (فارسی)", "fi": "Finnish (suomi)",
	"fil": "Filipino", "fo": "Faroese (føroyskt)", "fr": "French (français)", "fy": "West Frisian (Frysk)", "ga": "Irish (Gaeilge)",
	"gd": "Scottish Gaelic (Gàidhlig)", "gl": "Galician (galego)", "gu": "Gujarati (ગુજરાતી)", "ha": "Hausa", "he": "Hebrew (עברית)",
	"hi": "Hindi (हिन्दी)", "hr": "Croatian (hrvatski)", "ht": "Haitian Creole (kreyòl ayisyen)", "hu": "Hungarian (magyar)", "hy": "Armenian (հայերեն)",
	"id": "Indonesian (bahasa Indonesia)", "ig": "Igbo", "is": "Icelandic (íslenska)", "it": "Italian (italiano)", "ja": "Japanese (日本語)",
	"jv": "Javanese (basa Jawa)", "ka": "Georgian (ქართული)", "kk": "Kazakh (қазақ тілі)", "km": "Khmer (ខ្មែរ)", "kn": "Kannada (ಕನ್ನಡ)",
	"ko": "Korean (한국어)", "ku": "Kurdish (kurdî)", "ky": "Kyrgyz (кыргызча)", "la": "Latin (latina)", "lb": "Luxembourgish (Lëtzebuergesch)",
	"ln": "Lingala", "lo": "Lao (ລາວ)", "lt": "Lithuanian (lietuvių)", "lv": "Latvian (latviešu)", "mg": "Malagasy",
	"mi": "Māori", "mk": "Macedonian (македонски)", "ml": "Malayalam (മലയാളം)", "mn": "Mongolian (монгол)", "mr": "Marathi (मराठी)",
	"ms": "Malay (Melayu)", "mt": "Maltese (Malti)", "my": "Burmese (မြန်မာ)", "nb": "Norwegian Bokmål (bokmål)", "ne": "Nepali (नेपाली)",
	"nl": "Dutch (Nederlands)", "nn": "Norwegian Nynorsk (nynorsk)", "no": "Norwegian (norsk)", "oc": "Occitan (occitan)", "or": "Odia (ଓଡ଼ିଆ)",
	"pa": "Punjabi (ਪੰਜਾਬੀ)", "pl": "Polish (polski)", "ps": "Pashto (پښتو)", "pt": "Portuguese (português)", "pt-br": "Brazilian Portuguese (português do Brasil)",
	"qu": "Quechua (Runasimi)", "rm": "Romansh (rumantsch)", "ro": "Romanian (română)", "ru": "Russian (русский)", "rw": "Kinyarwanda",
	"sa": "Sanskrit (संस्कृत)", "sc": "Sardinian (sardu)", "sd": "Sindhi (سنڌي)", "si": "Sinhala (සිංහල)", "sk": "Slovak (slovenčina)",
	"sl": "Slovenian (slovenščina)", "sm": "Samoan", "sn": "Shona", "so": "Somali (Soomaali)", "sq": "Albanian (shqip)",
	"sr": "Serbian (српски)", "st": "Sotho (Sesotho)", "su": "Sundanese (basa Sunda)", "sv": "Swedish (svenska)", "sw": "Swahili (Kiswahili)",
	"ta": "Tamil (தமிழ்)", "te": "Telugu (తెలుగు)", "tg": "Tajik (тоҷикӣ)", "th": "Thai (ไทย)", "ti": "Tigrinya (ትግርኛ)",
	"tk": "Turkmen (türkmen dili)", "tl": "Tagalog", "tn": "Tswana (Setswana)", "tr": "Turkish (Türkçe)", "tt": "Tatar (татар)",
	"ug": "Uyghur (ئۇيغۇرچە)", "uk": "Ukrainian (українська)", "ur": "Urdu (اردو)", "uz": "Uzbek (oʻzbek)", "vi": "Vietnamese (tiếng Việt)",
	"wo": "Wolof", "xh": "Xhosa (isiXhosa)", "yi": "Yiddish (ייִדיש)", "yo": "Yoruba (Yorùbá)", "yue": "Cantonese (粵語)",
	"zh": "Chinese (中文)", "zh-cn": "Simplified Chinese (简体中文)", "zh-hans": "Simplified Chinese (简体中文)",
	"zh-hant": "Traditional Chinese (繁體中文)", "zh-tw": "Traditional Chinese (繁體中文)", "zu": "Zulu (isiZulu)",
}

// Languages returns the tags of the languages in which a reply can be asked for, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

// LanguageName returns the name of a language in a prompt: in English, and in brackets in the language
// itself; "" if the tag is not in [Languages].
func LanguageName(tag string) string { return languages[tag] }

// LanguageTag returns the tag of a language by its tag in any case, even with an unlisted region
// (de-AT), or by its name in English or in the language itself; "" if it is not in [Languages].
func LanguageTag(text string) string {
	text = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), "_", "-"))
	for tag := text; tag != ""; tag = tag[:max(0, strings.LastIndexByte(tag, '-'))] {
		if languages[tag] != "" {
			return tag
		}
	}
	for _, tag := range Languages() {
		english, own, _ := strings.Cut(strings.ToLower(languages[tag]), " (")
		if text == english || own != "" && text == strings.TrimSuffix(own, ")") {
			return tag
		}
	}
	return ""
}

// languageOf names the language for a reply, as part of a sentence. Small models slip into English if
// the evidence is English, less so if the language is named in itself; only in these cases does the
// script identify it. A wanted language that is not in [Languages] counts as none.
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
