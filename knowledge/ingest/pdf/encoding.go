package pdf

import (
	"compress/gzip"
	"embed"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// The tables are Adobe's; tables/README.md says what each is, from where, and under which notice.
//
//go:embed tables/*.txt tables/cids.gz
var tables embed.FS

// encoding holds the text of each code of a simple font; "" if the code has none.
type encoding [256]string

// glyphTables holds the embedded tables.
type glyphTables struct {
	letters  map[string]string // of glyph names
	zapf     map[string]string // of the glyph names of ZapfDingbats, such as "a10"
	standard encoding
	symbol   encoding
	dingbats encoding
	names    [256]string               // of StandardEncoding
	strings  []string                  // standard strings of CFF by their number
	widths   map[string]map[string]int // of the letters of each standard font
}

var loadTables = sync.OnceValue(func() *glyphTables {
	t := &glyphTables{letters: make(map[string]string, 4300), zapf: map[string]string{}, widths: map[string]map[string]int{}}
	lines := func(file string, each func(line string)) {
		content, err := tables.ReadFile("tables/" + file)
		if err != nil {
			panic(err) // it is part of the program
		}
		for line := range strings.Lines(string(content)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				each(line)
			}
		}
	}
	for list, letters := range map[string]map[string]string{"zapfdingbats.txt": t.zapf, "glyphlist.txt": t.letters} {
		lines(list, func(line string) {
			glyph, codes, _ := strings.Cut(line, ";")
			var b strings.Builder
			for code := range strings.FieldsSeq(codes) {
				r, _ := strconv.ParseUint(code, 16, 32)
				b.WriteRune(rune(r))
			}
			letters[glyph] = b.String()
		})
	}
	t.strings = []string{".notdef"}
	fonts := []string{"Helvetica", "Helvetica-Bold", "Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"}
	for _, font := range append(fonts, "Symbol", "ZapfDingbats") {
		t.widths[font] = map[string]int{}
	}
	single := ""
	lines("metrics.txt", func(line string) {
		if line[0] == '@' {
			single = line[1:]
			return
		}
		fields := strings.Fields(line)
		letters := t.letters[fields[0]]
		if single == "ZapfDingbats" {
			letters = t.zapf[fields[0]]
		}
		code, _ := strconv.Atoi(fields[1])
		if single == "" {
			for i, font := range fonts {
				t.widths[font][letters], _ = strconv.Atoi(fields[2+i])
			}
			if code >= 0 {
				t.standard[code], t.names[code] = letters, fields[0]
				t.strings = append(t.strings, fields[0])
			}
			return
		}
		t.widths[single][letters], _ = strconv.Atoi(fields[2])
		if code >= 0 && single == "Symbol" {
			t.symbol[code] = letters
		} else if code >= 0 {
			t.dingbats[code] = letters
		}
	})
	lines("cffstrings.txt", func(line string) { t.strings = append(t.strings, strings.Fields(line)...) })
	return t
})

// cidTables holds the character of each CID, big-endian in 16 bits, by ordering.
var cidTables = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{}
	packed, err := tables.Open("tables/cids.gz")
	if err != nil {
		panic(err) // it is part of the program
	}
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		panic(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		panic(err)
	}
	for _, ordering := range []string{"GB1", "CNS1", "Japan1", "Korea1"} {
		n := 2 * int(binary.BigEndian.Uint16(data))
		all[ordering], data = data[2:2+n], data[2+n:]
	}
	return all
})

// cidText returns the character of a CID in one of Adobe's orderings, or "" if it has none.
func cidText(ordering string, cid int) string {
	table := cidTables()[ordering]
	if cid < 0 || 2*cid+1 >= len(table) {
		return ""
	}
	if r := binary.BigEndian.Uint16(table[2*cid:]); r > 0 {
		return string(rune(r))
	}
	return ""
}

