// Package entity finds the things that a question names, among the things that a base has pages about, and
// the passages that are about another thing.
//
// A page is about the things in its title and headings. A question names a thing if it holds all words of its
// title or heading in a row, and not as part of a longer name. A page is about another thing if the question
// names a thing that has a page and this page never says that name, or if the question has another word in
// the place of one that distinguishes two names: "Orvanta 4" is not "Orvanta 3", nor is "quillgate-lite"
// quillgate.
//
// Begin with [Link].
package entity

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Relation says how a passage relates to what a question names.
type Relation int8

const (
	Other   Relation = iota - 1 // its title or a heading names something else
	Unknown                     // nothing can be said, or its text names it
	Own                         // its title or a heading names it
)

// Base provides what must be known about the words of a base.
type Base interface {
	DocFreq(term string) int
}

// Subject holds the names in a question. It is immutable, and safe for concurrent use. A nil Subject names
// nothing.
type Subject struct {
	text     string
	question []word
	base     Base
	labels   map[string]*label
	// named holds the labels that the question names: titles of pages or, if there is none, of sections.
	named map[*label]bool
	// sections holds the headings below what is surely named, in lower case.
	sections map[string]bool
	// above counts the passages below titles and headings with a term.
	above map[string]int
	// sure says that what is named is a name rather than a word of everyday speech, so that a passage
	// which never says it is about something else.
	sure bool
	// stranger says that the question names something that the base has never heard of.
	stranger bool
	// namesOther says that the question also names a thing that the base has no page about.
	namesOther bool
}

// label is a title or a heading, the same for all passages that stand below it.
type label struct {
	text  string
	words []word
	title bool            // of a document
	page  bool            // it is a title, or has headings below it
	above map[string]bool // the labels right above it
	below map[string]bool // terms of the passages below it, their headings included
	match match
	sure  bool   // it is named, and a name rather than everyday words
	span  [2]int // of its words in the question, if they stand in a row there
}

// match grades how much of a label stands in the question.
type match uint8

const (
	absent    match = iota
	partial         // some words of it
	scattered       // all its words, somewhere
	whole           // all its words in a row
	namesake        // the question has another word where the label has one of its own
)

// Link reads what a question names. Candidates are the passages that a search for it found, those
// that might answer among them; base knows the words of all others.
func Link(question string, candidates []*passage.Passage, base Base) *Subject {
	s := &Subject{text: question, question: wordsOf(question), base: base, labels: make(map[string]*label), above: make(map[string]int)}
	if len(s.question) == 0 {
		return nil
	}
	for _, p := range candidates {
		s.add(p)
	}
	if len(s.labels) == 0 {
		return nil
	}
	for _, l := range s.labels {
		l.match, l.span = s.matched(l)
	}
	s.gatherBelow(candidates)
	s.resolve()
	s.sections = make(map[string]bool)
	for _, p := range candidates {
		for _, l := range s.of(p) {
			if !l.sure {
				continue
			}
			for _, heading := range sectionsOf(p) {
				s.sections[heading] = s.sections[heading] || heading != strings.ToLower(l.text)
			}
		}
	}
	return s
}

// path returns the labels above a passage, outermost first. The section of a row without a title is a kind of texts
// and no thing.
func path(p *passage.Passage) []string {
	if p.Kind == passage.QA {
		return append([]string{p.Title}, p.Also...)
	}
	if p.Title == "" && p.Place.Field != "" {
		return p.Also
	}
	return slices.Concat([]string{p.Title}, p.Also, p.Headings)
}

func (s *Subject) add(p *passage.Passage) {
	labels := path(p)
	names := len(p.Names()) // of the page; each is a label of its own
	for i, text := range labels {
		l := s.labels[text]
		if l == nil {
			l = &label{text: text, words: wordsOf(text), above: make(map[string]bool)}
			if len(l.words) == 0 {
				continue
			}
			s.labels[text] = l
		}
		l.page = l.page || i < names || i < len(labels)-1 || p.Kind == passage.QA
		switch {
		case i == names:
			l.above[labels[0]] = true
		case i > names:
			l.above[labels[i-1]] = true
		}
	}
	for _, name := range p.Names() {
		if l := s.labels[name]; l != nil {
			l.title = true
		}
	}
	counted := make(map[string]bool)
	for _, l := range s.of(p) {
		for _, w := range l.words {
			if !counted[w.term] {
				counted[w.term] = true
				s.above[w.term]++
			}
		}
	}
}

// of returns the known labels above a passage.
func (s *Subject) of(p *passage.Passage) []*label {
	var all []*label
	for _, text := range path(p) {
		if l := s.labels[text]; l != nil {
			all = append(all, l)
		}
	}
	return all
}

