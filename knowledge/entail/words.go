package entail

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	"lacuna/knowledge/vocabulary"
)

// word is a word of a claim or a source.
type word struct {
	passage.Span
	text     string  // in lower case
	key      string  // what forms of it share
	weight   float64 // how telling it is, in 0..1; 0 for a word of grammar
	clause   int
	sentence int
	han      bool
	digits   bool
	capital  bool // it is a name or an abbreviation
	negator  bool
	amount   float64 // of a number with a unit, in the base unit of its dimension
	unit     string  // the base unit
	denied   int     // negators whose scope it is in
	verb     bool
	past     bool
}

// reading is a text as words, in clauses and sentences.
type reading struct {
	text    string
	german  bool // its words are read as German ones
	words   []word
	clauses int
	spans   []passage.Span // of the sentences
	phrases []phrase
	offset  int // of the text in the claim it was cut from
	// borrowed is where the question begins that a claim is read with; 0 without one.
	borrowed int
}

// read cuts a text into words, clauses and sentences.
func read(text string) *reading { return readAs(text, isGerman(text)) }

func readAs(text string, german bool) *reading {
	r := &reading{german: german}
	r.append(Source{Text: text})
	r.relate()
	return r
}

// relate finds what the words of a reading do to one another.
func (r *reading) relate() {
	if r.german {
		r.joinVerbs()
		r.dropOnce()
	}
	r.deny()
	r.findPhrases()
}

// append adds a text.
func (r *reading) append(s Source) {
	spans := s.Sentences
	if spans == nil {
		spans = passage.Sentences(s.Text, passage.Plain)
	}
	offset := len(r.text)
	r.text += s.Text + "\n"
	for _, span := range spans {
		r.clauses++
		span = passage.Span{Start: span.Start + offset, End: span.End + offset}
		r.spans = append(r.spans, span)
		r.addSentence(span, len(r.spans)-1)
	}
}

func (r *reading) addSentence(s passage.Span, number int) {
	text := r.text[s.Start:s.End]
	last := 0
	first := true
	lastKey := ""
	for _, part := range cut(text) {
		if between := text[last:part.Start]; !first && (endsClause(between)) {
			r.clauses++
		} else if !first && r.opensClause(strings.ToLower(text[part.Start:part.End])) && lastKey != "" && len(r.words) > 0 && r.clauseWords() >= 3 {
			r.clauses++
		}
		w := r.newWord(text[part.Start:part.End], part.Han)
		if n := len(r.words); n > 0 && r.words[n-1].sentence == number {
			r.words[n-1].measure(&w)
		}
		w.Span = passage.Span{Start: s.Start + part.Start, End: s.Start + part.End}
		w.clause, w.sentence = r.clauses, number
		if first {
			w.capital = w.capital && strings.ToUpper(text[part.Start:part.End]) == text[part.Start:part.End] && part.End-part.Start > 1
		}
		r.words = append(r.words, w)
		last, first, lastKey = part.End, false, w.key
	}
}

// clauseWords counts the content words of the clause being read.
func (r *reading) clauseWords() int {
	n := 0
	for i := len(r.words) - 1; i >= 0 && r.words[i].clause == r.clauses; i-- {
		if r.words[i].weight > 0 {
			n++
		}
	}
	return n
}

func endsClause(between string) bool {
	return strings.ContainsAny(between, ",;:()[]，；：、。—–!?！？\n")
}

var opensClause = plaintext.Set(`and or but while whereas although though unless if when because since so which who whose that then
	than until before after except`)

func (r *reading) opensClause(word string) bool {
	if r.german {
		return opensGermanClause[word]
	}
	return opensClause[word]
}

func (r *reading) newWord(text string, han bool) word {
	if r.german && !han {
		return newGermanWord(text)
	}
	return newWord(text, han)
}

var numerals = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "sixteen": "16", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100", "thousand": "1000", "twice": "2", "fifteen": "15"}

