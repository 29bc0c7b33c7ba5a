package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// What the tagger sees of a piece. Features of single words learn the notes that it is trained on; those of what lists,
// letters and layout say of a word and its neighbours hold for others, too.

// features returns the features of a piece of the line that is described.
func (c *context) features(i int) []string {
	p := c.pieces[i]
	f := make([]string, 0, 64)
	add := func(parts ...string) { f = append(f, strings.Join(parts, "")) }
	shape, kinds := p.shape(), c.kinds[i]
	personal := "0"
	if c.personal(p.start) {
		personal = "1"
	}
	add("1")
	add("w ", p.word())
	add("s ", shape)
	add("k ", kinds)
	add("sk ", shape, " ", kinds)
	add("ps ", personal, shape)
	add("pk ", personal, " ", kinds)
	add("l ", strconv.Itoa(int(c.lang[i])), shape)
	f = append(f, c.backedOff(i, shape, personal)...)
	if p.kind == 'w' {
		r := []rune(p.lower)
		for n := 2; n <= 4 && n < len(r); n++ {
			add("< ", string(r[:n]))
			add("> ", string(r[len(r)-n:]))
		}
		for _, k := range kinds {
			add("kind ", string(k), shape)
		}
		if isInstitution(p.lower) {
			add("institution ", shape)
		}
		if c.lower[p.lower] && shape != "x" {
			add("small elsewhere ", personal)
		}
		if strings.Contains(kinds, "0") { // no everyday word
			if looks := looksLike(unaccented(p.lower)); looks != "" {
				add("looks ", looks)
				add("looks ", looks, " ", shape)
				add("looks ", looks, " ", personal, kinds)
			}
		}
		others := c.named[p.lower]
		if c.class[i] == Name {
			others--
		}
		if others > 0 {
			add("name elsewhere")
			add("name elsewhere ", shape, kinds[max(0, len(kinds)-1):])
		}
	}
	if c.town[i] != 0 {
		add("town ", string(c.town[i]))
		add("town ", string(c.town[i]), " ", c.at(i-1).lower)
		add("town ", string(c.town[i]), " behind ", c.at(i+1).lower)
	}
	switch {
	case p.kind == 'w' && monthWord.MatchString(p.text):
		add("month ", shape)
	case p.kind == 'w' && weekdayWord.MatchString(p.text):
		add("weekday ", shape)
	case p.kind == 'd' && len(p.text) <= 2:
		n, _ := strconv.Atoi(p.text)
		switch {
		case n >= 1 && n <= 12:
			add("number of a month")
		case n <= 31:
			add("number of a day")
		case n >= 90 && c.at(i+1).text != "." && c.at(i+1).text != "%":
			add("great age ", string(c.sortOf(i-1)), gapBehind(c.text, p.end))
			add("great age ", c.at(i+1).lower)
			if c.class[max(0, i-1)] == Name || c.class[max(0, i-2)] == Name {
				add("great age behind a name ", string(c.sortOf(i+1)))
			}
		}
	}
	if p.kind == 'd' && len(p.text) <= 2 && c.pair[i].month == "" && len(c.days) > 0 {
		if n := number(p.text); n >= 1 && n <= 31 {
			near, rule := c.nearDay(n), "-"
			if c.class[i] == Date {
				rule = "+"
			}
			add("day ", near, rule, " > ", c.at(i+1).word())
			add("day ", near, rule, " < ", c.at(i-1).word())
			add("day ", near, " ", string(c.sortOf(i-1)), string(c.sortOf(i+1)), string(c.sortOf(i+2)))
		}
	}
	if h, ok := c.han[p.start]; ok {
		if c.medicine[i] {
			add("han medicine")
		}
		add("word of ", strconv.Itoa(h.length), " ", strconv.Itoa(int(h.level)))
		self, next, last := p.word(), c.at(i+1).word(), c.at(i-1).word()
		if known().worldSurname[self] {
			add("surname")
			if h.first {
				add("surname first ", strconv.Itoa(min(h.length, 3)))
			}
		}
		if known().worldGiven[self] {
			add("given")
		}
		add("2 ", self, next)
		add("2- ", last, self)
		if c.at(i-1).kind == 'h' {
			add("3- ", c.at(i-2).word(), last)
			if known().worldSurname[last] {
				add("behind surname ", strconv.Itoa(h.length), strconv.Itoa(int(h.level)))
			}
			if known().worldSurname[c.at(i-2).word()] {
				add("second behind surname ", strconv.Itoa(h.length), strconv.Itoa(int(h.level)))
			}
		}
		if c.at(i+1).kind == 'h' {
			add("3+ ", next, c.at(i+2).word())
		}
	}
	for _, rule := range c.rules[i] {
		add("rule ", rule)
		add("rule ", rule, " ", personal)
		add("rule ", rule, " ", shape)
		if p.kind == 'w' {
			add("rule ", rule, " ", kinds)
		}
	}
	if len(c.rules[i]) == 0 {
		add("no rule ", shape)
		add("no rule ", personal, kinds)
	} else {
		add("rules ", strconv.Itoa(len(c.rules[i])))
	}
	for _, d := range []int{-3, -2, -1, 1, 2, 3} {
		o, at := c.at(i+d), strconv.Itoa(d)
		add("w", at, " ", o.word())
		if d >= -2 && d <= 2 {
			add("s", at, " ", o.shape(), " ", shape)
			add("k", at, " ", c.kindsAt(i+d))
			add("k", at, " ", c.kindsAt(i+d), " ", shape)
			if i+d >= 0 && i+d < len(c.pieces) {
				if class := c.class[i+d]; class != "" {
					add("class", at, " ", string(class))
					add("class", at, " ", string(class), " ", shape)
				}
				if o.kind == 'w' && isInstitution(o.lower) {
					add("institution", at, " ", shape)
				}
				if c.town[i+d] != 0 {
					add("town", at)
					add("town", at, string(c.town[i+d]), " ", shape)
				}
			}
		}
	}
	medicine := c.medicineNear(i)
	add("medicine ", medicine)
	add("medicine ", medicine, " ", shape)
	if p.kind == 'w' {
		add("medicine ", medicine, " ", kinds)
		add("item ", c.itemNear(i, -1), c.itemNear(i, 1))
		add("item ", c.itemNear(i, -1), c.itemNear(i, 1), " ", shape)
	}
	if p.kind == 'd' {
		numbers := c.numbersNear(i)
		add("numbers ", numbers)
		add("numbers ", numbers, " ", shape)
		if standsAlone(c.pieces, i) {
			add("alone ", shape)
			add("alone ", shape, " numbers ", numbers)
			add("alone ", shape, " behind ", c.kindsAt(i-1))
		}
	}
	before, behind := c.at(i-1), c.at(i+1)
	add("w-1+1 ", before.word(), " ", behind.word())
	add("w-2-1 ", c.at(i-2).word(), " ", before.word())
	add("w+1+2 ", behind.word(), " ", c.at(i+2).word())
	add("s-1+1 ", before.shape(), " ", shape, " ", behind.shape())
	add("s-2-1 ", c.at(i-2).shape(), " ", before.shape(), " ", shape)
	add("s+1+2 ", shape, " ", behind.shape(), " ", c.at(i+2).shape())
	f = append(f, c.pairFeatures(i)...)
	if p.kind == 'w' {
		f = append(f, c.signing(i)...)
		if noun := c.namedAfter(i); noun != "" {
			add("names ", noun)
			add("names ", noun, " ", shape)
			add("names ", noun, " ", kinds)
		}
	}
	if run := c.run[i]; run != "" {
		add("run ", run)
		add("run ", run, " ", kinds)
		add("run ", run, " ", personal)
		add("run ", run, " w-1 ", before.word())
		if i > 0 && c.run[i-1] == "" {
			add("run begins ", run, " ", shape)
		}
	}
	if p.kind == 'h' || p.kind == 'd' {
		if distance, kind := c.institutionBehind(i); kind != "" {
			add("before ", kind)
			add("before ", kind, " ", strconv.Itoa(distance))
			add("before a kind ", strconv.Itoa(distance), shape)
		}
	}
	if !p.spaced {
		add("joined ", shape)
	}
	if i < len(c.pieces)-1 && !behind.spaced {
		add("joins ", shape)
	}
	if c.line.row {
		add("segment ", strconv.FormatBool(len(c.rules[i]) > 0))
		add("segment ", strconv.FormatBool(len(c.rules[i]) > 0), " ", shape)
	}
	f = append(f, c.lineFeatures(i, shape)...)
	if p.kind == 'd' && unitNear(c.text[p.end:]) {
		add("unit")
	}
	return f
}

