package entail

import (
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quantity is a figure of a text with what it measures, bounds and counts.
type quantity struct {
	passage.Span              // from the words that bound it to its unit
	Number       passage.Span // of the number and the unit alone
	low, high    float64      // in the base unit of the dimension; equal unless it is a range
	face         float64      // low as it stands in the text, before its unit
	faceHigh     float64
	other        float64 // face, were its comma or point read in the other way
	dimension    dimension
	unit         string // its name, as it stands
	bound        limit
	about        bool
	role         figureRole
	when         string         // "before", "after", "until", "from": how a time lies to what is spoken of
	heads        []string       // keys of what is counted, nearest first
	vague        bool           // "a few days"
	over         float64        // of a share, the part and the whole of it as counts: 21 of 122
	parts        float64        // of a fraction in digits, what stands under its line
	weak         bool           // it may be no figure: "one", "first"
	words        bool           // the number is not in digits
	total        bool           // of a frequency: so much in a period, not so often
	around       []string       // keys of the content words of its clause, nearest first
	context      map[string]int // those of its sentence, with how many of its like stand between
	sentence     int
	clause       int // what stands in one clause has one number
}

// limit is how a quantity bounds a value.
type limit byte

const (
	exactly limit = iota
	atLeast
	more
	atMost
	fewer
)

// opposite reports whether one bounds from above and the other from below.
func (l limit) opposite(m limit) bool {
	return (l == atLeast || l == more) && (m == atMost || m == fewer) || (m == atLeast || m == more) && (l == atMost || l == fewer)
}

// figureRole says what a quantity is for.
type figureRole byte

// figures reads the quantities of a text.
type figures struct {
	source  string
	marks   []mark
	all     []quantity
	clauses []int // by mark
	// sentences has the number of the sentence or the line, by mark.
	sentences []int
	extending bool // the upper end of a range is being read
	german    bool
}

// figuresIn prepares a text for reading.
func figuresIn(text string, german bool) *figures {
	f := &figures{source: text, marks: marksOf(text), german: german}
	if german {
		f.marks = germanMarks(f.marks)
	}
	f.cutClauses()
	return f
}

// analyse returns the content words of a text, the German ones by their stems.
func (f *figures) analyse(text string) []lexical.Token {
	tokens := lexical.Analyze(text)
	if f.german {
		tokens = germanTokens(text, tokens)
	}
	return tokens
}

// terms returns the keys of the content words of a text.
func (f *figures) terms(text string) []string {
	var terms []string
	for _, t := range f.analyse(text) {
		terms = append(terms, t.Term)
	}
	return terms
}

const (
	amount    figureRole = iota
	recurring            // how often
	aged                 // how old
	dated                // a date, a year or a time of day
	point                // "week 20", "the third day"
	listed               // the number of items of a list, which no words say
)

// dimension is what a quantity measures; quantities of one dimension can be compared. Two units joined by "per"
// have the dimension of both, "mass/volume". The dimension of a count is empty.
type dimension string

const (
	counted   dimension = ""
	mass      dimension = "mass"
	volume    dimension = "volume"
	length    dimension = "length"
	duration  dimension = "time"
	celsius   dimension = "temperature"
	pressure  dimension = "pressure"
	share     dimension = "ratio"     // percent, fractions and multiples
	frequency dimension = "frequency" // times a day
	place     dimension = "ordinal"   // first, second
	calendar  dimension = "date"
	label     dimension = "label" // "type 2", "chapter 4": head has the word
	edition   dimension = "version"
	clock     dimension = "clock" // minutes after midnight
)

// mark is a word, a number in digits, a Han character or another sign, as figures are read.
type mark struct {
	passage.Span
	text   string // in lower case, of plain width
	kind   markKind
	spaced bool // white space or the beginning stands before it
	opens  bool // it begins a line
}

type markKind byte

const (
	wordMark markKind = iota
	digitMark
	hanMark
	signMark
)

// fractionSigns has the value of a fraction that is one character.
var fractionSigns = map[rune]float64{'½': 1. / 2, '¼': 1. / 4, '¾': 3. / 4, '⅓': 1. / 3, '⅔': 2. / 3, '⅕': 1. / 5, '⅛': 1. / 8}

// marksOf cuts a text. A name with digits in it ("CYP3A4", "B12", "22q11") is one word.
func marksOf(text string) []mark {
	var all []mark
	spaced, opens := true, true
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		start := at
		at += size
		r = plainWidth(r)
		kind := signMark
		switch {
		case unicode.IsSpace(r):
			spaced, opens = true, opens || r == '\n'
			continue
		case isNumeralSign(r):
			kind = digitMark
		case isFigure(r):
			at, kind = digitsEnd(text, start)
		case unicode.Is(unicode.Han, r) || r == '〇':
			kind = hanMark
		case unicode.IsLetter(r):
			at, kind = wordEnd(text, start), wordMark
		}
		all = append(all, mark{passage.Span{Start: start, End: at}, plainForm(text[start:at]), kind, spaced, opens})
		spaced, opens = false, false
	}
	return joinShorthand(all)
}

