package extract

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// QuestionTypes learns from the stored questions which words go with which kind of question ("treatment",
// "symptoms"). Words for the kind are frequent, so similarity nearly ignores them; without this, a stored
// answer is served only for a question in the same words. It is a [knowledge.Companion].
type QuestionTypes struct{}

// Name implements [knowledge.Companion].
func (QuestionTypes) Name() string { return "kinds-1" }

// Fit implements [knowledge.Companion]. It reads every stored pair with a kind once.
func (QuestionTypes) Fit(ctx context.Context, library *knowledge.Library) ([]byte, error) {
	learnt := newQuestionTypes()
	for _, p := range library.Passages() {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("learn kinds of questions: %w", ctx.Err())
		}
		if p.Kind == passage.QA && p.Section != "" {
			learnt.add(p, library.Collection(passage.QA))
		}
	}
	return json.Marshal(learnt)
}

// questionTypes counts, for each kind, the words of the stored questions and of their answers, each once a
// text. It does not count words of the topic's names, or words that no stored question holds.
type questionTypes struct {
	Questions wordCounts `json:"questions"`
	Answers   wordCounts `json:"answers"`
}

func newQuestionTypes() *questionTypes {
	return &questionTypes{Questions: wordCounts{"": emptyCount()}, Answers: wordCounts{"": emptyCount()}}
}

// wordCounts counts words by kind; the kind "" holds the sums over all kinds.
type wordCounts map[string]*kindCount

type kindCount struct {
	N     float64            `json:"n"`     // of all words counted
	Words map[string]float64 `json:"words"` // by analysed word
}

func emptyCount() *kindCount { return &kindCount{Words: make(map[string]float64)} }

func (k *questionTypes) add(p *passage.Passage, base statistics) {
	names := namesOf(p)
	k.Questions.add(p.Section, otherWords(plaintext.Distinct(lexical.Terms(p.Question)), names, base))
	k.Answers.add(p.Section, otherWords(plaintext.Distinct(lexical.Terms(p.Text)), names, base))
}

func (t wordCounts) add(kind string, words []string) {
	for _, kind := range []string{kind, ""} {
		c := t[kind]
		if c == nil {
			c = emptyCount()
			t[kind] = c
		}
		for _, word := range words {
			c.N++
			c.Words[word]++
		}
	}
}

// A word speaks for a kind by at most maxLogOdds, so that none decides alone. Counts are smoothed towards
// saying nothing (measured).
const (
	maxLogOdds = 2.5
	smoothing  = 2
)

// logOdds sums how much more frequent the words are in a kind than over all kinds.
func (t wordCounts) logOdds(kind string, words []string) float64 {
	own, all := t[kind], t[""]
	if own == nil || all.N == 0 {
		return 0
	}
	sum := 0.0
	for _, word := range words {
		expected := own.N * all.Words[word] / all.N
		odds := math.Log((own.Words[word] + smoothing) / (expected + smoothing))
		sum += max(-maxLogOdds, min(maxLogOdds, odds))
	}
	return sum
}

// knows reports whether there are stored questions of a kind; nil knows none.
func (k *questionTypes) knows(kind string) bool {
	return k != nil && kind != "" && k.Questions[kind] != nil
}

// fit returns how well words go with a kind: by its questions alone, and by questions and answers compared
// with the best-fitting kind, which is at most 0.
func (k *questionTypes) fit(kind string, words []string) (own, gap float64) {
	own = k.Questions.logOdds(kind, words)
	best := math.Inf(-1)
	for _, other := range slices.Sorted(maps.Keys(k.Questions)) {
		if other != "" {
			best = max(best, k.Questions.logOdds(other, words)+k.Answers.logOdds(other, words))
		}
	}
	return own, own + k.Answers.logOdds(kind, words) - best
}

// questionTypeCache holds what [QuestionTypes] last learnt, parsed. Its zero value is ready; it is safe
// for concurrent use.
type questionTypeCache struct {
	mu     sync.Mutex
	source *byte // first of the record that was read; guarded by mu, as is learnt
	learnt *questionTypes
}

// of returns what was learnt from a library, or nil. A damaged record counts as none.
func (m *questionTypeCache) of(library *knowledge.Library) *questionTypes {
	record := library.Blob(QuestionTypes{}.Name())
	if len(record) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.source != &record[0] {
		m.source, m.learnt = &record[0], parseQuestionTypes(record)
	}
	return m.learnt
}

func parseQuestionTypes(blob []byte) *questionTypes {
	var k questionTypes
	if json.Unmarshal(blob, &k) != nil {
		return nil
	}
	for _, t := range []wordCounts{k.Questions, k.Answers} {
		if t[""] == nil || slices.Contains(slices.Collect(maps.Values(t)), nil) {
			return nil
		}
	}
	return &k
}

// namesOf returns the terms of every name of a stored question's topic.
func namesOf(stored *passage.Passage) [][]string {
	var names [][]string
	for _, name := range append([]string{stored.Title}, stored.Also...) {
		if terms := plaintext.Distinct(lexical.Terms(name)); len(terms) > 0 {
			names = append(names, terms)
		}
	}
	return names
}

// otherWords returns the words that the base knows and that belong to no name of the topic: these tell the
// kind of question.
func otherWords(words []string, names [][]string, base statistics) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return base.DocFreq(word) == 0 ||
			slices.ContainsFunc(names, func(name []string) bool { return slices.Contains(name, word) })
	})
}
