package extract

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// A place is what is found: a block of a document with what it needs to be understood. One sentence of it
// fits the question best.
type place struct {
	page        int // index into the pages
	first, last int // sentences of the passage, inclusive
	best        int // the sentence that fits best
	placeFeatures
	score float64
}

// How much is shown: what a screen has room for. Measured on 571 questions of 26 collections: three places of
// 485 characters each hold 299 answers, 203 of them in the first; places that begin small, are joined where
// they stand together and then share what room is left hold 314, 218 in the first.
const (
	maxPlaces   = 3
	screen      = 1490 // characters of all places
	weighed     = 485  // of a place when it is weighed against others
	smallPlace  = 180  // with which a place begins
	maxPlace    = 700
	maxLongList = 900 // of the first place, where a list or steps are asked for, and of one made of two
	maxBetween  = 250 // what may stand between two that become one
)

// candidates returns the places of all pages, each grown from a sentence, and each once.
func (r *placing) candidates() []place {
	var all []place
	for p := range r.pages {
		known := make(map[[2]int]int)
		from := &r.pages[p]
		for i := range from.spans {
			if !r.opens(p, i) {
				continue
			}
			first, last := r.grow(p, i, weighed)
			if at, seen := known[[2]int{first, last}]; seen {
				if r.sentenceFit(p, i) > r.sentenceFit(p, all[at].best) {
					all[at].best = i
				}
				continue
			}
			known[[2]int{first, last}] = len(all)
			all = append(all, place{page: p, first: first, last: last, best: i})
		}
	}
	return all
}

// opens reports whether a place may grow from a sentence: it says something.
func (r *placing) opens(p, i int) bool {
	from := &r.pages[p]
	span := from.spans[i]
	shown := from.shown.Span(span)
	if !isReadable(shown) || contentsLine.MatchString(shown) || isFragment(shown, kindAt(from.shown, span)) {
		return false
	}
	switch kindAt(from.shown, span) {
	case passage.Heading: // the numbered clauses of a contract are headings to their program
		if countWords(shown) < minClause {
			return false
		}
	case passage.HeaderRow, passage.Caption:
		return false
	}
	return mayConcern(&from.page, i)
}

// grow returns the place around a sentence: its block, the list, code or table row that it belongs to, and
// what stands next to it, as far as there is room for characters.
func (r *placing) grow(p, i, room int) (first, last int) {
	g := growth{from: &r.pages[p], first: i, last: i, room: room}
	g.extendAround(i)
	return g.first, g.last
}

// growth is a run of sentences that grows.
type growth struct {
	from        *placedPage
	first, last int
	room        int // in characters
}

// extend grows to the sentences from first to last: whole, if there is room, and else by one at a time, behind
// and before in turn. It reports whether it got there.
func (g *growth) extend(first, last int) bool {
	first, last = min(first, g.first), max(last, g.last)
	if g.from.size(first, last) <= g.room {
		g.first, g.last = first, last
		return true
	}
	forward, backward := true, true
	for forward || backward {
		if forward = forward && g.last < last && g.from.size(g.first, g.last+1) <= g.room; forward {
			g.last++
		}
		if backward = backward && g.first > first && g.from.size(g.first-1, g.last) <= g.room; backward {
			g.first--
		}
	}
	return false
}

// extendAround grows to the block of a sentence, to what that belongs to, and then to what stands next to it.
func (g *growth) extendAround(sentence int) {
	if block := g.from.blocks[sentence]; block >= 0 {
		g.extend(g.from.blockSentences(block))
		if head, end, ok := g.from.group(block); ok {
			g.extend(head, end)
		}
	}
	g.extend(0, len(g.from.spans)-1)
}

// placedPage is a page with the blocks of its sentences.
type placedPage struct {
	page
	blocks []int // of each sentence; -1 for none
}

// size returns the characters from one sentence to another.
func (p *placedPage) size(first, last int) int {
	return utf8.RuneCountInString(p.hit.Passage.Text[p.spans[first].Start:p.spans[last].End])
}

// blockSentences returns the first and the last sentence of a block.
func (p *placedPage) blockSentences(block int) (first, last int) {
	first = slices.Index(p.blocks, block)
	for last = first; last+1 < len(p.blocks) && p.blocks[last+1] == block; {
		last++
	}
	return first, last
}

