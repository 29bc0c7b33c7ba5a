package handlers

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// Kinds of symbols for questions and the headings above them; editors draw them differently.
const (
	headingKind  = protocol.SymbolKindString
	questionKind = protocol.SymbolKindEvent
)

// maxSymbol is the length in characters at which the name of a symbol is cut.
const maxSymbol = 200

// DocumentSymbols returns the questions of a note, each with its state, under their headings: a slice of
// DocumentSymbol for a client that takes these, else of SymbolInformation. It leaves out headings without
// questions, because editors have an outline of their own. The result is never nil.
func DocumentSymbols(ctx context.Context, s Snapshot) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	parts := s.outline()
	if !s.Client.SymbolTree {
		flat := []protocol.SymbolInformation{}
		s.flatten(parts, "", &flat)
		return flat, nil
	}
	return s.symbols(parts), nil
}

// symbolNode is a heading with what is under it, or a question.
type symbolNode struct {
	name, detail string
	kind         protocol.SymbolKind
	level        int          // of the heading; a question that is not a heading has level deepest
	span         passage.Span // of its own words
	end          int          // of everything that belongs to it
	children     []*symbolNode
}

// deepest is below every level of headings.
const deepest = 1 << 10

// outline puts the questions of the note under their headings.
func (s Snapshot) outline() []*symbolNode {
	root := &symbolNode{end: len(s.Note.Text)}
	above := []*symbolNode{root}
	add := func(p *symbolNode) {
		for len(above) > 1 && above[len(above)-1].level >= p.level {
			above[len(above)-1].closeAt(p.span.Start)
			above = above[:len(above)-1]
		}
		parent := above[len(above)-1]
		parent.children = append(parent.children, p)
		above = append(above, p)
	}
	headings := s.Note.Headings
	for _, q := range s.Note.Questions {
		for len(headings) > 0 && headings[0].Span.End < q.Span.Start {
			add(headingPart(headings[0], len(s.Note.Text)))
			headings = headings[1:]
		}
		p := s.questionPart(q)
		if len(headings) > 0 && headings[0].Span.Start <= q.Span.Start { // the heading asks it
			p.level, p.end = headings[0].Level, len(s.Note.Text)
			headings = headings[1:]
		}
		add(p)
	}
	for _, h := range headings { // they end the parts above them
		add(headingPart(h, len(s.Note.Text)))
	}
	return withQuestions(root.children)
}

func headingPart(h note.Heading, end int) *symbolNode {
	return &symbolNode{name: h.Text, kind: headingKind, level: h.Level, span: h.Span, end: end}
}

func (s Snapshot) questionPart(q note.Question) *symbolNode {
	p := &symbolNode{name: q.Text, detail: s.stateOf(q), kind: questionKind, level: deepest, span: q.Span, end: q.Span.End}
	if q.Answer >= 0 {
		p.end = s.Note.Answers[q.Answer].Span.End
	}
	return p
}

// closeAt ends what a node covers where the next one of its level begins.
func (p *symbolNode) closeAt(offset int) { p.end = max(min(p.end, offset), p.span.End) }

