package redact

import (
	"regexp"
	"strconv"
	"strings"
)

// Dates more exact than a year, in the forms of English, German, Spanish and Chinese notes.

const (
	// monthLong are names that mean nothing else; monthShort need a day or a year.
	monthLong  = `(?i:january|february|march|april|june|july|august|september|october|november|december|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|janvier|février|avril|juin|juillet|août|septembre|octobre|novembre|décembre)`
	monthShort = `(?i:jan|feb|mar|mrz|apr|may|jun|jul|aug|sept?|oct|okt|nov|dec|dez|ene|abr|ago|dic)\.?`
	month      = `(?:` + monthLong + `|` + monthShort + `)`
	day        = `(?:[12]\d|3[01]|0?[1-9])`
	ordinal    = `(?:st|nd|rd|th|\.|º)?`
	year       = `(?:(?:18|19|20)\d\d|'\d\d)`
	weekday    = `(?i:mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lun|mar|mié|jue|vie|sáb|dom)`
	// at is a weekday or a word of time that belongs to the date behind it, and clock the time of day.
	at    = `(?:\b(?:` + weekday + `\b[.,]*|(?i:the|w/b|w/c|w/e|week of|week commencing|end of|early|late|mid|middle of|beginning of|start of|fines de|finales de|principios de|mediados de|anfang|mitte|ende|el|den|dem)\b)[ ,-]*)*`
	clock = `(?:(?:[T@]|,? *(?:@|at |um |a las |ab |gegen |\(|` + weekday + `,? )? ?)\d{1,2}(?:[:.h]\d\d(?::?\d\d(?:\.\d+)?)?|\d\d(?:\d\d)?(?:h\b|hrs?\b|Z|\b))(?: ?(?i:[ap]\.?m\.?|uhr|h|hrs?)\b\.?)?(?: ?(?:Z|UTC|GMT|[A-Z]{1,3}[SD]T|[+-]\d\d:?\d\d))?)?`
	// what stands before a day and a month that could also be a fraction or a score
	dateCue     = `(?i:\b(?:on|since|from|until|till|til|by|before|after|dated?|dd|seen|reviewed?|wr|round|clinic|appt|appointment|admitted|admission|adm|discharged?|d/c|operated|surgery|op|started|stopped|last|lmp|edd|due|next|born|am|vom|bis|zum|seit|ab|den|und|el|día|desde|hasta|del|fecha|für|f/u|rv|r/v|review|visit|repeat|booked|scheduled|between|bloods|labs|mri|ct|cxr|echo|x-?ray|scan|xr|fta|dna|mdt|i\.e\.|nächste[rsn]?|下次|复诊|预约)\b?[ :.,]*|\b` + weekday + `\b[.,]*[ ]+|^[ ]*[-*•]?[ ]*)`
	spelled     = `(?i:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty[- ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|thirty[- ]first)`
	spelledDay  = `(?i:twenty[- ](?:one|two|three|four|five|six|seven|eight|nine)|thirty(?:[- ]one)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)`
	season      = `(?i:spring|summer|autumn|fall|winter|frühjahr|frühling|sommer|herbst|winter|primavera|verano|otoño|invierno)`
	spelledYear = `(?i:(?:nineteen|twenty|two thousand(?: and)?|eighteen)(?:[- ](?:hundred|oh|o|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine)){1,3})`
	han10       = `[〇○零一二三四五六七八九十廿卅冬腊正元初]`
)

