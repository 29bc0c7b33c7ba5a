package entail

import (
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"slices"
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
	return all
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
	return strings.ToLower(strings.Map(plainWidth, text))
}

// digitsEnd returns where a number ends, with its separators; letters and digits in one are a name instead.
func digitsEnd(text string, at int) (end int, kind markKind) {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		r = plainWidth(r)
		next, nextSize := utf8.DecodeRuneInString(text[at+size:])
		next = plainWidth(next)
		separates := r == '.' || r == ',' || r == '\'' || r == '’' || r == '\u00a0' || r == '\u202f' || r == '\u2009'
		switch {
		case isFigure(r):
		case separates && isFigure(next) && (r == '.' || threeFigures(text[at+size:])):
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
	for _, t := range lexical.Analyze(f.source) {
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
