package redact

import (
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/plaintext"
)

// Dates more exact than a year, in the forms of English, German, Spanish and Chinese notes.

const (
	// monthLong are names that mean nothing else; monthShort need a day or a year.
	monthLong   = `(?i:january|february|march|april|june|july|august|september|october|november|december|januar|jänner|jaenner|februar|feber|märz|maerz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|janvier|février|avril|juin|juillet|août|septembre|octobre|novembre|décembre|gener|febrer|març|abril|maig|juny|juliol|agost|setembre|desembre|eanáir|feabhra|márta|aibreán|bealtaine|meitheamh|iúil|lúnasa|meán fómhair|deireadh fómhair|mí na samhna|mí na nollag|ionawr|chwefror|mawrth|ebrill|mehefin|gorffennaf|awst|hydref|tachwedd|rhagfyr|jannar|frar|marzu|mejju|ġunju|lulju|awwissu|settembru|ottubru|novembru|diċembru|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|januari|februari|maart|mei|augustus|janaury|febuary|feburary|febrary|septemer|septmber|setptember|ocotber|octobre|novemeber|novermber|decemeber|decmber|agust)`
	monthShort  = `(?i:jan|jän|feb|febr|mar|mär|mrz|mzo|apr|may|jun|jul|aug|sept?|oct|okt|nov|dec|dez|ene|abr|ago|dic)\.?`
	month       = `(?:` + monthLong + `|` + monthShort + `)`
	day         = `(?:[12]\d|3[01]|0?[1-9])`
	ordinal     = `(?:st|nd|rd|th|\.?º|\.|°|er|a)?`
	year        = `(?:(?:18|19|20)\d\d|'\d\d)`
	weekday     = `(?i:mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo|lun|mar|mi[ée]r?c?|jue|vie|sáb|dom)`
	weekdayLong = `(?i:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)`
	// at is a weekday or a word of time that belongs to the date behind it, and clock the time of day.
	at    = `(?:\b(?:` + weekday + `\b[.,]*|(?i:the|w/b|w/c|w/e|week of|week commencing|end of|early|late|mid|middle of|beginning of|start of|fines de|finales de|principios de|mediados de|anfang|mitte|ende|el|den|dem)\b|\bd\.)[ ,-]*)*`
	clock = `(?::[0-2]\d:[0-5]\d(?::[0-5]\d)?|(?:[T@]|,? +(?:@|at |um |a las |ab |gegen |\(|` + weekday + `,? )? ?)\d{1,2}(?:[:.h]\d\d(?::?\d\d(?:\.\d+)?)?|\d\d(?:\d\d)?(?:h\b|hrs?\b|Z|\b))(?: ?(?i:[ap]\.?m\.?|uhr|h|hrs?)\b\.?)?(?: ?(?:Z|UTC|GMT|[A-Z]{1,3}[SD]T|[+-]\d\d:?\d\d))?)?`
	// what stands before a day and a month that could also be a fraction or a score
	dateCue    = `(?i:\b(?:on|since|from|until|till|til|by|before|after|dated?|dd|seen|reviewed?|wr|round|clinic|appt|appointment|admitted|admission|adm|discharged?|d/c|operated|surgery|op|started|stopped|last|lmp|edd|due|next|born|am|vom|bis|zum|seit|ab|den|und|el|día|desde|hasta|del|fecha|für|f/u|rv|r/v|review|visit|repeat|booked|scheduled|between|bloods|labs|mri|ct|cxr|echo|x-?ray|scan|xr|fta|dna|mdt|i\.e\.|nächste[rsn]?|下次|复诊|预约)\b?[ :.,]*|\b` + weekday + `\b[.,]*[ ]+|^[ ]*[-*•]?[ ]*)`
	spelled    = `(?i:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty[- ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|thirty[- ]first)`
	spelledDay = `(?i:twenty[- ](?:one|two|three|four|five|six|seven|eight|nine)|thirty(?:[- ]one)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)`
	// dateInNumbers is a date that is whole, with stops or with the year first.
	dateInNumbers = `(?:\d{1,2}\.\d{1,2}\.(?:\d{4}|\d\d)|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2})`
	season        = `(?i:spring|summer|autumn|fall|winter|frühjahr|frühling|sommer|herbst|winter|primavera|verano|otoño|invierno)`
	spelledYear   = `(?i:(?:nineteen|twenty|two thousand(?: and)?|eighteen)(?:[- ](?:hundred|oh|o|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine)){1,3})`
	han10         = `[〇○零一二三四五六七八九十廿卅冬腊正元初]`
)

