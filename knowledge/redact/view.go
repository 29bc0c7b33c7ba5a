package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
)

// view is a text in the form in which identifiers are sought, with the place of each of its bytes in the text itself.
type view struct {
	text     string
	from, to []int // for each byte, where the character that it was made of begins and ends
}

// plain holds the characters that a view writes in another way: word processors, PDF files and other keyboards have
// many kinds of hyphens, spaces and quotation marks.
var plain = map[rune]rune{
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-', '﹘': '-', '﹣': '-', '⁃': '-',
	'’': '\'', '‘': '\'', 'ʼ': '\'', '′': '\'', '´': '\'', '`': '\'', '“': '"', '”': '"', '„': '"', '«': '"', '»': '"',
	'⁄': '/', '∕': '/', '。': '.', '、': ',', '\u2028': '\n', '\u2029': '\n', '\v': ' ', '\f': '\n', '\u0085': '\n',
}

// newView writes a text without the differences that do not matter: full-width characters, kinds of hyphens and
// spaces, and characters that nobody sees.
func newView(text string) view {
	v := view{from: make([]int, 0, len(text)), to: make([]int, 0, len(text))}
	var b strings.Builder
	b.Grow(len(text))
	for at, r := range text {
		_, size := utf8.DecodeRuneInString(text[at:])
		end := at + size
		apart := dividesNumbers(text, at, end, r)
		switch {
		case r == '\u00ad' || r == '\u034f' || r == '\u061c' || r == '\ufeff' || '\u200b' <= r && r <= '\u200f' || '\u202a' <= r && r <= '\u202e' || '\u2060' <= r && r <= '\u2069':
			continue
		case '！' <= r && r <= '～':
			r -= '！' - '!'
		case r != ' ' && unicode.Is(unicode.Zs, r):
			r = ' '
		default:
			if other, ok := plain[r]; ok {
				r = other
			}
		}
		before := b.Len()
		if r == utf8.RuneError && size == 1 {
			b.WriteByte('?') // one byte for one byte; nothing is an identifier because of it
		} else {
			b.WriteRune(r)
		}
		if apart {
			b.WriteByte(' ')
		}
		for ; before < b.Len(); before++ {
			v.from, v.to = append(v.from, at), append(v.to, end)
		}
	}
	v.text = lexical.Simplify(b.String())
	return v
}

// dividesNumbers reports whether a character is a stop or a comma of Chinese with a digit on either side. It joins no numbers, as those of
// other languages do: 3.4、3.8 are two dates.
func dividesNumbers(text string, at, end int, r rune) bool {
	switch r {
	case '。', '，', '、', '；':
		return at > 0 && isDigit(text[at-1]) && isDigitAt(text, end)
	}
	return false
}

// wrapped matches the end of a line that goes on in the next one: after a hyphen, a slash or an opening bracket, or
// because the line is long.
var wrapped = regexp.MustCompile(`(?m)(?:[-/(]|[^\n]{48}[^\n.:;|]) *\r?\n[ \t>]*(?:[\p{L}\d(])`)

// itemLine matches the number of an item at the beginning of a line.
var itemLine = regexp.MustCompile(`^\d{1,2}(?:[.)] ?[\pL\n(]|[ \t]*\|)`)

// joined returns the lines of the view that go on in the next one, each with the next, and false if there are none.
func (v view) joined() (view, bool) {
	at := wrapped.FindAllStringIndex(v.text, -1)
	if at == nil {
		return v, false
	}
	var j view
	var b strings.Builder
	add := func(from, to int) {
		b.WriteString(v.text[from:to])
		j.from, j.to = append(j.from, v.from[from:to]...), append(j.to, v.to[from:to]...)
	}
	mark := func(c byte, at int) {
		b.WriteByte(c)
		j.from, j.to = append(j.from, v.from[at]), append(j.to, v.to[at])
	}
	lineAfter := func(at int) int { // where the line of a place ends
		if i := strings.IndexByte(v.text[at:], '\n'); i >= 0 {
			return at + i
		}
		return len(v.text)
	}
	last := 0 // up to where the text was added
	for i, m := range at {
		lineEnd := m[0] + strings.IndexByte(v.text[m[0]:m[1]], '\n')
		_, size := utf8.DecodeLastRuneInString(v.text[m[0]:m[1]])
		next := m[1] - size
		end := len(strings.TrimRight(v.text[:lineEnd], " \r"))
		if end <= last || end > next || segmentLine.MatchString(v.text[next:lineAfter(next)]) || itemLine.MatchString(v.text[next:]) {
			if last > 0 && last <= lineEnd && strings.IndexByte(v.text[last:lineEnd], '\n') < 0 { // the line goes on from the one before, but not in the next
				add(last, lineEnd)
				mark('\n', lineEnd)
				last = lineEnd
			}
			continue
		}
		add(max(last, strings.LastIndexByte(v.text[:end], '\n')+1), end)
		if c := v.text[end-1]; c != '-' && c != '/' && c != '(' {
			mark(' ', lineEnd)
		}
		last = next
		if after := lineAfter(next); i+1 == len(at) || at[i+1][0] > after { // the next line is the last of these
			add(next, after)
			mark('\n', lineEnd)
			last = after
		}
	}
	j.text = b.String()
	return j, true
}

// original returns hits of the view as hits of the text.
func (v view) original(hits []hit) []hit {
	for i, h := range hits {
		hits[i].start, hits[i].end = v.from[h.start], v.to[h.end-1]
	}
	return hits
}

// at returns where a place of the text is in the view.
func (v view) at(place int) int {
	i, _ := slices.BinarySearch(v.to, place+1)
	return i
}

// evidence describes a text, of which v is the view, with what the rules find in it.
func (v view) evidence() evidence {
	return v.evidenceWith(personalParts)
}

// evidenceWith is evidence, given which parts of a text are about a person.
func (v view) evidenceWith(parts partsRule) evidence {
	hits := findIn(v.text, parts)
	if j, ok := v.joined(); ok {
		for _, h := range j.original(findIn(j.text, parts)) {
			h.start, h.end = v.at(h.start), v.at(h.end)
			hits = append(hits, h)
		}
	}
	personal, _ := parts(v.text, hits)
	return describe(v.text, hits, personal)
}
