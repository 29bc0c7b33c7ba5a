package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
	"lacuna/server"
	"lacuna/server/editortest"
)

const (
	noteURI   = protocol.DocumentURI("file:///notes/visit.md")
	published = "textDocument/publishDiagnostics"
)

// asked records the questions a workspace is asked.
type asked struct {
	mu        sync.Mutex
	questions []string
}

func (a *asked) workspace() *fakeWorkspace {
	return &fakeWorkspace{ask: func(_ context.Context, q answer.Question) (answer.Result, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.questions = append(a.questions, q.Text)
		return unknown(q), nil
	}}
}

func (a *asked) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.questions
	a.questions = nil
	return all
}

func count(e *editortest.Editor, method string) int {
	n := 0
	for _, seen := range e.Seen() {
		if seen == method {
			n++
		}
	}
	return n
}

func at(line, character uint32) protocol.Position {
	return protocol.Position{Line: line, Character: character}
}

func insert(line, character uint32, text string) lsp.ContentChange {
	return lsp.ContentChange{Range: &protocol.Range{Start: at(line, character), End: at(line, character)}, Text: text}
}

func TestQuestionsAreJudgedOnceWhenTypingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asked
		e, _ := serve(t, a.workspace(), editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n\nWhat is\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := a.take(); !slices.Equal(got, []string{"What is gout?"}) {
			t.Errorf("judged on opening: %q", got)
		}
		before := count(e, published)
		for i, key := range " asthma?" {
			e.Change(noteURI, insert(2, uint32(7+i), string(key)))
			time.Sleep(30 * time.Millisecond)
		}
		synctest.Wait()
		if got, n := a.take(), count(e, published); len(got) != 0 || n != before {
			t.Errorf("while typing: judged %q, published %d times", got, n-before)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := a.take(); !slices.Equal(got, []string{"What is asthma?"}) {
			t.Errorf("judged after typing: %q, want the new question alone", got)
		}
		if n := count(e, published) - before; n != 1 {
			t.Errorf("published %d times after typing, want once", n)
		}
	})
}

func TestDiagnosticsCarryTheVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, options := range []editortest.Options{editortest.Rich(), {}} {
			e, _ := serve(t, new(asked).workspace(), options)
			e.Start("/notes")
			e.Open(noteURI, "markdown", "What is gout?\n")
			time.Sleep(time.Minute)
			synctest.Wait()
			for want := int32(0); want < 2; want++ {
				got := e.Diagnostics(noteURI)
				switch {
				case options.Capabilities == nil && got.Version != nil:
					t.Errorf("version %d sent to a client that knows none", *got.Version)
				case options.Capabilities != nil && (got.Version == nil || *got.Version != want):
					t.Errorf("version %v, want %d", got.Version, want)
				}
				e.Change(noteURI, insert(0, 0, "x"))
				time.Sleep(time.Minute)
				synctest.Wait()
			}
		}
	})
}

func TestClosingClearsAndEndsTheJudging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		w := &fakeWorkspace{ask: func(ctx context.Context, q answer.Question) (answer.Result, error) {
			<-ctx.Done()
			ended = true
			return unknown(q), ctx.Err()
		}}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": noteURI}})
		time.Sleep(time.Hour)
		synctest.Wait()
		if !ended {
			t.Error("the judging went on")
		}
		if got := e.Diagnostics(noteURI); got.URI != noteURI || len(got.Diagnostics) != 0 || count(e, published) != 1 {
			t.Errorf("published %d times, last %+v; want the clearing alone", count(e, published), got)
		}
	})
}

func TestAChangeEndsTheJudgingOfTheOldText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asked
		w := a.workspace()
		inner := w.ask
		w.ask = func(ctx context.Context, q answer.Question) (answer.Result, error) {
			result, _ := inner(ctx, q)
			if q.Text == "What is slow?" {
				<-ctx.Done()
				return answer.Result{}, ctx.Err()
			}
			return result, nil
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n\nWhat is slow?\n\nWhat is asthma?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		e.Change(noteURI, lsp.ContentChange{Range: &protocol.Range{Start: at(2, 8), End: at(2, 12)}, Text: "fast"})
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []string{"What is gout?", "What is slow?", "What is fast?", "What is asthma?"}
		if got := a.take(); !slices.Equal(got, want) {
			t.Errorf("judged %q, want %q", got, want)
		}
	})
}

func TestANewLibraryPublishesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		before := count(e, published)
		for range 5 { // a build publishes several
			for _, tell := range w.subscribers {
				tell(w.Library())
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := count(e, published) - before; n != 1 {
			t.Errorf("published %d times after a new library, want once", n)
		}
	})
}

func TestDocumentsThatAreNoNotesAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asked
		w := a.workspace()
		w.sources = []ingest.Source{{Name: "kb", Path: filepath.FromSlash("/notes/kb")}}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		const code, page = protocol.DocumentURI("file:///notes/main.go"), protocol.DocumentURI("file:///notes/kb/gout.md")
		e.Open(code, "go", "// What is this?\n")
		e.Change(code, insert(0, 0, "\n"))
		e.Open(page, "markdown", "## What is gout?\n") // a source is no note
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := a.take(); len(got) != 0 {
			t.Errorf("judged %q", got)
		}
		if e.Diagnostics(code).URI != "" {
			t.Error("published diagnostics of a program")
		}
		var result any
		e.MustCall("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": code}, "position": at(0, 3)}, &result)
		if result != nil {
			t.Errorf("hover %v", result)
		}
		e.MustCall("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": code}}, &result)
		if list, ok := result.([]any); !ok || len(list) != 0 {
			t.Errorf("code lenses %v, want an empty list", result)
		}
	})
}

func TestOddSynchronisation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asked
		e, _ := serve(t, a.workspace(), editortest.Rich())
		e.Start("/notes")
		change := func(uri protocol.DocumentURI, version int32, changes string) {
			e.Send(editortest.Frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":%d},"contentChanges":%s}}`, uri, version, changes)))
		}
		change("file:///never/opened.md", 1, `[{"text":"What?"}]`)
		e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file:///never/opened.md"}})
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		change("file:///notes/v%69sit.md", 7, `[{"text":"What is asthma?\n"}]`)                                                                      // another spelling
		change(noteURI, 3, `[{"range":{"start":{"line":0,"character":8},"end":{"line":0,"character":99}},"text":"croup?"}]`)                         // an old version, a column too far
		change(noteURI, 8, `[{"range":{"start":{"line":900,"character":0},"end":{"line":901,"character":0}},"text":"What is flu?"}]`)                // lines too far
		change(noteURI, 9, `[]`)                                                                                                                     // nothing
		change(noteURI, 10, `[{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"text":"lost"}]`)                          // refused
		change(noteURI, 11, `[{"text":"What is gout?\n"},{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":4}},"text":"Why"}]`) // in order
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := a.take(), []string{"What is gout?", "Why is gout?"}; !slices.Equal(got, want) {
			t.Errorf("judged %q, want %q", got, want)
		}
		if got := e.Diagnostics(noteURI); got.URI != noteURI || got.Version == nil || *got.Version != 11 {
			t.Errorf("published %+v, want the client's own spelling and version 11", got)
		}
		e.Open(noteURI, "markdown", "What is tetanus?\n") // opened again without a close
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := a.take(); !slices.Equal(got, []string{"What is tetanus?"}) {
			t.Errorf("judged %q after opening again", got)
		}
	})
}

func TestUntitledDocumentsAreNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asked
		e, _ := serve(t, a.workspace(), editortest.Rich())
		e.Start()
		e.Open("untitled:Untitled-1", "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := a.take(); len(got) != 1 {
			t.Errorf("judged %q", got)
		}
		if e.Diagnostics("untitled:Untitled-1").URI == "" {
			t.Error("no diagnostics")
		}
	})
}

func TestAStrategyThatPanicsCostsOneQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asked
		w := a.workspace()
		inner := w.ask
		w.ask = func(ctx context.Context, q answer.Question) (answer.Result, error) {
			if strings.Contains(q.Text, "gout") {
				panic("gout again")
			}
			return inner(ctx, q)
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n\nWhat is asthma?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := a.take(); !slices.Equal(got, []string{"What is asthma?"}) || count(e, published) == 0 {
			t.Errorf("judged %q", got)
		}
	})
}