// medicineNear says how many of the words within eight pieces of the same line are medicine, in four steps.
func (c *context) medicineNear(i int) string {
	words, medicine := 0, 0
	for _, step := range []int{-1, 1} {
		for k := i + step; k >= 0 && k < len(c.pieces) && k >= i-8 && k <= i+8 && c.pieces[k].kind != 'l'; k += step {
			switch c.pieces[k].kind {
			case 'w', 'h':
				words++
				if c.medicine[k] {
					medicine++
				}
			case 'd':
				if c.quantity[k] {
					medicine++
				}
			}
		}
	}
	switch {
	case medicine == 0:
		return "0"
	case medicine == 1:
		return "1"
	case medicine*3 < words:
		return "some"
	}
	return "much"
}

// itemNear says what the next word before or behind a piece is, over marks: medicine, a name or neither.
func (c *context) itemNear(i, step int) string {
	for k := i + step; k >= 0 && k < len(c.pieces) && k >= i-4 && k <= i+4; k += step {
		p := c.pieces[k]
		switch {
		case p.kind == 'l':
			return "l"
		case p.kind == 'd':
			if c.quantity[k] {
				return "q"
			}
			return "d"
		case p.kind == 'w' && c.medicine[k]:
			return "m"
		case p.kind == 'w' && startsUpper(p.text):
			if c.class[k] == Name || strings.ContainsAny(c.kinds[k], "gGT") {
				return "n"
			}
			return "U"
		case p.kind == 'w':
			return "w"
		}
	}
	return "-"
}

