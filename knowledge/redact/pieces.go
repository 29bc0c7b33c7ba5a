package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/vocabulary"
)

// piece is a word, a number, a Chinese character, a mark or the end of a line.
type piece struct {
	start, end int
	text       string
	lower      string
	kind       byte // 'w'ord, 'd'igits, 'h'an, 'm'ark or end of a 'l'ine
	spaced     bool // white space stands before it
}

// pieces divides a text; white space within a line belongs to none.
func pieces(text string) []piece {
	var all []piece
	spaced := true
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		end := at + size
		kind := byte('m')
		grow := func(more func(rune) bool) {
			for end < len(text) {
				next, n := utf8.DecodeRuneInString(text[end:])
				if !more(next) {
					break
				}
				end += n
			}
		}
		switch {
		case r == '\n':
			kind = 'l'
		case unicode.IsSpace(r):
			spaced, at = true, end
			continue
		case unicode.Is(unicode.Han, r):
			kind = 'h'
		case wordRune(r):
			kind = 'w'
			grow(func(r rune) bool { return wordRune(r) && !unicode.Is(unicode.Han, r) })
		case '0' <= r && r <= '9':
			kind = 'd'
			grow(func(r rune) bool { return '0' <= r && r <= '9' })
		}
		all = append(all, piece{at, end, text[at:end], strings.ToLower(text[at:end]), kind, spaced || kind == 'l'})
		spaced, at = kind == 'l', end
	}
	return all
}

// shape is how a piece is written: its length if it has digits, else where its capitals are.
func (p piece) shape() string {
	switch p.kind {
	case 'd':
		return strconv.Itoa(min(len(p.text), 9))
	case 'h':
		return "han"
	case 'm', 'l':
		return p.text
	}
	switch n := utf8.RuneCountInString(p.text); {
	case !startsUpper(p.text):
		if strings.IndexFunc(p.text, unicode.IsUpper) > 0 {
			return "xX"
		}
		return "x"
	case n == 1:
		return "X"
	case isCaps(p.text):
		return "XX" + strconv.Itoa(min(n, 6))
	case strings.IndexFunc(p.text[1:], unicode.IsUpper) >= 0:
		return "XxX"
	}
	return "Xx"
}

// word is the piece as a feature: numbers by their length, or themselves if they are short.
func (p piece) word() string {
	if p.kind == 'd' && len(p.text) > 2 {
		if len(p.text) == 4 && (p.text[:2] == "19" || p.text[:2] == "20") {
			return "year"
		}
		return strings.Repeat("0", min(len(p.text), 12))
	}
	if p.kind == 'h' {
		return lexical.Simplify(p.text)
	}
	return p.lower
}

// kinds says in one string what the lists know of a word. The same words have the same string.
func (p piece) kinds(l language) string {
	if p.kind != 'w' {
		return string(p.kind)
	}
	var b strings.Builder
	plain := unaccented(p.lower)
	lists := known()
	mark := func(is bool, c byte) {
		if is {
			b.WriteByte(c)
		}
	}
	mark(lists.given[plain], 'g')
	mark(lists.surname[plain], 's')
	mark(lists.worldGiven[plain], 'G')
	mark(lists.worldSurname[plain], 'S')
	mark(lists.towns[plain], 't')
	mark(lists.clinical[p.lower], 'c')
	mark(lists.brand[p.lower], 'b')
	mark(lists.eponym[p.lower], 'e')
	mark(titles[p.lower], 'T')
	mark(relations[p.lower], 'R')
	mark(labels[p.lower], 'L')
	mark(credentials[p.lower], 'C')
	mark(never[p.lower], 'n')
	mark(isDrug(p.lower), 'd')
	mark(particles[p.lower], 'p')
	if kind, ok := kindOf(p.lower); ok {
		b.WriteByte('k')
		b.WriteByte(kind)
	}
	b.WriteByte('0' + byte(level(p.lower, vocabulary.English)))
	if l == german {
		b.WriteByte('0' + byte(level(p.lower, vocabulary.German)))
	}
	mark(l == spanish && lists.spanish[p.lower], 'E')
	mark(!l.isWord(p.lower), '!')
	return b.String()
}

