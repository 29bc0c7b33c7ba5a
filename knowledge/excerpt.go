package knowledge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/superseded"
	"lacuna/vecmath"
	"lacuna/vecmath/mapped"
)

// # Excerpts
//
// An excerpt is a library that holds some of the passages of a larger one and the [Card] of all of them. It scores,
// judges and quotes as the larger one does, among the passages that it holds. Whatever is searched for in it, it
// notes as a [Want]: what must be there for the result to be that of the larger one. So who keeps the passages
// elsewhere answers a question by an excerpt, fetches what was wanted, and answers again, until nothing new is
// wanted; nothing that answers has to know.

// Text is a passage on its way into an excerpt.
type Text struct {
	Position int // ordinal of the passage in the larger library
	Passage  *passage.Passage
	Terms    []string  // of [passage.Passage.Indexed]
	Vector   []float32 // [Card.Vector] of the terms
}

// Want is what a search in an excerpt needs: the Depth best passages of a kind by Terms and the Depth best by Vector, or
// all passages of a document.
type Want struct {
	Kind     passage.Kind
	Terms    []string // one that is repeated counts as often
	Kin      []string // Terms and the words that mean the same as one of them, more often what counts more; nil if there are none
	Vector   []float32
	Document string
	Depth    int
	// Best are the positions of the texts that earn enough by Terms to be among the best. Who keeps the passages
	// elsewhere sees by how far down in lists of its own these stand whether others may be missing.
	Best []int
}

// Key is equal for wants that differ in their depth and their best alone.
func (w Want) Key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\x00%s\x00%s\x00%s\x00", w.Kind, w.Document, strings.Join(w.Terms, "\x01"), strings.Join(w.Kin, "\x01"))
	b.Write(mapped.Bytes(w.Vector))
	return b.String()
}

// wants collects what the searches of an excerpt need. It is safe for concurrent use; a nil one forgets.
type wants struct {
	mu   sync.Mutex
	list []Want
	at   map[string]int // by key
}

func (w *wants) add(want Want) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := want.Key()
	if at, known := w.at[key]; known {
		have := &w.list[at]
		have.Depth = max(have.Depth, want.Depth)
		have.Best = append(have.Best, want.Best...)
		return
	}
	w.at[key] = len(w.list)
	w.list = append(w.list, want)
}

// excerpt is what a collection of an excerpt knows besides.
type excerpt struct {
	wants     *wants
	positions []int // in the larger library, by place, ascending
}

// Excerpt returns a library of some passages, each once, that answers by the card. It fails if a text is none of those
// that the card is of.
func (c *Card) Excerpt(texts []Text) (*Library, error) {
	texts = slices.SortedFunc(slices.Values(texts), func(a, b Text) int { return cmp.Compare(a.Position, b.Position) })
	w := &wants{at: make(map[string]int)}
	inside := contents{
		blobs: c.blobs, generation: "card-" + c.about.Digest, total: c.Len(), sources: c.about.Sources, wants: w, answers: &c.answers,
		status: Status{Calibrated: c.about.Fitted},
	}
	for _, t := range texts {
		inside.passages = append(inside.passages, t.Passage)
		inside.positions = append(inside.positions, t.Position)
	}
	for _, kind := range c.about.Kinds {
		s, err := c.collections[kind].excerpt(kind, texts, w)
		if err != nil {
			return nil, err
		}
		inside.collections = append(inside.collections, s)
	}
	l := newLibrary(inside)
	l.status.Passages, l.status.Pairs = c.about.Passages, c.about.Pairs
	l.old = func() *superseded.Index { return c.old }
	l.digest = func() string { return c.about.Digest }
	return l, nil
}

func (c *cardCollection) excerpt(kind passage.Kind, texts []Text, w *wants) (*Collection, error) {
	s := &Collection{kind: kind, words: c.words, cache: new(searchCache), excerpt: &excerpt{wants: w}}
	var terms [][]string
	var own []Text
	for ordinal, t := range texts {
		if t.Passage.Kind == kind {
			own, terms = append(own, t), append(terms, t.Terms)
			s.ordinals = append(s.ordinals, ordinal)
			s.excerpt.positions = append(s.excerpt.positions, t.Position)
		}
	}
	var err error
	if s.index, err = c.statistics.Excerpt(terms); err != nil || c.encoder == nil {
		return s, err
	}
	rows := vecmath.NewRows(c.encoder.Dim())
	nothing := make([]float32, c.encoder.Dim())
	for _, t := range own {
		vector := t.Vector
		if vector == nil {
			vector = nothing
		}
		if err := rows.Append(vector); err != nil {
			return nil, err
		}
	}
	s.encoder, s.vectors, s.rows = c.encoder, vecmath.NewIndex(rows), c.rows()
	return s, nil
}

