package web

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"lacuna/knowledge/document"
)

// Limits of a page.
const (
	maxNodes = 2_000_000
	maxDepth = 4096
)

var (
	errTooDeep = errors.New("elements nested too deeply")
	errTooMany = errors.New("more than 2,000,000 elements")
)

// node is an element or a stretch of text. Nodes are in the order of the page, so a parent stands before
// what is in it. Node 0 is the page.
type node struct {
	tag                       atom.Atom // 0 for text, and for elements that HTML does not know
	name                      string    // of an element that HTML does not know
	text                      string
	attributes                []html.Attribute // those we look at
	parent, first, last, next int32            // indices; 0 for none
	line                      int32            // of the beginning
	end                       int32            // index after the last node in it
	measure
}

// measure is what stands in an element. It tells content from what surrounds it.
type measure struct {
	words  int32 // that are seen
	linked int32 // of words, those inside links
	prose  int32 // of words, those of blocks that read as text rather than as links or labels
	links  int32
	inside int32 // of links, those to a place of the same page
	heads  int32 // headings
	own    int32 // of a block: its words outside the blocks in it
	ownL   int32 // of own, those inside links

	concealed bool            // by its attributes
	omitted   string          // why its text is left out; empty if it is not
	chrome    document.Chrome // set where chrome begins
}

// tree is a page.
type tree struct {
	nodes    []node
	open     []int32        // open elements, outermost first; the page itself is the first
	named    map[string]int // number of open elements of each name
	comments []string       // that mention Lacuna
	hidden   int            // comments
	xml      bool           // empty elements end themselves
	joined   bool           // as in [Part]
}

var (
	blocks = atoms(atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Blockquote, atom.Pre,
		atom.Ul, atom.Ol, atom.Menu, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th,
		atom.Caption, atom.Figure, atom.Figcaption, atom.Address, atom.Hr, atom.Details, atom.Summary, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Body, atom.Html, atom.Head, atom.Fieldset, atom.Legend, atom.Form, atom.Center, atom.Hgroup, atom.Listing, atom.Xmp, atom.Plaintext, atom.Dir, atom.Dialog,
		atom.Noscript, atom.Noframes, atom.Template, atom.Frameset, atom.Iframe, atom.Search, atom.Title)
	void = atoms(atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track,
		atom.Wbr, atom.Basefont, atom.Bgsound, atom.Frame, atom.Keygen, atom.Param, atom.Isindex, atom.Spacer)
	// plain elements change how text looks and nothing else.
	plain    = atoms(atom.B, atom.I, atom.U, atom.Tt, atom.Big, atom.Small, atom.Em, atom.Strong, atom.Font, atom.S, atom.Strike, atom.Nobr)
	headings = atoms(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	inHead   = atoms(atom.Title, atom.Meta, atom.Link, atom.Base, atom.Script, atom.Style, atom.Noscript, atom.Template)
	// closesP are the elements before which a paragraph ends.
	closesP = atoms(atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Details, atom.Div, atom.Dl, atom.Fieldset, atom.Figure, atom.Footer,
		atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Pre,
		atom.Section, atom.Table, atom.Ul, atom.Summary, atom.Dir, atom.Li, atom.Dd, atom.Dt, atom.Listing, atom.Xmp, atom.Plaintext, atom.Figcaption,
		atom.Td, atom.Th, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Body)
	// walls are the elements through which nothing inside them closes anything.
	walls = atoms(atom.Td, atom.Th, atom.Caption, atom.Table, atom.Button, atom.Template, atom.Object)
	// kept are the attributes we look at.
	kept = func() map[string]bool {
		m := map[string]bool{}
		for _, k := range strings.Fields("id class role href hidden aria-hidden aria-label aria-expanded aria-controls aria-level scope rowspan colspan start value type " +
			"epub:type name content property itemprop lang xml:lang srcdoc http-equiv charset rel shadowrootmode alt open reversed datetime") {
			m[k] = true
		}
		return m
	}()
	hiddenStyle = regexp.MustCompile(`(?i)display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:[^.\d]|$)`)
	selfMark    = regexp.MustCompile(`\blacuna:`)
)

func atoms(names ...atom.Atom) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// parse reads a page. Lines count from 1.
func parse(text string, xml, joined bool) (*tree, error) {
	t := &tree{nodes: []node{{tag: atom.Html}}, open: []int32{0}, named: map[string]int{}, xml: xml, joined: joined}
	tokens := html.NewTokenizer(strings.NewReader(text))
	line := 1
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			t.bound()
			return t, nil
		}
		raw := string(tokens.Raw())
		feeds := strings.Count(raw, "\n")
		if joined {
			feeds += strings.Count(raw, "\v")
		}
		if err := t.token(tokens, kind, line); err != nil {
			return nil, err
		}
		if len(t.nodes) > maxNodes {
			return nil, errTooMany
		}
		line += feeds
	}
}

