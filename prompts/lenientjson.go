package prompts

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth limits the nesting of brackets in a reply.
const maxDepth = 64

// lenientReader reads one value that is almost JSON: with other or unescaped quotes, names without
// quotes, Python literals, trailing, doubled or missing commas, comments, raw line breaks in strings,
// full-width colons and commas; or cut off, in which case it closes what is open. It reads each byte a
// bounded number of times.
type lenientReader struct {
	s        string
	at       int
	depth    int
	cutOff   bool // the text ended before the value
	repaired bool
}

// readLenient reads the value at the beginning of a text. The path is [Unparsed] if there is none. It
// returns how many bytes it has read.
func readLenient(s string) (value any, read int, path Path) {
	l := &lenientReader{s: s}
	value, ok := l.value(single)
	switch {
	case !ok:
		return nil, l.at, Unparsed
	case l.cutOff && !l.repaired:
		return value, l.at, Closed
	}
	return value, l.at, Repaired
}

func (l *lenientReader) peek() rune {
	r, _ := utf8.DecodeRuneInString(l.s[l.at:])
	return r
}

func (l *lenientReader) ended() bool {
	if l.at >= len(l.s) {
		l.cutOff = true
		return true
	}
	return false
}

// skip skips white space and comments.
func (l *lenientReader) skip() {
	for l.at < len(l.s) {
		rest := l.s[l.at:]
		var end string
		switch r := l.peek(); {
		case unicode.IsSpace(r):
			l.at += utf8.RuneLen(r)
			continue
		case strings.HasPrefix(rest, "//"), r == '#':
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return
		}
		l.repaired = true
		_, after, found := strings.Cut(rest, end)
		if !found {
			after = ""
		}
		l.at = len(l.s) - len(after)
	}
}

// take goes over the next rune if it is one of these.
func (l *lenientReader) take(plain, wide rune) bool {
	switch r := l.peek(); {
	case l.at >= len(l.s):
		return false
	case r == plain:
	case r == wide:
		l.repaired = true
	default:
		return false
	}
	l.at += utf8.RuneLen(l.peek())
	return true
}

// commas goes over the commas between two items.
func (l *lenientReader) commas() {
	for l.skip(); l.take(',', '，'); l.skip() {
	}
}

// position is where a value stands, which says what may follow it.
type position int

const (
	single position = iota // alone, or in an object
	item                   // in an array
	name                   // before a colon
)

func (l *lenientReader) value(at position) (any, bool) {
	l.skip()
	if l.ended() || l.depth >= maxDepth {
		return nil, false
	}
	l.depth++
	defer func() { l.depth-- }()
	switch r := l.peek(); {
	case r == '{':
		return l.object()
	case r == '[':
		return l.array()
	case closers(r) != "":
		return l.text(at), true
	}
	return l.word()
}

func (l *lenientReader) object() (any, bool) {
	l.at++
	object := map[string]any{}
	for {
		l.commas()
		switch {
		case l.ended():
			return object, true
		case l.peek() == '}':
			l.at++
			return object, true
		case l.peek() == ']': // of an outer array; the brace is missing
			l.repaired = true
			return object, true
		}
		name, ok := l.name()
		if !ok {
			return object, l.cutOff
		}
		value, ok := l.value(single)
		switch {
		case ok:
			object[name] = value
		case !l.cutOff:
			return nil, false
		}
	}
}