type part struct {
	Start, End int
	Han        bool
}

// cut finds the words of a text: runs of letters and digits with inner apostrophes, points and hyphens between
// digits, and Chinese words.
func cut(text string) []part {
	var parts []part
	start := -1
	flush := func(end int) {
		if start >= 0 {
			parts = append(parts, part{start, end, false})
			start = -1
		}
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case unicode.Is(unicode.Han, r):
			flush(at)
			end := at
			for end < len(text) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if !unicode.Is(unicode.Han, r) {
					break
				}
				end += size
			}
			for _, w := range vocabulary.Segment(text[at:end]) {
				parts = append(parts, part{at + w.Start, at + w.End, true})
			}
			at = end
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mark, r) || r == '%' || r == '_':
			if start < 0 {
				start = at
			} else if last, _ := utf8.DecodeLastRuneInString(text[:at]); unicode.IsDigit(last) && !unicode.IsDigit(r) && r != '_' && at-start > 0 && isNumber(text[start:at]) {
				flush(at) // "5mg"
				start = at
			}
		case (r == '\'' || r == '’') && start >= 0 && at+size < len(text) && isLetterAt(text, at+size):
		case (r == '.' || r == ',') && start >= 0 && isDigitAt(text, at+size) && isNumber(text[start:at]):
		default:
			flush(at)
		}
		at += size
	}
	flush(len(text))
	return parts
}

func isLetterAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsLetter(r)
}

func isDigitAt(text string, at int) bool { return at < len(text) && text[at] >= '0' && text[at] <= '9' }

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.,") == ""
}

func newWord(text string, han bool) word {
	lower := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	w := word{text: lower, han: han}
	r, _ := utf8.DecodeRuneInString(text)
	w.capital = unicode.IsUpper(r)
	if han {
		w.text = lexical.Simplify(lower)
		w.key = w.text
		w.negator = hanNegators[w.text]
		w.weight = hanWeight(w.text)
		return w
	}
	if n, ok := numerals[lower]; ok {
		lower = n
	}
	if w.digits = isNumber(lower); w.digits {
		lower = normalNumber(lower)
	}
	base := lower
	base = strings.TrimSuffix(base, "'s")
	if strings.HasSuffix(base, "n't") || base == "cannot" {
		w.negator, w.key = true, "not"
		return w
	}
	if negators[base] {
		w.negator, w.key = true, base
		return w
	}
	if verb, ok := question.VerbBase(base); ok {
		base = verb
	} else if singular, ok := plurals[base]; ok {
		base = singular
	}
	w.key = keyOf(base)
	_, past, ing, other := question.VerbForms(lower)
	plain, _, _, _ := question.VerbForms(lower)
	w.verb, w.past = (plain || past || ing) && !other, past
	if w.digits {
		w.key = lower
	}
	if !grammar[lower] && !grammar[base] {
		w.weight = weightOf(w.key, w.digits)
	}
	return w
}

// keyOf returns the stem of a word; of a word of grammar, the word itself.
func keyOf(base string) string {
	if terms := lexical.Terms(base); len(terms) == 1 {
		return terms[0]
	}
	return base
}

// light holds words that carry little by themselves: verbs, nouns and adverbs that stand in any text.
var light = func() map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(`make become take give keep let put set go come bring see find look seem appear tend try work
		happen occur involve include concern mean call know think say tell ask want like use need help hold turn leave run get
		people person someone somebody anyone everyone everybody patient individual case thing something anything everything way part place point period
		time kind type sort form matter fact number amount lot range area side end rest set group example instance reason
		reach rely rule guide base count rest stay remain continue last pass meet follow lead tend serve act deal face
		together itself himself themselves alone rather instead quite fairly especially particularly mainly notably above
		although though whether either neither among amongst across along around within without upon toward towards beside besides despite
		able unable likely exactly simply just really actually already certain particular specific main general overall whole entire full
		further additional another other different several various such enough well good best better right sure able wide big large
		medicine drug medication treatment agent disease condition disorder problem issue thing doctor clinician guideline guidance
		course effect result change level value study trial research report finding data evidence information
		new current present available possible common usual typical normal regular little small few lot much
		please note remember important necessary one first also both often then now today later soon still yet again too even
		indeed furthermore moreover however therefore thus hence otherwise meanwhile eventually finally generally normally typically
		vs versus e.g i.e etc per via due according regarding concerning behind beyond`) {
		set[keyOf(w)] = true
	}
	return set
}()

