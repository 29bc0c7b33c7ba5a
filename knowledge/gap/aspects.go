package gap

import (
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// aspectFinding holds the judge's findings about the aspect that a question asks for.
type aspectFinding struct {
	probability float64     // that the aspect is missing from what treats the topic; 0 if nothing can be said
	asked       string      // the aspect
	hits        []candidate // on the topic
	coverage    float64     // of the topic by the best hit, in 0..1
	named       bool        // the question names the title of a hit
	page        page        // whose headings were looked up; empty if none were
}

const definition = string(question.Definition)

// maxUnlearnt bounds the probability that an aspect is missing if the base has too few passages on it to
// learn its words: it may be treated without being named.
const maxUnlearnt = 0.8

// find judges the aspect that a question asks for by the passages on its topic. It says nothing if no
// aspect is recognised or no passage has a label. A nil model finds nothing.
func (m *aspectModel) find(q inquiry, assessments []assessment) aspectFinding {
	if m == nil {
		return aspectFinding{}
	}
	f := aspectFinding{asked: m.asked(q.text)}
	if f.asked == "" {
		return aspectFinding{}
	}
	f.hits, f.coverage, f.named = onTopic(q, assessments)
	unlabelled := slices.ContainsFunc(f.hits, func(hit candidate) bool { return aspectClass(hit.passage) == "" })
	if len(labelsOf(f.hits)) == 0 || f.asked == definition && unlabelled {
		return aspectFinding{}
	}
	features := m.measure(f.asked, f.hits)
	f.probability = m.Stage.probability(features)
	if _, known := slices.BinarySearch(m.Classes, f.asked); !known {
		if features[aspectLabel]+features[aspectMention] > 0 {
			return aspectFinding{}
		}
		f.probability = min(f.probability, maxUnlearnt)
	}
	return f
}

// onTopicShare is the share of the best coverage of the topic from which a passage is on the topic.
const onTopicShare = 0.85

// onTopic returns the candidates of all collections that treat the topic of a question, how much of the
// topic the best one covers, and whether the question names the title of one. Only exact words count: near
// words bring in neighbouring topics, whose aspects then hide what the topic lacks (AUC .77 instead of .84,
// measured). For the same reason, if the question names a title, labelled passages must be under it.
func onTopic(q inquiry, assessments []assessment) (hits []candidate, best float64, named bool) {
	var shares []float64
	var candidates []candidate
	for _, a := range assessments {
		weights, total := a.evidence.weigh(q.topic)
		if total == 0 {
			continue
		}
		for _, hit := range a.evidence.candidates {
			_, exact := document{terms: hit.terms}.coverage(q.topic, weights, nil)
			candidates, shares = append(candidates, hit), append(shares, exact/total)
			best = max(best, exact/total)
			named = named || q.namesPage(hit.passage)
		}
	}
	for i, hit := range candidates {
		covers := shares[i] >= onTopicShare*best
		if named && aspectClass(hit.passage) != "" {
			covers = q.namesPage(hit.passage)
		}
		if covers {
			hits = append(hits, hit)
		}
	}
	return hits, best, named
}

// gap words a missing aspect of a topic that the sources treat.
func (f aspectFinding) gap(q inquiry) Gap {
	gap := Gap{ID: IDOf(MissingAspect, ""), Code: MissingAspect, Status: Open, Probability: f.probability}
	subject, labels := f.page.title, f.page.labels()
	near := f.page.passages
	if subject == "" {
		var own []candidate
		subject, own = subjectOf(q, f.hits)
		labels = labelsOf(own)
		near = nil
		for _, hit := range f.hits {
			near = append(near, hit.passage)
		}
	}
	gap.Text, gap.Query = nameAspect(f.asked, subject, labels), oneLine(subject+" "+f.asked)
	gap.Nearest = q.onNamedPage(near)
	return gap
}

// subjectOf returns the title of the first hit whose title the question names, with the hits under it.
// If there is none, it returns what the question itself calls the subject, with no hits, since none is
// known to be about just that.
func subjectOf(q inquiry, hits []candidate) (string, []candidate) {
	for _, hit := range hits {
		title := hit.passage.Title
		if q.namesPage(hit.passage) {
			other := func(f candidate) bool { return !strings.EqualFold(f.passage.Title, title) }
			return title, slices.DeleteFunc(slices.Clone(hits), other)
		}
	}
	reading := question.Read(q.text)
	for _, phrase := range subjectPhrases(reading) {
		if aspectOf(phrase.Text) == "" {
			return phrase.Text, nil
		}
	}
	return strings.TrimRight(oneLine(asks(reading)), "?？ "), nil
}

// labelsOf returns the distinct aspects that hits are labelled with, in order of first appearance.
func labelsOf(hits []candidate) []string {
	var labels []string
	for _, hit := range hits {
		if label := aspectClass(hit.passage); label != "" {
			labels = append(labels, label)
		}
	}
	return plaintext.Distinct(labels)
}

// If a question names the title of a page and asks for an aspect that headings announce, nothing needs to
// be estimated: the headings of the page are looked up.

// page holds the passages under a title that a question names.
type page struct {
	title    string
	passages []*passage.Passage // in order, at most maxPage
	first    int                // ordinal of the first one
}

const (
	titleDepth = 10  // hits whose titles are compared with the question
	maxPage    = 400 // passages of a page, so that a book with one title costs no more than a page
)

// namedPages returns the pages among the first hits whose title the question names, the longest title
// first. It leaves out a title that is part of another named title, and titles made of words that any
// question may have.
func namedPages(library *knowledge.Library, q inquiry, assessments []assessment) []page {
	var pages []page
	seen := make(map[[3]string]bool)
	for _, a := range assessments {
		for _, hit := range a.evidence.candidates[:min(titleDepth, len(a.evidence.candidates))] {
			p := hit.passage
			key := [3]string{p.Source, p.Document, p.Title}
			if seen[key] || !slices.ContainsFunc(p.Names(), q.isAbout) {
				continue
			}
			seen[key] = true
			pages = append(pages, pageOf(library, hit.ordinal))
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

// isAbout reports whether the question holds all terms of a title, and at least one names its subject.
func (q inquiry) isAbout(title string) bool {
	return q.names(title) && slices.ContainsFunc(lexical.Terms(title), func(term string) bool {
		return slices.Contains(q.topic, term) && !question.IsPlainTerm(term)
	})
}

// pageOf returns the adjacent passages that share the title of one.
func pageOf(library *knowledge.Library, ordinal int) page {
	all := library.Passages()
	own := all[ordinal]
	from, to := library.Run(ordinal, maxPage, func(p *passage.Passage) bool {
		return p.Kind == own.Kind && p.Source == own.Source && p.Document == own.Document && p.Title == own.Title
	})
	return page{own.Title, all[from:to], from}
}

// labels returns the distinct aspects that the passages of a page are labelled with, in order.
func (p page) labels() []string {
	var labels []string
	for _, one := range p.passages {
		if label := aspectClass(one); label != "" {
			labels = append(labels, label)
		}
	}
	return plaintext.Distinct(labels)
}

// holdsTopic reports whether the passages of a page, with title and headings, hold every topic word of
// the question.
func (p page) holdsTopic(library *knowledge.Library, q inquiry) bool {
	held := make(map[string]bool)
	for i, one := range p.passages {
		if collection := library.Collection(one.Kind); collection != nil {
			for _, term := range evidenceTerms(collection, one, p.first+i) {
				held[term] = true
			}
		}
	}
	return !slices.ContainsFunc(q.topic, func(term string) bool { return !held[term] && !question.IsPlainTerm(term) })
}

// headingLookup reports what the named pages' headings say about the aspect that a question asks for.
type headingLookup struct {
	asked string // the aspect; "" if the headings say nothing about one
	held  bool   // a page has it
	page  page   // that has it, or else the first
}

// answers reports whether a page has a heading for what the question asks, and holds every word of its
// topic.
func (l headingLookup) answers(library *knowledge.Library, q inquiry) bool {
	return l.held && l.page.holdsTopic(library, q)
}

// lookUpHeadings looks up the aspect that a question asks for. It says nothing if no page is named, no
// aspect is recognised, the pages have no heading that names an aspect, or a part under another heading
// may treat it.
func lookUpHeadings(q inquiry, pages []page) headingLookup {
	if len(pages) == 0 {
		return headingLookup{}
	}
	asked := aspectSought(question.Read(q.text).Without(pages[0].title))
	if asked == "" {
		for _, p := range pages {
			if slices.ContainsFunc(p.passages, q.saysHeading) {
				return headingLookup{held: true, page: p}
			}
		}
		return headingLookup{}
	}
	labelled := false
	for _, p := range pages {
		for _, one := range p.passages {
			switch aspectClass(one) {
			case asked:
				return headingLookup{asked, true, p}
			case "":
				if asked == definition || mentionsAspect(asked, one) {
					return headingLookup{}
				}
			default:
				labelled = true
			}
		}
	}
	if !labelled {
		return headingLookup{}
	}
	return headingLookup{asked: asked, page: pages[0]}
}

// headingMissing is the probability that an aspect is missing if a named page has no heading for it, and
// headingHeld the most if one has. On the sections of MedQuAD, where the models alone flag .83 of 321
// missing sections and .01 of 336 present ones, the look-up makes that .94 and .02. A heading alone does
// not show that its page is about the subject meant: of 14 questions that have a heading for the aspect
// and that the judge takes to be about another subject, 12 are. So a heading lowers the probability that
// the topic is missing only if its page holds every word of the topic.
const (
	headingMissing = 0.85
	headingHeld    = 0.5
)

// apply corrects a finding by what the headings of the named pages say.
func (f *aspectFinding) apply(l headingLookup) {
	switch {
	case l.held:
		f.probability = min(f.probability, headingHeld)
	case l.asked != "":
		f.asked, f.page = l.asked, l.page
		f.probability, f.coverage, f.named = max(f.probability, headingMissing), 1, true
	}
}

// saysHeading reports whether the question holds every word of a passage's heading, besides the words of
// its title.
func (q inquiry) saysHeading(p *passage.Passage) bool {
	if p.Kind == passage.QA {
		return false
	}
	title := lexical.Terms(p.Title)
	own := slices.DeleteFunc(lexical.Terms(p.Section), func(term string) bool { return slices.Contains(title, term) })
	return len(own) > 0 && !slices.ContainsFunc(own, func(term string) bool { return !slices.Contains(q.content, term) })
}

// aspectSought returns the aspect of medicine that a question asks for, or "". A yes-or-no question asks for a
// fact, which may stand under any heading, unless it asks for inheritance.
func aspectSought(r question.Reading) string {
	asked := clinical(r.Aspects)
	if r.Expected.Kind == question.YesNo && asked != inheritance {
		return ""
	}
	return asked
}

const inheritance = "inheritance"

// aspectAsked returns the aspect of medicine that a question names, or "".
func aspectAsked(text string) string { return clinical(question.Read(text).Aspects) }

// aspectOf returns the aspect of medicine that a heading or a type of question names, or "".
func aspectOf(label string) string { return clinical(question.AspectsOf(label)) }

// clinical returns the first aspect of medicine, or "". Pages about other things often treat an aspect without a
// heading for it.
func clinical(aspects []question.Aspect) string {
	if at := slices.IndexFunc(aspects, question.Aspect.IsClinical); at >= 0 {
		return string(aspects[at])
	}
	return ""
}
