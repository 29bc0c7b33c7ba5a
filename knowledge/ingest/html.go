package ingest

import (
	"bytes"
	"context"
	"lacuna/knowledge/document"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"lacuna/knowledge/plaintext"
)

// extractHTML takes the text from a page. It reads tokens rather than a tree, because only tokens tell
// where in the file a word stands.
func extractHTML(_ context.Context, content []byte, _ time.Duration) (document.Document, error) {
	p := htmlPage{tokens: html.NewTokenizer(strings.NewReader(lineFeeds(string(content)))), line: 1}
	for {
		kind := p.tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := bytes.Count(p.tokens.Raw(), []byte("\n"))
		if err := p.token(kind); err != nil {
			return document.Document{}, err
		}
		p.line += raw
	}
	p.closeTo(0)
	found := p.finish()
	if found.title == "" {
		found.title = plaintext.OneLine(p.head.String())
	}
	return found.document(), nil
}

// htmlPage extracts the text of a page.
type htmlPage struct {
	textBuilder
	tokens  *html.Tokenizer
	line    int // of the file, at the beginning of the current token
	open    []element
	skipped int // number of open elements whose text is left out
	cells   int // number of open table cells
	head    strings.Builder
}

// element is an open element.
type element struct {
	name    atom.Atom
	own     string // the name of an element that HTML does not know
	skipped bool   // its text is hidden or not part of the document
	from    int    // where its text begins
	started bool   // of a row: it has a cell
}

var (
	// skippedElements hold no text of the document, or text repeated on every page of a site.
	skippedElements = atoms(atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Noembed, atom.Noframes, atom.Nav, atom.Footer,
		atom.Aside, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Button, atom.Select, atom.Textarea, atom.Head, atom.Dialog, atom.Menu)
	blockElements = atoms(atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Blockquote, atom.Pre, atom.Ul, atom.Ol,
		atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Caption, atom.Figure, atom.Figcaption, atom.Address, atom.Hr, atom.Details, atom.Summary,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Body, atom.Fieldset)
	voidElements = atoms(atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source,
		atom.Track, atom.Wbr)
	// closedBy maps an element to the elements whose start closes it without an end tag.
	closedBy = map[atom.Atom]map[atom.Atom]bool{
		atom.Li: atoms(atom.Li), atom.Dt: atoms(atom.Dt, atom.Dd), atom.Dd: atoms(atom.Dt, atom.Dd),
		atom.Td: atoms(atom.Td, atom.Th, atom.Tr), atom.Th: atoms(atom.Td, atom.Th, atom.Tr), atom.Tr: atoms(atom.Tr),
		atom.P:    atoms(append(slices.Collect(maps.Keys(blockElements)), atom.Li, atom.Td, atom.Th, atom.Tr)...),
		atom.Head: atoms(atom.Body),
	}
	hiddenStyle = regexp.MustCompile(`(?i)display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:[^.\d]|$)`)
)

