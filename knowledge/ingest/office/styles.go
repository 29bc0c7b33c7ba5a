package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"lacuna/knowledge/ingest/archive"
)

// Levels of paragraphs that are no headings by number.
const (
	noLevel       = 0
	titleLevel    = -1
	subtitleLevel = -2
	bodyLevel     = -3 // text by its own word, whatever its style
)

// style is a style of a Word document.
type style struct {
	name     string // in English, whatever the language of the program; lower case
	basedOn  string
	level    int // of a heading, or one of the levels above
	number   string
	depth    int // of number; -1 if not given
	hidden   state
	bold     state
	firstRow bool // of a table style: the first row looks different
}

// state is a property that is on, off or not given.
type state int8

const (
	unset state = iota
	on
	off
)

// toggle returns what an element such as w:b says.
func toggle(e xml.StartElement) state {
	switch archive.Attribute(e, "val") {
	case "0", "false", "off", "none":
		return off
	}
	return on
}

// styles holds the styles by identifier. One that is based on others is resolved when it is first used.
type styles struct {
	byID     map[string]*style
	resolved map[string]*style
	defaults string // the identifier of the default style of paragraphs
}

// maxBases bounds the styles that one style is based on, so that a loop ends.
const maxBases = 64

// of returns a style with what it takes from those it is based on.
func (s *styles) of(id string) *style {
	if id == "" {
		id = s.defaults
	}
	if r := s.resolved[id]; r != nil {
		return r
	}
	r := &style{depth: -1}
	at := id
	for n := 0; at != "" && n < maxBases; n++ {
		base := s.byID[at]
		if base == nil {
			break
		}
		if n == 0 {
			r.name = base.name
		}
		if r.level == noLevel {
			r.level = base.level
		}
		if r.number == "" {
			r.number = base.number
		}
		if r.depth < 0 {
			r.depth = base.depth
		}
		if r.hidden == unset {
			r.hidden = base.hidden
		}
		if r.bold == unset {
			r.bold = base.bold
		}
		r.firstRow = r.firstRow || base.firstRow
		at = base.basedOn
	}
	if s.byID[id] == nil {
		r.level, r.name = levelOf(id), strings.ToLower(id)
	}
	s.resolved[id] = r
	return r
}

// newStyles returns styles without any.
func newStyles() *styles {
	return &styles{byID: map[string]*style{}, resolved: map[string]*style{}}
}

// reader reads the part with the styles.
func (s *styles) reader() archive.TokenReader {
	var open *style
	inConditional := 0
	return func(token xml.Token, _ int) error {
		if end, ok := token.(xml.EndElement); ok {
			switch end.Name.Local {
			case "style":
				open = nil
			case "tblStylePr":
				inConditional--
			}
			return nil
		}
		e, ok := token.(xml.StartElement)
		if !ok || !isWord(e.Name) {
			return nil
		}
		value := archive.Attribute(e, "val")
		if e.Name.Local == "style" {
			open = &style{depth: -1}
			id := archive.Attribute(e, "styleId")
			if s.byID[id] == nil {
				s.byID[id] = open
			}
			if d := archive.Attribute(e, "default"); (d == "1" || d == "true" || d == "on") && archive.Attribute(e, "type") == "paragraph" {
				s.defaults = id
			}
			return nil
		}
		if e.Name.Local == "tblStylePr" {
			inConditional++
			if open != nil && archive.Attribute(e, "type") == "firstRow" {
				open.firstRow = true
			}
		}
		if open == nil || inConditional > 0 {
			return nil
		}
		switch e.Name.Local {
		case "name":
			open.name = strings.ToLower(value)
			if level := levelOf(value); level != noLevel {
				open.level = level
			}
		case "basedOn":
			open.basedOn = value
		case "outlineLvl":
			if level := outlineLevel(value); level != noLevel && open.level == noLevel {
				open.level = level
			}
		case "numId":
			open.number = value
		case "ilvl":
			if n, err := strconv.Atoi(value); err == nil {
				open.depth = n
			}
		case "vanish":
			open.hidden = toggle(e)
		case "b":
			open.bold = toggle(e)
		}
		return nil
	}
}

// outlineLevel returns the level that an outline level stands for.
func outlineLevel(value string) int {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil || n < 0:
		return noLevel
	case n >= 9:
		return bodyLevel
	}
	return n + 1
}

// levelOf returns the level that a style's name stands for, or 0.
func levelOf(name string) int {
	name = strings.ToLower(name)
	switch name {
	case "title":
		return titleLevel
	case "subtitle":
		return subtitleLevel
	}
	number, ok := strings.CutPrefix(name, "heading")
	level, err := strconv.Atoi(strings.TrimSpace(number))
	if !ok || err != nil || level < 1 || level > 9 {
		return noLevel
	}
	return level
}

// isWord reports whether a name belongs to WordprocessingML, in either of its two versions.
func isWord(name xml.Name) bool {
	return strings.Contains(name.Space, "wordprocessingml") && strings.HasSuffix(name.Space, "main")
}