var dateRules = []rule{
	{Date, "ISO", re(`(` + at + `\b(?:18|19|20)\d\d[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12]\d|0?[1-9])` + clock + `(?: ?\(?(?:周|星期|礼拜)[一二三四五六日天]\)?)?)(?:\D|$)`), nil},
	{Date, "numbers, spaced", re(`\b((?:18|19|20)\d\d ?[/·] ?(?:1[0-2]|0?[1-9]) ?[/·] ?(?:3[01]|[12]\d|0?[1-9])|\d{1,2} ?· ?\d{1,2} ?· ?(?:\d{4}|\d\d))(?:\D|$)`), nil},
	{Date, "ISO week", re(`\b(?:19|20)\d\d-W\d\d(?:-\d)?\b`), nil},
	{Date, "compact", re(`\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d)?(?:\.\d+)?(?:[+-]\d{4})?|T\d{4,6}Z?)?\b`), nil},
	{Date, "numbers", re(`(` + at + `\b\d{1,2} ?/ ?\d{1,2} ?/ ?(?:\d{4}|\d{2}))\b`), isDate},
	{Date, "numbers", re(`(?:^|[^\d-])(\d{1,2}-\d{1,2}-(?:\d{4}|\d{2}))\b`), isDate},
	{Date, "numbers", re(`(?:^|[^\d.])(\d{1,2}\. ?\d{1,2}\. ?'?(?:\d{4}|\d{2}))(?:[^\d]|$)`), isDate},
	{Date, "Minguo", re(`((?:民国|民國) ?\d{1,3} ?[/.-] ?\d{1,2} ?[/.-] ?\d{1,2})(?:[^\d]|$)`), nil},
	{Date, "Minguo", re(`(?:^|[^\d/.-])(1[01]\d[/.-](?:1[0-2]|0?[1-9])[/.-](?:3[01]|[12]\d|0?[1-9])(?: ?[-~] ?1[01]\d[/.-](?:1[0-2]|0?[1-9])[/.-](?:3[01]|[12]\d|0?[1-9]))?(?:\([一二三四五六日天]\))?)(?:[^\d]|$)`), nil},
	{Date, "two dates", re(`(?:^|[^\w./-])(` + dateInNumbers + ` ?[/–~-] ?` + dateInNumbers + `|\d{1,2}/\d{1,2}/\d{2,4} ?[–~-] ?\d{1,2}/\d{1,2}/\d{2,4})(?:[^\w/-]|$)`), nil},
	{Date, "numbers and weekday", re(`(?:^|[^\d/.,\w-])(\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d\d))? (?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)(?:day)?)(?:$|[\n),;:]| +(?:$|[^\d\s]))`), isDayOfWeekday},
	{Date, "months in a row", re(`(?:^|[^\pL\d])(` + monthShort + `(?:(?:, ?| ?[/–-] ?| y | e | and | und )` + monthShort + `)+)(?:[^\pL\d]|$)`), nil},
	{Date, "weekday, month and day", re(`(?:^|[^\pL\d-])((?i:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:day)?[.,]? +\d{1,2}/\d{1,2})(?:[^\d/]|$)`), nil},
	{Date, "numbers and time", re(`\b(?:\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})|\d{4}-\d\d-\d\d),?[ @]+(?:um |at |ab |` + weekday + `,? )?\d{1,2}[:.h]\d\d(?::\d\d)?(?: ?(?i:[ap]\.?m\.?|uhr|h|hrs?)\b\.?)?(?: ?(?:Z|UTC|GMT|[A-Z]{1,3}[SD]T))?`), nil},
	{Date, "numbers, with a space or unknown", re(`(?i)\b(?:dob|birth ?date|date|d\.o\.b\.?|geb\.?|f\.? ?nac\.?|fecha|datum|entlassung|aufnahme|ingreso|alta)[ :.]*((?:\d{1,2}|\?\??)[ /.-](?:\d{1,2}|\?\??)[ /.-](?:\d{4}|\d\d))\b`), nil},
	{Date, "numbers, in six or eight digits", re(`(?i)\b(?:dob|birth ?date|date of birth|d\.o\.b\.?|geb\.?|born|f\.? ?nac\.?)[ :.]*(\d{6}|\d{8})\b`), nil},
	{Date, "day and month", re(`\b(` + day + `\. ?(?:0[1-9]|1[0-2])\.)(?:[^\d]|$)`), isZeroed},
	{Date, "day and month", re(`(?m)` + dateCue + `(\d{1,2}/\d{1,2})\b`), isDayAndMonth},
	{Date, "day and month", re(`(?m)(?:\b(?i:am|vom|bis|zum|seit|ab|den|und|auf|von|nach)\b *|\b` + weekday + `\b[.,]*,? *|^[ ]*)(\d{1,2}\. ?\d{1,2}\.)(?:[^\d]|$)`), isDayAndMonth},
	{Date, "range", re(`\b(\d{1,2}[/.]\d{1,2}\.? ?- ?\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2}))\b`), nil},
	{Date, "range", re(`\b(\d{1,2}\.(?:\d{1,2}\.)? ?(?:-|bis|und|u\.) ?\d{1,2}\. ?\d{1,2}\.(?:\d{4}|\d{2})?)(?:\D|$)`), nil},
	{Date, "days of a month", re(`\b(?:[12]\d|3[01]|0?[1-9])[-–](?:[12]\d|3[01]|0?[1-9])/(?:1[0-2]|0?[1-9])/(?:(?:19|20)\d\d|\d\d)\b`), nil},
	{Date, "month and year", re(`\b((?:0?[1-9]|1[0-2]) ?[/.-] ?(?:19|20)\d\d)\b`), nil},
	{Date, "month and year", re(`\b((?:19|20)\d\d(?:[-/](?:0[1-9]|1[0-2])|/[1-9]))\b`), nil},
	{Date, "month, cued", re(`(?i)\b(?:in|since|last|next|this|early|late|mid|until|by|from|till?|before|after|during|end of|beginning of|start of|im|seit|ab|bis|anfang|mitte|ende|en|desde|hasta|de|a finales de|a principios de|a mediados de|fines de)[ -]((?:` + monthLong + `|(?:jan|feb|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|ene|abr|dic)\b\.?))(?:[^\pL]|$)`), isMonthWord},
	{Date, "part of a month", re(`(?i)\b((?:mid|early|late|end|end of|beginning of|start of|anfang|mitte|ende|principios de|mediados de|finales de|fines de)[ -](?:` + monthLong + `|(?:jan|feb|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|ene|abr|dic)\b\.?)(?: (?:20)?\d\d)?)(?:[^\pL]|$)`), nil},
	{Date, "Chinese", re(`((?:\d{4}|[〇○零一二三四五六七八九]{4})年[春夏秋冬][天季初末]?)(?:[^节節月分至天季初末]|$)`), nil},
	{Date, "Chinese", re(`((?:\d{4}|[去今前明当同])年\d{1,2}月 ?[-~至到—] ?\d{1,2}月)(?:[^\d]|$)`), nil},
	{Date, "days of a month", re(`(?i)\b(?:a los )?\d{1,2} d[ií]as del mes de ` + monthLong + `(?: del?(?: año)? (?:20)?\d\d)?\b`), nil},
	{Date, "Chinese", re(`(?:日期|时间|生日|出生)[: ]*(\d{2,4}[./]\d{1,2}[./]\d{1,2})\b`), nil},
	{Date, "Chinese", re(`(?:^|[^\d./])(\d{2,3}[./]\d{1,2}[./]\d{1,2})生`), nil},
	{Date, "days of a month", re(`(?i)((?:\b` + weekday + ` ?(?:→|->|-|/|and|und|&|to) ?` + weekday + `,? )?\b` + day + `(?:st|nd|rd|th|\.)?(?: ?(?:[-/&,+]|->|→|and|und|u\.|to|bis|y|al?|thru) ?` + day + `(?:st|nd|rd|th|\.)?)+ ?(?:of |de )?` + month + `(?:,? ` + year + `|[ /'-]\d\d\b)?)(?:[^\pL\d]|$)`), isNamedDate},
	{Date, "days of a month", re(`(?:^|[^\d.,/])(\d{1,2}\.(?:/|-|, ?| und | u\. ?| bis | & )\d{1,2}\. ?\d{1,2}\.(?:\d{4}|\d\d)?)(?:[^\d]|$)`), nil},
	{Date, "Chinese weekday and numbers", re(`(?:(?:上|下|本|这)个?(?:周|星期|礼拜)[一二三四五六日天]?|(?:周|星期|礼拜)[一二三四五六日天])\(?\d{1,2}(?:[/.]\d{1,2}|[号日])\)?`), nil},
	{Date, "month and year", re(`(?i)\b(?:exp(?:iry|ires)?|valid|gültig|cad(?:ucidad)?|lmp|since|seit|mrt|mri|ct)\.?:? *((?:0[1-9]|1[0-2])[/.-]\d\d)\b`), nil},
	{Date, "day, month by name", re(`(` + at + `\b` + day + ordinal + `(?:[- /]*(?i:of|of the|de|d'|ta')(?: |\b))?[- /.]*` + month + `(?:(?:,|[- /.]|(?i: de | del | del año ))*` + year + `|[-/' ]?\d\d| del? (?:este |presente |mismo )?año(?: pasado)?)?` + clock + `)(?:[^\p{L}\d]|$)`), isNamedDate},
	{Date, "month by name, day", re(`(` + at + `\b` + month + `[- ]*(?:the )?` + day + ordinal + `(?:(?:,|[- ])*` + year + `|[ -]\d\d\b)?` + clock + `)(?:[^\p{L}\d]|$)`), isNamedDate},
	{Date, "month by name, year", re(`(` + at + `\b` + month + `[-/., ]*(?:de |del |of )?(?:` + year + `|\d\d\b))(?:[^\p{L}\d]|$)`), isNamedMonth},
	{Date, "month", re(`(?i)\b(?:unk?|xx)-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:-(?:19|20)\d\d)?\b`), nil},
	{Date, "month by name, day", re(`(` + monthLong + ` \d{1,2}/(?:\d{4}|\d\d))(?:[^\d/]|$)`), isNoMayoScore},
	{Date, "year, month by name", re(`(\b` + year + `[- /]` + month + `(?:[- /]` + day + `)?)(?:[^\p{L}\d]|$)`), isNamedDate},
	{Date, "Roman month", re(`\b` + day + `\.?[-./](?i:i{1,3}|iv|vi{0,3}|ix|x|xi{1,2})[-./] ?'?(?:19|20)?\d\d\b|\b` + day + `\.? (?:I{1,3}|IV|VI{0,3}|IX|XI{0,2}) (?:19|20)\d\d\b`), nil},
	{Date, "Roman month", re(`\b` + day + `\.? (?:ii|iii|vi{1,3}|ix|xi{1,2}) (?:19|20)?\d\d\b`), nil},
	{Date, "Roman month", re(`(?:^|[^\d.])(` + day + `\.(?:i{1,3}|iv|vi{0,3}|ix|xi{0,2})|` + day + `\. (?:I{2,3}|IV|VI{1,3}|IX|XI{1,2}))(?:[^\pL\d]|$)`), nil},
	{Date, "Roman month, stopped", re(`(?:^|[^\w.,/-])(` + day + `\.(?:I{2,3}|IV|VI{1,3}|IX|XI{1,2}))(?:[^\pL\d/.-]|\.(?:$|\s)|$)`), nil},
	{Date, "Roman month, joined", re(`(?:^|[^\w.,/-])(` + day + `[/-](?:I{1,3}|IV|VI{0,3}|IX|X|XI{1,2})(?:[/-](?:(?:19|20)\d\d|\d\d))?|` + day + ` [/-] (?:I{1,3}|IV|VI{0,3}|IX|X|XI{1,2}) [/-] (?:19|20)?\d\d)(?:[^\pL\d/-]|$)`), nil},
	{Date, "Roman month", re(`(?:\b` + weekday + `\b[.,]* *)?\b` + day + `\. ?(?:I{1,3}|IV|VI{0,3}|IX|X|XI{1,2})\.`), nil},
	{Date, "Roman month and year", re(`\b(?:I{1,3}|IV|VI{0,3}|IX|X|XI{1,2})(?:[/.](?:(?:19|20)\d\d|[012]\d|9\d)|-(?:19|20)\d\d)\b`), nil},
	{Date, "day, foreign month", re(`\b` + day + `-\p{L}{3,12}-(?:18|19|20)\d\d\b`), nil},
	{Date, "numbers, badly read", re(`(?:^|[^\pL\d])([0-3OolI][0-9OolIS][./-] ?[0-3OolI][0-9OolIS][./-] ?(?:[12lI][09OQ])?[0-9OolIS]{2})(?:[^\pL\d]|$)`), isBadlyRead},
	{Date, "numbers, badly read", re(`(?:^|[^\pL\d/-])(\d{1,2}[/-][OolI]\d[/-](?:\d{4}|\d\d))(?:[^\pL\d/-]|$)`), nil},
	{Date, "numbers, badly read", re(`(?:^|[^\pL\d/])((?:\d{1,2}/[Ol]\d|\d{1,2}/\d[Ol]|[Ol]\d/\d{1,2}))(?:[^\pL\d/]|$)`), nil},
	{Date, "month, badly read", re(`(?i)\b(?:0CT|N0V|JU1|APR1L|0KT|Ja nuary|Feb ruary|Mar ch|Sep tember|Oct ober|Nov ember|Dec ember)\b(?: ?\d{1,2})?(?:,?\s+[12][\dO]{3})?`), nil},
	{Date, "year first", re(`(?:^|[^\d/.-])((?:3[2-9]|[4-9]\d)/(?:1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9]))(?:[^\d/.-]|$)`), nil},
	{Date, "year first, day of one digit", re(`(?:^|[^\d/.-])(2\d/(?:1[0-2]|0?[1-9])/[1-9])(?:[^\d/.-]|$)`), nil},
	{Date, "part of a file name", re(`\w[_-]((?:[12]\d{3}-?)?(?:0[1-9]|[12]\d|3[01])[-.]?(?:0[1-9]|[12]\d|3[01])(?:[-.]?(?:19|20)?\d\d)?)(?:[_-]\w+)*\.(?i:jpe?g|png|pdf|docx?|xlsx?|csv|tiff?|dcm|txt|zip|mp[34]|wav|mov|heic|rtf|odt|msg|eml|hl7|xml|json)\b`), nil},
	{Date, "day of a month", re(`(?m)^[ \t]*(\d{1,2}\.) +(?:FD|SD|ND|TD|NW|Frühdienst|Spätdienst|Nachtdienst|Nachtwache)\b`), nil},
	{Date, "numbers and weekday", re(`(?:^|[^\d.,/])(\d{1,2}\.\d{1,2} \((?:Tu|Th|Sa|Su|Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)\))`), isDayAndMonth},
	{Date, "day before a feast", re(`(?i)\b(?:w/?c|w/?b|w/?e|wk|week|wk of|week of|kw)\.? (?:the )?` + day + `(?:st|nd|rd|th)\b(?: ` + month + `)?`), nil},
	{Date, "in words", re(at + `\b` + spelled + ` of ` + monthLong + `(?:,? (?:` + year + `|` + spelledYear + `))?|\b` + monthLong + ` (?:the )?(?:` + spelled + `|` + spelledDay + `)\b(?:,? (?:` + year + `|` + spelledYear + `))?`), nil},
	{Date, "weekday and day", re(`\b` + weekday + `\b[.,]*,? *(?:the |den |el )?` + day + `(?:st|nd|rd|th|s|º|\.)`), isWeekdayDate},
	{Date, "weekday and day", re(`\b(?i:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo|dilluns|dimarts|dimecres|dijous|divendres|dissabte|diumenge) (?:d[ií]a )?\d{1,2}(?:/\d{1,2})?\b`), nil},
	{Date, "weekday and day", re(`(?i)\b((?:lun|mi[ée]r?c?|jue|vier?|s[áa]b|dom)\.? \d{1,2})(?:[ ;)\n]|[.,:](?:\D|$)|$)`), nil},
	{Date, "weekday and day", re(`\b((?:lu|mi|ju|vi|sa|do) \d{1,2})(?:[;),]\D| [/y(])`), nil},
	{Date, "weekday and bare day", re(`\b((?:(?:Mon|Tue|Thu|Fri|Sat|Sun|Wed)(?:nesday|rsday|urday|day|sday),?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.|(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun),?) ` + day + `)(?: |[,;](?:\D|$)|\)|$|\n|\.(?:\D|$))`), nil},
	{Date, "numbers in boxes", re(`\b\d\d ?\| ?\d\d ?\| ?(?:19|20)\d\d\b`), nil},
	{Date, "weekday of a month", re(`(?i)\b(?:` + spelled + `|last|primer[oa]?|segundo|tercer[oa]?|cuarto|último|ersten|zweiten|dritten|letzten) (?:` + weekday + `) (?:of|in|de|im) (?:` + monthLong + `)`), nil},
	{Date, "weekday and numbers", re(`(?:^|[^\pL\d-])(` + weekday + `\b[.,]*,? *\d{1,2}[./-]\d{1,2})\b\.?`), isWeekdayDate},
	{Date, "season and year", re(`\b(?i:(?:early|late|mid)[- ]|früh|spät|hoch)?` + season + ` (?:of |de |del |des jahres )?(?:(?:19|20)\d\d|'\d\d)\b`), nil},
	{Date, "day of this month", re(`\b(?i:` + day + `(?:st|nd|rd|th) (?:ult|inst|prox)\b\.?|` + day + `\. d(?:s?\.|ieses|es)? ?(?:m\.|mts?\.|monats\b)|` + day + ` de(?:l| los) (?:corrientes?|cte|presente|pdo|mes en curso)\b\.?)`), nil},
	{Date, "week of a year", re(`\bKW ?\d{1,2}(?:(?: ?[-/] ?| oder | und | bis )\d{1,2}\b)?(?:[/ ](?:20)?\d\d)?(?: ?(?i:mo|di|mi|do|fr|sa|so)\b)?`), nil},
	{Date, "week of a year", re(`\b(?:\d{1,2}\. ?(?:KW|Kalenderwoche)|(?i:calendar week|week) \d{1,2}(?: of|,) (?:19|20)\d\d)\b`), nil},
	{Date, "two days", re(`(?i)\b(?:nights?|evening|weekend|overnight)(?: of)?(?: the)? (\d{1,2}(?:st|nd|rd|th) ?[/-] ?\d{1,2}(?:st|nd|rd|th))\b`), isNightBetween},
	{Date, "day and month, stopped", re(`(?i:\b(?:on|am|vom|seit|ab|bis|zum) )(\d{1,2}\.\d{1,2}\.)(?:[,:;)]| \p{Ll})`), isDayAndMonth},
	{Date, "week of a year", re(`\((SE ?\d{1,2})\)|\b(?i:semana epidemiol[óo]gica) (\d{1,2})\b`), nil},
	{Date, "quarter", re(`\b(?:I{1,3}|IV|[1-4])\. ?Quartal (?:19|20)?\d\d\b|\bQ[1-4][ /-]?(?:19|20)\d\d\b`), nil},
	{Date, "Chinese", re(`(?:(?:周|星期|礼拜)[一二三四五六日天])?(?:(?:去|今|前|明|当|同)年|(?:(?:民國|民国)\s*\d{1,3}|\d{4}|\d{2}|[〇○零一二三四五六七八九]{4}|[甲乙丙丁戊己庚辛壬癸][子丑寅卯辰巳午未申酉戌亥])\s*年)?\s*(?:农历|阴历|旧历)?(?:\d{1,2}|` + han10 + `{1,3}|上|本|下)\s*月\s*(?:(?:\d{1,2}|` + han10 + `{1,3})\s*[日号]?|份|[上中下]旬|初|底|末)?[晨早晚夜]?(?: ?\(?[上下本这]?(?:周|星期|礼拜)[一二三四五六日天]\)?)?`), isChineseDate},
}