var dateRules = []rule{
	{Date, "ISO", re(`(` + at + `\b(?:18|19|20)\d\d[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12]\d|0?[1-9])` + clock + `)(?:\D|$)`), nil},
	{Date, "ISO week", re(`\b(?:19|20)\d\d-W\d\d(?:-\d)?\b`), nil},
	{Date, "compact", re(`\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d)?(?:\.\d+)?(?:[+-]\d{4})?|T\d{4,6}Z?)?\b`), nil},
	{Date, "numbers", re(at + `\b(\d{1,2} ?/ ?\d{1,2} ?/ ?(?:\d{4}|\d{2}))\b`), isDate},
	{Date, "numbers", re(`\b(\d{1,2}-\d{1,2}-(?:\d{4}|\d{2}))\b`), isDate},
	{Date, "numbers", re(`(?:^|[^\d.])(\d{1,2}\. ?\d{1,2}\. ?'?(?:\d{4}|\d{2}))(?:[^\d]|$)`), isDate},
	{Date, "Minguo", re(`(?:^|[^\d/.-])(1[01]\d[/.-](?:0[1-9]|1[0-2])[/.-](?:0[1-9]|[12]\d|3[01]))(?:[^\d]|$)`), nil},
	{Date, "weekday, month and day", re(`(?:^|[^\pL\d-])((?i:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:day)?[.,]? +\d{1,2}/\d{1,2})(?:[^\d/]|$)`), nil},
	{Date, "numbers and time", re(`\b(?:\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})|\d{4}-\d\d-\d\d),?[ @]+(?:um |at |ab |` + weekday + `,? )?\d{1,2}[:.h]\d\d(?::\d\d)?(?: ?(?i:[ap]\.?m\.?|uhr|h|hrs?)\b\.?)?(?: ?(?:Z|UTC|GMT|[A-Z]{1,3}[SD]T))?`), nil},
	{Date, "numbers, with a space or unknown", re(`(?i)\b(?:dob|birth ?date|date|d\.o\.b\.?|geb\.?|f\.? ?nac\.?)[ :.]*((?:\d\d|\?\??)[ /.-](?:\d\d|\?\??)[ /.-](?:\d{4}|\d\d))\b`), nil},
	{Date, "numbers, in six or eight digits", re(`(?i)\b(?:dob|birth ?date|date of birth|d\.o\.b\.?|geb\.?|born|f\.? ?nac\.?)[ :.]*(\d{6}|\d{8})\b`), nil},
	{Date, "day and month", re(`\b(` + day + `\. ?(?:0[1-9]|1[0-2])\.)(?:[^\d]|$)`), isZeroed},
	{Date, "day and month", re(`(?m)` + dateCue + `(\d{1,2}/\d{1,2})\b`), isDayAndMonth},
	{Date, "day and month", re(`(?m)(?:\b(?i:am|vom|bis|zum|seit|ab|den|und|auf|von|nach)\b *|\b` + weekday + `\b[.,]*,? *|^[ ]*)(\d{1,2}\. ?\d{1,2}\.)(?:[^\d]|$)`), isDayAndMonth},
	{Date, "range", re(`\b(\d{1,2}[/.]\d{1,2}\.? ?- ?\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2}))\b`), nil},
	{Date, "range", re(`\b(\d{1,2}\.(?:\d{1,2}\.)? ?(?:-|bis|und|u\.) ?\d{1,2}\. ?\d{1,2}\.(?:\d{4}|\d{2})?)(?:\D|$)`), nil},
	{Date, "month and year", re(`\b((?:0?[1-9]|1[0-2]) ?[/.-] ?(?:19|20)\d\d)\b`), nil},
	{Date, "month and year", re(`\b((?:19|20)\d\d[-/](?:0[1-9]|1[0-2]))\b`), nil},
	{Date, "month and year", re(`(?i)\b(?:exp(?:iry|ires)?|valid|gültig|cad(?:ucidad)?|lmp|since|seit|mrt|mri|ct)\.?:? *((?:0[1-9]|1[0-2])[/.-]\d\d)\b`), nil},
	{Date, "day, month by name", re(`(` + at + `\b` + day + ordinal + `(?:[- /]*(?:of|de) )?[- /.]*` + month + `(?:(?:,|[- /.]| de | del )*` + year + `|[-/' ]?\d\d)?` + clock + `)(?:[^\p{L}\d]|$)`), isNamedDate},
	{Date, "month by name, day", re(`(` + at + `\b` + month + `[- ]*` + day + ordinal + `(?:(?:,|[- ])*` + year + `)?` + clock + `)(?:[^\p{L}\d]|$)`), isNamedDate},
	{Date, "month by name, year", re(`(` + at + `\b` + month + `[-/., ]*(?:de |del )?(?:` + year + `|\d\d\b))(?:[^\p{L}\d]|$)`), isNamedMonth},
	{Date, "year, month by name", re(`(\b` + year + `[- /]` + month + `(?:[- /]` + day + `)?)(?:[^\p{L}\d]|$)`), isNamedDate},
	{Date, "Roman month", re(`\b` + day + `[-./ ](?:I{1,3}|IV|VI{0,3}|IX|XI{0,2})[-./ ](?:19|20)?\d\d\b`), nil},
	{Date, "in words", re(at + `\b` + spelled + ` of ` + monthLong + `(?:,? (?:` + year + `|` + spelledYear + `))?|\b` + monthLong + ` (?:the )?(?:` + spelled + `|` + spelledDay + `)\b(?:,? (?:` + year + `|` + spelledYear + `))?`), nil},
	{Date, "weekday and day", re(`\b` + weekday + `\b[.,]*,? *(?:the |den |el )?` + day + `(?:st|nd|rd|th|s|º|\.)`), nil},
	{Date, "weekday and day", re(`\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo) \d{1,2}\b`), nil},
	{Date, "weekday of a month", re(`(?i)\b(?:` + spelled + `|last|primer[oa]?|segundo|tercer[oa]?|cuarto|último|ersten|zweiten|dritten|letzten) (?:` + weekday + `) (?:of|in|de|im) (?:` + monthLong + `)`), nil},
	{Date, "weekday and numbers", re(`(?:^|[^\pL\d-])(` + weekday + `\b[.,]*,? *\d{1,2}[./-]\d{1,2})\b\.?`), nil},
	{Date, "season and year", re(`\b(?i:(?:early|late|mid)[- ]|früh|spät|hoch)?` + season + ` (?:of |de |del |des jahres )?(?:(?:19|20)\d\d|'\d\d)\b`), nil},
	{Date, "quarter", re(`\b(?:I{1,3}|IV|[1-4])\. ?Quartal (?:19|20)?\d\d\b|\bQ[1-4][ /-]?(?:19|20)\d\d\b`), nil},
	{Date, "Chinese", re(`(?:(?:周|星期|礼拜)[一二三四五六日天])?(?:(?:去|今|前|明|当|同)年|(?:(?:民國|民国)\s*\d{1,3}|\d{4}|\d{2}|[〇○零一二三四五六七八九]{4}|[甲乙丙丁戊己庚辛壬癸][子丑寅卯辰巳午未申酉戌亥])\s*年)?\s*(?:\d{1,2}|` + han10 + `{1,3}|上|本|下)\s*月\s*(?:(?:\d{1,2}|` + han10 + `{1,3})\s*[日号]?|份|[上中下]旬|初|底|末)?`), isChineseDate},
	{Date, "holiday", re(at + `\b(?:Christmas(?: Eve| Day)?|Xmas|New Year'?s(?: Eve| Day)?|Easter(?: Sunday| Monday)?|Good Friday|Maundy Thursday|Ash Wednesday|Palm Sunday|Whit (?:Sunday|Monday)|Thanksgiving|Boxing Day|Halloween|Valentine'?s(?: Day)?|Memorial Day|Labor Day|Columbus Day|Independence Day|Veterans Day|Presidents'? Day|Juneteenth|Mother'?s Day|Father'?s Day|St\.? Patrick'?s Day|Bank Holiday(?: Monday)?|Eid(?: al-?\w+)?|Ramadan|Diwali|Hanukkah|Passover|Yom Kippur|Rosh Hashanah|Nowruz|Vaisakhi|Holi|Epiphany|Weihnachten|(?:[12]\. |erste[rn] |zweite[rn] )?Weihnachts(?:feier)?tag|Heiligabend|Silvester|Neujahr|Ostern|Ostersonntag|Ostermontag|Karfreitag|Gründonnerstag|Karwoche|Weißer Sonntag|Pfingsten|Pfingstmontag|Himmelfahrt|Fronleichnam|Rosenmontag|Aschermittwoch|Fasching|Allerheiligen|Nikolaus|Erntedank|Navidad|Nochebuena|Nochevieja|Año Nuevo|Semana Santa|Viernes Santo|Jueves Santo|(?:Día de )?Reyes(?: Magos)?|Todos los Santos|Día de (?:la |los |las )?\p{Lu}\p{L}+)(?: (?:18|19|20)\d\d| 1[34]\d\d)?\b`), nil},
	{Date, "Chinese day", re(`(?:\d{2,4}年|[去今前明当同]年)?(?:春节|中秋节?|国庆节?|元旦|端午节?|清明节?|除夕|重阳节?|元宵节?|冬至|劳动节|五一|十一)`), isNotNumber},
}

