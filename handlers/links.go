package handlers

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/passage"
)

// DocumentLinks are the sources listed in answers, each a link to the line of its file where the
// cited words were read. What is no part of the sources, and what no editor can show, is no link. It
// reads no files, so that nothing is left to be resolved later. The result is never nil.
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
	if !s.mayOpen(c, file) || compressed(file) {
		return protocol.DocumentLink{}, false
	}
	link := protocol.DocumentLink{Range: s.rangeOf(s.shownPart(listed)), Target: lsp.URI(file)}
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
func (s Snapshot) linkTooltip(c cited) string {
	switch {
	case c.passage == nil:
		return s.whyLost(c)
	case c.altered:
		return messages.QuoteGone
	case c.other:
		return messages.Visible(messages.CitedElsewhere(c.Path))
	}
	return messages.Visible(messages.Breadcrumb(c.passage))
}

// shownPart is the listing without its number, without the identity, which is written for Lacuna, and
// without the words that are cited.
func (s Snapshot) shownPart(listed note.Citation) passage.Span {
	text := s.Note.Text[listed.Span.Start:listed.Span.End]
	if at := strings.LastIndex(text, listed.Passage.String()); at >= 0 {
		text = text[:at]
	}
	if at := strings.LastIndex(text, "lacuna"); at >= 0 {
		text = strings.TrimRight(text[:at], " <!-(#%;@.")
	}
	if at := strings.Index(text, `: "`); at >= 0 && listed.Quote != "" {
		text = text[:at]
	}
	_, shown, _ := strings.Cut(text, " ")
	end := listed.Span.Start + len(text)
	return passage.Span{Start: end - len(shown), End: end}
}
