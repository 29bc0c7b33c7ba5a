package pdf

import (
	"strings"
	"unicode/utf8"

	xencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// cmap maps codes of one to four bytes to text or to glyph numbers (CIDs), as PDF 32000-1, 9.7.5 and
// 9.10.3 define.
type cmap struct {
	spaces   []codeSpace
	texts    map[code]string
	ranges   []codeRange
	cids     map[code]int
	vertical bool
}

// code is a character code with its length in bytes.
type code struct {
	value  uint32
	length int
}

// codeSpace is a range of codes of one length.
type codeSpace struct {
	length    int
	low, high uint32
}

// codeRange maps a range of codes to consecutive CIDs or characters.
type codeRange struct {
	length    int
	low, high uint32
	text      string // of the first code, in UTF-8; if "", the range maps to CIDs
	cid       int
}

const (
	maxMappings    = 1 << 17 // of a CMap
	maxTargetBytes = 64      // of the text of one code
	maxCMapDepth   = 8
)

// parseCMap reads a CMap. It never fails: it skips what it does not understand.
func parseCMap(f *file, o object, depth int) *cmap {
	m := &cmap{texts: map[code]string{}, cids: map[code]int{}}
	s, ok := f.resolve(o).(*stream)
	if !ok || depth > maxCMapDepth {
		return m
	}
	if used := f.resolve(s.dict["UseCMap"]); used != nil {
		m.inherit(f, used, depth)
	}
	if vertical, _ := f.number(s.dict["WMode"]); vertical == 1 {
		m.vertical = true
	}
	m.read(f, f.decode(s), depth)
	return m
}

// inherit copies the mappings of the CMap that this one extends (/UseCMap).
func (m *cmap) inherit(f *file, o object, depth int) {
	if _, isStream := o.(*stream); !isStream {
		return // a predefined CMap; the font's ordering serves instead
	}
	used := parseCMap(f, o, depth+1)
	m.spaces, m.ranges = append(m.spaces, used.spaces...), append(m.ranges, used.ranges...)
	for c, s := range used.texts {
		m.texts[c] = s
	}
	for c, n := range used.cids {
		m.cids[c] = n
	}
}

// read executes the operators of a CMap.
func (m *cmap) read(f *file, data []byte, depth int) {
	p := parser{lexer: lexer{data: data}}
	var operands array
	for {
		before := p.at
		t := p.next()
		switch t.kind {
		case endToken:
			return
		case keywordToken:
			switch string(t.bytes) {
			case "endcodespacerange":
				for ; len(operands) >= 2; operands = operands[2:] {
					low, high := parseCode(operands[0]), parseCode(operands[1])
					if low.length > 0 && low.length == high.length && len(m.spaces) < 256 {
						m.spaces = append(m.spaces, codeSpace{low.length, low.value, high.value})
					}
				}
			case "endbfchar", "endcidchar":
				for ; len(operands) >= 2; operands = operands[2:] {
					m.set(parseCode(operands[0]), operands[1])
				}
			case "endbfrange", "endcidrange":
				for ; len(operands) >= 3; operands = operands[3:] {
					m.setRange(parseCode(operands[0]), parseCode(operands[1]), operands[2])
				}
			}
			operands = operands[:0]
		default:
			p.at = before
			if o, ok := p.object(0); ok && len(operands) < maxMappings {
				operands = append(operands, o)
			} else if p.at == before {
				p.next()
			}
		}
		if len(m.texts)+len(m.cids)+len(m.ranges) > maxMappings {
			return
		}
	}
}

func parseCode(o object) code {
	s, _ := o.(text)
	if len(s) > 4 {
		s = s[:4]
	}
	c := code{length: len(s)}
	for _, b := range []byte(s) {
		c.value = c.value<<8 | uint32(b)
	}
	return c
}

// decodeTarget decodes the text that a code maps to.
func decodeTarget(s text) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	return utf16Text([]byte(s[:min(len(s), maxTargetBytes)]), 1)
}

func (m *cmap) set(c code, o object) {
	switch o := o.(type) {
	case text:
		m.texts[c] = decodeTarget(o)
	case name:
		m.texts[c] = glyphText(string(o))
	case float64:
		m.cids[c] = int(o)
	}
}

func (m *cmap) setRange(low, high code, o object) {
	if low.length == 0 || high.value < low.value {
		return
	}
	switch o := o.(type) {
	case text:
		m.ranges = append(m.ranges, codeRange{length: low.length, low: low.value, high: high.value, text: decodeTarget(o)})
	case float64:
		m.ranges = append(m.ranges, codeRange{length: low.length, low: low.value, high: high.value, cid: int(o)})
	case array:
		for i, each := range o {
			if c := low.value + uint32(i); c <= high.value && len(m.texts) < maxMappings {
				m.set(code{c, low.length}, each)
			}
		}
	}
}

