package distances

import (
	"context"
	"strings"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
)

// Train trains the built-in encoder on the passages and the stored pairs of a library together, a pair as its question
// with its answer below it. The error is [dense.ErrTooSmall] if there is too little to train on.
func Train(ctx context.Context, passages []*passage.Passage) (*dense.Encoder, error) {
	texts := make([][]string, len(passages))
	titles := make([]int, len(passages))
	par.Each(len(passages), func(i int) {
		p := passages[i]
		if p.Kind == passage.QA {
			texts[i], titles[i] = lexical.Terms(PairText(p)), len(lexical.Terms(p.Question))
			return
		}
		texts[i] = lexical.Terms(p.Indexed())
		titles[i] = len(lexical.Terms(p.Title + "\n" + strings.Join(p.Headings, "\n")))
	})
	c := &dense.Corpus{Titles: titles, Texts: make([][]uint32, len(texts))}
	numbers := make(map[string]uint32)
	for i, terms := range texts {
		for _, term := range terms {
			n, known := numbers[term]
			if !known {
				n = uint32(len(numbers))
				numbers[term] = n
				c.Vocabulary = append(c.Vocabulary, term)
			}
			c.Texts[i] = append(c.Texts[i], n)
		}
	}
	encoder, _, err := dense.TrainPassages(ctx, c, dense.Options{})
	return encoder, err
}

// PairText is a stored pair as the papers index it: the question, and below it the answer.
func PairText(p *passage.Passage) string { return p.Question + "\n" + p.Text }

// EncodeBy makes an [Encode] of the built-in encoder.
func EncodeBy(e *dense.Encoder) Encode {
	return func(text string) ([]float32, bool) { return e.Encode(lexical.Terms(text)) }
}

// BasesOf returns the bases of a library: its passages; its pairs with question and answer, as in the papers; and its
// pairs by the question alone, by which Lacuna searches them. What a library has none of is left out.
func BasesOf(passages []*passage.Passage) []Base {
	texts, pairs, questions := Base{Name: "passages"}, Base{Name: "pairs, question and answer"}, Base{Name: "pairs, question alone"}
	for _, p := range passages {
		if p.Kind == passage.QA {
			pairs.Texts = append(pairs.Texts, Text{PairText(p), p.Question})
			questions.Texts = append(questions.Texts, Text{p.Question, p.Question})
		} else {
			texts.Texts = append(texts.Texts, Text{Text: p.Indexed()})
		}
	}
	var all []Base
	for _, b := range []Base{texts, pairs, questions} {
		if len(b.Texts) > 0 {
			all = append(all, b)
		}
	}
	return all
}
