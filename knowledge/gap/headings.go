package gap

import (
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Where a question names the title of a page and asks for a side that headings announce, nothing needs
// to be estimated: the headings of the page are looked up.

// page is what the sources hold under a title that a question names.
type page struct {
	title    string
	passages []*passage.Passage // in their order, at most [mostOfPage]
	first    int                // ordinal of the first of them
}

const (
	gateDepth  = 10  // passages found whose titles are looked at
	mostOfPage = 400 // passages of a page, so that a book with one title costs no more than a page
)

// namedPages are the pages among the first passages found whose title the question names, the longest
// title first. A title that is a part of another one that is named as well, is not meant; and one says
// nothing if it is made of words that any question may have.
func namedPages(library *knowledge.Library, q question, shelves []shelved) []page {
	var pages []page
	seen := make(map[[3]string]bool)
	for _, s := range shelves {
		for _, hit := range s.evidence.found[:min(gateDepth, len(s.evidence.found))] {
			p := hit.passage
			key := [3]string{p.Source, p.Document, p.Title}
			if seen[key] || !q.isAbout(p.Title) {
				continue
			}
			seen[key] = true
			pages = append(pages, samePage(library.Passages(), hit.ordinal))
		}
	}
	slices.SortStableFunc(pages, func(a, b page) int { return len(lexical.Terms(b.title)) - len(lexical.Terms(a.title)) })
	var meant []page
	for _, p := range pages {
		terms := lexical.Terms(p.title)
		if !slices.ContainsFunc(meant, func(longer page) bool {
			whole := lexical.Terms(longer.title)
			return len(whole) > len(terms) && !slices.ContainsFunc(terms, func(term string) bool { return !slices.Contains(whole, term) })
		}) {
			meant = append(meant, p)
		}
	}
	return meant
}

// isAbout reports whether the question holds all terms of a title, and one at least names its subject.
func (q question) isAbout(title string) bool {
	return q.names(title) && slices.ContainsFunc(lexical.Terms(title), func(term string) bool {
		return slices.Contains(q.topic, term) && !plainTerms[term]
	})
}

// samePage are the passages under the title of one, which stand beside it.
func samePage(all []*passage.Passage, ordinal int) page {
	own := all[ordinal]
	same := func(p *passage.Passage) bool {
		return p.Kind == own.Kind && p.Source == own.Source && p.Document == own.Document && p.Title == own.Title
	}
	from, to := ordinal, ordinal+1
	for from > 0 && ordinal-from < mostOfPage/2 && same(all[from-1]) {
		from--
	}
	for to < len(all) && to-ordinal < mostOfPage/2 && same(all[to]) {
		to++
	}
	return page{own.Title, all[from:to], from}
}

// tells reports whether the passages of a page, with title and headings, hold every word of the
// question that says what it is about.
func (p page) tells(library *knowledge.Library, q question) bool {
	held := make(map[string]bool)
	for i, one := range p.passages {
		if shelf := library.Collection(one.Kind); shelf != nil {
			for _, term := range evidenceTerms(shelf, one, p.first+i) {
				held[term] = true
			}
		}
	}
	return !slices.ContainsFunc(q.topic, func(term string) bool { return !held[term] && !plainTerms[term] })
}

// lookedUp is what the headings of the named pages say about the side that a question asks for.
type lookedUp struct {
	asked string // the side; "" where the headings say nothing of one
	held  bool   // a page has it
	page  page   // that has it, or the first
}

// answers reports whether a page has a heading for what the question asks of it, and holds every word
// of its subject.
func (l lookedUp) answers(library *knowledge.Library, q question) bool {
	return l.held && l.page.tells(library, q)
}

// lookUpHeadings looks the asked side up. It says nothing where no page is named, no side is
// recognised, or the pages have no heading that names a side; and where a part whose heading names
// none may treat it.
func lookUpHeadings(q question, pages []page) lookedUp {
	if len(pages) == 0 {
		return lookedUp{}
	}
	asked := sideAsked(withoutTitle(q.text, pages[0].title))
	if asked == "" {
		return lookUpWords(q, pages)
	}
	labelled := false
	for _, p := range pages {
		for _, one := range p.passages {
			switch aspectClass(one) {
			case asked:
				return lookedUp{asked, true, p}
			case "":
				if asked == definition || mentionsSide(asked, one) {
					return lookedUp{}
				}
			default:
				labelled = true
			}
		}
	}
	if !labelled {
		return lookedUp{}
	}
	return lookedUp{asked: asked, page: pages[0]}
}

// lookUpWords looks for a heading that the question says itself, where it asks for no side that is known.
func lookUpWords(q question, pages []page) lookedUp {
	for _, p := range pages {
		if slices.ContainsFunc(p.passages, q.saysHeading) {
			return lookedUp{held: true, page: p}
		}
	}
	return lookedUp{}
}

// saysHeading reports whether the question holds every word of a passage's heading, beside those of its
// title.
func (q question) saysHeading(p *passage.Passage) bool {
	if p.Kind == passage.QA {
		return false
	}
	title := lexical.Terms(p.Title)
	own := slices.DeleteFunc(lexical.Terms(p.Section), func(term string) bool { return slices.Contains(title, term) })
	return len(own) > 0 && !slices.ContainsFunc(own, func(term string) bool { return !slices.Contains(q.content, term) })
}

// sideAsked is the side that a question asks for. A question for a yes or no asks for a fact, which may
// stand under any heading, unless it asks for inheritance.
func sideAsked(question string) string {
	asked := aspectAsked(question)
	words := lexical.Words(question)
	if len(words) > 0 && yesOrNo[words[0]] && asked != inheritance {
		return ""
	}
	return asked
}

const inheritance = "inheritance"

// yesOrNo are the words that open a question for a yes or no.
var yesOrNo = plaintext.Set(`is are was were does do did can could may might must should shall will would has have had`)

// withoutTitle is a question without the title that it names: the words of a name ask for nothing.
func withoutTitle(question, title string) string {
	lower := strings.ToLower(question)
	if len(lower) != len(question) {
		return question
	}
	if at := strings.Index(lower, strings.ToLower(title)); at >= 0 && title != "" {
		return question[:at] + " " + question[at+len(title):]
	}
	return question
}

// sides are the labels of a page, in their order.
func (p page) sides() []string {
	var names []string
	for _, one := range p.passages {
		if name := aspectClass(one); name != "" {
			names = append(names, name)
		}
	}
	return plaintext.Distinct(names)
}