// personalDates are dates in notes about a person; elsewhere such forms are mostly fractions, sections or months.
var personalDates = []rule{
	{Date, "day and month behind on", re(`\b(?:on|since|until|till|seen|sent|placed|[Ll]abs|TTE|el|del|dated) (\d{1,2}/\d{1,2})(?:$|[.,;:)\n]| (?:and|at|by|with|w/|to|in|was|were|film|y|a las|con|se|en|\d))`), isDayOn},
	{Date, "days without a year", re(`(?:^|[^\w/.-])(\d{1,2}/\d{1,2} ?[-–] ?\d{1,2}/\d{1,2})(?:$|[^\w/-])`), isFromTo},
	{Date, "day and month", re(`(?:^|[^\d/.,\w-])(\d{1,2}/\d{1,2})(?:[^\d/\w%]|$)`), isSlashedDate},
	{Date, "day and month, closed", re(`(?:^|[^\d/.,\w-])(\d{1,2}\.\d{1,2}\.)(?:[^\d]|$)`), isZeroedMonth},
	{Date, "day and month, with zeros", re(`(?:^|[^\d/.,\w-])((?:0[1-9]|[12]\d|3[01])/(?:0[1-9]|1[0-2]))(?:[^\d/\w%]|$)`), nil},
	{Date, "month and day, with zeros", re(`(?:^|[^\d/.,\w-])((?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:[^\d/\w%-]|$)`), nil},
	{Date, "month and day, both days", re(`(\b` + month + ` ` + day + `(?:st|nd|rd|th)?(?: ?(?:-|and|&|,|to) ?` + day + `(?:st|nd|rd|th)?)+(?:,? ` + year + `)?)\b`), nil},
	{Date, "part of a month", re(`(?i)\b((?:mid|early|late|end of|beginning of|start of|anfang|mitte|ende|principios de|mediados de|finales de|fines de)[ -]` + monthLong + `)(?:[^\p{L}]|$)`), nil},
	{Date, "day", re(`(?i)\b(?:tomorrow|today|to|not|and|or) (` + day + `(?:st|nd|rd|th))(?:[ ,.;)]|$)`), nil},
	{Date, "day", re(`(?i)\b(?:on|since|from|until|till|by|for|am|ab|seit|bis|el|desde el|hasta el)? ?(el ` + day + `º)(?:\P{L}|$)`), nil},
	{Date, "day", re(`(?i)\b(?:on|since|from|until|till|by|before|after|of|due|,) (` + day + `(?:st|nd|rd|th))\b`), nil},
	{Date, "day before a time", re(`(?:^|[^\d.,])(` + day + `\.) (?:um |gegen |ab )?\d{1,2}(?::\d\d\b| Uhr\b)`), nil},
	{Date, "day", re(`\b(?:ab|seit|bis|am|zum|dem|vom) (` + day + `\.)(?: |$|\n)`), nil},
	{Date, "day", re(`\b(?:desde|hasta|para) (el ` + day + `)\b`), nil},
	{Date, "year of birth or death", re(bornIn + `((?:18|19|20)\d\d|'\d\d)\b`), nil},
	{Date, "Chinese month of a clause", re(`(?m)(?:^|[,.;:(（。])((?:1[0-2]|[1-9])月)(?:[^\s\d\w,.;:、)+/前后余来龄内以大半个间末随多-])`), nil},
	{Date, "Chinese numbers and weekday", re(`(?:^|[^\d/.-])(\d{1,2}[/.]\d{1,2} ?\(?(?:周|星期|礼拜)[一二三四五六日天]\)?)`), isDayOfWeekday},
	{Date, "Chinese year first", re(`(?:^|[^\d/.-])(2[0-6]-(?:1[0-2]|0?[1-9])-(?:3[01]|[12]\d|0?[1-9])|2[0-6]/(?:1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])|2[0-6]\.(?:1[0-2]|0?[1-9])\.(?:3[01]|[12]\d|0?[1-9]))(?:[^\d/.Uu单-]|$)`), nil},
	{Date, "Chinese day in words", re(`(?:^|[\s,.。;:、→(（/])((?:十[一二三四五六七八九]|二?十[一二三四五六七八九]|廿[一二三四五六七八九]?|三十一?)日)(?:$|[\s\d,.。;:、→)（(]|[早晨晚夜午上下中凌清傍])`), nil},
	{Date, "year of birth", re(`(\d{4}年)(?:出?生)`), nil},
}

