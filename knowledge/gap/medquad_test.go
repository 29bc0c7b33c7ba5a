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
)

type pairRow struct {
	ID, Question, Answer, Focus, QType string
	Synonyms                           []string
}

// fate is what becomes of a disease in the MedQuAD knock-out.
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
		types[key] = distinct(append(types[key], row.QType))
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

// TestMedQuADAspectsMeasured asks for aspects that are and are not there, by exact words alone.
func TestMedQuADAspectsMeasured(t *testing.T) {
	for name, shape := range map[string]func(pairRow) []*passage.Passage{"sections": sectioned, "pairs": paired} {
		k := newKnockout(t, shape)
		kind := k.passages[0].Kind
		base := newMemory(k.passages)
		m := learnAspects(k.passages, base.Terms)
		c := &calibration{Aspects: m}
		shelf := newMasked(base, k.passages, everything(len(k.passages)), 0)
		if err := m.rehearse(context.Background(), shelf, kind, c.isAspect); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d passages, classes %v, stage %.3f", name, len(k.passages), m.Classes, m.Stage)
		var judged []eval.Judged
		byFeature := make([][]eval.Judged, aspectFeatureCount)
		for _, asked := range k.asked {
			if asked.fate == removedWhole {
				continue
			}
			q := parseQuestion(asked.text, c.isAspect)
			s := shelved{kind: kind, evidence: shelf.search(q)}
			side := c.side(q, []shelved{s})
			missing := asked.fate == losesAspect
			judged = append(judged, eval.Judged{Score: side.probability, True: missing})
			if name := m.asked(asked.text); name != "" {
				f := m.measure(name, side.hits)
				for i := range f {
					byFeature[i] = append(byFeature[i], eval.Judged{Score: -f[i], True: missing})
				}
			}
		}
		caught, alarms := eval.Flagged(judged, showAt)
		t.Logf("%s: n %d, AUC %.3f, ECE %.3f, caught at 10 %% %.2f, shown: missing %.2f, covered %.2f", name, len(judged),
			eval.AUC(judged), eval.ECE(judged), eval.CaughtAt(judged, 0.1), caught, alarms)
		for i := range byFeature {
			t.Logf("%s: feature %d: n %d AUC %.3f", name, i, len(byFeature[i]), eval.AUC(byFeature[i]))
		}
	}
}
