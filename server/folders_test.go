package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
	"lacuna/server/editortest"
	"lacuna/server/folders"
)

// changeFolders tells the server that folders were opened and closed.
func changeFolders(e *editortest.Editor, added, removed []string) {
	list := func(names []string) []protocol.WorkspaceFolder {
		all := []protocol.WorkspaceFolder{}
		for _, name := range names {
			all = append(all, protocol.WorkspaceFolder{URI: "file://" + name, Name: filepath.Base(name)})
		}
		return all
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": list(added), "removed": list(removed)}})
	time.Sleep(time.Minute)
	synctest.Wait()
}

func TestEachFolderHasItsOwnSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opening{make: func() *fakeWorkspace { return &fakeWorkspace{} }}
		rich := editortest.Rich()
		rich.Scoped = func(folder protocol.DocumentURI) any { return map[string]any{"of": folder} }
		e, _ := serveOpen(t, o.open, rich)
		e.Start("/one", "/two")
		synctest.Wait()
		changeFolders(e, []string{"/three"}, nil)
		var got []string
		for _, r := range o.requests {
			last, _ := json.Marshal(r.Editor[len(r.Editor)-1])
			got = append(got, fmt.Sprint(filepath.ToSlash(r.Folder), " ", string(last)))
		}
		slices.Sort(got)
		want := []string{`/one {"of":"file:///one"}`, `/three {"of":"file:///three"}`, `/two {"of":"file:///two"}`}
		if !slices.Equal(got, want) {
			t.Errorf("settings %q, want %q", got, want)
		}
	})
}

// TestNotesFollowTheirFolders has a note judged by the folder that holds it, whichever folders come and
// go while it is open.
func TestNotesFollowTheirFolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opening{make: func() *fakeWorkspace { return new(asked).workspace() }}
		e, _ := serveOpen(t, o.open, editortest.Rich())
		e.Start("/notes")
		uri := protocol.DocumentURI("file:///notes/clinic/visit.md")
		e.Open(uri, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		gapsOf := func() (names []string) {
			for _, f := range e.Status().Folders {
				names = append(names, fmt.Sprintf("%s %d", f.Name, f.Gaps))
			}
			return names
		}
		if got := gapsOf(); !slices.Equal(got, []string{"test 1"}) {
			t.Errorf("with one folder: %q", got)
		}
		changeFolders(e, []string{"/notes/clinic"}, nil)
		if got := gapsOf(); !slices.Equal(got, []string{"test 0", "clinic 1"}) {
			t.Errorf("with a folder inside: %q", got)
		}
		changeFolders(e, nil, []string{"/notes/clinic"})
		if got := gapsOf(); !slices.Equal(got, []string{"test 1"}) || len(e.Diagnostics(uri).Diagnostics) != 1 {
			t.Errorf("without it: %q", got)
		}
	})
}

// TestWatchers says what the client is asked to watch: the settings, and the sources wherever they lie;
// nothing of a folder that is closed.
func TestWatchers(t *testing.T) {
	absolute := editortest.Rich()
	absolute.Capabilities["workspace"].(map[string]any)["didChangeWatchedFiles"] = map[string]any{"dynamicRegistration": true}
	tests := map[string]struct {
		client editortest.Options
		want   []string
	}{
		"patterns in folders": {editortest.Rich(), []string{
			"file:///bases drugs", "file:///bases/drugs **/*", "file:///one .lacuna.toml", "file:///one kb", "file:///one/kb **/*",
		}},
		"absolute patterns": {absolute, []string{"/bases/drugs", "/bases/drugs/**/*", "/one/.lacuna.toml", "/one/kb", "/one/kb/**/*"}},
		"none":              {editortest.Options{}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &opening{make: func() *fakeWorkspace {
					return &fakeWorkspace{sources: []ingest.Source{{Name: "kb", Path: "/one/kb"}, {Name: "drugs", Path: "/bases/drugs"}}}
				}}
				e, _ := serveOpen(t, o.open, tt.client)
				e.Start("/one")
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := e.Watching(); !slices.Equal(got, tt.want) {
					t.Errorf("watched %q\nwant %q", got, tt.want)
				}
				e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{}})
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := e.Watching(); !slices.Equal(got, tt.want) {
					t.Errorf("after other settings %q\nwant %q", got, tt.want)
				}
				changeFolders(e, []string{"/two"}, []string{"/one"})
				for _, watched := range e.Watching() {
					if watched == "file:///one .lacuna.toml" || watched == "/one/.lacuna.toml" {
						t.Errorf("%s is watched although its folder is closed", watched)
					}
				}
			})
		})
	}
}

// TestSettingsAreSwappedWithoutARestart reopens the workspace with another model and other sources
// while an answer is under way: that one ends as it began, and the next is made with the new ones.
func TestSettingsAreSwappedWithoutARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		library := pages(t, goutPage)
		var made []string
		n := 0
		o := &opening{}
		o.make = func() *fakeWorkspace {
			n++
			name := fmt.Sprintf("model %d", n)
			w := new(asked).workspace()
			w.models.Configured, w.models.Reader = true, name
			w.answerWay = func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
				if name == "model 1" {
					<-release
				}
				made = append(made, name)
				return unknown(q), nil
			}
			return w
		}
		open := func(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) {
			w, err := o.open(ctx, r)
			o.opened[len(o.opened)-1].library = library
			return w, err
		}
		e, _ := serveOpen(t, open, editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		var gaps handlers.GapsView
		e.MustCall("workspace/executeCommand", map[string]any{"command": "lacuna.listGaps"}, &gaps)
		ask := func() *editortest.Pending {
			return e.Begin("workspace/executeCommand", map[string]any{"command": "lacuna.answerQuestion", "arguments": []any{
				map[string]any{"v": 1, "uri": noteURI, "question": gaps.Gaps[0].QuestionID, "system": "thorough"},
			}})
		}
		first := ask()
		synctest.Wait()
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{}})
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := e.Status(); o.count() != 2 || got.Folders[0].Model != "model 2" || got.Answering != 1 {
			t.Errorf("while an answer is under way: %d openings, status %+v", o.count(), got)
		}
		close(release)
		if err := first.Wait(nil); err != nil {
			t.Error(err)
		}
		if err := ask().Wait(nil); err != nil {
			t.Error(err)
		}
		if want := []string{"model 1", "model 2"}; !slices.Equal(made, want) {
			t.Errorf("answers of %q, want %q", made, want)
		}
	})
}