// monthAlone matches months without a day or a year in notes about a person.
var monthAlone = []rule{
	{Date, "month", re(`\b(?:January|February|April|June|July|August|September|October|November|December|Januar|Jänner|Februar|März|Juni|Juli|Oktober|Dezember|enero|febrero|marzo|abril|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b`), nil},
	{Date, "month", re(`\b(?:Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Okt|Dez)\b\.?`), nil},
	{Date, "month", re(`(?i:\b(?:in|since|last|next|this|until|till|from|by|early|late|mid|end of|im|seit|ab|bis|anfang|mitte|ende|en|desde|hasta|de)[ -])((?:May|March|Mar|Mai|mayo)\b)`), nil},
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

// isDayOfWeekday accepts a day and a month, with a year or without, and refuses a half: 1/2 Sun.
func isDayOfWeekday(s string) bool {
	n := numbers(s)
	return eitherOrder.allows(n[0], n[1]) && (n[0] != 1 || n[1] != 2)
}

// isDayOn accepts a day and a month in either order, and refuses a half, a third and a power: 4/5.
func isDayOn(s string) bool {
	n := numbers(s)
	return eitherOrder.allows(n[0], n[1]) && s != "1/2" && s != "1/3" && s != "2/3" && (n[1] != 5 || n[0] > 5)
}

// isFromTo accepts a day and a month and a later day of that month or of the next, in one order: 3/4-3/8, 30/3-1/4. Scores out of the same
// number are none.
func isFromTo(s string) bool {
	n := numbers(s)
	if !eitherOrder.allows(n[0], n[1]) || !eitherOrder.allows(n[2], n[3]) {
		return false
	}
	if n[0] == 6 && n[2] == 6 && n[1]%3 == 0 && n[3]%3 == 0 {
		return false // acuities
	}
	monthFirst := n[0] == n[2] && n[1] < n[3] || n[2] == n[0]%12+1 && n[3] < n[1]
	dayFirst := n[1] == n[3] && n[0] < n[2] && n[2] > 12 || n[3] == n[1]%12+1 && n[2] < n[0]
	return monthFirst || dayFirst
}

// isNightBetween accepts a day and the next one, and no toes: "the night of the 16th/17th".
func isNightBetween(s string) bool {
	n := numbers(s)
	return n[0] > 5 && n[1] == n[0]+1 && n[1] <= 31
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
	if geneOfMonth.MatchString(s) {
		return false
	}
	return (!strings.Contains(s, "may") || joinedMay.MatchString(s)) && !strings.HasPrefix(s, "Mayo ") && !strings.HasSuffix(s, " ago") || hasYear.MatchString(s)
}

// isNoMayoScore refuses a score of colitis: Mayo 9/12.
func isNoMayoScore(s string) bool {
	return !strings.HasPrefix(s, "Mayo") || !strings.HasSuffix(s, "/12")
}

// joinedMay matches the month of May in small letters that no verb is: 20-may.
var joinedMay = regexp.MustCompile(`^\d{1,2}[-/]may$`)

// geneOfMonth matches the genes, and a drug, that are called as months are: MARCH7, SEPT9, OKT3.
var geneOfMonth = regexp.MustCompile(`^(?:MARCH|SEPT|DEC)\d{1,2}$|^OKT3$`)

// shortMonthAndYear matches a month and a year as they are written quickly: ago-98, feb/24.
var shortMonthAndYear = regexp.MustCompile(`^(?:ene|jan|feb|abr|apr|jun|jul|ago|aug|sept?|oct|okt|nov|dic|dez)[-/]\d\d$`)

var hasYear = regexp.MustCompile(`(?:18|19|20)\d\d`)

// isNamedMonth refuses a month with a number that is neither a year nor written as one.
func isNamedMonth(s string) bool {
	return hasYear.MatchString(s) || shortMonthAndYear.MatchString(s) || strings.ContainsAny(s, "'-/") && s[0] >= 'A' && s[0] <= 'Z'
}

// isChineseDate refuses durations: "3 月" alone is March or three months.
func isChineseDate(s string) bool {
	return strings.ContainsAny(s, "年日号份旬初底末廿卅十") && strings.ContainsRune(s, '月') || chineseDay.MatchString(s)
}

var chineseDay = regexp.MustCompile(`^\d{1,2}月\d{1,2}[晨早晚夜]?$`)

// isBadlyRead accepts a date in which a scanner has read letters for some digits.
func isBadlyRead(s string) bool {
	return len(digitsOf(s)) >= 2 && strings.ContainsAny(s, "OolIS")
}

// isMonthWord refuses the verbs may and march in small letters, and Mar.
func isMonthWord(s string) bool { return s != "may" && s != "march" && s != "mar" }

// isWeekdayDate refuses small words that weekdays are shortened to: "so 3.5".
func isWeekdayDate(s string) bool {
	if n := numbers(s); len(n) == 2 && (n[0] > 31 || n[1] == 0) {
		return false // Arctic Sun 37.0
	}
	return len(s) < 3 || isLatin(s[2]) || s[2] == '.' || startsUpper(s) && !isCaps(s[:2])
}

// Feasts, holidays and the days that people name after them are dates more exact than a year: "the Sat after
// Thanksgiving", "Freitag vor Pfingsten", "clinic on Paddy's Day".

const (
	// feastAlone are names that mean a day and nothing else, in English, German, Spanish, French, Catalan and Irish.
	feastAlone = `(?i:christmas|x-?mas|boxing day|new year'?s(?: day| eve)?|old christmas|puente de la constituci[oó]n|puente de (?:mayo|diciembre|noviembre|todos los santos)|día de (?:los )?muertos|n\.?y\.?e\.?(?: party)?|hogmanay|twelfth night|little christmas|easter(?: (?:sun(?:day)?|mon(?:day)?|sat(?:urday)?))?|good friday|maundy thursday|holy (?:week|thursday|saturday)|(?:ash|spy) wednesday|palm sunday|passion sunday|shrove tuesday|pancake (?:day|tuesday)|mardi gras|fat tuesday|whit(?:sun(?:tide|day)?| ?sunday| ?monday)|pentecost|corpus christi|ascension(?: day)?|trinity sunday|michaelmas|candlemas|lammas|martinmas|all (?:saints|souls|hallows)'?(?: day| eve)?|hallow-?e'?en|bonfire night|guy fawkes(?: night| day)?|burns night|midsummer'?s?(?: eve| day| night)|may day|bank holiday(?: mon(?:day)?)?|(?:early may|spring|august|late may|summer|easter) (?:bank holiday|bh)(?: mon(?:day)?| weekend)?|remembrance (?:sunday|day)|armistice day|poppy day|anzac day|australia day|canada day|victoria day|waitangi day|melbourne cup day|(?:queen|king)'?s birthday|labou?r day|memorial day|juneteenth|(?:fourth|4th) of july|independence day|republic day|thanksgiving(?: day)?|black friday|cyber monday|columbus day|indigenous peoples'? day|mlk(?: jr\.?)? day|martin luther king(?: jr\.?)? day|presidents'? (?:day|weekend)|hungry ghosts?(?: festival| month| dinner)?|chap goh me[ih]|(?:duruthu|navam|medin|bak|vesak|poson|esala|nikini|binara|vap|il|unduvap) (?:full moon )?poya(?: day)?|inti raymi|combate de angamos|fiestas patrias|carnaval(?:es)?|veterans'? day|super ?bowl(?: sunday)?|groundhog day|april fools?'?s?(?: day)?|decoration day|epiphany|st\.? pat'?s(?: day)?|flag day|family day|freedom day|heritage day|youth day|workers'? day|women'?s day|human rights day|day of reconciliation|goodwill day|election day|earth day|pride (?:weekend|sunday)|matariki|wesak(?: day)?|vesak day|plough monday|advent sunday|rogation sunday|low sunday|stir-up sunday|harvest festival|the jubilee|grand national(?: day)?|derby day|cup final(?: day)?|st dwynwen'?s?(?: day)?|santes dwynwen|shrovetide|ganesha chaturthi|sankranti|coronation day|patriots'? day|mardi gras day|leap day|valentine'?s(?: day)?|mother(?:s|'s|ing)? ?(?:day|sunday)|father'?s? day|cinco de mayo|st?\.? ?(?:patrick|paddy|stephen|george|andrew|david|nicholas|brigid|john|joseph|martin|anthony|januarius|swithin|swithun|jean)'?s'? (?:day|eve|night)|(?:st\.? )?(?:paddy|patrick)'?s(?: day| weekend)?|(?:the )?feast of (?:the )?(?:st|saint|our|all|holy|sacred|assumption|immaculate|epiphany)\.?(?: \p{L}+){0,3}|stephen'?s day|wren day|nollaig(?: na mban)?|o[ií]che (?:nollaig(?: na mban)?|shamhna)|imbolc|beltane|samhain|lughnasa(?:dh)?` +
		`|eid(?: ?[au]l[- ]?\p{L}+)?|ramadan|ramzan|bakri-?d|muharram|ashura|mawlid|di[wv]ali|deepavali|dussehra|durga puja|navratri|navaratri|holi|pongal|onam|vishu|ugadi|lohri|baisakhi|vaisakhi|makar sankranti|janmashtami|ganesh chaturthi|raksha bandhan|rakhi|karva chauth|karwa chauth|chhath(?: puja)?|maha ?shivratri|shivaratri|guru (?:nanak jayanti|purnima)|gurpurab|gandhi jayanti|bihu|tamil new year|akshaya tritiya|hanukkah|chanukah|passover|pesach|purim|yom kippur|rosh hashan(?:ah|a)|sukkot|shavuot|simchat torah|nowruz|norooz|vesak|losar|songkran|loy krathong|lunar new year|chinese new year|cny|mid-?autumn(?: festival)?|qingming|dragon boat festival|orthodox (?:christmas|easter)|maslenitsa` +
		`|weihnacht(?:en|s(?:feier)?tag|sabend|swoche|szeit)?|heilig(?:er |en |)abend|hl\. ?abend|christtag|christabend|stefani(?:tag)?|stephanstag|sylvester|silvester(?:abend|nacht)?|neujahr(?:s(?:tag|morgen|nacht))?|(?:hl\.|heilige) drei könige|dreikönig(?:e|s(?:tag)?)?|(?:mari[aä] )?lichtmess|rosenmontag|faschings?(?:dienstag|samstag|sonntag)|fasnacht(?:s(?:montag|dienstag))?|fastnacht(?:s(?:montag|dienstag))?|fasnet(?:s?-?(?:sonntag|montag|dienstag))?|weiberfast?nacht|altweiber(?:fastnacht)?|veilchendienstag|aschermittwoch|palmsonntag|gründonnerstag|karfreitag|karsamstag|karwoche|oster(?:n|sonntag|montag|dienstag|samstag|nacht|woche|feiertage?|wochenende)|wei(?:ß|ss)er sonntag|christi himmelfahrt|himmelfahrt(?:stag)?|auffahrt(?:stag)?|vatertag|muttertag|pfingst(?:en|sonntag|montag|samstag|dienstag|woche|ferien|wochenende)|fronleichnam|mari[aä] (?:himmelfahrt|empfängnis|geburt|verkündigung)|tag der (?:deutschen einheit|arbeit|befreiung)|maifeiertag|nationalfeiertag|bundesfeier(?:tag)?|reformationstag|allerheiligen|allerseelen|st\. ?martin|martinitag|martinstag|buß- und bettag|bu(?:ß|ss)tag|bettag|totensonntag|ewigkeitssonntag|volkstrauertag|erntedank(?:fest)?|nikolaus(?:tag|abend)?|krampus(?:tag)?|barbaratag|(?:[1-4]\.|erster|ersten|zweiter|zweiten|dritter|dritten|vierter|vierten) advent(?:ssonntag)?|josefi(?:tag)?|georgi(?:tag)?|jakobi(?:tag)?|johanni(?:s(?:tag)?)?|leopoldi(?:tag)?|sonnwend(?:e|feier)?|walpurgisnacht|peter und paul|kirchweih(?:montag|sonntag)?|kirtag|kerwe(?:montag)?|sechseläuten|berchtoldstag|chilbi|knabenschiessen|herz-jesu-(?:so(?:nntag)?|freitag)\.?|siebenschläfer|tag der offenen tür|zeitumstellung` +
		`|navidad(?:es)?|nochebuena|nochevieja|noche vieja|año nuevo|fin de año|(?:(?:día|noche|víspera) de reyes(?: magos)?|reyes magos)|epifanía|semana santa|(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo) (?:santo|de (?:ramos|pascua|resurrección|ceniza|carnaval|gloria))|miércoles de ceniza|pascua de \p{L}+|pentecostés|jueves y viernes santo|(?:noche de |día de )?san (?:juan|isidro|fermín|valentín|antonio|miguel|andrés|roque|pedro|jorge|blas|silvestre)|(?:[1-4]\.?º|primer|segundo|tercer|cuarto) domingo de (?:adviento|cuaresma|pascua)|día del? (?:la |las |los |el )?(?:virgen|madre|padre|muertos|difuntos|candelaria|hispanidad|constitución|inmaculada|independencia|bandera|revolución|raza|trabajo|trabajador|niño|amistad|memoria|andalucía|comunidad|asunción|pilar|santiago|guadalupe)(?: (?:del? )?\p{Lu}\p{L}+)?|todos los santos|todos los difuntos|las posadas|candelaria|la diada|sant jordi|sant joan|sant esteve|mare de déu|fiestas? (?:del trabajo|patrias|patronales|mayores|del pilar)|sanfermines|la inmaculada|la asunción|el pilar|virgen del \p{L}+|grito de independencia|noël|pâques|toussaint|pentecôte)`

	// feastAccented are those that end with what \b does not take for a letter.
	feastAccented = `(?i:(?:día|noche|víspera|fiesta|festividad) de san jos[ée]|tết)|\bTet (?:holiday|festival|wedding)\b`

	// feastHan are the same in Chinese, as a view writes them.
	feastHan = `(?:[去今前明当同]年)?(?:春节|除夕|大年三十|大年初[一二三四五六七]|年三十|正月初?[一二三四五六七八九十]{1,2}|腊月[一二三四五六七八九十廿]{1,3}|初[一二三四五六七八九十]|小年夜?|元宵节?|清明节?|端午节?|五月节|七夕节?|中元节?|中秋节?|重阳节?|腊八节?|冬至|夏至|立春|立夏|立秋|立冬|大寒|小寒|惊蛰|春分|秋分|谷雨|小满|芒种|小暑|大暑|处暑|白露|寒露|霜降|小雪|大雪|国庆节?|元旦|劳动节|妇女节|儿童节|教师节|圣诞节?|平安夜|双十节?|双十一|双十二|五一(?:节|当[天日]|假期?|[前后回])|十一假期|情人节|母亲节|父亲节|那达慕|火把节|泼水节|开斋节|古尔邦节|七月半|盂兰盆?节|屠妖节|卫塞节|哈芝节|观音诞|妈祖诞|佛诞|浴佛节|雪顿节|藏历新年|下元节|寒食节|龙抬头|三月三|护士节|建军节|建党节|植树节|光棍节|青年节|三八节|感恩节|复活节|万圣节|六一(?:节|儿童节))(?:前夜|前[一二三两]?[天日]|后[一二三两]?[天日]|当[天日]|期间|假期|连假|早上|晚上|上午|下午)?`
)

var feastRules = []rule{
	{Date, "holiday", re(`(?:(?i:(?:the )?(?:` + weekday + `|day|night|morning|eve|week|weekend|wk|tag|abend|woche|samstag|víspera|día)\b\.? (?:before|after|of|vor|nach|de|antes de|después de) (?:the |dem |der |del? )?))?` +
		`(?i:the |el |la |l')?(?:(?:[12]\.|1st|2nd) ?)?\b(?:` + feastAlone + `\b|` + feastAccented + `)(?:'s)?(?: ?(?i:eve|day|night|morning|evening|week|wk|weekend|w/e|mon(?:day)?|tues(?:day)?|weds?(?:nesday)?|thurs(?:day)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|holidays?|time|abend|früh|mittag)\b)?(?:,? ?(?:de(?:l)? )?(?:(?:18|19|20)\d\d|'\d\d)| ?\(?\d{1,2}[/.-]\d{1,2}\)?|,? (?:2[0-9]|1[0-9])\b)?`), nil},
	{Date, "Chinese day", re(feastHan), isNotNumber},
	{Date, "Chinese day", re(`(?:\d{2,4}年|[去今前明当同]年)(?:五一|十一)`), nil},
}

// feastStems are what the names of feasts begin with, in lower case: few texts have any, and the pattern is slow.
var feastStems = stems(`tet old_chr puente muertos hungry_g chap_goh _poya inti_r angamos patrias flag_day family_day freedom_day heritage_day youth_day worker women human_r reconcil goodwill election_d earth_day pride_ matariki wesak plough_m advent_s rogation low_sun stir-up harvest_f jubilee grand_nat derby_day cup_final dwynwen shrovet sankranti coronation patriot christmas xmas x-mas boxing new_year nye n.y.e hogmanay twelfth easter good_friday maundy holy ash_wed spy_wed palm_sun passion shrove pancake mardi fat_tue whit pentecost corpus ascension trinity michaelmas candlemas lammas martinmas all_s all_h hallo bonfire guy_f burns midsummer may_day bank_h _bh april_f decoration_d epiph fasnet st_pat st._pat remembrance armistice poppy anzac australia_day canada_day victoria_day waitangi melbourne birthday labo memorial juneteenth of_july independence republic thanksgiving black_fri cyber columbus indigenous mlk martin president veteran super ground leap valentine mother father cinco paddy patrick feast stephen wren nollaig oíche oiche imbolc beltane samhain lughnasa eid rama ramz bakri muharram ashura mawlid diwa diva deepavali dussehra durga navr nava holi pongal onam vishu ugadi lohri sakhi sankranti janmash ganesh raksha rakhi karva karwa chhath shiv guru gurpurab gandhi bihu tamil akshaya hanuk chanuk passover pesach purim kippur hashan sukkot shavuot simchat nowruz norooz vesak losar songkran krathong tết lunar chinese_n cny autumn qingming dragon orthodox maslen weihnacht heilig hl. christ stefan stephan ilvester ylvester neujahr könig lichtmess rosenmontag fasching fasnacht fastnacht altweiber veilchen aschermitt karf karsa karw oster weißer weisser himmelfahrt auffahrt vatertag muttertag pfingst fronleichnam mari tag_der maifeier national bundesfeier reformation allerheiligen allerseelen st._martin st.martin martin bußtag busstag buß bettag totensonn ewigkeit volkstrauer erntedank nikolaus krampus barbara advent josefi georgi jakobi johanni leopoldi sonnwend walpurgis peter_und kirch kirtag kerwe sechsel berchtold chilbi knabensch herz-jesu siebenschl zeitumst navidad noche año_nuevo fin_de reyes epifan semana_santa santo ramos pascua resurre ceniza carnaval gloria corpus san_ día_de todos_los posadas candelaria adviento cuaresma pascua diada sant_ mare_de fiesta sanferm inmaculada asunción pilar virgen grito noël pâques toussaint pentec`)

// hasFeast reports whether a text may have a feast.
func hasFeast(text string) bool {
	text = strings.ReplaceAll(strings.ToLower(text), " ", "\u00a0")
	return slices.ContainsFunc(feastStems, func(stem string) bool { return strings.Contains(text, stem) })
}

// stems reads words with _ for a space.
func stems(words string) []string {
	return strings.Fields(strings.ReplaceAll(words, "_", "\u00a0"))
}

// bornIn matches what makes a year alone one that tells how old somebody is.
const bornIn = `(?i)(?:\b(?:b\.|born(?: in)?|geb\.?|died(?: in)?|nac\.?|nacid[oa] en)|[*†]|出?生(?:日期|年份)?[于於在]?)[ :：]*`

var (
	bornBefore = re(bornIn + `$`)
	bornBehind = re(`^年?出?生`)
	// noDay matches what is no more exact than a year: a year, two, or the sign for one, in Chinese.
	noDay = re(`^(?:(?:19|20)\d\d(?:[-–](?:19|20)\d\d)?(?:年[^月春夏秋冬初底末中生出]?)?|年[至到]?)$`)
	// signOfDay matches what a day, a month or a date of Taiwan in Chinese goes on with, and dayOfSign what it begins with.
	signOfDay = re(`^(?:[日号號月]|[華华]民[國国])`)
	dayOfSign = re(`(?:\d{1,2}|中)$`)
)

// wholeDates extends what begins with the sign of a day or a month, in Chinese, to its number, and leaves out years alone, unless somebody
// was born in one.
func wholeDates(text string, hits []hit) []hit {
	before := 0 // where the hit before ends
	for i, h := range hits {
		if h.class == Date && signOfDay.MatchString(text[h.start:h.end]) {
			hits[i].start -= len(dayOfSign.FindString(text[max(before, h.start-len("中")):h.start]))
		}
		before = h.end
	}
	return slices.DeleteFunc(hits, func(h hit) bool {
		return h.class == Date && noDay.MatchString(text[h.start:h.end]) && !bornBefore.MatchString(beforeInLine(text, h.start)) && !bornBehind.MatchString(text[h.end:])
	})
}

func feasts(text string) []hit {
	if !hasFeast(text) && !plaintext.HasHan(text) {
		return nil
	}
	return slices.DeleteFunc(apply(feastRules, text), func(h hit) bool {
		return text[h.start:h.end] == "EID" || herbBefore.MatchString(text[max(0, h.start-len(" guadalupe de ")):h.start]) || schoolYear.MatchString(text[h.start:])
	})
}

var (
	// herbBefore matches what makes the name of a saint that of a herb or of a disease, and schoolYear a day of the moon that of a school.
	herbBefore = re(`(?i)(?:hierba|yerba|flor|fuego|baile|mal|pan) de $|[孕胎满]$`)
	schoolYear = re(`^初[一二三] ?(?:\d{1,2}班|[(（]\d|班|年级|学生)`)
)
