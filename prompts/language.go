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
// the evidence is English, less so if the language is named in itself: by its script or, where many share
// one, by its commonest words. A wanted language that is not in [Languages] counts as none.
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
		return LanguageName("ja")
	case hangul > 0:
		return LanguageName("ko")
	case han > 0:
		return LanguageName("zh")
	}
	if tag := languageByWords(question); tag != "" {
		return LanguageName(tag)
	}
	return "the language of the question"
}

// commonWords lists words by which questions in a language are known. A word of two languages is left out
// where it would tell them apart wrongly.
var commonWords = map[string][]string{
	"en": strings.Fields("the of what which how when why is are does do can should for and with be after before during many much a an taken given it my"),
	"de": strings.Fields("der die das und ist sind wie was welche welcher welches wann warum bei von mit für nicht ein eine einen einer wird werden kann darf soll muss dem den des zu zur zum nach vor auf ich viel viele wieviel oft"),
	"fr": strings.Fields("le la les des du est sont que quel quelle quels quelles quand comment pourquoi combien une un pour avec dans et au aux peut doit faut ne pas chez par"),
	"es": strings.Fields("el la los las es son qué cuál cuáles cómo cuándo cuánto cuánta por una un para con en del al y se puede debe qué no hay de"),
	"it": strings.Fields("il lo la gli le è sono che quale quali come quando quanto perché una un per con nel nella della del di si può deve non i"),
	"pt": strings.Fields("o os as é são que qual quais como quando quanto por uma um para com em do da no na não se pode deve e de"),
	"nl": strings.Fields("de het een is zijn wat hoe wanneer welke waarom hoeveel voor met van en niet wordt worden kan mag moet bij na"),
	"sv": strings.Fields("och är vad hur när vilken vilket vilka varför för med på av inte en ett som kan ska bör vid"),
	"da": strings.Fields("og er hvad hvordan hvornår hvilken hvilket hvilke hvorfor for med på af ikke en et som kan skal bør ved"),
	"pl": strings.Fields("jest są co jak kiedy który która jakie jaka jaki dlaczego ile dla przy z w i na nie czy się można należy po"),
	"ru": strings.Fields("что как когда какой какая какие почему сколько для при и в на не ли можно нужно после до с"),
}

// minCommon is how many of its common words tell a language.
const minCommon = 2

// languageByWords returns the tag of the language that most of a text's common words are of; "" if there
// are few, or two languages have as many.
func languageByWords(text string) string {
	found := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	best, most, second := "", 0, 0
	for _, tag := range slices.Sorted(maps.Keys(commonWords)) {
		hits := 0
		for _, word := range found {
			if slices.Contains(commonWords[tag], word) {
				hits++
			}
		}
		if hits > most {
			best, most, second = tag, hits, most
		} else {
			second = max(second, hits)
		}
	}
	if most < minCommon || most == second {
		return ""
	}
	return best
}
