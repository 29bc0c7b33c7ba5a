package server_test

import (
	"context"
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
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
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

func TestMarksMoveWhileTheRestIsJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWorkspace{ask: func(ctx context.Context, q answer.Question) (answer.Result, error) {
			if q.Text != "What is gout?" {
				<-ctx.Done()
			}
			return unknown(q), ctx.Err()
		}}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		e.Change(noteURI, insert(0, 0, "What is slow?\n\nWhat is slower?\n\n"))
		time.Sleep(time.Minute)
		synctest.Wait()
		got := e.Diagnostics(noteURI)
		if got.Version == nil || *got.Version != 1 || len(got.Diagnostics) != 1 || got.Diagnostics[0].Range.Start.Line != 4 {
			t.Errorf("while two questions are judged: version %v, %+v; want the known gap in its new place", got.Version, got.Diagnostics)
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
		synctest.Wait() // the workspace is open, and its library has been announced
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
		if got := slices.Compact(a.take()); len(got) != 1 { // a run that another one ends asks again
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

func TestTrace(t *testing.T) {
	e, _ := serve(t, new(asked).workspace(), editortest.Rich())
	e.Start("/notes")
	want := 0
	for _, value := range []string{"off", "messages", "off", "verbose"} {
		e.Notify("$/setTrace", map[string]any{"value": value})
		e.MustCall("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": noteURI}}, nil)
		if value != "off" {
			want++
			e.Await("a line of trace", func() bool { return e.Came("$/logTrace") == want })
		}
	}
	e.MustCall("shutdown", nil, nil) // whatever else was on its way is here now, and its own line
	if n := count(e, "$/logTrace"); n != want && n != want+1 {
		t.Errorf("%d lines of trace, want %d and perhaps that of the shutdown", n, want)
	}
}
