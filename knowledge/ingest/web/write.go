package web

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

func (w *writer) write() error {
	w.frames = []frame{{at: -1, kind: passage.Paragraph}}
	w.each(0, w.enter, w.leave)
	w.boundary()
	return w.err
}

func (w *writer) enter(at int32) bool {
	n := &w.nodes[at]
	switch {
	case w.err != nil:
		return false
	case n.omitted != "":
		w.skip(at)
		return false
	case n.chrome != document.Content:
		w.writeChrome(at)
		return false
	case n.isText():
		w.text(n.text, n.line)
		return false
	}
	switch n.tag {
	case atom.Br:
		w.breaks++
		w.last = ' '
		return false
	case atom.Img:
		w.picture(n)
		return false
	case atom.Wbr:
		return false
	case atom.Sup, atom.Sub:
		return w.script(at)
	case atom.A:
		if n.isRole("doc-noteref") || strings.Contains(n.attribute("epub:type"), "noteref") {
			return w.script(at)
		}
	case atom.Q:
		w.text("“", n.line)
		return true
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		w.pre(at)
		return false
	case atom.Table:
		if w.isData(at) {
			w.table(at)
			return false
		}
	}
	if !n.isBlock() {
		if n.isRole("heading") {
			w.heading(at)
		}
		return true
	}
	if w.top().kind == passage.Heading { // nothing stands inside a heading
		w.b.Space()
		w.last = ' '
		return true
	}
	w.boundary()
	switch n.tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(at)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		w.openList(at)
	case atom.Li:
		w.item(at)
	case atom.Dt:
		w.push(frame{at: at, kind: passage.Term})
	case atom.Dd:
		w.push(frame{at: at, kind: passage.Definition})
	case atom.Figcaption, atom.Caption:
		w.push(frame{at: at, kind: passage.Caption})
	case atom.Summary:
		w.push(frame{at: at, kind: passage.Term})
	case atom.Details:
		w.push(frame{at: at, kind: passage.Definition})
	default:
		w.container(at)
	}
	return true
}

// captionWords is the number of words from which what stands in for a picture tells what it shows.
const captionWords = 6

// picture writes what stands in for a picture, if that is more than a name and no text is around it.
func (w *writer) picture(n *node) {
	words := countWords(n.attribute("alt"))
	if words < captionWords || w.begun || w.top().kind != passage.Paragraph || w.err != nil {
		w.b.Omit("pictures", int(words))
		return
	}
	w.b.Omit("pictures", 0)
	w.b.Begin(passage.Caption, 0)
	w.err = w.b.Words(clean(n.attribute("alt")), w.place(n.line))
	w.b.End()
}

func (w *writer) leave(at int32) {
	n := &w.nodes[at]
	if n.tag == atom.Q && n.omitted == "" && n.chrome == document.Content {
		w.glue("”", n.line)
	}
	if f := w.top(); f.at == at {
		kind := f.kind
		w.b.End()
		w.begun, w.breaks, w.last = false, 0, ' '
		w.frames = w.frames[:len(w.frames)-1]
		if (n.tag == atom.Summary || kind == passage.Admonition) && f.used {
			w.top().lead = len(w.b.Blocks)
		}
	} else if n.isBlock() {
		w.boundary()
	}
	if k := len(w.lists); k > 0 && w.lists[k-1].at == at {
		w.lists = w.lists[:k-1]
	}
	if n.tag == atom.Li {
		w.marker = ""
	}
}

// skip counts what is left out.
func (w *writer) skip(at int32) {
	switch what := w.nodes[at].omitted; what {
	case "-":
	case "hidden":
		w.b.Hidden++
	default:
		if words := w.wordsIn(at, 1<<20); words > 0 {
			w.b.Omit(what, int(words))
		}
	}
}

// writeChrome writes an element that is not content as one block.
func (w *writer) writeChrome(at int32) {
	n := &w.nodes[at]
	w.b.End()
	w.b.Begin(passage.Paragraph, 0)
	w.b.Chrome(n.chrome)
	for i := at + 1; i < n.end && w.err == nil; {
		c := &w.nodes[i]
		if c.omitted != "" {
			w.skip(i)
			i = c.end
			continue
		}
		if c.isText() {
			w.err = w.b.Words(clean(c.text), w.place(c.line))
		} else if c.isBlock() || c.tag == atom.Br {
			w.b.Space()
		}
		i++
	}
	w.b.End()
	w.begun, w.breaks, w.last = false, 0, ' '
}

// longestHeading is the number of words from which a heading element is a mistake of the page.
const longestHeading = 80

func (w *writer) heading(at int32) {
	n := &w.nodes[at]
	level := 2
	switch {
	case headings[n.tag]:
		level = int(n.tag.String()[1] - '0')
	default:
		if l, err := strconv.Atoi(n.attribute("aria-level")); err == nil && 1 <= l && l <= 9 {
			level = l
		}
	}
	if n.words > longestHeading {
		return
	}
	w.push(frame{at: at, kind: passage.Heading, level: level + w.part.Level})
}

