package notes

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
)

// plainText is a document kept the obvious way, as lines that carry their own ends.
type plainText []string

func newPlainText(text string) plainText {
	var lines plainText
	line := ""
	for i := 0; i < len(text); i++ {
		line += text[i : i+1]
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			lines, line = append(lines, line), ""
		}
	}
	return append(lines, line)
}

// split returns what is before and after a place.
func (p plainText) split(at protocol.Position, e position.Encoding) (before, after string) {
	if int(at.Line) >= len(p) {
		return strings.Join(p, ""), ""
	}
	line := p[at.Line]
	end := strings.TrimRight(line, "\r\n")
	column, units := 0, 0
	for column < len(end) {
		r, size := utf8.DecodeRuneInString(end[column:])
		switch e {
		case position.UTF8:
			units += size
		case position.UTF16:
			units += len(utf16.Encode([]rune{r}))
		case position.UTF32:
			units++
		}
		if units > int(at.Character) {
			break
		}
		column += size
	}
	return strings.Join(p[:at.Line], "") + line[:column], line[column:] + strings.Join(p[at.Line+1:], "")
}

// plainChanges applies changes the obvious way.
func plainChanges(text string, changes []lsp.ContentChange, e position.Encoding) string {
	for _, change := range changes {
		if change.Range == nil {
			text = change.Text
			continue
		}
		lines := newPlainText(text)
		before, fromStart := lines.split(change.Range.Start, e)
		upToEnd, after := lines.split(change.Range.End, e)
		if len(upToEnd) < len(before) { // the range is upside down
			before, after = upToEnd, fromStart
		}
		text = before + change.Text + after
	}
	return text
}

var pieces = []string{"a", "what is it?\n", "é", "漢字", "𝄞", "\n", "\r\n", "\r", "- x\r\n", "e\u0301", "😀", " ", "\t"}

// randomChanges makes changes of which some positions miss the text.
func randomChanges(random *rand.Rand, count int) []lsp.ContentChange {
	place := func() protocol.Position {
		if random.IntN(20) == 0 {
			return protocol.Position{Line: random.Uint32(), Character: random.Uint32N(9)}
		}
		return protocol.Position{Line: random.Uint32N(6), Character: random.Uint32N(12)}
	}
	var changes []lsp.ContentChange
	for range count {
		change := lsp.ContentChange{Range: &protocol.Range{Start: place(), End: place()}}
		for range random.IntN(4) {
			change.Text += pieces[random.IntN(len(pieces))]
		}
		if random.IntN(30) == 0 {
			change.Range = nil
		}
		changes = append(changes, change)
	}
	return changes
}

func checkChanges(t *testing.T, text string, changes []lsp.ContentChange) {
	t.Helper()
	for _, e := range []position.Encoding{position.UTF8, position.UTF16, position.UTF32} {
		n := &note.Note{Text: text, Lines: position.NewLines(text)}
		got, want := ApplyChanges(n, changes, e), plainChanges(text, changes, e)
		if got != want {
			t.Fatalf("%s: changes %+v of %q gave %q, want %q", e, changes, text, got, want)
		}
	}
}

func TestRandomEditsAgainstPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		checkChanges(t, strings.Repeat(pieces[random.IntN(len(pieces))], 3)+"x\ny", randomChanges(random, 1+random.IntN(8)))
	}
}

func FuzzEdits(f *testing.F) {
	f.Add("a𝄞b\r\nc\rd\n", "x", uint32(0), uint32(2), uint32(1), uint32(9), uint64(3))
	f.Fuzz(func(t *testing.T, text, insert string, line, column, endLine, endColumn uint32, seed uint64) {
		changes := append([]lsp.ContentChange{{
			Range: &protocol.Range{
				Start: protocol.Position{Line: line, Character: column % 1e6},
				End:   protocol.Position{Line: endLine, Character: endColumn % 1e6},
			},
			Text: insert,
		}}, randomChanges(rand.New(rand.NewPCG(seed, 0)), 3)...)
		checkChanges(t, text, changes)
	})
}
