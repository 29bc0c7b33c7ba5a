package workspace

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// TestForgetting: a word of the sources, of a question and of a reply is in no file afterwards, and what the program has
// not stored stays.
func TestForgetting(t *testing.T) {
	const marker = "quillwort"
	server := llmtest.New(t, llmtest.Obliging())
	base := t.TempDir()
	open := func() *Workspace {
		root := folder(t, map[string]string{
			"kb/fever.md": "# Fever\n\nThe " + marker + " lowers a fever within the hour.\n",
			"user.toml":   "[model]\nbase_url = \"http://models.example:8443/v1\"\nmodel = \"m\"\nproxy = \"" + server.Root() + "\"\n[privacy]\naudit_bodies = true\n[history]\nharvest = true\n",
		})
		w, err := Open(t.Context(), Request{
			Root: root, UserFile: filepath.Join(root, "user.toml"), Flags: map[string]string{"index.dir": base},
			Consent: func(context.Context, llm.Outbound) (bool, error) { return true, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		if err := w.Refresh(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		ask(t, w, answer.Request{System: "std-rag/merged"}, "What does the "+marker+" lower?")
		return w
	}
	holding := func() (files []string) {
		err := filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if bytes.Contains(content, []byte(marker)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	foreign := filepath.Join(base, "letters-0123456789ab", "draft.txt") // named as an index is
	if err := os.MkdirAll(filepath.Dir(foreign), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(foreign, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}

	first, second := open(), open()
	namesEveryFile(t, base, first.IndexDir())
	before := holding()
	if len(before) < 4 { // the passages, the audit and the replies of two workspaces
		t.Fatalf("only %q hold the word", before)
	}
	first.Close()
	if left, err := first.ForgetTraces(false); err != nil || len(left) > 0 {
		t.Fatalf("%v is left, %v", left, err)
	}
	if after := holding(); len(after) != len(before)/2 {
		t.Errorf("of one workspace remain %q", after)
	}
	second.Close()
	if left, err := second.ForgetTraces(true); err != nil || len(left) > 0 {
		t.Fatalf("%v is left, %v", left, err)
	}
	if after := holding(); len(after) > 0 {
		t.Errorf("of all workspaces remain %q", after)
	}
	if content, err := os.ReadFile(foreign); err != nil || string(content) != "mine" {
		t.Errorf("another program's file: %q, %v", content, err)
	}
	if _, err := os.Stat(filepath.Join(second.Root(), "kb", "fever.md")); err != nil {
		t.Errorf("a source: %v", err)
	}
}

// namesEveryFile: docs/retention.md names whatever is written.
func namesEveryFile(t *testing.T, folders ...string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "retention.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := strings.TrimSuffix(strings.TrimSuffix(entry.Name(), ".lock"), ".new")
			switch {
			case ownFolder.MatchString(name):
				continue
			case generation.MatchString(name):
				name = "g…/"
			case entry.IsDir():
				name += "/"
			}
			if !bytes.Contains(page, []byte("`"+name+"`")) {
				t.Errorf("docs/retention.md does not name `%s`", name)
			}
		}
	}
}

// generation matches the folder of an index.
var generation = regexp.MustCompile(`^g\d+$`)