// level is how common a word is: that of its rarest term.
func level(word string, of func(string) vocabulary.Level) vocabulary.Level {
	least := vocabulary.Common
	for _, term := range lexical.Terms(word) {
		least = min(least, of(term))
	}
	return least
}

var monthWord = regexp.MustCompile(`^` + month + `$`)
var weekdayWord = regexp.MustCompile(`^` + weekday + `$`)

// context is what is known of a whole text before its pieces are described. What belongs to a piece has its number.
type context struct {
	text    string
	pieces  []piece
	kinds   []string   // see piece.kinds
	lang    []language // of its part of the text
	rules   [][]string // that found it
	class   []Class    // that they found
	certain []bool
	trusted []bool
	ruled   []bool
	run     []string // see runs
	// town has 'B' or 'L' at the beginning of a town's name of one or more words, and 'I' inside; of a village b, l and i, of an
	// organisation O, P and Q; else 0.
	town     []byte
	personal func(at int) bool
	lower    map[string]bool // words that the text has in small letters
	named    map[string]int  // words by how often a rule found them as a name
	han      map[int]han     // by the start of a character
	medicine []bool          // words of medicine that name nobody
	common   []bool          // words of the language that are no names in any list
	quantity []bool          // numbers with a unit, or behind what is measured
	sorts    []byte          // see sort
	capitals []bool          // the line is in capitals
	small    bool            // the text has no capitals to speak of
	initials map[string]bool // of the names of the text
	pair     []pair          // see findPairs
	days     map[int]bool    // see daysOf
	endings  map[string]int  // how many lines each short word ends
	ended    int             // how many lines a short word ends
	cells    map[string]int  // how often each short word is all of a cell
	// ventilated says that the text has words of ventilators.
	ventilated bool
	line       line // that is being described
}

// han is the word that a Chinese character stands in.
type han struct {
	level  vocabulary.Level
	length int
	first  bool
}

// evidence is what is known of the pieces of a text before the tagger weighs it, by piece.
type evidence struct {
	pieces   []piece
	features [][]string
	class    []Class // that a rule found
	certain  []bool  // the rule needs no other evidence
	trusted  []bool  // the rule needs little other evidence
	ruled    []bool  // in a segment of HL7, where only the rules decide
	ruleHits []hit   // what the rules found
	medicine []bool  // words of medicine
	common   []bool  // words of the language that are no names in any list
	public   []bool  // in a part of the text that is about nobody
	lang     []language
	pair     []pair // see findPairs
	// ventilated says that the text has words of ventilators.
	ventilated bool
	charted    bool   // three lines or more begin with a time of day
	hasWeeks   bool   // 2/52 and 31/40 are weeks: there is no month of such a year
	choices    string // letters of the choices of a question, each of which begins a line
}

