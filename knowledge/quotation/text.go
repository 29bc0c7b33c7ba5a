package quotation

import (
	"strings"

	"lacuna/knowledge/passage"
)

// Part is a part of a quote with a place where it stands.
type Part struct {
	Text    string // of the source, as a reader sees it
	Passage *passage.Passage
	Span    passage.Span // of Passage.Text
}

// text is a passage as a reader sees it.
type text struct {
	passage *passage.Passage
	shown   *passage.Rendering
	plain   string
	tokens  []token
}

func read(p *passage.Passage) *text {
	r := p.Render()
	plain := r.Span(passage.Span{End: len(p.Text)})
	return &text{p, r, plain, tokensOf(plain)}
}

// isIn reports whether a passage stands in a file, of whose path the end is named; in any if the name is empty.
func isIn(p *passage.Passage, file string) bool {
	if file == "" {
		return true
	}
	path := strings.ReplaceAll(p.Place.File, `\`, "/")
	return strings.HasSuffix(path, file) && (len(path) == len(file) || path[len(path)-len(file)-1] == '/')
}

func (t *text) part(from, to int) Part {
	shown := t.plain[t.tokens[from].start:t.tokens[to-1].end]
	span, found := t.shown.Find(shown)
	if !found {
		span = passage.Span{End: len(t.passage.Text)}
	}
	return Part{shown, t.passage, span}
}

func (t *text) stretch(from, to int) string {
	if from >= to {
		return ""
	}
	return t.plain[t.tokens[from].start:t.tokens[to-1].end]
}
