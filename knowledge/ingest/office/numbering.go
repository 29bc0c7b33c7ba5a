package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"lacuna/knowledge/ingest/archive"
)

// maxListLevels is how many levels a list has at most.
const maxListLevels = 9

// listLevel says how the paragraphs of one level of a list are numbered.
type listLevel struct {
	given   bool
	start   int
	format  string // such as "decimal"
	custom  string // of a format called "custom", such as "001, 002, …"
	text    string // with %1 to %9 for the numbers of the levels
	style   string // whose paragraphs are numbered on this level
	legal   bool   // all numbers are decimal
	restart int    // the level, from 1, after which it begins anew; 0 for never, -1 for any higher level
	hidden  bool
}

// listDefinition is an abstract list, or one of its instances with levels of its own.
type listDefinition struct {
	levels    [maxListLevels]listLevel
	link      string // the numbering style that has the levels
	styleLink string // the numbering style that this list makes
}

// instance is a list as paragraphs name it.
type instance struct {
	abstract string
	override [maxListLevels]*listLevel
	starts   [maxListLevels]int // where levels begin in this instance; -1 where nothing is said
	used     bool
}

// counter holds how far the levels of an abstract list have come.
type counter struct {
	at      [maxListLevels]int
	running [maxListLevels]bool
}

// numbering numbers the paragraphs of a document, in its order.
type numbering struct {
	abstract  map[string]*listDefinition
	instances map[string]*instance
	counters  map[string]*counter
	styles    *styles
}

func newNumbering(s *styles) *numbering {
	return &numbering{abstract: map[string]*listDefinition{}, instances: map[string]*instance{}, counters: map[string]*counter{}, styles: s}
}

// reader reads the part with the definitions.
func (n *numbering) reader() archive.TokenReader {
	var open *listDefinition
	var of *instance
	var level *listLevel
	inRunProperties, skipped := false, 0
	override := -1
	return func(token xml.Token, _ int) error {
		if end, ok := token.(xml.EndElement); ok {
			switch end.Name.Local {
			case "abstractNum":
				open = nil
			case "num":
				of = nil
			case "lvl":
				level = nil
			case "lvlOverride":
				override = -1
			case "rPr":
				inRunProperties = false
			case "Fallback":
				skipped--
			}
			return nil
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			return nil
		}
		if e.Name.Local == "Fallback" {
			skipped++
		}
		if skipped > 0 || !isWord(e.Name) {
			return nil
		}
		value := archive.Attribute(e, "val")
		number, err := strconv.Atoi(value)
		switch e.Name.Local {
		case "abstractNum":
			open = &listDefinition{}
			n.abstract[archive.Attribute(e, "abstractNumId")] = open
		case "num":
			of = &instance{}
			for i := range of.starts {
				of.starts[i] = -1
			}
			n.instances[archive.Attribute(e, "numId")] = of
		case "abstractNumId":
			if of != nil {
				of.abstract = value
			}
		case "numStyleLink":
			if open != nil {
				open.link = value
			}
		case "styleLink":
			if open != nil {
				open.styleLink = value
			}
		case "lvlOverride":
			override = levelIndex(archive.Attribute(e, "ilvl"))
		case "startOverride":
			if of != nil && override >= 0 && err == nil {
				of.starts[override] = number
			}
		case "lvl":
			at := levelIndex(archive.Attribute(e, "ilvl"))
			switch {
			case at < 0:
				level = &listLevel{}
			case of != nil:
				level = &listLevel{}
				of.override[at] = level
			case open != nil:
				level = &open.levels[at]
			}
			if level != nil {
				*level = listLevel{given: true, restart: -1, start: 0, format: "decimal"}
			}
		case "rPr":
			inRunProperties = true
		}
		if level == nil {
			return nil
		}
		switch e.Name.Local {
		case "start":
			if err == nil {
				level.start = number
			}
		case "numFmt":
			level.format, level.custom = value, archive.Attribute(e, "format")
		case "lvlText":
			level.text = value
			if null := archive.Attribute(e, "null"); null == "1" || null == "true" {
				level.text = ""
			}
		case "pStyle":
			level.style = value
		case "isLgl":
			level.legal = toggle(e) == on
		case "lvlRestart":
			if err == nil {
				level.restart = number
			}
		case "vanish":
			if inRunProperties {
				level.hidden = toggle(e) == on
			}
		}
		return nil
	}
}