// text returns the text of a code, or "" if it has none.
func (m *cmap) text(c code) string {
	if s, known := m.texts[c]; known {
		return s
	}
	for i := len(m.ranges) - 1; i >= 0; i-- {
		if r := &m.ranges[i]; r.length == c.length && r.low <= c.value && c.value <= r.high && r.text != "" {
			last, size := utf8.DecodeLastRuneInString(r.text)
			return r.text[:len(r.text)-size] + string(last+rune(c.value-r.low))
		}
	}
	return ""
}

// cid returns the CID of a code.
func (m *cmap) cid(c code) (int, bool) {
	if n, known := m.cids[c]; known {
		return n, true
	}
	for i := len(m.ranges) - 1; i >= 0; i-- {
		if r := &m.ranges[i]; r.length == c.length && r.low <= c.value && c.value <= r.high && r.text == "" {
			return r.cid + int(c.value-r.low), true
		}
	}
	return 0, false
}

// next returns the first code of s, which must not be empty.
func (m *cmap) next(s []byte) code {
	value := uint32(0)
	for length := 1; length <= min(4, len(s)); length++ {
		value = value<<8 | uint32(s[length-1])
		for _, space := range m.spaces {
			if space.length == length && inCodeSpace(value, space) {
				return code{value, length}
			}
		}
	}
	length := 2
	if len(m.spaces) > 0 {
		length = m.spaces[0].length
		for _, space := range m.spaces {
			length = min(length, space.length)
		}
	}
	return parseCode(text(s[:min(length, len(s))]))
}

// inCodeSpace reports whether each byte of a code lies in the range of that byte.
func inCodeSpace(value uint32, space codeSpace) bool {
	for shift := 0; shift < 8*space.length; shift += 8 {
		if b := value >> shift & 0xff; b < space.low>>shift&0xff || b > space.high>>shift&0xff {
			return false
		}
	}
	return true
}

// charset is a predefined CMap whose codes belong to a legacy character set.
type charset struct {
	encoding   xencoding.Encoding
	codeLength int // bytes of every code; 0 where it depends on the first byte
	spaceCID   int // CID of the space; the printable characters of ASCII follow
	sevenBit   bool
}

// predefinedCharset returns the character set of a predefined CMap (PDF 32000-1, table 118), or nil
// for Identity and unknown names.
func predefinedCharset(n name) *charset {
	s := strings.TrimSuffix(strings.TrimSuffix(string(n), "-H"), "-V")
	in := func(parts ...string) bool {
		for _, part := range parts {
			if strings.HasPrefix(s, part) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.Contains(s, "UTF32"):
		return &charset{utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), 4, 1, false}
	case strings.Contains(s, "UTF8"):
		return &charset{unicode.UTF8, 0, 1, false}
	case in("Uni"):
		return &charset{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), 2, 1, false}
	case in("GBK-EUC"):
		return &charset{simplifiedchinese.GBK, 0, 814, false}
	case in("GB-EUC", "GBKp-EUC", "GBK2K", "GBpc-EUC"):
		return &charset{simplifiedchinese.GB18030, 0, 1, false}
	case in("B5pc", "ETen-B5", "ETenms-B5", "HKscs-B5", "HKdla-B5", "HKdlb-B5", "HKgccs-B5", "HKm"):
		return &charset{traditionalchinese.Big5, 0, 1, false}
	case in("90ms-RKSJ"):
		return &charset{japanese.ShiftJIS, 0, 231, false}
	case strings.HasSuffix(s, "RKSJ"):
		return &charset{japanese.ShiftJIS, 0, 1, false}
	case n == "EUC-H" || n == "EUC-V":
		return &charset{japanese.EUCJP, 0, 231, false}
	case n == "H" || n == "V" || in("Add", "Ext", "78"):
		return &charset{japanese.EUCJP, 2, 1, true}
	case in("KSC-EUC", "KSCms-UHC", "KSCpc-EUC"):
		return &charset{korean.EUCKR, 0, 1, false}
	}
	return nil
}

func (l *charset) next(s []byte) code {
	length := l.codeLength
	if length == 0 {
		length = 2
		switch first := s[0]; {
		case first < 0x80, l.encoding == japanese.ShiftJIS && 0xa0 <= first && first < 0xe0:
			length = 1
		case l.encoding == unicode.UTF8:
			_, length = utf8.DecodeRune(s)
		case l.encoding == simplifiedchinese.GB18030 && len(s) >= 4 && '0' <= s[1] && s[1] <= '9':
			length = 4
		}
	}
	return parseCode(text(s[:min(length, len(s))]))
}

func (l *charset) text(c code) string {
	raw := make([]byte, c.length)
	for i := range raw {
		raw[i] = byte(c.value >> (8 * (c.length - 1 - i)))
		if l.sevenBit {
			raw[i] |= 0x80
		}
	}
	decoded, err := l.encoding.NewDecoder().Bytes(raw)
	if err != nil || strings.ContainsRune(string(decoded), utf8.RuneError) {
		return ""
	}
	return string(decoded)
}
