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

// onTopicShare is how much of the best coverage of the topic a passage needs to be on the topic.
const onTopicShare = 0.85

// onTopic returns the passages found, over all shelves, that treat what the question is about, how
// much of its topic the best of them covers, and whether the question names the title of one. Only the words themselves count: near ones
// bring in the neighbours of the topic, whose aspects then hide what the topic lacks (measured, AUC
// .77 instead of .84). For the same reason a title that the question names decides among labelled
// passages.
func onTopic(q question, all []evidence) (hits []found, best float64, named bool) {
	var shares []float64
	var candidates []found
	for _, e := range all {
		e.words = nil
		weights, total := e.weigh(q.topic)
		if total == 0 {
			continue
		}
		for _, hit := range e.found {
			_, exact := document{terms: hit.terms}.coverage(q.topic, weights, nil)
			candidates, shares = append(candidates, hit), append(shares, exact/total)
			best = max(best, exact/total)
			named = named || q.names(hit.passage.Title)
		}
	}
	for i, hit := range candidates {
		covers := shares[i] >= onTopicShare*best
		if named && aspectClass(hit.passage) != "" {
			covers = q.names(hit.passage.Title)
		}
		if covers {
			hits = append(hits, hit)
		}
	}
	return hits, best, named
}

// side is what the aspect stage holds of a question.
type side struct {
	probability float64 // that the aspect is missing from what treats the topic; 0 if nothing can be said
	asked       string  // the aspect
	hits        []found // on the topic
	coverage    float64 // of the topic by the best of them, in 0..1
	named       bool    // the question names the title of one of them
	page        page    // whose headings were looked up; empty if none were
}

// How sure it is that a side is missing of which a named page has no heading, and how unsure it stays
// where one has. Measured on MedQuAD's sections, whose judge flags .83 of 321 missing sections and .01
// of 336 that are there: with the headings looked up .94 and .02. A heading by itself says nothing of
// whether the subject is the one that is meant: of 14 questions with a heading of the asked side that
// the judge holds to be about another subject, 12 are. So it speaks for the subject only where the page
// holds all words of it.
const (
	headingMissing = 0.85
	headingHeld    = 0.5
)

// lookUp heeds what the headings of the pages say that the question names.
func (s *side) lookUp(l lookedUp) {
	switch {
	case l.held:
		s.probability = min(s.probability, headingHeld)
	case l.asked == "":
	default:
		s.asked, s.page = l.asked, l.page
		s.probability, s.coverage, s.named = max(s.probability, headingMissing), 1, true
	}
}

// definition is the aspect that a text without a heading usually treats.
const definition = "the definition"

// unlearnt bounds the probability that an aspect is missing of which the base has too few passages
// to know how it is worded: it may be treated without being named.
const unlearnt = 0.8

// side judges the aspect a question asks for among the passages on its topic. It says nothing where
// no aspect is recognised, or where none of the passages is labelled.
func (c *calibration) side(q question, shelves []shelved) side {
	if c.Aspects == nil {
		return side{}
	}
	asked := c.Aspects.asked(q.text)
	if asked == "" {
		return side{}
	}
	all := make([]evidence, len(shelves))
	for i, s := range shelves {
		all[i] = s.evidence
	}
	out := side{asked: asked}
	out.hits, out.coverage, out.named = onTopic(q, all)
	unlabelled := slices.ContainsFunc(out.hits, func(hit found) bool { return aspectClass(hit.passage) == "" })
	if len(heldAspects(out.hits)) == 0 || asked == definition && unlabelled {
		return side{}
	}
	f := c.Aspects.measure(asked, out.hits)
	out.probability = c.Aspects.Stage.probability(f)
	if _, known := slices.BinarySearch(c.Aspects.Classes, asked); !known {
		if f[aspectLabel]+f[aspectMention] > 0 {
			return side{}
		}
		out.probability = min(out.probability, unlearnt)
	}
	return out
}

// gap words a missing aspect of a topic that the sources treat.
func (s side) gap(q question) Gap {
	gap := Gap{ID: IDOf(MissingAspect, ""), Code: MissingAspect, Status: Open, Probability: s.probability}
	subject, held := s.page.title, s.page.sides()
	near := s.page.passages
	if subject == "" {
		var own []found
		subject, own = subjectOf(q, s.hits)
		held = heldAspects(own)
		near = nil
		for _, hit := range s.hits {
			near = append(near, hit.passage)
		}
	}
	gap.Text, gap.Query = nameAspect(s.asked, subject, held), oneLine(subject+" "+s.asked)
	gap.Nearest = slices.Clone(near[:min(maxNearest, len(near))])
	return gap
}

// subjectOf is the title of the first passage on the topic if the question names it, with the
// passages under that title; else it is what the question itself calls it, with no passages, as
// none is known to be about just that.
func subjectOf(q question, hits []found) (string, []found) {
	for _, hit := range hits {
		title := hit.passage.Title
		if q.names(title) {
			other := func(f found) bool { return !strings.EqualFold(f.passage.Title, title) }
			return title, slices.DeleteFunc(slices.Clone(hits), other)
		}
	}
	topic := ""
	for _, c := range chunks(q.text) {
		if aspectOf(c.text) == "" && len(c.text) > len(topic) {
			topic = c.text
		}
	}
	if topic == "" {
		return strings.TrimRight(oneLine(q.text), "?？ "), nil
	}
	return topic, nil
}

// heldAspects are the labels of the passages on the topic, in the order in which they first appear.
func heldAspects(hits []found) []string {
	var names []string
	for _, hit := range hits {
		if name := aspectClass(hit.passage); name != "" {
			names = append(names, name)
		}
	}
	return plaintext.Distinct(names)
}
