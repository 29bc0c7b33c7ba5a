package handlers

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
	"lacuna/vecmath/regular"
)

// maxTarget is the size in bytes up to which a source is read to find a sentence in it. In a larger one,
// Definition leads to the line.
const maxTarget = 32 << 20

// Definition leads from a citation to the quoted sentence in its source: to its exact range in a document,
// to the line of the record in JSON Lines and CSV. It returns nil if there is nothing to go to, a slice of
// LocationLink for a client that takes these, else a slice of Location.
func Definition(ctx context.Context, s Snapshot, at protocol.Position) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.outside(at) {
		return nil, nil
	}
	citation, quote, origin, ok := s.Note.CitationAt(s.offsetOf(at))
	if !ok {
		return nil, nil
	}
	target, whole, ok := s.target(s.locate(citation, quote))
	if !ok {
		return nil, nil
	}
	if !s.Client.LocationLinks {
		return []protocol.Location{target}, nil
	}
	from := s.rangeOf(origin)
	return []protocol.LocationLink{{
		OriginSelectionRange: &from, TargetURI: target.URI, TargetRange: whole, TargetSelectionRange: target.Range,
	}}, nil
}

// target returns where the cited sentence is on disk now, and the range of the passage around it. An
// editor cannot show a place in a compressed file.
func (s Snapshot) target(c citedPlace) (target protocol.Location, whole protocol.Range, ok bool) {
	file, line := c.file, c.Line
	if c.passage != nil {
		file, line = c.passage.Place.File, c.place().Line
	}
	if isCompressed(file) || !s.mayLinkTo(c, file) {
		return target, whole, false
	}
	if passage.UnitOf(file) != passage.Lines {
		line = 1 // an editor that shows it has no lines, and one that has lines shows no pages
	}
	target = lineLocation(file, line)
	if c.passage != nil && c.passage.Place.Field != "" {
		return target, target.Range, true
	}
	text, err := readTarget(file)
	if errors.Is(err, fs.ErrNotExist) && c.passage != nil {
		if text, err = c.textAtNewPath(); err == nil {
			target.URI = lsp.URI(c.file)
		}
	}
	if err != nil {
		return target, target.Range, c.passage != nil
	}
	lines := position.NewLines(text)
	sentence, around := c.sentenceIn(text, lines)
	target.Range = SpanRange(lines, sentence, s.Client.Encoding)
	return target, SpanRange(lines, around, s.Client.Encoding), true
}

// textAtNewPath returns the text of the file that the note names, if it has the passage's words where the
// passage was: a note follows a rename immediately, the index a little later.
func (c citedPlace) textAtNewPath() (string, error) {
	text, err := readTarget(c.file)
	if err != nil {
		return "", err
	}
	if place := c.passage.Place.Span; place.End > len(text) || text[place.Start:place.End] != c.passage.Text {
		return "", fs.ErrNotExist
	}
	return text, nil
}

// isCompressed reports whether an editor could not show the file.
func isCompressed(file string) bool { return strings.HasSuffix(strings.ToLower(file), ".gz") }

// mayLinkTo reports whether a citation may lead to a file. A citation written by hand may lead only into
// the sources.
func (s Snapshot) mayLinkTo(c citedPlace, file string) bool {
	return c.passage != nil || s.isSource(file)
}

// sentenceIn finds the sentence, and the passage around it, in the current text of its file. If the file
// has changed, it looks for the words, and failing that for the line.
func (c citedPlace) sentenceIn(text string, lines *position.Lines) (sentence, around passage.Span) {
	if c.passage != nil {
		place := c.place().Span
		if place.End <= len(text) && text[place.Start:place.End] == c.passage.Text[c.span.Start:c.span.End] {
			around = c.passage.Place.Span
			if around.End > len(text) {
				around = place
			}
			return place, around
		}
	}
	if span, holds := findQuote(text, c.quote); holds && c.quote != "" {
		return span, span
	}
	line := c.Line
	if c.passage != nil {
		line = c.place().Line
	}
	start, end := lines.Span(min(max(line, 1), lines.Count()) - 1)
	return passage.Span{Start: start, End: start}, passage.Span{Start: start, End: end}
}

// readTarget reads a file of a source, unless it is too large to be worth it.
func readTarget(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxTarget {
		return "", os.ErrInvalid
	}
	text, err := regular.ReadFile(file)
	return string(text), err
}

