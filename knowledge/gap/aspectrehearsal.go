package gap

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"lacuna/knowledge"
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
func (m *aspectModel) rehearse(ctx context.Context, library *knowledge.Library, isAspect func(string) bool) error {
	var examples []aspectExample
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if library.Collection(kind) == nil {
			continue
		}
		more, err := m.examples(ctx, library, kind, isAspect)
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
func (m *aspectModel) examples(ctx context.Context, library *knowledge.Library, kind passage.Kind, isAspect func(string) bool) ([]aspectExample, error) {
	passages := library.Passages()
	random := rand.New(rand.NewPCG(rehearsalSeed, uint64(len(passages))))
	subjects := m.subjects(passages, kind)
	random.Shuffle(len(subjects), func(i, j int) { subjects[i], subjects[j] = subjects[j], subjects[i] })
	var examples []aspectExample
	for _, s := range subjects[:min(len(subjects), maxAspectQuestions)] {
		name := s.order[random.IntN(len(s.order))]
		treating := s.aspects[name]
		q := parseQuestion(aspectQuestion(passages[treating[0]], name), isAspect)
		for _, missing := range []bool{false, true} {
			asked := library
			if missing {
				asked = library.Without(treating)
			}
			e, err := lookUp(ctx, asked, kind, q, nil)
			if err != nil {
				return nil, err
			}
			if e == nil {
				continue
			}
			hits, _, _ := onTopic(q, []evidence{*e})
			examples = append(examples, aspectExample{m.measure(name, hits), missing})
		}
	}
	return examples, nil
}

// aspectQuestion asks for an aspect of what a passage is about.
func aspectQuestion(p *passage.Passage, name string) string {
	if p.Kind == passage.QA {
		return p.Question
	}
	return name + " of " + p.Title
}

// subjects are the titles of which the passages of a kind treat two known aspects or more, in the
// order in which they first appear.
func (m *aspectModel) subjects(passages []*passage.Passage, kind passage.Kind) []subject {
	var titles []string
	found := make(map[string]*subject)
	for ordinal, p := range passages {
		if p.Kind != kind || p.Title == "" {
			continue
		}
		name := aspectClass(p)
		if _, known := slices.BinarySearch(m.Classes, name); !known {
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
