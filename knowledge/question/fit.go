package question

import (
	"regexp"
	"strings"
)

// Fit returns how well a text, a sentence or a block of it, shows an answer of this kind, in 0..1: 1 if it
// holds one, such as an amount of money where money is expected, about .5 if it holds something alike, such
// as another figure, and 0 if it holds nothing of the kind. Where no kind is expected every text fits.
//
// A text that fits need not answer: it says "200 mg" perhaps of another drug.
func (e Expected) Fit(text string) float64 {
	switch e.Kind {
	case Quantity:
		return e.quantityFit(text)
	case Duration:
		return best(text, rule{durationPattern, 1}, rule{untilPattern, .8}, rule{numberPattern, .3})
	case Frequency:
		return best(text, rule{rhythmPattern, 1}, rule{durationPattern, .6}, rule{numberPattern, .3})
	case Date:
		return best(text, rule{datePattern, 1}, rule{durationPattern, .7}, rule{untilPattern, .6}, rule{numberPattern, .3})
	case Contact:
		return best(text, rule{contactPattern, 1}, rule{rolePattern, .7})
	case Person:
		return best(text, rule{rolePattern, 1}, rule{namePattern, .8})
	case Place:
		return best(text, rule{placePattern, 1}, rule{namePattern, .5})
	case YesNo:
		return max(.5, best(text, rule{verdictPattern, 1}))
	case List:
		return listFit(text)
	case Steps:
		return stepsFit(text)
	case Command:
		return best(text, rule{codePattern, 1})
	case Define:
		return best(text, rule{definingPattern, 1})
	case Comparison:
		return best(text, rule{comparingPattern, 1})
	case Reason:
		return best(text, rule{reasonPattern, 1})
	}
	return 1
}

type rule struct {
	pattern *regexp.Regexp
	fit     float64
}

func best(text string, rules ...rule) float64 {
	for _, r := range rules {
		if r.pattern.MatchString(text) {
			return r.fit
		}
	}
	return 0
}

