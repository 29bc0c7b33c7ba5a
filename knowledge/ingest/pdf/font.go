package pdf

import "github.com/ledongthuc/pdf"

// font decodes the codes of a font and knows how wide they are.
type font struct {
	codeLength int // in bytes
	encoding   pdf.TextEncoding
	known      map[string]string // letters of codes
	widths     map[int]float64   // in thousandths of the size
	otherwise  float64           // width of a code that is not listed
}

func newFont(v pdf.Value) *font {
	library := pdf.Font{V: v}
	f := &font{codeLength: 1, encoding: library.Encoder(), known: map[string]string{}, widths: map[int]float64{}}
	if v.Key("Subtype").Name() == "Type0" {
		f.codeLength = 2
		f.cidWidths(v.Key("DescendantFonts").Index(0))
		return f
	}
	for i, width := range library.Widths() {
		f.widths[library.FirstChar()+i] = width
	}
	f.otherwise = v.Key("FontDescriptor").Key("MissingWidth").Float64()
	if len(f.widths) == 0 {
		f.otherwise = 500 // one of the fonts every reader brings along; half the size is near their mean
	}
	return f
}

// cidWidths reads the widths of a composite font as in PDF 32000-1, 9.7.4.3: a code and a list of
// widths, or two codes and the width of all between.
func (f *font) cidWidths(descendant pdf.Value) {
	f.otherwise = 1000
	if given := descendant.Key("DW"); !given.IsNull() {
		f.otherwise = given.Float64()
	}
	list := descendant.Key("W")
	for i := 0; i+1 < list.Len(); {
		first := int(list.Index(i).Int64())
		if several := list.Index(i + 1); several.Kind() == pdf.Array {
			for k := range several.Len() {
				f.widths[first+k] = several.Index(k).Float64()
			}
			i += 2
			continue
		}
		last := min(int(list.Index(i+1).Int64()), 1<<16)
		for code := first; code <= last; code++ {
			f.widths[code] = list.Index(i + 2).Float64()
		}
		i += 3
	}
}

func (f *font) width(code string) float64 {
	number := 0
	for _, b := range []byte(code) {
		number = number<<8 | int(b)
	}
	if width, listed := f.widths[number]; listed {
		return width
	}
	return f.otherwise
}

func (f *font) letters(code string) string {
	letters, known := f.known[code]
	if !known {
		letters = f.encoding.Decode(code)
		f.known[code] = letters
	}
	return letters
}