// withQuestions leaves out the headings without questions.
func withQuestions(parts []*symbolNode) []*symbolNode {
	var kept []*symbolNode
	for _, p := range parts {
		if p.children = withQuestions(p.children); p.kind == questionKind || len(p.children) > 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

// stateOf says whether a question is open, being answered or answered, and counts its gaps.
func (s Snapshot) stateOf(q note.Question) string {
	if _, answering := s.part(q); answering {
		return messages.StateAnswering
	}
	open := 0
	for _, g := range s.gaps(q) {
		if s.hasMark(q, g) && g.Status != gap.Generated {
			open++
		}
	}
	return messages.QuestionState(!s.Note.Open(q), open)
}

func (s Snapshot) symbols(parts []*symbolNode) []protocol.DocumentSymbol {
	symbols := []protocol.DocumentSymbol{}
	for _, p := range parts {
		symbols = append(symbols, protocol.DocumentSymbol{
			Name: symbolName(p.name), Detail: p.detail, Kind: p.kind,
			Range: s.rangeOf(passage.Span{Start: p.span.Start, End: p.end}), SelectionRange: s.rangeOf(p.span),
			Children: s.symbols(p.children),
		})
	}
	return symbols
}

func (s Snapshot) flatten(parts []*symbolNode, container string, into *[]protocol.SymbolInformation) {
	for _, p := range parts {
		*into = append(*into, protocol.SymbolInformation{
			Name: symbolName(p.name), Kind: p.kind, ContainerName: container,
			Location: protocol.Location{URI: s.URI, Range: s.rangeOf(passage.Span{Start: p.span.Start, End: p.end})},
		})
		s.flatten(p.children, symbolName(p.name), into)
	}
}

// symbolName returns the name of a symbol, which must not be empty, while a heading may be.
func symbolName(text string) string {
	if text = messages.Shorten(sanitise.Visible(text), maxSymbol); text != "" {
		return text
	}
	return "#"
}

// mostSymbols bounds the questions listed for a workspace.
const mostSymbols = 1000

// WorkspaceSymbols returns the questions of the pages that contain the letters of the query in order, as
// the protocol advises, because editors rank and filter the result. If part is not nil, it is called with
// results as they are found, and only the rest is returned. The result is never nil.
func WorkspaceSymbols(ctx context.Context, c Client, query string, pages iter.Seq[Page], part func([]protocol.SymbolInformation)) ([]protocol.SymbolInformation, error) {
	symbols := []protocol.SymbolInformation{}
	letters := foldedLetters(query)
	found := 0
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, q := range page.Note.Questions {
			if !hasInOrder(letters, q.Text) {
				continue
			}
			if found == mostSymbols {
				return symbols, nil
			}
			found++
			symbols = append(symbols, protocol.SymbolInformation{
				Name: symbolName(q.Text), Kind: questionKind, ContainerName: pageName(page),
				Location: protocol.Location{URI: page.URI, Range: SpanRange(page.Note.Lines, q.Span, c.Encoding)},
			})
		}
		symbols = flush(symbols, part)
	}
	return symbols, ctx.Err()
}

func pageName(p Page) string {
	if path, ok := lsp.Path(p.URI); ok {
		return sanitise.Visible(filepath.Base(path))
	}
	return sanitise.Visible(string(p.URI))
}

// foldedLetters returns the letters of a query in lower case, without white space.
func foldedLetters(query string) []rune {
	var letters []rune
	for _, r := range strings.ToLower(query) {
		if !unicode.IsSpace(r) {
			letters = append(letters, r)
		}
	}
	return letters
}

// hasInOrder reports whether a text has all the letters in that order.
func hasInOrder(letters []rune, text string) bool {
	for _, r := range text {
		if len(letters) == 0 {
			break
		}
		if unicode.ToLower(r) == letters[0] {
			letters = letters[1:]
		}
	}
	return len(letters) == 0
}

// SelectionRanges returns, for each position, what to select around it, each within the next: the word, the sentence or
// quote, the paragraph or item, the answer, the question with its answer, the sections and the note.
func SelectionRanges(ctx context.Context, s Snapshot, positions []protocol.Position) ([]*protocol.SelectionRange, error) {
	ranges := []*protocol.SelectionRange{}
	for _, at := range positions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var around *protocol.SelectionRange
		for _, span := range slices.Backward(s.Note.Around(s.offsetOf(at))) {
			around = &protocol.SelectionRange{Range: s.rangeOf(span), Parent: around}
		}
		ranges = append(ranges, around)
	}
	return ranges, nil
}

// FoldingRanges returns the answers of a note, each from its status line to its last line, so that a folded
// answer still shows its status. The result is never nil.
func FoldingRanges(ctx context.Context, s Snapshot) ([]protocol.FoldingRange, error) {
	folds := []protocol.FoldingRange{}
	for _, block := range s.Note.Answers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.Client.FoldLimit > 0 && len(folds) == s.Client.FoldLimit {
			break
		}
		span := s.rangeOf(block.Span)
		if status := span.Start.Line + 1; status < span.End.Line {
			folds = append(folds, protocol.FoldingRange{StartLine: status, EndLine: span.End.Line, Kind: protocol.RegionFoldingRange})
		}
	}
	return folds, nil
}