const (
	numberWords = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?|half|quarter|third|double|once|twice|none|zero|unlimited|eine?[nmrs]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend|halbe?[nrs]?|doppelt`
	hanNumber   = `[零〇一二两三四五六七八九十百千万亿半几]`
	timeUnits   = `seconds?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|fortnights?|months?|quarters?|years?|decades?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|quartale?|jahre?n?`
)

var (
	numberPattern    = regexp.MustCompile(`(?i)\d|\b(?:` + numberWords + `)\b|` + hanNumber + `|\b(?:all|nothing|no|free|keine?|alle|kostenlos)\b|免费|无限`)
	durationPattern  = regexp.MustCompile(`(?i)(?:\d|\b(?:` + numberWords + `|an?|per|each|every|few|several|some|mehrere|einige|jede[nrs]?))[\s-]*(?:\w+[\s-]+)?(?:working |business |calendar |consecutive )?(?:` + timeUnits + `)\b|(?:\d|` + hanNumber + `)\s*(?:个)?(?:秒|分钟|小时|工作日|日|天|周|星期|月|季度|年)`)
	untilPattern     = regexp.MustCompile(`(?i)\b(?:until|till|overnight|immediately|permanent(?:ly)?|indefinite(?:ly)?|lifelong|for life|lifetime|bis|sofort|unverzüglich|dauerhaft|unbefristet|lebenslang)\b|直到|立即|永久|终身|长期`)
	rhythmPattern    = regexp.MustCompile(`(?i)\b(?:every|each|hourly|daily|nightly|weekly|fortnightly|biweekly|monthly|quarterly|yearly|annual(?:ly)?|always|never|regularly|rarely|once|twice|täglich|wöchentlich|monatlich|jährlich|stündlich|jede[nrs]?|alle \S+ (?:` + timeUnits + `)|einmal|zweimal|\w+mal|regelmäßig)\b|\b(?:\d+|` + numberWords + `) times\b|per (?:day|week|month|year|hour)|每|一次|次`)
	datePattern      = regexp.MustCompile(`(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember)\b|\b(?:1[5-9]|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4})?\b|\b\d{1,2}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|uhr)|\b\d{1,2}:\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?\b|\b(?:noon|midnight|today|tomorrow|yesterday|mittags?|mitternacht|heute|morgen)\b|\d\s*(?:年|月|日|号|点|时)|` + hanNumber + `(?:月|号|点)|星期|周[一二三四五六日末]`)
	contactPattern   = regexp.MustCompile(`(?i)[\w.+-]+@[\w-]+\.\w|https?://|www\.|(?:^|[\s(])#[a-z][\w-]+|(?:^|\s)@[\w-]+|\+?\d[\d ()/-]{5,}\d|\b(?:e-?mail|call|phone|telephone|contact|slack|reach out|anrufen|telefon|kontakt\w*)\b|电话|邮箱|联系|拨打|热线`)
	rolePattern      = regexp.MustCompile(`(?i)\b(?:\w*(?:manager|supervisor|director|officer|administrator|owner|lead|leader|team|department|office|committee|board|council|minister|secretary|nurse|doctor|physician|midwife|pharmacist|employer|employee|landlord|tenant|provider|customer|court|authority|agency|commission|president|chair|engineer|staff|leiter(?:in)?|vorstand|abteilung|amt|behörde|gericht|arzt|ärztin|beauftragte[rn]?|arbeitgeber|vorgesetzte[rn]?|ministerium|ausschuss))s?\b|部门|机关|主管|负责人|经理|医生|法院|公司|用人单位|委员会|人员|局|部`)
	namePattern      = regexp.MustCompile(`\p{Lu}\p{L}+ \p{Lu}\p{L}+|[a-z.,;] \p{Lu}\p{L}+`)
	placePattern     = regexp.MustCompile(`(?i)(?:^|[\s("'` + "`" + `])(?:~|\.{0,2}/)?[\w.-]+/[\w./-]*|https?://|\\\w+\\|\.(?:txt|json|ya?ml|toml|conf|ini|md|csv|db|xml|html)\b|[>→»]\s*\p{L}|\b(?:street|road|avenue|floor|room|building|desk|folder|directory|menu|tab|page|section|website|portal|address|file|dialog|city|office|straße|etage|raum|zimmer|gebäude|ordner|verzeichnis|menü|register|seite|abschnitt|webseite|datei|adresse|fridge|refrigerator|kühlschrank)\b|\b(?:in|at|on|under|im|am|auf|unter) (?:the |der |dem |den )?\p{Lu}|位于|地址|在.{1,20}(?:里|中|内|上|处)|路径|菜单|目录|文件夹`)
	verdictPattern   = regexp.MustCompile(`(?i)\b(?:yes|no|not|never|cannot|can't|can|could|may|must|should|shall|allowed|permitted|prohibited|forbidden|required|optional|safe|unsafe|possible|impossible|only|always|avoid|do not|don't|unless|supports?|supported|ja|nein|nicht|nie|kein\w*|kann|können|darf|dürfen|muss|müssen|soll\w*|erlaubt|verboten|zulässig|möglich|erforderlich)\b|不|可以|应当|必须|禁止|不得|允许|能够|无需|需要|是|有权`)
	codePattern      = regexp.MustCompile("`[^`]+`|(?m)^(?:    |\t|[$>#] )\\S|(?:^|\\s)--?[a-zA-Z][\\w-]*|\\w+\\([^)]*\\)|\\b(?:Ctrl|Strg|Alt|Cmd|Shift|Umschalt)\\s?[+-]|\\b[A-Z]{3,} [A-Z]{2,}\\b|\\w+_\\w+|=\\s*\\S+;?")
	definingPattern  = regexp.MustCompile(`(?i)\b(?:is|are|was|were) (?:an?|the|any|one of|defined|called|known)\b|\b(?:means?|refers? to|stands? for|defined as|denotes?|consists? of|is used to|ist ein\w*|sind|bezeichnet|bedeutet|versteht man|steht für|besteht aus)\b|是指|是一种|是一个|指的是|称为|所称|意思是|：|是`)
	comparingPattern = regexp.MustCompile(`(?i)\b(?:than|whereas|while|unlike|both|differ\w*|instead|compared|in contrast|on the other hand|versus|vs|but|however|rather|more|less|als|während|hingegen|dagegen|unterschied\w*|im gegensatz|sowohl|mehr|weniger)\b|不同|区别|而|相比|比|则`)
	reasonPattern    = regexp.MustCompile(`(?i)\b(?:because|since|due to|so that|in order to|therefore|thus|hence|reasons?|as a result|caused? by|owing to|leads? to|to (?:avoid|prevent|ensure|allow|protect|reduce|make)|otherwise|weil|da|damit|denn|deshalb|daher|um \S+ zu|grund|gründe[nr]?|wegen|sonst|aufgrund)\b|因为|由于|因此|所以|为了|导致|原因|以便|否则`)
)