// Page is a note of the workspace, open or on disk.
type Page struct {
	URI  protocol.DocumentURI // of an open note exactly as the client wrote it
	Path string               // of the file; empty for a document without one
	Note *note.Note
}

// References leads from a citation, or from a passage of a source, to every citation of that passage in the
// pages; and from a question to the sources of its answer. With declaration, the passage or the question
// comes first. The places are the marks behind statements, and the listed source only if it has no mark,
// in the order of the pages. References asks for pages only if there is something to look for, and stops
// when ctx ends. If part is not nil, it is called with results as they are found, and only the rest is
// returned.
func References(ctx context.Context, s Snapshot, at protocol.Position, declaration bool, pages iter.Seq[Page], part func([]protocol.Location)) ([]protocol.Location, error) {
	if err := ctx.Err(); err != nil || s.outside(at) {
		return nil, err
	}
	wanted, declared := s.passagesAt(s.offsetOf(at))
	locations := []protocol.Location{}
	if declaration {
		locations = append(locations, declared...)
	}
	if wanted.isEmpty() {
		return append(locations, s.sourcesAt(s.offsetOf(at), declaration)...), nil
	}
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, span := range s.findCitations(page, wanted) {
			locations = append(locations, protocol.Location{
				URI: page.URI, Range: SpanRange(page.Note.Lines, span, s.Client.Encoding),
			})
		}
		locations = flush(locations, part)
	}
	return locations, nil
}

// citedPassages holds the passages whose citations to look for.
type citedPassages struct {
	passages []*passage.Passage // that the library holds
	lost     []passage.ID       // of passages that it does not hold
}

func (w citedPassages) isEmpty() bool { return len(w.passages)+len(w.lost) == 0 }

// passagesAt returns the passages that are cited, or located, at an offset of the document, and their
// places in the sources.
func (s Snapshot) passagesAt(offset int) (citedPassages, []protocol.Location) {
	if citation, quote, _, ok := s.Note.CitationAt(offset); ok {
		found := s.locate(citation, quote)
		passages := s.passagesOf(found)
		if target, _, ok := s.target(found); ok {
			return passages, []protocol.Location{target}
		}
		return passages, nil
	}
	if !s.isSource(s.Path) {
		return citedPassages{}, nil
	}
	passages := citedPassages{}
	var declared []protocol.Location
	for _, p := range s.Library.Passages() {
		if place := p.Place; lsp.SamePath(place.File, s.Path) && s.isAt(p, offset) {
			passages.passages = append(passages.passages, p)
			declared = append(declared, lineLocation(place.File, place.Line))
		}
	}
	return passages, declared
}

// passagesOf returns the passage that a citation means, for looking for other citations of it.
func (s Snapshot) passagesOf(c citedPlace) citedPassages {
	switch {
	case c.passage != nil:
		return citedPassages{passages: []*passage.Passage{c.passage}}
	case c.Passage != (passage.ID{}):
		return citedPassages{lost: []passage.ID{c.Passage}}
	}
	return citedPassages{}
}

// isAt reports whether a passage is at an offset of its file: in its text or, for the field of a record, on
// its lines.
func (s Snapshot) isAt(p *passage.Passage, offset int) bool {
	place := p.Place
	if place.Field != "" {
		line := s.Note.Lines.LineAt(offset) + 1
		return passage.UnitOf(place.File) == passage.Lines && place.Line <= line && line <= p.LineAt(len(p.Text))
	}
	return place.Span.Start <= offset && offset < place.Span.End
}

// sourcesAt returns the sources that the answer of the question at an offset lists.
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

// findCitations returns the places that cite the passages in a page: the marks, and what lists the source only if it
// has no mark.
func (s Snapshot) findCitations(page Page, passages citedPassages) []passage.Span {
	there := s
	there.Path, there.Note = page.Path, page.Note
	return there.citing(page.Note, passages, false)
}