// digitsWeight is the weight of a number.
const digitsWeight = .8

// lightWeight is the weight of a light word.
const lightWeight = .2

// weightOf returns how telling an English word is in general.
func weightOf(key string, digits bool) float64 {
	if digits {
		return digitsWeight
	}
	if light[key] {
		return lightWeight
	}
	switch vocabulary.English(key) {
	case vocabulary.Rare:
		return 1
	case vocabulary.Known:
		return .8
	case vocabulary.Everyday:
		return .5
	}
	return .3
}

func hanWeight(word string) float64 {
	if hanGrammar[word] || hanNegators[word] {
		return 0
	}
	switch vocabulary.Chinese(word) {
	case vocabulary.Rare, vocabulary.Known:
		return 1
	case vocabulary.Everyday:
		return .7
	}
	return .35
}

var (
	negators = plaintext.Set(`not no never none nobody nothing neither nor without cannot nowhere hardly scarcely`)
	// deniers are words that deny what follows them.
	deniers = plaintext.Set(`avoid lack fail prevent stop refus exclud absent absenc unabl free vermeid verhind verbi verhu unterlass weglass verzich entfall ausschliess kontraindizi untersag ungeeig unzulassig unmoglich tabu abra abzura`)
	grammar = plaintext.Set(`a an the and or but if of in on at by for from to into onto with as is are was were be been being am it its
		this that these those there here they them their he she his her him we us our you your i me my who whom whose which what
		do does did done doing has have had having will would shall can could may might must should ought than then so such also
		too very just about over under up down out off again both each any all some more most other same own s t re ve ll d
		when where while because since until before after during between through per via how why yes no not only even still yet
		one ones else within upon get gets got usually often generally typically
		however therefore thus hence example eg ie etc`)
	plurals = map[string]string{
		"children": "child", "people": "person", "women": "woman", "men": "man", "feet": "foot", "teeth": "tooth", "mice": "mouse",
		"criteria": "criterion", "diagnoses": "diagnosis", "bacteria": "bacterium", "lives": "life", "babies": "baby", "kidneys": "kidney",
		"leaves": "leaf", "wives": "wife", "knives": "knife", "data": "data", "less": "less", "fewer": "few", "indices": "index",
		"medicines": "medicine", "analyses": "analysis", "geese": "goose", "halves": "half",
	}
	hanNegators = plaintext.Set(`不 没 没有 无 非 未 别 勿 莫 不是 不能 不会 不要 不可 不用 不必 无须 无需 不得 不宜 禁止 避免 不应 不应该 并非 并不 从不 不再 未能 未必 尚未`)
	hanGrammar  = plaintext.Set(`的 了 和 与 及 或 是 在 有 也 都 就 还 又 而 但 但是 并 并且 而且 把 被 对 对于 于 以 从 到 向 由 为 为了 因为 所以 如果 的话 时 时候 之 其 这 那 您 你 我 他 她 它 我们 你们 他们 这个 那个 这种 一种 一个 个 会 能 可 可以 应 应该 要 需 需要 必须 吗 呢 吧 啊 呀 地 得 着 过 等 等等 很 较 比较 更 最 只 才 再 则 即 使 让 给 用 来 去 上 下 中 里 内 外 后 前 间 一 二 两 三 是否 什么 怎么 如何 哪些 哪 以及 还有 以后 以前 之后 之前 通常 一般 主要 情况 进行 可能`)
)