// opening records how workspaces are opened.
type opening struct {
	mu       sync.Mutex
	requests []server.OpenRequest
	opened   []*fakeWorkspace
	make     func() *fakeWorkspace
}

func (o *opening) open(_ context.Context, r server.OpenRequest) (server.Workspace, error) {
	w := o.make()
	w.library = &knowledge.Library{}
	w.settings = settings.Default()
	w.root = r.Folder
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests, o.opened = append(o.requests, r), append(o.opened, w)
	return w, nil
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

func watched(e *editortest.Editor, uri string) {
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri, "type": 2}}})
}

func TestIndexingShowsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		w.refresh = func(ctx context.Context, report func(knowledge.Event)) error {
			for _, stage := range []knowledge.Stage{knowledge.Reading, knowledge.Indexing, knowledge.Training, knowledge.Fitting} {
				for _, percent := range []int{0, 50, 100} {
					report(knowledge.Event{Stage: stage, Percent: percent})
					time.Sleep(time.Second)
				}
			}
			return nil
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Hour)
		synctest.Wait()
		reports := e.Progress()
		if len(reports) < 3 || reports[0].Value.Kind != "begin" || !reports[0].Value.Cancellable || reports[0].Value.Percentage == nil ||
			reports[len(reports)-1].Value.Kind != "end" {
			t.Fatalf("progress %+v", reports)
		}
		last := uint32(0)
		for _, r := range reports[:len(reports)-1] {
			if r.Value.Percentage == nil || *r.Value.Percentage < last || *r.Value.Percentage > 100 {
				t.Errorf("percentage goes from %d to %v", last, r.Value.Percentage)
				continue
			}
			last = *r.Value.Percentage
		}
		if last != 100 {
			t.Errorf("the bar ends at %d", last)
		}
	})
}

func TestIndexingIsCancelledFromTheProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		w.refresh = func(ctx context.Context, _ func(knowledge.Event)) error {
			<-ctx.Done()
			return ctx.Err()
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		synctest.Wait()
		e.Notify("window/workDoneProgress/cancel", map[string]any{"token": e.Progress()[0].Token})
		synctest.Wait()
		reports := e.Progress()
		if last := reports[len(reports)-1]; last.Value.Kind != "end" {
			t.Errorf("progress after the cancel: %+v", last)
		}
		if n := count(e, "window/showMessage"); n != 0 {
			t.Errorf("%d messages about what the user asked for", n)
		}
	})
}

func TestAPoorClientIsAskedNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := serve(t, new(asked).workspace(), editortest.Options{})
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Hour)
		synctest.Wait()
		for _, seen := range e.Seen() {
			if seen != published && !strings.HasPrefix(seen, "reply") {
				t.Errorf("sent %s to a client that can do nothing", seen)
			}
		}
	})
}

func TestTheEndOfTheSessionEndsItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		ended := false
		w.refresh = func(ctx context.Context, _ func(knowledge.Event)) error {
			<-ctx.Done()
			ended = true
			return ctx.Err()
		}
		e, code := serve(t, w, editortest.Rich())
		e.Start("/notes")
		synctest.Wait()
		e.Close() // as an editor that dies
		if <-code != 1 || !ended || !w.closed {
			t.Errorf("work ended: %v, workspace closed: %v", ended, w.closed)
		}
	})
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

func TestTrace(t *testing.T) {
	e, _ := serve(t, new(asked).workspace(), editortest.Rich())
	e.Start("/notes")
	lens := map[string]any{"textDocument": map[string]any{"uri": noteURI}}
	e.MustCall("textDocument/codeLens", lens, nil)
	for _, value := range []string{"messages", "off", "verbose"} {
		e.Notify("$/setTrace", map[string]any{"value": value})
		e.MustCall("textDocument/codeLens", lens, nil)
	}
	e.MustCall("shutdown", nil, nil)
	e.Await("two lines and the shutdown's", func() bool { return true })
	if n := count(e, "$/logTrace"); n != 2 && n != 3 { // that of the shutdown may still be on its way
		t.Errorf("%d trace lines", n)
	}
}