// joinShorthand makes one word of the letters of a prescription's abbreviation with points, such as "b.d.".
func joinShorthand(all []mark) []mark {
	joined := all[:0]
	for i := 0; i < len(all); i++ {
		m := all[i]
		end := i
		for m.kind == wordMark && len(all[end].text) == 1 && end+2 < len(all) && all[end+1].text == "." && len(all[end+2].text) == 1 && !all[end+1].spaced && !all[end+2].spaced {
			end += 2
			m.text += all[end].text
		}
		if _, known := shorthand[m.text]; known && end > i {
			if end+1 < len(all) && all[end+1].text == "." && !all[end+1].spaced {
				end++
			}
			m.End, i = all[end].End, end
		} else {
			m = all[i]
		}
		joined = append(joined, m)
	}
	return joined
}

func isFigure(r rune) bool { return '0' <= r && r <= '9' }

func isNumeralSign(r rune) bool { return fractionSigns[r] != 0 }

// plainWidth returns the ordinary form of a full-width character.
func plainWidth(r rune) rune {
	switch {
	case 0xFF01 <= r && r <= 0xFF5E:
		return r - 0xFEE0
	case r == '℃':
		return '°'
	}
	return r
}

func plainForm(text string) string {
	if text == "℃" {
		return "°c"
	}
	if isFigure(plainWidth([]rune(text)[0])) {
		text = strings.ReplaceAll(text, "·", ".")
	}
	return strings.ToLower(strings.Map(plainWidth, text))
}

// digitsEnd returns where a number ends, with its separators; letters and digits in one are a name instead.
func digitsEnd(text string, at int) (end int, kind markKind) {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		r = plainWidth(r)
		next, nextSize := utf8.DecodeRuneInString(text[at+size:])
		next = plainWidth(next)
		separates := r == '.' || r == '·' || r == ',' || r == '\'' || r == '’' || r == '\u00a0' || r == '\u202f' || r == '\u2009'
		switch {
		case isFigure(r):
		case separates && isFigure(next) && (r == '.' || r == '·' || threeFigures(text[at+size:])):
		case r == ',' && isFigure(next) && !threeFigures(text[at+size:]) && nextSize > 0 && decimalComma(text[at+size:]):
		default:
			if end := nameEnd(text, at); end > at {
				return end, wordMark
			}
			return at, digitMark
		}
		at += size
	}
	return at, digitMark
}

// threeFigures reports whether exactly three figures begin a text, as behind a separator of thousands.
func threeFigures(text string) bool {
	n := 0
	for _, r := range text {
		if !isFigure(plainWidth(r)) {
			break
		}
		n++
	}
	return n == 3
}

