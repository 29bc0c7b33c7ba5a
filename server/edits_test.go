package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/server/editortest"
)

// kind is a way in which an editor may tell of an edit that it was asked for.
type kind struct {
	name string
	is   func(*editortest.Options)
}

var editors = []kind{
	{"before the reply", func(o *editortest.Options) { o.ChangeBeforeReply = true }},
	{"after the reply", func(*editortest.Options) {}},
	{"long after the reply", func(o *editortest.Options) { o.Debounce = 150 * time.Millisecond }},
	{"long after the reply, and old edits are dropped", func(o *editortest.Options) {
		o.Debounce, o.DropsOldEdits = 150*time.Millisecond, true
	}},
	{"as a whole", func(o *editortest.Options) { o.FullSync = true }},
}

// late tells of an edit only when its command has ended long ago.
var late = kind{"when the command has ended", func(o *editortest.Options) { o.Debounce = 3 * time.Second }}

const threeQuestions = "Of today.\n\nHow is gout treated?\n\nHow is asthma treated?\n\nHow is scurvy treated?\n"

// inEachEditor runs a test with a session in which every question is answered at the same moment.
func inEachEditor(t *testing.T, editors []kind, test func(t *testing.T, e *editortest.Editor, answerAll func() []*editortest.Pending)) {
	for _, editor := range editors {
		t.Run(editor.name, func(t *testing.T) {
			w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
				time.Sleep(time.Second)
				return missed(q), nil
			})
			synctest.Test(t, func(t *testing.T) {
				options := editortest.Rich()
				editor.is(&options)
				e, _ := serve(t, w, options)
				e.Start("/notes")
				e.Open(noteURI, "markdown", threeQuestions)
				rest()
				test(t, e, func() (all []*editortest.Pending) {
					for _, q := range note.Parse(e.Text(noteURI), note.Markdown).Questions {
						all = append(all, e.Begin("workspace/executeCommand", map[string]any{
							"command": "lacuna.answerQuestion", "arguments": []any{map[string]any{"v": 1, "uri": noteURI, "question": q.ID}},
						}))
					}
					return all
				})
			})
		})
	}
}

// wantAnswers checks that every command has succeeded and that each question has its answer, once.
func wantAnswers(t *testing.T, e *editortest.Editor, all []*editortest.Pending) {
	t.Helper()
	for _, pending := range all {
		if err := pending.Wait(nil); err != nil {
			t.Error(err)
		}
	}
	text := e.Text(noteURI)
	parsed := note.Parse(text, note.Markdown)
	for _, q := range parsed.Questions {
		if q.Answer < 0 {
			t.Errorf("%q has no answer in:\n%s", q.Text, text)
		}
	}
	if len(parsed.Questions) != 3 || len(parsed.Answers) != 3 {
		t.Errorf("%d questions and %d answers in:\n%s", len(parsed.Questions), len(parsed.Answers), text)
	}
	if said := e.Messages(); len(said) > 0 {
		t.Errorf("said %v", said)
	}
}

func TestThreeAnswersAtTheSameMoment(t *testing.T) {
	inEachEditor(t, append(editors, late), func(t *testing.T, e *editortest.Editor, answerAll func() []*editortest.Pending) {
		wantAnswers(t, e, answerAll())
		rest()
	})
}

// TestAnswersWhileSomebodyTypes types all the time, in an editor that tells of it a while later.
func TestAnswersWhileSomebodyTypes(t *testing.T) {
	inEachEditor(t, editors, func(t *testing.T, e *editortest.Editor, answerAll func() []*editortest.Pending) {
		all := answerAll()
		typed := ""
		for i := range 20 {
			word := fmt.Sprintf("word%d ", i)
			typed = word + typed
			e.Type(noteURI, lsp.ContentChange{Range: &protocol.Range{}, Text: word})
			time.Sleep(100 * time.Millisecond)
		}
		rest()
		wantAnswers(t, e, all)
		if text := e.Text(noteURI); !strings.HasPrefix(text, typed+"Of today.") {
			t.Errorf("what was typed is lost in:\n%s", text)
		}
	})
}

// TestARefusedEditIsOfferedAndNotTriedAgain has an editor refuse for a reason of its own.
func TestARefusedEditIsOfferedAndNotTriedAgain(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q), nil
	})
	synctest.Test(t, func(t *testing.T) {
		options := editortest.Rich()
		options.RefuseEdits = true
		e := opened(t, w, options)
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		asked := e.Asked(protocol.MethodWorkspaceApplyEdit)
		if asked != 1 || len(e.Shown()) != 1 || e.Text(noteURI) != question {
			t.Errorf("asked %d times, shown %v, note:\n%s", asked, e.Shown(), e.Text(noteURI))
		}
	})
}

// TestAnEditThatNobodyTellsOf has an editor that tells of nothing while it waits for a command.
func TestAnEditThatNobodyTellsOf(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q), nil
	})
	synctest.Test(t, func(t *testing.T) {
		options := editortest.Rich()
		options.Debounce = time.Minute
		e := opened(t, w, options)
		begun := time.Now()
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("the command took %v", took)
		}
		if n := strings.Count(e.Text(noteURI), "<!-- lacuna "); n != 1 {
			t.Errorf("%d answers in:\n%s", n, e.Text(noteURI))
		}
		time.Sleep(options.Debounce)
	})
}

// TestTurnsEndWithTheirCommands cancels a command that waits for its turn behind one whose edit a person
// looks at.
func TestTurnsEndWithTheirCommands(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q), nil
	})
	synctest.Test(t, func(t *testing.T) {
		options := editortest.Rich()
		look := make(chan struct{})
		options.BeforeEdit = func() { <-look }
		e := opened(t, w, options)
		first := ask(e, nil)
		synctest.Wait()
		second := ask(e, nil)
		synctest.Wait()
		e.Cancel(second)
		close(look)
		if err := second.Wait(nil); err == nil {
			t.Error("the cancelled command succeeded")
		}
		if err := first.Wait(nil); err != nil {
			t.Error(err)
		}
		if n := e.Asked(protocol.MethodWorkspaceApplyEdit); n != 1 {
			t.Errorf("%d edits", n)
		}
	})
}
