package office

import (
	"encoding/xml"
	"strings"
	"unicode"

	"lacuna/knowledge/ingest/archive"
)

// formula writes a formula of Office on one line, as one would type it: (a+b)/c, x^2.
type formula struct {
	text []byte
	open []formulaPart
}

// formulaPart is an open element of a formula.
type formulaPart struct {
	name               string
	start              int // of its text
	begin, end, middle string
	children           int // elements of the argument that have begun
}

// maxFormula bounds the text of one formula, in bytes.
const maxFormula = 1 << 16

func (f *formula) write(text string) {
	if len(f.text) < maxFormula {
		f.text = append(f.text, text...)
	}
}

func isMath(name xml.Name) bool {
	return strings.Contains(name.Space, "officeDocument/") && strings.HasSuffix(name.Space, "/math")
}

// start handles the beginning of an element; inText reports that its text belongs to the formula.
func (f *formula) start(e xml.StartElement) (inText bool) {
	var up formulaPart
	if n := len(f.open); n > 0 {
		f.open[n-1].children++
		up = f.open[n-1]
	}
	part := formulaPart{name: e.Name.Local, start: len(f.text)}
	value := archive.Attribute(e, "val")
	owner := func() *formulaPart { // of the properties that hold e
		if n := len(f.open); n > 1 {
			return &f.open[n-2]
		}
		return &formulaPart{}
	}
	switch e.Name.Local {
	case "t":
		inText = true
	case "d":
		part.begin, part.end, part.middle = "(", ")", "|"
	case "nary":
		part.begin = "∫"
	case "begChr":
		owner().begin = value
	case "endChr":
		owner().end = value
	case "sepChr":
		owner().middle = value
	case "chr":
		if o := owner(); o.name == "nary" {
			o.begin = value
		}
	case "rad":
		f.write("√")
	case "den":
		f.write("/")
	case "sup":
		f.write("^")
	case "sub":
		f.write("_")
	case "lim":
		f.write("_")
	case "e":
		switch {
		case up.name == "d" && up.middle != "":
			if text := string(f.text[up.start:]); text == "" {
				f.write(up.begin)
			} else {
				f.write(up.middle)
			}
		case up.name == "m" || up.name == "mr" || up.name == "eqArr" || up.name == "func" || up.name == "nary":
			f.write(" ")
		}
	case "mr":
		f.write(" ")
	}
	part.start = len(f.text)
	f.open = append(f.open, part)
	return inText
}

// end handles the end of an element, and reports whether the formula ends with it.
func (f *formula) end(name string) bool {
	if len(f.open) == 0 {
		return true
	}
	part := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	up := ""
	if n := len(f.open); n > 0 {
		up = f.open[n-1].name
	}
	switch name {
	case "d":
		f.write(part.end)
	case "naryPr":
		if n := len(f.open); n > 0 {
			f.write(f.open[n-1].begin)
		}
	case "num", "den", "sup", "sub", "lim":
		f.group(part.start)
	case "e":
		if up == "rad" || up == "sSup" || up == "sSub" || up == "sSubSup" {
			f.group(part.start)
		}
	}
	return len(f.open) == 0
}

// group puts brackets around the text from start on, if it is more than one name or number.
func (f *formula) group(start int) {
	inner := strings.TrimSpace(string(f.text[start:]))
	single := !strings.ContainsFunc(inner, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '′' && r != '∞'
	})
	bracketed := strings.HasPrefix(inner, "(") && strings.HasSuffix(inner, ")") && strings.Count(inner, "(") == 1
	if !single && !bracketed && inner != "" {
		inner = "(" + inner + ")"
	}
	f.text = append(f.text[:start], inner...)
}
