package pdf

import (
	"bytes"
	"encoding/binary"
)

// fontFile holds what an embedded font says about its glyphs.
type fontFile struct {
	codes       map[int]string // text of the codes of its own encoding
	glyphs      map[int]string // text of its glyphs by their number
	codeToGlyph map[int]int    // glyph numbers, for a symbolic TrueType font
}

const maxFontGlyphs = 1 << 16

// readFontFile reads the encoding of an embedded font and skips what it does not understand.
func readFontFile(f *file, descriptor dict) (found fontFile) {
	defer func() { _ = recover() }() // offsets are untrusted; slice bounds check them
	for _, key := range []name{"FontFile", "FontFile2", "FontFile3"} {
		s, ok := f.resolve(descriptor[key]).(*stream)
		if !ok {
			continue
		}
		data := f.decode(s)
		switch {
		case len(data) < 16:
		case bytes.HasPrefix(data, []byte("%!")), data[0] == 0x80:
			found.readType1(data)
		case bytes.HasPrefix(data, []byte("OTTO")), bytes.HasPrefix(data, []byte("\x00\x01\x00\x00")), bytes.HasPrefix(data, []byte("true")), bytes.HasPrefix(data, []byte("ttcf")):
			found.readTrueType(data)
		case data[0] == 1:
			found.readCFF(data)
		}
	}
	return found
}

// readType1 reads the unencrypted part of a Type 1 font.
func (f *fontFile) readType1(data []byte) {
	f.codes = map[int]string{}
	at := bytes.Index(data, []byte("/Encoding"))
	if at < 0 {
		return
	}
	end := bytes.Index(data, []byte("eexec"))
	if end < at {
		end = len(data)
	}
	l := lexer{data: data[:end], at: at + len("/Encoding")}
	if first := l.next(); first.kind == keywordToken && string(first.bytes) == "StandardEncoding" {
		for code, letters := range loadTables().standard {
			f.codes[code] = letters
		}
		return
	}
	last := token{}
	for {
		t := l.next()
		switch {
		case t.kind == endToken, t.kind == keywordToken && (string(t.bytes) == "def" || string(t.bytes) == "readonly"):
			return
		case t.kind == nameToken && last.kind == numberToken:
			f.codes[int(last.number)] = glyphText(string(t.bytes))
		}
		last = t
	}
}

func (f *fontFile) readTrueType(data []byte) {
	if bytes.HasPrefix(data, []byte("ttcf")) {
		data = data[binary.BigEndian.Uint32(data[12:]):]
	}
	tables := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(data[4:])) {
		record := data[12+16*i:]
		offset, length := int(binary.BigEndian.Uint32(record[8:])), int(binary.BigEndian.Uint32(record[12:]))
		if offset < len(data) {
			tables[string(record[:4])] = data[offset:min(offset+length, len(data))]
		}
	}
	if outlines, ok := tables["CFF "]; ok {
		f.readCFF(outlines)
	}
	if f.glyphs == nil {
		f.glyphs = map[int]string{}
	}
	func() {
		defer func() { _ = recover() }()
		f.readPost(tables["post"])
	}()
	f.readCharacterMaps(tables["cmap"])
}

// readPost reads the glyph names of the post table.
func (f *fontFile) readPost(post []byte) {
	if len(post) < 34 || binary.BigEndian.Uint32(post) != 0x20000 {
		return
	}
	count := int(binary.BigEndian.Uint16(post[32:]))
	var names []string
	for rest := post[34+2*count:]; len(rest) > 0 && len(names) < maxFontGlyphs; {
		length := int(rest[0])
		names = append(names, string(rest[1:1+length]))
		rest = rest[1+length:]
	}
	for glyph := range count {
		if i := int(binary.BigEndian.Uint16(post[34+2*glyph:])) - 258; i >= 0 && i < len(names) {
			if letters := glyphText(names[i]); letters != "" {
				f.glyphs[glyph] = letters
			}
		}
	}
}

// readCharacterMaps inverts the maps from characters to glyphs. If several characters share a glyph,
// the lowest counts.
func (f *fontFile) readCharacterMaps(table []byte) {
	if len(table) < 4 {
		return
	}
	f.codeToGlyph = map[int]int{}
	for i := range int(binary.BigEndian.Uint16(table[2:])) {
		record := table[4+8*i:]
		platform, kind := binary.BigEndian.Uint16(record), binary.BigEndian.Uint16(record[2:])
		offset := int(binary.BigEndian.Uint32(record[4:]))
		if offset >= len(table) {
			continue
		}
		isUnicode := platform == 0 || platform == 3 && (kind == 1 || kind == 10)
		isSymbol := platform == 3 && kind == 0
		func() {
			defer func() { _ = recover() }()
			walkCharacterMap(table[offset:], func(character, glyph int) {
				switch {
				case isUnicode && character >= 0x20 && !(0xe000 <= character && character < 0xf900):
					if known, ok := f.glyphs[glyph]; !ok || len([]rune(known)) == 1 && character < int([]rune(known)[0]) {
						f.glyphs[glyph] = string(rune(character))
					}
				case isSymbol:
					f.codeToGlyph[character&0xff] = glyph
				case platform == 1:
					if _, known := f.codeToGlyph[character]; !known {
						f.codeToGlyph[character] = glyph
					}
				}
			})
		}()
	}
}

