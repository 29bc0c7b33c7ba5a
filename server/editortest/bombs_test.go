package editortest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/handlers/lsp"
	"lacuna/server"
	"lacuna/server/editortest"
	"lacuna/server/folders"
	"lacuna/server/workspace"
)

// TestAFolderOfBombsIsOpened opens a folder with files that cost far more than they look, under limits
// that are met soon. The session answers while they are read, what was read is searched, and each limit
// holds.
func TestAFolderOfBombsIsOpened(t *testing.T) {
	t.Setenv("LACUNA_CACHE_DIR", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text)) // to memory
		_ = z.Close()
		return b.String()
	}
	write("kb/aaa.md", "# Apixaban\n\nThe usual dose of apixaban is 5 mg twice a day.\n")
	write("kb/rows.jsonl.gz", packed(strings.Repeat(`{"text":"a"}`+"\n", 500_000)))
	write("kb/blank.jsonl.gz", packed(strings.Repeat("\n", 64<<20)))
	write("kb/pairs.md", strings.Repeat("# h\nQ: a\nA: b\n\n", 50_000))
	write("kb/page.html", strings.Repeat("<p>a", 500_000))
	write(".lacuna.toml", `
[limits]
passages = 400
unpacked = 16
[[source]]
path = "kb"
exclude = ["`+strings.Repeat("{a,aa}", 120)+`c.md"]
`)
	note := "What is the usual dose of apixaban?\n"
	write("note.md", note)

	ours, theirs := net.Pipe()
	gate := newGate()
	ended := make(chan int, 1)
	options := server.Options{Log: logTo(t), Open: func(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) {
		w, err := workspace.Open(ctx, workspace.Request{Root: folder, Editor: r.Editor, Consent: r.Consent})
		if err != nil {
			return nil, err
		}
		return gate.guard(w), nil
	}}
	go func() { ended <- server.Serve(context.Background(), ours, options) }()
	editor := editortest.Connect(t, theirs, editortest.Rich())
	editor.Start(folder)
	uri := lsp.URI(filepath.Join(folder, "note.md"))
	editor.Open(uri, "markdown", note)
	at := map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": 0, "character": 3}}
	var hover any
	editor.MustCall("textDocument/hover", at, &hover) // while the files are read
	gate.await(func() bool { return gate.refreshed > 0 })
	editor.MustCall("textDocument/hover", at, &hover)

	library := gate.newest.Library()
	if n := len(library.Passages()); n == 0 || n > 400 {
		t.Errorf("%d passages, want at most 400", n)
	}
	limited := 0
	for _, file := range library.Files() {
		if file.Limited() != "" {
			limited++
		}
	}
	if limited == 0 {
		t.Error("no limit was met")
	}
	found := false
	for _, p := range library.Passages() {
		found = found || strings.Contains(p.Text, "5 mg twice a day")
	}
	if !found {
		t.Error("the honest file is not searched")
	}
	editor.MustCall("shutdown", nil, nil)
	editor.Notify("exit", nil)
	<-ended
	editor.Close()
	gate.closed()
}