// levelIndex returns the index of a level, or -1.
func levelIndex(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n >= maxListLevels {
		return -1
	}
	return n
}

// find returns an instance, its abstract list, and the identifier of that.
func (n *numbering) find(id string) (*instance, *listDefinition, string) {
	of := n.instances[id]
	if of == nil {
		return nil, nil, ""
	}
	abstractID := of.abstract
	l := n.abstract[abstractID]
	for range maxBases { // a list that refers to a numbering style, which refers to an instance
		if l == nil || l.link == "" {
			break
		}
		linked := n.instances[n.styles.of(l.link).number]
		if linked == nil || linked.abstract == abstractID {
			break
		}
		abstractID = linked.abstract
		l = n.abstract[abstractID]
	}
	return of, l, abstractID
}

// levelOfStyle returns the level on which a list numbers the paragraphs of a style, or -1.
func (n *numbering) levelOfStyle(id, style string) int {
	of, l, _ := n.find(id)
	if l == nil {
		return -1
	}
	for i := range l.levels {
		if o := of.override[i]; l.levels[i].style == style || o != nil && o.style == style {
			return i
		}
	}
	return -1
}

// next counts a paragraph at a level of a list, from 0. It returns the number or bullet as shown, which
// may be empty, and whether there is such a list.
func (n *numbering) next(id string, at int) (marker string, found bool) {
	of, l, abstractID := n.find(id)
	if l == nil || at < 0 || at >= maxListLevels {
		return "", false
	}
	c := n.counters[abstractID]
	if c == nil {
		c = &counter{}
		n.counters[abstractID] = c
	}
	if !of.used {
		of.used = true
		for i, start := range of.starts {
			if start >= 0 {
				c.at[i], c.running[i] = start-1, true
				for below := i + 1; below < maxListLevels; below++ {
					if of.starts[below] < 0 {
						c.running[below] = false
					}
				}
			}
		}
	}
	level := func(i int) *listLevel {
		if o := of.override[i]; o != nil {
			return o
		}
		return &l.levels[i]
	}
	for i := range at {
		if !c.running[i] {
			c.at[i], c.running[i] = level(i).start, true
		}
	}
	if !c.running[at] {
		c.at[at], c.running[at] = level(at).start, true
	} else {
		c.at[at]++
	}
	for below := at + 1; below < maxListLevels; below++ {
		if restart := level(below).restart; restart < 0 || restart > at { // restart counts levels from 1
			c.running[below] = false
		}
	}
	shown := level(at)
	if !shown.given || shown.hidden {
		return "", true
	}
	if shown.format == "bullet" {
		if strings.TrimSpace(shown.text) == "" {
			return "", true
		}
		return "-", true
	}
	var b strings.Builder
	for i := 0; i < len(shown.text); i++ {
		if shown.text[i] != '%' || i+1 == len(shown.text) || shown.text[i+1] < '1' || shown.text[i+1] > '9' {
			b.WriteByte(shown.text[i])
			continue
		}
		i++
		of := int(shown.text[i] - '1')
		format := level(of).format
		if shown.legal && format != "bullet" && format != "none" {
			format = "decimal"
		}
		b.WriteString(numberAs(c.at[of], format, level(of).custom))
	}
	return strings.TrimSpace(clean(b.String())), true
}

