package redact

import (
	"regexp"
	"strings"
)

// Numbers and dates as people dictate them: "oh seven seven double-oh 900 882", "siebzehnten jänner fünfundvierzig",
// "h as in harry five five two".

// Words of numbers, in English, German and Spanish.
const (
	digitWord = `(?:zero|nought|oh|one|two|three|four|five|six|seven|eight|nine|niner|null|eins|ein|zwei|zwo|drei|vier|fünf|fuenf|sechs|sieben|acht|neun|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|[〇零一二三四五六七八九])`
	tensWord  = `(?:(?:twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|zehn|elf|zwölf|(?:drei|vier|fünf|sech|sieb|acht|neun)zehn|(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)|diez|once|doce|trece|catorce|quince|dieci(?:séis|seis|siete|ocho|nueve)|veinti?(?:uno|dós|dos|trés|tres|cuatro|cinco|séis|seis|siete|ocho|nueve)?|(?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)(?: y (?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?)`
	repeated  = `(?:double|triple|treble|quadruple|doppel|dreifach|doble|triple)`
	// ordinalWord are the days of a month.
	ordinalWord = `(?:` + spelled + `|(?:ersten?r?|zweiten?r?|dritten?r?|vierten?r?|fünften?r?|sechsten?r?|siebe?n?ten?r?|achten?r?|neunten?r?|zehnten?r?|elften?r?|zwölften?r?|(?:drei|vier|fünf|sech|sieb|acht|neun)zehnten?r?|(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?(?:zwanzigsten?r?|dreißigsten?r?|dreissigsten?r?)))`
	yearWords   = `(?:(?:nineteen|twenty|two thousand(?: and)?|eighteen|oh|o)(?:[- ](?:hundred|oh|o|` + tensWord + `|` + digitWord + `)){1,3}|` + tensWord + `|(?:neunzehn|acht?zehn|zwanzig|zweitausend)(?:hundert)?(?:und)?(?:` + tensWord + `|` + digitWord + `)?|null ` + digitWord + `|mil novecientos(?: ` + tensWord + `)?|dos mil(?: ` + tensWord + `| ` + digitWord + `)?|(?:18|19|20)?\d\d)`
	spelt       = `(?:` + repeated + `[- ])?(?:` + digitWord + `|o)`
)