var bounding = plaintext.Set(`more less later earlier fewer only just longer`)

// deny counts for each word the negators before it in its clause.
func (r *reading) deny() {
	for i := range r.words {
		n := &r.words[i]
		if !n.negator && !deniers[n.key] {
			continue
		}
		if r.bounds(i) {
			n.negator = false // "no more than" bounds, and denies nothing
			if r.german && r.words[i+1].key == "-nur" {
				r.words[i+1].text = "nicht nur"
			}
			continue
		}
		if r.german {
			r.denyGerman(i)
			continue
		}
		for j := i + 1; j < len(r.words) && r.words[j].clause == n.clause; j++ {
			r.words[j].denied++
		}
	}
}

// bounds reports whether a negator is part of a bound.
func (r *reading) bounds(i int) bool {
	if i+1 >= len(r.words) {
		return false
	}
	if !r.german {
		return bounding[r.words[i+1].text]
	}
	return r.words[i+1].key == "-nur" || i+2 < len(r.words) && r.words[i+2].key == "-als"
}

// normalNumber spells a number one way: without thousands separators and without zeros at the end of a fraction.
func normalNumber(number string) string {
	whole, fraction := number, ""
	if at := strings.LastIndexAny(number, ".,"); at >= 0 {
		if thousands := len(number)-at-1 == 3 && number[at] == ','; !thousands {
			whole, fraction = number[:at], strings.TrimRight(number[at+1:], "0")
		}
	}
	whole = strings.TrimLeft(strings.NewReplacer(",", "", ".", "").Replace(whole), "0")
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// unitFactors has units with the base unit of their dimension and what one of them is in it.
var unitFactors = func() map[string]struct {
	base   string
	factor float64
} {
	table := make(map[string]struct {
		base   string
		factor float64
	})
	for _, line := range []string{
		"mg 1 mg milligram milligrams milligramme 毫克", "mg 0.001 µg μg mcg ug microgram micrograms mikrogramm 微克", "mg 1000 g gram grams gramm 克", "mg 1000000 kg kilogram kilograms kilo kilos kilogramm 千克 公斤",
		"ml 1 ml millilitre millilitres milliliter milliliters 毫升", "ml 1000 l litre litres liter liters 升", "ml 100 dl", "ml 10 cl",
		"% 1 % percent prozent 百分比", "min 1 minute minutes min mins minuten 分钟", "min 60 hour hours h hr hrs stunde stunden 小时", "min 0.0166667 second seconds sec s sekunde sekunden 秒",
		"day 1 day days tag tage tagen 天 日", "day 7 week weeks wk wks woche wochen 周 星期", "month 1 month months monat monate monaten 月 个月", "month 12 year years yr yrs jahr jahre jahren 年",
		"m 1 m metre metres meter meters 米", "m 0.01 cm centimetre centimetres 厘米", "m 0.001 mm millimetre millimetres 毫米", "m 1000 km kilometre kilometres 公里",
		"mmhg 1 mmhg", "mmol 1 mmol", "iu 1 iu unit units 单位", "°c 1 °c celsius", "kcal 1 kcal", "usd 1 dollar dollars usd", "eur 1 euro euros eur €",
	} {
		fields := strings.Fields(line)
		factor, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			panic("entail: " + line)
		}
		for _, spelling := range fields[2:] {
			table[spelling] = struct {
				base   string
				factor float64
			}{fields[0], factor}
		}
	}
	return table
}()

// measure gives a number the unit that follows it, if that is one; the unit then says nothing more by itself.
func (w *word) measure(unit *word) {
	u, ok := unitFactors[unit.text]
	if !ok || !w.digits && w.text != "one" {
		return
	}
	if !w.digits {
		w.digits, w.key, w.weight = true, "1", digitsWeight
	}
	n, err := strconv.ParseFloat(w.key, 64)
	if err != nil {
		return
	}
	w.amount, w.unit, unit.weight = n*u.factor, u.base, 0
}

