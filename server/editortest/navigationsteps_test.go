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