// decimalComma reports whether one or two figures begin a text, as behind a German decimal comma.
func decimalComma(text string) bool {
	n := 0
	for i, r := range text {
		if !isFigure(plainWidth(r)) {
			return n <= 2 && !strings.HasPrefix(text[i:], ",")
		}
		n++
	}
	return n <= 2
}

// nameEnd returns where a name ends whose digits are followed by letters and digits, as in "3A4"; else at.
func nameEnd(text string, at int) int {
	letters, end := false, at
	for i, r := range text[at:] {
		r = plainWidth(r)
		switch {
		case isFigure(r) && letters:
			return wordEnd(text, at+i)
		case !unicode.IsLetter(r) || unicode.Is(unicode.Han, r):
			return end
		}
		letters = true
	}
	return end
}

// wordEnd returns where a run of letters and digits ends.
func wordEnd(text string, at int) int {
	for i, r := range text[at:] {
		if (!unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)) || unicode.Is(unicode.Han, r) || 0xFF00 <= r && r <= 0xFFEF && !unicode.IsLetter(r) {
			return at + i
		}
	}
	return len(text)
}

// text returns the text of a mark, or nothing past the end.
func (f *figures) text(i int) string {
	if i < 0 || i >= len(f.marks) {
		return ""
	}
	return f.marks[i].text
}

// tight reports whether a mark follows the one before it without a space.
func (f *figures) tight(i int) bool { return i > 0 && i < len(f.marks) && !f.spaced(i) }

// hanText joins characters that follow one another.
func (f *figures) hanText(i, n int) (string, bool) {
	if i+n > len(f.marks) {
		return "", false
	}
	for j := i; j < i+n; j++ {
		if f.kind(j) != hanMark || j > i && f.spaced(j) {
			return "", false
		}
	}
	return strings.ToLower(f.source[f.marks[i].Start:f.marks[i+n-1].End]), true
}

// isEnd reports whether a sign that ends a clause stands at a mark.
func (f *figures) isEnd(i int) bool {
	switch f.text(i) {
	case ",", ";", ":", ".", "!", "?", "(", ")", "。", "，", "；", "：", "、", "！", "？", "（", "）", "|", "•":
		return true
	}
	return i < 0 || i >= len(f.marks)
}

// cutClauses numbers the clauses of the text.
func (f *figures) cutClauses() {
	f.clauses, f.sentences = make([]int, len(f.marks)), make([]int, len(f.marks))
	n, sentence := 0, 0
	for i, m := range f.marks {
		if i > 0 && (f.isEnd(i-1) || m.opens) || m.kind == wordMark && clauseOpeners[m.text] {
			n++
		}
		if i > 0 && (sentenceEnds[f.text(i-1)] || m.opens) {
			sentence++
		}
		f.clauses[i], f.sentences[i] = n, sentence
	}
}

var sentenceEnds = map[string]bool{".": true, "!": true, "?": true, "。": true, "！": true, "？": true, ";": true, "；": true}

var clauseOpeners = map[string]bool{"but": true, "when": true, "if": true, "then": true, "while": true, "because": true, "unless": true, "whereas": true, "aber": true, "wenn": true, "dann": true, "weil": true, "falls": true}

