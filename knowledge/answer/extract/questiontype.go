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
// "symptoms"). Words for the kind are frequent, so similarity nearly ignores them; without this a
// stored answer is served only for a question in the same words. It is a [knowledge.Companion].
type QuestionTypes struct{}

// Name implements [knowledge.Companion].
func (QuestionTypes) Name() string { return "kinds-1" }

// Fit implements [knowledge.Companion]. It reads every stored pair with a kind once.
func (QuestionTypes) Fit(ctx context.Context, library *knowledge.Library) ([]byte, error) {
	learnt := newKinds()
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

// kinds counts, for each kind, the words of the stored questions and of their answers, each once a
// text. Words of the topic's names are not counted, nor words that no stored question holds.
type kinds struct {
	Questions table `json:"questions"`
	Answers   table `json:"answers"`
}

func newKinds() *kinds {
	return &kinds{Questions: table{"": emptyCount()}, Answers: table{"": emptyCount()}}
}

// table counts words by kind; the kind "" holds the sums over all kinds.
type table map[string]*count

type count struct {
	N     float64            `json:"n"`     // of all words counted
	Words map[string]float64 `json:"words"` // by analysed word
}

func emptyCount() *count { return &count{Words: make(map[string]float64)} }

func (k *kinds) add(p *passage.Passage, base statistics) {
	names := namesOf(p)
	k.Questions.add(p.Section, otherWords(plaintext.Distinct(lexical.Terms(p.Question)), names, base))
	k.Answers.add(p.Section, otherWords(plaintext.Distinct(lexical.Terms(p.Text)), names, base))
}

func (t table) add(kind string, words []string) {
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

// A word speaks for a kind by at most this much, so that none decides alone, and counts are
// smoothed by so many towards saying nothing (measured).
const (
	mostLogOdds = 2.5
	smoothing   = 2
)

// logOdds sums how much more frequent the words are in a kind than over all kinds.
func (t table) logOdds(kind string, words []string) float64 {
	own, all := t[kind], t[""]
	if own == nil || all.N == 0 {
		return 0
	}
	sum := 0.0
	for _, word := range words {
		expected := own.N * all.Words[word] / all.N
		odds := math.Log((own.Words[word] + smoothing) / (expected + smoothing))
		sum += max(-mostLogOdds, min(mostLogOdds, odds))
	}
	return sum
}

// knows reports whether there are stored questions of a kind; nil kinds know none.
func (k *kinds) knows(kind string) bool {
	return k != nil && kind != "" && k.Questions[kind] != nil
}

// fit says how well words go with a kind: by its questions alone, and by questions and answers
// against the kind they go with best, which is at most 0.
func (k *kinds) fit(kind string, words []string) (own, gap float64) {
	own = k.Questions.logOdds(kind, words)
	best := math.Inf(-1)
	for _, other := range slices.Sorted(maps.Keys(k.Questions)) {
		if other != "" {
			best = max(best, k.Questions.logOdds(other, words)+k.Answers.logOdds(other, words))
		}
	}
	return own, own + k.Answers.logOdds(kind, words) - best
}

// questionTypeCache keeps what [QuestionTypes] last learnt in the form that is asked. Its zero value is ready; it
// is safe for concurrent use.
type questionTypeCache struct {
	mu     sync.Mutex
	source *byte // first of the record that was read; guarded by mu, as is learnt
	learnt *kinds
}

// of returns what was learnt of a library, or nil. A damaged record counts as none.
func (m *questionTypeCache) of(library *knowledge.Library) *kinds {
	record := library.Blob(QuestionTypes{}.Name())
	if len(record) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.source != &record[0] {
		m.source, m.learnt = &record[0], parseKinds(record)
	}
	return m.learnt
}

func parseKinds(blob []byte) *kinds {
	var k kinds
	if json.Unmarshal(blob, &k) != nil {
		return nil
	}
	for _, t := range []table{k.Questions, k.Answers} {
		if t[""] == nil || slices.Contains(slices.Collect(maps.Values(t)), nil) {
			return nil
		}
	}
	return &k
}
