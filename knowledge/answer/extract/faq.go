package extract

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// A section whose heading asks is a stored question with its answer, but stays one passage of running text:
// its heading is compared with the question, and nothing is indexed twice. A heading that asks for effect
// ("Why us?") does no harm, because only the same question is answered by it.

// faq is a section under a heading that asks.
type faq struct {
	hit   knowledge.Hit
	same  bool    // the heading asks what the question asks, and no other section's does
	alike float64 // how far the heading asks the same, in 0..1
}

// nearHeading is the likeness from which on a section is shown before other places.
const nearHeading = .4

// bestFAQ returns the section whose heading asks most like the question; false if none asks anything like it.
func bestFAQ(asked inquiry, hits []knowledge.Hit, collection *knowledge.Collection) (faq, bool) {
	words := plaintext.Distinct(contentWords(asked.asks))
	var best faq
	rivals := make(map[string]bool) // where headings ask the same
	for _, hit := range hits {
		heading, above := headingThatAsks(hit.Passage)
		if heading == "" || len(words) == 0 {
			continue
		}
		own := contentWords(heading)
		f := faq{hit: hit, same: asksSame(asked, words, heading, own, above), alike: alike(asked, own, collection)}
		if f.same {
			f.alike = 1
			rivals[hit.Passage.Source+"\x00"+strings.Join(append([]string{hit.Passage.Document}, hit.Passage.Headings...), "\x00")] = true
		}
		if f.alike > best.alike || f.same && best.same && begins(hit.Passage, best.hit.Passage) {
			best = f
		}
	}
	best.same = best.same && len(rivals) == 1
	return best, best.alike >= nearHeading
}

// alike returns how far the words of a stored question or heading and those of the question are the same or kin,
// in 0..1: the harmonic mean of both shares of weight.
func alike(asked inquiry, own []string, collection *knowledge.Collection) float64 {
	words := plaintext.Distinct(contentWords(asked.asks))
	if len(words) == 0 || len(own) == 0 {
		return 0
	}
	wording := collection.Wording(words)
	cover := wording.Coverage(func(term string) bool { return slices.Contains(own, term) })
	back, _ := coverage(own, slices.Concat(words, kinOf(wording)), collection)
	if cover+back == 0 {
		return 0
	}
	return 2 * cover * back / (cover + back)
}

// kinOf returns the terms of the words' kin.
func kinOf(wording *lexicon.Wording) []string {
	var terms []string
	for _, word := range wording.Words {
		for _, kin := range word.Kin {
			terms = append(terms, kin.Terms...)
		}
	}
	return terms
}

// begins reports whether a passage stands before another one in the same section.
func begins(p, other *passage.Passage) bool {
	return p.Document == other.Document && slices.Equal(p.Headings, other.Headings) && p.Place.Span.Start < other.Place.Span.Start
}

// headingThatAsks returns the heading right above a passage, if it asks, with the terms of what stands above it.
func headingThatAsks(p *passage.Passage) (heading string, above []string) {
	outer := append([]string{p.Title}, p.Also...)
	heading = p.Title
	if n := len(p.Headings); n > 0 {
		heading, outer = p.Headings[n-1], append(outer, p.Headings[:n-1]...)
	}
	if !question.Asks(heading) {
		return "", nil
	}
	return heading, lexical.Terms(strings.Join(outer, "\n"))
}

// asksSame reports whether a heading has the content words of the question, besides those that stand above it.
func asksSame(asked inquiry, words []string, heading string, own, above []string) bool {
	return len(own) > 0 && !missesAny(own, words) && !missesAny(words, slices.Concat(own, above)) &&
		negates(asked.asks) == negates(heading) && question.Read(heading).Expected.Kind == question.Read(asked.asks).Expected.Kind
}

// answerByFAQ answers with the section whose heading asks the same, or shows the place of one that asks nearly the
// same before the other places.
func (o *Offline) answerByFAQ(library *knowledge.Library, result *answer.Result, c consultation) {
	collection := library.Collection(passage.Text)
	if result.Stored != nil || collection == nil || len(c.found.texts) == 0 {
		return
	}
	f, ok := bestFAQ(c.asked.asked, c.found.texts[0], collection)
	if !ok || !f.same && result.State == answer.Answered {
		return
	}
	shown := answer.Result{}
	var statements []answer.Statement
	if f.same {
		r := read(c.asked.asked.gist, collection, []knowledge.Hit{f.hit})
		statements = o.statements(library, &shown, r, r.quotations(storedMatch{reading: r}.excerpt(o.Amount)))
	} else {
		r := newPlacing(cmp.Or(c.asked.asked.gist, result.Question.Text), collection, []knowledge.Hit{f.hit})
		places := r.choose()
		statements = o.placeStatements(library, &shown, r, places[:min(1, len(places))])
	}
	result.Dropped += shown.Dropped
	if len(statements) == 0 {
		return
	}
	if f.same {
		result.State, result.Statements, result.Nearest, result.Citations = answer.Answered, statements, nil, shown.Citations
		result.Gaps, result.MissingProbability, result.Disagree = nil, min(result.MissingProbability, 1-agreesConfidence), false
		return
	}
	for _, s := range result.Nearest {
		again := covered(statements, lexical.Words(s.Text))
		if again || len(statements) == maxPlaces {
			continue
		}
		for i, n := range s.Citations {
			citation := result.Citations[n-1]
			citation.N = len(shown.Citations) + 1
			shown.Citations = append(shown.Citations, citation)
			s.Citations = slices.Clone(s.Citations)
			s.Citations[i] = citation.N
		}
		statements = append(statements, s)
	}
	result.State, result.Nearest, result.Citations = answer.Nearest, statements, shown.Citations
	result.MissingProbability = min(result.MissingProbability, unsure)
	result.Gaps = nil
}
