package gap

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

const (
	maxAspectQuestions = 400
	minAspectQuestions = 30 // fewer leave the shipped stage in place
)

// subject is what the passages of one title say, by aspect.
type subject struct {
	aspects map[string][]int // ordinals of the passages of a class
	order   []string         // classes in order of appearance
}

// rehearse learns the aspect stage from the shelves of a base: it asks for an aspect of a subject
// once with its passages in place and once with them hidden. Where the base is too small for that
// the stage stays as it was.
func (m *aspectModel) rehearse(ctx context.Context, shelves map[passage.Kind]shelf, passages []*passage.Passage, isAspect func(string) bool) error {
	var examples []aspectExample
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if shelves[kind] == nil {
			continue
		}
		random := rand.New(rand.NewPCG(rehearsalSeed, uint64(len(passages))))
		_, members := sample(passages, kind, random)
		masked := newMasked(shelves[kind], passages, members, fusionWeight(kind))
		more, err := m.examples(ctx, masked, random, isAspect)
		if err != nil {
			return err
		}
		examples = append(examples, more...)
	}
	if len(examples) >= 2*minAspectQuestions {
		m.Stage = fitAspect(examples)
	}
	return nil
}

// examples asks about the subjects of one shelf.
func (m *aspectModel) examples(ctx context.Context, shelf *masked, random *rand.Rand, isAspect func(string) bool) ([]aspectExample, error) {
	subjects := m.subjects(shelf.passages, shelf.members)
	random.Shuffle(len(subjects), func(i, j int) { subjects[i], subjects[j] = subjects[j], subjects[i] })
	var examples []aspectExample
	for _, s := range subjects[:min(len(subjects), maxAspectQuestions)] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name := s.order[random.IntN(len(s.order))]
		q := parseQuestion(aspectQuestion(shelf.passages[s.aspects[name][0]], name), isAspect)
		examples = append(examples, aspectExample{m.ask(shelf, q, name), false})
		for _, ordinal := range s.aspects[name] {
			shelf.hide(ordinal)
		}
		examples = append(examples, aspectExample{m.ask(shelf, q, name), true})
		for _, ordinal := range s.aspects[name] {
			shelf.show(ordinal)
		}
	}
	return examples, nil
}

func (m *aspectModel) ask(shelf *masked, q question, name string) aspectFeatures {
	hits, _, _ := onTopic(q, []evidence{shelf.search(q)})
	return m.measure(name, hits)
}

// aspectQuestion asks for an aspect of what a passage is about.
func aspectQuestion(p *passage.Passage, name string) string {
	if p.Kind == passage.QA {
		return p.Question
	}
	return name + " of " + p.Title
}

// subjects are the titles of which the passages of the given ordinals treat two known aspects or
// more, in the order in which they first appear.
func (m *aspectModel) subjects(passages []*passage.Passage, ordinals []int) []subject {
	var titles []string
	found := make(map[string]*subject)
	for _, ordinal := range ordinals {
		p := passages[ordinal]
		name := aspectClass(p)
		if _, known := slices.BinarySearch(m.Classes, name); p.Title == "" || !known {
			continue
		}
		title := strings.ToLower(p.Title)
		s := found[title]
		if s == nil {
			s = &subject{aspects: make(map[string][]int)}
			found[title] = s
			titles = append(titles, title)
		}
		if s.aspects[name] == nil {
			s.order = append(s.order, name)
		}
		s.aspects[name] = append(s.aspects[name], ordinal)
	}
	var subjects []subject
	for _, title := range titles {
		if len(found[title].order) >= 2 {
			subjects = append(subjects, *found[title])
		}
	}
	return subjects
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
