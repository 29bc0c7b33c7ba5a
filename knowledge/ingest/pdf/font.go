package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// font maps the codes of a font to text and widths.
type font struct {
	simple   bool // codes are single bytes
	letters  encoding
	advances [256]float64 // of a simple font, in thousandths of the size

	toUnicode    *cmap
	codes        *cmap    // an embedded CMap; nil if every code has two bytes
	charset      *charset // a predefined CMap
	file         fontFile
	cidToGID     []byte
	identity     bool            // a CID without text is its own character
	opaque       bool            // a predefined CMap that we do not have: only ToUnicode says what codes mean
	widths       map[int]float64 // by CID
	defaultWidth float64
	cache        map[code]string
	ordering     string // of its CIDs, if Adobe defines it
	dingbats     bool
	wingdings    bool // it draws signs, whatever its codes are said to be

	// scale multiplies the widths; 1 except in Type 3 fonts.
	scale float64
	// height is the apparent size of letters of size 1; 1 except in Type 3 fonts.
	height   float64
	vertical bool
	bold     bool
	symbolic bool
	// nonsymbolic says that the font's flags say so. A font without flags is neither.
	nonsymbolic bool
	// drawn says that it is a Type 3 font without ToUnicode, whose letters are guessed from codes and names.
	drawn bool
	shown map[string]int // how often a drawn font shows each text
	// unreadable says that what a drawn font shows cannot be text. Its codes have no letters.
	unreadable bool
}

const (
	maxWidths     = 1 << 17
	symbolFlag    = 1 << 2
	nonsymbolFlag = 1 << 5
	boldFlag      = 1 << 18
)

// newFont reads a font dictionary and fills what it lacks with the defaults of the specification.
func newFont(f *file, d dict) *font {
	t := &font{scale: 1, height: 1, cache: map[code]string{}}
	if d["ToUnicode"] != nil {
		t.toUnicode = parseCMap(f, d["ToUnicode"], 0)
	}
	if f.name(d["Subtype"]) == "Type0" {
		t.readComposite(f, d)
	} else {
		t.readSimple(f, d)
	}
	return t
}

// readDescriptor reads from the font's descriptor whether it is bold and symbolic.
func (t *font) readDescriptor(f *file, descriptor dict, baseFont name) {
	number, _ := f.number(descriptor["Flags"])
	flags := int(number)
	weight, _ := f.number(descriptor["FontWeight"])
	lower := strings.ToLower(string(baseFont))
	t.bold = flags&boldFlag != 0 || weight >= 600
	t.wingdings = strings.Contains(lower, "wingdings") || strings.Contains(lower, "webdings")
	for _, sign := range []string{"bold", "black", "heavy", "semibd", "demi", "cmbx", "sfbx"} {
		t.bold = t.bold || strings.Contains(lower, sign)
	}
	t.symbolic, t.nonsymbolic = flags&symbolFlag != 0, flags&nonsymbolFlag != 0
}

// readSimple reads a simple font.
func (t *font) readSimple(f *file, d dict) {
	t.simple = true
	subtype, baseFont, descriptor := f.name(d["Subtype"]), f.name(d["BaseFont"]), f.dict(d["FontDescriptor"])
	t.readDescriptor(f, descriptor, baseFont)
	standard := standardFont(baseFont)
	t.dingbats = strings.Contains(strings.ToLower(string(baseFont)), "dingbat")
	if len(descriptor) > 0 && t.needsFontFile(f, d) {
		t.file = readFontFile(f, descriptor)
	}
	t.readEncoding(f, d["Encoding"], subtype, standard)
	if t.toUnicode != nil {
		for c := range t.letters {
			if s := t.toUnicode.text(code{uint32(c), 1}); hasText(s) || s != "" && t.letters[c] == "" {
				t.letters[c] = s
			}
		}
	}
	for c := range t.letters {
		if t.wingdings && c > ' ' && t.letters[c] != "" && !isSign(t.letters[c]) {
			t.letters[c] = string(wingding(byte(c)))
		}
		t.letters[c] = t.displayText(t.letters[c], standard)
	}
	if subtype == "Type3" { // whose glyphs may have any name
		t.drawn, t.shown = t.toUnicode == nil, map[string]int{}
		for c := '!'; c <= '~'; c++ {
			if t.letters[c] == "" {
				t.letters[c] = string(c)
			}
		}
	}
	t.readWidths(f, d, descriptor, standard)
}