// walkCharacterMap calls each for the entries of a subtable of format 0, 4, 6 or 12.
func walkCharacterMap(t []byte, each func(character, glyph int)) {
	u16 := func(at int) int { return int(binary.BigEndian.Uint16(t[at:])) }
	u32 := func(at int) int { return int(binary.BigEndian.Uint32(t[at:])) }
	switch u16(0) {
	case 0:
		for c := range 256 {
			each(c, int(t[6+c]))
		}
	case 4:
		n := u16(6) / 2
		for s := range n {
			last, first, delta, at := u16(14+2*s), u16(16+2*n+2*s), u16(16+4*n+2*s), u16(16+6*n+2*s)
			for c := first; c <= last && c < 0xffff; c++ {
				glyph := c + delta
				if at > 0 {
					if glyph = u16(16 + 6*n + 2*s + at + 2*(c-first)); glyph > 0 {
						glyph += delta
					}
				}
				if glyph &= 0xffff; glyph > 0 {
					each(c, glyph)
				}
			}
		}
	case 6:
		for i := range u16(8) {
			each(u16(6)+i, u16(10+2*i))
		}
	case 12:
		left := 1 << 18
		for g := range u32(12) {
			first, last, glyph := u32(16+12*g), u32(20+12*g), u32(24+12*g)
			for c := first; c <= last && left > 0; c++ {
				each(c, glyph+c-first)
				left--
			}
		}
	}
}

// readCFF reads a font in the Compact Font Format of Adobe Technical Note 5176.
func (f *fontFile) readCFF(data []byte) {
	rest := data[data[2]:]
	_, rest = readCFFIndex(rest)
	tops, rest := readCFFIndex(rest)
	own, rest := readCFFIndex(rest)
	if len(tops) == 0 {
		return
	}
	top := readCFFDict(tops[0])
	if _, byNumber := top[1230]; byNumber {
		return // a CID-keyed font, whose glyphs have no names
	}
	count := 0
	if offset := top[17]; offset > 0 {
		count = int(binary.BigEndian.Uint16(data[offset:]))
	}
	standard := loadTables().strings
	letters := func(id int) string {
		switch {
		case id < len(standard):
			return glyphText(standard[id])
		case id-len(standard) < len(own):
			return glyphText(string(own[id-len(standard)]))
		}
		return ""
	}
	ids := readCFFCharset(data, top[15], count)
	f.glyphs = make(map[int]string, count)
	for glyph, id := range ids {
		f.glyphs[glyph] = letters(id)
	}
	f.codes = map[int]string{}
	offset := top[16]
	if offset <= 1 {
		for code, s := range loadTables().standard {
			f.codes[code] = s
		}
		return
	}
	e := data[offset:]
	switch e[0] & 0x7f {
	case 0:
		for i := range int(e[1]) {
			f.codes[int(e[2+i])] = f.glyphs[i+1]
		}
		e = e[2+int(e[1]):]
	case 1:
		glyph := 1
		for i := range int(e[1]) {
			for k := range int(e[3+2*i]) + 1 {
				f.codes[int(e[2+2*i])+k] = f.glyphs[glyph]
				glyph++
			}
		}
		e = e[2+2*int(e[1]):]
	}
	if data[offset]&0x80 != 0 {
		for i := range int(e[0]) {
			f.codes[int(e[1+3*i])] = letters(int(binary.BigEndian.Uint16(e[2+3*i:])))
		}
	}
}

func readCFFIndex(data []byte) (items [][]byte, rest []byte) {
	count := int(binary.BigEndian.Uint16(data))
	if count == 0 {
		return nil, data[2:]
	}
	size := int(data[2])
	offset := func(i int) int {
		n := 0
		for _, b := range data[3+i*size : 3+(i+1)*size] {
			n = n<<8 | int(b)
		}
		return n
	}
	body := data[3+(count+1)*size-1:]
	for i := range count {
		items = append(items, body[offset(i):offset(i+1)])
	}
	return items, body[offset(count):]
}

// readCFFDict returns the first operand of each operator. A two-byte operator 12 n has the key 1200+n.
func readCFFDict(data []byte) map[int]int {
	d := map[int]int{}
	var operands []int
	for i := 0; i < len(data); {
		b := int(data[i])
		i++
		switch {
		case b == 12:
			b = 1200 + int(data[i])
			i++
			fallthrough
		case b <= 21:
			d[b] = 0
			if len(operands) > 0 {
				d[b] = operands[0]
			}
			operands = operands[:0]
		case b == 28:
			operands = append(operands, int(int16(binary.BigEndian.Uint16(data[i:]))))
			i += 2
		case b == 29:
			operands = append(operands, int(int32(binary.BigEndian.Uint32(data[i:]))))
			i += 4
		case b == 30:
			for ; data[i]&0x0f != 0x0f && data[i]>>4 != 0x0f; i++ {
			}
			i++
			operands = append(operands, 0)
		case b >= 32 && b <= 246:
			operands = append(operands, b-139)
		case b >= 247 && b <= 250:
			operands = append(operands, (b-247)*256+int(data[i])+108)
			i++
		case b >= 251 && b <= 254:
			operands = append(operands, -(b-251)*256-int(data[i])-108)
			i++
		}
	}
	return d
}

// readCFFCharset returns the string number of each glyph.
func readCFFCharset(data []byte, offset, count int) []int {
	ids := []int{0}
	if offset <= 2 { // predefined; ISOAdobe counts from 1
		for i := 1; i < min(count, 229); i++ {
			ids = append(ids, i)
		}
		return ids
	}
	format, at := data[offset], offset+1
	for len(ids) < count {
		first := int(binary.BigEndian.Uint16(data[at:]))
		at += 2
		left := 0
		switch format {
		case 1:
			left = int(data[at])
			at++
		case 2:
			left = int(binary.BigEndian.Uint16(data[at:]))
			at += 2
		}
		for k := range left + 1 {
			ids = append(ids, first+k)
		}
	}
	return ids
}