// gatherBelow notes what the passages say below those labels that the question may name.
func (s *Subject) gatherBelow(candidates []*passage.Passage) {
	for _, p := range candidates {
		var terms []string
		for _, l := range s.of(p) {
			if l.match == absent {
				continue
			}
			if terms == nil {
				terms = lexical.Terms(strings.Join(append(slices.Clone(p.Headings), p.Section, p.Text), "\n"))
			}
			if l.below == nil {
				l.below = make(map[string]bool)
			}
			for _, term := range terms {
				l.below[term] = true
			}
		}
	}
}

// matched finds a label in the question, with the place of its words there if they stand in a row.
func (s *Subject) matched(l *label) (match, [2]int) {
	found := 0
	for _, w := range l.words {
		at := slices.IndexFunc(s.question, func(q word) bool { return q.term == w.term })
		switch {
		case at >= 0:
			exact := func(q word) bool { return q.term == w.term && sameName(q.plain, w.plain) }
			if !slices.ContainsFunc(s.question, exact) && s.isName(s.question[at]) {
				return namesake, [2]int{}
			}
			found++
		case slices.ContainsFunc(s.question, func(q word) bool { return siblings(q.plain, w.plain) }):
			return namesake, [2]int{}
		}
	}
	switch {
	case found == 0:
		return absent, [2]int{}
	case found < len(l.words):
		return partial, [2]int{}
	}
	for from := 0; from+len(l.words) <= len(s.question); from++ {
		if startsWith(s.question[from:], l.words) {
			return whole, [2]int{from, from + len(l.words)}
		}
	}
	return scattered, [2]int{}
}

func startsWith(text, name []word) bool {
	if len(text) < len(name) {
		return false
	}
	for i := range name {
		if text[i].term != name[i].term || !sameName(text[i].plain, name[i].plain) {
			return false
		}
	}
	return true
}

// hasSwap reports whether the question has another word in the place of one of the label's, next to a name
// that both have: "Orvanta 4" for Orvanta 3, "Velkin rake" for the Velkin hoe.
func (s *Subject) hasSwap(l *label) bool {
	for i, own := range l.words {
		if slices.ContainsFunc(s.question, func(q word) bool { return q.term == own.term }) {
			continue
		}
		for j, asked := range s.question {
			if j > 0 && i > 0 && s.question[j-1].term == l.words[i-1].term && own.spacing != apart &&
				s.isSwap(l, own, asked, s.question[j-1], asked.spacing) {
				return true
			}
			if j+1 < len(s.question) && i+1 < len(l.words) && s.question[j+1].term == l.words[i+1].term && l.words[i+1].spacing != apart &&
				s.isSwap(l, own, asked, s.question[j+1], s.question[j+1].spacing) {
				return true
			}
		}
	}
	return false
}

// shortName bounds the words of a label that differs from another only by its number, such as "type 2
// diabetes".
const shortName = 3

// isSwap compares a word of a label with the word that the question has in its place, next to the neighbour
// that both have.
func (s *Subject) isSwap(l *label, own, asked, neighbour word, how spacing) bool {
	switch {
	case how == apart || asked.ideographic() || lexical.IsAskingWord(asked.plain) || l.below[asked.term]:
		return false
	case asked.numbered() && own.numbered():
		return len(l.words) <= shortName || s.isName(neighbour)
	case how >= joined:
		return s.isName(neighbour)
	case asked.capital && neighbour.capital && own.capital && !s.capitals():
		return true
	}
	return s.isName(neighbour) && s.peculiar(neighbour.term)
}

// isName reports whether a word of the question is a name: it is written as one, no language has it, or
// passages use it nowhere but below titles and headings that hold it.
func (s *Subject) isName(q word) bool {
	return q.capital && !s.capitals() || q.coined() || s.peculiar(q.term)
}

