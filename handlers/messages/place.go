package messages

import (
	"fmt"

	"lacuna/knowledge/passage"
)

// At returns where a line of a passage stands, in the unit of its file: a page, a paragraph, a cell, a
// part, a slide or a line. name names the file. A line of 0 is unknown.
func At(name string, p *passage.Passage, line int) string {
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