// personalDates are dates in notes about a person; elsewhere such forms are mostly fractions, sections or months.
var personalDates = []rule{
	{Date, "day and month", re(`(?:^|[^\d/.,\w-])(\d{1,2}/\d{1,2})(?:[^\d/\w%]|$)`), isSlashedDate},
	{Date, "day and month", re(`(?:^|[^\d/.,\w-])(\d{1,2}\.\d{1,2}\.)(?:[^\d]|$)`), isZeroedMonth},
	{Date, "day and month, with zeros", re(`(?:^|[^\d/.,\w-])((?:0[1-9]|[12]\d|3[01])/(?:0[1-9]|1[0-2]))(?:[^\d/\w%]|$)`), nil},
	{Date, "month and day, with zeros", re(`(?:^|[^\d/.,\w-])((?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:[^\d/\w%-]|$)`), nil},
	{Date, "month and day, both days", re(`(\b` + month + ` ` + day + `(?:st|nd|rd|th)?(?: ?(?:-|and|&|,|to) ?` + day + `(?:st|nd|rd|th)?)+(?:,? ` + year + `)?)\b`), nil},
	{Date, "week of a year", re(`\bKW ?\d{1,2}(?:[/ ](?:20)?\d\d)?\b`), nil},
	{Date, "part of a month", re(`(?i)\b((?:mid|early|late|end of|beginning of|start of|anfang|mitte|ende|principios de|mediados de|finales de|fines de)[ -]` + monthLong + `)(?:[^\p{L}]|$)`), nil},
	{Date, "day", re(`(?i)\b(?:tomorrow|today|to|not|and|or) (` + day + `(?:st|nd|rd|th))(?:[ ,.;)]|$)`), nil},
	{Date, "day", re(`(?i)\b(?:on|since|from|until|till|by|for|am|ab|seit|bis|el|desde el|hasta el)? ?((?:the|el) ` + day + `(?:st|nd|rd|th|º))\b`), nil},
	{Date, "day", re(`(?i)\b(?:on|since|from|until|till|by|before|after|of|due|,) (` + day + `(?:st|nd|rd|th))\b`), nil},
	{Date, "day", re(`\b(?:ab|seit|bis|am|zum|dem|vom) (` + day + `\.)(?: |$|\n)`), nil},
	{Date, "day", re(`\b(?:desde|hasta|para) (el ` + day + `)\b`), nil},
	{Date, "year of birth or death", re(`(?i)(?:\b(?:b\.|born(?: in)?|geb\.?|died(?: in)?|nac\.?|nacid[oa] en)|[*†])[ :]*((?:18|19|20)\d\d|'\d\d)\b`), nil},
	{Date, "year", re(`(?:^|[^\w\d])('\d\d)(?:\W|$)`), nil},
	{Date, "year of birth", re(`(\d{4}年)(?:出?生)`), nil},
}