// findNeighbours gives each quantity the content words of its clause, the nearest first.
func (f *figures) findNeighbours() {
	if len(f.all) == 0 {
		return
	}
	type term struct {
		lexical.Token
		clause, sentence int
	}
	var terms []term
	at := 0
	for _, t := range f.analyse(f.source) {
		for at+1 < len(f.marks) && f.marks[at+1].Start <= t.Start {
			at++
		}
		if f.kind(at) != digitMark && !lexical.IsAskingWord(strings.ToLower(f.source[t.Start:t.End])) {
			terms = append(terms, term{t, f.clauses[at], f.sentences[at]})
		}
	}
	for i := range f.all {
		q := &f.all[i]
		distance := func(t term) int {
			if t.Start < q.Start {
				return q.Start - t.End
			}
			return t.Start - q.End
		}
		from, _ := slices.BinarySearchFunc(terms, q.Start-reach, func(t term, at int) int { return t.Start - at })
		q.context = make(map[string]int)
		var near []term
		for _, t := range terms[from:] {
			if t.Start > q.End+reach {
				break
			}
			if t.sentence != q.sentence || t.End > q.Start && t.Start < q.End {
				continue
			}
			if t.clause == q.clause {
				near = append(near, t)
			}
			between := f.between(i, t.Token)
			if n, ok := q.context[t.Term]; !ok || between < n {
				q.context[t.Term] = between
			}
		}
		slices.SortStableFunc(near, func(a, b term) int { return distance(a) - distance(b) })
		for _, t := range near {
			q.around = append(q.around, t.Term)
		}
	}
}

// reach is how far from a quantity words are still around it, in bytes.
const reach = 300

// between counts the quantities of one dimension with the one at i that stand between it and a word.
func (f *figures) between(i int, t lexical.Token) int {
	q, n := f.all[i], 0
	for j := i - 1; j >= 0 && f.all[j].Start >= t.End; j-- {
		if f.all[j].dimension == q.dimension {
			n++
		}
	}
	for j := i + 1; j < len(f.all) && f.all[j].End <= t.Start; j++ {
		if f.all[j].dimension == q.dimension {
			n++
		}
	}
	return n
}

// neighbours returns the keys of the content words in the clause around a quantity, the nearest first.
func neighbours(q quantity) []string { return q.around }

// kind returns the kind of a mark, of a sign past the ends.
func (f *figures) kind(i int) markKind {
	if i < 0 || i >= len(f.marks) {
		return signMark
	}
	return f.marks[i].kind
}

// spaced reports whether white space stands before a mark.
func (f *figures) spaced(i int) bool { return i < 0 || i >= len(f.marks) || f.marks[i].spaced }

const (
	minute = 60.
	hour   = 60 * minute
	day    = 24 * hour
	week   = 7 * day
	month  = 365.25 / 12 * day
	year   = 365.25 * day
)

// measure is a unit: what it measures and how many of the base unit it is.
type measure struct {
	dimension dimension
	factor    float64
	offset    float64 // in units, added to zero: of Fahrenheit
	name      string
	vague     bool // it is also an ordinary word, or a letter: a unit only behind a number in digits, close to it
}

