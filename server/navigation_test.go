package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/server/editortest"
)

// TestResultsComeInParts asks for more symbols than fit into one part.
func TestResultsComeInParts(t *testing.T) {
	e, _ := serve(t, new(asked).workspace(), editortest.Rich())
	e.Start("/notes")
	const notes, questions = 3, 90
	for n := range notes {
		var text strings.Builder
		for q := range questions {
			fmt.Fprintf(&text, "- What is in %d-%d?\n", n, q)
		}
		e.Open(protocol.DocumentURI(fmt.Sprintf("file:///notes/%d.md", n)), "markdown", text.String())
	}
	var whole, left []protocol.SymbolInformation
	e.MustCall("workspace/symbol", map[string]any{"query": "what"}, &whole)
	if len(whole) != notes*questions || len(e.Parts()) != 0 {
		t.Fatalf("without a token: %d symbols and %d parts", len(whole), len(e.Parts()))
	}
	e.MustCall("workspace/symbol", map[string]any{"query": "what", "partialResultToken": "by and by"}, &left)
	if left == nil || len(left) != 0 {
		t.Errorf("the reply still holds %d symbols", len(left))
	}
	var names []string
	for _, part := range e.Parts() {
		var symbols []protocol.SymbolInformation
		if err := json.Unmarshal(part.Value, &symbols); err != nil || part.Token != `"by and by"` {
			t.Fatalf("part under %s: %v", part.Token, err)
		}
		for _, symbol := range symbols {
			names = append(names, symbol.Name)
		}
	}
	if len(e.Parts()) < 2 || len(names) != len(whole) || names[len(names)-1] != whole[len(whole)-1].Name {
		t.Errorf("%d parts with %d symbols", len(e.Parts()), len(names))
	}
	e.MustCall("workspace/symbol", map[string]any{"query": "no such words", "partialResultToken": 7}, &left)
	if left == nil || len(left) != 0 {
		t.Errorf("nothing found is answered with %v", left)
	}
}