// likeNumber says how well a number of the source means one of the claim.
func likeNumber(claim, source word) float64 {
	switch {
	case claim.unit != "" && source.unit != "":
		if claim.unit == source.unit && math.Abs(claim.amount-source.amount) <= 1e-6*math.Abs(source.amount) {
			return 1
		}
		return 0
	case claim.key == source.key:
		return 1
	}
	return 0
}

// isGerman reports whether a text is German.
func isGerman(text string) bool { return question.LanguageOf(text) == question.German }

// in returns a claim as it reads in German or not. A few words and figures do not tell their language; their source
// does.
func (r *reading) in(german bool) *reading {
	c := readAs(strings.TrimSuffix(r.text, "\n"), german)
	c.offset, c.borrowed = r.offset, r.borrowed
	for _, found := range c.phrases {
		if lists().frame[found.id] {
			for i := found.from; i < found.to; i++ {
				c.words[i].weight = 0
			}
		}
	}
	return c
}

// newGermanWord reads a word as a German one. Its text is marked where a table knows it, so that no table takes it
// for an English word: "Fall" is no "fall".
func newGermanWord(text string) word {
	lower := strings.ToLower(text)
	w := word{text: lower}
	w.capital = strings.ToUpper(text) == text && utf8.RuneCountInString(text) > 1 && strings.ToLower(text) != text
	if n, ok := germanNumerals[lower]; ok {
		lower = n
	} else if n := numberWords[lower]; n > 1 && (strings.Contains(lower, "halb") || strings.Contains(lower, "und")) {
		lower = strconv.FormatFloat(n, 'f', -1, 64)
	}
	if w.digits = isNumber(lower); w.digits {
		w.text = lower
		w.key = germanNumber(lower)
		w.weight = digitsWeight
		return w
	}
	stem := lexicon.GermanStem(text)
	if germanTabled[stem] || englishHomographs[lower] {
		w.text = stem + germanMark
	}
	switch {
	case germanNegators[lower] != "":
		w.negator, w.key = true, germanNegators[lower]
	case germanGrammar[lower]:
		w.key = "-" + lower // no stem is like it
		if lemma, ok := germanLemmas[lower]; ok {
			w.key = "-" + lemma
		}
	default:
		w.key = stem
		w.weight = germanWeight(text, lower, stem)
	}
	return w
}

const germanMark = "@de"

// germanTabled has the stems of the words that the tables of qualifiers and of conditions know.
var germanTabled = map[string]bool{}

// germanText returns the text of a word of a table.
func germanText(word string) string {
	stem := lexicon.GermanStem(word)
	germanTabled[stem] = true
	return stem + germanMark
}

// germanNumber spells a number with a decimal comma as [normalNumber] does one with a point.
func germanNumber(number string) string {
	if at := strings.LastIndexByte(number, '.'); at > 0 && len(number)-at-1 == 3 && number[0] != '0' {
		return normalNumber(strings.ReplaceAll(number, ".", ""))
	}
	return normalNumber(number)
}

// germanWeight returns how telling a German word is in general. Only a noun that no reader is sure to know, and that
// is not made of such, may be a name.
func germanWeight(text, lower, stem string) float64 {
	if germanLight[stem] {
		return lightWeight
	}
	term := lower
	if terms := lexical.Terms(lower); len(terms) == 1 {
		term = terms[0]
	}
	switch vocabulary.German(term) {
	case vocabulary.Common:
		return .3
	case vocabulary.Everyday:
		return .5
	case vocabulary.Known:
		return .75
	}
	if r, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(r) || isGermanCompound(term) {
		return .75
	}
	return 1
}

// isGermanCompound reports whether a word ends in one that many know.
func isGermanCompound(term string) bool {
	for at := 3; at <= len(term)-4; at++ {
		if vocabulary.German(term[at:]) >= vocabulary.Known {
			return true
		}
	}
	return false
}