// describe returns the evidence of a text in which rules have found hits.
func describe(text string, hits []hit, personal func(at int) bool) evidence {
	c := &context{text: text, pieces: pieces(text), personal: personal, lower: map[string]bool{}, named: map[string]int{}, han: map[int]han{}}
	n := len(c.pieces)
	c.certain, c.trusted, c.ruled = make([]bool, n), make([]bool, n), make([]bool, n)
	c.rules, c.class, c.kinds, c.lang, c.town = make([][]string, n), make([]Class, n), make([]string, n), make([]language, n), make([]byte, n)
	c.language()
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.start, b.start) })
	for _, h := range hits {
		from, _ := slices.BinarySearchFunc(c.pieces, h.start, func(p piece, at int) int { return cmp.Compare(p.end, at+1) })
		for i := from; i < n && c.pieces[i].start < h.end; i++ {
			name := string(h.class) + " " + h.rule
			if !slices.Contains(c.rules[i], name) {
				c.rules[i] = append(c.rules[i], name)
			}
			if c.class[i] == "" || h.certain() && !c.certain[i] {
				c.class[i] = h.class
			}
			c.certain[i] = c.certain[i] || h.certain() && !c.isDoses(h, from)
			c.trusted[i] = c.trusted[i] || h.class == Place && trustedPlaces[h.rule]
			if h.class == Name && c.pieces[i].kind == 'w' {
				c.named[c.pieces[i].lower]++
			}
		}
	}
	c.medicine, c.quantity, c.common = make([]bool, n), make([]bool, n), make([]bool, n)
	for i, p := range c.pieces {
		c.kinds[i] = p.kinds(c.lang[i])
		switch p.kind {
		case 'w':
			c.medicine[i] = isMedicine(p.lower)
			c.common[i] = len(p.text) > 2 && !strings.HasSuffix(c.kinds[i], "!") && !strings.ContainsAny(c.kinds[i][:1], "gsGSt")
		case 'd':
			c.quantity[i] = unitNear(text[p.end:]) || i > 0 && measured[c.pieces[i-1].text]
		}
		if p.kind == 'w' && p.text == p.lower {
			c.lower[p.lower] = true
		}
	}
	c.towns()
	c.hanMedicine()
	c.hanTowns()
	c.run = c.runs()
	c.sorts, c.capitals = make([]byte, n), c.inCapitals()
	for i, p := range c.pieces {
		if p.kind == 'w' {
			c.sorts[i] = c.sort(i)
		}
	}
	c.initials = c.initialsOf()
	c.findPairs(hits)
	c.days = daysOf(text, hits)
	c.findEndings()
	c.ventilated = ventilated.MatchString(text)
	for _, w := range vocabulary.Segment(text) {
		level, length := vocabulary.Chinese(w.Text), utf8.RuneCountInString(w.Text)
		for at := range w.Text {
			c.han[w.Start+at] = han{level, length, at == 0}
		}
	}
	features, public := make([][]string, n), make([]bool, n)
	c.line.end = -1
	for i, p := range c.pieces {
		if i > c.line.end {
			c.line = c.lineFrom(i)
		}
		features[i] = c.features(i)
		public[i] = !personal(p.start)
		c.ruled[i] = c.isSegment(c.line.start) && !c.isObservation(i, c.line.start)
		if p.endsLabel() {
			c.line.mark = i
		}
	}
	hasWeeks := (strings.Contains(text, "/52") || strings.Contains(text, "/40")) && !monthOfFifties.MatchString(text)
	return evidence{c.pieces, features, c.class, c.certain, c.trusted, c.ruled, hits, c.medicine, c.common, public, c.lang, c.pair, c.ventilated, len(hourLine.FindAllStringIndex(text, 3)) == 3, hasWeeks, choicesIn(text)}
}

// choicesIn returns the letters that begin the lines of choices: A. and B. at least, not initials.
func choicesIn(text string) string {
	letters := ""
	for _, m := range choiceLine.FindAllStringSubmatch(text, -1) {
		letters += m[1]
	}
	if !strings.Contains(letters, "A") || !strings.Contains(letters, "B") {
		return ""
	}
	return letters
}

var choiceLine = regexp.MustCompile(`(?m)^[ \t]*([A-H])[.)] \S`)

// hourLine matches the beginning of a line with a time of day.
var hourLine = regexp.MustCompile(`(?m)^[ \t|]*(?:[01]\d|2[0-3])[0-5]\d\b`)

