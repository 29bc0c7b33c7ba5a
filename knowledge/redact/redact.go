// Package redact replaces what identifies people in a text before the text leaves the machine.
//
// It removes identifiers that it recognises. It will miss some, above all names and unusual
// combinations of facts. It does not make a document de-identified under HIPAA Safe Harbor or any
// other law. If text must not leave the machine, no remote endpoint may be configured.
//
// The classes follow the eighteen of 45 CFR 164.514(b)(2); biometric data and photographs are never
// sent, and "any other unique characteristic" cannot be recognised by a program.
//
// Begin with [Messages].
package redact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Options adapt the search to one user.
type Options struct {
	// Known reports whether a word, in lower case, belongs to the vocabulary of the user's sources.
	// Crohn and Parkinson are known as diseases, and are names only where something announces a name.
	Known func(word string) bool
	// Listed holds the user's own texts that must never leave, in upper or lower case.
	Listed []string
}

// Result is the redacted form of the texts of one request.
type Result struct {
	Messages []string
	Spans    [][]Span      // of each text that was given, in order, without overlap
	Counts   map[Class]int // of different identifiers
	original map[string]string
}

// Span is a part of a text that was replaced.
type Span struct {
	Class      Class
	Start, End int // bytes of the text
}

// Messages replaces the identifiers in the texts of one request with placeholders such as [NAME-1].
// Equal identifiers get equal placeholders throughout the request; numbers follow the order of
// appearance, so that a placeholder reveals nothing about its identifier.
func Messages(texts []string, o Options) Result {
	r := Result{Counts: make(map[Class]int), original: make(map[string]string)}
	hits := find(texts, o)
	placeholders := make(map[string]string)
	for i, text := range texts {
		var b strings.Builder
		last := 0
		spans := make([]Span, 0, len(hits[i]))
		for _, h := range hits[i] {
			spans = append(spans, Span{h.class, h.start, h.end})
			b.WriteString(text[last:h.start])
			b.WriteString(r.placeholder(placeholders, h.class, text[h.start:h.end]))
			last = h.end
		}
		b.WriteString(text[last:])
		r.Messages, r.Spans = append(r.Messages, b.String()), append(r.Spans, spans)
	}
	return r
}

// placeholder returns the placeholder of an identifier, and assigns one to a new identifier.
func (r *Result) placeholder(known map[string]string, class Class, identifier string) string {
	key := string(class) + " " + identifier
	if p, ok := known[key]; ok {
		return p
	}
	r.Counts[class]++
	p := fmt.Sprintf("[%s-%d]", class, r.Counts[class])
	known[key], r.original[p] = p, identifier
	return p
}

var placeholderPattern = regexp.MustCompile(`\[[A-Z]+-\d{1,6}\]`)

// Restore puts the identifiers back into a reply. It leaves unknown placeholders as they are.
func (r Result) Restore(reply string) string {
	return placeholderPattern.ReplaceAllStringFunc(reply, func(p string) string {
		if original, ok := r.original[p]; ok {
			return original
		}
		return p
	})
}

// Details says what was replaced, by class, such as "2 NAME, 1 DATE"; "" if nothing was.
func (r Result) Details() string {
	var parts []string
	for class, n := range r.Counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, class))
	}
	slices.SortFunc(parts, func(a, b string) int {
		return cmp.Compare(a[strings.IndexByte(a, ' '):], b[strings.IndexByte(b, ' '):])
	})
	return strings.Join(parts, ", ")
}

// find returns the identifiers of each text in order, without overlap. It looks for identifiers with a
// form of their own first, then for names: a name seen in one text is a name in the others.
func find(texts []string, o Options) [][]hit {
	hits := make([][]hit, len(texts))
	people := make(people)
	for i, text := range texts {
		hits[i] = append(listedWords(text, o.Listed), patterns(text)...)
		hits[i] = append(hits[i], people.learn(text, o.Known)...)
	}
	for i, text := range texts {
		hits[i] = mergeHits(append(hits[i], people.again(text)...))
	}
	return hits
}

// mergeHits sorts hits and merges those that overlap: the one that begins first stays, extended to the end
// of the other.
func mergeHits(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	kept := hits[:0]
	for _, h := range hits {
		switch last := len(kept) - 1; {
		case last < 0 || h.start >= kept[last].end:
			kept = append(kept, h)
		case h.end > kept[last].end: // what sticks out identifies as well
			kept[last].end = h.end
		}
	}
	return kept
}

// listedWords returns the hits of the user's own words.
func listedWords(text string, words []string) []hit {
	var hits []hit
	for _, word := range words {
		if strings.TrimSpace(word) == "" {
			continue
		}
		pattern := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(strings.TrimSpace(word)))
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			hits = append(hits, hit{Listed, at[0], at[1], "listed"})
		}
	}
	return hits
}