// joinVerbs gives a verb the particle that ends its clause: "nimmt … ein" is of einnehmen.
func (r *reading) joinVerbs() {
	for end := range r.words {
		if end+1 < len(r.words) && r.words[end+1].clause == r.words[end].clause && r.words[end+1].sentence == r.words[end].sentence {
			continue
		}
		particle := strings.TrimPrefix(strings.TrimSuffix(r.words[end].text, germanMark), "-")
		if !lexicon.IsGermanParticle(particle) {
			continue
		}
		for i := end - 1; i >= 0 && r.words[i].clause == r.words[end].clause; i-- {
			w := &r.words[i]
			joined, ok := lexicon.GermanVerb(strings.TrimPrefix(w.key, "-"), particle)
			if !ok || w.digits || w.negator {
				continue
			}
			w.key, w.weight = joined, max(w.weight, .5)
			if w.text = strings.TrimSuffix(w.text, germanMark); germanTabled[joined] {
				w.text = joined + germanMark
			}
			r.words[end].key, r.words[end].weight = "-"+particle, 0
			break
		}
	}
}

// dropOnce takes "einmal" for a number only where it says how often: not in "wenn Sie einmal vergessen".
func (r *reading) dropOnce() {
	for i, w := range r.words {
		if !strings.EqualFold(r.text[w.Start:w.End], "einmal") {
			continue
		}
		often := false
		for j := i + 1; j <= i+2 && j < len(r.words); j++ {
			lower := strings.ToLower(r.text[r.words[j].Start:r.words[j].End])
			often = often || adverbs[lower] != 0 || lower == "am" || lower == "im" || lower == "pro" || lower == "in" || lower == "tgl"
		}
		if !often {
			r.words[i].digits, r.words[i].weight, r.words[i].key = false, 0, "-einmal"
		}
	}
}

// denyGerman denies what a German negation denies: its whole clause, wherever it stands; before a participle that stands
// before its noun ("nicht genehmigte Tage") only that, behind "ohne" only the noun.
func (r *reading) denyGerman(i int) {
	n := r.words[i]
	capital := func(j int) bool { return isCapital(r.text, r.words[j].Start) }
	inClause := func(j int) bool { return j >= 0 && j < len(r.words) && r.words[j].clause == n.clause }
	if n.key == "ohne" {
		for j := i + 1; j <= r.nounBehind(i); j++ {
			r.words[j].denied++
		}
		return
	}
	next := i + 1
	if inClause(next) && r.words[next].key == "-mehr" {
		next++
	}
	if n.key == "nicht" && inClause(next+1) && r.words[next].weight > 0 && !capital(next) && capital(next+1) && attributive.MatchString(strings.ToLower(r.text[r.words[next].Start:r.words[next].End])) {
		r.words[next].denied++
		return
	}
	for j := i - 1; inClause(j); j-- {
		if r.words[j].weight < nameWeight || r.words[j].digits { // what is not used is still spoken of
			r.words[j].denied++
		}
	}
	for j := i + 1; inClause(j); j++ {
		r.words[j].denied++
	}
}

// nounBehind returns the first noun behind a German word in its clause, or the last word of the clause.
func (r *reading) nounBehind(i int) int {
	for i+1 < len(r.words) && r.words[i+1].clause == r.words[i].clause {
		if i++; isCapital(r.text, r.words[i].Start) {
			break
		}
	}
	return i
}

// isCapital reports whether a capital stands at a place of a text, as where a German noun begins.
func isCapital(text string, at int) bool {
	first, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsUpper(first)
}

var attributive = regexp.MustCompile(`(?:[td]|en|bar|ig|lich|isch)e[nrsm]?$`)

// nameWeight is the weight from which on a word may be a name, if it has no ending of other words.
const nameWeight = .8
