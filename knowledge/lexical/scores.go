package lexical

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lacuna/vecmath/mapped"
)

// Hit is a text found and its BM25 score, without the factor k1+1.
type Hit struct {
	Ordinal int
	Score   float64
}

// compare orders hits, best first, equal scores by ordinal.
func compare(a, b Hit) int {
	return cmp.Or(-cmp.Compare(a.Score, b.Score), a.Ordinal-b.Ordinal)
}

// Scores are the BM25 scores of all texts for one query, computed when they are asked for. They
// must not be used by several goroutines at once. Release ends their use.
type Scores struct {
	index   *Index
	terms   []weighted
	numbers numbering
	room    *room
}

// weighted is a term of a query that some text has.
type weighted struct {
	weight float64 // idf times the number of times it occurs in the query
	cost   uint32  // what one 255th of the weight counts in a search; see search.scale
	rare   []list  // what the postings of a term that is not common come to
	from   uint32  // the lists of a term that is
	to     uint32
}

// Weights is the weight of a term in place of [IDF] by the counts of an index, as where some of its
// texts do not count. It must not be negative.
type Weights func(term string) float64

// weight of a term that occurs in df texts.
func (x *Index) weight(term string, df int, by Weights) float64 {
	if by != nil {
		return by(term)
	}
	return IDF(x.N(), df)
}

// Score prepares the scores of all texts for a query; a term that occurs twice in the query counts
// twice. Nil weights are those of the index. It fails when ctx has ended or the postings are damaged.
func (x *Index) Score(ctx context.Context, query []string, by Weights) (scores *Scores, err error) {
	defer recoverTo(&err, "search")
	defer mapped.Release(x, mapped.Guard())
	scores = &Scores{index: x}
	counts := distinct(query)
	scores.numbers = newNumbering(len(counts))
	for _, count := range counts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		number, known := x.forward.number(count.term)
		if !known {
			continue
		}
		term := weighted{weight: float64(count.times) * x.weight(count.term, int(x.forward.documents[number]), by)}
		if term.from, term.to = x.bounds.lists(number); term.from == term.to {
			if term.rare, err = x.rare(count.term); err != nil {
				return nil, fmt.Errorf("lexical index: term %q: %w", count.term, err)
			}
		}
		scores.numbers.add(number, len(scores.terms))
		scores.terms = append(scores.terms, term)
	}
	scores.room = x.rooms.Get().(*room)
	scores.room.prepare(len(scores.terms))
	return scores, nil
}

// Release ends the use of the scores.
func (s *Scores) Release() {
	s.index.rooms.Put(s.room)
	s.room = nil
}

// counted is a term of a query and how often it occurs there.
type counted struct {
	term  string
	times int
}

// distinct returns the terms of a query, each once, in order of occurrence.
func distinct(query []string) []counted {
	terms := make([]counted, 0, len(query))
	at := make(map[string]int, len(query))
	for _, term := range query {
		i, seen := at[term]
		if !seen {
			i = len(terms)
			at[term] = i
			terms = append(terms, counted{term: term})
		}
		terms[i].times++
	}
	return terms
}