// numbersNear says how many other numbers stand in the line within twelve pieces, in four steps.
func (c *context) numbersNear(i int) string {
	n := 0
	for _, step := range []int{-1, 1} {
		for k := i + step; k >= 0 && k < len(c.pieces) && k >= i-12 && k <= i+12 && c.pieces[k].kind != 'l'; k += step {
			if c.pieces[k].kind == 'd' {
				n++
			}
		}
	}
	switch {
	case n < 2:
		return strconv.Itoa(n)
	case n < 5:
		return "some"
	}
	return "many"
}

// standsAlone reports whether a number is joined to no other by a mark.
func standsAlone(all []piece, i int) bool {
	joined := func(mark, other int) bool {
		return mark >= 0 && other >= 0 && mark < len(all) && other < len(all) && all[mark].kind == 'm' && all[other].kind == 'd' && !all[max(mark, other)].spaced
	}
	return !(!all[i].spaced && joined(i-1, i-2) && !all[i-1].spaced) && !(i+2 < len(all) && !all[i+1].spaced && joined(i+1, i+2))
}

// lineFeatures returns the features of the line around a piece: its label, its length and its place.
func (c *context) lineFeatures(i int, shape string) []string {
	var f []string
	if k := c.line.mark; k >= 0 {
		if name := c.labelBefore(k, c.line.start); name != "" {
			f = append(f, "label "+name, "label "+name+" "+shape)
			if kind, ok := kindOf(name); ok {
				f = append(f, "label of "+string(kind)+" "+shape)
			}
		}
		f = append(f, "behind label by "+strconv.Itoa(min(i-k, 5)))
	}
	length := "long"
	switch n := c.line.end - c.line.start; {
	case n <= 3:
		length = "3"
	case n <= 8:
		length = "8"
	}
	place := "mid"
	switch {
	case i == c.line.start:
		place = "first"
	case i >= c.line.end-1:
		place = "last"
	}
	f = append(f, "line "+length+" "+place+" "+shape)
	if c.line.start == 0 {
		f = append(f, "first line "+shape)
	}
	if c.line.end >= len(c.pieces)-1 {
		f = append(f, "last line "+shape)
	}
	switch {
	case c.line.capitals:
		f = append(f, "line in capitals "+shape)
	case c.line.small:
		f = append(f, "line without capitals")
	}
	return f
}

// labelBefore returns the words of a label that ends before a piece, at most three, or six characters.
func (c *context) labelBefore(end, start int) string {
	from := end
	for from > start && end-from < 3 && c.pieces[from-1].kind == 'w' {
		from--
	}
	if from == end {
		for from > start && end-from < 6 && c.pieces[from-1].kind == 'h' {
			from--
		}
	}
	if from == end {
		return ""
	}
	return strings.ToLower(c.text[c.pieces[from].start:c.pieces[end-1].end])
}

