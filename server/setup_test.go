package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/handlers/lsp"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/server/editortest"
)

// TestSourcesAreSetUp names folders to a workspace. Its own settings file takes what lies inside; outside only
// the user's own settings may point, which no command writes.
func TestSourcesAreSetUp(t *testing.T) {
	for _, c := range []struct {
		name    string
		path    string // below the folder; empty is none
		before  string // the settings file; empty is none
		sources []ingest.Source
		kb      bool
		want    string // the settings file afterwards
		failure string
	}{
		{name: "a folder kb is made", want: ""},
		{name: "a folder of the workspace", path: "guides", want: "[[source]]\npath = \"guides\"\n"},
		{name: "the folder itself", path: ".", want: "[[source]]\npath = \".\"\n"},
		{name: "beside others", path: "guides", before: "[answer]\nsentences = 2", want: "[answer]\nsentences = 2\n[[source]]\npath = \"guides\"\n"},
		{name: "kb stays one", path: "guides", kb: true, want: "[[source]]\npath = \"kb\"\n[[source]]\npath = \"guides\"\n"},
		{name: "kb beside named ones", sources: []ingest.Source{{Name: "a", Path: "/a", Confined: true}}, want: "[[source]]\npath = \"kb\"\n"},
		{name: "quotes in a name", path: `odd "name"`, want: "[[source]]\npath = \"odd \\\"name\\\"\"\n"},
		{name: "outside", path: "../elsewhere", failure: "is outside the open folder"},
		{name: "not there", path: "nowhere", failure: "nowhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "notes")
			for _, dir := range []string{"guides", `odd "name"`, "../elsewhere"} {
				if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
					t.Skip(err) // a name that this system does not take
				}
			}
			file := filepath.Join(root, settings.File)
			if c.before != "" {
				if err := os.WriteFile(file, []byte(c.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if c.kb {
				if err := os.Mkdir(filepath.Join(root, "kb"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			w := &fakeWorkspace{root: root, userFile: "/home/me/lacuna.toml", indexDir: t.TempDir(), library: &knowledge.Library{}, settings: settings.Default()}
			w.settings.Sources = c.sources
			e, _ := serve(t, w, editortest.Options{Unsupported: []string{"*"}})
			e.Start(root)
			e.Open(lsp.URI(filepath.Join(root, "n.md")), "markdown", "What is gout?\n")
			arguments := map[string]any{"v": 1, "uri": lsp.URI(root)}
			if c.path != "" {
				arguments["path"] = filepath.Join(root, c.path)
			}
			var err error
			for { // until the workspace is open
				err = e.Call("workspace/executeCommand", map[string]any{"command": "lacuna.setUpSources", "arguments": []any{arguments}}, nil)
				if err == nil || !strings.Contains(err.Error(), "not open yet") {
					break
				}
			}
			text, _ := os.ReadFile(file)
			if c.failure != "" {
				if err == nil || !strings.Contains(err.Error(), c.failure) || len(text) > 0 {
					t.Errorf("%v, wrote %q", err, text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != c.want {
				t.Errorf("settings\n%s\nwant\n%s", text, c.want)
			}
			if info, err := os.Stat(filepath.Join(root, "kb")); c.path == "" && (err != nil || !info.IsDir()) {
				t.Error(err)
			}
		})
	}
	t.Run("a link in the place of the settings", func(t *testing.T) {
		root := t.TempDir()
		target := filepath.Join(t.TempDir(), "other")
		if err := os.WriteFile(target, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(root, settings.File)); err != nil {
			t.Skip(err)
		}
		if err := os.Mkdir(filepath.Join(root, "guides"), 0o755); err != nil {
			t.Fatal(err)
		}
		w := &fakeWorkspace{root: root, indexDir: t.TempDir(), library: &knowledge.Library{}, settings: settings.Default()}
		e, _ := serve(t, w, editortest.Options{Unsupported: []string{"*"}})
		e.Start(root)
		for {
			err := e.Call("workspace/executeCommand", map[string]any{"command": "lacuna.setUpSources", "arguments": []any{map[string]any{"v": 1, "uri": lsp.URI(root), "path": "guides"}}}, nil)
			if err == nil || !strings.Contains(err.Error(), "not open yet") {
				break
			}
		}
		if text, _ := os.ReadFile(target); string(text) != "mine" {
			t.Errorf("wrote %q through a link", text)
		}
	})
}
