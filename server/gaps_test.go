package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/server/editortest"
)

// codes returns the codes of the diagnostics that are shown.
func codes(e *editortest.Editor) []string {
	shown := []string{}
	for _, d := range e.Diagnostics(noteURI).Diagnostics {
		shown = append(shown, fmt.Sprint(d.Code))
	}
	return shown
}

func wantCodes(t *testing.T, e *editortest.Editor, when string, want ...string) {
	t.Helper()
	if got := codes(e); !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("%s the diagnostics are %q, want %q", when, got, want)
	}
}

func TestAModelsJudgementTakesThePlaceOfTheOfflineJudges(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q, missing), nil
	})
	other := pages(t, goutPage, "Asthma is treated with inhaled medicines.")
	filled := pages(t, goutPage, "Safety of colchicine in pregnancy: colchicine is held to be safe in pregnancy.")
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		wantCodes(t, e, "before a model has judged", "missing-topic")
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		rest()
		if !slices.Contains(codes(e), "missing-knowledge") || slices.Contains(codes(e), "missing-topic") {
			t.Errorf("after it has: %q", codes(e))
		}
		messages := len(e.Messages())
		w.publish(other)
		rest()
		if !slices.Contains(codes(e), "missing-knowledge") {
			t.Errorf("after a page on something else: %q", codes(e))
		}
		w.publish(filled)
		rest()
		if slices.Contains(codes(e), "missing-knowledge") {
			t.Errorf("after the page that was missing: %q", codes(e))
		}
		w.publish(other)
		rest()
		if !slices.Contains(codes(e), "missing-knowledge") {
			t.Errorf("after that page has gone again: %q", codes(e))
		}
		if got := e.Messages()[messages:]; len(got) > 0 {
			t.Errorf("messages about it: %v", got)
		}
	})
}

func TestAModelsGapsSurviveARestart(t *testing.T) {
	answerWay := func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q, missing), nil
	}
	w := modelled(t, answerWay)
	again := modelled(t, answerWay)
	again.indexDir, again.library = w.indexDir, w.library
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		rest()
		e.Close()
		synctest.Wait()
		e = opened(t, again, editortest.Rich())
		wantCodes(t, e, "after a restart", "missing-knowledge")
		if err := command(e, "lacuna.dismissGap", map[string]any{"gap": missing.ID}).Wait(nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantCodes(t, e, "after the gap was dismissed")
		if err := command(e, "lacuna.restoreGap", map[string]any{"gap": missing.ID}).Wait(nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantCodes(t, e, "after it was restored", "missing-knowledge")
		e.Change(noteURI, insert(0, 0, "When and "))
		rest()
		wantCodes(t, e, "after the question has become another", "missing-topic")
	})
}

// TestQuestionsThatAreGoneAreForgotten saves a note without its question: only then it is gone.
func TestQuestionsThatAreGoneAreForgotten(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q, missing), nil
	})
	remembered := func() int {
		stored, err := ledger.Open(w.indexDir)
		if err != nil {
			t.Fatal(err)
		}
		return len(stored.OpenGaps(w.library))
	}
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		e.Change(noteURI, lsp.ContentChange{Text: "Nothing is asked.\n"})
		rest()
		if remembered() != 1 {
			t.Error("forgotten before the note was saved")
		}
		e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": noteURI}})
		rest()
		if remembered() != 0 {
			t.Error("remembered although the note was saved without the question")
		}
	})
}

// TestNotesSavedAndClosedAreRemembered saves a note and closes it in the next moment, as when the user saves
// and quits: what was found missing stays.
func TestNotesSavedAndClosedAreRemembered(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q, missing), nil
	})
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		for range 50 { // saving forgets in the background
			e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": noteURI}})
			text := e.CloseBuffer(noteURI)
			rest()
			e.Open(noteURI, "markdown", text)
			rest()
		}
		stored, err := ledger.Open(w.indexDir)
		if err != nil {
			t.Fatal(err)
		}
		if open := stored.OpenGaps(w.library); len(open) != 1 {
			t.Errorf("%d gaps are remembered, want 1", len(open))
		}
	})
}