var spokenRules = []rule{
	{Phone, "number in words", re(`(?i)\b(?:(?:[a-z]{1,3}|[a-z] (?:as in|for|wie|de) \p{L}+)[ ,]+){0,4}(?:(?:` + spelt + `|\d{1,4})(?:[ ,-]+(?:(?:dash|hyphen|stroke|slash|strich|bindestrich|doppelstrich|punkt|dot|guion|guión|space|and then|then)[ ,-]+)?)){3,}(?:` + spelt + `|` + tensWord + `|\d{1,8})(?:[ ,-]+(?:(?:dash|hyphen|strich|punkt|guion|guión)[ ,-]+)?(?:` + spelt + `|` + tensWord + `|\d{1,8})\b)*\b`), isSpokenNumber},
	{Phone, "number in words, labelled", re(`(?i)\b(?:extension|ext|bleep|pager|dial|durchwahl|klappe|dw|interno|apparat|ends in|ending(?: in)?|last (?:two|three|four)(?: digits)?|endziffern?|nummer|number(?: is)?|schaden nr|versicherungsnummer|versichertennummer|nr|mrn|dni|doc)[ :.]+((?:(?:[a-z]{1,2} |[a-z] (?:as in|for|wie|de) \pL+ ){0,4}(?:` + repeated + `[- ])?(?:` + digitWord + `|` + tensWord + `|\d{1,4}|strich|doppelstrich|punkt|komma|dash|double|o)[ ,-]+){1,14}(?:` + digitWord + `|` + tensWord + `|\d{1,8})|` + tensWord + `)\b`), isLabelledSpoken},
	{Phone, "number in Chinese", re(`[〇零幺一二三四五六七八九]{3,4}[ -]?[〇零幺一二三四五六七八九]{3,4}[ -]?[〇零幺一二三四五六七八九]{3,4}|\b1[3-9]\d ?[加和空] ?\d{4} ?[加和空] ?\d{4}|[〇零幺一二三四五六七八九]{3,4}-?\d?号?(?:分机|内线)`), nil},
	{Phone, "number with words for marks", re(`(?i)\b\d+(?: \d+)*(?: (?:dash|hyphen|slash|stroke|strich|bindestrich|doppelstrich|schrägstrich|punkt|dot|guion|guión|barra) \d+(?: \d+)*)+\b`), hasDigits(5)},
	{Date, "spoken", re(`(?i)\b(?:the )?(?:` + ordinalWord + `|` + day + `(?:st|nd|rd|th)) (?:of |day of )(?:the |month )?(?:` + ordinalWord + `|` + day + `(?:st|nd|rd|th)|` + monthLong + `)(?:,? (?:of )?` + yearWords + `)?\b`), nil},
	{Date, "spoken", re(`(?i)\b(?:den |am |vom |bis |zum |seit )?` + ordinalWord + ` (?:(?:ersten?|zweiten?|dritten?|vierten?|fünften?|sechsten?|siebe?n?ten?|achten?|neunten?|zehnten?|elften?|zwölften?)r?|` + monthLong + `|` + monthShort + `)(?: ` + yearWords + `)?\b`), isSpokenDate},
	{Date, "spoken", re(`(?i)\b(?:` + digitWord + `|` + tensWord + `|\d{1,2}|primero) (?:días? del mes )?de ` + monthLong + `(?: (?:de|del|de el)(?: año)? ` + yearWords + `)?\b`), nil},
	{Date, "spoken", re(`(?i)\b(?:` + digitWord + `|` + tensWord + `|primero) del (?:` + digitWord + `|` + tensWord + `) del? ` + yearWords + `\b`), nil},
	{Date, "spoken", re(`(?i)\b` + monthLong + ` del? (?:` + tensWord + `|dos mil(?: ` + tensWord + `| ` + digitWord + `)?)\b`), nil},
	{Date, "spoken day", re(`(?i)\b(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo) (?:` + tensWord + `|` + digitWord + `)\b`), nil},
	{Date, "spoken", re(`(?i)\b(?:` + monthLong + `|feb|sept?|oct|nov|dec|jan|aug) (?:the )?(?:` + ordinalWord + `|` + tensWord + `|` + digitWord + `)\b(?:,? ` + yearWords + `\b)?`), isSpokenMonth},
	{Date, "spoken", re(`(?i)\b(?:` + monthLong + `) (?:` + yearWords + `)\b`), isSpokenMonth},
	{Date, "spoken", re(`(?i)\b(?:dob|born|date of birth|birth ?day|d\.o\.b\.?|geboren(?: am)?)(?: is| was|:)? ((?:` + digitWord + `|` + tensWord + `|oh[- ]` + digitWord + `)[ ,-]+(?:` + digitWord + `|` + tensWord + `|oh[- ]` + digitWord + `)[ ,-]+` + yearWords + `)\b`), nil},
	{Date, "spoken", re(`(?i)\b((?:oh|o|zero)[- ]` + digitWord + `,? (?:(?:oh|o|zero)[- ])?(?:` + digitWord + `|` + tensWord + `),? ` + tensWord + `)\b`), nil},
	{Date, "spoken day", re(`(?i)\b((?:mon|tues|wednes|thurs|fri|satur|sun)day,? (?:the )?` + spelled + `)\b`), nil},
	{Date, "spoken day", re(`(?i)\b(?:on|since|from|until|till|til|by|before|after|last|for|due|` + weekday + `) ((?:the )?` + spelled + `)(?:[,.;)\n]|$| (?:with|to|and|so|but|because|since|he|she|they)\b)`), nil},
	{Date, "spoken day", re(`(?i)\b(?:am|bis|bis zum|seit dem|ab dem|vom|zum) (` + ordinalWord + `)(?: (?:dann|mittags|abends|früh|um|wieder|punkt|komma|und|absatz)|[,.;]|$)`), isSpokenDate},
	{Age, "age, spoken", re(`(?i)\b(?:age[d:]*|is|turned|turning|he'?s|she'?s|now|she is|he is) ((?:a|one) hundred(?: and (?:` + digitWord + `|` + tensWord + `))?)\b(?: (?:years?|next|now|this|today|in|on|last)\b|[.,;]| ?$)`), isHundred},
	{Age, "age, spoken", re(`(?i)\b(?:(?:noventa(?: y (?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?|cien|ciento (?:uno|dos|tres|cuatro|cinco))(?: (?:años|pirulos|abriles|primaveras))|(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?neunzig(?:jährige?[rnms]?| jahre|)|hundert(?:ein|zwei|drei|vier)?jährige?[rnms]?)\b`), isSpokenAge},
}