// name reads the name of a property and the colon after it.
func (l *lenientReader) name() (string, bool) {
	var read string
	if closers(l.peek()) != "" {
		read = l.text(name)
	} else {
		end := strings.IndexFunc(l.s[l.at:], func(r rune) bool {
			return r != ' ' && r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if end <= 0 || end > 64 {
			return "", false
		}
		l.repaired = true
		read = strings.TrimSpace(l.s[l.at : l.at+end])
		l.at += end
	}
	l.skip()
	return read, !l.ended() && l.take(':', '：')
}

func (l *lenientReader) array() (any, bool) {
	l.at++
	array := []any{}
	for {
		l.commas()
		switch {
		case l.ended():
			return array, true
		case l.peek() == ']':
			l.at++
			return array, true
		case l.peek() == '}': // of an outer object; the bracket is missing
			l.repaired = true
			return array, true
		}
		begin := l.at
		value, ok := l.value(item)
		if _, isText := value.(string); isText && l.nameFollows() {
			l.at, l.repaired = begin, true // a name of an outer object; the bracket is missing
			return array, true
		}
		switch {
		case ok:
			array = append(array, value)
		case !l.cutOff:
			return nil, false
		}
	}
}

// nameFollows reports whether a colon is next, so that the value just read is a name.
func (l *lenientReader) nameFollows() bool {
	l.skip()
	return l.at < len(l.s) && (l.peek() == ':' || l.peek() == '：')
}

// closers returns the quotes that may close r; none if r is not a quote.
func closers(r rune) string {
	switch r {
	case '"':
		return `"`
	case '“', '”', '„', '＂':
		return `"“”＂`
	case '\'', '‘', '’':
		return "'‘’"
	case '「':
		return "」"
	case '『':
		return "』"
	}
	return ""
}

// text reads a quoted string.
func (l *lenientReader) text(at position) string {
	opening := l.peek()
	l.at += utf8.RuneLen(opening)
	l.repaired = l.repaired || opening != '"'
	closing := closers(opening)
	var b strings.Builder
	for l.at < len(l.s) {
		r, size := utf8.DecodeRuneInString(l.s[l.at:])
		switch {
		case r == '\\':
			l.escape(&b)
			continue
		case strings.ContainsRune(closing, r) && l.closes(l.at+size, at):
			l.at += size
			return b.String()
		case r == '\n' || strings.ContainsRune(closing, r):
			l.repaired = true
		}
		b.WriteString(l.s[l.at : l.at+size])
		l.at += size
	}
	l.cutOff = true
	return b.String()
}

// closes reports whether a quote that ends at i closes its string, judging by what follows: people and
// models forget to escape quotes inside strings.
func (l *lenientReader) closes(i int, at position) bool {
	rest := strings.TrimLeftFunc(l.s[i:], unicode.IsSpace)
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return true
	case at != single && (r == ':' || r == '：'):
		return true
	case at == name:
		return false
	case r == '}' || r == ']' || r == '#' || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*"):
		return true
	case r == ',' || r == '，':
		rest = strings.TrimLeftFunc(rest[size:], unicode.IsSpace)
		after, _ := utf8.DecodeRuneInString(rest)
		return rest == "" || closers(after) != "" || strings.ContainsRune("{}[],/#-", after) || unicode.IsDigit(after) || startsName(rest)
	}
	// A missing comma: the next string stands on a line of its own.
	return closers(r) != "" && strings.Contains(l.s[i:len(l.s)-len(rest)], "\n")
}

// startsName reports whether a text begins with a literal, or with an unquoted name and its colon.
func startsName(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(s)
	}
	if _, literal := literals[strings.ToLower(s[:end])]; literal {
		return true
	}
	return end > 0 && strings.HasPrefix(strings.TrimLeft(s[end:], " "), ":")
}

// escape reads a backslash and the character it escapes; otherwise the backslash stays.
func (l *lenientReader) escape(b *strings.Builder) {
	rest := l.s[l.at:]
	length := 2
	if strings.HasPrefix(rest, `\u`) {
		length = 6
		if len(rest) >= 12 && strings.ContainsRune("dD", rune(rest[2])) && rest[6:8] == `\u` { // half of a pair
			length = 12
		}
	}
	length = min(length, len(rest))
	var s string
	switch {
	case json.Unmarshal([]byte(`"`+rest[:length]+`"`), &s) == nil:
		b.WriteString(s)
	case strings.HasPrefix(rest, `\'`):
		b.WriteByte('\'')
	default:
		l.repaired = true
		b.WriteByte('\\')
		length = 1
	}
	l.at += length
}

var literals = map[string]any{"true": true, "false": false, "null": nil, "none": nil}

// word reads an unquoted value, up to the next comma, bracket or line.
func (l *lenientReader) word() (any, bool) {
	end := strings.IndexAny(l.s[l.at:], ",，}]\n")
	if end < 0 {
		end = len(l.s) - l.at
		l.cutOff = true
	}
	word := strings.TrimSpace(l.s[l.at : l.at+end])
	l.at += end
	if word == "" {
		return nil, false
	}
	if literal, ok := literals[strings.ToLower(word)]; ok {
		l.repaired = l.repaired || word != strings.ToLower(word) || word == "none"
		return literal, true
	}
	if number, err := strconv.ParseFloat(word, 64); err == nil && strings.ContainsAny(word, "0123456789") {
		return number, true
	}
	l.repaired = true
	return word, true
}
