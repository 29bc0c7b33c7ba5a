package messages

import (
	"fmt"
	"path"
	"time"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// maxCitationTitle bounds the characters that name a page in a note.
const maxCitationTitle = 60

// CitationTitle names a place of a source as a lean answer shows it: the page's title, where in it, and its date.
func CitationTitle(p *passage.Passage, line int) string {
	name := plaintext.OneLine(p.Title)
	switch {
	case name == "" && p.Kind == passage.QA:
		name = p.Source
	case name == "":
		name = path.Base(p.Record)
	}
	name = Shorten(name, maxCitationTitle)
	if line > 0 && p.Published == nil && passage.UnitOf(p.Place.File) == passage.Lines {
		name += fmt.Sprintf(", line %d", line)
	} else {
		name = At(name, p, line)
	}
	if date := plaintext.OneLine(p.Date); date != "" {
		name += ", " + date
	}
	return sanitise.Visible(name)
}

// At returns where a line of a passage stands, in the unit of its file: a page, a paragraph, a cell, a
// part, a slide or a line. name names the file. A line of 0 is unknown. Of a passage that was published elsewhere it says by
// whom and when.
func At(name string, p *passage.Passage, line int) string {
	if p.Published != nil { // the line would be that of our copy
		return fmt.Sprintf("%s, published by %s on %s", name, p.Published.By, p.Published.On.Format(time.DateOnly))
	}
	if line <= 0 {
		return name
	}
	switch passage.UnitOf(p.Place.File) {
	case passage.Pages:
		if printed := p.About.PageLabel(line); printed != "" {
			return fmt.Sprintf("%s, p. %s (%d)", name, printed, line)
		}
		return fmt.Sprintf("%s, p. %d", name, line)
	case passage.Paragraphs:
		return fmt.Sprintf("%s, par. %d", name, line)
	case passage.Cells:
		return fmt.Sprintf("%s, cell %d", name, line)
	case passage.Parts:
		return fmt.Sprintf("%s, part %d", name, line)
	case passage.Slides:
		return fmt.Sprintf("%s, slide %d", name, line)
	}
	return fmt.Sprintf("%s:%d", name, line)
}
