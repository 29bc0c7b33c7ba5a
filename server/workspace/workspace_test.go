package workspace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
)

// folder makes a folder with files in it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	root := folder(t, map[string]string{"a/.lacuna.toml": "", "a/b/c/note.md": "", "k/kb/x.md": "", "k/d/note.md": ""})
	for _, test := range []struct {
		find     func(string) (string, bool)
		from, at string
	}{
		{Find, "a", "a"},
		{Find, "a/b/c", "a"},
		{findKB, "k", "k"},
		{findKB, "k/d", "k"},
	} {
		got, found := test.find(filepath.Join(root, filepath.FromSlash(test.from)))
		if want := filepath.Join(root, test.at); !found || got != want {
			t.Errorf("from %s: %s, %v; want %s", test.from, got, found, want)
		}
	}
	if got, found := Find(filepath.Join(root, "k")); found && strings.HasPrefix(got, root) {
		t.Errorf("found %s where there is nothing", got)
	}
}

func TestIndexDir(t *testing.T) {
	base := t.TempDir()
	dir := func(root, userFile string) string {
		t.Helper()
		dir, err := IndexDir(base, root, userFile)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(dir, base+string(filepath.Separator))
	}
	notes := dir("/home/me/My Notes", "")
	if !strings.HasPrefix(notes, "my-notes-") || len(notes) != len("my-notes-")+12 {
		t.Errorf("name %q", notes)
	}
	if notes != dir("/home/me/My Notes", "") {
		t.Error("the same workspace has two folders")
	}
	if notes == dir("/home/you/My Notes", "") || notes == dir("/home/me/My Notes", "/other.toml") {
		t.Error("two workspaces share a folder")
	}
	if got := dir("/home/me/病历", ""); !strings.HasPrefix(got, "workspace-") {
		t.Errorf("name %q", got)
	}
	if got := dir("/"+strings.Repeat("long ", 30), ""); len(got) > 60 {
		t.Errorf("name %q", got)
	}
}

func TestAWorkspaceIsOpenedRefreshedAndAskedAgain(t *testing.T) {
	root := folder(t, map[string]string{
		"kb/fever.md":  "# Fever\n\nParacetamol lowers a fever within the hour.\n",
		".lacuna.toml": "[[source]]\npath = \"kb\"\n[log]\nfile = \"x.log\"\n",
	})
	request := Request{
		Root: root, UserFile: filepath.Join(root, "none.toml"),
		Editor: []json.RawMessage{json.RawMessage(`{"lacuna":{"diagnostics":{"max":3}}}`)},
		Flags:  map[string]string{"index.dir": t.TempDir()},
	}
	w, err := Open(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if w.Root() != root || w.Settings().Diagnostics.Max != 3 || len(w.Sources()) != 1 || len(w.Problems()) != 1 {
		t.Errorf("root %s, max %d, sources %v, problems %v", w.Root(), w.Settings().Diagnostics.Max, w.Sources(), w.Problems())
	}
	if n := len(w.Library().Passages()); n != 0 {
		t.Errorf("%d passages before anything was read", n)
	}
	published := 0
	cancel := w.Subscribe(func(*knowledge.Library) { published++ })
	var stages []knowledge.Stage
	if err := w.Refresh(t.Context(), func(e knowledge.Event) { stages = append(stages, e.Stage) }); err != nil {
		t.Fatal(err)
	}
	cancel()
	if published == 0 || len(stages) == 0 || stages[len(stages)-1] != knowledge.Ready {
		t.Errorf("published %d times, stages %v", published, stages)
	}
	for _, name := range []string{"", "auto", "offline"} {
		strategy, err := w.Strategy(answer.Request{System: name})
		if err != nil {
			t.Fatal(err)
		}
		result, err := strategy.Answer(t.Context(), w.Library(), answer.Question{Text: "What lowers a fever?"})
		if err != nil || len(result.Citations) != 1 {
			t.Errorf("system %q: %+v, %v", name, result, err)
		}
	}
	if _, err := w.Strategy(answer.Request{System: "oracle"}); err == nil || !strings.Contains(err.Error(), "known: offline") {
		t.Errorf("an unknown system: %v", err)
	}
	info, err := os.Stat(w.IndexDir())
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("index folder: %v, %v", info.Mode(), err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	again, err := Open(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if n := len(again.Library().Passages()); n != 1 {
		t.Errorf("%d passages after a restart", n)
	}
	if err := again.Refresh(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestWithoutAFolderTheUsersSourcesServe(t *testing.T) {
	own := folder(t, map[string]string{"config.toml": "[[source]]\npath = \"notes\"\n", "notes/a.md": "# A\n\nAlpha comes first.\n"})
	w, err := Open(t.Context(), Request{
		UserFile: filepath.Join(own, "config.toml"),
		Editor:   []json.RawMessage{json.RawMessage(`{"source":[{"path":"/etc"}]}`)},
		Flags:    map[string]string{"index.dir": t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if len(w.Sources()) != 1 || w.Sources()[0].Name != "notes" || len(w.Problems()) != 1 {
		t.Errorf("sources %v, problems %v", w.Sources(), w.Problems())
	}
	if err := w.Refresh(t.Context(), nil); err != nil || len(w.Library().Passages()) != 1 {
		t.Errorf("%d passages, %v", len(w.Library().Passages()), err)
	}
}