// unitLines has units: dimension, how many of the base unit it is, then its spellings, the first of which is its
// name. Case is folded.
const unitLines = `
mass 1e-9 ng nanogram nanograms nanogramm 纳克
mass 1e-6 µg μg mcg ug microg microgram micrograms mikrogramm 微克
mass 1e-3 mg milligram milligrams milligramme milligrammes milligramm 毫克
mass 1 gram grams gramme grammes gramm 克
mass 1e3 kg kilogram kilograms kilo kilos kilogramm 千克 公斤
mass 500 斤 市斤
mass 1e6 tonne tonnes metric-ton 吨
mass 453.6 lb lbs pound pounds 磅
mass 28.35 oz ounce ounces 盎司
mass 6350 stone
volume 1e-6 µl μl microlitre microlitres microliter microliters 微升
volume 1e-3 ml millilitre millilitres milliliter milliliters milliliter cc 毫升
volume 1e-2 cl centilitre centilitres
volume 0.1 dl decilitre decilitres deciliter deciliters 分升
volume 1 litre litres liter liters 升 公升
volume 0.9464 quart quarts
volume 0.4732 pint pints
volume 3.785 gallon gallons
volume 0.0049 teaspoon teaspoons tsp teelöffel 茶匙
volume 0.0148 tablespoon tablespoons tbsp esslöffel 汤匙
time 1e-3 ms msec millisecond milliseconds 毫秒
time 1 second seconds sec secs sekunde sekunden 秒 秒钟
time 60 minute minutes min mins minuten 分钟
time 900 刻钟 viertelstunde viertelstunden
time 2700 dreiviertelstunde
time 15778800 halbjahr
time 3600 hour hours hr hrs stunde stunden std 小时 钟头 个小时 个钟头
time 86400 day days tag tage tagen 天 日
time 604800 week weeks wk wks woche wochen 周 星期 个星期 礼拜
time 1209600 fortnight fortnights
time 2629800 month months mo mos mth mths monat monate monaten 个月 月
time 7889400 trimester-length 季度
time 31557600 year years yr yrs jahr jahre jahren 年 周年
time 315576000 decade decades
time 3155760000 century centuries
length 1e-9 nm nanometre nanometres nanometer nanometers 纳米
length 1e-6 µm μm micrometre micrometres micrometer micrometers micron microns 微米
length 1e-3 mm millimetre millimetres millimeter millimeters 毫米
length 1e-2 cm centimetre centimetres centimeter centimeters zentimeter 厘米 公分
length 1 metre metres meter meters 米
length 1e3 km kilometre kilometres kilometer kilometers 公里 千米
length 0.0254 inch inches zoll 英寸
length 0.3048 foot feet ft 英尺
length 1609.3 mile miles
temperature 1 °c celsius degc 摄氏度
temperature 1 度
pressure 1 mmhg 毫米汞柱
pressure 7.5006 kpa
pressure 750.06 bar
substance 1e-9 nmol nanomol nanomole nanomoles 纳摩尔
substance 1e-6 µmol μmol umol micromol micromole micromoles mikromol 微摩尔
substance 1e-3 mmol millimol millimole millimoles 毫摩尔
substance 1 mol mole moles 摩尔
equivalent 1e-3 meq
energy 1 kcal calorie calories 千卡 大卡
energy 0.239 kj kilojoule kilojoules 千焦
activity 1 iu ie 国际单位 单位
ratio 0.01 % percent percentage per-cent prozent pct ％
ratio 0.001 ‰
ratio 1 fold fach 倍
bytes 1 byte bytes 字节
bytes 1e3 kb kilobyte kilobytes kib ki
bytes 1e6 mb megabyte megabytes mib
bytes 1e9 gb gigabyte gigabytes gib
bytes 1e12 tb terabyte terabytes tib
bits 1 bit bits 位
frequency-hz 1 hz hertz
frequency-hz 1e6 mhz
frequency-hz 1e9 ghz
beats 1 bpm
power 1 watt watts
decibel 1 db decibel decibels
money-usd 1 $ usd dollar dollars us$ 美元
money-eur 1 € eur euro euros 欧元
money-gbp 1 £ gbp
money-cny 1 ¥ rmb cny yuan 元 块钱 人民币
angle 1 degree degrees grad °
`

// vagueUnits are letters and words that are units only directly behind a number in digits.
const vagueUnits = `
mass 1 g
time 1 s
time 60 m
time 3600 h
time 86400 d
time 604800 w
time 31557600 y a
volume 1 l
length 1 m
length 0.0254 in
bytes 1048576 mi
bytes 1073741824 gi
temperature 1 c
activity 1 u
`

var units = func() map[string]measure {
	table := make(map[string]measure)
	for at, lines := range []string{vagueUnits, unitLines} {
		for line := range strings.Lines(lines) {
			fields := strings.Fields(line)
			if len(fields) == 0 {
				continue
			}
			factor, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				panic("entail: " + line)
			}
			for _, spelling := range fields[2:] {
				table[spelling] = measure{dimension: dimension(fields[0]), factor: factor, name: fields[2], vague: at == 0}
			}
		}
	}
	table["m"] = measure{dimension: length, factor: 1, name: "metre", vague: true}
	table["°f"] = measure{dimension: celsius, factor: 5. / 9, offset: -32, name: "°f"}
	table["fahrenheit"], table["华氏度"] = table["°f"], table["°f"]
	return table
}()

