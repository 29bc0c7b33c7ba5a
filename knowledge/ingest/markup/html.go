package markup

import (
	"html"
	"regexp"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// elements says what the elements of HTML in Markdown are; a name that is missing is inline.
var elements = map[string]passage.BlockKind{
	"p": passage.Paragraph, "div": passage.Paragraph, "section": passage.Paragraph, "article": passage.Paragraph, "blockquote": passage.Paragraph,
	"details": passage.Paragraph, "center": passage.Paragraph, "figure": passage.Paragraph, "ul": passage.Paragraph, "ol": passage.Paragraph,
	"dl": passage.Paragraph, "table": passage.Paragraph, "thead": passage.Paragraph, "tbody": passage.Paragraph, "tfoot": passage.Paragraph,
	"aside": passage.Paragraph, "header": passage.Paragraph, "footer": passage.Paragraph, "main": passage.Paragraph, "hr": passage.Paragraph,
	"td": passage.Paragraph, "th": passage.Paragraph, "form": passage.Paragraph, "fieldset": passage.Paragraph, "nav": passage.Paragraph,
	"li": passage.Item, "tr": passage.Row, "dt": passage.Term, "dd": passage.Definition, "summary": passage.Admonition,
	"caption": passage.Caption, "figcaption": passage.Caption, "pre": passage.Code,
	"h1": passage.Heading, "h2": passage.Heading, "h3": passage.Heading, "h4": passage.Heading, "h5": passage.Heading, "h6": passage.Heading,
}

// unread are the elements whose content is no text.
var unread = map[string]bool{"script": true, "style": true, "template": true, "svg": true, "iframe": true, "object": true, "head": true, "noscript": true}

// maxTag bounds a tag, in bytes.
const maxTag = 8 << 10

var (
	tagName      = regexp.MustCompile(`^</?([A-Za-z][\w.:-]*)`)
	anyTag       = regexp.MustCompile(`<[^<>]*>`)
	hiddenInside = regexp.MustCompile(`(?i)\shidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0`)
)

// htmlText reads the text of a block of HTML.
type htmlText struct {
	*markdown
	at     place
	open   passage.Span // the text of the open block
	kind   passage.BlockKind
	level  int  // of headings
	lists  int  // open ones
	row    bool // in a row of a table
	heads  bool // the row has only header cells
	before bool // the row before was one of the table
	chrome document.Chrome
}

// html adds the text of a block of HTML: simple elements as the blocks they are.
func (m *markdown) html(whole passage.Span, at place) {
	h := htmlText{markdown: m, at: at}
	text := m.Text[:whole.End]
	ends := ends{}
	for i := whole.Start; i < whole.End; {
		lt := strings.IndexByte(text[i:], '<')
		if lt < 0 {
			h.words(i, whole.End)
			break
		}
		h.words(i, i+lt)
		i += lt
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "<!--"):
			end := ends.behind(text, i+4, "-->")
			h.flush()
			m.apart = true
			i = end
		case strings.HasPrefix(rest, "<!"), strings.HasPrefix(rest, "<?"):
			i = ends.behind(text, i+2, ">")
		case tagName.MatchString(rest[:min(len(rest), 200)]):
			i = h.tag(text, i, ends)
		default:
			h.words(i, i+1)
			i++
		}
	}
	h.row = false
	h.flush()
}

// behind returns the offset behind the next mark, or the end of the text.
func (e ends) behind(text string, from int, mark string) int {
	if none, ok := e[mark]; ok && from >= none {
		return len(text)
	}
	at := strings.Index(text[min(from, len(text)):], mark)
	if at < 0 {
		e[mark] = from
		return len(text)
	}
	return from + at + len(mark)
}

// tag reads the tag at an offset, and returns what is behind it or behind an element that is not read.
func (h *htmlText) tag(text string, at int, ends ends) int {
	name := strings.ToLower(tagName.FindStringSubmatch(text[at:min(len(text), at+200)])[1])
	end := tagEnd(text, at)
	closing := text[at+1] == '/'
	if !closing && (unread[name] || hiddenInside.MatchString(text[at:end])) && !strings.HasSuffix(text[at:end], "/>") {
		h.flush()
		h.apart = true
		return ends.behind(text, end, "</"+name+">")
	}
	kind, block := elements[name]
	switch {
	case name == "br" || name == "img" || !block:
		return end
	case name == "td" || name == "th":
		if !closing {
			h.heads = h.heads && name == "th"
		}
		if h.row {
			return end
		}
	case h.row && name != "tr" && name != "table":
		return end
	}
	h.flush()
	switch name {
	case "ul", "ol":
		if h.lists += map[bool]int{false: 1, true: -1}[closing]; h.lists < 0 {
			h.lists = 0
		}
	case "tr":
		h.row, h.heads = !closing, true
	case "table":
		h.row, h.before = false, false
	case "nav":
		h.chrome = document.Content
		if !closing {
			h.chrome = document.Navigation
		}
	case "pre":
		if !closing {
			stop := ends.behind(text, end, "</pre>")
			h.verbatim(passage.Span{Start: end, End: end + len(strings.TrimSuffix(text[end:stop], "</pre>"))}, h.at)
			return stop
		}
	}
	h.kind = passage.Paragraph
	if !closing {
		h.kind = kind
	}
	if kind == passage.Heading {
		h.level = int(name[1] - '0')
	}
	return end
}

// tagEnd returns the offset behind a tag. Quotation marks in it hide what they enclose.
func tagEnd(text string, at int) int {
	quote := byte(0)
	for i := at + 1; i < len(text) && i < at+maxTag; i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	if gt := strings.IndexByte(text[at:min(len(text), at+maxTag)], '>'); gt >= 0 {
		return at + gt + 1
	}
	return min(len(text), at+maxTag)
}

// words adds text to the open block.
func (h *htmlText) words(start, end int) {
	s := trim(h.Text, passage.Span{Start: start, End: end})
	if s.Len() == 0 {
		return
	}
	if h.open.Len() == 0 {
		h.open.Start = s.Start
	}
	h.open.End = s.End
}

// flush ends the open block.
func (h *htmlText) flush() {
	s := h.open
	h.open = passage.Span{}
	if s.Len() == 0 {
		return
	}
	b := document.Block{Kind: h.kind, Span: s, Level: h.at.level, Chrome: h.chrome}
	switch {
	case h.row:
		b.Kind, b.Together = passage.Row, h.before
		if h.heads {
			b.Kind = passage.HeaderRow
		}
		h.before = true
	case h.kind == passage.Row:
		b.Kind = passage.Paragraph
	case h.kind == passage.Item:
		b.Level = h.at.level + max(1, h.lists)
	case h.kind == passage.Heading:
		if h.at.quoted {
			b.Kind = passage.Paragraph
			break
		}
		b.Level = h.level
		b.Label = plaintext.OneLine(html.UnescapeString(anyTag.ReplaceAllString(h.Text[s.Start:s.End], "")))
	case h.kind == passage.Paragraph && b.Level == 0:
		b.Lead = h.at.lead
	}
	if !templateLine.MatchString(h.Text[s.Start:s.End]) {
		h.add(b)
	}
	h.kind = passage.Paragraph
}
