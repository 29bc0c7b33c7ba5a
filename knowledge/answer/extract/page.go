package extract

import (
	"regexp"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
)

// page is a passage that is read for a question.
type page struct {
	hit knowledge.Hit
	// behind is the passage's mixed score less the score of the first of its list, so at most 0
	// for all but unusual lists.
	behind float64
	weight vector         // of all its terms
	above  []string       // terms of its title and headings
	own    bool           // it stands below what the question surely names
	facet  float64        // how far it treats the side that is asked about, if it is own
	asked  *gap.Facet     // that side
	spans  []passage.Span // of its sentences
	shown  *passage.Rendering
}

// mayConcern reports whether a sentence of a passage may be about what its query surely names: it stands
// on that page, or says the name, or what introduces it does.
func mayConcern(from *page, order int) bool {
	about := from.hit.Subject
	if !about.Sure() || from.own {
		return true
	}
	span := from.spans[order]
	text := Heading(from.hit.Passage)
	if block := from.shown.BlockAt(span.Start); block >= 0 {
		for _, l := range from.shown.Introduction(block) {
			text += "\n\n" + l.Text
		}
	}
	return about.Mentioned(text + "\n\n" + from.hit.Passage.Text[span.Start:span.End])
}

// Heading returns what stands above a passage. The section of a row is no heading of a document, but says
// the same if the row has a title.
func Heading(p *passage.Passage) string {
	above := append(p.Names(), p.Headings...)
	if p.Kind == passage.Text && p.Title != "" && len(p.Headings) == 0 {
		above = append(above, p.Section)
	}
	return strings.Join(above, "\n")
}

// isQuotable reports whether a sentence can be shown: by itself, a question with the sentence that follows
// it, or what announces code or a list with that.
func (page *page) isQuotable(order int, asks bool) bool {
	p, span := page.shown, page.spans[order]
	if asks {
		if order == len(page.spans)-1 || !isReadable(p.Span(span)) {
			return false
		}
		next := page.spans[order+1]
		between := p.Passage().Text[span.End:next.Start]
		return strings.TrimSpace(between) == "" && StandsAlone(p, next)
	}
	if StandsAlone(p, span) {
		return true
	}
	if !isReadable(p.Span(span)) {
		return false
	}
	_, _, ok := page.brought(order)
	return ok
}

// pronoun matches the opening of a sentence that leans on the one before it.
var pronoun = regexp.MustCompile(`^["'“‘(*_]*(?:(?:It|This|These|They|Such|He|She)\b|[它他她这此该其])`)

// lead is what a quote cannot be understood without.
type lead struct {
	passage.Lead
	sentence int // of the passage; -1 for one outside
}

// leadsOf returns what introduces the sentence at order, outermost first: the items, the paragraph, the
// header or the term above its block, or the sentence before it if it opens with a pronoun. A lead
// that cannot be shown is left out.
func leadsOf(page *page, order int) []lead {
	p := page.shown
	own := page.spans[order]
	block := p.BlockAt(own.Start)
	var leads []lead
	if block >= 0 {
		b := p.Blocks()[block]
		for _, l := range p.Introduction(block) {
			if l.Kind == passage.Heading || l.Kind == passage.Paragraph && b.Kind == passage.Paragraph && b.Level == 0 {
				continue
			}
			if one, ok := page.leadFrom(l); ok {
				leads = append(leads, one)
			}
		}
		if label := strings.TrimSpace(p.Passage().Text[b.Start:own.Start]); b.Kind == passage.Footnote && label != "" {
			start := b.Start + strings.Index(p.Passage().Text[b.Start:], label)
			leads = append(leads, page.leadAt(passage.Footnote, passage.Span{Start: start, End: start + len(label)}))
		}
	}
	if len(leads) == 0 && order > 0 && pronoun.MatchString(p.Span(own)) {
		before := page.spans[order-1]
		if Adjoin(p, before, own) && isReadable(strings.TrimRight(p.Span(before), ":：")) {
			leads = append(leads, page.leadAt(kindAt(p, before), before))
		}
	}
	return leads
}

