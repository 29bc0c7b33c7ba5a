package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers"
	"lacuna/knowledge/answer"
	"lacuna/server/editortest"
)

// TestEditsAreTriedWhateverIsDeclared answers the same question twice in each kind of client, by the command.
func TestEditsAreTriedWhateverIsDeclared(t *testing.T) {
	const applyEdit = "workspace/applyEdit"
	undeclared := editortest.Rich().Without("workspace", "applyEdit")
	denied := undeclared
	denied.InitOptions = nil
	denied.Capabilities = map[string]any{"workspace": map[string]any{"applyEdit": false}}
	with := func(o editortest.Options, change func(*editortest.Options)) editortest.Options {
		change(&o)
		return o
	}
	for _, c := range []struct {
		name    string
		client  editortest.Options
		written bool
		asked   int // for two commands; the second changes nothing where the first has written, which a client that declares nothing could not tell of
	}{
		{"declares and does", editortest.Rich(), true, 2},
		{"declares nothing and does", undeclared, true, 1},
		{"declares nothing at all and does", editortest.Options{FullSync: true}, true, 1},
		{"declares that it does not, and does", denied, true, 1},
		{"declares nothing, does, and never replies", with(undeclared, func(o *editortest.Options) { o.Unanswered = []string{applyEdit} }), true, 1},
		{"the same, and tells late", with(undeclared, func(o *editortest.Options) {
			o.Unanswered, o.Debounce = []string{applyEdit}, time.Second
		}), true, 1},
		{"declares nothing and knows no such request", with(undeclared, func(o *editortest.Options) { o.Unsupported = []string{applyEdit} }), false, 1},
		{"declares it and knows no such request", with(editortest.Rich(), func(o *editortest.Options) { o.Unsupported = []string{applyEdit} }), false, 1},
		{"declares nothing and takes no notice", with(undeclared, func(o *editortest.Options) { o.Ignored = []string{applyEdit} }), false, 1},
		{"declares nothing and refuses", with(undeclared, func(o *editortest.Options) { o.RefuseEdits = true }), false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
				return missed(q), nil
			})
			synctest.Test(t, func(t *testing.T) {
				e := opened(t, w, c.client)
				for range 2 {
					var outcome handlers.Reply
					begun := time.Now()
					if err := ask(e, nil).Wait(&outcome); err != nil {
						t.Fatal(err)
					}
					if took := time.Since(begun); took > 10*time.Second {
						t.Errorf("took %v", took)
					}
					if outcome.Done != c.written {
						t.Errorf("done: %v", outcome.Done)
					}
					if !c.written && (!strings.Contains(outcome.Text, "Gout may be treated.") || outcome.Reason == "") {
						t.Errorf("the answer is lost: %+v", outcome)
					}
					if offered := len(e.Shown()) + len(e.Messages()); !c.written && offered == 0 {
						t.Error("nothing was shown")
					}
					rest()
				}
				if got := strings.Contains(e.Text(noteURI), "<!-- lacuna "); got != c.written {
					t.Errorf("note:\n%s", e.Text(noteURI))
				}
				if n := e.Asked(applyEdit); n != c.asked {
					t.Errorf("asked %d times, want %d", n, c.asked)
				}
			})
		})
	}
}

// TestActionsCarryTheirEdits looks at the actions of a client that makes no edits for commands, before and
// after that is known.
func TestActionsCarryTheirEdits(t *testing.T) {
	unable := editortest.Rich().Without("workspace", "applyEdit")
	unable.Unsupported = []string{"workspace/applyEdit"}
	type action struct {
		Title   string
		Command json.RawMessage
		Data    json.RawMessage
		Edit    json.RawMessage
	}
	actions := func(e *editortest.Editor) map[string]action {
		var list []action
		e.MustCall("textDocument/codeAction", map[string]any{
			"textDocument": map[string]any{"uri": noteURI}, "range": map[string]any{"start": map[string]any{}, "end": map[string]any{}},
			"context": map[string]any{"diagnostics": []any{}},
		}, &list)
		all := make(map[string]action)
		for _, a := range list {
			all[a.Title] = a
		}
		return all
	}
	w := func(t *testing.T) *fakeWorkspace {
		return modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
			return missed(q), nil
		})
	}
	t.Run("once they are chosen", func(t *testing.T) {
		w := w(t)
		synctest.Test(t, func(t *testing.T) {
			e := opened(t, w, unable)
			if a := actions(e)["Answer this question"]; a.Command == nil || a.Edit != nil || a.Data != nil {
				t.Errorf("before it is known: %+v", a)
			}
			if err := ask(e, nil).Wait(nil); err != nil {
				t.Fatal(err)
			}
			for _, title := range []string{"Answer this question", "Answer thoroughly (several model calls)", "Answer by the model alone"} {
				if a, listed := actions(e)[title]; listed && (a.Command != nil || a.Edit != nil || a.Data == nil) {
					t.Errorf("%s: %+v", title, a)
				}
			}
			a := actions(e)["Answer this question"]
			var resolved struct{ Edit json.RawMessage }
			if err := e.Call("codeAction/resolve", map[string]any{"title": a.Title, "data": a.Data}, &resolved); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(resolved.Edit), "Gout may be treated.") {
				t.Errorf("edit: %s", resolved.Edit)
			}
		})
	})
	t.Run("in the list", func(t *testing.T) {
		w := w(t)
		synctest.Test(t, func(t *testing.T) {
			e := opened(t, w, unable.Without("textDocument", "codeAction", "resolveSupport"))
			if err := ask(e, nil).Wait(nil); err != nil {
				t.Fatal(err)
			}
			listed := actions(e)
			if a := listed["Answer this question"]; a.Command == nil || a.Edit != nil {
				t.Errorf("a model is asked before anything is chosen: %+v", a)
			}
			if a := listed["Write the answer that was found"]; a.Command != nil || !strings.Contains(string(a.Edit), "Gout may be treated.") {
				t.Errorf("the answer is lost: %+v", a)
			}
		})
	})
}

// TestAPersonIsAskedWhateverIsDeclared has an editor that says nothing about questions to a person.
func TestAPersonIsAskedWhateverIsDeclared(t *testing.T) {
	const question = "window/showMessageRequest"
	undeclared := editortest.Rich().Without("window", "showMessage")
	t.Run("and answers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e, outcomes := consenting(t, undeclared, 1)
			pending := ask(e, nil)
			e.Choose("Send")
			if err := pending.Wait(nil); err != nil {
				t.Fatal(err)
			}
			if len(*outcomes) != 1 || (*outcomes)[0] != "true <nil>" {
				t.Errorf("%q", *outcomes)
			}
		})
	})
	for name, client := range map[string]editortest.Options{
		"and cannot":          {Unsupported: []string{question}},
		"and takes no notice": {Ignored: []string{question}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, outcomes := consenting(t, client, 1)
				for range 2 {
					if err := ask(e, nil).Wait(nil); err != nil {
						t.Fatal(err)
					}
				}
				if n := e.Asked(question); n != 1 {
					t.Errorf("asked %d times", n)
				}
				for _, outcome := range *outcomes {
					if !strings.HasPrefix(outcome, "false this editor cannot ask you") {
						t.Errorf("%q", outcome)
					}
				}
			})
		})
	}
}