// inCapitals marks the lines whose words are all in capitals, and notes whether the text has hardly any.
func (c *context) inCapitals() []bool {
	marked := make([]bool, len(c.pieces))
	start, capitals, small, all, upper := 0, 0, 0, 0, 0
	for i, p := range c.pieces {
		if p.kind == 'w' {
			all++
			if startsUpper(p.text) {
				upper++
			}
			if isCaps(p.text) {
				capitals++
			} else if len(p.text) > 1 {
				small++
			}
		}
		if p.kind == 'l' || i == len(c.pieces)-1 {
			for k := start; k <= i; k++ {
				marked[k] = capitals > 2 && small*3 < capitals
			}
			start, capitals, small = i+1, 0, 0
		}
	}
	c.small = all > 20 && upper*25 < all
	return marked
}

// isDoses reports whether the numbers that look like a date begin behind a word of medicine, such as the doses of an insulin
// or the values of a test: Novorapid 8/8/10; are a value or in a row of them; or say how often something is done in so many months.
func (c *context) isDoses(h hit, from int) bool {
	if h.class == Date && (isValue(c.text, h.start) || inRow(c.text, h.start, h.end) || strings.HasPrefix(c.text[h.end:], "次")) {
		return true
	}
	return h.class == Date && h.rule == "numbers" && from > 0 && c.pieces[from-1].kind == 'w' && isMedicine(c.pieces[from-1].lower) && h.end-h.start <= len("12/12/10")
}

// language finds the language of each part of the text.
func (c *context) language() {
	start, i, whole := 0, 0, smallWords(c.text)
	for start < len(c.text) {
		end := len(c.text)
		if at := blank.FindStringIndex(c.text[start:]); at != nil && at[1] > 0 {
			end = start + at[1]
		}
		l := languageIn(whole, c.text[start:end])
		for ; i < len(c.pieces) && c.pieces[i].start < end; i++ {
			c.lang[i] = l
		}
		start = end
	}
}

// towns marks the names of towns, villages and organisations of up to five words.
func (c *context) towns() {
	for i := range c.pieces {
		if c.pieces[i].kind != 'w' || !startsUpper(c.pieces[i].text) || c.town[i] != 0 {
			continue
		}
		town, firm := "", "" // organisations are listed without marks
		last, marks := -1, ""
		for k := i; k < len(c.pieces) && k < i+8; k++ {
			p := c.pieces[k]
			if p.kind != 'w' {
				if p.kind == 'd' && k > i {
					firm += " " + p.text
				} else if p.text != "-" && p.text != "." && p.text != "'" && p.text != "&" {
					break
				}
			}
			word := unaccented(p.lower)
			if k > i && p.kind == 'w' {
				if p.spaced {
					town += " "
				}
				if c.pieces[k-1].text != "'" {
					firm += " "
				}
			}
			if p.text != "'" {
				town += word
			}
			if p.kind == 'w' {
				firm += word
			}
			switch {
			case p.kind == 'w' && known().towns[town]:
				last, marks = k, "BLI"
			case p.kind == 'w' && isVillage(town):
				last, marks = k, "bli"
			case p.kind == 'w' && known().organisations[firm], k == i && isCaps(p.text) && known().organisations[p.text]:
				last, marks = k, "OPQ"
			}
		}
		for k := i; k <= last; k++ {
			c.town[k] = marks[2]
		}
		inPerson := last >= i && c.personal(c.pieces[i].start)
		if inPerson && marks[0] == 'O' {
			rule := "listed organisation"
			if last > i {
				rule += " of words"
			}
			for k := i; k <= last; k++ {
				c.rules[k] = append(c.rules[k], string(Place)+" "+rule)
				c.class[k], c.trusted[k] = cmp.Or(c.class[k], Place), c.trusted[k] || last > i
			}
		}
		if inPerson && i > 0 && towards[c.pieces[i-1].lower] && c.oneWord(i, last) {
			for k := i; k <= last; k++ {
				c.rules[k] = append(c.rules[k], string(Place)+" town behind a preposition")
				c.class[k], c.trusted[k] = cmp.Or(c.class[k], Place), true
			}
		}
		if last >= i {
			c.town[i] = marks[0]
			if last > i {
				c.town[i] = marks[1]
			}
		}
	}
}