// measured has the units of each measure, behind or before a figure.
var measured = map[Measure]*regexp.Regexp{
	Money:       regexp.MustCompile(`(?i)[$€£¥]\s?\d|\d[\d.,]*\s?(?:[$€£¥]|usd|eur|gbp|cny|rmb|dollars?|euros?|pounds?|cents?|pence|francs?|yuan|万?元|万|块)|\bfree\b|\bno charge\b|kostenlos|gebührenfrei|免费|` + hanNumber + `+万?元|\d\s?(?:%|percent|prozent)`),
	Mass:        regexp.MustCompile(`(?i)\d\s?(?:kg|g|mg|mcg|µg|μg|t|lbs?|oz|pounds?|ounces?|grams?|kilo\w*|milligrams?|micrograms?|gramm|tonnen?|克|毫克|千克|公斤|斤|吨)\b|(?:\d|` + hanNumber + `)\s*(?:毫|千)?(?:克|公斤|斤|吨)`),
	Dose:        regexp.MustCompile(`(?i)(?:\d|\b(?:` + numberWords + `))[\s-]?(?:mg|mcg|µg|μg|micrograms?|milligrams?|g|grams?|gramm|ml|iu|units?|tablets?|pills?|capsules?|puffs?|drops?|doses?|mmol|tabletten?|kapseln?|tropfen|einheiten)\b|(?:\d|` + hanNumber + `)\s*(?:毫克|克|毫升|片|粒|滴|单位|丸|袋)`),
	Volume:      regexp.MustCompile(`(?i)(?:\d|\b(?:` + numberWords + `))\s?(?:ml|l|cl|dl|lit(?:er|re)s?|millilit\w*|gallons?|cups?|tbsp|tsp|pints?|tassen?|esslöffel|el|tl)\b|(?:\d|` + hanNumber + `)\s*(?:毫升|升|杯|勺|碗)`),
	Length:      regexp.MustCompile(`(?i)\d\s?(?:mm|cm|m|km|inch(?:es)?|in|ft|feet|foot|miles?|yards?|met(?:er|re)s?|centimet\w*|kilomet\w*|zoll|metern?)\b|\d\s?["″']|(?:\d|` + hanNumber + `)\s*(?:毫米|厘米|公里|千米|米|里)`),
	Temperature: regexp.MustCompile(`(?i)\d\s?°|\d\s?(?:degrees?|grad|celsius|fahrenheit|c|f|k)\b|\d\s*(?:度|℃)|room temperature|raumtemperatur|zimmertemperatur|常温|室温`),
	Age:         regexp.MustCompile(`(?i)\d+[\s-]?(?:years?|months?|weeks?|yrs?|jahren?|jährig\w*)\b|\bage[ds]?\b|\d\s*(?:岁|周岁)|` + hanNumber + `+(?:周)?岁|\balter\b`),
	Share:       regexp.MustCompile(`(?i)\d\s?(?:%|percent|per cent|prozent)|\d+ (?:in|of|out of) \d+|\b(?:half|third|quarter|most|all|hälfte|drittel|viertel)\b|百分之|％|分之|成`),
	Speed:       regexp.MustCompile(`(?i)\d\s?(?:km/h|mph|m/s|kbit/s|mbit/s|mbps|gbps|knots|rpm|kph|times faster)|/\s?(?:s|min|h|sec)\b|(?:per|pro) (?:second|minute|hour|sekunde|minute|stunde)|每(?:秒|分|小时)`),
	Size:        regexp.MustCompile(`(?i)\d\s?(?:[kmgt]i?b|bytes?|bits?|kilobytes?|megabytes?|gigabytes?|pixels?|px|mm|cm|m|km|inch(?:es)?|ft|feet|m²|m2|sqm|hectares?|acres?|quadratmeter|平方米|平米|兆|厘米|米)\b|\d\s*[x×]\s*\d`),
}