func (w *writer) openList(at int32) {
	n := &w.nodes[at]
	l := list{at: at, next: 1}
	if n.tag == atom.Ol {
		l.style = "1"
		if style := n.attribute("type"); style != "" && strings.Contains("aAiI", style) {
			l.style = style
		}
		if start, err := strconv.Atoi(n.attribute("start")); err == nil && start > -1e6 && start < 1e6 {
			l.next = start
		}
	}
	w.lists = append(w.lists, l)
}

func (w *writer) item(at int32) {
	f := frame{at: at, kind: passage.Item, level: max(1, len(w.lists))}
	w.marker = "-"
	if k := len(w.lists); k > 0 {
		l := &w.lists[k-1]
		if value, err := strconv.Atoi(w.nodes[at].attribute("value")); err == nil && value > -1e6 && value < 1e6 {
			l.next = value
		}
		if l.style != "" {
			w.marker = number(l.next, l.style) + "."
		}
		l.next++
	}
	if w.isNote(at) {
		f = frame{at: at, kind: passage.Footnote}
	}
	w.push(f)
}

// number writes a number in a style of lists.
func number(n int, style string) string {
	switch {
	case n < 1 || n > 3999:
	case (style == "a" || style == "A") && n <= 26:
		return string(rune(style[0]) + rune(n) - 1)
	case style == "i" || style == "I":
		var b strings.Builder
		for i, value := range []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1} {
			for ; n >= value; n -= value {
				b.WriteString([]string{"m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"}[i])
			}
		}
		if style == "I" {
			return strings.ToUpper(b.String())
		}
		return b.String()
	}
	return strconv.Itoa(n)
}

// isNote reports whether an element is a footnote.
func (w *writer) isNote(at int32) bool {
	for depth := 0; depth < 4 && at > 0; depth++ {
		n := &w.nodes[at]
		kind := " " + n.attribute("epub:type") + " " + n.attribute("role") + " " + n.attribute("class") + " "
		for _, name := range []string{" footnote ", " endnote ", " rearnote ", " doc-footnote ", " doc-endnote ", " doc-endnotes ", " footnotes ", " endnotes ", " rearnotes "} {
			if strings.Contains(kind, name) {
				return true
			}
		}
		if depth == 0 && n.tag != atom.Li {
			return false
		}
		at = n.parent
	}
	return false
}

// admonitions are words in the names of elements that stand for a note or a warning.
var admonitions = map[string]bool{
	"note": true, "warning": true, "tip": true, "caution": true, "important": true, "danger": true, "admonition": true, "callout": true, "alert": true, "hint": true,
	"attention": true, "error": true, "admonitionblock": true, "notice": true, "info": true,
}

// container opens a frame for a block that says what it is: a note, a footnote, or the title of a note.
func (w *writer) container(at int32) {
	n := &w.nodes[at]
	if n.attributes == nil {
		return
	}
	switch {
	case n.isRole("heading"):
		w.heading(at)
	case w.isNote(at):
		w.push(frame{at: at, kind: passage.Footnote})
	case w.isAdmonition(n) && n.words < 400:
		f := *w.top()
		w.push(frame{at: at, kind: f.kind, level: f.level, lead: f.lead})
	case n.words > 0 && n.words <= 12 && n.heads == 0 && strings.Contains(n.attribute("class"), "title") && w.isAdmonition(&w.nodes[n.parent]) && w.nodes[n.parent].first <= at:
		w.push(frame{at: at, kind: passage.Admonition})
	}
}

// isAdmonition reports whether an element stands for a note or a warning.
func (w *writer) isAdmonition(n *node) bool {
	if n.isRole("note", "alert", "doc-tip", "doc-notice") {
		return true
	}
	for _, class := range strings.Fields(strings.ToLower(n.attribute("class"))) {
		if admonitions[class] || strings.HasPrefix(class, "admonition-") || strings.HasPrefix(class, "alert-") || strings.HasPrefix(class, "callout-") {
			return true
		}
	}
	return false
}

// script writes a word that is raised or lowered. It must neither join the number before it to another
// one nor leave it.
func (w *writer) script(at int32) bool {
	n := &w.nodes[at]
	text := w.textOf(at, 200)
	if text == "" {
		return false
	}
	if strings.Count(text, " ") > 2 || len(text) > 40 || !w.begun || w.last == ' ' {
		return true
	}
	reference := false
	for i := at; i < n.end; i++ {
		reference = reference || w.nodes[i].tag == atom.A && w.nodes[i].attribute("href") != ""
	}
	if up := &w.nodes[n.parent]; up.tag == atom.A && strings.HasPrefix(up.attribute("href"), "#") {
		reference = true
	}
	switch {
	case reference && n.tag != atom.Sub:
		w.glue("["+strings.Trim(text, "[]()")+"]", n.line)
	case n.tag == atom.Sup:
		w.glue(raised(w.last, text), n.line)
	case unicode.IsDigit(w.last) && unicode.IsDigit([]rune(text)[0]):
		w.glue("_"+text, n.line)
	default:
		w.glue(text, n.line)
	}
	return false
}
