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