// rare reads the postings of a term that is not common into lists by window.
func (x *Index) rare(term string) ([]list, error) {
	type posting struct {
		ordinal uint32
		impact  byte
	}
	var postings []posting
	for _, p := range x.parts {
		if err := p.postings(term, func(ordinal uint32, frequency int) {
			share := x.bm25.saturation(frequency, x.forward.length(int(ordinal)), x.mean)
			postings = append(postings, posting{ordinal, impactOf(share)})
		}); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(postings, func(a, b posting) int { return cmp.Compare(a.ordinal, b.ordinal) })
	var lists []list
	for _, p := range postings {
		window := int(p.ordinal >> windowBits)
		if len(lists) == 0 || lists[len(lists)-1].window != window {
			lists = append(lists, list{window: window})
		}
		last := &lists[len(lists)-1]
		last.places = append(last.places, uint16(p.ordinal&(windowSize-1)))
		last.impacts = append(last.impacts, p.impact)
		last.highest = max(last.highest, p.impact)
	}
	return lists, nil
}

// Of returns the score of a text, 0 when it holds no term of the query.
func (s *Scores) Of(ordinal int) float64 {
	defer mapped.Release(s.index, mapped.Guard())
	f := s.index.forward
	frequencies := s.room.frequencies
	clear(frequencies)
	for _, number := range f.text(ordinal) {
		if at := s.numbers.at(number); at >= 0 {
			frequencies[at]++
		}
	}
	length := f.length(ordinal)
	score := 0.0
	for at, frequency := range frequencies {
		if frequency > 0 {
			score += s.index.bm25.contribution(s.terms[at].weight, int(frequency), length, s.index.mean)
		}
	}
	return score
}

// Best returns the k texts with the highest scores above zero among those that keep accepts,
// highest first, equal scores by ordinal. A nil keep accepts all; for some texts it is called more
// than once, for most not at all.
func (s *Scores) Best(k int, keep func(ordinal int) bool) []Hit {
	if k <= 0 || len(s.terms) == 0 {
		return nil
	}
	defer mapped.Release(s.index, mapped.Guard())
	candidates := newSearch(s, k, keep).run()
	hits := make([]Hit, len(candidates))
	for i, ordinal := range candidates {
		hits[i] = Hit{int(ordinal), s.Of(int(ordinal))}
	}
	slices.SortFunc(hits, compare)
	return hits[:min(k, len(hits))]
}

// ScoreText is the BM25 score of a text for a query, with the statistics of the index. The text need
// not stand in it; for one that does, it is what [Scores.Of] says. Nil weights are those of the index.
func (x *Index) ScoreText(query, text []string, by Weights) float64 {
	frequency := make(map[string]int, len(text))
	for _, term := range text {
		frequency[term]++
	}
	score := 0.0
	for _, term := range distinct(query) {
		if df := x.DocFreq(term.term); df > 0 && frequency[term.term] > 0 {
			weight := float64(term.times) * x.weight(term.term, df, by)
			score += x.bm25.contribution(weight, frequency[term.term], len(text), x.mean)
		}
	}
	return score
}

// Search returns the k best texts for a query, as [Index.Score] and [Scores.Best] do.
func (x *Index) Search(ctx context.Context, query []string, k int, keep func(ordinal int) bool) ([]Hit, error) {
	scores, err := x.Score(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer scores.Release()
	return scores.Best(k, keep), nil
}

// numbering finds the places of a query's terms by their numbers in the index: a hash table with
// at least four slots a term.
type numbering struct {
	slots []struct{ number, place uint32 } // place is one more; 0 marks an empty slot
	shift uint32
}

func newNumbering(terms int) numbering {
	n := numbering{shift: 32 - 2}
	for 1<<(32-n.shift) < 4*terms {
		n.shift--
	}
	n.slots = make([]struct{ number, place uint32 }, 1<<(32-n.shift))
	return n
}

// home is where the search for a number begins, by Fibonacci hashing.
func (n *numbering) home(number uint32) uint32 { return number * 0x9e3779b1 >> n.shift }

func (n *numbering) add(number uint32, place int) {
	at := n.home(number)
	for n.slots[at].place != 0 {
		at = (at + 1) & uint32(len(n.slots)-1)
	}
	n.slots[at] = struct{ number, place uint32 }{number, uint32(place) + 1}
}

// at returns the place of a number, or -1.
func (n *numbering) at(number uint32) int {
	for at := n.home(number); n.slots[at].place != 0; at = (at + 1) & uint32(len(n.slots)-1) {
		if n.slots[at].number == number {
			return int(n.slots[at].place) - 1
		}
	}
	return -1
}
