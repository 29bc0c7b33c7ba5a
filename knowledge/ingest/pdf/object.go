package pdf

import (
	"math"
	"slices"
)

// object is a value of PDF 32000-1, 7.3: nil, bool, float64, name, text, array, dict, reference or
// *stream. Integers are float64, which is exact for every integer that a file can use.
type object any

type (
	name      string
	text      string // the bytes of a string, decrypted
	array     []object
	dict      map[name]object
	reference struct{ number, generation int }
)

// stream is a dictionary with its bytes, which are still encoded and, in an encrypted file, encrypted.
type stream struct {
	dict
	raw []byte
	id  reference // number and generation, which salt the key; zero inside an object stream
}

// Limits of one object.
const (
	maxObjectDepth = 64
	maxElements    = 4 << 20
)

type tokenKind uint8

const (
	endToken tokenKind = iota
	numberToken
	nameToken
	stringToken
	keywordToken
	openArray
	closeArray
	openDict
	closeDict
)

// token is one lexical element. Its bytes share the lexer's input or its scratch space.
type token struct {
	kind   tokenKind
	number float64
	bytes  []byte // of a name, string or keyword
}

// lexer splits bytes into tokens, as PDF 32000-1, 7.2 defines. Every call of next moves forward.
type lexer struct {
	data    []byte
	at      int
	scratch []byte // decoded names and strings; the caller may truncate it after using them
}

const (
	regular = iota
	space
	delimiter
)

var classes = func() (class [256]byte) {
	for _, c := range "\x00\t\n\f\r " {
		class[c] = space
	}
	for _, c := range "()<>[]{}/%" {
		class[c] = delimiter
	}
	return class
}()

func (l *lexer) skipSpace() {
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case classes[c] == space:
			l.at++
		case c == '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

func (l *lexer) next() token {
	l.skipSpace()
	if l.at >= len(l.data) {
		return token{}
	}
	c := l.data[l.at]
	switch {
	case c == '+' || c == '-' || c == '.' || '0' <= c && c <= '9':
		if t, ok := l.number(); ok {
			return t
		}
		return l.keyword()
	case classes[c] == regular:
		return l.keyword()
	}
	l.at++
	switch c {
	case '/':
		return l.name()
	case '(':
		return l.literal()
	case '[':
		return token{kind: openArray}
	case ']':
		return token{kind: closeArray}
	case '<':
		if l.at < len(l.data) && l.data[l.at] == '<' {
			l.at++
			return token{kind: openDict}
		}
		return l.hex()
	case '>':
		if l.at < len(l.data) && l.data[l.at] == '>' {
			l.at++
			return token{kind: closeDict}
		}
	}
	return token{kind: keywordToken, bytes: l.data[l.at-1 : l.at]} // a brace or an unmatched closing delimiter
}

// number reads a number. A minus sign after the digits ends it, because some writers emit "12-34".
func (l *lexer) number() (token, bool) {
	i, sign, value, digits := l.at, 1.0, 0.0, 0
	for i < len(l.data) && (l.data[i] == '+' || l.data[i] == '-') {
		if l.data[i] == '-' {
			sign = -1
		}
		i++
	}
	for ; i < len(l.data) && '0' <= l.data[i] && l.data[i] <= '9'; i++ {
		value = value*10 + float64(l.data[i]-'0')
		digits++
	}
	if i < len(l.data) && l.data[i] == '.' {
		i++
		for scale := 0.1; i < len(l.data) && '0' <= l.data[i] && l.data[i] <= '9'; i++ {
			value += scale * float64(l.data[i]-'0')
			scale /= 10
			digits++
		}
	}
	if digits == 0 && (i == l.at || i < len(l.data) && classes[l.data[i]] == regular) {
		return token{}, false
	}
	if i < len(l.data) && l.data[i] == '-' { // skip the rest of "12-34"
		for i < len(l.data) && (l.data[i] == '-' || '0' <= l.data[i] && l.data[i] <= '9') {
			i++
		}
	}
	l.at = i
	return token{kind: numberToken, number: sign * value}, true
}

func (l *lexer) keyword() token {
	from := l.at
	for l.at++; l.at < len(l.data) && classes[l.data[l.at]] == regular; l.at++ {
	}
	return token{kind: keywordToken, bytes: l.data[from:l.at]}
}

func (l *lexer) name() token {
	from, escaped := l.at, false
	for ; l.at < len(l.data) && classes[l.data[l.at]] == regular; l.at++ {
		escaped = escaped || l.data[l.at] == '#'
	}
	written := l.data[from:l.at]
	if !escaped {
		return token{kind: nameToken, bytes: written}
	}
	begin := len(l.scratch)
	for i := 0; i < len(written); i++ {
		if written[i] == '#' && i+2 < len(written) && hexDigit(written[i+1]) >= 0 && hexDigit(written[i+2]) >= 0 {
			l.scratch = append(l.scratch, byte(hexDigit(written[i+1])<<4|hexDigit(written[i+2])))
			i += 2
		} else {
			l.scratch = append(l.scratch, written[i])
		}
	}
	return token{kind: nameToken, bytes: l.scratch[begin:]}
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c - 'a' + 10)
	case 'A' <= c && c <= 'F':
		return int(c - 'A' + 10)
	}
	return -1
}