// needsFontFile reports whether only the embedded font says what the codes mean.
func (t *font) needsFontFile(f *file, d dict) bool {
	switch e := f.resolve(d["Encoding"]).(type) {
	case name:
		return baseEncoding(e) == nil || t.symbolic && f.name(d["Subtype"]) == "TrueType"
	case dict:
		return f.name(e["BaseEncoding"]) == ""
	}
	return true
}

// readEncoding sets the text of each code from everything except ToUnicode.
func (t *font) readEncoding(f *file, o object, subtype name, standard string) {
	tables := loadTables()
	base := &tables.standard
	switch {
	case standard == "Symbol":
		base = &tables.symbol
	case standard == "ZapfDingbats":
		base = &tables.dingbats
	case subtype == "TrueType" && t.file.codeToGlyph == nil && (o != nil || !t.nonsymbolic):
		base = winAnsi()
	}
	var differences array
	named := false
	switch e := f.resolve(o).(type) {
	case name:
		if found := baseEncoding(e); found != nil && standard != "Symbol" && standard != "ZapfDingbats" {
			base, named = found, true
		}
	case dict:
		differences = f.array(e["Differences"])
		if found := baseEncoding(f.name(e["BaseEncoding"])); found != nil {
			base, named = found, true
		} else if subtype == "TrueType" && !t.symbolic {
			base = winAnsi()
		}
	}
	t.letters = *base
	if !named {
		for c, letters := range t.file.codes {
			if c >= 0 && c < 256 {
				t.letters[c] = letters
			}
		}
		if subtype == "TrueType" && t.file.codeToGlyph != nil && (t.symbolic || o == nil) {
			for c := range t.letters {
				if letters := t.file.glyphs[t.file.codeToGlyph[c]]; letters != "" {
					t.letters[c] = letters
				} else if t.letters[c] == "" {
					t.letters[c] = winAnsi()[c]
				}
			}
		}
	}
	for c := 0x80; c < 0xa0 && subtype != "Type3" && standard == ""; c++ {
		if t.letters[c] == "" && len(t.file.codes) == 0 {
			t.letters[c] = winAnsi()[c]
		}
	}
	t.applyDifferences(f, differences)
}

// applyDifferences applies /Differences. If a name is only a number with a prefix, such as "g65" or
// "C41", the number is taken as a code.
func (t *font) applyDifferences(f *file, differences array) {
	type unknown struct {
		code  int
		glyph string
	}
	var numbered []unknown
	hex := false
	c := 0
	for _, o := range differences {
		switch o := f.resolve(o).(type) {
		case float64:
			c = int(o)
		case name:
			if c >= 0 && c < 256 {
				if t.letters[c] = t.glyphText(string(o)); t.letters[c] == "" && o != ".notdef" {
					numbered = append(numbered, unknown{c, string(o)})
					hex = hex || len(o) == 3 && hexDigit(o[1]) >= 0 && hexDigit(o[2]) >= 10
				}
			}
			c++
		}
	}
	for _, u := range numbered {
		digits := strings.TrimLeftFunc(u.glyph, unicode.IsLetter)
		if hex && len(u.glyph) == 3 {
			digits = u.glyph[1:]
		}
		value := 0
		for i := range len(digits) {
			switch d := hexDigit(digits[i]); {
			case d < 0 || !hex && d > 9 || value > 256:
				value = 1 << 16
			case hex:
				value = value<<4 | d
			default:
				value = value*10 + d
			}
		}
		if digits != "" && len(u.glyph)-len(digits) <= 2 && value < 256 {
			t.letters[u.code] = winAnsi()[value]
		}
	}
}

// glyphText returns the text of a glyph name in this font.
func (t *font) glyphText(glyph string) string {
	if letters := loadTables().zapf[glyph]; t.dingbats && letters != "" {
		return letters
	}
	return glyphText(glyph)
}

// readWidths reads the widths of a simple font.
func (t *font) readWidths(f *file, d, descriptor dict, standard string) {
	widths := f.array(d["Widths"])
	missing, _ := f.number(descriptor["MissingWidth"])
	if f.name(d["Subtype"]) == "Type3" {
		t.readType3(f, d)
	}
	metrics := loadTables().widths[standard]
	courier := strings.Contains(strings.ToLower(string(f.name(d["BaseFont"]))), "courier")
	if metrics == nil {
		metrics = loadTables().widths["Helvetica"]
	}
	for c := range t.advances {
		switch w, known := metrics[t.letters[c]]; {
		case len(widths) > 0:
			t.advances[c] = missing
		case courier:
			t.advances[c] = 600
		case known:
			t.advances[c] = float64(w)
		default:
			t.advances[c] = 500
		}
	}
	first, _ := f.number(d["FirstChar"])
	for i, o := range widths {
		if c := int(first) + i; c >= 0 && c < 256 {
			if w, given := f.number(o); given {
				t.advances[c] = w
			}
		}
	}
}