// group returns the sentences of what a block belongs to: the list with its head, code with its lead-in, a
// definition with its term.
func (p *placedPage) group(block int) (first, last int, ok bool) {
	blocks, outside := p.shown.Blocks(), len(p.shown.Passage().Leads)
	root := block
	for {
		up := blocks[root].Lead - 1 - outside
		if up < 0 || up >= root || blocks[up].Kind == passage.Heading {
			break
		}
		root = up
	}
	first, last = -1, -1
	for i, b := range p.blocks {
		if b == root || b > root && p.descends(b, root) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if root == block && blocks[block].Kind == passage.Item { // a list whose head stands outside the passage
		first, last = p.siblings(block)
	}
	return first, last, first >= 0 && last > first
}

// siblings returns the sentences of the items around an item.
func (p *placedPage) siblings(block int) (first, last int) {
	first, last = p.blockSentences(block)
	blocks := p.shown.Blocks()
	for first > 0 && p.blocks[first-1] >= 0 && blocks[p.blocks[first-1]].Kind == passage.Item {
		first--
	}
	for last+1 < len(p.blocks) && p.blocks[last+1] >= 0 && blocks[p.blocks[last+1]].Kind == passage.Item {
		last++
	}
	return first, last
}

// span returns the bytes of a place.
func (r *placing) span(p place) passage.Span {
	from := &r.pages[p.page]
	return passage.Span{Start: from.spans[p.first].Start, End: from.spans[p.last].End}
}

// top returns the place that scores best, as large as it was weighed; false without any.
func (r *placing) top() (place, bool) {
	all := r.scored()
	if len(all) == 0 {
		return place{}, false
	}
	return slices.MaxFunc(all, func(a, b place) int { return cmp.Compare(a.score, b.score) }), true
}

// choose returns the best places, best first: apart from each other, and as many as a screen holds.
func (r *placing) choose() []place { return r.chooseOf(r.scored()) }

func (r *placing) chooseOf(all []place) []place {
	for i := range all {
		if r.first.passage != nil && r.pages[all[i].page].hit.Passage == r.first.passage && r.pages[all[i].page].spans[all[i].best] == r.first.span {
			all[i].score = math.Inf(1)
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].score, all[a].score) })
	return r.pack(all, order)
}

// pack returns the places that fit a screen, best first: each begins small, absorbs those that stand near it in
// its passage, and grows into what room is left in the end.
func (r *placing) pack(all []place, order []int) []place {
	var chosen []place
	room := screen
	for _, i := range order {
		p := all[i]
		p.first, p.last = r.grow(p.page, p.best, smallPlace)
		size := r.pages[p.page].size(p.first, p.last)
		switch more, joined := r.join(chosen, p, room); {
		case joined:
			room -= more
		case room < minPlace:
			return r.fill(chosen, room)
		case len(chosen) < maxPlaces && size+3 <= room && !r.repeats(p, chosen):
			chosen = append(chosen, p)
			room -= size + 3
		}
	}
	return r.fill(chosen, room)
}

// join widens the chosen place that holds another one, or stands near it in the same passage, and returns how
// many characters more it has.
func (r *placing) join(chosen []place, p place, room int) (more int, joined bool) {
	from := &r.pages[p.page]
	for k := range chosen {
		c := &chosen[k]
		if c.page != p.page {
			continue
		}
		if c.first <= p.best && p.best <= c.last {
			return 0, true
		}
		first, last := min(c.first, p.first), max(c.last, p.last)
		whole, own := from.size(first, last), from.size(c.first, c.last)
		if whole-own-from.size(p.first, p.last) <= maxBetween && whole-own <= room && whole <= maxPlace {
			c.first, c.last = first, last
			return whole - own, true
		}
	}
	return 0, false
}

// fill shares the room that is left among the places, the better ones first, twice: what one cannot use is for the
// others.
func (r *placing) fill(chosen []place, room int) []place {
	for i := range 2 * len(chosen) {
		k := i % len(chosen)
		c := &chosen[k]
		from := &r.pages[c.page]
		size, most := from.size(c.first, c.last), maxPlace
		if k == 0 && r.wantsAll() {
			most = maxLongList
		}
		share := room / (len(chosen) - k)
		g := growth{from: from, first: c.first, last: c.last, room: min(size+share, most)}
		g.extendAround(c.best)
		apart := !slices.ContainsFunc(slices.Concat(chosen[:k], chosen[k+1:]), func(other place) bool {
			return other.page == c.page && g.first <= other.last && other.first <= g.last
		})
		if g.room > size && apart {
			c.first, c.last = g.first, g.last
			room -= from.size(c.first, c.last) - size
		}
	}
	return r.merge(chosen)
}