// Wants returns what was searched for in an excerpt since it was made; nil of a whole library.
func (l *Library) Wants() []Want {
	if l.wants == nil {
		return nil
	}
	l.wants.mu.Lock()
	defer l.wants.mu.Unlock()
	return slices.Clone(l.wants.list)
}

// want notes in an excerpt what a collection is searched for.
func (s *Collection) want(want Want) {
	if s.excerpt == nil || len(want.Terms) == 0 && want.Vector == nil {
		return
	}
	want.Kind = s.kind
	s.excerpt.wants.add(want)
}

// position returns the ordinal of a passage in the library that an excerpt is of, which is its own in a whole one.
func (l *Library) position(ordinal int) int {
	if l.positions == nil {
		return ordinal
	}
	return l.positions[ordinal]
}

// Len returns the number of passages that the library answers from. An excerpt holds fewer.
func (l *Library) Len() int {
	if l.wants != nil {
		return l.total
	}
	return len(l.passages)
}

// Run returns the passages around one that follow each other in the sources and of which same is true, at most half of
// most before it and half behind: those with the ordinals from first up to last, which is excluded. same must be true of
// passages of one document alone.
func (l *Library) Run(ordinal, most int, same func(*passage.Passage) bool) (first, last int) {
	follows := func(a, b int) bool { return l.position(b) == l.position(a)+1 }
	first, last = ordinal, ordinal+1
	for first > 0 && ordinal-first < most/2 && follows(first-1, first) && same(l.passages[first-1]) {
		first--
	}
	for last < len(l.passages) && last-ordinal < most/2 && follows(last-1, last) && same(l.passages[last]) {
		last++
	}
	p := l.passages[ordinal]
	l.wants.add(Want{Kind: p.Kind, Document: p.Document})
	return first, last
}

// AnswersHold reports whether any stored answer has one of some forms of a word, also as a part of another word.
func (l *Library) AnswersHold(forms []string) bool {
	holds := func(text string) bool {
		return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
	}
	if l.answers != nil {
		return holds(*l.answers)
	}
	return slices.ContainsFunc(l.passages, func(p *passage.Passage) bool { return p.Kind == passage.QA && holds(p.Text) })
}

// want notes in an excerpt how many candidates the ranking needs.
func (r *ranker) want(depth int) {
	if r.collection.excerpt != nil {
		r.collection.want(r.wanted(depth))
	}
}

// wantBest notes in an excerpt which of its texts earn enough to matter.
func (r *ranker) wantBest() {
	if r.collection.excerpt == nil {
		return
	}
	want := r.wanted(r.depth)
	for place, position := range r.collection.excerpt.positions {
		if earned := r.scores.Of(place); earned > 0 && earned >= r.floor {
			want.Best = append(want.Best, position)
		}
	}
	r.collection.want(want)
}

// emphasis is how often a word of the query stands in a [Want.Kin]. Its kin stand there as much less often as they earn
// less, so that who adds up what terms earn proposes much the same texts.
const emphasis = 10

func (r *ranker) wanted(depth int) Want {
	want := Want{Terms: slices.Clone(r.terms), Vector: r.vector, Depth: depth}
	alternatives := r.alternatives()
	if alternatives == nil {
		return want
	}
	weight := r.weights()
	if weight == nil {
		weight = r.collection.IDF
	}
	times := make(map[string]int)
	for _, term := range r.terms {
		times[term] += emphasis
	}
	order := plaintext.Distinct(r.terms)
	own := len(order)
	for _, term := range order[:own] {
		for _, way := range alternatives(term) {
			for _, kin := range way.Terms {
				if r.collection.DocFreq(kin) == 0 {
					continue
				}
				earns := float64(times[term]) * weight(term) * way.Share / float64(len(way.Terms))
				if times[kin] == 0 {
					order = append(order, kin)
				}
				times[kin] = max(times[kin], 1, int(math.Round(earns/r.collection.IDF(kin))))
			}
		}
	}
	if len(order) > own {
		for _, term := range order {
			want.Kin = append(want.Kin, slices.Repeat([]string{term}, times[term])...)
		}
	}
	return want
}