// glyphText returns the text of a glyph name by the rules of the Adobe Glyph List: it ignores a suffix
// after a full stop, reads parts joined by "_" as one letter each, and understands "uni00B5" and
// "u1D49C". It returns "" for any other name.
func glyphText(glyph string) string {
	letters := loadTables().letters
	if found, known := letters[glyph]; known {
		return found
	}
	if i := strings.IndexByte(glyph, '.'); i >= 0 {
		glyph = glyph[:i]
	}
	if found, known := letters[glyph]; known || glyph == "" {
		return found
	}
	if strings.Contains(glyph, "_") {
		var b strings.Builder
		for part := range strings.SplitSeq(glyph, "_") {
			if !strings.Contains(part, "_") {
				b.WriteString(glyphText(part))
			}
		}
		return b.String()
	}
	if hex, found := strings.CutPrefix(glyph, "uni"); found && len(hex) >= 4 && len(hex)%4 == 0 && len(hex) < 64 {
		var units []uint16
		for ; len(hex) > 0; hex = hex[4:] {
			unit, err := strconv.ParseUint(hex[:4], 16, 16)
			if err != nil {
				return ""
			}
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	}
	if hex, found := strings.CutPrefix(glyph, "u"); found && len(hex) >= 4 && len(hex) <= 6 {
		if r, err := strconv.ParseUint(hex, 16, 32); err == nil && utf8.ValidRune(rune(r)) {
			return string(rune(r))
		}
	}
	return ""
}

// winAnsi is WinAnsiEncoding: Windows-1252 with bullets at its unused codes.
var winAnsi = sync.OnceValue(func() *encoding {
	e := encodingFromCharmap(charmap.Windows1252)
	for code := 0x80; code < 0xa0; code++ {
		if e[code] == "" {
			e[code] = "•"
		}
	}
	return e
})

// macRoman is MacRomanEncoding.
var macRoman = sync.OnceValue(func() *encoding { return encodingFromCharmap(charmap.Macintosh) })

func encodingFromCharmap(m *charmap.Charmap) *encoding {
	var e encoding
	for code := 0x20; code < 256; code++ {
		if r := m.DecodeByte(byte(code)); r != utf8.RuneError && !(0x7f <= r && r < 0xa0) {
			e[code] = string(r)
		}
	}
	return &e
}

// baseEncoding returns an encoding of PDF 32000-1, annex D, or nil if it has none of that name.
func baseEncoding(n name) *encoding {
	switch n {
	case "WinAnsiEncoding":
		return winAnsi()
	case "MacRomanEncoding":
		return macRoman()
	case "StandardEncoding":
		return &loadTables().standard
	case "SymbolEncoding", "SymbolSetEncoding":
		return &loadTables().symbol
	case "ZapfDingbatsEncoding":
		return &loadTables().dingbats
	case "PDFDocEncoding":
		return pdfDoc()
	}
	return nil
}

// pdfDoc is PDFDocEncoding, which strings outside page content use.
var pdfDoc = sync.OnceValue(func() *encoding {
	e := encodingFromCharmap(charmap.ISO8859_1)
	for i, r := range []rune("˘ˇˆ˙˝˛˚˜") {
		e[0x18+i] = string(r)
	}
	for i, r := range []rune("•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž") {
		e[0x80+i] = string(r)
	}
	e[0xa0] = "€"
	e['\t'], e['\n'], e['\r'] = "\t", "\n", "\n"
	return e
})

// textString decodes a string outside page content: UTF-16 or UTF-8 if it begins with a byte order
// mark, else PDFDocEncoding.
func textString(s text) string {
	switch {
	case strings.HasPrefix(string(s), "\xfe\xff"):
		return utf16Text([]byte(s[2:]), 1)
	case strings.HasPrefix(string(s), "\xff\xfe"):
		return utf16Text([]byte(s[2:]), 0)
	case strings.HasPrefix(string(s), "\xef\xbb\xbf"):
		return strings.ToValidUTF8(string(s[3:]), "")
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString(pdfDoc()[c])
	}
	return b.String()
}

// utf16Text decodes UTF-16; low is the index of the low byte in each pair. It drops the escape
// sequences that name a language.
func utf16Text(data []byte, low int) string {
	units := make([]uint16, 0, len(data)/2)
	escaped := false
	for ; len(data) >= 2; data = data[2:] {
		unit := uint16(data[low]) | uint16(data[1-low])<<8
		if unit == 0x1b {
			escaped = !escaped
			continue
		}
		if !escaped {
			units = append(units, unit)
		}
	}
	return string(utf16.Decode(units))
}