// sortOf is what a piece is, in one letter: of a word what matters most of all that the lists know.
func (c *context) sortOf(i int) byte {
	p := c.at(i)
	if p.kind != 'w' {
		switch {
		case p.kind != 'm':
			return p.kind
		case strings.Contains(":=|", p.text):
			return ':'
		case strings.Contains(".!?;", p.text):
			return '.'
		case strings.Contains(",", p.text):
			return ','
		case strings.Contains("()[]\"", p.text):
			return '('
		case strings.Contains("/&+", p.text):
			return '/'
		}
		return '-'
	}
	return c.sorts[i]
}

// sort finds the letter of a word.
func (c *context) sort(i int) byte {
	p, kinds := c.pieces[i], c.kinds[i]
	has := func(letters string) bool { return strings.ContainsAny(kinds, letters) }
	upper := startsUpper(p.text)
	word := !strings.HasSuffix(kinds, "!")
	named := has("gG")
	family := has("sS")
	switch {
	case coreTitles[p.lower]:
		return 'T'
	case titles[p.lower] && p.lower != "med" && p.lower != "sw" && p.lower != "op":
		return 'I'
	case relations[p.lower]:
		return 'R'
	case persons[p.lower]:
		return 'P'
	case placeCues[p.lower]:
		return 'i'
	case byCues[p.lower]:
		return 'y'
	case speech[p.lower]:
		return 'v'
	case upper && isInstitution(p.lower):
		return 'H'
	case isCaps(p.text) && credentials[p.lower]:
		return 'C'
	case c.medicine[i]:
		return 'm'
	case never[p.lower] || functionWords[p.lower] || particles[p.lower]:
		return 'f'
	case monthWord.MatchString(p.text) || weekdayWord.MatchString(p.text) && len(p.text) > 2:
		return 'D'
	case !upper && !word:
		if named || family {
			return 'n'
		}
		return 'u'
	case !upper:
		return 'x'
	case isCaps(p.text) && len(p.text) <= 4 && !c.capitals[i]:
		return 'A'
	case named && family && !word:
		return 'B'
	case named && !word:
		return 'G'
	case family && !word:
		return 'S'
	case named:
		return 'g'
	case (c.town[i] == 'O' || c.town[i] == 'P' || c.town[i] == 'Q') && !word:
		return 'F'
	case c.town[i] != 0 && !word:
		return 't'
	case family:
		return 's'
	case word:
		return 'W'
	case len(p.text) == 1:
		return '1'
	}
	return 'U'
}

var (
	placeCues = plaintext.Set(`barrio vereda corregimiento colonia localidad municipio comuna pueblo cerca arbeitet beschäftigt empleado empleada estudia employed schools attends from at near via nr to in lives living resides residing moved transferred transfer admitted referred visiting born based works working aus nach bei wohnhaft wohnt lebt verlegt en desde vive reside trabaja hacia procedente natural traslado trasladado domicilio outside opposite opp off between`)
	byCues    = plaintext.Set(`transcribed transcrito transcribió iniciales vis vidiert sd schreibkraft schreibdienst enf elab rec recibe entrega entrego scribed countersigned chk chkd verified sig sign hz hdz kürzel by per d/w dw s/b rv signed typed dictated author attending provider nurse initials gez durch por firma firmó elaboró realizó atiende dict trans auth cosigned entered seen reviewed called witnessed checked counted cc cons consultant reg registrar operator scribe`)
	speech    = plaintext.Set(`said says rang called phoned asked asks wants told reports texted emailed agreed agrees lives thinks feels brought visited met stated stayed will came went sagt sagte meint möchte bittet ruft rief gibt berichtet kommt dice dijo refiere pide llama llamó quiere avisa vino`)
)

// backedOff returns the features of the sorts of a piece and its neighbours, of the layout, and of the names of the text.
func (c *context) backedOff(i int, shape, personal string) []string {
	p := c.pieces[i]
	var f []string
	add := func(parts ...string) { f = append(f, strings.Join(parts, "")) }
	s := make([]byte, 7)
	for d := -3; d <= 3; d++ {
		s[d+3] = c.sortOf(i + d)
	}
	add("o ", string(s[3]))
	add("o ", string(s[3]), personal)
	add("o-1 ", string(s[2:4]))
	add("o+1 ", string(s[3:5]))
	add("o-1+1 ", string(s[2:5]))
	add("o-2 ", string(s[1:4]))
	add("o+2 ", string(s[3:6]))
	add("o-2+2 ", string(s[1:6]))
	add("o-3 ", string(s[0:4]))
	add("o+3 ", string(s[3:7]))
	if c.small && p.kind == 'w' {
		add("small text ", string(s[3]))
		add("small text ", string(s[2:5]))
	}
	before, behind := gapBefore(c.text, p.start), gapBehind(c.text, p.end)
	add("gaps ", before, behind, " ", shape)
	add("gaps ", before, behind, " ", string(s[2:5]))
	if p.kind == 'w' && len(p.text) <= 5 {
		if c.initials[p.lower] {
			add("initials of a name ", shape)
			add("initials of a name ", string(s[2:5]))
		} else if isCaps(p.text) {
			add("no initials ", string(s[2:5]))
		}
	}
	return f
}

