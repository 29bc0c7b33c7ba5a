package notes

import (
	"encoding/json"
	"os"
	"testing"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
)

// TestEditsOfReference reads the events that editors/test/edits.mjs writes, from standard input, and
// makes each of their changes as the server does. What comes out has to be, letter for letter, what
// the documents of VS Code's language servers made of it. editors/test/edits.sh runs it.
func TestEditsOfReference(t *testing.T) {
	if os.Getenv("LACUNA_EDITS") == "" {
		t.Skip("no events; editors/test/edits.sh runs this test with a million edits")
	}
	var text string
	done, encodings := 0, make(map[position.Encoding]int)
	for in, number := json.NewDecoder(os.Stdin), 1; ; number++ {
		var event struct {
			Encoding position.Encoding
			Open     *string
			Changes  []lsp.ContentChange
			Text     string
			Edits    int // only in the last line: how many there were
		}
		if err := in.Decode(&event); err != nil {
			t.Fatalf("event %d: %v", number, err)
		}
		if event.Edits > 0 {
			if done != event.Edits || len(encodings) != 3 {
				t.Errorf("%d edits of %d came, by encoding %v", done, event.Edits, encodings)
			}
			t.Logf("%d edits, the same text every time; by encoding %v", done, encodings)
			return
		}
		if event.Open != nil {
			text = *event.Open
		}
		n := &note.Note{Text: text, Lines: position.NewLines(text)}
		if got := ApplyChanges(n, event.Changes, event.Encoding); got != event.Text {
			changes, _ := json.Marshal(event.Changes) // they came as JSON
			t.Fatalf("event %d, %s: %s\nof   %q\ngave %q\nwant %q", number, event.Encoding, changes, text, got, event.Text)
		}
		text = event.Text
		done += len(event.Changes)
		encodings[event.Encoding] += len(event.Changes)
	}
}
