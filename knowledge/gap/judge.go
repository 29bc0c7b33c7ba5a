package gap

import (
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
)

// Judge tells what the sources lack for a question, from the words of the question and of the
// passages it finds. It makes no model call and is safe for concurrent use.
type Judge struct {
	mu         sync.Mutex
	key        string       // of the blob that calibrated was decoded from; guarded by mu
	calibrated *calibration // guarded by mu; never nil once a library has been judged
}

// NewJudge returns a judge. One serves a whole process: it keeps what was learnt about the library
// it judged last.
func NewJudge() *Judge { return &Judge{} }

// Judge says how probable it is that the sources do not hold what the question needs, and what it
// is that they lack. It searches for the words of the question that say what it is about, in
// running text and in stored questions apart; the question is covered if either covers it. Empty
// sources mean all. It fails only when the search does or ctx ends.
func (j *Judge) Judge(ctx context.Context, library *knowledge.Library, question string, sources []string) (Verdict, error) {
	learnt := j.calibration(library)
	q := parseQuestion(question, learnt.isAspect)
	if len(q.content) == 0 {
		return Verdict{}, nil
	}
	var shelves []shelved
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		e, err := lookUp(ctx, library, kind, q, sources)
		if err != nil {
			return Verdict{}, fmt.Errorf("judge %s: %w", kind, err)
		}
		if e == nil {
			continue
		}
		s := shelved{kind: kind, evidence: *e, small: isSmall(library.Collection(kind))}
		s.features = measure(q, e.known(s.small))
		s.probability = learnt.topic(s)
		if plaintext.HasHan(question) && max(s.features[softCoverage], s.features[coverage]) >= hanCoverage {
			s.probability = min(s.probability, hanUnsure)
		}
		if s.evidence.side > FacetFound {
			s.probability = min(s.probability, namedMissing)
		}
		shelves = append(shelves, s)
	}
	if len(shelves) == 0 {
		return Verdict{}, nil
	}
	return learnt.verdict(library, q, shelves), nil
}

// Chinese terms are pairs of characters, many of which straddle two words and are unknown to any
// base, so that the models see gaps everywhere: .88 of 411 covered consumer questions were flagged,
// with an AUC of .56. From hanCoverage on the judge therefore says no more than that it is unsure;
// .02 of them are flagged then, and .82 of questions put to an English base.
const (
	hanCoverage = 0.15
	hanUnsure   = 0.5
)

// namedMissing is the most that is said of a question that names the title of a page and a side of it that
// this page treats. Any section of a page says something of what it is about, which [FacetCoverage] has as the least,
// and that alone is not counted. The words of a page that has just been saved may be new to the base, and its encoder.
const namedMissing = .1

// calibration returns what was learnt about a library, decoding it once.
func (j *Judge) calibration(library *knowledge.Library) *calibration {
	blob := library.Blob(companionName)
	key := library.Generation() + string(blob[:min(len(blob), checksumLength)])
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.calibrated == nil || j.key != key {
		j.calibrated, j.key = decode(blob), key
	}
	return j.calibrated
}

// verdict puts the shelves together. What either kind of source covers is not missing.
func (c *calibration) verdict(library *knowledge.Library, q question, shelves []shelved) Verdict {
	best := slices.MinFunc(shelves, func(a, b shelved) int { return compare(a.probability, b.probability) })
	v := Verdict{Topic: best.probability}
	side := c.side(q, shelves)
	if slices.ContainsFunc(shelves, func(s shelved) bool { return s.evidence.side > FacetFound }) {
		side.probability = min(side.probability, namedMissing)
	}
	looked := lookUpHeadings(q, namedPages(library, q, shelves))
	side.lookUp(looked)
	if looked.answers(library, q) {
		v.Topic = min(v.Topic, headingHeld)
	}
	v.Aspect = side.probability
	v.Probability = max(v.Topic, v.Aspect)
	v.OffTopic = v.Topic >= warnAt && knowsNothing(shelves)
	topic, aspect := Missing(v.Topic), Missing(v.Aspect)
	switch {
	case aspect && (!topic || side.named && side.coverage >= onTopicShare):
		v.Gaps = append(v.Gaps, side.gap(q))
	case topic:
		v.Gaps = append(v.Gaps, topicGap(library, q, best, v.Topic))
	}
	return v
}

// offTopicCoverage is the share of a question's idf mass, near words counting in part, below which
// the sources know next to nothing of it; measured.
const offTopicCoverage = 0.4

// knowsNothing tells that no shelf covers more than a little of the question, and that no title
// among what was found shares a word with it.
func knowsNothing(shelves []shelved) bool {
	for _, s := range shelves {
		if max(s.features[softCoverage], s.features[coverage]) >= offTopicCoverage || s.features[titleOverlap] > 0 {
			return false
		}
	}
	return true
}

// topicGap words the gap of a missing topic by the shelf that covers the question best.
func topicGap(library *knowledge.Library, q question, s shelved, probability float64) Gap {
	sense := sense{
		idf:     func(term string) float64 { return idf(s.evidence.statistics, term) },
		match:   func(string) float64 { return 0 },
		unknown: func(word string) bool { return !mentions(library, word) },
	}
	if doc, ok := bestDocument(q, s.evidence); ok {
		sense.match = func(term string) float64 { return doc.matchTerm(term, s.evidence.words) }
	}
	label, query := nameTopic(q.text, rate(chunks(q.text), sense))
	return Gap{ID: IDOf(MissingTopic, ""), Code: MissingTopic, Text: label, Query: query, Status: Open, Probability: probability, Nearest: nearestPassages(s.evidence)}
}

// bestDocument is the document that covers the question best.
func bestDocument(q question, e evidence) (document, bool) {
	weights, _ := e.weigh(q.content)
	var best document
	most := -1.0
	for _, doc := range documents(e.found) {
		if soft, _ := doc.coverage(q.content, weights, e.words); soft > most {
			best, most = doc, soft
		}
	}
	return best, most >= 0
}

func nearestPassages(e evidence) []*passage.Passage {
	var out []*passage.Passage
	for _, hit := range e.found[:min(maxNearest, len(e.found))] {
		out = append(out, hit.passage)
	}
	return out
}

// mentions tells whether any passage, or any stored answer, holds a word in any of its forms.
func mentions(library *knowledge.Library, word string) bool {
	for _, term := range lexical.Terms(word) {
		known := false
		for _, kind := range []passage.Kind{passage.Text, passage.QA} {
			if shelf := library.Collection(kind); shelf != nil && shelf.DocFreq(term) > 0 {
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
	for _, p := range library.Passages() {
		if p.Kind != passage.QA {
			continue
		}
		for _, form := range forms {
			if strings.Contains(p.Text, form) {
				return true
			}
		}
	}
	return false
}