func atoms(names ...atom.Atom) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func (p *htmlPage) token(kind html.TokenType) error {
	switch kind {
	case html.TextToken:
		return p.characters()
	case html.CommentToken:
		if !selfMark.Match(p.tokens.Text()) {
			p.hidden++
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		return p.start(kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		name, _ := p.tokens.TagName()
		p.end(atom.Lookup(name), string(name))
	}
	return nil
}

// characters adds the text of the current token if it is visible.
func (p *htmlPage) characters() error {
	n := len(p.open)
	switch {
	case n > 0 && p.open[n-1].name == atom.Title && p.head.Len() == 0:
		p.head.Write(p.tokens.Text())
	case p.skipped > 0:
	case slices.ContainsFunc(p.open, func(e element) bool { return e.name == atom.Pre }):
		line := p.line
		for text := range strings.Lines(string(p.tokens.Text())) {
			if err := p.words(text, line); err != nil {
				return err
			}
			if strings.HasSuffix(text, "\n") {
				p.part("\n")
				line++
			}
		}
	default:
		return p.words(string(p.tokens.Text()), p.line)
	}
	return nil
}

// start opens an element.
func (p *htmlPage) start(closed bool) error {
	name, attributes := p.tokens.TagName()
	tag := atom.Lookup(name)
	hidden := attributes && p.isHidden()
	for n := len(p.open); n > 0 && closedBy[p.open[n-1].name][tag]; n-- {
		p.closeTo(n - 1)
	}
	p.before(tag)
	if voidElements[tag] || closed && p.skipped > 0 {
		return nil
	}
	e := element{name: tag, own: ownName(tag, name), skipped: hidden || skippedElements[tag], from: p.Len()}
	if len(p.open) == maxElementDepth {
		if e.skipped || p.skipped > 0 {
			return errTooDeep // or it could not be told where what is hidden ends
		}
		return nil // as browsers do: what is in it stands in the element around it
	}
	if e.skipped {
		p.skipped++
	}
	if hidden {
		p.hidden++
	}
	if isCell(tag) {
		p.cells++
	}
	p.open = append(p.open, e)
	return nil
}

func isCell(tag atom.Atom) bool { return tag == atom.Td || tag == atom.Th }

// part ends a block. Inside a table cell nothing does.
func (p *htmlPage) part(sep string) {
	if p.cells > 0 {
		p.space = true
		return
	}
	p.gap(sep)
}

// isHidden reports whether the attributes of the current tag hide its element.
func (p *htmlPage) isHidden() bool {
	concealed := false
	for more := true; more; {
		var key, value []byte
		key, value, more = p.tokens.TagAttr()
		switch string(key) {
		case "hidden":
			concealed = true
		case "style":
			concealed = concealed || hiddenStyle.Match(value)
		}
	}
	return concealed
}

// before writes what precedes the text of an element.
func (p *htmlPage) before(tag atom.Atom) {
	switch {
	case p.skipped > 0:
	case tag == atom.Br, tag == atom.Tr:
		p.part("\n")
	case tag == atom.Li:
		p.part("\n")
		p.marker = "- "
	case isCell(tag):
		if n := len(p.open); n > 0 && p.open[n-1].name == atom.Tr {
			p.open[n-1].started = true
		}
		p.space = p.Len() > 0
		p.put("|", p.line)
		p.space = true
	case blockElements[tag]:
		p.part("\n\n")
	}
	if slices.Contains(headingTags, tag) {
		p.marker = ""
	}
}

// ownName returns the name of an element that HTML does not know, such as one of a drawing, to tell
// such elements apart.
func ownName(tag atom.Atom, name []byte) string {
	if tag != 0 {
		return ""
	}
	return string(name)
}

// end closes the nearest open element of a name and the elements inside it. Only its own end or its
// table's closes a cell.
func (p *htmlPage) end(tag atom.Atom, written string) {
	if voidElements[tag] {
		return
	}
	own := ownName(tag, []byte(written))
	for i := len(p.open) - 1; i >= 0; i-- {
		switch name := p.open[i].name; {
		case name == tag && p.open[i].own == own:
			p.closeTo(i)
			return
		case isCell(name) && tag != atom.Tr && tag != atom.Table && tag != atom.Tbody:
			return
		}
	}
}

// closeTo closes elements until n are open.
func (p *htmlPage) closeTo(n int) {
	for len(p.open) > n {
		e := p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
		if isCell(e.name) {
			p.cells--
		}
		if e.skipped {
			p.skipped--
		} else if p.skipped == 0 {
			p.behind(e)
		}
	}
}

// behind writes what follows the text of an element.
func (p *htmlPage) behind(e element) {
	switch level := slices.Index(headingTags, e.name) + 1; {
	case level > 0 && p.cells == 0:
		p.endHeading(e.from, level)
		p.part("\n\n")
	case e.name == atom.Tr && e.started:
		p.space = true
		p.put("|", p.line)
		p.part("\n")
	case e.name == atom.Li:
		p.part("\n")
		p.marker = ""
	case blockElements[e.name]:
		p.part("\n\n")
	}
}

var headingTags = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
