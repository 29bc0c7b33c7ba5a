package gap

import (
	"math"
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// aspectClass returns the aspect of its subject that a passage treats, from its own label: the type of a
// stored question, whatever it is called, or a heading that names one of the built-in aspects. Other
// headings say nothing that a question could be matched with.
func aspectClass(p *passage.Passage) string {
	name := aspectOf(p.Section)
	if name == "" && p.Kind == passage.QA {
		name = strings.ToLower(strings.TrimSpace(p.Section))
	}
	return name
}

// aspectTerms returns the terms by which the aspect of a passage shows in its text. Only the answer of a
// stored question counts: the question would give its type away.
func aspectTerms(indexed []string, p *passage.Passage) []string {
	if p.Kind == passage.QA {
		return lexical.Terms(p.Text)
	}
	return indexed
}

// minClass is the number of passages an aspect needs before its words are learnt.
const minClass = 30

// aspectModel knows how passages on each aspect of a subject are worded, and how people ask for it.
type aspectModel struct {
	Classes []string // sorted
	// Terms are sorted; LogOdds holds for each a row with one number per class, in steps of
	// 1/oddsSteps: how much likelier passages of the class hold the term than others do.
	Terms   []string
	LogOdds []int8
	// Words holds the words common in stored questions, sorted; Asking holds for each the log probability
	// in questions of every class.
	Words  []string
	Asking []float64
	Stage  aspectStage

	asking map[string]bool // the terms of Words
}

// index prepares what a decoded model looks up.
func (m *aspectModel) index() {
	m.asking = make(map[string]bool)
	for _, w := range m.Words {
		for _, term := range lexical.Terms(w) {
			m.asking[term] = true
		}
	}
}

// asksWith reports whether a term is part of how people ask rather than of what they ask about. It is
// false for a nil model.
func (m *aspectModel) asksWith(term string) bool { return m != nil && m.asking[term] }

const (
	maxOdds   = 1.5
	oddsSteps = 84 // 1.5 becomes 126
)

// sound reports whether a decoded model can be used without stepping outside its tables.
func (m *aspectModel) sound() bool {
	if m == nil {
		return true
	}
	ok := len(m.Classes) > 1 && len(m.LogOdds) == len(m.Terms)*len(m.Classes) &&
		len(m.Asking) == len(m.Words)*len(m.Classes) &&
		slices.IsSorted(m.Classes) && slices.IsSorted(m.Terms) && slices.IsSorted(m.Words) && m.Stage.sound()
	return ok && !slices.ContainsFunc(m.Asking, func(x float64) bool { return !isFinite(x) })
}

// learnAspects counts the words of every class, or returns nil if fewer than two classes have enough
// passages.
func learnAspects(passages []*passage.Passage, indexed func(ordinal int) []string) *aspectModel {
	size := make(map[string]int)
	labels := make([]string, len(passages))
	known := make(map[[2]string]string)
	for i, p := range passages {
		key := [2]string{string(p.Kind), p.Section}
		if _, ok := known[key]; !ok {
			known[key] = aspectClass(p)
		}
		labels[i] = known[key]
		size[labels[i]]++
	}
	m := &aspectModel{Stage: shippedAspect}
	for name, n := range size {
		if name != "" && n >= minClass {
			m.Classes = append(m.Classes, name)
		}
	}
	if len(m.Classes) < 2 {
		return nil
	}
	slices.Sort(m.Classes)
	m.learnOdds(passages, labels, indexed)
	m.learnAsking(passages, labels)
	m.index()
	return m
}

// minTermCount is the number of passages that must hold a term for it to tell aspects apart.
const minTermCount = 5

// learnOdds fills in lo[y][t] = ln((c_yt+.5)/(n_y+1)) - ln((c_other,t+.5)/(n_other+1)) within
// ±maxOdds, c counting passages that hold the term and n all passages.
func (m *aspectModel) learnOdds(passages []*passage.Passage, labels []string, indexed func(int) []string) {
	sizes := make([]float64, len(m.Classes))
	counts := make(map[string][]int32)
	totals := make(map[string]int32)
	labelled := 0.0
	for ordinal, p := range passages {
		if labels[ordinal] == "" {
			continue
		}
		labelled++
		class, own := slices.BinarySearch(m.Classes, labels[ordinal])
		if own {
			sizes[class]++
		}
		for _, term := range plaintext.Distinct(aspectTerms(indexed(ordinal), p)) {
			totals[term]++
			if !own {
				continue
			}
			if counts[term] == nil {
				counts[term] = make([]int32, len(m.Classes))
			}
			counts[term][class]++
		}
	}
	for term, n := range totals {
		if n >= minTermCount && counts[term] != nil {
			m.Terms = append(m.Terms, term)
		}
	}
	slices.Sort(m.Terms)
	m.LogOdds = make([]int8, 0, len(m.Terms)*len(m.Classes))
	for _, term := range m.Terms {
		for class, n := range sizes {
			c := float64(counts[term][class])
			odds := math.Log((c+.5)/(n+1)) - math.Log((float64(totals[term])-c+.5)/(labelled-n+1))
			m.LogOdds = append(m.LogOdds, int8(math.Round(min(max(odds, -maxOdds), maxOdds)*oddsSteps)))
		}
	}
}

// A word is part of how people ask, rather than of what they ask about, if it stands in this share of the
// stored questions, and in at least minRunningQuestions.
const (
	runningQuestionWord = 0.01
	minRunningQuestions = 10
)

// learnAsking fills in the naive Bayes model of how stored questions of each type are worded.
func (m *aspectModel) learnAsking(passages []*passage.Passage, labels []string) {
	counts := make(map[string][]float64)
	totals := make(map[string]int)
	sizes := make([]float64, len(m.Classes))
	questions := 0
	for ordinal, p := range passages {
		class, own := slices.BinarySearch(m.Classes, labels[ordinal])
		if p.Kind != passage.QA || !own {
			continue
		}
		questions++
		sizes[class]++
		for _, w := range plaintext.Distinct(lexical.Words(p.Question)) {
			totals[w]++
			if counts[w] == nil {
				counts[w] = make([]float64, len(m.Classes))
			}
			counts[w][class]++
		}
	}
	for w, n := range totals {
		if float64(n) >= max(minRunningQuestions, runningQuestionWord*float64(questions)) {
			m.Words = append(m.Words, w)
		}
	}
	slices.Sort(m.Words)
	m.Asking = make([]float64, 0, len(m.Words)*len(m.Classes))
	for _, w := range m.Words {
		for class, n := range sizes {
			m.Asking = append(m.Asking, math.Log((counts[w][class]+.2)/(n+.4)))
		}
	}
}

// minAskedShare is the share of the posterior an aspect must have to be taken as the one asked for.
const minAskedShare = 0.5

// asked returns the aspect a question asks for, or "". What stored questions teach comes before the
// built-in cues.
func (m *aspectModel) asked(text string) string {
	scores := make([]float64, len(m.Classes))
	heard := false
	for _, w := range plaintext.Distinct(lexical.Words(text)) {
		at, known := slices.BinarySearch(m.Words, w)
		if !known {
			continue
		}
		heard = true
		for class := range scores {
			scores[class] += m.Asking[at*len(m.Classes)+class]
		}
	}
	if heard {
		shares := softmax(scores)
		if best := argmax(shares); shares[best] >= minAskedShare {
			return m.Classes[best]
		}
	}
	return aspectAsked(text)
}

// score returns how much the words of a passage speak for each class, comparable between passages of
// different length.
func (m *aspectModel) score(terms []string) []float64 {
	scores := make([]float64, len(m.Classes))
	terms = plaintext.Distinct(terms)
	for _, term := range terms {
		at, known := slices.BinarySearch(m.Terms, term)
		if !known {
			continue
		}
		for class := range scores {
			scores[class] += float64(m.LogOdds[at*len(m.Classes)+class]) / oddsSteps
		}
	}
	for class := range scores {
		scores[class] /= math.Sqrt(max(10, float64(len(terms))))
	}
	return scores
}

func softmax(scores []float64) []float64 {
	shares := make([]float64, len(scores))
	top := slices.Max(scores)
	total := 0.0
	for i, s := range scores {
		shares[i] = math.Exp(s - top)
		total += shares[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}

func argmax(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

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

// shippedAspect serves a base that could not calibrate its own aspects.
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

// measure computes the aspect features for an aspect asked for. One that is no class of the base
// has no words to be known by.
func (m *aspectModel) measure(name string, hits []candidate) aspectFeatures {
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

// labelled returns 1 if a passage bears the aspect as its label.
func labelled(name string, hits []candidate) float64 {
	for _, hit := range hits {
		if aspectClass(hit.passage) == name {
			return 1
		}
	}
	return 0
}

// mentioned returns 1 if a passage names the aspect in its text.
func mentioned(name string, hits []candidate) float64 {
	if slices.ContainsFunc(hits, func(hit candidate) bool { return mentionsAspect(name, hit.passage) }) {
		return 1
	}
	return 0
}

// mentionsAspect reports whether the text of a passage names an aspect.
func mentionsAspect(name string, p *passage.Passage) bool {
	return question.Aspect(name).In(p.Text)
}

type aspectExample struct {
	features aspectFeatures
	missing  bool
}

// fitAspect learns the aspect stage as [fitTopic] does the topic's.
func fitAspect(examples []aspectExample) aspectStage {
	s := shippedAspect
	for k := range s.Means {
		sum := 0.0
		for _, e := range examples {
			sum += e.features[k]
		}
		s.Means[k] = sum / float64(len(examples))
	}
	rows := make([][]float64, len(examples))
	missing := make([]bool, len(examples))
	for i, e := range examples {
		for k := range e.features {
			rows[i] = append(rows[i], standard(e.features[k], s.Means[k], aspectScales[k]))
		}
		missing[i] = e.missing
	}
	var weights []float64
	s.Bias, weights = descend(rows, missing, shippedAspect.Weights[:], make([]bool, aspectFeatureCount), storedPull)
	copy(s.Weights[:], weights)
	return s
}