// towards are prepositions that stand before towns.
var towards = plaintext.Set(`from in at to near via aus nach bei en desde von zu hacia outside`)

// oneWord reports whether what the pieces say is no word of the language but the name of a place.
func (c *context) oneWord(first, last int) bool {
	for k := first; k <= last; k++ {
		if p := c.pieces[k]; p.kind == 'w' && (isWord(p.lower) || countries[p.lower] || monthWord.MatchString(p.text)) {
			return first < last && c.town[k] != 'O'
		}
	}
	return true
}

// hanMedicine marks the words of medicine in Chinese, of up to eight characters.
func (c *context) hanMedicine() {
	for i := 0; i < len(c.pieces); i++ {
		end := i
		for end < len(c.pieces) && end < i+8 && c.pieces[end].kind == 'h' && (end == i || !c.pieces[end].spaced) {
			end++
		}
		for ; end > i+1; end-- {
			if known().clinical[c.text[c.pieces[i].start:c.pieces[end-1].end]] {
				for k := i; k < end; k++ {
					c.medicine[k] = true
				}
				i = end - 1
				break
			}
		}
	}
}

// hanTowns marks the names of cities and townships in Chinese, of up to eight characters.
func (c *context) hanTowns() {
	for i := 0; i < len(c.pieces); i++ {
		end := i
		for end < len(c.pieces) && end < i+8 && c.pieces[end].kind == 'h' && (end == i || !c.pieces[end].spaced) {
			end++
		}
		for ; end > i+1; end-- {
			name, mark := c.text[c.pieces[i].start:c.pieces[end-1].end], byte('C')
			if !known().chineseTowns[name] {
				if mark = 'T'; !known().townships[name] {
					continue
				}
			}
			for k := i; k < end; k++ {
				c.town[k] = mark
				mark |= 0x20 // a small letter for what goes on
			}
			i = end - 1
			break
		}
	}
}

// at returns a piece, or an end of a line beyond the ends of the text.
func (c *context) at(i int) piece {
	if i < 0 || i >= len(c.pieces) {
		return piece{text: "\n", lower: "\n", kind: 'l'}
	}
	return c.pieces[i]
}

func (c *context) kindsAt(i int) string {
	if i < 0 || i >= len(c.pieces) {
		return "l"
	}
	return c.kinds[i]
}

var (
	// institutions end, or begin, the names of places and firms.
	institutions   = plaintext.Set(institutionWords)
	institutionHan = listed(chineseInstitutions)
)

// institutionEndings end German compounds for institutions.
var institutionEndings = strings.Fields(`klinik klinikum spital krankenhaus zentrum praxis pflegeheim wohnheim seniorenheim altenheim stift verwaltung schule gymnasium apotheke straße strasse gasse platz allee brücke amt gericht anstalt werkstatt kirche kapelle werke haus`)

// isInstitution reports whether a word in small letters names a kind of place or firm.
func isInstitution(word string) bool {
	return institutions[word] || slices.ContainsFunc(institutionEndings, func(ending string) bool {
		return len(word) > len(ending)+3 && strings.HasSuffix(word, ending)
	})
}

// runs describes the run of capitalised words that each piece is in: a name of a place or a firm has a word for its kind.
func (c *context) runs() []string {
	described := make([]string, len(c.pieces))
	for i := 0; i < len(c.pieces); i++ {
		if c.pieces[i].kind != 'w' || !startsUpper(c.pieces[i].text) {
			continue
		}
		end, words, kind := i+1, 1, ""
		note := func(p piece) {
			if isInstitution(p.lower) {
				kind = "I"
			}
		}
		note(c.pieces[i])
		for k := i + 1; k < len(c.pieces) && k < end+3; k++ {
			p := c.pieces[k]
			if p.kind == 'w' && startsUpper(p.text) {
				end = k + 1
				words++
				note(p)
				continue
			}
			if p.kind == 'l' || p.kind == 'd' || p.kind == 'h' || p.kind == 'm' && !strings.Contains("&-'.", p.text) || p.kind == 'w' && !particles[p.lower] && p.lower != "of" && p.lower != "the" && p.lower != "and" && p.lower != "s" && p.lower != "for" {
				break
			}
		}
		for k := i; k < end; k++ {
			described[k] = kind + strconv.Itoa(min(words, 4))
		}
		i = end - 1
	}
	return described
}

