package gap

import (
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// The features of the aspect stage, over the passages found that are on the topic of the question.
const (
	aspectShare   = iota // the largest posterior of the asked aspect among them
	aspectScore          // the largest score of the asked aspect among the first ten
	aspectLabel          // 1 if one of them bears the asked aspect as its label
	aspectMention        // 1 if one of them names the asked aspect in its text
	aspectFeatureCount
)

type aspectFeatures [aspectFeatureCount]float64

var aspectScales = aspectFeatures{aspectShare: 0.3, aspectScore: 0.5, aspectLabel: 0.5, aspectMention: 0.5}

// aspectStage is the logistic model of the aspect features: the probability that the sources treat
// the topic but not the aspect. Its weights are never positive.
type aspectStage struct {
	Bias    float64
	Weights aspectFeatures
	Means   aspectFeatures
}

// shippedAspect serves a base whose own aspects could not be rehearsed.
var shippedAspect = aspectStage{
	Weights: aspectFeatures{aspectShare: -0.85, aspectScore: -0.09, aspectLabel: -0.5, aspectMention: -0.2},
	Means:   aspectFeatures{aspectShare: 0.5, aspectScore: 0.5, aspectLabel: 0.5, aspectMention: 0.5},
}

func (s aspectStage) probability(f aspectFeatures) float64 {
	sum := s.Bias
	for k := range f {
		sum += s.Weights[k] * standard(f[k], s.Means[k], aspectScales[k])
	}
	return sigmoid(sum)
}

func (s aspectStage) sound() bool {
	ok := isFinite(s.Bias)
	for k := range s.Weights {
		ok = ok && isFinite(s.Weights[k]) && isFinite(s.Means[k]) && s.Weights[k] <= 0
	}
	return ok
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

// measure computes the aspect features for an aspect asked for. One that is no class of the base
// has no words to be known by.
func (m *aspectModel) measure(name string, hits []found) aspectFeatures {
	f := aspectFeatures{aspectLabel: labelled(name, hits), aspectMention: mentioned(name, hits)}
	class, known := slices.BinarySearch(m.Classes, name)
	if !known {
		return f
	}
	for i, hit := range hits {
		scores := m.score(aspectTerms(hit.terms, hit.passage))
		f[aspectShare] = max(f[aspectShare], softmax(scores)[class])
		if i < 10 {
			f[aspectScore] = max(f[aspectScore], scores[class])
		}
	}
	return f
}

// labelled is 1 if a passage bears the aspect as its label.
func labelled(name string, hits []found) float64 {
	for _, hit := range hits {
		if aspectClass(hit.passage) == name {
			return 1
		}
	}
	return 0
}

// mentioned is 1 if a passage names the aspect in its text.
func mentioned(name string, hits []found) float64 {
	if slices.ContainsFunc(hits, func(hit found) bool { return mentionsSide(name, hit.passage) }) {
		return 1
	}
	return 0
}

// mentionsSide tells whether the text of a passage names a side.
func mentionsSide(name string, p *passage.Passage) bool {
	at := slices.IndexFunc(aspects, func(a aspect) bool { return a.name == name })
	return at >= 0 && aspects[at].cued(lexical.Words(p.Text), aspects[at].cues)
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