// maxInitials is the length of the longest initials, in bytes.
const maxInitials = 5

// isShort reports whether a piece may be the initials of somebody: a few letters that are no unit and no word of medicine.
func (c *context) isShort(i int) bool {
	p := c.at(i)
	return p.kind == 'w' && len(p.text) > 1 && len(p.text) <= maxInitials && !c.medicine[i] && !unitNear(p.text) && !functionWords[p.lower]
}

// isCell reports whether a word is all of a cell of a table, or all but a time of day.
func (c *context) isCell(i int) bool {
	before, behind := gapBefore(c.text, c.pieces[i].start), gapBehind(c.text, c.pieces[i].end)
	opens := strings.Contains("lL2", before) || strings.Contains("|/\t", c.at(i-1).text) || c.at(i-1).kind == 'd' && c.at(i-2).text == ":"
	closes := strings.Contains("l2E", behind) || strings.Contains("|/\t", c.at(i+1).text)
	return opens && closes
}

// findEndings counts the lines that end with a short word, and the cells that have nothing else: a chart has the initials of
// who wrote it there.
func (c *context) findEndings() {
	c.endings, c.cells = map[string]int{}, map[string]int{}
	for i, p := range c.pieces {
		if p.kind == 'w' && len(p.text) > 1 && len(p.text) <= maxInitials && c.isCell(i) {
			c.cells[p.text]++
		}
		if c.at(i+1).kind == 'l' && c.isShort(i) {
			c.endings[c.pieces[i].lower]++
			c.ended++
		}
	}
}

// signing returns the features of a short word where initials stand: at the ends of lines, and with a slash or a colon
// between those of two.
func (c *context) signing(i int) []string {
	p, sort := c.pieces[i], string(c.sortOf(i))
	var cells []string
	if n := c.cells[p.text]; n > 0 && p.kind == 'w' {
		cells = append(cells, "cell "+strconv.Itoa(min(n, 4))+" "+sort+" "+p.shape())
		if c.initials[p.lower] {
			cells = append(cells, "cell of initials "+strconv.Itoa(min(n, 4)))
		}
		if c.isCell(i) {
			cells = append(cells, "cell here "+strconv.Itoa(min(n, 4))+" "+sort)
		}
	}
	if !c.isShort(i) {
		return cells
	}
	is := func(k int) string {
		if c.initials[c.at(k).lower] {
			return "+"
		}
		return "-"
	}
	f := cells
	if n := c.endings[p.lower]; n > 0 {
		at := "elsewhere "
		if c.at(i+1).kind == 'l' {
			at = ""
		}
		f = append(f, "ends lines "+at+strconv.Itoa(min(n, 3))+" "+sort, "ends lines "+at+strconv.Itoa(min(n, 3))+" "+sort+is(i),
			"lines end so "+at+strconv.Itoa(min(c.ended, 4))+" "+sort+" "+gapBefore(c.text, p.start))
	}
	for _, step := range []int{-1, 1} {
		if mark := c.at(i + step); strings.Contains("/:·", mark.text) && c.isShort(i+2*step) {
			f = append(f, "short beside short "+sort, "short beside short "+sort+string(c.sortOf(i+2*step))+is(i)+is(i+2*step))
			break
		}
	}
	return f
}

// namedAfter returns what is named after the person or the town of a word, as in the Caplan syndrome, Winter's
// classification or the IRS nach Remmele: the noun behind it or before it; "" if there is none.
func (c *context) namedAfter(i int) string {
	if !startsUpper(c.pieces[i].text) {
		return ""
	}
	for k := i + 1; k <= i+4; k++ {
		o := c.at(k)
		if namedNouns[o.lower] {
			return "behind"
		}
		if o.kind == 'w' && !startsUpper(o.text) && o.lower != "s" || o.kind == 'd' || o.kind == 'l' || o.kind == 'm' && !strings.Contains("-'’/", o.text) {
			break
		}
	}
	for k := i - 1; k >= i-4; k-- {
		o := c.at(k)
		if namedNouns[o.lower] {
			return "before"
		}
		if o.kind == 'w' && !startsUpper(o.text) && !particles[o.lower] && o.lower != "nach" && o.lower != "n" && o.lower != "according" && o.lower != "to" && o.lower != "según" || o.kind == 'd' || o.kind == 'l' || o.kind == 'm' && !strings.Contains("-.", o.text) {
			break
		}
	}
	return ""
}