// mostHan is the length of the longest kind of Chinese place, in characters.
const mostHan = 8

// institutionBehind returns how many characters of a Chinese text stand between a piece and the next word for a kind of
// place, and that word.
func (c *context) institutionBehind(i int) (distance int, kind string) {
	at := c.pieces[i].start
	for distance < 8 && at < len(c.text) {
		rest := c.text[at:]
		end := 0
		for n := 0; n < mostHan && end < len(rest); n++ {
			_, size := utf8.DecodeRuneInString(rest[end:])
			if end += size; institutionHan[rest[:end]] {
				return distance, rest[:end]
			}
		}
		r, size := utf8.DecodeRuneInString(rest)
		if !unicode.Is(unicode.Han, r) && !unicode.IsDigit(r) {
			return 0, ""
		}
		at += size
		distance++
	}
	return 0, ""
}

// line is what the pieces of one line have in common.
type line struct {
	start, end int  // the first piece and the last
	mark       int  // the last mark behind a label before the piece that is described; -1 if there is none
	capitals   bool // it is written in capitals
	small      bool // it has letters, and none is a capital
	row        bool // it is a segment of HL7 or a row of a table
}

// lineFrom returns the line that begins with a piece.
func (c *context) lineFrom(start int) line {
	l := line{start: start, end: start, mark: -1}
	for l.end < len(c.pieces)-1 && c.pieces[l.end].kind != 'l' {
		l.end++
	}
	capitals, small := 0, 0
	for _, p := range c.pieces[l.start : l.end+1] {
		if p.kind == 'w' {
			if isCaps(p.text) {
				capitals++
			} else if p.text == p.lower {
				small++
			}
		}
	}
	written := c.text[c.pieces[l.start].start:c.pieces[l.end].end]
	l.capitals = capitals > 2 && small == 0
	l.small = capitals == 0 && small > 0 && !strings.ContainsFunc(written, unicode.IsUpper)
	l.row = rowStart.MatchString(written)
	return l
}

// endsLabel reports whether a piece is a mark that stands behind labels.
func (p piece) endsLabel() bool {
	switch p.text {
	case ":", "|", "=", "\t", "：":
		return true
	}
	return false
}

// isSegment reports whether the line that begins with a piece is a segment of HL7 with fields of known meaning.
func (c *context) isSegment(i int) bool {
	name := c.pieces[i].text
	return segments[name] != nil && c.at(i+1).text == "|" && !c.at(i+1).spaced
}

// isObservation reports whether a piece of a segment of HL7 is in the value of an observation that is text, where anything may stand.
func (c *context) isObservation(i, start int) bool {
	if c.pieces[start].text != "OBX" {
		return false
	}
	bars := 0
	for k := start; k < i; k++ {
		if c.pieces[k].text == "|" {
			bars++
		}
		if bars > 5 || bars == 2 && c.pieces[k].kind == 'w' && c.pieces[k].text != "TX" && c.pieces[k].text != "FT" && c.pieces[k].text != "ST" {
			return false
		}
	}
	return bars == 5
}

// rowStart matches the beginning of a segment of HL7, and a row whose cells commas divide.
var rowStart = regexp.MustCompile(`^(?:[A-Z][A-Z0-9]{2}\||\d*[",][^\n]*[",])`)
