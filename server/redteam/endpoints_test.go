package redteam_test

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// TestEndpoints has the endpoint reply to everything as each of the cases says. The thief gets nothing, the key
// appears nowhere, and the question is answered or the user is told why not.
func TestEndpoints(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "endpoints.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			b := start(t, setup{script: llmtest.Obliging(), remote: i%2 == 0, before: "offline = false\n"})
			b.model.Script(llmtest.Always(reply(t, strings.ReplaceAll(b.filled(string(f.Data)), "{{key}}", apiKey))))
			b.answer()
			if len(b.model.Calls()) == 0 {
				t.Error("the model was not asked")
			}
			if b.editor.Text(b.uri) == b.before && len(b.editor.Messages()) == 0 {
				t.Error("the user was told nothing")
			}
			b.checkSent()
			b.checkNote()
			b.checkSeen()
			b.checkTerminal("misknow/merged")
			b.end()
		})
	}
}

// reply reads a case.
func reply(t *testing.T, text string) llmtest.Reply {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	status, err := strconv.Atoi(lines[0])
	if err != nil {
		t.Fatal(err)
	}
	r := llmtest.Reply{Status: status, Header: http.Header{}, Body: body}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if r.Header.Add(name, value); name == "Content-Type" {
			r.ContentType = value
		}
	}
	return r
}