// readType3 estimates the size of the letters of a Type 3 font, which are drawings.
func (t *font) readType3(f *file, d dict) {
	m := readNumbers(f, d["FontMatrix"], 6)
	if m == nil {
		return
	}
	t.scale = 1000 * math.Hypot(m[0], m[1])
	t.height = 1000 * math.Hypot(m[2], m[3])
	if box := readNumbers(f, d["FontBBox"], 4); box != nil {
		if height := math.Abs(box[3]-box[1]) * math.Hypot(m[2], m[3]); height > 0.05 && height < 20 {
			t.height = 0.85 * height
		}
	}
	// The box is often far too large, but letters are rarely narrower than half their height on average.
	total, n := 0.0, 0
	for _, o := range f.array(d["Widths"]) {
		if w, given := f.number(o); given && w != 0 {
			total += math.Abs(w) * math.Hypot(m[0], m[1])
			n++
		}
	}
	if n > 0 && total > 0 {
		t.height = min(t.height, maxAspectRatio*total/float64(n))
	}
}

// maxAspectRatio bounds the ratio of height to width of the average letter of a font.
const maxAspectRatio = 2.4

// readNumbers returns the first n numbers of an array, or nil if it has fewer.
func readNumbers(f *file, o object, n int) []float64 {
	a := f.array(o)
	if len(a) < n {
		return nil
	}
	all := make([]float64, n)
	for i := range all {
		all[i], _ = f.number(a[i])
	}
	return all
}

// standardFont returns the standard font that a name means, or "" for none. It leaves out Courier,
// whose widths are all the same.
func standardFont(n name) string {
	s := strings.ToLower(strings.NewReplacer(" ", "", ",", "", "-", "").Replace(string(n)))
	bold, italic := strings.Contains(s, "bold"), strings.Contains(s, "italic") || strings.Contains(s, "oblique")
	switch {
	case s == "symbol" || strings.HasPrefix(s, "symbolmt"):
		return "Symbol"
	case s == "zapfdingbats":
		return "ZapfDingbats"
	case strings.HasPrefix(s, "helvetica") || strings.HasPrefix(s, "arial"):
		if bold {
			return "Helvetica-Bold"
		}
		return "Helvetica"
	case strings.HasPrefix(s, "times"):
		switch {
		case bold && italic:
			return "Times-BoldItalic"
		case bold:
			return "Times-Bold"
		case italic:
			return "Times-Italic"
		}
		return "Times-Roman"
	}
	return ""
}

// readComposite reads a Type 0 font.
func (t *font) readComposite(f *file, d dict) {
	var descendant dict
	if all := f.asArray(d["DescendantFonts"]); len(all) > 0 {
		descendant = f.dict(all[0])
	}
	descriptor := f.dict(descendant["FontDescriptor"])
	t.readDescriptor(f, descriptor, f.name(d["BaseFont"]))
	switch e := f.resolve(d["Encoding"]).(type) {
	case name:
		t.charset = predefinedCharset(e)
		t.opaque = t.charset == nil && !strings.HasPrefix(string(e), "Identity")
		t.vertical = strings.HasSuffix(string(e), "-V") || e == "V"
	case *stream:
		t.codes = parseCMap(f, e, 0)
		t.vertical = t.codes.vertical
		if used := f.name(e.dict["UseCMap"]); used != "" && len(t.codes.spaces) == 0 {
			t.charset = predefinedCharset(used)
		}
	}
	if t.charset == nil && (t.toUnicode == nil || len(t.toUnicode.texts)+len(t.toUnicode.ranges) == 0) {
		t.file = readFontFile(f, descriptor)
		t.identity = len(t.file.glyphs) == 0
		if s, ok := f.resolve(descendant["CIDToGIDMap"]).(*stream); ok {
			t.cidToGID = f.decode(s)
		}
	}
	if info := f.dict(descendant["CIDSystemInfo"]); len(info) > 0 {
		ordering, _ := f.resolve(info["Ordering"]).(text)
		t.ordering = string(ordering)
	}
	t.defaultWidth = 1000
	if given, ok := f.number(descendant["DW"]); ok {
		t.defaultWidth = given
	}
	t.readCIDWidths(f, f.array(descendant["W"]))
}

