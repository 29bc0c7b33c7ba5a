package knowledge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/superseded"
	"lacuna/vecmath/regular"
)

// Card holds what answers depend on besides the passages themselves: of one library, the statistics of its words, its
// encoders, what companions learnt and which pages are superseded. With it, an [Card.Excerpt] of the passages answers
// as the whole library does, wherever the passages are kept. It is immutable and safe for concurrent use.
type Card struct {
	about       cardAbout
	collections map[passage.Kind]*cardCollection
	blobs       map[string][]byte
	old         *superseded.Index
	answers     string // the words of stored answers, each once
}

// cardAbout is the file card.json.
type cardAbout struct {
	Format   string             `json:"format"`
	Digest   string             `json:"digest"` // of the library
	Sources  []string           `json:"sources"`
	Passages int                `json:"passages"`
	Pairs    int                `json:"pairs"`
	Old      []superseded.Entry `json:"superseded,omitempty"`
	Kinds    []passage.Kind     `json:"kinds"` // of the collections, in order
	Fitted   bool               `json:"calibrated"`
}

// cardCollection is what a card holds of a collection.
type cardCollection struct {
	statistics *lexical.Statistics
	encoder    *dense.Encoder // nil without one
	rows       func() dense.Translation
	words      *lexicon.Vocabulary
	names      lexicon.Names
}

// cardFormat names the version of a card; others are refused.
const cardFormat = "lacuna-card 1"

// The files of a card's folder. A folder for each kind of collection holds its statistics, its encoder and its names.
const (
	cardName       = "card.json"
	answersName    = "answers"
	statisticsName = "statistics"
	namesName      = "names.json"
)

// Card returns the card of a library, which must not be searched by the vectors of a remote encoder.
func (l *Library) Card() *Card {
	c := &Card{
		about:       cardAbout{Format: cardFormat, Digest: l.Digest(), Sources: l.Sources(), Passages: l.status.Passages, Pairs: l.status.Pairs, Fitted: l.status.Calibrated},
		collections: make(map[passage.Kind]*cardCollection),
		blobs:       l.blobs,
		answers:     answerWords(l.passages),
	}
	c.about.Old = l.old().Entries()
	c.old = superseded.FromEntries(c.about.Old)
	for _, s := range l.collections {
		c.about.Kinds = append(c.about.Kinds, s.kind)
		names := namesIn(l.passages, s.ordinals)
		c.collections[s.kind] = newCardCollection(s.index.Statistics(), s.encoder, names)
	}
	return c
}

func newCardCollection(statistics *lexical.Statistics, encoder *dense.Encoder, names lexicon.Names) *cardCollection {
	return &cardCollection{
		statistics: statistics, encoder: encoder, names: names,
		words: lexicon.NewVocabulary(statistics.Vocabulary(), func() lexicon.Names { return names }),
		rows:  sync.OnceValue(func() dense.Translation { return encoder.Translate(statistics.Vocabulary()) }),
	}
}

// answerWords returns the words of the stored answers, each once, a line each.
func answerWords(passages []*passage.Passage) string {
	var words []string
	seen := make(map[string]bool)
	for _, p := range passages {
		if p.Kind != passage.QA {
			continue
		}
		for word := range strings.FieldsSeq(p.Text) {
			if !seen[word] {
				seen[word] = true
				words = append(words, word)
			}
		}
	}
	return strings.Join(words, "\n")
}

// Digest identifies the passages that the card is of, as [Library.Digest] does.
func (c *Card) Digest() string { return c.about.Digest }

// Kinds returns the kinds of passages that there are, in the order of their collections.
func (c *Card) Kinds() []passage.Kind { return slices.Clone(c.about.Kinds) }

// Len returns the number of passages and stored questions that the card is of.
func (c *Card) Len() int { return c.about.Passages + c.about.Pairs }

// Dim returns the number of components of the vectors of a kind; 0 without an encoder.
func (c *Card) Dim(kind passage.Kind) int {
	if s := c.collections[kind]; s != nil && s.encoder != nil {
		return s.encoder.Dim()
	}
	return 0
}

// Vector returns the vector of a text of a kind, given by its terms: nil without an encoder, and for terms of which it
// knows none. Equal terms have equal vectors on every machine with the same vector instructions.
func (c *Card) Vector(kind passage.Kind, terms []string) []float32 {
	s := c.collections[kind]
	if s == nil || s.encoder == nil {
		return nil
	}
	vector, _ := s.encoder.Encode(terms)
	return vector
}

// Write writes the card into a new folder.
func (c *Card) Write(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, blobsName), 0o700); err != nil {
		return err
	}
	about, err := json.MarshalIndent(c.about, "", "\t")
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, cardName), append(about, '\n'), 0o600))
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, answersName), []byte(c.answers), 0o600))
	for name, blob := range c.blobs {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, blobsName, name), blob, 0o600))
	}
	for kind, s := range c.collections {
		err = errors.Join(err, s.write(filepath.Join(dir, string(kind))))
	}
	return err
}

func (s *cardCollection) write(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	names, err := json.Marshal(s.names)
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, namesName), names, 0o600), writeTo(filepath.Join(dir, statisticsName), s.statistics))
	if s.encoder != nil {
		err = errors.Join(err, writeTo(filepath.Join(dir, encoderName), s.encoder))
	}
	return err
}

// OpenCard opens what [Card.Write] wrote. The files must not change while the card is used; the caller must have
// compared their checksums.
func OpenCard(dir string) (*Card, error) {
	c := &Card{collections: make(map[passage.Kind]*cardCollection), blobs: make(map[string][]byte)}
	if err := readJSON(filepath.Join(dir, cardName), &c.about); err != nil {
		return nil, err
	}
	if c.about.Format != cardFormat {
		return nil, fmt.Errorf("card of format %q; this version of Lacuna reads %q", c.about.Format, cardFormat)
	}
	c.old = superseded.FromEntries(c.about.Old)
	answers, err := regular.ReadFile(filepath.Join(dir, answersName))
	if err != nil {
		return nil, err
	}
	c.answers = string(answers)
	entries, err := os.ReadDir(filepath.Join(dir, blobsName))
	if err != nil && !errors.Is(err, os.ErrNotExist) { // a mirror has no empty folders
		return nil, err
	}
	for _, entry := range entries {
		if c.blobs[entry.Name()], err = regular.ReadFile(filepath.Join(dir, blobsName, entry.Name())); err != nil {
			return nil, err
		}
	}
	for _, kind := range c.about.Kinds {
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("card of passages of kind %q", kind)
		}
		if c.collections[kind], err = openCardCollection(filepath.Join(dir, string(kind)), kind); err != nil {
			return nil, fmt.Errorf("card of %s: %w", kind, err)
		}
	}
	return c, nil
}

func openCardCollection(dir string, kind passage.Kind) (*cardCollection, error) {
	data, err := regular.ReadFile(filepath.Join(dir, statisticsName))
	if err != nil {
		return nil, err
	}
	statistics, err := lexical.ReadStatistics(data)
	if err != nil {
		return nil, err
	}
	if statistics.Parameters() != parameters(kind) {
		return nil, fmt.Errorf("%w, with %+v", lexical.ErrOtherVersion, statistics.Parameters())
	}
	var names lexicon.Names
	if err := readJSON(filepath.Join(dir, namesName), &names); err != nil {
		return nil, err
	}
	encoder, err := dense.Open(filepath.Join(dir, encoderName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return newCardCollection(statistics, encoder, names), nil
}

func readJSON(file string, into any) error {
	text, err := regular.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return nil
}
