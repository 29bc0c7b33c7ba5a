package gap

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

type pairRow struct {
	ID, Question, Answer, Focus, QType string
	Synonyms                           []string
}

// fate describes what becomes of a disease in the MedQuAD knock-out.
type fate int

const (
	removedWhole fate = iota
	losesAspect
	asIs
	notAsked
)

func hashOf(s string) uint64 {
	sum := md5.Sum([]byte(s))
	return binary.LittleEndian.Uint64(sum[:])
}

// knockout is MedQuAD with a quarter of the diseases removed, a quarter without one aspect, and the
// questions about both and about a further quarter.
type knockout struct {
	passages []*passage.Passage
	asked    []medquadQuestion
}

type medquadQuestion struct {
	text string
	fate fate
}

// sectioned makes running text of the answers: passages of at most 180 words titled with the
// disease and headed with the type of the question, which itself is not indexed.
func sectioned(row pairRow) []*passage.Passage {
	var out []*passage.Passage
	words := strings.Fields(row.Answer)
	for from := 0; from < len(words); from += 180 {
		text := strings.Join(words[from:min(from+180, len(words))], " ")
		out = append(out, &passage.Passage{
			ID: passage.IDOf(row.ID + text), Source: "medquad", Record: fmt.Sprint(row.ID, "-", from), Document: row.Focus,
			Kind: passage.Text, Format: passage.Plain, Title: row.Focus, Headings: []string{row.QType}, Section: row.QType, Text: text,
		})
	}
	return out
}

// paired keeps the rows as stored pairs.
func paired(row pairRow) []*passage.Passage {
	return []*passage.Passage{{
		ID: passage.IDOf(row.ID + row.Answer), Source: "medquad", Record: row.ID, Document: row.Focus, Kind: passage.QA,
		Format: passage.Plain, Title: row.Focus, Section: row.QType, Text: row.Answer, Question: row.Question, Also: row.Synonyms,
	}}
}

func newKnockout(t *testing.T, shape func(pairRow) []*passage.Passage) knockout {
	rows := readRows[pairRow](t, "kb/medquad.jsonl.gz")
	types := make(map[string][]string) // of a disease, in order
	for _, row := range rows {
		key := strings.ToLower(row.Focus)
		types[key] = plaintext.Distinct(append(types[key], row.QType))
	}
	var k knockout
	askedOnce := make(map[string]bool)
	for _, row := range rows {
		key := strings.ToLower(row.Focus)
		f := notAsked
		if len(types[key]) >= 2 {
			f = fate(hashOf(key) % 4)
		}
		lost := types[key][hashOf("lost "+key)%uint64(len(types[key]))]
		gone := f == removedWhole || f == losesAspect && row.QType == lost
		if !gone {
			k.passages = append(k.passages, shape(row)...)
		}
		// One question about every second disease, on the aspect that is lost or would have been.
		if f != notAsked && row.QType == lost && !askedOnce[key] && hashOf("ask "+key)%2 == 0 {
			askedOnce[key] = true
			k.asked = append(k.asked, medquadQuestion{row.Question, f})
		}
	}
	return k
}

// TestMedQuADKnockoutMeasured asks about diseases that are missing, about aspects that are, and
// about what is there; once with the answers as running text under headings, once as stored pairs.
func TestMedQuADKnockoutMeasured(t *testing.T) {
	for _, shape := range []struct {
		name string
		of   func(pairRow) []*passage.Passage
	}{{"sections", sectioned}, {"pairs", paired}} {
		t.Run(shape.name, func(t *testing.T) {
			k := newKnockout(t, shape.of)
			library := base(t, "medquad-"+shape.name, k.passages)
			judge := calibrate(t, library)
			var topic, aspect, both []eval.Prediction
			for _, asked := range k.asked {
				v, err := judge.Judge(context.Background(), library, asked.text, nil)
				if err != nil {
					t.Fatal(err)
				}
				if asked.fate != losesAspect {
					topic = append(topic, eval.Prediction{Score: v.Topic, True: asked.fate == removedWhole})
				}
				if asked.fate != removedWhole {
					aspect = append(aspect, eval.Prediction{Score: v.Aspect, True: asked.fate == losesAspect})
				}
				both = append(both, eval.Prediction{Score: v.Probability, True: asked.fate != asIs})
			}
			report(t, "disease removed, topic stage", topic)
			report(t, "aspect removed, aspect stage", aspect)
			report(t, "either, both stages", both)
		})
	}
}
