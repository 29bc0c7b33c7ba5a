package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
	"lacuna/server"
	"lacuna/server/editortest"
	"lacuna/server/folders"
)

// opening records how workspaces are opened.
type opening struct {
	mu       sync.Mutex
	requests []folders.OpenRequest
	opened   []*fakeWorkspace
	make     func() *fakeWorkspace
}

func (o *opening) open(_ context.Context, r folders.OpenRequest) (folders.Workspace, error) {
	w := o.make()
	w.library = onePage
	w.settings = settings.Default()
	w.root = r.Folder
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests, o.opened = append(o.requests, r), append(o.opened, w)
	return w, nil
}

// count is the number of openings so far.
func (o *opening) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.opened)
}

// layers returns the editor's settings of the last opening.
func (o *opening) layers() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text, _ := json.Marshal(o.requests[len(o.requests)-1].Editor) // raw JSON encodes
	return fmt.Sprint(len(o.requests), " ", string(text))
}

func TestSettingsComeFromTheEditor(t *testing.T) {
	tests := []struct {
		name   string
		pull   bool
		notify any
		want   string // number of openings and the layers of the last
	}{
		{"asked for", true, nil, `1 [{"a":1},{"b":2}]`},
		{"null means ask again", true, map[string]any{"settings": nil}, `2 [{"a":1},{"b":2}]`},
		{"sent, but asked for all the same", true, map[string]any{"settings": map[string]any{"c": 3}}, `2 [{"a":1},{"b":2}]`},
		{"sent to one who cannot ask", false, map[string]any{"settings": map[string]any{"c": 3}}, `2 [{"a":1},{"c":3}]`},
		{"null to one who cannot ask", false, map[string]any{"settings": nil}, `1 [{"a":1},null]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &opening{make: func() *fakeWorkspace { return &fakeWorkspace{} }}
				options := editortest.Options{InitOptions: map[string]any{"a": 1}, Configuration: map[string]any{"b": 2}}
				if tt.pull {
					options.Capabilities = editortest.Rich().Capabilities
				}
				e, _ := serveOpen(t, o.open, options)
				e.Start("/notes")
				time.Sleep(time.Minute)
				if tt.notify != nil {
					e.Notify("workspace/didChangeConfiguration", tt.notify)
					time.Sleep(time.Minute)
				}
				synctest.Wait()
				if got := o.layers(); got != tt.want {
					t.Errorf("opened %s, want %s", got, tt.want)
				}
			})
		})
	}
}

func TestSettingsProblemsAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opening{make: func() *fakeWorkspace {
			return &fakeWorkspace{problems: []settings.Problem{{
				Origin: settings.Origin{Layer: settings.WorkspaceFile, File: "/notes/.lacuna.toml", Line: 3},
				Key:    "model.base_url", Text: "not from here",
			}}}
		}}
		e, _ := serveOpen(t, o.open, editortest.Rich())
		e.Start("/notes")
		for range 3 {
			time.Sleep(time.Minute)
			e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		}
		synctest.Wait()
		if n := count(e, "window/showMessage"); n != 1 {
			t.Errorf("%d messages, want one", n)
		}
		e.Await("the message", func() bool { return e.Told("model.base_url") && e.Told(":3") })
	})
}

func TestAFolderThatCannotBeOpenedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := serveOpen(t, failingOpen, editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := count(e, "window/showMessage"); n != 1 {
			t.Errorf("%d messages, want one", n)
		}
		e.Await("the message", func() bool { return e.Told("disk on fire") })
		e.MustCall("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": noteURI}}, nil)
	})
}

func TestChangedFilesRefreshTheIndex(t *testing.T) {
	tests := map[string]struct {
		notify    func(e *editortest.Editor)
		refreshes int // of all workspaces, the first at opening
		openings  int
	}{
		"a source":       {func(e *editortest.Editor) { watched(e, "file:///notes/kb/gout.md") }, 2, 1},
		"many sources":   {func(e *editortest.Editor) { watched(e, "file:///notes/kb/a.md"); watched(e, "file:///notes/kb/b.md") }, 2, 1},
		"the settings":   {func(e *editortest.Editor) { watched(e, "file:///notes/.lacuna.toml") }, 2, 2},
		"something else": {func(e *editortest.Editor) { watched(e, "file:///notes/other.md") }, 1, 1},
		"no file":        {func(e *editortest.Editor) { watched(e, "untitled:x") }, 1, 1},
		"a saved source": {func(e *editortest.Editor) {
			e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": "file:///notes/kb/gout.md"}})
		}, 2, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &opening{make: func() *fakeWorkspace {
					return &fakeWorkspace{sources: []ingest.Source{{Name: "kb", Path: filepath.FromSlash("/notes/kb")}}}
				}}
				e, _ := serveOpen(t, o.open, editortest.Rich())
				e.Start("/notes")
				time.Sleep(time.Minute)
				tt.notify(e)
				time.Sleep(time.Minute)
				synctest.Wait()
				refreshes := 0
				for i, w := range o.opened {
					refreshes += w.refreshes
					if last := i == len(o.opened)-1; w.closed == last {
						t.Errorf("workspace %d: closed %v", i, w.closed)
					}
				}
				if refreshes != tt.refreshes || len(o.opened) != tt.openings {
					t.Errorf("%d refreshes and %d openings, want %d and %d", refreshes, len(o.opened), tt.refreshes, tt.openings)
				}
			})
		})
	}
}

// TestASearchingSessionFollowsTheWriter has another process write the index for the first three
// refreshes: each looks again by itself, and only the first is shown.
func TestASearchingSessionFollowsTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *fakeWorkspace
		o := &opening{make: func() *fakeWorkspace {
			w = &fakeWorkspace{}
			w.refresh = func(_ context.Context, report func(knowledge.Event)) error {
				if w.refreshes <= 3 {
					report(knowledge.Event{Stage: knowledge.SearchOnly})
				} else {
					report(knowledge.Event{Stage: knowledge.Ready, Percent: 100})
				}
				return nil
			}
			return w
		}}
		e, _ := serveOpen(t, o.open, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.refreshes != 4 {
			t.Errorf("%d refreshes, want 3 while another process writes and 1 after it", w.refreshes)
		}
	})
}

// TestAQuoteThatIsGoneHasTheSourcesReadAgain needs no client that watches files.
func TestAQuoteThatIsGoneHasTheSourcesReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *fakeWorkspace
		o := &opening{make: func() *fakeWorkspace {
			w = &fakeWorkspace{ask: func(_ context.Context, q answer.Question) (answer.Result, error) {
				result := unknown(q)
				result.Dropped = 1
				return result, nil
			}}
			return w
		}}
		e, _ := serveOpen(t, o.open, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Minute)
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.refreshes != 2 {
			t.Errorf("%d refreshes, want one at opening and one after the answer", w.refreshes)
		}
	})
}

func watched(e *editortest.Editor, uri string) {
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri, "type": 2}}})
}

func TestFoldersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opening{make: func() *fakeWorkspace { return &fakeWorkspace{} }}
		e, _ := serveOpen(t, o.open, editortest.Rich())
		e.Start("/notes", "/notes/inner")
		synctest.Wait()
		change := func(added, removed []protocol.WorkspaceFolder) {
			e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": added, "removed": removed}})
			synctest.Wait()
		}
		change([]protocol.WorkspaceFolder{{URI: "file:///more", Name: "more"}}, nil)
		change(nil, []protocol.WorkspaceFolder{{URI: "file:///notes", Name: "notes"}, {URI: "untitled:x"}})
		e.Open(noteURI, "markdown", "What is gout?\n") // outside every folder that is left
		synctest.Wait()
		var state []string
		for _, w := range o.opened {
			state = append(state, fmt.Sprint(filepath.ToSlash(w.root), " ", w.closed))
		}
		slices.Sort(state)
		if want := []string{"/more false", "/notes true", "/notes/inner false"}; !slices.Equal(state, want) {
			t.Errorf("workspaces %q, want %q", state, want)
		}
	})
}

// TestDamagedHistoryIsLogged opens a workspace of whose accepted answers and labels lines were damaged.
func TestDamagedHistoryIsLogged(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"accepted.jsonl": "{\n", "gate-labels.jsonl": "\n\x00\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder // written by one goroutine before the other waits
		e, _ := serveWith(t, server.Options{
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Open: func(context.Context, folders.OpenRequest) (folders.Workspace, error) {
				return &fakeWorkspace{settings: settings.Default(), library: onePage, indexDir: dir}, nil
			},
		}, editortest.Rich())
		e.Start("/notes")
		synctest.Wait()
		for _, want := range []string{"accepted.jsonl line=1\n", "gate-labels.jsonl line=2\n"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log does not name %q:\n%s", want, log.String())
			}
		}
	})
}

// TestANoteBelowTheOpenFolder opens a repository that has a workspace of its own in a folder, and notes outside it.
func TestANoteBelowTheOpenFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opening{make: func() *fakeWorkspace { return &fakeWorkspace{} }}
		options := server.Options{Log: logTo(t), Open: o.open, Home: func(dir string) (string, bool) {
			switch dir = filepath.ToSlash(dir); {
			case strings.HasPrefix(dir, "/repo/clinic"):
				return filepath.FromSlash("/repo/clinic"), true
			case strings.HasPrefix(dir, "/repo/plain"):
				return filepath.FromSlash("/"), true // above the open folder: that one stays
			case strings.HasPrefix(dir, "/other"):
				return filepath.FromSlash("/other"), true
			}
			return "", false
		}}
		e, _ := serveWith(t, options, editortest.Rich())
		e.Start("/repo")
		for i, uri := range []string{"file:///repo/clinic/a.md", "file:///repo/clinic/notes/b.md", "file:///repo/c.md", "file:///repo/plain/d.md"} {
			e.Open(protocol.DocumentURI(uri), "markdown", "What is gout?\n")
			synctest.Wait()
			if want := min(i+1, 1) + 1; len(o.opened) != want {
				t.Errorf("after %s %d workspaces are open, want %d", uri, len(o.opened), want)
			}
		}
		for i, uri := range []string{"file:///elsewhere/e.md", "file:///other/f.md", "file:///other/notes/g.md"} { // outside
			e.Open(protocol.DocumentURI(uri), "markdown", "What is gout?\n")
			synctest.Wait()
			if want := min(i, 1) + 2; len(o.opened) != want {
				t.Errorf("after %s %d workspaces are open, want %d", uri, len(o.opened), want)
			}
		}
		e.CloseBuffer("file:///repo/plain/d.md") // which would have the whole disk as its workspace
		e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
			"added": []any{}, "removed": []protocol.WorkspaceFolder{{URI: "file:///repo", Name: "repo"}}}})
		synctest.Wait()
		for _, w := range o.opened[:2] {
			if !w.closed {
				t.Errorf("%s stays open when its folder goes", w.root)
			}
		}
		if w := o.opened[2]; w.closed || filepath.ToSlash(w.root) != "/other" {
			t.Errorf("%s, closed %v, when another folder goes", w.root, w.closed)
		}
	})
}