// readCIDWidths reads the widths of PDF 32000-1, 9.7.4.3: a CID and a list of widths, or the first and
// last CID of a range and one width.
func (t *font) readCIDWidths(f *file, list array) {
	t.widths = map[int]float64{}
	for len(list) >= 2 {
		first, _ := f.number(list[0])
		if several, ok := f.resolve(list[1]).(array); ok {
			for k, o := range several {
				if w, given := f.number(o); given && len(t.widths) < maxWidths {
					t.widths[int(first)+k] = w
				}
			}
			list = list[2:]
			continue
		}
		if len(list) < 3 {
			return
		}
		last, _ := f.number(list[1])
		w, _ := f.number(list[2])
		for cid := int(first); cid <= int(min(last, 1<<16)) && len(t.widths) < maxWidths; cid++ {
			t.widths[cid] = w
		}
		list = list[3:]
	}
}

// next returns the first code of s, which must not be empty.
func (t *font) next(s []byte) code {
	switch {
	case t.simple:
		return code{uint32(s[0]), 1}
	case t.charset != nil:
		return t.charset.next(s)
	case t.codes != nil:
		return t.codes.next(s)
	}
	return parseCode(text(s[:min(2, len(s))]))
}

// cid returns the CID of a code.
func (t *font) cid(c code) int {
	switch {
	case t.charset != nil:
		if letters := t.charset.text(c); len(letters) == 1 && letters[0] >= 0x20 && letters[0] < 0x7f {
			return t.charset.spaceCID + int(letters[0]-0x20)
		}
		return -1
	case t.codes != nil:
		if n, known := t.codes.cid(c); known {
			return n
		}
	}
	return int(c.value)
}

// advance returns the width of a code as a share of the size.
func (t *font) advance(c code) float64 {
	if t.simple {
		return t.advances[c.value&0xff] * t.scale / 1000
	}
	if w, known := t.widths[t.cid(c)]; known {
		return w / 1000
	}
	return t.defaultWidth / 1000
}

// text returns the text of a code, or "" if it is unknown.
func (t *font) text(c code) string {
	if t.unreadable {
		return ""
	}
	if t.simple {
		return t.letters[c.value&0xff]
	}
	s, known := t.cache[c]
	if !known {
		s = t.displayText(t.decode(c), "")
		t.cache[c] = s
	}
	return s
}

// Limits for the text of drawn fonts, as shares of their glyphs. Measured on the 25 such fonts of 410
// files: in the main fonts of the three unreadable files, at most 0.08 are common letters and at least
// 0.40 odd signs; in readable fonts of letters, at least 0.34 and at most 0.06.
const (
	minJudged        = 200 // glyphs
	minCommonLetters = 0.25
	maxOddSigns      = 0.15
	// minUnreadable is the share of a document's text that such fonts show at least. Formulas of a readable
	// document have fonts of signs, too.
	minUnreadable = 0.3
)

// commonLetters are frequent in every language that is written in Latin letters.
const commonLetters = "etaoinsrlu"

// isImplausible reports whether a drawn font shows n glyphs of which too few are common letters and too
// many odd signs. Other scripts and figures are never implausible.
func (t *font) isImplausible() (implausible bool, n int) {
	common, odd, others := 0, 0, 0
	for s, times := range t.shown {
		if strings.TrimSpace(s) == "" {
			continue
		}
		n += times
		r, _ := utf8.DecodeRuneInString(s)
		switch {
		case strings.ContainsRune(commonLetters, unicode.ToLower(r)):
			common += times
		case unicode.IsDigit(r), unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r):
			others += times
		case !unicode.IsLetter(r) && !strings.ContainsRune(".,;:()'’‘“”-–—/[]%•·", r):
			odd += times
		}
	}
	total := float64(n)
	return n >= minJudged && 2*others < n && float64(common) < minCommonLetters*total && float64(odd) > maxOddSigns*total, n
}