// isSpokenNumber refuses few digits, and values: those have a point or hundreds.
func isSpokenNumber(s string) bool {
	words, digits := 0, len(digitsOf(s))
	for _, w := range spokenDigit.FindAllString(s, -1) {
		words++
		switch w = strings.ToLower(w); {
		case strings.HasPrefix(w, "tripl"), w == "treble":
			digits += 2
		case len(w) > len("seven") && w != "fünf":
			digits += 2
		default:
			digits++
		}
	}
	return words >= 2 && digits >= 7 && !strings.Contains(strings.ToLower(s), "hundred")
}

var spokenDigit = regexp.MustCompile(`(?i)(?:\b(?:double|triple|treble|doppel|doble)\b|` + tensWord + `|\b(?:o|` + digitWord + `)\b)`)

func isLabelledSpoken(s string) bool {
	return len(spokenDigit.FindAllString(s, -1)) >= 1
}

// isSpokenDate refuses ordinal numbers that could be anything: a German date has the ending of one.
func isSpokenDate(s string) bool {
	return strings.HasSuffix(strings.ToLower(s), "n") || strings.ContainsRune(s, ' ')
}

// isSpokenMonth refuses the verbs may and march in small letters.
func isSpokenMonth(s string) bool {
	return !strings.HasPrefix(s, "may") && !strings.HasPrefix(s, "march") || strings.Count(s, " ") > 1
}

func isHundred(s string) bool { return !strings.Contains(s, "per") }

func isSpokenAge(s string) bool { return strings.Contains(s, " ") || strings.Contains(s, "jähr") }

// speaks reports whether a text may hold dictated numbers: it has two words of numbers.
func speaks(text string) bool {
	return len(numberWord.FindAllStringIndex(text, 2)) == 2 || strings.Contains(text, "hundred")
}

var numberWord = regexp.MustCompile(`\b(?:[Zz]ero|[Oo]h|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ss]even|[Ee]ight|[Nn]ine|[Nn]ull|[Ee]ins|[Zz]wei|[Zz]wo|[Dd]rei|[Vv]ier|[Ff]ünf|[Ss]echs|[Ss]ieben|[Aa]cht|[Nn]eun|[Cc]ero|[Uu]no|[Dd]os|[Tt]res|[Cc]uatro|[Cc]inco|[Ss]eis|[Ss]iete|[Oo]cho|[Nn]ueve|[Dd]iez|[Oo]nce|[Dd]oce|[Tt]rece|[Cc]atorce|[Qq]uince|[Dd]ieci\pL+|[Vv]eint\pL+|[Nn]oventa|[Tt]en|[Ee]leven|[Tt]welve|[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Ff]ifth|[Ss]ixth|[Tt]welfth|[Ee]leventh|[Tt]enth|[Ff]ünften|[Dd]ouble|[Tt]riple|dash|strich|doppelstrich|guion)\b|\p{L}+(?:teen|teenth|ieth|zehn|zehnten|zigsten|ßigsten|zig|undzwanzig|ty)\b|[ersz]ten\b|[〇零幺一二三四五六七八九]{3}`)

func spoken(text string) []hit {
	if !speaks(text) {
		return nil
	}
	return apply(spokenRules, text)
}