// merge makes one place of two that have grown up to each other.
func (r *placing) merge(chosen []place) []place {
	for k := 0; k < len(chosen); k++ {
		for other := k + 1; other < len(chosen); other++ {
			a, b := &chosen[k], chosen[other]
			first, last := min(a.first, b.first), max(a.last, b.last)
			if a.page == b.page && (a.last+1 == b.first || b.last+1 == a.first) && r.pages[a.page].size(first, last) <= maxLongList {
				a.first, a.last = first, last
				chosen = slices.Delete(chosen, other, other+1)
				other = k
			}
		}
	}
	return chosen
}

// minClause is the number of words from which on a heading says something by itself.
const minClause = 10

// minPlace is the room below which no further place is shown.
const minPlace = 60

// repeats reports whether a place shares a part with a chosen one, or says the same.
func (r *placing) repeats(p place, chosen []place) bool {
	own := r.pages[p.page].hit.Passage
	at := r.span(p)
	for _, other := range chosen {
		from := r.pages[other.page].hit.Passage
		taken := r.span(other)
		if from == own && taken.Start < at.End && at.Start < taken.End {
			return true
		}
		if from.Place.File == own.Place.File && from.Place.Record == own.Place.Record && from != own &&
			from.Place.Span.Start+taken.Start < own.Place.Span.Start+at.End && own.Place.Span.Start+at.Start < from.Place.Span.Start+taken.End {
			return true
		}
		if r.sameWords(p, other) {
			return true
		}
	}
	return false
}

// isNear reports whether a place, with its title and headings, says what is asked about; see [says].
func (r *placing) isNear(p place) bool {
	held := set(r.terms(p))
	for term := range r.above[p.page].terms {
		held[term] = true
	}
	return says(r.subject, has(held))
}

// says reports whether a text says a word of weight of the subject, in some form, or a good part of the subject in
// other words. What says less is not near, however far all else is: who cooks rice makes it, but a leaflet that
// makes something is not near, nor is the dose of one medicine that of another.
func says(subject *lexicon.Wording, has func(term string) bool) bool {
	heaviest := 0.0
	for _, w := range subject.Words {
		heaviest = max(heaviest, w.Weight)
	}
	return subject.Coverage(has) >= leastSaid || slices.ContainsFunc(subject.Words, func(w lexicon.Word) bool {
		return w.Weight >= leastWeight*heaviest && !question.IsPlainTerm(w.Term) && w.Match(has) >= leastForm
	})
}

// leastForm is the weight of kin from which on they are the same word, leastWeight the share of the heaviest word's
// weight from which on a word has weight, and leastSaid the share of a subject's weight that other words have to say.
const (
	leastForm   = .85
	leastWeight = .4
	leastSaid   = 1. / 3
)

// wantsAll reports whether the question waits for a whole list or all steps.
func (r *placing) wantsAll() bool {
	return r.asked.Expected.Kind == question.List || r.asked.Expected.Kind == question.Steps
}

// citedSpan is a sentence of a passage.
type citedSpan struct {
	passage *passage.Passage
	span    passage.Span
}

// sameWords reports whether two places say the same: most terms of the shorter stand in the other.
func (r *placing) sameWords(a, b place) bool {
	first, second := r.terms(a), r.terms(b)
	if len(first) > len(second) {
		first, second = second, first
	}
	held, shared := set(second), 0
	for _, t := range first {
		if held[t] {
			shared++
		}
	}
	return float64(shared) >= sameShare*float64(len(first))
}

// sameShare is the share of terms from which on two places say the same.
const sameShare = .85

// terms returns the terms of a place.
func (r *placing) terms(p place) []string {
	var terms []string
	for i := p.first; i <= p.last; i++ {
		terms = append(terms, r.facts[p.page][i].terms...)
	}
	return terms
}
