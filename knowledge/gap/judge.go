package gap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// Judge finds out what the sources lack for a question, from the words of the question and of the
// passages it finds. It calls no model and is safe for concurrent use.
type Judge struct {
	mu           sync.Mutex
	calibrations map[string]*calibration // by generation and checksum; guarded by mu
}

// maxCalibrations bounds the decoded calibrations of a judge. A session has one library for each
// workspace folder.
const maxCalibrations = 8

// NewJudge returns a judge. One serves a whole process: it caches the calibrations of the libraries it
// judged last.
func NewJudge() *Judge { return &Judge{calibrations: make(map[string]*calibration)} }

// Judge returns the probability that the sources lack what the question needs, and what it is that they
// lack. It searches running text and stored questions separately for the words that say what the question
// is about; the question is covered if either covers it. Empty sources mean all. It fails only if the
// search does or ctx ends.
func (j *Judge) Judge(ctx context.Context, library *knowledge.Library, question string, sources []string) (Verdict, error) {
	c := j.calibration(library)
	q := parseQuestion(question, c.isAspect)
	if len(q.content) == 0 {
		return Verdict{}, nil
	}
	var assessments []assessment
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		e, err := lookUp(ctx, library, kind, q, sources)
		if err != nil {
			return Verdict{}, fmt.Errorf("judge %s: %w", kind, err)
		}
		if e == nil {
			continue
		}
		a := assessment{kind: kind, evidence: *e, small: c.isSmall(library.Collection(kind), kind) || plaintext.HasHan(question)}
		a.features = measure(q, e.known(a.small))
		a.probability = c.topic(a)
		if a.evidence.facet > FacetFound {
			a.probability = min(a.probability, maxNamed)
		}
		assessments = append(assessments, a)
	}
	if len(assessments) == 0 {
		return Verdict{}, nil
	}
	return c.verdict(library, q, assessments), nil
}

// maxNamed is the highest probability that something is missing if the question names the title of a page
// and a facet that the page treats by more than [FacetFound], which any section of a page reaches. The
// words of a page that has just been saved may be new to the base and its encoder.
const maxNamed = .1

// calibration returns the calibration of a library and decodes it once.
func (j *Judge) calibration(library *knowledge.Library) *calibration {
	blob := library.Blob(companionName)
	key := library.Generation() + string(blob[:min(len(blob), checksumLength)])
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.calibrations[key]
	if c == nil {
		if len(j.calibrations) == maxCalibrations {
			clear(j.calibrations)
		}
		c = decode(blob)
		j.calibrations[key] = c
	}
	return c
}

// verdict combines the collections: what either kind of source covers is not missing.
func (c *calibration) verdict(library *knowledge.Library, q inquiry, assessments []assessment) Verdict {
	best := slices.MinFunc(assessments, func(a, b assessment) int { return cmp.Compare(a.probability, b.probability) })
	v := Verdict{Topic: best.probability}
	nearest := slices.MaxFunc(assessments, func(a, b assessment) int { return cmp.Compare(a.features[coverage], b.features[coverage]) })
	aspect := c.Aspects.find(q, assessments)
	treated := 0.0
	for _, a := range assessments {
		treated = max(treated, a.evidence.facet)
	}
	if treated > FacetFound {
		aspect.probability = min(aspect.probability, maxNamed)
	}
	headings := lookUpHeadings(q, namedPages(library, q, assessments))
	if treated < underHeading || headings.held {
		aspect.apply(headings)
	}
	if headings.answers(library, q) {
		v.Topic = min(v.Topic, headingHeld)
	}
	v.Aspect = aspect.probability
	v.Probability = max(v.Topic, v.Aspect)
	v.OffTopic = Missing(v.Topic) && knowsNothing(assessments)
	switch topicMissing := Missing(v.Topic); {
	case Missing(v.Aspect) && !aspect.named && best.evidence.wording.unknown(nameWord) > 0:
		v.Gaps = append(v.Gaps, topicGap(library, q, nearest, v.Probability)) // an aspect of nothing known
	case Missing(v.Aspect) && (!topicMissing || aspect.named && aspect.coverage >= onTopicShare):
		v.Gaps = append(v.Gaps, aspect.gap(q))
	case topicMissing:
		v.Gaps = append(v.Gaps, topicGap(library, q, nearest, v.Topic))
	}
	return v
}

// offTopicCoverage is the share of a question's idf mass, near words counting in part, below which the
// sources know next to nothing of it; measured.
const offTopicCoverage = 0.4

// knowsNothing reports that no collection covers more than a little of the question, and that no title
// found shares a word with it.
func knowsNothing(assessments []assessment) bool {
	for _, a := range assessments {
		if max(a.features[softCoverage], a.features[coverage]) >= offTopicCoverage || a.features[titleOverlap] > 0 {
			return false
		}
	}
	return true
}

// newScorer tells what the sources know of the terms of a question.
func newScorer(library *knowledge.Library, q inquiry, e evidence) termScorer {
	language := question.LanguageOf(q.text)
	s := termScorer{
		idf:     func(term string) float64 { return idf(e.statistics, term) },
		match:   func(string) float64 { return 0 },
		unknown: func(word string) bool { return !mentions(library, word) && !e.saysOtherwise(word, language) },
		class:   func(word string) wordClass { return q.classOf(word) },
	}
	if doc, ok := bestDocument(q, e); ok {
		s.match = func(term string) float64 { return doc.matchTerm(term, e.words) }
	}
	return s
}

// topicGap words the gap of a missing topic by the collection that covers the question best.
func topicGap(library *knowledge.Library, q inquiry, a assessment, probability float64) Gap {
	e := a.evidence
	reading := question.Read(q.text)
	label, query := nameTopic(reading, rate(subjectPhrases(reading), newScorer(library, q, e)))
	gap := Gap{ID: IDOf(MissingTopic, ""), Code: MissingTopic, Text: label, Query: query, Status: Open, Probability: probability}
	var found []*passage.Passage
	for _, hit := range e.candidates {
		found = append(found, hit.passage)
	}
	gap.Nearest = q.onNamedPage(found)
	return gap
}

// bestDocument returns the document that covers the question best.
func bestDocument(q inquiry, e evidence) (document, bool) {
	weights, _ := e.weigh(q.content)
	var best document
	most := -1.0
	for _, doc := range documents(e.candidates) {
		if soft, _ := doc.coverage(q.content, weights, e.words); soft > most {
			best, most = doc, soft
		}
	}
	return best, most >= 0
}

// mentions reports whether any passage or stored answer holds a word in any of its forms.
func mentions(library *knowledge.Library, word string) bool {
	for _, term := range lexical.Terms(word) {
		known := false
		for _, kind := range []passage.Kind{passage.Text, passage.QA} {
			if collection := library.Collection(kind); collection != nil && collection.DocFreq(term) > 0 {
				known = true
			}
		}
		if !known {
			return answersMention(library, word)
		}
	}
	return true
}

// answersMention looks for a word in the stored answers, which are not indexed.
func answersMention(library *knowledge.Library, word string) bool {
	lower := strings.ToLower(word)
	first, size := utf8.DecodeRuneInString(lower)
	forms := []string{word, lower, strings.ToUpper(word), string(unicode.ToUpper(first)) + lower[size:]}
	return library.AnswersHold(forms)
}
