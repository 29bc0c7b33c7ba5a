package clinical

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"

	"lacuna/knowledge/ingest/archive"
)

// Namespaces.
const (
	hl7Space  = "urn:hl7-org:v3"
	fhirSpace = "http://hl7.org/fhir"
)

// maxNodes bounds the elements and texts of a file that are held in memory; a node takes about a hundred
// bytes.
const maxNodes = 3 << 20

var (
	errTooMany  = fmt.Errorf("more than %d elements", maxNodes)
	errNotJSON  = errors.New("not JSON")
	errDeepJSON = errors.New("values nested too deeply")
)

// node is an element, or a text between elements. FHIR in JSON has the tree of FHIR in XML: a property is
// an element, the items of a list are elements of the same name, and a value is the value of its element.
type node struct {
	name     string // local; "" for a text
	text     string // of a text; the value of a FHIR element
	line     int    // of the file, from 1
	attrs    []xml.Attr
	children []*node
}

// attr returns the value of an attribute by its local name.
func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child returns the first child element of a name, or nil.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// at returns the first element below n along a path of names, or nil.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		n = n.child(name)
	}
	return n
}

// all returns the child elements of a name.
func (n *node) all(name string) []*node {
	var found []*node
	if n != nil {
		for _, c := range n.children {
			if c.name == name {
				found = append(found, c)
			}
		}
	}
	return found
}

// lineOfChild returns the line of the first child element of a name, else that of n.
func lineOfChild(n *node, name string) int {
	if c := n.child(name); c != nil {
		return c.line
	}
	return n.line
}

// each calls do with the elements below n, in order; do reports whether to go on below the element.
// The depth of the tree is bounded by its reader.
func (n *node) each(do func(*node) bool) {
	for _, c := range n.children {
		if c.name != "" && do(c) {
			c.each(do)
		}
	}
}

// words returns the text below n with single spaces; block elements and line breaks separate words.
func (n *node) words() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	n.write(&b)
	return strings.Join(strings.Fields(b.String()), " ")
}

func (n *node) write(b *strings.Builder) {
	for _, c := range n.children {
		switch {
		case c.name == "":
			b.WriteString(c.text)
		case separates[c.name]:
			b.WriteByte(' ')
			c.write(b)
			b.WriteByte(' ')
		default:
			c.write(b)
		}
	}
}

// separates has the elements, of all vocabularies, that separate words where no white space does.
var separates = setOf("given family p para simpara paragraph br break item list-item li td th entry stentry tr row title label caption div list ul ol table sec section")

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// blank is the text of white space alone, which is most of a file's.
var blank = &node{text: " "}

// tree builds nodes within their limit.
type tree struct {
	count int
	names map[string]string // so that equal names are held once
}

func (t *tree) node(name string, line int) (*node, error) {
	if t.count++; t.count > maxNodes {
		return nil, errTooMany
	}
	if t.names == nil {
		t.names = map[string]string{}
	}
	known, found := t.names[name]
	if !found {
		known = strings.Clone(name)
		if len(t.names) < 10000 {
			t.names[known] = known
		}
	}
	return &node{name: known, line: line}, nil
}

// parseXML returns the root element. Elements that skip names keep their place without content; nil keeps
// everything.
func parseXML(content []byte, skip func(name xml.Name) bool) (*node, error) {
	top := &node{}
	open := []*node{top}
	var t tree
	skipped := 0
	err := archive.Tokens(bytes.NewReader(content), func(token xml.Token, line int) error {
		last := open[len(open)-1]
		switch tok := token.(type) {
		case xml.StartElement:
			if skipped > 0 {
				skipped++
				return nil
			}
			n, err := t.node(tok.Name.Local, line)
			if err != nil {
				return err
			}
			for _, a := range tok.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					n.attrs = append(n.attrs, a)
				}
			}
			last.children = append(last.children, n)
			if skip != nil && skip(tok.Name) {
				skipped = 1
				return nil
			}
			open = append(open, n)
		case xml.EndElement:
			if skipped > 0 {
				skipped--
				return nil
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if skipped > 0 || len(open) == 1 {
				return nil
			}
			if len(bytes.TrimSpace(tok)) == 0 {
				last.children = append(last.children, blank)
				return nil
			}
			n, err := t.node("", line)
			if err != nil {
				return err
			}
			n.text = string(tok)
			last.children = append(last.children, n)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range top.children {
		if c.name != "" {
			return c, nil
		}
	}
	return nil, errors.New("no XML element")
}

// parseJSON returns the value of a JSON text as an element without a name. Properties that skip names
// are left out.
func parseJSON(content []byte, skip func(name string) bool) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte("\uFEFF"))))
	decoder.UseNumber()
	lines := lineCounter{content: content}
	type level struct {
		of    *node
		array bool
		key   string
	}
	top := &node{line: 1}
	open := []level{{of: top, array: true, key: "value"}}
	var t tree
	skipped := 0 // open arrays and objects that are left out
	leaveOut := false
	for len(open) > 1 || len(top.children) == 0 {
		token, err := decoder.Token()
		if err != nil {
			return nil, errNotJSON
		}
		last := &open[len(open)-1]
		delim, isDelim := token.(json.Delim)
		if skipped > 0 {
			switch {
			case isDelim && (delim == '{' || delim == '['):
				skipped++
			case isDelim:
				skipped--
			}
			continue
		}
		if isDelim && (delim == '}' || delim == ']') {
			open = open[:len(open)-1]
			continue
		}
		if !last.array && last.key == "" {
			last.key, _ = token.(string)
			leaveOut = last.key == "" || last.key[0] == '_' || skip != nil && skip(last.key)
			if last.key == "" {
				last.key = "_"
			}
			continue
		}
		name := last.key
		if !last.array {
			last.key = ""
		}
		if leaveOut && !last.array {
			leaveOut = false
			if isDelim {
				skipped = 1
			}
			continue
		}
		if isDelim && len(open) > archive.MaxDepth {
			return nil, errDeepJSON
		}
		if isDelim && delim == '[' && (!last.array || last.of == top) {
			open = append(open, level{of: last.of, array: true, key: name})
			continue
		}
		n, err := t.node(name, lines.at(int(decoder.InputOffset())))
		if err != nil {
			return nil, err
		}
		last.of.children = append(last.of.children, n)
		switch v := token.(type) {
		case json.Delim:
			open = append(open, level{of: n, array: v == '[', key: arrayKey(v)})
		case string:
			n.text = v
		case json.Number:
			n.text = v.String()
		case bool:
			n.text = fmt.Sprint(v)
		}
	}
	return top, nil
}

func arrayKey(d json.Delim) string {
	if d == '[' {
		return "item"
	}
	return ""
}

// lineCounter finds the line of increasing offsets.
type lineCounter struct {
	content  []byte
	from, to int // line feeds before from are counted
}

func (l *lineCounter) at(offset int) int {
	offset = min(offset, len(l.content))
	if offset > l.from {
		l.to += bytes.Count(l.content[l.from:offset], []byte("\n"))
		l.from = offset
	}
	return l.to + 1
}

// value returns the attribute in which HL7 keeps the values of elements.
func (n *node) value() string { return n.attrOr("value") }

// attrOr is attr for an element that may be missing.
func (n *node) attrOr(name string) string {
	if n == nil {
		return ""
	}
	return n.attr(name)
}

// raw returns the text below n as it stands.
func (n *node) raw() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}
