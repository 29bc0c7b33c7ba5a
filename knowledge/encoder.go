package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// minTexts is the number of texts from which an encoder is trained. Below it a few words decide everything,
// and BM25 does well enough.
const minTexts = 50

// retrainAt is the fraction of passages new to the encoder beyond which it is trained again. With half of
// the passages unseen a mixed search keeps over half of its gain (measured), so a fifth costs little.
const retrainAt = 0.20

// trainEncoder returns the collection with an encoder trained on it and with the vectors of its texts.
// The error is [dense.ErrTooSmall] when the collection has too little to train on.
func (s *Collection) trainEncoder(ctx context.Context, passages []*passage.Passage, o dense.Options) (*Collection, error) {
	if s.N() < minTexts {
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
	return s.withEncoder(encoder, vecmath.NewIndex(s.encodeAll(encoder))), nil
}

// encodeAll returns the vectors of the collection's texts; zero where the encoder knows no term.
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

// ofEncoder reports whether a file of a generation belongs to the encoder of a kind's collection.
func ofEncoder(name string, kind passage.Kind) bool {
	folder, base := path.Split(name)
	return folder == string(kind)+"/" && (base == encoderName || base == vectorsName || base == trainedName)
}

// saveEncoder writes a newly trained encoder and its vectors, and returns the collection that reads the
// vectors from their file.
func (s *Collection) saveEncoder(g *generation, passages []*passage.Passage) (*Collection, error) {
	dir := filepath.Join(g.dir, string(s.kind))
	err := errors.Join(
		writeTo(filepath.Join(dir, encoderName), s.encoder),
		writeIDs(filepath.Join(dir, trainedName), s.passages(passages)),
	)
	if err != nil {
		return nil, err
	}
	return s.saveVectors(dir)
}

// saveVectors writes the collection's vectors into its folder, and returns the collection that reads them from
// there, so that they do not stay in memory and processes share them.
func (s *Collection) saveVectors(dir string) (*Collection, error) {
	file := filepath.Join(dir, vectorsName)
	if err := writeTo(file, s.vectors); err != nil {
		return nil, err
	}
	saved := *s
	var err error
	saved.vectors, err = vecmath.OpenIndex(file)
	return &saved, err
}

// savedEncoder is an encoder with its vectors, as a collection's folder holds them.
type savedEncoder struct {
	encoder *dense.Encoder
	vectors *vecmath.Index
}

// openEncoder opens what saveEncoder wrote of a kind.
func (g *generation) openEncoder(kind passage.Kind) (*savedEncoder, error) {
	dir := filepath.Join(g.dir, string(kind))
	encoder, err := dense.Open(filepath.Join(dir, encoderName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sealed, err := g.sealed(string(kind) + "/" + vectorsName)
	if err != nil {
		return nil, err
	}
	vectors, err := vecmath.OpenSealed(filepath.Join(dir, vectorsName), sealed.CRC32)
	if err != nil {
		return nil, err
	}
	return &savedEncoder{encoder, vectors}, nil
}

// withSavedEncoder returns the collection with the encoder that its folder holds, or as it is.
func (s *Collection) withSavedEncoder(saved *savedEncoder) (*Collection, error) {
	if saved == nil {
		return s, nil
	}
	vectors, dim := saved.vectors, saved.encoder.Dim()
	if vectors.Len() != s.N() || vectors.Dim() != dim {
		return nil, fmt.Errorf("%d vectors of %d components for %d passages and %d", vectors.Len(), vectors.Dim(), s.N(), dim)
	}
	return s.withEncoder(saved.encoder, vectors), nil
}

// encodeNew returns the vectors of the collection's texts under the last one's encoder. Texts that stand
// there keep their vectors.
func (s *Collection) encodeNew(last *previous) *vecmath.Rows {
	dim := last.encoder.Dim()
	data := make([]float32, 0, s.N()*dim)
	nothing := make([]float32, dim)
	for place := range s.N() {
		if before := last.places[place]; before >= 0 {
			data = last.vectors.AppendRow(data, before)
		} else if vector, known := last.encoder.Encode(s.index.Terms(place)); known {
			data = append(data, vector...)
		} else {
			data = append(data, nothing...)
		}
	}
	rows, err := vecmath.RowsOf(dim, data)
	if err != nil {
		panic("knowledge: encoder made an impossible vector: " + err.Error())
	}
	return rows
}

// passages returns the passages of the collection, in its order.
func (s *Collection) passages(all []*passage.Passage) []*passage.Passage {
	own := make([]*passage.Passage, len(s.ordinals))
	for place, ordinal := range s.ordinals {
		own[place] = all[ordinal]
	}
	return own
}

// corpus returns what an encoder can learn from in the collection.
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