// markUnreadable marks drawn fonts whose codes mean nothing, as the subsets of some converters have them:
// codes in the order in which letters were first used. If these show much of a document with that many
// bytes of text, they and the drawn fonts that show too little to be judged are marked. It reports
// whether it marked any.
func markUnreadable(fonts map[reference]*font, length int) bool {
	implausible := 0
	var marked []*font
	for _, t := range fonts {
		if !t.drawn {
			continue
		}
		bad, n := t.isImplausible()
		if bad {
			implausible += n
		}
		if bad || n < minJudged {
			marked = append(marked, t)
		}
	}
	if implausible == 0 || float64(implausible) < minUnreadable*float64(length) {
		return false
	}
	for _, t := range marked {
		t.unreadable = true
	}
	return true
}

// isBlank reports whether a code without text is known to show nothing: a space, or what the font maps
// to a control character on purpose.
func (t *font) isBlank(c code) bool {
	if t.toUnicode != nil {
		if s := t.toUnicode.text(c); s != "" {
			return !strings.ContainsFunc(s, func(r rune) bool { return 0xe000 <= r && r < 0xf900 })
		}
	}
	return t.simple && c.value <= ' ' || t.cid(c) <= 3
}

func (t *font) decode(c code) string {
	if t.toUnicode != nil {
		if s := t.toUnicode.text(c); hasText(s) {
			return s
		}
		if n, known := t.toUnicode.cid(c); known && n >= 0x20 && n <= unicode.MaxRune { // some programs write ranges of numbers
			return string(rune(n))
		}
	}
	if t.charset != nil {
		return t.charset.text(c)
	}
	if t.opaque {
		return ""
	}
	cid := t.cid(c)
	if t.codes != nil {
		if s := t.codes.text(c); s != "" {
			return s
		}
	}
	glyph := cid
	if 2*cid+1 < len(t.cidToGID) {
		glyph = int(t.cidToGID[2*cid])<<8 | int(t.cidToGID[2*cid+1])
	}
	if s := t.file.glyphs[glyph]; s != "" {
		return s
	}
	if s := cidText(t.ordering, cid); s != "" {
		return s
	}
	if t.identity && cidTables()[t.ordering] == nil && cid >= 0x20 && cid < 0xd800 {
		return string(rune(cid))
	}
	return ""
}

// hasText reports whether s has a character other than controls and U+FFFD.
func hasText(s string) bool {
	for _, r := range s {
		if r != unicode.ReplacementChar && !unicode.IsControl(r) {
			return true
		}
	}
	return false
}

// displayText cleans the text of a code: it drops control characters and replaces private-use
// characters, which stand for codes of Symbol or of fonts like Wingdings, by what they draw.
func (t *font) displayText(s string, standard string) string {
	plain := true
	for _, r := range s {
		plain = plain && r >= 0x20 && (r < 0x7f || r > 0xad) && r < 0x2000
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\u00a0':
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar, r == '\u00ad' && len(s) > 2, unicode.Is(unicode.Cf, r) && r != '\u00ad' && r != '\u200d' && r != '\u200c':
			return -1
		case t.wingdings && r == '•':
			return r
		case 0xf020 <= r && r < 0xf100:
			if t.wingdings {
				return wingding(byte(r))
			}
			if letters := loadTables().symbol[r-0xf000]; letters != "" {
				return bracketPiece([]rune(letters)[0])
			}
			return '•'
		case 0xe000 <= r && r < 0xf900:
			return bracketPiece(r)
		}
		return r
	}, s)
}

// isSign reports whether a text is one of the signs that ToUnicode of a font like Wingdings names.
func isSign(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x2000 && (r < 0xe000 || r >= 0xf900)
}

// wingding returns what the code of a font like Wingdings draws, as far as people use it in lists and
// forms; "•" for anything else.
func wingding(c byte) rune {
	switch c {
	case 0x6e, 0xa7:
		return '▪'
	case 0x6f, 0xa8, 0x71, 0x72:
		return '☐'
	case 0x76:
		return '❖'
	case 0xd8:
		return '➢'
	case 0xe0, 0xe8, 0xf0:
		return '→'
	case 0xfb, 0xfd:
		return '✗'
	case 0xfc, 0xfe:
		return '✓'
	}
	return '•'
}

// bracketPiece returns the character for a piece of a tall bracket, which Adobe put among the private
// characters; -1 for other private characters.
func bracketPiece(r rune) rune {
	const first = 0xf8e5
	if pieces := []rune("‾⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭"); first <= r && int(r-first) < len(pieces) {
		return pieces[r-first]
	} else if 0xe000 <= r && r < 0xf900 {
		return -1
	}
	return r
}
