package clinical

import (
	"slices"
	"strings"
	"unicode"
)

// resource is a resource of FHIR.
type resource struct {
	*node
	kind string // such as Observation
	id   string
	url  string // in its bundle
}

// resourceIn returns the resource that an element holds or is; nil if it is none.
func resourceIn(n *node) *resource {
	if n == nil {
		return nil
	}
	if kind := n.child("resourceType"); kind != nil {
		return &resource{node: n, kind: kind.text, id: n.child("id").val()}
	}
	if n.name != "" && unicode.IsUpper(rune(n.name[0])) {
		return &resource{node: n, kind: n.name, id: n.child("id").val()}
	}
	for _, c := range n.children {
		if c.name != "" && unicode.IsUpper(rune(c.name[0])) {
			return &resource{node: c, kind: c.name, id: c.child("id").val()}
		}
	}
	return nil
}

// val returns the value of a FHIR element that may be missing.
func (n *node) val() string {
	if n == nil {
		return ""
	}
	return strings.TrimSpace(n.text)
}

func isBundle(r *resource) bool { return r.kind == "Bundle" || r.kind == "Parameters" }

// narrativeOf returns the narrative of a resource; nil if it has none.
func narrativeOf(r *resource) *node {
	text := r.child("text")
	div := text.child("div")
	if div == nil || text.child("status").val() == "empty" {
		return nil
	}
	if len(div.children) == 0 && div.text != "" { // JSON
		div = xhtml(div.text, div.line)
		text.children = append(slices.DeleteFunc(slices.Clone(text.children), func(c *node) bool { return c.name == "div" }), div)
	}
	if div.words() == "" {
		return nil
	}
	return div
}

// xhtml reads the narrative of a resource in JSON, all of which stands on one line.
func xhtml(text string, line int) *node {
	root, err := parseXML([]byte(text), nil)
	if err != nil {
		root = &node{name: "div", children: []*node{{text: untagged(text)}}}
	}
	var set func(n *node)
	set = func(n *node) {
		if n != blank {
			n.line = line
		}
		if n.name == "" {
			n.text = strings.ReplaceAll(n.text, "\n", " ")
		}
		for _, c := range n.children {
			if c != blank {
				set(c)
			}
		}
	}
	set(root)
	return root
}

// untagged returns the text between the tags of broken markup.
func untagged(text string) string {
	var b strings.Builder
	for text != "" {
		before, rest, found := strings.Cut(text, "<")
		b.WriteString(before)
		b.WriteByte(' ')
		if !found {
			break
		}
		_, text, _ = strings.Cut(rest, ">")
	}
	return b.String()
}
