package gap

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// companionName names the blob next to the library; its number changes with the format and with what is
// learnt.
const companionName = "gap-7"

// calibration holds everything the judge knows about one base.
type calibration struct {
	Text, Pairs *model       // nil if the collection was not calibrated
	Aspects     *aspectModel // nil if the passages have no labels to tell aspects by
}

// companion fits the judge to a finished library.
type companion struct{}

// Companion returns what an index fits after each build, so that the judge is calibrated on the user's own
// base. Fitting takes seconds, ends early with ctx, and gives the same bytes for the same library.
func Companion() knowledge.Companion { return companion{} }

func (companion) Name() string { return companionName }

func (companion) Fit(ctx context.Context, library *knowledge.Library) ([]byte, error) {
	passages := library.Passages()
	c := calibration{Aspects: learnAspects(passages, func(ordinal int) []string {
		return library.Collection(passages[ordinal].Kind).Terms(ordinal)
	})}
	for kind, learnt := range map[passage.Kind]**model{passage.Text: &c.Text, passage.QA: &c.Pairs} {
		if collection := library.Collection(kind); collection != nil && (!isSmall(collection) || ofAbstracts(passages, kind)) {
			m, err := selfCalibrate(ctx, library, kind, c.isAspect)
			if err != nil {
				return nil, fmt.Errorf("calibrate the judge on %s: %w", kind, err)
			}
			*learnt = m
		}
	}
	if c.Aspects != nil {
		if err := c.Aspects.selfCalibrate(ctx, library, c.isAspect); err != nil {
			return nil, fmt.Errorf("calibrate the judge on aspects: %w", err)
		}
	}
	return encode(c)
}

// isAspect reports whether a term names an aspect of a subject rather than a subject.
func (c *calibration) isAspect(term string) bool {
	return question.IsClinicalTerm(term) || c.Aspects.asksWith(term)
}

// learnt returns the model that was fitted to a collection, or nil.
func (c *calibration) learnt(kind passage.Kind) *model {
	if kind == passage.QA {
		return c.Pairs
	}
	return c.Text
}

// isSmall reports whether a collection is judged by words and their kin for want of a model of its own.
func (c *calibration) isSmall(collection *knowledge.Collection, kind passage.Kind) bool {
	return collection.Encoder() == nil || c.learnt(kind) == nil && isSmall(collection)
}

// abstractsFrom is the number of passages from which abstracts are enough to calibrate on, and abstractShare the
// share of them that must be a document each. Experts ask of them, in their words; of 26 bases of strangers none has
// more than half.
const (
	abstractsFrom = 1000
	abstractShare = 0.8
)

// ofAbstracts reports whether a collection is made of abstracts and the like: many documents, nearly all of one
// passage.
func ofAbstracts(passages []*passage.Passage, kind passage.Kind) bool {
	alone, all := 0, 0
	for _, ordinals := range groupByDocument(passages, kind) {
		if all += len(ordinals); len(ordinals) == 1 {
			alone++
		}
	}
	return kind == passage.Text && all >= abstractsFrom && float64(alone) >= abstractShare*float64(all)
}

// topic returns the probability that what the question is about is missing from a collection.
func (c *calibration) topic(s assessment) float64 {
	learnt := c.learnt(s.kind)
	switch {
	case s.small && s.evidence.statistics.N() < fewPassages:
		return shippedFew.probability(s.features)
	case s.small:
		return shippedWords.probability(s.features)
	case learnt == nil:
		return shipped.probability(s.features)
	}
	return learnt.probability(s.features)
}

// checksumLength is the length in characters of the checksum at the head of a calibration.
const checksumLength = 8

// encode writes a calibration as a line with its checksum and a line of JSON.
func encode(c calibration) ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode calibration: %w", err)
	}
	return append(fmt.Appendf(nil, "%08x\n", crc32.ChecksumIEEE(body)), body...), nil
}

// decode reads what encode wrote. Anything else, and a model that no self-calibration can have learnt, gives
// the shipped calibration: a damaged file must not cost the user the judge.
func decode(blob []byte) *calibration {
	sum, body, ok := bytes.Cut(blob, []byte("\n"))
	if !ok || string(sum) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) {
		return &calibration{}
	}
	var c calibration
	if json.Unmarshal(body, &c) != nil || !c.Text.sound() || !c.Pairs.sound() || !c.Aspects.sound() {
		return &calibration{}
	}
	if c.Aspects != nil {
		c.Aspects.index()
	}
	return &c
}
