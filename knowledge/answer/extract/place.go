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

// How much is shown. A screen has 1,500 characters, so that three places of maxPlace fit; a list or steps
// that are asked for may take the room of two.
const (
	maxPlaces   = 3
	screen      = 1490
	maxPlace    = 485
	maxLongList = 900
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
			first, last := r.grow(p, i, maxPlace, maxPlace)
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
// what stands next to it, as far as there is room for characters. A list with its head may take more.
func (r *placing) grow(p, i, room, roomOfList int) (first, last int) {
	from := &r.pages[p]
	g := growth{from: from, first: i, last: i, room: room}
	if block := from.blocks[i]; block >= 0 {
		g.extend(from.blockSentences(block))
		if head, end, ok := from.group(block); ok {
			if from.size(head, end) <= roomOfList {
				g.room = roomOfList
			}
			g.extend(head, end)
			g.room = room
		}
	}
	g.extend(0, len(from.spans)-1)
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
	var chosen []place
	room := screen
	for _, i := range order {
		if len(chosen) == maxPlaces || room < minPlace {
			break
		}
		p := all[i]
		own, ofList := min(room, maxPlace), min(room, maxPlace)
		if len(chosen) == 0 && r.wantsAll() {
			ofList = maxLongList
		}
		p.first, p.last = r.grow(p.page, p.best, own, ofList)
		size := r.pages[p.page].size(p.first, p.last)
		if size > room && len(chosen) > 0 || r.repeats(p, chosen) {
			continue
		}
		room -= size + 3
		chosen = append(chosen, p)
	}
	return chosen
}

// minClause is the number of words from which on a heading says something by itself.
const minClause = 10

// minPlace is the room below which no further place is shown.
const minPlace = 100

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
