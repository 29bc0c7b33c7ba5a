package dense

import (
	"math/rand/v2"
	"slices"
)

// Corpus holds the texts that an encoder learns from. Terms are numbers of the vocabulary.
type Corpus struct {
	Vocabulary []string // every term of the texts, each once
	Texts      [][]uint32
	// Titles says of each text how many of its leading terms are its title; nil means none has one.
	Titles []int
	// Answers are, for stored questions, the known terms of each question's answer, maybe none.
	Answers [][]uint32
	// Topics groups stored questions: equal numbers ask about one thing; negative means alone.
	Topics []int
}

// task says where a pair for the network comes from.
type task struct {
	kind taskKind
	text int32
	mate int32 // for sibling: the other text
}

type taskKind int8

const (
	span    taskKind = iota // a piece of a text against the rest of it
	title                   // a text's title against the rest of it
	answer                  // a question against its answer
	sibling                 // a question against another of its topic
)

// sampler draws pairs from a corpus.
type sampler struct {
	corpus *Corpus
	random *rand.Rand
	order  []int32 // texts to cut spans from, shuffled before each pass
	next   int     // in order
}

func newSampler(c *Corpus, seed uint64) *sampler {
	s := &sampler{corpus: c, random: rand.New(rand.NewPCG(seed, 1<<63))}
	for text, terms := range c.Texts {
		if len(terms) >= shortestText {
			s.order = append(s.order, int32(text))
		}
	}
	s.next = len(s.order)
	return s
}

// shortestText is the number of terms from which a span of two can be cut that leaves as many.
const shortestText = 4

// spans returns n tasks that take all texts equally often.
func (s *sampler) spans(n int) []task {
	tasks := make([]task, 0, n)
	for range n {
		if s.next == len(s.order) {
			s.random.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
			s.next = 0
		}
		tasks = append(tasks, task{kind: span, text: s.order[s.next]})
		s.next++
	}
	return tasks
}

// titles returns a task for each text that has a title and more than that.
func (s *sampler) titles() []task {
	var tasks []task
	for text, n := range s.corpus.Titles {
		if n > 0 && n < len(s.corpus.Texts[text]) {
			tasks = append(tasks, task{kind: title, text: int32(text)})
		}
	}
	return tasks
}

// answers returns a task for each question with an answer.
func (s *sampler) answers() []task {
	var tasks []task
	for text, terms := range s.corpus.Answers {
		if len(terms) > 0 && len(s.corpus.Texts[text]) > 0 {
			tasks = append(tasks, task{kind: answer, text: int32(text)})
		}
	}
	return tasks
}

// maxSiblings bounds how many other questions of its topic a question is paired with, so that a
// large topic does not outweigh the rest of the base.
const maxSiblings = 8

// siblings pairs each question with half of the others of its topic, so that each pair of
// questions comes up once; in topics of many questions with some of them, drawn at random.
func (s *sampler) siblings() []task {
	topics := make(map[int][]int32)
	var names []int
	for text, topic := range s.corpus.Topics {
		if topic < 0 || len(s.corpus.Texts[text]) == 0 {
			continue
		}
		if topics[topic] == nil {
			names = append(names, topic)
		}
		topics[topic] = append(topics[topic], int32(text))
	}
	var tasks []task
	for _, name := range names {
		members := topics[name]
		s.random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for i, text := range members {
			for _, mate := range members[i+1 : min(i+1+maxSiblings, len(members))] {
				pair := task{sibling, text, mate}
				if s.random.IntN(2) == 0 {
					pair.text, pair.mate = mate, text
				}
				tasks = append(tasks, pair)
			}
		}
	}
	return tasks
}

func (s *sampler) shuffle(tasks []task) {
	s.random.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
}

// pair carries a task out. The slices may be parts of the corpus and must not be changed.
func (s *sampler) pair(t task) (query, positive []uint32) {
	terms := s.corpus.Texts[t.text]
	switch t.kind {
	case title:
		n := s.corpus.Titles[t.text]
		return terms[:n], terms[n:]
	case answer:
		return terms, s.window(s.corpus.Answers[t.text])
	case sibling:
		return terms, s.corpus.Texts[t.mate]
	}
	return s.cut(terms)
}

const (
	windowTerms = 80   // of an answer
	dropped     = 0.12 // chance of a span's term to be left out of the query
	keepSpan    = 0.1  // chance of a text to keep the span that was cut out of it
	leastTerms  = 2    // of a query
)

// cut takes a span of 4 to 13 terms, at most half of the text, as the query; the positive is the
// text without it, so that the encoder has to learn which words go together.
func (s *sampler) cut(terms []uint32) (query, positive []uint32) {
	length := min(len(terms)/2, 4+s.random.IntN(10))
	start := s.random.IntN(len(terms) - length + 1)
	piece := terms[start : start+length]
	positive = terms
	if s.random.Float64() >= keepSpan {
		positive = slices.Concat(terms[:start], terms[start+length:])
	}
	left := length
	for _, term := range piece {
		if left > leastTerms && s.random.Float64() < dropped {
			left--
			continue
		}
		query = append(query, term)
	}
	return query, positive
}

// window returns some terms that follow one another in an answer: half the time its opening.
func (s *sampler) window(terms []uint32) []uint32 {
	if len(terms) <= windowTerms {
		return terms
	}
	start := 0
	if s.random.IntN(2) == 0 {
		start = s.random.IntN(len(terms) - windowTerms + 1)
	}
	return terms[start : start+windowTerms]
}