// bound notes where each element ends.
func (t *tree) bound() {
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		if n.end = int32(i) + 1; n.last != 0 {
			n.end = t.nodes[n.last].end
		}
	}
}

func (t *tree) token(tokens *html.Tokenizer, kind html.TokenType, line int) error {
	switch kind {
	case html.TextToken:
		text := string(tokens.Text())
		for t.joined {
			part, rest, found := strings.Cut(text, "\v")
			if !found {
				break
			}
			if part != "" {
				t.add(node{text: part, line: int32(line)})
			}
			line += strings.Count(part, "\n") + 1
			text = rest
		}
		if text != "" {
			t.add(node{text: text, line: int32(line)})
		}
	case html.CommentToken:
		text := tokens.Text()
		if selfMark.Match(text) {
			t.comments = append(t.comments, string(text))
		} else {
			t.hidden++
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		return t.start(tokens, kind == html.SelfClosingTagToken, int32(line))
	case html.EndTagToken:
		name, _ := tokens.TagName()
		t.end(atom.Lookup(name), string(name))
	}
	return nil
}

// add appends a node to the innermost open element.
func (t *tree) add(n node) int32 {
	at := int32(len(t.nodes))
	n.parent = t.open[len(t.open)-1]
	t.nodes = append(t.nodes, n)
	if up := &t.nodes[n.parent]; up.first == 0 {
		up.first, up.last = at, at
	} else {
		t.nodes[up.last].next = at
		up.last = at
	}
	return at
}

func key(tag atom.Atom, name string) string {
	if tag != 0 {
		return tag.String()
	}
	return name
}

func (t *tree) start(tokens *html.Tokenizer, closed bool, line int32) error {
	written, more := tokens.TagName()
	n := node{tag: atom.Lookup(written), line: line}
	if n.tag == 0 {
		n.name = string(written)
	}
	concealed := false
	for more {
		var k, v []byte
		k, v, more = tokens.TagAttr()
		switch name := string(k); {
		case name == "style":
			concealed = concealed || hiddenStyle.Match(v)
		case kept[name]:
			n.attributes = append(n.attributes, html.Attribute{Key: name, Val: string(v)})
			concealed = concealed || name == "hidden" && string(v) != "until-found"
		}
	}
	n.concealed = concealed
	if n.tag == atom.Html || n.tag == atom.Body { // there is one of each, whatever the page writes
		if up := &t.nodes[0]; len(up.attributes) < 64 {
			up.attributes = append(up.attributes, n.attributes...)
		}
		if n.tag == atom.Html {
			return nil
		}
		t.close(atom.Head)
		if t.named["body"] > 0 {
			return nil
		}
	}
	switch n.tag {
	case atom.Noscript, atom.Noframes, atom.Iframe, atom.Noembed:
		tokens.NextIsNotRawText()
	default:
		if closed && t.xml {
			tokens.NextIsNotRawText()
		}
	}
	t.imply(n.tag)
	if void[n.tag] {
		t.add(n)
		return nil
	}
	if closed && (t.xml || !concealed && !raw[n.tag]) {
		t.add(n)
		return nil
	}
	if plain[n.tag] && !concealed && t.named[n.tag.String()] == 0 && len(n.attributes) == 0 {
		return nil
	}
	if len(t.open) >= maxDepth {
		if concealed || t.isRawOrHidden(n.tag) {
			return errTooDeep // or it could not be told where what is hidden ends
		}
		return nil // what is in it stands in the element around it
	}
	t.open = append(t.open, t.add(n))
	t.named[key(n.tag, n.name)]++
	return nil
}

// raw elements hold text without elements.
var raw = atoms(atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp, atom.Plaintext)

func (t *tree) isRawOrHidden(tag atom.Atom) bool {
	return raw[tag] && tag != atom.Xmp && tag != atom.Plaintext || tag == atom.Template || tag == atom.Select
}

// imply ends the elements that the start of another ends without a tag of their own.
func (t *tree) imply(tag atom.Atom) {
	top := func() atom.Atom { return t.nodes[t.open[len(t.open)-1]].tag }
	if top() == atom.Head && !inHead[tag] {
		t.pop(len(t.open) - 1)
	}
	if closesP[tag] {
		t.closeWithin(atom.P, nil)
	}
	switch tag {
	case atom.Li:
		t.closeWithin(atom.Li, atoms(atom.Ul, atom.Ol, atom.Menu, atom.Dir))
	case atom.Dt, atom.Dd:
		t.closeWithin(atom.Dt, atoms(atom.Dl))
		t.closeWithin(atom.Dd, atoms(atom.Dl))
	case atom.A:
		t.closeWithin(atom.A, blocks)
	case atom.Option, atom.Optgroup:
		t.closeWithin(atom.Option, atoms(atom.Select))
	case atom.Td, atom.Th:
		t.closeCell()
	case atom.Tr:
		t.closeCell()
		t.closeWithin(atom.Tr, nil)
	case atom.Tbody, atom.Thead, atom.Tfoot:
		t.closeCell()
		t.closeWithin(atom.Tr, nil)
		for _, part := range []atom.Atom{atom.Tbody, atom.Thead, atom.Tfoot} {
			t.closeWithin(part, nil)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if headings[top()] {
			t.pop(len(t.open) - 1)
		}
	case atom.Rt, atom.Rp:
		t.closeWithin(atom.Rt, atoms(atom.Ruby))
		t.closeWithin(atom.Rp, atoms(atom.Ruby))
	}
}

// closeWithin closes the nearest open element of a name, unless a wall or one of others stands before it.
func (t *tree) closeWithin(tag atom.Atom, others map[atom.Atom]bool) {
	if t.named[tag.String()] == 0 {
		return
	}
	for i := len(t.open) - 1; i > 0; i-- {
		switch open := t.nodes[t.open[i]].tag; {
		case open == tag:
			t.pop(i)
			return
		case walls[open] || others[open]:
			return
		}
	}
}

// closeCell closes the open cell of the innermost table.
func (t *tree) closeCell() {
	if t.named["td"]+t.named["th"]+t.named["caption"] == 0 {
		return
	}
	for i := len(t.open) - 1; i > 0; i-- {
		switch t.nodes[t.open[i]].tag {
		case atom.Td, atom.Th, atom.Caption:
			t.pop(i)
			return
		case atom.Table:
			return
		}
	}
}

// close closes the nearest open element of a name.
func (t *tree) close(tag atom.Atom) { t.end(tag, "") }

// pop closes elements until n are open.
func (t *tree) pop(n int) {
	for len(t.open) > n {
		last := &t.nodes[t.open[len(t.open)-1]]
		t.named[key(last.tag, last.name)]--
		t.open = t.open[:len(t.open)-1]
	}
}

// end closes the nearest open element of a name and the elements in it. Only the end of a cell, a row or
// a table closes a cell.
func (t *tree) end(tag atom.Atom, written string) {
	if tag == atom.Body || tag == atom.Html || void[tag] && tag != atom.Br {
		return
	}
	if tag == atom.Br || tag == atom.P && t.named["p"] == 0 {
		if tag == atom.Br {
			t.add(node{tag: atom.Br, line: t.nodes[len(t.nodes)-1].line})
		}
		return
	}
	if headings[tag] {
		for i := len(t.open) - 1; i > 0; i-- {
			if open := t.nodes[t.open[i]].tag; headings[open] {
				t.pop(i)
				return
			} else if walls[open] {
				return
			}
		}
		return
	}
	if t.named[key(tag, written)] == 0 {
		return
	}
	structure := slices.Contains([]atom.Atom{atom.Tr, atom.Table, atom.Tbody, atom.Thead, atom.Tfoot}, tag)
	for i := len(t.open) - 1; i > 0; i-- {
		open := &t.nodes[t.open[i]]
		switch {
		case open.tag == tag && (tag != 0 || open.name == written):
			t.pop(i)
			return
		case tag != atom.Table && open.tag == atom.Table, !structure && walls[open.tag]:
			return
		}
	}
}

// attribute returns the value of an attribute; empty if there is none.
func (n *node) attribute(name string) string {
	for _, a := range n.attributes {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// has reports whether an attribute is written.
func (n *node) has(name string) bool {
	return slices.ContainsFunc(n.attributes, func(a html.Attribute) bool { return a.Key == name })
}

// isText reports whether the node is a stretch of text.
func (n *node) isText() bool { return n.text != "" }

// isBlock reports whether the node is an element that stands on lines of its own.
func (n *node) isBlock() bool { return blocks[n.tag] }

// each calls do for the nodes below n in order, before and after what is in them. enter returns whether to
// go into a node.
func (t *tree) each(n int32, enter func(int32) bool, leave func(int32)) {
	at := t.nodes[n].first
	for at != 0 {
		down := enter(at)
		if down && t.nodes[at].first != 0 {
			at = t.nodes[at].first
			continue
		}
		for {
			if leave != nil {
				leave(at)
			}
			if next := t.nodes[at].next; next != 0 {
				at = next
				break
			}
			if at = t.nodes[at].parent; at == n {
				return
			}
		}
	}
}