// literal reads a string whose opening parenthesis has been read. An unclosed string ends with the
// data.
func (l *lexer) literal() token {
	begin, depth := len(l.scratch), 1
	for l.at < len(l.data) {
		c := l.data[l.at]
		l.at++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return token{kind: stringToken, bytes: l.scratch[begin:]}
			}
		case '\r':
			if l.at < len(l.data) && l.data[l.at] == '\n' {
				l.at++
			}
			c = '\n'
		case '\\':
			if l.at >= len(l.data) {
				continue
			}
			c = l.data[l.at]
			l.at++
			switch c {
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case '\r':
				if l.at < len(l.data) && l.data[l.at] == '\n' {
					l.at++
				}
				continue
			case '\n':
				continue
			case '0', '1', '2', '3', '4', '5', '6', '7':
				value := int(c - '0')
				for k := 0; k < 2 && l.at < len(l.data) && '0' <= l.data[l.at] && l.data[l.at] <= '7'; k++ {
					value = value<<3 | int(l.data[l.at]-'0')
					l.at++
				}
				c = byte(value)
			}
		}
		l.scratch = append(l.scratch, c)
	}
	return token{kind: stringToken, bytes: l.scratch[begin:]}
}

func (l *lexer) hex() token {
	begin, half := len(l.scratch), -1
	for l.at < len(l.data) {
		c := l.data[l.at]
		l.at++
		if c == '>' {
			break
		}
		d := hexDigit(c)
		switch {
		case d < 0:
		case half < 0:
			half = d
		default:
			l.scratch = append(l.scratch, byte(half<<4|d))
			half = -1
		}
	}
	if half >= 0 {
		l.scratch = append(l.scratch, byte(half<<4))
	}
	return token{kind: stringToken, bytes: l.scratch[begin:]}
}

// parser reads objects from tokens.
type parser struct {
	lexer
	decrypt  func([]byte) []byte // of strings; nil for none
	elements int
}

// object reads the next object. An unknown keyword is nil. ok is false at the end and before a closing
// delimiter, which is left unread.
func (p *parser) object(depth int) (o object, ok bool) {
	before := p.at
	t := p.next()
	if p.elements++; p.elements > maxElements || depth > maxObjectDepth {
		p.at = len(p.data)
		return nil, false
	}
	switch t.kind {
	case endToken:
		return nil, false
	case closeArray, closeDict:
		p.at = before
		return nil, false
	case numberToken:
		if number, isReference := p.reference(t.number); isReference {
			return number, true
		}
		return t.number, true
	case nameToken:
		return name(t.bytes), true
	case stringToken:
		return p.string(t.bytes), true
	case openArray:
		return p.array(depth), true
	case openDict:
		return p.dict(depth), true
	}
	switch string(t.bytes) {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null":
		return nil, true
	case "endobj", "stream", "endstream", "xref", "trailer":
		p.at = before
		return nil, false
	}
	return nil, true
}

func (p *parser) string(bytes []byte) text {
	if p.decrypt != nil {
		bytes = p.decrypt(bytes)
	}
	s := text(bytes)
	p.scratch = p.scratch[:0]
	return s
}

// reference reads the rest of "12 0 R" if number begins one, and otherwise nothing.
func (p *parser) reference(number float64) (reference, bool) {
	if number < 0 || number != math.Trunc(number) || number > math.MaxInt32 {
		return reference{}, false
	}
	before := p.at
	if p.skipSpace(); p.at < len(p.data) && '0' <= p.data[p.at] && p.data[p.at] <= '9' {
		generation := p.next()
		p.skipSpace()
		if generation.kind == numberToken && p.at < len(p.data) && p.data[p.at] == 'R' && (p.at+1 == len(p.data) || classes[p.data[p.at+1]] != regular) {
			p.at++
			return reference{int(number), int(min(generation.number, 1<<16))}, true
		}
	}
	p.at = before
	return reference{}, false
}

func (p *parser) array(depth int) array {
	a := array{}
	for {
		o, ok := p.object(depth + 1)
		if !ok {
			p.skipClose(closeArray)
			return a
		}
		a = append(a, o)
	}
}

func (p *parser) dict(depth int) dict {
	d := dict{}
	for {
		before := p.at
		switch key := p.next(); key.kind {
		case nameToken:
			k := name(key.bytes)
			value, ok := p.object(depth + 1)
			if ok && value != nil {
				if _, twice := d[k]; !twice {
					d[k] = value
				}
			}
		case closeDict, endToken:
			return d
		case keywordToken:
			if slices.Contains([]string{"endobj", "stream", "endstream"}, string(key.bytes)) {
				p.at = before
				return d
			}
		}
	}
}

// skipClose skips the delimiter that closes an array; anything else is left unread.
func (p *parser) skipClose(kind tokenKind) {
	before := p.at
	if p.next().kind != kind { // "[1 2 >>" ends with the dictionary around it
		p.at = before
	}
}
