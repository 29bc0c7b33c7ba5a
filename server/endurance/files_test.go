package endurance

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	notes "lacuna/handlers/note"
	"lacuna/server/editortest"
)

// pipes is a stream to a program.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// TestHundredThousandFiles opens a note next to 100,000 files that nobody has read yet. Within half a minute a question is answered,
// while the rest is read, also one that is asked for before anything has been read, and nothing is called missing that may still come. It takes minutes, and LACUNA_LONG=1.
func TestHundredThousandFiles(t *testing.T) {
	if os.Getenv("LACUNA_LONG") == "" {
		t.Skip("LACUNA_LONG is not set; this takes minutes")
	}
	f := newFolder(t, t.TempDir())
	if err := os.Rename(filepath.Join(f.path, "kb", "iron.md"), filepath.Join(f.path, "kb", "0-iron.md")); err != nil { // of the first to be read
		t.Fatal(err)
	}
	for i := range 100_000 {
		text := fmt.Sprintf("# Alloy %d\n", i)
		for j := range 12 {
			text += fmt.Sprintf("\nAlloy %d melts at %d degrees in furnace %d. It was first cast in %d by the foundry of valley %d, which sold %d tons.\n", i, 100+(i+j)%900, j, 1700+(i+j)%300, (i*j)%977, (i+j)%7919)
		}
		f.write(fmt.Sprintf("kb/%03d/%06d.md", 1+i/500, i), text)
	}
	f.write("kb/200/999999.md", "# Lozenges\n\nZinc lozenges are sucked at bedtime.\n") // of the last to be read
	note := "# Notes\n\n" + question + "- When are zinc lozenges sucked?\n\nHow are iron tablets taken?\n"
	f.write("note.md", note)

	program := f.command(t.Context(), nil, "serve")
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	e := editortest.Connect(t, pipes{out, in}, editortest.Options{})
	e.Start(f.path)
	uri := lsp.URI(filepath.Join(f.path, "note.md"))
	e.Open(uri, "markdown", note)
	hover := func(line uint32) string {
		var h protocol.Hover
		e.MustCall("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": line, "character": 8}}, &h)
		return fmt.Sprint(h)
	}
	asked := notes.Parse(note, notes.Markdown).Questions[2]
	e.MustCall("workspace/executeCommand", map[string]any{"command": "lacuna.answerQuestion", "arguments": []any{map[string]any{"v": 1, "uri": uri, "question": asked.ID}}}, nil)
	answer := strings.TrimPrefix(e.Text(uri), note)
	if took := time.Since(began); took > 30*time.Second || !strings.Contains(answer, sentence) || !strings.Contains(answer, "as the sources were still being read") {
		t.Errorf("after %v the answer is %s", took, answer)
	}
	t.Logf("what was asked for at once is answered after %v: %s", time.Since(began), answer)
	var first, all time.Duration
	for all == 0 && time.Since(began) < 20*time.Minute {
		time.Sleep(200 * time.Millisecond)
		iron, zinc := hover(2), hover(3)
		if first == 0 && strings.Contains(iron, sentence) {
			first = time.Since(began)
		}
		if strings.Contains(zinc, "gap") {
			t.Fatalf("after %v what has not been read yet is called missing: %s", time.Since(began), zinc)
		}
		if strings.Contains(zinc, "at bedtime") {
			all = time.Since(began)
		}
	}
	if all == 0 || first > 30*time.Second || first == all {
		t.Errorf("the first answer came after %v, the last after %v", first, all)
	}
	t.Logf("the first answer came after %v, the last after %v", first, all)
	e.MustCall("shutdown", nil, nil)
	e.Notify("exit", nil)
	if err := program.Wait(); err != nil {
		t.Error(err)
	}
}
