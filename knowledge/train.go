package knowledge

import (
	"context"
	"strings"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// leastTrained is the number of texts from which an encoder is trained. Below it a few words decide
// everything, and BM25 does well enough.
const leastTrained = 50

// withEncoder returns the shelf with an encoder trained on it and with the vectors of its texts.
// The error is [dense.ErrTooSmall] when the shelf has too little to train on.
func (s *Collection) withEncoder(ctx context.Context, passages []*passage.Passage, o dense.Options) (*Collection, error) {
	if s.N() < leastTrained {
		return nil, dense.ErrTooSmall
	}
	train := dense.TrainPassages
	if s.kind == passage.QA {
		train = dense.TrainQuestions
	}
	encoder, _, err := train(ctx, s.corpus(passages), o)
	if err != nil {
		return nil, err
	}
	return s.with(encoder, vecmath.NewIndex(s.encodeAll(encoder))), nil
}

// encodeAll returns the vectors of the shelf's texts; zero where the encoder knows no term.
func (s *Collection) encodeAll(encoder *dense.Encoder) *vecmath.Rows {
	rows := vecmath.NewRows(encoder.Dim())
	nothing := make([]float32, encoder.Dim())
	for place := range s.N() {
		vector, known := encoder.Encode(s.index.Terms(place))
		if !known {
			vector = nothing
		}
		if err := rows.Append(vector); err != nil {
			panic("knowledge: encoder made an impossible vector: " + err.Error())
		}
	}
	return rows
}

// corpus is what an encoder can learn from on the shelf.
func (s *Collection) corpus(passages []*passage.Passage) *dense.Corpus {
	c := &dense.Corpus{Vocabulary: s.index.Vocabulary(), Texts: make([][]uint32, s.N())}
	for place := range c.Texts {
		c.Texts[place] = s.index.TermNumbers(place)
	}
	if s.kind == passage.QA {
		s.addQuestions(c, passages)
	} else {
		s.addTitles(c, passages)
	}
	return c
}

// addTitles says how many of each text's terms come from its title and headings, with which the
// indexed text begins.
func (s *Collection) addTitles(c *dense.Corpus, passages []*passage.Passage) {
	c.Titles = make([]int, s.N())
	for place, ordinal := range s.ordinals {
		p := passages[ordinal]
		c.Titles[place] = len(lexical.Terms(p.Title + "\n" + strings.Join(p.Headings, "\n")))
	}
}

// addQuestions adds the stored answers and which questions ask about the same.
func (s *Collection) addQuestions(c *dense.Corpus, passages []*passage.Passage) {
	c.Answers = make([][]uint32, s.N())
	c.Topics = make([]int, s.N())
	topics := make(map[string]int)
	for place, ordinal := range s.ordinals {
		p := passages[ordinal]
		for _, term := range lexical.Terms(p.Text) {
			if number, known := s.index.TermNumber(term); known {
				c.Answers[place] = append(c.Answers[place], number)
			}
		}
		topic, known := topics[p.Document]
		if !known {
			topic = len(topics)
			topics[p.Document] = topic
		}
		c.Topics[place] = topic
	}
}