// quantityFit prefers a figure with a unit of the measure, then any figure in digits, then one in words.
func (e Expected) quantityFit(text string) float64 {
	if units := measured[e.Measure]; units != nil {
		if units.MatchString(text) {
			return 1
		}
		return .5 * best(text, rule{digitPattern, 1}, rule{numberPattern, .9})
	}
	return best(text, rule{digitPattern, 1}, rule{numberPattern, .9})
}

var digitPattern = regexp.MustCompile(`\d`)

var (
	itemPattern    = regexp.MustCompile(`(?m)^\s*(?:[-*+•·–]|\(?[0-9a-zA-Z]{1,3}[.)]|[（(]?[一二三四五六七八九十\d]+[)）、.])\s*\S`)
	orderedPattern = regexp.MustCompile(`(?m)^\s*(?:step \d+|schritt \d+|\(?\d{1,3}[.)]|[（(]?[一二三四五六七八九十\d]+[)）、.]|第[一二三四五六七八九十]+步)\s*\S`)
	imperative     = regexp.MustCompile(`(?im)(?:^|[.:;!]\s+|\bthen\s+|\band\s+|^\s*(?:[-*+•]|\d+[.)])\s+)(?:please\s+|first,?\s+|next,?\s+|finally,?\s+|then\s+)?(?:add|allow|apply|ask|avoid|call|change|check|choose|clean|click|close|complete|configure|connect|contact|copy|create|cut|delete|disable|do|double-click|download|drag|drain|dry|edit|email|enable|ensure|enter|fill|find|follow|give|go|heat|hold|import|insert|install|keep|leave|let|log|make|mix|move|name|navigate|open|paste|place|plug|post|pour|press|provide|pull|push|put|read|record|remove|rename|replace|request|restart|review|right-click|rinse|run|save|schedule|scroll|select|send|set|sign|specify|start|stir|stop|submit|switch|take|tell|turn|type|unplug|update|upload|use|visit|wait|wash|wrap|write)\b`)
	imperativeDE   = regexp.MustCompile(`(?i)\b(?:klicken|wählen|öffnen|geben|drücken|markieren|setzen|ziehen|fügen|schließen|stellen|nehmen|gehen|rufen|aktivieren|deaktivieren|tippen|legen|lassen|verwenden|halten|doppelklicken|speichern|starten|bestätigen|tragen|füllen|senden|melden) sie\b`)
	stepsZH        = regexp.MustCompile(`首先|然后|接着|最后|再(?:将|把|加)|步骤|点击|选择|打开|加入|放入|倒入|切成|提交|填写|应当|向.{1,12}申请|将.{1,20}[，。]|把`)
)

// listFit tells a list by its items, or by three things in a row with commas.
func listFit(text string) float64 {
	if items := len(itemPattern.FindAllStringIndex(text, 3)); items >= 2 {
		return 1
	}
	commas := strings.Count(text, ",") + strings.Count(text, "，") + 2*strings.Count(text, "、") + strings.Count(text, ";") + strings.Count(text, "；")
	switch {
	case commas >= 2:
		return .8
	case commas == 1, strings.Contains(text, " and "), strings.Contains(text, " und "), strings.Contains(text, "和"):
		return .5
	}
	return 0
}

// stepsFit tells steps by numbers, or by sentences that say what to do.
func stepsFit(text string) float64 {
	if len(orderedPattern.FindAllStringIndex(text, 2)) >= 2 {
		return 1
	}
	calls := len(imperative.FindAllStringIndex(text, 2)) + len(imperativeDE.FindAllStringIndex(text, 2)) + len(stepsZH.FindAllStringIndex(text, 2))
	switch {
	case calls >= 2:
		return .9
	case calls == 1:
		return .6
	case codePattern.MatchString(text):
		return .4
	}
	return 0
}