// TestNotesThatAreGoneAreForgotten has remembered gaps of a note that was deleted, of one on a drive that
// is not there today, and of one without a file.
func TestNotesThatAreGoneAreForgotten(t *testing.T) {
	folder, index := t.TempDir(), t.TempDir()
	library := pages(t, goutPage)
	names := []string{filepath.Join(folder, "kept.md"), filepath.Join(folder, "deleted.md"), filepath.Join(folder, "drive", "away.md"), "untitled:1"}
	if err := os.WriteFile(names[0], []byte(question), 0o600); err != nil {
		t.Fatal(err)
	}
	stored, err := ledger.Open(index)
	if err != nil {
		t.Fatal(err)
	}
	id := note.Parse(question, note.Markdown).Questions[0].ID
	for _, name := range names {
		asked := ledger.QuestionRef{Note: name, Question: string(id), Text: strings.TrimSpace(question)}
		if err := stored.Learn(t.Context(), library, asked, ledger.Judgement{System: "misknow/merged", Gaps: []gap.Gap{missing}}); err != nil {
			t.Fatal(err)
		}
	}
	remembered := func() string {
		if _, err := stored.Reload(); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, open := range stored.OpenGaps(library) {
			left = append(left, filepath.Base(open.Ref.Note))
		}
		return strings.Join(left, " ")
	}
	synctest.Test(t, func(t *testing.T) {
		w := modelled(t, nil)
		w.indexDir, w.library = index, library
		e, _ := serve(t, w, editortest.Rich())
		e.Start(folder)
		e.Open("untitled:1", "markdown", question)
		rest()
		if got := remembered(); got != "away.md kept.md untitled:1" {
			t.Errorf("remembered after opening: %s", got)
		}
		e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "untitled:1"}})
		rest()
		if got := remembered(); got != "away.md kept.md" {
			t.Errorf("remembered after closing the note without a file: %s", got)
		}
	})
}

// TestWhatAnAnswerFindsIsShownWhileItRuns has the answer fail or be cancelled after it has shown a
// gap: nothing of it stays.
func TestWhatAnAnswerFindsIsShownWhileItRuns(t *testing.T) {
	for name, outcome := range map[string]func(ctx context.Context, q answer.Question) (answer.Result, error){
		"cancelled": func(ctx context.Context, _ answer.Question) (answer.Result, error) {
			<-ctx.Done()
			return answer.Result{}, ctx.Err()
		},
		"failed": func(context.Context, answer.Question) (answer.Result, error) {
			return answer.Result{}, errors.New("the disk is gone")
		},
		"tool failure": func(_ context.Context, q answer.Question) (answer.Result, error) {
			return answer.Result{Question: q, System: "misknow/merged", State: answer.Nothing, Reason: answer.ToolFailure}, nil
		},
		"panic": func(context.Context, answer.Question) (answer.Result, error) { panic("a bug") },
	} {
		t.Run(name, func(t *testing.T) {
			w := modelled(t, func(ctx context.Context, q answer.Question, way answer.Request) (answer.Result, error) {
				known := answer.Result{Question: q, Gaps: []gap.Gap{missing}}
				way.Watch(answer.Progress{Stage: answer.StageJudge, Done: 2, Total: 3, Known: &known})
				time.Sleep(time.Second)
				return outcome(ctx, q)
			})
			synctest.Test(t, func(t *testing.T) {
				e := opened(t, w, editortest.Rich())
				pending := ask(e, nil)
				time.Sleep(500 * time.Millisecond)
				synctest.Wait()
				if !slices.Contains(codes(e), "missing-knowledge") {
					t.Errorf("while it runs: %q", codes(e))
				}
				if name == "cancelled" {
					e.Cancel(pending)
				}
				if err := pending.Wait(nil); err == nil {
					t.Error("the command succeeded")
				}
				rest()
				wantCodes(t, e, "afterwards", "missing-topic")
			})
		})
	}
}

func TestOpenGapsAreReported(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Request) (answer.Result, error) {
		return missed(q, missing), nil
	})
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		e.Open("file:///notes/other.md", "markdown", "What is asthma?\n")
		rest()
		if err := command(e, "lacuna.showGaps", nil).Wait(nil); err != nil {
			t.Fatal(err)
		}
		shown := e.Shown()
		if len(shown) != 1 {
			t.Fatalf("shown %v", shown)
		}
		file, _ := lsp.Path(shown[0])
		if filepath.Base(file) != messages.GapReportHead+".md" {
			t.Errorf("the report is in %s", file)
		}
		report, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{missing.Text, "What is asthma?"} {
			if !strings.Contains(string(report), want) {
				t.Errorf("the report lacks %q:\n%s", want, report)
			}
		}
		e.Open(shown[0], "markdown", "What is asthma?\n") // as an editor does that shows it
		rest()
		if n := len(e.Diagnostics(shown[0]).Diagnostics); n > 0 {
			t.Errorf("the report itself has %d diagnostics", n)
		}
	})
}
