package handlers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
)

// modelAnswer is a note with every kind of statement.
const modelAnswer = `- Is it safe?

  <!-- lacuna:answer 1 -->
  **Answered by m from 1 source, and with background of its own**

  - "Über 😀 is safe." [1]
  - It is safe. [1] [1]
  - It leaves by the kidneys. (background from the model, not from your sources)
  - Many check it. (not found in your sources)
  - And more

  1. [kb/x.md:1](kb/x.md#L1): "It is safe" <!-- lacuna:cite 00000000000000000000000000000000 -->
  <!-- lacuna:end -->
`

// tokenText shows tokens as an editor decodes them.
func tokenText(t *testing.T, n *note.Note, data []uint32, e position.Encoding) []string {
	t.Helper()
	legend := TokenLegend()
	shown := []string{}
	var line, column uint32
	for five := range slices.Chunk(data, 5) {
		if five[0] > 0 {
			column = 0
		}
		line, column = line+five[0], column+five[1]
		start := n.Lines.Offset(position.Position{Line: line, Column: column}, e)
		end := n.Lines.Offset(position.Position{Line: line, Column: column + five[2]}, e)
		kind := legend.TokenTypes[five[3]]
		for bit, modifier := range legend.TokenModifiers {
			if five[4]&(1<<bit) != 0 {
				kind += "." + modifier
			}
		}
		shown = append(shown, kind+" "+n.Text[start:end])
	}
	return shown
}

func TestSemanticTokens(t *testing.T) {
	s := Snapshot{Note: note.Parse(modelAnswer, note.Markdown)}
	want := []string{
		`lacunaCited.verbatim Über 😀 is safe.`, `lacunaCitation [1]`,
		`lacunaCited It is safe.`, `lacunaCitation [1]`, `lacunaCitation [1]`,
		`lacunaUncited.background It leaves by the kidneys.`, `lacunaUncited.unsupported Many check it.`, `lacunaUncited And more`,
	}
	for _, e := range []position.Encoding{position.UTF8, position.UTF16, position.UTF32} {
		s.Client.Encoding = e
		data, err := SemanticTokens(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := tokenText(t, s.Note, data, e)
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], `"`, "")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", e, got, want)
		}
		part, err := SemanticTokens(t.Context(), s, &protocol.Range{Start: protocol.Position{Line: 6}, End: protocol.Position{Line: 7}})
		if err != nil {
			t.Fatal(err)
		}
		if got := tokenText(t, s.Note, part, e); !slices.Equal(got, want[2:5]) {
			t.Errorf("%s: of one line: %q", e, got)
		}
	}
}

func TestSemanticTokensOfANoteWithoutAnswers(t *testing.T) {
	data, err := SemanticTokens(t.Context(), Snapshot{Note: note.Parse("Is it safe?\n", note.Markdown)}, nil)
	if err != nil || data == nil || len(data) != 0 {
		t.Errorf("tokens %v, %v", data, err)
	}
}

// TestTokenDeltas makes random results of one another by the edits.
func TestTokenDeltas(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func() []uint32 {
		list := make([]uint32, random.IntN(12))
		for i := range list {
			list[i] = uint32(random.IntN(3))
		}
		return list
	}
	for range 2000 {
		before, after := numbers(), numbers()
		delta := lsp.DeltaOf(before, after, "2")
		got := before
		for _, edit := range delta.Edits {
			got = slices.Concat(got[:edit.Start], edit.Data, got[edit.Start+edit.DeleteCount:])
		}
		if !slices.Equal(got, after) || slices.Equal(before, after) != (len(delta.Edits) == 0) {
			t.Fatalf("from %v to %v by %+v: %v", before, after, delta.Edits, got)
		}
	}
}

func TestInlayHints(t *testing.T) {
	d := answeredEditor(t)
	all := protocol.Range{End: protocol.Position{Line: 1000}}
	hints := func() string {
		found, err := InlayHints(t.Context(), d.now, all)
		if err != nil || found == nil {
			t.Fatalf("%v, %v", found, err)
		}
		var lines []string
		for _, h := range found {
			lines = append(lines, fmt.Sprintf("%d:%d %s", h.Position.Line+1, h.Position.Character+1, h.Label))
		}
		return strings.Join(lines, "\n")
	}
	if got := hints(); got != "" {
		t.Errorf("hints although nobody has turned them on: %s", got)
	}
	d.now.Settings.Hints.Enabled = true
	want := "3:38 covered 100 % · 1 of 1 sentence cited\n12:30 covered 19 % · 2 nearest places · 1 gap"
	if got := hints(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	all.End.Line = 5
	if got := hints(); strings.Contains(got, "\n") || !strings.HasPrefix(got, "3:") {
		t.Errorf("of the first lines: %s", got)
	}
}
