package handlers

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// maxTarget is how many bytes of a source are read to find a sentence in it. Beyond, definition
// leads to the line.
const maxTarget = 32 << 20

// Definition leads from a citation to the quoted sentence in its source: to its exact range in a
// document, to the line of the record in JSON Lines and CSV. It is nil where there is nothing to
// go to, a slice of LocationLink for a client that takes these, else of Location.
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

// target is where the cited sentence stands on disk now, and the range of the passage around it.
// A compressed file has no place an editor could show.
func (s Snapshot) target(c cited) (target protocol.Location, whole protocol.Range, ok bool) {
	file, line := c.file, c.Line
	if c.passage != nil {
		file, line = c.passage.Place.File, c.place().Line
	}
	if compressed(file) || !s.mayOpen(c, file) {
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
		if text, err = c.renamed(); err == nil {
			target.URI = lsp.URI(c.file)
		}
	}
	if err != nil {
		return target, target.Range, c.passage != nil
	}
	lines := position.NewLines(text)
	sentence, around := c.within(text, lines)
	target.Range = SpanRange(lines, sentence, s.Client.Encoding)
	return target, SpanRange(lines, around, s.Client.Encoding), true
}

// renamed returns the text of the file that the note names, if it holds the passage's very words where
// the passage stood: a note follows a rename at once, and the index a little later.
func (c cited) renamed() (string, error) {
	text, err := readTarget(c.file)
	if err != nil {
		return "", err
	}
	if place := c.passage.Place.Span; place.End > len(text) || text[place.Start:place.End] != c.passage.Text {
		return "", fs.ErrNotExist
	}
	return text, nil
}

// compressed reports whether no editor could show the file.
func compressed(file string) bool { return strings.HasSuffix(strings.ToLower(file), ".gz") }

// mayOpen keeps a citation that somebody wrote by hand from leading anywhere but into the sources.
func (s Snapshot) mayOpen(c cited, file string) bool { return c.passage != nil || s.reads(file) }

// within finds the sentence in the text its file has now, and the passage around it. Where the
// file has changed it looks for the words, and failing that for the line.
func (c cited) within(text string, lines *position.Lines) (sentence, around passage.Span) {
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