// namedNouns are what people and towns give their names to.
var namedNouns = plaintext.Set(`score scores scale scales criteria criterion classification class grade grading stage staging sign signs test tests testing law syndrome disease phenomenon phenomena capsule formula equation method index type types procedure technique position incision approach repair stain staining agar catheter tube drain clamp forceps retractor needle line port filter lead valve graft stent plate nail screw splint brace collar frame bandage cyst body bodies cell cells node nodes nodule ring triad tetrad pentad reflex maneuver manoeuvre murmur gland duct canal space line lines layer membrane ligament fascia tendon muscle nerve ganglion tumor tumour sarcoma lymphoma anaemia anemia palsy paralysis chorea contracture fracture dislocation deformity disorder dementia ataxia neuropathy dystrophy hernia ulcer oesophagus esophagus fever rash spots lesion nails facies chart charts curve table tables speculum scissors hook tape dressing operation operative osteotomy arthroplasty fundoplication pouch loop flap suture sutures knot maneuvre solution dilution reagent reaction antigen antibody nomogram scan view views projection inventory questionnaire examination exam battery checklist rules rule protocol regimen trial trials study diet effect
		klassifikation einteilung stadium grad typ zeichen test syndrom krankheit morbus reflex schema formel skala score index nerv drainage schnitt zugang operation anastomose fraktur luxation zyste probe lagerung manöver färbung kriterien regel
		escala clasificación criterios signo test prueba índice fórmula síndrome enfermedad maniobra reflejo grado estadio tipo técnica incisión operación cesárea sonda drenaje tinción mal quiste fractura`)

// gapBefore says what white space stands before a place: nothing, one space, more, or the beginning of a line.
func gapBefore(text string, at int) string {
	trimmed := strings.TrimRight(text[:at], " \t")
	switch n := at - len(trimmed); {
	case trimmed == "" || trimmed[len(trimmed)-1] == '\n':
		if n > 6 {
			return "L"
		}
		return "l"
	case n == 0:
		return "0"
	case n == 1:
		return "1"
	}
	return "2"
}

// gapBehind is gapBefore for what stands behind.
func gapBehind(text string, at int) string {
	trimmed := strings.TrimLeft(text[at:], " \t")
	switch n := len(text) - at - len(trimmed); {
	case trimmed == "":
		return "E"
	case trimmed[0] == '\n':
		return "l"
	case n == 0:
		return "0"
	case n == 1:
		return "1"
	}
	return "2"
}

// initialsOf returns the initials of all runs of capitalised words that may be names, in lower case.
func (c *context) initialsOf() map[string]bool {
	found := map[string]bool{}
	run, likely := []string{}, false
	flush := func() {
		if len(run) >= 2 && len(run) <= 5 && likely {
			all := ""
			for _, w := range run {
				r, _ := utf8.DecodeRuneInString(w)
				all += string(unicode.ToLower(r))
			}
			found[all] = true
			first, _ := utf8.DecodeRuneInString(run[0])
			last, _ := utf8.DecodeRuneInString(run[len(run)-1])
			found[string(unicode.ToLower(first))+string(unicode.ToLower(last))] = true
			found[string(unicode.ToLower(last))+string(unicode.ToLower(first))] = true
		}
		run, likely = run[:0], false
	}
	for i, p := range c.pieces {
		switch {
		case p.kind == 'w' && startsUpper(p.text) && !c.medicine[i] && !titles[p.lower] && !credentials[p.lower]:
			run = append(run, p.text)
			likely = likely || c.class[i] == Name || strings.ContainsAny(c.kinds[i], "gG")
		case p.kind == 'w' && particles[p.lower] && len(run) > 0, p.text == "-", p.text == "'", p.text == "." && len(run) > 0 && len(run[len(run)-1]) == 1, p.text == "," && len(run) == 1:
		default:
			flush()
		}
	}
	flush()
	return found
}
