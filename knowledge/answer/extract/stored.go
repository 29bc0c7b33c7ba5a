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
	"lacuna/knowledge/entity"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// storedMatch holds what the stored questions say about a question.
type storedMatch struct {
	*reading                  // of the answer to serve; nil if there is none
	pair       *knowledge.Hit // whose answer is served
	confidence float64        // that the pair asks the same
	related    []knowledge.Hit
	asked      inquiry
	near       []storedPlace // those that have an answer and may help, best first
	others     []storedPlace // in place of none: those that have an answer
}

func (a storedMatch) serves() bool { return a.pair != nil }

// excerpt returns what to show of a stored answer: all of it in its order if it is no longer than an
// answer may be, and otherwise the sentences that fit the question best.
func (a storedMatch) excerpt(amount Amount) []int {
	var all []int
	words := 0
	for i, s := range a.sentences {
		if s.quotable {
			all = append(all, i)
			words += countWords(s.text)
		}
	}
	if amount == LeadOnly || words > maxWords {
		return a.choose(a.scores(), amount)
	}
	return all
}

// When a stored answer is *the* answer. Measured on 900 questions made from MedQuAD: a third have their
// pair stored, a third only pairs of other kinds on the topic, and a third nothing on the topic. Of near
// copies served .97 were right (.97 of those stored were served), of paraphrases .94 (.23). An encoder
// cosine of .9 or more is right for .24, because words for the kind of question are frequent and weigh
// next to nothing there.
const (
	serveFrom     = .8
	serveSameFrom = .5 // where the content words agree both ways
)

// maxRelated bounds the stored questions shown as related. A related question must hold relatedFrom of the
// weight of the question's content words, unless the question mentions its whole topic.
const (
	maxRelated  = 3
	relatedFrom = .5
)

// matchStored compares the stored questions found with the question. The best is served if it asks the
// same about the same topic; others stay related, or are places that may help.
func matchStored(library *knowledge.Library, asked inquiry, pairs []knowledge.Hit, types *questionTypes) storedMatch {
	a := storedMatch{asked: asked}
	collection := library.Collection(passage.QA)
	if collection == nil || len(pairs) == 0 {
		return a
	}
	places := ratePairs(library, asked, pairs, collection)
	for i := range places {
		hit := &places[i].hit
		m := compare(asked.gist, *hit, collection, types)
		m.heed(asked, places[i])
		if i == 0 && m.serves() && hit.Passage.Text != "" && hit.Subject.Relation(hit.Passage) != entity.Other {
			a.pair, a.confidence = hit, m.confidence()
			base := library.Collection(passage.Text)
			if base == nil {
				base = collection
			}
			a.reading = read(asked.gist, base, []knowledge.Hit{*hit})
			continue
		}
		if len(a.related) < maxRelated && (m.content >= relatedFrom || m.wholeName) {
			a.related = append(a.related, *hit)
		}
	}
	if a.near = nearPairs(asked, places); len(a.near) == 0 {
		a.others = places
	}
	return a
}

// resemblance measures how far a stored question asks the same as the user.
type resemblance struct {
	cover     float64 // share of the user's weight found in the stored question and its synonyms
	content   float64 // the same of the content words alone
	name      float64 // share of the weight of the topic's best-matching name that the user mentions
	wholeName bool    // the user mentions all of a name
	kind      float64 // how well the user's other words go with the pair's kind of question
	gap       float64 // that, answers counted too, less the same for the best kind; at most 0
	unknown   int     // words of the user's no stored question holds
	same      bool    // the content words agree both ways, by any name of the topic
	judged    bool    // the pair has a topic and a kind the base has learnt
	agrees    bool    // the reading of both agrees: subject, aspect and nothing besides
	conflicts bool    // they ask for different aspects, or the question comes in a letter and they do not agree
}

// confidence returns the probability that topic and kind agree (logistic regression on questions made from
// MedQuAD: other templates, synonyms, near copies; a third without the pair, a third without the topic).
// Without kinds to judge by, it only says whether the words are the same.
func (m resemblance) confidence() float64 {
	if m.agrees {
		return agreesConfidence
	}
	if !m.judged {
		if m.same {
			return serveFrom
		}
		return 0
	}
	whole := 0.0
	if m.wholeName {
		whole = 1
	}
	return logistic(3.66*m.cover + 9.90*m.name + 3.13*whole + .35*m.kind + .26*m.gap +
		1.24*float64(m.unknown) - 15.87)
}

func (m resemblance) serves() bool {
	p := m.confidence()
	return m.agrees || !m.conflicts && p >= serveFrom || p >= serveSameFrom && m.same
}

// heed takes the readings of the question and the pair into account.
func (m *resemblance) heed(asked inquiry, p storedPlace) {
	m.agrees = p.agrees
	m.conflicts = !p.agrees && (asked.letter || asked.reading.Aspect != "" && p.aspect != "" && !slices.Contains(asked.reading.Aspects, p.aspect))
}

// compare compares a question with a stored one.
func compare(question string, hit knowledge.Hit, collection statistics, kinds *questionTypes) resemblance {
	words := plaintext.Distinct(lexical.Terms(question))
	stored := hit.Passage
	var m resemblance
	m.same = sameContent(question, stored)
	indexed := lexical.Terms(stored.Indexed())
	m.cover, _ = coverage(words, indexed, collection)
	content := contentWords(question)
	m.content, _ = coverage(content, indexed, collection)
	for _, word := range words {
		if collection.DocFreq(word) == 0 {
			m.unknown++
		}
	}
	names := namesOf(stored)
	for _, name := range names {
		// "Please tell me" does not mention an illness abbreviated ME.
		share, _ := coverage(name, content, collection)
		m.name = max(m.name, share)
		m.wholeName = m.wholeName || !missesAny(name, content)
	}
	// Where many questions are stored, a word that none of them holds is mostly another way to say
	// the same; where few are, it is mostly another thing to ask.
	strange := m.unknown > 0 && collection.N() < minEncoderTexts
	// "How" alone goes with one kind in a base of few templates, and with any in what people write.
	tells := len(otherWords(content, names, collection)) > 0
	if len(names) > 0 && kinds.knows(stored.Section) && tells && !strange {
		m.judged = true
		m.kind, m.gap = kinds.fit(stored.Section, otherWords(words, names, collection))
	}
	return m
}

// sameContent reports whether a question and a stored one have the same content words, the stored topic
// under any of its names, and both or neither deny something.
func sameContent(question string, stored *passage.Passage) bool {
	asked := contentWords(question)
	if len(asked) == 0 || negates(question) != negates(stored.Question) {
		return false
	}
	content := contentWords(stored.Question)
	if equalSets(asked, content) {
		return true
	}
	topic := lexical.Terms(stored.Title)
	if len(topic) == 0 || missesAny(topic, content) {
		return false
	}
	rest := slices.DeleteFunc(content, func(word string) bool { return slices.Contains(topic, word) })
	return slices.ContainsFunc(stored.Also, func(name string) bool {
		return equalSets(asked, plaintext.Distinct(append(slices.Clone(rest), lexical.Terms(name)...)))
	})
}

func equalSets(a, b []string) bool {
	return len(a) == len(b) && !missesAny(a, b)
}

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
