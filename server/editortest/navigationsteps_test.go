package editortest_test

import (
	"fmt"
	"os"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
)

// references prints what cites what stands at a place, each with its line.
func (s *scenario) references(file, place string) string {
	params := about(s.uri(file))
	params["position"] = s.find(file, place).Start
	params["context"] = map[string]any{"includeDeclaration": true}
	var places []protocol.Location
	s.editor.MustCall("textDocument/references", params, &places)
	var b strings.Builder
	for _, at := range places {
		fmt.Fprintf(&b, "%s %s %s\n", s.tidy(string(at.URI)), placed(at.Range), s.line(at))
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// line is the line of a document, open or on disk, on which a place begins.
func (s *scenario) line(at protocol.Location) string {
	text, open := s.editor.Buffers()[at.URI]
	if !open {
		path, _ := lsp.Path(at.URI)
		data, err := os.ReadFile(path)
		if err != nil {
			s.t.Fatal(err)
		}
		text = string(data)
	}
	lines := position.NewLines(text)
	start, end := lines.Span(int(at.Range.Start.Line))
	return strings.TrimSpace(text[start:end])
}

// links prints the links of a buffer.
func (s *scenario) links(file string) string {
	var links []protocol.DocumentLink
	s.editor.MustCall("textDocument/documentLink", about(s.uri(file)), &links)
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "%s %s (%s)\n", placed(l.Range), s.tidy(string(l.Target)), l.Tooltip)
	}
	return b.String()
}

// outline prints the symbols of a buffer, those inside others indented.
func (s *scenario) outline(file string) string {
	var symbols []protocol.DocumentSymbol
	s.editor.MustCall("textDocument/documentSymbol", about(s.uri(file)), &symbols)
	var b strings.Builder
	outlined(&b, symbols, "")
	return b.String()
}

func outlined(b *strings.Builder, symbols []protocol.DocumentSymbol, indent string) {
	for _, symbol := range symbols {
		line := fmt.Sprintf("%s %s %s", placed(symbol.Range), symbol.Name, symbol.Detail)
		fmt.Fprintln(b, indent+strings.TrimSpace(line))
		outlined(b, symbol.Children, indent+"  ")
	}
}

// questions prints the symbols of the workspace.
func (s *scenario) questions(query string) string {
	var symbols []protocol.SymbolInformation
	s.editor.MustCall("workspace/symbol", map[string]any{"query": query}, &symbols)
	var b strings.Builder
	for _, symbol := range symbols {
		fmt.Fprintf(&b, "%s %s %s\n", s.tidy(string(symbol.Location.URI)), placed(symbol.Location.Range), symbol.Name)
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// folds prints what of a buffer can be folded, with the lines that stay.
func (s *scenario) folds(file string) string {
	var folds []protocol.FoldingRange
	s.editor.MustCall("textDocument/foldingRange", about(s.uri(file)), &folds)
	var b strings.Builder
	for _, f := range folds {
		at := protocol.Location{URI: s.uri(file), Range: protocol.Range{Start: protocol.Position{Line: f.StartLine}}}
		fmt.Fprintf(&b, "%d-%d %s\n", f.StartLine+1, f.EndLine+1, s.line(at))
	}
	return b.String()
}

// highlight prints the places that an editor marks while the cursor is at a place.
func (s *scenario) highlight(file, place string) string {
	params := about(s.uri(file))
	params["position"] = s.find(file, place).Start
	var marks []protocol.DocumentHighlight
	s.editor.MustCall("textDocument/documentHighlight", params, &marks)
	var b strings.Builder
	for _, m := range marks {
		fmt.Fprintf(&b, "%s %q\n", placed(m.Range), s.within(file, m.Range))
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// expand prints what is selected from a place outwards.
func (s *scenario) expand(file, place string) string {
	params := about(s.uri(file))
	params["positions"] = []protocol.Position{s.find(file, place).Start}
	var ranges []*protocol.SelectionRange
	s.editor.MustCall("textDocument/selectionRange", params, &ranges)
	var b strings.Builder
	for r := ranges[0]; r != nil; r = r.Parent {
		text := strings.Join(strings.Fields(s.within(file, r.Range)), " ")
		if runes := []rune(text); len(runes) > 70 {
			text = string(runes[:40]) + " … " + string(runes[len(runes)-25:])
		}
		fmt.Fprintf(&b, "%s %s\n", placed(r.Range), text)
	}
	return b.String()
}

// within returns what a range of a buffer holds.
func (s *scenario) within(file string, r protocol.Range) string {
	text := s.editor.Text(s.uri(file))
	lines := position.NewLines(text)
	at := func(p protocol.Position) int {
		return lines.Offset(position.Position{Line: p.Line, Column: p.Character}, s.editor.Encoding())
	}
	return text[at(r.Start):at(r.End)]
}
