package syntax

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"
)

//go:embed en.gz
var englishWeights []byte

//go:embed de.gz
var germanWeights []byte

// models has the tagger and parser of each language. Weights are unpacked at the first use.
var models = map[string]func() *model{
	"en": sync.OnceValue(func() *model { return mustRead(englishWeights) }),
	"de": sync.OnceValue(func() *model { return mustRead(germanWeights) }),
}

// model is what parses a language.
type model struct {
	tagger, parser *linear
	tags           []tagClass // classes of the tagger
	actions        []action   // classes of the parser
}

func readModel(data []byte) (*model, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	weights, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	m := &model{}
	if m.tagger, weights, err = readLinear(weights); err != nil {
		return nil, fmt.Errorf("tagger: %w", err)
	}
	if m.parser, _, err = readLinear(weights); err != nil {
		return nil, fmt.Errorf("parser: %w", err)
	}
	m.tags, m.actions = tagClasses(m.tagger.classes), actionsOf(m.parser.classes)
	return m, nil
}

// mustRead reads weights that are part of the program.
func mustRead(data []byte) *model {
	m, err := readModel(data)
	if err != nil {
		panic("the embedded weights are broken: " + err.Error())
	}
	return m
}

// parse sets tags, heads and relations of the words of a sentence.
func (m *model) parse(words []Word) {
	shapes := shapesOf(words)
	tags := tagWith(m.tagger, m.tags, shapes)
	s := newState(shapes, tags, m.tags)
	scores := make([]int32, len(m.actions))
	features := make([]uint32, 0, 128)
	for !s.done() {
		features = s.features(features[:0])
		clear(scores)
		for _, f := range features {
			m.parser.add(f, scores)
		}
		s.do(m.actions[s.step(scores, m.actions)])
	}
	for i := range words {
		c := m.tags[tags[i]]
		words[i].Tag, words[i].form = c.tag, c.form
		words[i].Head, words[i].Relation = s.head[i], s.relation[i]
		if words[i].Head == s.root() {
			words[i].Head = -1
		}
	}
}
