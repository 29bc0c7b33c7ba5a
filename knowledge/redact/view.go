package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
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
		for ; before < b.Len(); before++ {
			v.from, v.to = append(v.from, at), append(v.to, end)
		}
	}
	v.text = b.String()
	return v
}

// wrapped matches the end of a line that goes on in the next one: after a hyphen, a slash or an opening bracket, or
// because the line is long.
var wrapped = regexp.MustCompile(`(?m)(?:[-/(]|[^\n]{48}[^\n.:;|]) *\r?\n[ \t>]*(?:[\p{L}\d(])`)

// joined returns the view with such lines joined, and false if there are none.
func (v view) joined() (view, bool) {
	at := wrapped.FindAllStringIndex(v.text, -1)
	if at == nil {
		return v, false
	}
	j := view{from: make([]int, 0, len(v.text)), to: make([]int, 0, len(v.text))}
	var b strings.Builder
	add := func(from, to int) {
		b.WriteString(v.text[from:to])
		j.from, j.to = append(j.from, v.from[from:to]...), append(j.to, v.to[from:to]...)
	}
	last := 0
	for _, m := range at {
		lineEnd := m[0] + strings.IndexByte(v.text[m[0]:m[1]], '\n')
		_, size := utf8.DecodeLastRuneInString(v.text[m[0]:m[1]])
		next := m[1] - size
		end := len(strings.TrimRight(v.text[:lineEnd], " \r"))
		if end <= last || end > next {
			continue
		}
		add(last, end)
		if c := v.text[end-1]; c != '-' && c != '/' && c != '(' {
			b.WriteByte(' ')
			j.from, j.to = append(j.from, v.from[lineEnd]), append(j.to, v.to[lineEnd])
		}
		last = next
	}
	add(last, len(v.text))
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