// citing returns the places of a note that cite the passages, in order; with listings, also what lists a source that
// has marks.
func (s Snapshot) citing(n *note.Note, passages citedPassages, listings bool) []passage.Span {
	var spans []passage.Span
	for _, block := range n.Answers {
		var cited []int // the numbers
		for _, listed := range block.Citations {
			if !s.cites(listed, quoteOf(block, listed), passages) {
				continue
			}
			marked := slices.ContainsFunc(block.Marks, func(m note.Mark) bool { return m.N == listed.N })
			if marked && !(listings && listed.Linked) { // the mark of a link is a part of it
				cited = append(cited, listed.N)
			}
			switch {
			case listings:
				spans = append(spans, s.linkSpan(listed))
			case !marked:
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

// DocumentHighlight returns every place of the note that cites what is cited at a position: the marks behind
// statements, the lines that list the source, and the links of lean answers. It returns nil elsewhere, so that the
// editor looks for the word itself.
func DocumentHighlight(ctx context.Context, s Snapshot, at protocol.Position) ([]protocol.DocumentHighlight, error) {
	if err := ctx.Err(); err != nil || s.outside(at) {
		return nil, err
	}
	citation, quote, _, ok := s.Note.CitationAt(s.offsetOf(at))
	if !ok {
		return nil, nil
	}
	var highlights []protocol.DocumentHighlight
	for _, span := range s.citing(s.Note, s.passagesOf(s.locate(citation, quote)), true) {
		highlights = append(highlights, protocol.DocumentHighlight{Range: s.rangeOf(span), Kind: protocol.DocumentHighlightKindRead})
	}
	return highlights, nil
}

// cites reports whether a listing means one of the passages, as [Snapshot.locate] finds it.
func (s Snapshot) cites(listed note.Citation, quote string, passages citedPassages) bool {
	if slices.Contains(passages.lost, listed.Passage) {
		return true
	}
	if listed.Passage == (passage.ID{}) {
		return slices.Contains(passages.passages, s.findCited(listed, quote).passage)
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

// partSize is the number of results in one partial result.
const partSize = 100

// flush passes results to part, if it is not nil and they are enough, and returns the rest.
func flush[T any](results []T, part func([]T)) []T {
	if part == nil || len(results) < partSize {
		return results
	}
	part(results)
	return []T{}
}

// DocumentLinks returns the sources listed in answers, each as a link to the line of its file where the
// cited words were read, without files outside of the sources and files that editors cannot show. It
// reads no files, so nothing needs to be resolved later. The result is never nil.
func DocumentLinks(ctx context.Context, s Snapshot) ([]protocol.DocumentLink, error) {
	links := []protocol.DocumentLink{}
	for _, block := range s.Note.Answers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, listed := range block.Citations {
			if link, ok := s.documentLink(listed, quoteOf(block, listed)); ok {
				links = append(links, link)
			}
		}
	}
	return links, nil
}

func (s Snapshot) documentLink(listed note.Citation, quote string) (protocol.DocumentLink, bool) {
	c := s.locate(listed, quote)
	file, line := c.file, c.Line
	if c.passage != nil {
		file, line = c.passage.Place.File, c.place().Line
	}
	if !s.mayLinkTo(c, file) || isCompressed(file) {
		return protocol.DocumentLink{}, false
	}
	link := protocol.DocumentLink{Range: s.rangeOf(s.linkSpan(listed)), Target: lsp.URI(file)}
	switch {
	case line > 0:
		link.Target += protocol.DocumentURI(note.Fragment(file, line))
	}
	if s.Client.LinkTooltips {
		link.Tooltip = s.linkTooltip(c)
	}
	return link, true
}

// linkTooltip says what the link leads to, or what became of it.
func (s Snapshot) linkTooltip(c citedPlace) string {
	switch {
	case c.passage == nil:
		return s.whyGone(c)
	case c.altered:
		return messages.QuoteGone
	case c.elsewhere:
		return sanitise.Visible(messages.CitedElsewhere(c.Path))
	}
	return sanitise.Visible(messages.Breadcrumb(c.passage))
}

// linkSpan returns the span of a listed source without its number, its identity, which is for Lacuna, and
// the cited words.
func (s Snapshot) linkSpan(listed note.Citation) passage.Span {
	if listed.Linked {
		return listed.Span
	}
	text := s.Note.Text[listed.Span.Start:listed.Span.End]
	if at := strings.LastIndex(text, listed.Passage.String()); at >= 0 {
		text = text[:at]
	}
	if at := strings.LastIndex(text, "lacuna"); at >= 0 && listed.Passage != (passage.ID{}) {
		text = strings.TrimRight(text[:at], " <!-(#%;@.")
	}
	if at := strings.Index(text, `: "`); at >= 0 && listed.Quote != "" {
		text = text[:at]
	}
	_, shown, _ := strings.Cut(text, " ")
	end := listed.Span.Start + len(text)
	return passage.Span{Start: end - len(shown), End: end}
}