// peculiar reports a word that no passage has but those below titles and headings with it.
func (s *Subject) peculiar(term string) bool {
	return s.above[term] > 0 && s.base.DocFreq(term) <= s.above[term]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// resolve decides which labels the question names.
func (s *Subject) resolve() {
	s.named = make(map[*label]bool)
	for _, l := range s.labels {
		if l.match == whole && s.extended(l) || l.match == partial && s.hasSwap(l) {
			l.match = namesake
		}
	}
	s.stranger = s.namesStranger()
	for _, pages := range []bool{true, false} {
		if !pages && s.stranger {
			break // "the guarantee on the Trundlet" does not ask for every guarantee
		}
		for _, l := range s.labels {
			if l.match == whole && l.page == pages && (pages || len(l.above) == 1) && !s.withinLonger(l) {
				s.named[l] = true
			}
		}
		if len(s.named) > 0 {
			break
		}
	}
	for l := range s.named {
		l.sure = s.isSure(l)
		s.sure = s.sure || l.sure
	}
	// Beside a name everyday words are what is asked about it, unless a document is called by them.
	maps.DeleteFunc(s.named, func(l *label, _ bool) bool { return s.sure && !l.sure && !l.title })
	for l := range s.named {
		if l.page {
			s.stranger = false
		}
	}
}

// namesStranger reports whether the question holds a name that the base has never heard of, or one beside
// those that it has pages of.
func (s *Subject) namesStranger() bool {
	for _, l := range s.labels {
		s.namesOther = s.namesOther || l.match == namesake && l.page
	}
	if s.namesOther {
		return true
	}
	capitals := s.capitals()
	return slices.ContainsFunc(s.question, func(q word) bool {
		return (q.capital && !capitals || q.coined()) && s.base.DocFreq(q.term) == 0
	})
}

// withinLonger reports whether a label is part of a longer one that the question names, unless that
// one stands below it.
func (s *Subject) withinLonger(l *label) bool {
	for _, other := range s.labels {
		if other.match == whole && len(other.words) > len(l.words) && other.span[0] <= l.span[0] && l.span[1] <= other.span[1] && !s.nested(l, other) {
			return true
		}
	}
	return false
}

// nested reports whether what stands below the inner label is part of the outer one's page.
func (s *Subject) nested(outer, inner *label) bool {
	for _, w := range inner.words {
		if !outer.below[w.term] {
			return false
		}
	}
	return true
}

// extended reports whether the words of a label are part of a longer name in the question: "Orvanta 4"
// of Orvanta, "Third Bell Bylaw" of the Bell Bylaw. What the page itself speaks of does not extend its
// name.
func (s *Subject) extended(l *label) bool {
	q, first, end := s.question, l.span[0], l.span[1]
	own := q[end-1].capital
	if end < len(q) && q[end].spacing != apart {
		next := q[end]
		switch {
		case next.spacing >= joined && !attached[next.plain], next.numbered():
			if !l.below[next.term] {
				return true
			}
		case next.capital && own && !l.below[next.term]:
			return true
		}
	}
	if first > 0 && q[first].spacing != apart && !q[first].ideographic() {
		last := q[first-1]
		switch {
		case lexical.IsAskingWord(last.plain), l.below[last.term]:
		case q[first].spacing >= joined, ordinals[last.plain], last.capital && q[first].capital, s.base.DocFreq(last.term) == 0 && s.namely(l) && s.opensName(l):
			return true
		}
	}
	return false
}

// attached holds words that can follow any name after a hyphen.
var attached = plaintext.Set("induced related based associated treated like type free specific naive resistant dependent")

// namely reports whether a label in the question has a word that is a name.
func (s *Subject) namely(l *label) bool {
	return slices.ContainsFunc(s.question[l.span[0]:l.span[1]], s.isName)
}

// opensName reports whether there is a longer label that consists of one more word before this one.
func (s *Subject) opensName(l *label) bool {
	for _, other := range s.labels {
		if len(other.words) == len(l.words)+1 && startsWith(other.words[1:], l.words) {
			return true
		}
	}
	return false
}

// A title's word counts as a name even if other passages say it: as long as all passages with it are no more
// than spread times the passages below titles and headings with it. The factor is larger if the question
// writes the word as a name. Drugs are mentioned on the pages of the drugs that they interact with.
const (
	spread        = 1.5
	writtenSpread = 4
)

// isSure reports whether a label is a name: it is a document's title of several words, or passages use a
// word of it below such labels alone, or hardly elsewhere.
func (s *Subject) isSure(l *label) bool {
	if l.title && len(l.words) > 1 {
		return true
	}
	for i, w := range l.words {
		written := s.question[l.span[0]+i].capital && !s.capitals() || w.coined()
		n := float64(s.base.DocFreq(w.term))
		if s.peculiar(w.term) || i > 0 && w.spacing == bound || n <= spread*float64(s.above[w.term])+1 ||
			l.page && written && n <= writtenSpread*float64(s.above[w.term]) {
			return true
		}
	}
	return false
}

// capitals reports a question in which a capital letter means nothing: most of its words have one, as in
// headlines, or it may be German.
func (s *Subject) capitals() bool {
	n := 0
	for _, q := range s.question {
		if germanWords[q.plain] {
			return true
		}
		n += btoi(q.capital)
	}
	return len(s.question) > 3 && 4*n > 3*len(s.question)
}

var germanWords = plaintext.Set("der die das den dem des ein eine einen einem einer und ist sind wird wie wer wo wann warum was welche welcher welches kann ich für mit von bei im zu auf nicht")

// Relation of a passage to what the question names.
func (s *Subject) Relation(p *passage.Passage) Relation {
	if s == nil {
		return Unknown
	}
	labels := s.of(p)
	is := func(ask func(l *label) bool) bool { return slices.ContainsFunc(labels, ask) }
	named := func(l *label) bool { return s.named[l] }
	switch {
	case is(func(l *label) bool { return l.sure }):
		return Own
	case is(func(l *label) bool { return l.match == namesake }), is(named) && s.sure && is(func(l *label) bool { return !l.title && s.isOther(l) }):
		return Other
	case is(named):
		return Own
	}
	switch {
	case s.sure && !s.speaks(labels) && (s.alike(p) || is(s.isOther) || !s.Mentioned(p.Text)):
		return Other
	case s.stranger && (s.namesOther || is(s.isOther)):
		return Other
	}
	return Unknown
}

// isOther reports a label that the question does not speak of and that is a name. What stands below
// several titles is a section.
func (s *Subject) isOther(l *label) bool {
	return l.match == absent && len(l.above) < 2 && slices.ContainsFunc(l.words, func(w word) bool {
		return w.coined() || s.base.DocFreq(w.term) <= writtenSpread*s.above[w.term]+2
	})
}

// alike reports whether a passage stands below a heading that the page of what is named has as well, as all
// pages of a formulary have the same sections.
func (s *Subject) alike(p *passage.Passage) bool {
	return slices.ContainsFunc(sectionsOf(p), func(heading string) bool { return s.sections[heading] })
}

// sectionsOf returns a passage's headings in lower case.
func sectionsOf(p *passage.Passage) []string {
	var sections []string
	for _, heading := range append([]string{p.Section}, p.Headings...) {
		if heading != "" {
			sections = append(sections, strings.ToLower(heading))
		}
	}
	return sections
}

// speaks reports whether a label speaks of what is named among other things, such as "Warfarin and
// Orvanta" or "Who should not take Orvanta?".
func (s *Subject) speaks(labels []*label) bool {
	return slices.ContainsFunc(labels, func(l *label) bool {
		for named := range s.named {
			for from := range l.words {
				if startsWith(l.words[from:], named.words) && !goesOn(l.words, from, from+len(named.words)) {
					return true
				}
			}
		}
		return false
	})
}

// goesOn reports whether the name at a place of a title is part of a longer one.
func goesOn(words []word, from, end int) bool {
	before := from > 0 && words[from].spacing != apart &&
		(words[from].spacing >= joined || from == 1 || words[from-1].capital || words[from-1].numbered())
	after := end < len(words) && words[end].spacing != apart &&
		(words[end].spacing >= joined || words[end].capital || words[end].numbered())
	return before || after
}

// Mentioned reports whether a text says one of the names that the question names, and not as a part of
// a longer one.
func (s *Subject) Mentioned(text string) bool {
	words := wordsOf(text)
	for named := range s.named {
		for from := range words {
			if startsWith(words[from:], named.words) && !s.longer(words, from, named) {
				return true
			}
		}
	}
	return false
}

// longer reports whether the name at a place of a text is part of a longer label.
func (s *Subject) longer(words []word, from int, named *label) bool {
	end := from + len(named.words)
	if end < len(words) && words[end].spacing != apart && words[end].numbered() && !named.below[words[end].term] {
		return true
	}
	for _, other := range s.labels {
		if len(other.words) <= len(named.words) {
			continue
		}
		for at := max(0, end-len(other.words)); at <= from; at++ {
			if startsWith(words[at:], other.words) {
				return true
			}
		}
	}
	return false
}

// Question is the question that was read.
func (s *Subject) Question() string { return s.text }

// Named reports whether the question names something that has a page.
func (s *Subject) Named() bool { return s != nil && len(s.named) > 0 }

// Sure reports whether what the question names is a name rather than an everyday word.
func (s *Subject) Sure() bool { return s.Named() && s.sure }

// Names returns the terms of the names in the question, each once.
func (s *Subject) Names() []string {
	var terms []string
	if s != nil {
		for l := range s.named {
			for _, w := range l.words {
				terms = append(terms, w.term)
			}
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// Titles returns the labels that the question names, longest first.
func (s *Subject) Titles() []string {
	var titles []string
	if s != nil {
		for l := range s.named {
			titles = append(titles, l.text)
		}
	}
	slices.SortFunc(titles, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return titles
}
