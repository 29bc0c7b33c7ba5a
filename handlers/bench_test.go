package handlers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
)

// BenchmarkLongNote asks for what an editor asks for while typing, in a note of 10,000 lines with
// 2,000 questions that all have a gap.
func BenchmarkLongNote(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "Some words about the visit of today.\n\nMore of them, and äöü.\n\n- What is the dose of medicine %d?\n", i)
	}
	s := Snapshot{
		URI: "file:///note.md", Note: note.Parse(text.String(), note.Markdown), Library: &knowledge.Library{}, Settings: settings.Default(),
		Client: Client{Encoding: position.UTF16, CodeActionLiterals: true, HoverMarkdown: true},
		Finding: func(note.Question) (answer.Result, bool) {
			return answer.Result{State: answer.Nothing, Gaps: []gap.Gap{{ID: gap.IDOf(gap.MissingTopic, ""), Code: gap.MissingTopic, Text: "Nothing on it", Query: "it", Probability: .8}}}, true
		},
	}
	ctx := context.Background()
	at := protocol.Position{Line: 9000, Character: 3}
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("code actions", func() error {
		_, err := CodeActions(ctx, s, &lsp.CodeActionParams{Range: protocol.Range{Start: at, End: at}})
		return err
	})
	run("hover", func() error { _, err := Hover(ctx, s, at); return err })
	run("lens", func() error { _, err := CodeLens(ctx, s); return err })
	run("diagnostics", func() error { Diagnostics(s); return nil })
}