// prefixUnits are currencies that stand before their number.
var prefixUnits = map[string]string{"$": "$", "€": "€", "£": "£", "¥": "¥", "usd": "$", "eur": "€", "gbp": "£", "us$": "$"}

// longestHanUnit is in characters.
const longestHanUnit = 4

// simpleUnitAt reads one unit; digits says that a number in digits stands directly before.
func (f *figures) simpleUnitAt(i int, digits bool) (measure, int, bool) {
	if i >= len(f.marks) {
		return measure{}, i, false
	}
	switch f.kind(i) {
	case hanMark:
		for n := longestHanUnit; n > 0; n-- {
			if name, ok := f.hanText(i, n); ok {
				if u, ok := units[name]; ok && !(name == "度" && f.text(i-1) == "程") {
					return u, i + n, true
				}
			}
		}
		return measure{}, i, false
	case signMark:
		if f.text(i) == "°" {
			for _, of := range []string{"c", "f"} {
				if f.text(i+1) == of {
					return units["°"+of], i + 2, true
				}
			}
			return measure{dimension: celsius, factor: 1, name: "°c"}, i + 1, true
		}
	}
	text := f.text(i)
	if text == "degrees" || text == "degree" {
		switch f.text(i + 1) {
		case "celsius", "c", "centigrade":
			return units["°c"], i + 2, true
		case "fahrenheit", "f":
			return units["°f"], i + 2, true
		}
	}
	if text == "mm" && f.text(i+1) == "hg" {
		return units["mmhg"], i + 2, true
	}
	if text == "per" && f.text(i+1) == "cent" {
		return units["%"], i + 2, true
	}
	if text == "percentage" && (f.text(i+1) == "points" || f.text(i+1) == "point") {
		return units["%"], i + 2, true
	}
	if text == "f" && digits && f.tight(i) {
		return units["°f"], i + 1, true
	}
	u, ok := units[text]
	if !ok || u.vague && !digits {
		return measure{}, i, false
	}
	if u.vague && (text == "in" || text == "a" || text == "m" && false) && !f.tight(i) {
		return measure{}, i, false
	}
	return u, i + 1, true
}

// unitAt reads a unit, or two joined by "per" or a slash ("mmol/l", "ml per minute", "mg/kg"). A period of a day or
// more is left: it says how often.
func (f *figures) unitAt(i int, digits bool) (measure, int, bool) {
	u, next, ok := f.simpleUnitAt(i, digits)
	if !ok {
		return u, next, false
	}
	clinging := u.dimension == duration || u.dimension == share
	for range 2 {
		join := f.text(next)
		if join == "of" && !clinging { // "1.6 micrograms of the medicine per kilogram"
			for j := next + 2; j < next+5 && j < len(f.marks) && f.kind(j) == wordMark; j++ {
				if f.text(j) == "per" {
					if v, after, ok := f.simpleUnitAt(j+1, false); ok && v.dimension != duration {
						return measure{dimension: u.dimension + "/" + v.dimension, factor: u.factor / v.factor, name: u.name + "/" + v.name}, after, true
					}
				}
			}
		}
		if join == "for" && (f.text(next+1) == "each" || f.text(next+1) == "every") && !clinging {
			join, next = "per", next+1
		}
		if join != "/" && join != "per" && join != "pro" && join != "je" && join != "每" {
			break
		}
		v, after, ok := f.simpleUnitAt(next+1, join == "/")
		if !ok {
			break
		}
		if v.dimension == duration && (v.factor >= day || u.dimension == duration) {
			break
		}
		u = measure{dimension: u.dimension + "/" + v.dimension, factor: u.factor / v.factor, name: u.name + "/" + v.name}
		next = after
	}
	return u, next, true
}
