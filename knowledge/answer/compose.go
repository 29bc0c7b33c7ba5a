package answer

import (
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// quotation is one bullet before it has been checked against the disk.
type quotation struct {
	page   int // index into reading.pages
	first  int // the sentences of the passage it spans, inclusive
	last   int
	span   passage.Span // of the passage's text
	lead   passage.Span // empty without a lead
	elided bool         // something between lead and span is left out
}

// quotation of one sentence with the lead it needs. A question brings the sentence after it.
func (r *reading) quotation(i int) quotation {
	s := r.sentences[i]
	found := r.pages[s.page].hit.Passage
	q := quotation{page: s.page, first: s.order, last: s.order, span: s.span}
	spans := r.pages[s.page].spans
	if s.asks {
		q.last++
		q.span.End = spans[q.last].End
	}
	if lead, elided, ok := leadOf(found, spans, s.order); ok {
		q.lead, q.elided = lead, elided
	}
	return q
}

// quotations turns the chosen sentences into bullets in their order. Sentences that are neighbours
// in one passage become one bullet, in the order of the text, at the place of the better one; a
// sentence that another one brings with it is not said again.
func (r *reading) quotations(chosen []int) []quotation {
	var bullets []quotation
	for _, i := range chosen {
		bullets = r.absorb(bullets, r.quotation(i))
	}
	return bullets
}

// absorb joins a quotation to the bullet it touches, or makes it the last bullet.
func (r *reading) absorb(bullets []quotation, q quotation) []quotation {
	for b := range bullets {
		if !r.join(&bullets[b], q) {
			continue
		}
		// The widened bullet may now touch the bullet on the other side.
		for other := b + 1; other < len(bullets); other++ {
			if r.join(&bullets[b], bullets[other]) {
				return slices.Delete(bullets, other, other+1)
			}
		}
		return bullets
	}
	return append(bullets, q)
}

// join widens a bullet by a quotation that overlaps it or is its neighbour, or reports that it is
// neither.
func (r *reading) join(bullet *quotation, q quotation) bool {
	earlier, later := *bullet, q
	if later.first < earlier.first {
		earlier, later = later, earlier
	}
	if earlier.page != later.page || later.first > earlier.last+1 {
		return false
	}
	text := r.pages[q.page].hit.Passage.Text
	if later.first == earlier.last+1 && !adjoin(text, earlier.span, later.span) {
		return false
	}
	earlier.last = max(earlier.last, later.last)
	earlier.span.End = max(earlier.span.End, later.span.End)
	*bullet = earlier
	return true
}

// adjoin reports that nothing but white space within a paragraph separates two sentences.
func adjoin(text string, a, b passage.Span) bool {
	between := text[a.End:b.Start]
	return strings.TrimSpace(between) == "" && strings.Count(between, "\n") < 2
}
