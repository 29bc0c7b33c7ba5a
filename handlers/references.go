package handlers

import (
	"context"
	"iter"
	"slices"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// Page is a note of the workspace, open or on disk.
type Page struct {
	URI  protocol.DocumentURI // of an open note exactly as the client wrote it
	Path string               // of the file; empty for a document without one
	Note *note.Note
}

// References leads to every place of the pages that cites what stands at a position: from a
// citation, or from a passage of a source, to the citations of that passage; from a question to the
// sources of its answer. With declaration the passage, or the question, comes first. Of what cites a
// passage, the marks behind statements are the places, and the listing only where it has no mark. The
// order is that of the pages. Pages are asked for only where there is something to look for, and a
// page after ctx has ended is not looked at. Where part is not nil it is called with what has been found
// by and by, and only the rest is returned.
func References(ctx context.Context, s Snapshot, at protocol.Position, declaration bool, pages iter.Seq[Page], part func([]protocol.Location)) ([]protocol.Location, error) {
	if err := ctx.Err(); err != nil || s.outside(at) {
		return nil, err
	}
	wanted, declared := s.wantedAt(s.offsetOf(at))
	locations := []protocol.Location{}
	if declaration {
		locations = append(locations, declared...)
	}
	if wanted.none() {
		return append(locations, s.sourcesAt(s.offsetOf(at), declaration)...), nil
	}
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, span := range s.citing(page, wanted) {
			locations = append(locations, protocol.Location{
				URI: page.URI, Range: SpanRange(page.Note.Lines, span, s.Client.Encoding),
			})
		}
		locations = passOn(locations, part)
	}
	return locations, nil
}

// wanted are passages whose citations are looked for.
type wanted struct {
	passages []*passage.Passage // that the library holds
	lost     []passage.ID       // of one that it does not
}

func (w wanted) none() bool { return len(w.passages)+len(w.lost) == 0 }

// wantedAt returns the passages that are cited, or that stand, at an offset of the document, and
// where they stand in their sources.
func (s Snapshot) wantedAt(offset int) (wanted, []protocol.Location) {
	if citation, quote, _, ok := s.Note.CitationAt(offset); ok {
		found := s.locate(citation, quote)
		passages := wanted{lost: []passage.ID{citation.Passage}}
		if found.passage != nil {
			passages = wanted{passages: []*passage.Passage{found.passage}}
		}
		if target, _, ok := s.target(found); ok {
			return passages, []protocol.Location{target}
		}
		return passages, nil
	}
	if !s.reads(s.Path) {
		return wanted{}, nil
	}
	passages := wanted{}
	var declared []protocol.Location
	for _, p := range s.Library.Passages() {
		if place := p.Place; lsp.SamePath(place.File, s.Path) && s.standsAt(p, offset) {
			passages.passages = append(passages.passages, p)
			declared = append(declared, lineLocation(place.File, place.Line))
		}
	}
	return passages, declared
}

// standsAt reports whether a passage stands at an offset of its file: in the text or, where that is not in
// the file as it is, on one of its lines.
func (s Snapshot) standsAt(p *passage.Passage, offset int) bool {
	place := p.Place
	if place.Field != "" {
		line := s.Note.Lines.LineAt(offset) + 1
		return passage.UnitOf(place.File) == passage.Lines && place.Line <= line && line <= p.LineAt(len(p.Text))
	}
	return place.Span.Start <= offset && offset < place.Span.End
}

// sourcesAt are the sources listed in the answer of the question at an offset.
func (s Snapshot) sourcesAt(offset int, declaration bool) []protocol.Location {
	q, ok := s.Note.QuestionAt(offset)
	if !ok {
		return nil
	}
	var spans []passage.Span
	if declaration {
		spans = append(spans, q.Span)
	}
	if q.Answer >= 0 {
		for _, listed := range s.Note.Answers[q.Answer].Citations {
			spans = append(spans, listed.Span)
		}
	}
	var locations []protocol.Location
	for _, span := range spans {
		locations = append(locations, protocol.Location{URI: s.URI, Range: s.rangeOf(span)})
	}
	return locations
}

// citing finds what cites the passages in a page.
func (s Snapshot) citing(page Page, passages wanted) []passage.Span {
	var spans []passage.Span
	there := s
	there.Path, there.Note = page.Path, page.Note
	for _, block := range page.Note.Answers {
		var cited []int // the numbers
		for _, listed := range block.Citations {
			if !there.cites(listed, quoteOf(block, listed), passages) {
				continue
			}
			if slices.ContainsFunc(block.Marks, func(m note.Mark) bool { return m.N == listed.N }) {
				cited = append(cited, listed.N)
			} else {
				spans = append(spans, listed.Span)
			}
		}
		for _, mark := range block.Marks {
			if slices.Contains(cited, mark.N) {
				spans = append(spans, mark.Span)
			}
		}
	}
	slices.SortFunc(spans, func(a, b passage.Span) int { return a.Start - b.Start })
	return spans
}

// cites reports whether a listing means one of the passages, as [Snapshot.locate] finds it.
func (s Snapshot) cites(listed note.Citation, quote string, passages wanted) bool {
	if slices.Contains(passages.lost, listed.Passage) {
		return true
	}
	file := fileOf(s.Path, listed.Path)
	p, how := s.Library.Resolve(listed.Passage, near(file, listed.Line))
	if how >= knowledge.Retitled {
		return slices.Contains(passages.passages, p)
	}
	for _, p := range passages.passages {
		if !lsp.SamePath(p.Place.File, file) {
			continue
		}
		if _, holds := findQuote(p.Text, quote); holds && quote != "" {
			return true
		}
	}
	return how == knowledge.Elsewhere && slices.Contains(passages.passages, p)
}

// partSize is how many results are passed on at once.
const partSize = 100

// passOn passes results on, if there is where to and they are enough, and returns those that are left.
func passOn[T any](results []T, part func([]T)) []T {
	if part == nil || len(results) < partSize {
		return results
	}
	part(results)
	return []T{}
}