// monthAlone matches months without a day or a year in notes about a person.
var monthAlone = []rule{
	{Date, "month", re(`\b(?:January|February|April|June|July|August|September|October|November|December|Januar|Jänner|Februar|März|Juni|Juli|Oktober|Dezember|enero|febrero|marzo|abril|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b`), nil},
	{Date, "month", re(`\b(?:Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Okt|Dez)\b\.?`), nil},
	{Date, "month", re(`(?i:\b(?:in|since|last|next|this|until|till|from|by|early|late|mid|end of|im|seit|ab|bis|anfang|mitte|ende|en|desde|hasta|de)[ -])((?:May|March|Mar|Mai|mayo)\b)`), nil},
}

func numbers(s string) []int {
	var all []int
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}

// isDate refuses impossible dates, such as 31/31/20.
func isDate(s string) bool {
	n := numbers(s)
	return len(n) == 3 && n[0] >= 1 && n[1] >= 1 && min(n[0], n[1]) <= 12 && max(n[0], n[1]) <= 31
}

// isDayAndMonth refuses fractions, scores and durations such as 4/10, 5/7 and 6/52.
func isDayAndMonth(s string) bool {
	n := numbers(s)
	if len(n) != 2 || n[0] < 1 || n[1] < 1 || min(n[0], n[1]) > 12 || max(n[0], n[1]) > 31 {
		return false
	}
	return !(strings.Contains(s, "/") && (n[1] == 10 || n[1] == 7 && n[0] <= 7 || n[1] == 5 && n[0] <= 5))
}

// isSlashedDate accepts a day and a month that are no score, duration or acuity: more of less, such as 26/4.
func isSlashedDate(s string) bool {
	n := numbers(s)
	if !isDayAndMonth(s) || n[1] == 7 || n[0] <= n[1] && n[1] <= 12 || n[0] == 6 {
		return false
	}
	return n[1] <= 12 || n[1] != 15 && n[1] != 20 && n[1] != 24 && n[1] != 30 && n[1] != 28 && n[1] != 18 && n[1] != 21 && n[1] != 27
}

// isZeroedMonth refuses sections and values at the end of a sentence.
func isZeroedMonth(s string) bool {
	n := numbers(s)
	return isDayAndMonth(s) && n[0] > 12 && n[1] >= 1
}

// isNotNumber refuses a holiday that is only a number.
func isNotNumber(s string) bool { return s != "十一" && s != "五一" }

// isZeroed accepts 27.03. and refuses 2.5 at the end of a sentence.
func isZeroed(s string) bool { return len(digitsOf(s)) == 4 }

// isNamedDate refuses what could be another word in small letters: may and mar need a year.
func isNamedDate(s string) bool {
	return !strings.Contains(s, "may") || hasYear.MatchString(s)
}

var hasYear = regexp.MustCompile(`(?:18|19|20)\d\d`)

// isNamedMonth refuses a month with a number that is neither a year nor written as one.
func isNamedMonth(s string) bool {
	return hasYear.MatchString(s) || strings.ContainsAny(s, "'-/") && s[0] >= 'A' && s[0] <= 'Z'
}

// isChineseDate refuses durations: "3 月" alone is March or three months.
func isChineseDate(s string) bool {
	return strings.ContainsAny(s, "年日号份旬初底末廿卅十") && strings.ContainsRune(s, '月')
}
