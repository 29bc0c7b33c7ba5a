package web

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"lacuna/knowledge/passage"
)

// stretch is text that begins on a line of the page.
type stretch struct {
	text string
	line int32
}

// verbatim returns the text below a node with its line ends.
func (w *writer) verbatim(at int32) []stretch {
	var parts []stretch
	fresh := true // a line begins
	feed := func(line int32) {
		if !fresh {
			parts = append(parts, stretch{"\n", line})
		}
		fresh = true
	}
	var ends []int32 // of the open blocks
	for i := at + 1; i < w.nodes[at].end; {
		n := &w.nodes[i]
		for len(ends) > 0 && i >= ends[len(ends)-1] {
			ends = ends[:len(ends)-1]
			feed(n.line)
		}
		if n.omitted != "" && !(n.tag == atom.A && n.omitted == "-") {
			w.skip(i)
			i = n.end
			continue
		}
		switch {
		case n.isText():
			text := strings.ReplaceAll(clean(n.text), "\f", "\n")
			parts = append(parts, stretch{text, n.line})
			fresh = strings.HasSuffix(text, "\n")
		case n.tag == atom.Br:
			parts = append(parts, stretch{"\n", n.line})
			fresh = true
		case n.isBlock():
			feed(n.line)
			ends = append(ends, n.end)
		}
		i++
	}
	return parts
}

// trimmed returns stretches without blank lines at the beginning and white space at the end.
func trimmed(parts []stretch) []stretch {
	for len(parts) > 0 {
		p := &parts[0]
		for {
			line, rest, more := strings.Cut(p.text, "\n")
			if !more || strings.TrimSpace(line) != "" {
				break
			}
			p.text = rest
			p.line++
		}
		if strings.TrimSpace(p.text) != "" || len(parts) > 1 && !strings.Contains(parts[1].text, "\n") && p.text != "" {
			break
		}
		parts = parts[1:]
	}
	for len(parts) > 0 {
		p := &parts[len(parts)-1]
		if p.text = strings.TrimRight(p.text, " \t\n"); p.text != "" {
			break
		}
		parts = parts[:len(parts)-1]
	}
	return parts
}

// pre writes text that the page sets as it stands: code, or prose as letters and manuals have it.
func (w *writer) pre(at int32) {
	parts := trimmed(w.verbatim(at))
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.text)
	}
	text := all.String()
	if strings.TrimSpace(text) == "" || isLineNumbers(text) {
		return
	}
	if isProse(text) {
		w.prose(parts)
		return
	}
	if single(w.top().kind) {
		for _, p := range parts {
			w.text(p.text, p.line)
		}
		return
	}
	level := 0
	if f := w.top(); f.kind == passage.Item {
		level = f.level
	}
	w.boundary()
	w.b.Begin(passage.Code, level)
	if w.marker != "" {
		w.marker = "" // an item that is code alone
	}
	for _, p := range parts {
		line := p.line
		for part := range strings.Lines(p.text) {
			if w.err == nil {
				w.err = w.b.Verbatim(part, w.place(line))
			}
			line++
		}
	}
	w.b.End()
	w.begun, w.breaks, w.last = false, 0, ' '
}

// prose writes paragraphs that blank lines divide.
func (w *writer) prose(parts []stretch) {
	w.boundary()
	blank := false
	for _, p := range parts {
		line := p.line
		for part := range strings.Lines(p.text) {
			if strings.TrimSpace(part) == "" {
				if blank || strings.HasSuffix(part, "\n") && part != p.text && len(strings.TrimRight(part, "\n")) == 0 {
					w.boundary()
				}
				blank = strings.HasSuffix(part, "\n")
			} else {
				blank = false
				w.text(part, line)
			}
			if strings.HasSuffix(part, "\n") {
				line++
			}
		}
	}
	w.boundary()
}

// isLineNumbers reports whether text is the numbers of lines.
func isLineNumbers(text string) bool {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return false
	}
	for _, f := range fields {
		if strings.Trim(f, "0123456789") != "" {
			return false
		}
	}
	return strings.Contains(text, "\n")
}

// isProse reports whether text that is set as it stands reads as prose: long lines of words that end in
// sentences.
func isProse(text string) bool {
	words, plain, sentences, lines, long := 0, 0, 0, 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if len(line) > 200 {
			long++
		}
		for _, word := range strings.Fields(line) {
			words++
			bare := strings.Trim(word, ".,;:!?()\"'’“”")
			if bare != "" && strings.IndexFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' }) < 0 {
				plain++
			}
			if len(bare) > 2 && (strings.HasSuffix(word, ".") || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!")) {
				sentences++
			}
		}
		if strings.HasSuffix(line, ";") || strings.HasSuffix(line, "{") || strings.HasSuffix(line, "}") {
			sentences--
		}
	}
	return words >= 40 && plain*100 >= words*78 && sentences >= 2 && sentences*60 >= words && words >= 4*lines && long*2 < lines+1
}