// numberAs writes a number in one of the formats of lists.
func numberAs(n int, format, custom string) string {
	switch format {
	case "none", "bullet":
		return ""
	case "upperRoman":
		return roman(n)
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperLetter":
		return letters(n, 'A')
	case "lowerLetter":
		return letters(n, 'a')
	case "decimalZero":
		if 0 <= n && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "custom":
		if first, _, ok := strings.Cut(custom, ","); ok {
			if zeros := len(strings.TrimSpace(first)) - len(strconv.Itoa(n)); 0 < zeros && zeros < 8 {
				return strings.Repeat("0", zeros) + strconv.Itoa(n)
			}
		}
	case "ordinal":
		return strconv.Itoa(n) + ordinalEnd(n)
	case "cardinalText":
		return capital(cardinal(n))
	case "ordinalText":
		return capital(ordinal(n))
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		if 1 <= n && n <= 20 {
			return string(rune('①' + n - 1))
		}
	case "decimalEnclosedFullstop":
		if 1 <= n && n <= 20 {
			return string(rune('⒈' + n - 1))
		}
	case "decimalEnclosedParen":
		if 1 <= n && n <= 20 {
			return string(rune('⑴' + n - 1))
		}
	case "decimalFullWidth":
		return strings.Map(func(r rune) rune { return r - '0' + '０' }, strconv.Itoa(max(0, n)))
	case "chicago":
		if 1 <= n && n <= 40 {
			return strings.Repeat([]string{"*", "†", "‡", "§"}[(n-1)%4], (n-1)/4+1)
		}
	case "chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCountingThousand", "ideographDigital", "taiwaneseCounting":
		return chinese(n)
	case "ideographTraditional":
		if 1 <= n && n <= 10 {
			return string([]rune("甲乙丙丁戊己庚辛壬癸")[n-1])
		}
	case "russianLower":
		return letterOf(n, "абвгдежзиклмнопрстуфхцчшщэюя")
	case "russianUpper":
		return letterOf(n, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ")
	}
	return strconv.Itoa(n)
}

// roman writes a number in Roman numerals; one that has none, in digits.
func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for i, value := range []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1} {
		for ; n >= value; n -= value {
			b.WriteString([]string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}[i])
		}
	}
	return b.String()
}

// letters writes a number as letters: a to z, then aa to zz.
func letters(n int, first rune) string {
	if n < 1 || n > 26*26 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(first+rune((n-1)%26)), (n-1)/26+1)
}

func letterOf(n int, alphabet string) string {
	all := []rune(alphabet)
	if n < 1 || n > 20*len(all) {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(all[(n-1)%len(all)]), (n-1)/len(all)+1)
}

func ordinalEnd(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

var (
	ones     = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens     = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	ordinals = map[string]string{"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth"}
)

// cardinal writes a number in words; one above 99, in digits.
func cardinal(n int) string {
	switch {
	case n < 0 || n > 99:
		return strconv.Itoa(n)
	case n < 20:
		return ones[n]
	case n%10 == 0:
		return tens[n/10]
	}
	return tens[n/10] + "-" + ones[n%10]
}

// ordinal writes a number as "first", "second" and so on.
func ordinal(n int) string {
	words := cardinal(n)
	if n < 0 || n > 99 {
		return words + ordinalEnd(max(n, -n))
	}
	start, last := "", words
	if i := strings.LastIndexByte(words, '-'); i >= 0 {
		start, last = words[:i+1], words[i+1:]
	}
	if irregular := ordinals[last]; irregular != "" {
		return start + irregular
	}
	if stem, ok := strings.CutSuffix(last, "y"); ok {
		return start + stem + "ieth"
	}
	return start + last + "th"
}

func capital(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// chinese writes a number below ten thousand in Chinese numerals.
func chinese(n int) string {
	if n < 1 || n > 9999 {
		return strconv.Itoa(n)
	}
	digits := []rune("〇一二三四五六七八九")
	units := []string{"", "十", "百", "千"}
	out, gap := "", false
	for place := 3; place >= 0; place-- {
		power := []int{1, 10, 100, 1000}[place]
		digit := n / power % 10
		switch {
		case digit == 0:
			gap = out != ""
		default:
			if gap {
				out += "零"
			}
			gap = false
			if !(digit == 1 && place == 1 && out == "") {
				out += string(digits[digit])
			}
			out += units[place]
		}
	}
	return out
}
