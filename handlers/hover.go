package handlers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"go.lsp.dev/protocol"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Hover explains what stands at a place: behind a citation the passage it cites, on a question
// what is known about it. Anywhere else it is nil. It searches for nothing; a citation's passage
// is compared with the file it is from.
func Hover(ctx context.Context, s Snapshot, at protocol.Position) (*protocol.Hover, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.outside(at) {
		return nil, nil
	}
	offset := s.offsetOf(at)
	if citation, quote, span, ok := s.Note.CitationAt(offset); ok {
		return s.hover(s.explainCitation(citation, quote), span), nil
	}
	if q, ok := s.Note.QuestionAt(offset); ok {
		span := q.Span
		if offset > span.End { // in its answer
			span = passage.Span{Start: offset, End: offset}
		}
		return s.hover(s.explainQuestion(q), span), nil
	}
	return nil, nil
}

func (s Snapshot) hover(p prose, span passage.Span) *protocol.Hover {
	p.small(textFooter)
	contents := protocol.MarkupContent{Kind: protocol.PlainText, Value: p.plain()}
	if s.Client.HoverMarkdown {
		contents = protocol.MarkupContent{Kind: protocol.Markdown, Value: p.markdown()}
	}
	shown := s.rangeOf(span)
	return &protocol.Hover{Contents: contents, Range: &shown}
}

// explainCitation shows the passage with the cited sentence set apart, where it is from, and
// whether it still stands there.
func (s Snapshot) explainCitation(citation note.Citation, quote string) prose {
	var p prose
	c := s.locate(citation, quote)
	if c.passage == nil {
		p.add(link(c.Path, c.Line))
		if quote != "" {
			p.add("“" + quote + "”")
		}
		p.add(s.whyLost(c))
		return p
	}
	from := c.passage
	p.add(breadcrumb(from))
	if c.quote == "" || c.altered {
		p.quoted(from.Text)
	} else {
		p.quoted(from.Text[:c.span.Start])
		p.strong(from.Text[c.span.Start:c.span.End])
		p.quoted(from.Text[c.span.End:])
	}
	where := label(from, c.place().Line) + ". "
	if from.Date != "" {
		where += answeredOn(from.Date) + " "
	}
	p.add(where + standing(c))
	return p
}

// standing says whether the cited words are still true to their source.
func standing(c cited) string {
	onDisk, err := ingest.Resolve(c.place())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return textFileGone
	case err != nil || onDisk != c.passage.Text[c.span.Start:c.span.End]:
		return textFileChanged
	case c.altered:
		return textQuoteGone
	case c.moved:
		return textMoved
	}
	return textStands
}

// whyLost says what became of a citation whose passage nobody holds any more.
func (s Snapshot) whyLost(c cited) string {
	switch {
	case len(s.Library.Passages()) == 0:
		return abilities(s.Library.Status())
	case s.reads(c.file):
		return staleCitation(c.Path)
	}
	return brokenCitation(c.Path)
}

// explainQuestion shows how far the sources answer a question: the sentences found, what is
// missing, and what was asked before.
func (s Snapshot) explainQuestion(q note.Question) prose {
	var p prose
	result, known := s.finding(q)
	switch {
	case !known && s.Note.Private:
		p.strong(textPrivate)
	case !known:
		p.strong(textNotYet)
	case result.State == answer.Nothing:
		p.strong(nothingFound(result))
	default:
		p.strong(answeredFrom(result))
	}
	p.statements(result)
	if result.Differ {
		p.add(textDiffer)
	}
	for _, g := range result.Gaps {
		p.item(gapText(g, s.dismissed(q, g.Code)))
		if result.State == answer.Nothing && len(g.Nearest) > 0 {
			p.item(nearestText(g.Nearest))
		}
	}
	for _, hit := range result.Related {
		p.item(askedBefore(hit.Passage.Question, hit.Passage.Date))
	}
	p.small(abilities(s.Library.Status()))
	return p
}

// link is a place as a note writes it.
func link(path string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", path, line)
	}
	return path
}

// statements lists what an answer quotes, each with the place it is from.
func (p *prose) statements(r answer.Result) {
	places := make(map[int]string)
	for _, c := range r.Citations {
		places[c.N] = label(c.Passage, c.Place().Line)
	}
	for _, s := range r.Statements {
		p.item(fmt.Sprintf("“%s” (%s)", oneLine(s.Text), places[s.Citations[0]]))
	}
}