// leadAt returns a span of the passage as a lead.
func (page *page) leadAt(kind passage.BlockKind, span passage.Span) lead {
	from := page.shown.Passage()
	l := passage.Lead{Kind: kind, Text: from.Text[span.Start:span.End], Line: from.LineAt(span.Start), Span: passage.Span{
		Start: from.Place.Span.Start + span.Start, End: from.Place.Span.Start + span.End,
	}}
	return lead{l, page.sentenceAt(span.Start)}
}

// maxLeadWords bounds an item or paragraph that is shown whole as a lead; of a longer one it is a sentence.
const maxLeadWords = 25

// leadFrom reduces an introducing block to what is shown: the last sentence of a paragraph, the first
// of a long item.
func (page *page) leadFrom(l passage.Lead) (lead, bool) {
	from := page.shown.Passage()
	spans := passage.SentencesOf(l.Text, from.Format, passage.Block{Kind: l.Kind, Span: passage.Span{End: len(l.Text)}})
	if len(spans) == 0 {
		return lead{}, false
	}
	part := passage.Span{Start: spans[0].Start, End: spans[len(spans)-1].End}
	if l.Kind == passage.Paragraph {
		part = spans[len(spans)-1]
	} else if countWords(l.Text[part.Start:part.End]) > maxLeadWords {
		if part = spans[0]; announces(l.Text[:spans[len(spans)-1].End]) {
			part = spans[len(spans)-1]
		}
	}
	reduced := passage.Lead{Kind: l.Kind, Text: l.Text[part.Start:part.End], Line: l.Line, Span: passage.Span{Start: l.Span.Start + part.Start, End: l.Span.Start + part.End}}
	one := lead{reduced, -1}
	if at := reduced.Span.Start - from.Place.Span.Start; at >= 0 && at < len(from.Text) {
		one.sentence = page.sentenceAt(at)
		one.Line = from.LineAt(at)
	}
	return one, isReadable(strings.TrimRight(reduced.Words(from.Format), ":："))
}

// sentenceAt returns the index of the first sentence that ends behind an offset, or -1.
func (page *page) sentenceAt(offset int) int {
	for i, s := range page.spans {
		if offset < s.End {
			return i
		}
	}
	return -1
}

// brought returns the sentences that a sentence announces: the code behind it, or the list if all of it
// fits. They are shown in its place, with it as their lead.
func (page *page) brought(order int) (first, last int, ok bool) {
	p := page.shown
	own := page.spans[order]
	block := p.BlockAt(own.Start)
	next := order + 1
	if block < 0 || next >= len(page.spans) || p.BlockAt(page.spans[next].Start) == block {
		return 0, 0, false
	}
	switch kind := p.Blocks()[block].Kind; kind {
	case passage.Paragraph, passage.Item, passage.Admonition:
	default:
		return 0, 0, false
	}
	shown := p.Span(own)
	if end := strings.TrimRight(shown, `"'”’)]`); !announces(shown) && strings.ContainsAny(end[max(0, len(end)-3):], ".!?。！？；…") {
		return 0, 0, false
	}
	words := countWords(shown)
	last = order
	for i := next; i < len(page.spans); i++ {
		at := p.BlockAt(page.spans[i].Start)
		if at < 0 || !page.descends(at, block) {
			break
		}
		kind := p.Blocks()[at].Kind
		if kind == passage.Code {
			return i, i, i == next && StandsAlone(p, page.spans[i])
		}
		words += countWords(p.Span(page.spans[i]))
		if kind != passage.Item && kind != passage.Paragraph || words > maxWords || !isReadable(p.Span(page.spans[i])) {
			return 0, 0, false
		}
		last = i
	}
	// The list may go on in the next passage.
	if last == len(page.spans)-1 && countWords(p.Passage().Text) > fullPassage {
		return 0, 0, false
	}
	return next, last, last > order && announces(shown)
}

// fullPassage is the length in words from which on a passage may have been cut from the text after it.
const fullPassage = 200

// descends reports whether a block is introduced by another one of the passage, directly or not.
func (page *page) descends(block, from int) bool {
	blocks, outside := page.shown.Blocks(), len(page.shown.Passage().Leads)
	for block > from {
		up := blocks[block].Lead - 1 - outside
		if up == from {
			return true
		}
		if up < 0 || up >= block {
			return false
		}
		block = up
	}
	return false
}
