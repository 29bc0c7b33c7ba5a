package server_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
	"lacuna/server/editortest"
)

// The session with a workspace whose model does what a test says. What the models of a real
// workspace do is tested over HTTP in package editortest.

const question = "How is gout treated in pregnancy?\n"

// pages makes a library of texts.
func pages(t *testing.T, texts ...string) *knowledge.Library {
	t.Helper()
	var passages []*passage.Passage
	for i, text := range texts {
		passages = append(passages, &passage.Passage{
			ID: passage.IDOf(text), Source: "kb", Record: fmt.Sprint(i), Document: fmt.Sprint(i),
			Kind: passage.Text, Format: passage.Plain, Text: text,
		})
	}
	library, err := knowledge.Build(t.Context(), passages, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return library
}

const goutPage = "Gout is treated with rest, ice and an anti-inflammatory medicine."

var missing = gap.Gap{
	ID: gap.IDOf(gap.MissingKnowledge, "safety of colchicine in pregnancy"), Code: gap.MissingKnowledge,
	Text: "safety of colchicine in pregnancy", Query: "colchicine pregnancy safety", Status: gap.Open, Probability: 0.8,
}

// missed is the result of a model that read the evidence and found this missing.
func missed(q answer.Question, gaps ...gap.Gap) answer.Result {
	return answer.Result{
		Question: q, System: "misknow/merged", State: answer.Nearest,
		Statements: []answer.Statement{{Basis: answer.Unsupported, Text: "Gout may be treated."}},
		Gaps:       gaps, Models: []string{"scripted"},
		Trace: []answer.Step{
			{Stage: answer.StageRetrieve, Outcome: answer.OK},
			{Stage: answer.StageJudge, Outcome: answer.OK, Model: "scripted"},
		},
	}
}

// modelled is a workspace with pages and a model.
func modelled(t *testing.T, answerWay func(ctx context.Context, q answer.Question, way answer.Request) (answer.Result, error)) *fakeWorkspace {
	return &fakeWorkspace{
		root: filepath.FromSlash("/notes"), library: pages(t, goutPage), indexDir: t.TempDir(),
		models: handlers.Models{Configured: true, Host: "model.example:443", Remote: true}, answerWay: answerWay,
	}
}

// ask begins to have the first question of the note answered.
func ask(e *editortest.Editor, extra map[string]any) *editortest.Pending {
	return command(e, "lacuna.answerQuestion", extra)
}

func command(e *editortest.Editor, name string, extra map[string]any) *editortest.Pending {
	first := note.Parse(e.Text(noteURI), note.Markdown).Questions[0]
	arguments := map[string]any{"v": 1, "uri": noteURI, "question": first.ID}
	for key, value := range extra {
		arguments[key] = value
	}
	return e.Begin("workspace/executeCommand", map[string]any{"command": name, "arguments": []any{arguments}})
}

// opened starts an editor on a workspace with the question in a note, and lets it come to rest.
func opened(t *testing.T, w *fakeWorkspace, o editortest.Options) *editortest.Editor {
	t.Helper()
	e, _ := serve(t, w, o)
	e.Start("/notes")
	e.Open(noteURI, "markdown", question)
	rest()
	return e
}

// rest lets everything that is under way end.
func rest() {
	time.Sleep(time.Minute)
	synctest.Wait()
}

func TestProgressComesTenTimesASecond(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, way answer.Request) (answer.Result, error) {
		text := ""
		for range 1000 {
			text += "word "
			way.Watch(answer.Progress{Stage: answer.StageRead, Done: 2, Total: 3, Text: text})
			time.Sleep(2 * time.Millisecond)
		}
		return missed(q), nil
	})
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		before := len(e.Progress())
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		reports := e.Progress()[before:]
		if n := len(reports); n < 15 || n > 25 {
			t.Errorf("%d reports in two seconds", n)
		}
		last := uint32(0)
		for _, r := range reports[:len(reports)-1] {
			if *r.Value.Percentage < last {
				t.Errorf("the bar goes back from %d to %d", last, *r.Value.Percentage)
			}
			last = *r.Value.Percentage
		}
	})
}

func TestAClientWithoutProgressHearsNothing(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, way answer.Request) (answer.Result, error) {
		way.Watch(answer.Progress{Stage: answer.StageRead, Text: "word"})
		return missed(q, missing), nil
	})
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Options{Capabilities: map[string]any{"workspace": map[string]any{"applyEdit": true}}})
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		rest()
		for _, seen := range e.Seen() {
			if seen != published && seen != "workspace/applyEdit" && !strings.HasPrefix(seen, "reply") {
				t.Errorf("sent %s", seen)
			}
		}
	})
}

// TestQuickCommandsDoNotWaitForModels dismisses a gap while more questions than any lane is wide are
// being answered.
func TestQuickCommandsDoNotWaitForModels(t *testing.T) {
	w := modelled(t, func(ctx context.Context, _ answer.Question, _ answer.Request) (answer.Result, error) {
		<-ctx.Done()
		return answer.Result{}, ctx.Err()
	})
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		for range 10 {
			ask(e, nil)
		}
		synctest.Wait()
		if err := command(e, "lacuna.dismissGap", map[string]any{"code": "missing-topic"}).Wait(nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantCodes(t, e, "after the dismissal")
	})
}

func TestSettingsChangeWhileAModelAnswers(t *testing.T) {
	release := make(chan struct{})
	w := modelled(t, nil)
	synctest.Test(t, func(t *testing.T) {
		release = make(chan struct{})
		w.answerWay = func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
			<-release
			return missed(q, missing), nil
		}
		e := opened(t, w, editortest.Rich())
		pending := ask(e, nil)
		synctest.Wait()
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"lacuna": map[string]any{}}})
		rest()
		close(release)
		if err := pending.Wait(nil); err != nil {
			t.Fatal(err)
		}
		rest()
		if !slices.Contains(codes(e), "missing-knowledge") || !strings.Contains(e.Text(noteURI), "Gout may be treated.") {
			t.Errorf("diagnostics %q, note:\n%s", codes(e), e.Text(noteURI))
		}
	})
}
