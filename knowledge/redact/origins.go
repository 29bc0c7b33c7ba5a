package redact

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// A prompt has passages on one line, cut off, and without what stands around them. The label of a line, the header of a
// table and the end of a line, where a chart has initials, say nothing there any more. So identifiers are sought in
// the passages as they stand in their documents, and what a prompt copied from there is replaced as it is found there.

// dense is a text without its white space, with the place of each byte.
type dense struct {
	text string
	at   []int
}

func denseOf(text string) dense {
	var b strings.Builder
	b.Grow(len(text))
	at := make([]int, 0, len(text))
	for i := range len(text) {
		if c := text[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			b.WriteByte(c)
			at = append(at, i)
		}
	}
	return dense{b.String(), at}
}

// first returns the first letter that stands at a place of the text or behind it.
func (l dense) first(place int) int { return sort.SearchInts(l.at, place) }

const (
	anchorBytes = 24 // what two texts share at least where one is a copy of the other, without white space
	anchorStep  = 8  // every so many bytes of an origin a copy is recognised by them
	mostAnchors = 8  // of equal ones
)

// anchor is a place in the letters of an origin.
type anchor struct{ origin, at int }

// origins are the texts that a request was copied from, in part.
type origins struct {
	views   []view
	dense   []dense // of each view
	hits    [][]hit // of each, as places of its view
	anchors map[string][]anchor
}

// newOrigins looks for what identifies people in texts.
func newOrigins(texts []string) origins {
	o := origins{anchors: make(map[string][]anchor)}
	for i, text := range texts {
		v := newView(text)
		o.views, o.hits = append(o.views, v), append(o.hits, recent.hits(v))
		l := denseOf(v.text)
		o.dense = append(o.dense, l)
		for at := 0; at+anchorBytes <= len(l.text); at += anchorStep {
			key := l.text[at : at+anchorBytes]
			if same := o.anchors[key]; len(same) < mostAnchors {
				o.anchors[key] = append(same, anchor{i, at})
			}
		}
	}
	return o
}

// copied returns the parts of a text that were copied from the origins, in order and apart, and what identifies people in
// them. The time is linear in the text, but for parts that repeat in an origin.
func (o origins) copied(text string) (parts []Span, found []hit) {
	if len(o.anchors) == 0 {
		return nil, nil
	}
	l, end := denseOf(text), 0 // end of the part that was copied last
	for i := 0; i+anchorBytes <= len(l.text); {
		var from anchor
		start, length := 0, 0
		for _, a := range o.anchors[l.text[i:i+anchorBytes]] {
			source := o.dense[a.origin].text
			before, behind := sharedEnd(l.text[end:i], source[:a.at]), sharedStart(l.text[i:], source[a.at:])
			if before+behind > length {
				from, start, length = anchor{a.origin, a.at - before}, i-before, before+behind
			}
		}
		if length == 0 {
			i++
			continue
		}
		end = start + length
		i = end
		parts = append(parts, Span{Start: l.at[start], End: l.at[end-1] + 1})
		source := o.dense[from.origin]
		for _, h := range o.hits[from.origin] {
			begins, ends := max(source.first(h.start)-from.at, 0), min(source.first(h.end)-from.at, length)
			if begins < ends {
				found = append(found, hit{h.class, l.at[start+begins], l.at[start+ends-1] + 1, h.rule})
			}
		}
	}
	return parts, found
}

// hitsOf returns what identifies people in a view: in what was copied, what identifies them in the origin, and in the rest what
// the rest says itself.
func (o origins) hitsOf(v view) []hit {
	parts, found := o.copied(v.text)
	if len(parts) == 0 {
		return recent.hits(v)
	}
	var b strings.Builder
	var at []int // where each byte of the rest is in the view
	last := 0
	add := func(to int) {
		b.WriteString(v.text[last:to])
		for ; last < to; last++ {
			at = append(at, last)
		}
	}
	for _, p := range parts {
		add(p.Start)
		b.WriteString(" … ")
		for range len(" … ") {
			at = append(at, p.Start)
		}
		last = p.End
	}
	add(len(v.text))
	rest := newView(b.String())
	for _, h := range rest.original(recent.hits(rest)) {
		if at[h.end-1]-at[h.start] == h.end-1-h.start { // else a part that was copied is between its ends
			found = append(found, hit{h.class, at[h.start], at[h.end-1] + 1, h.rule})
		}
	}
	return found
}

// sharedStart returns how many bytes two texts begin with in common.
func sharedStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// sharedEnd returns how many bytes two texts end with in common.
func sharedEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// recentTexts remembers what was found in the texts of the last requests: the requests of one question share their
// instructions and most passages. It is safe for concurrent use.
type recentTexts struct {
	mu    sync.Mutex
	found map[string][]hit // guarded by mu, and shared: never changed
	order []string         // the texts, oldest first; guarded by mu
}

// mostRecent is how many texts are remembered: those of some questions, and where they were copied from.
const mostRecent = 256

var recent = recentTexts{found: make(map[string][]hit)}

// hits returns the identifiers of a view, as places of its text.
func (r *recentTexts) hits(v view) []hit {
	r.mu.Lock()
	found, has := r.found[v.text]
	r.mu.Unlock()
	if has {
		return slices.Clone(found)
	}
	e := v.evidence()
	found = e.choose(v.text, trained().probabilities(&e), shipped)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, has := r.found[v.text]; !has {
		if len(r.order) == mostRecent {
			delete(r.found, r.order[0])
			r.order = slices.Delete(r.order, 0, 1)
		}
		r.found[v.text] = slices.Clone(found)
		r.order = append(r.order, v.text)
	}
	return found
}
