package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/server"
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
		Question: q, System: "misknow/merged", State: answer.Possibly,
		Statements: []answer.Statement{{Basis: answer.Unsupported, Text: "Gout may be treated."}},
		Gaps:       gaps, Models: []string{"scripted"},
		Trace: []answer.Step{
			{Stage: answer.StageRetrieve, Outcome: answer.OK},
			{Stage: answer.StageJudge, Outcome: answer.OK, Model: "scripted"},
		},
	}
}

// modelled is a workspace with pages and a model.
func modelled(t *testing.T, answerWay func(ctx context.Context, q answer.Question, way answer.Way) (answer.Result, error)) *fakeWorkspace {
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

// codes are the codes of the diagnostics that are shown.
func codes(e *editortest.Editor) []string {
	shown := []string{}
	for _, d := range e.Diagnostics(noteURI).Diagnostics {
		shown = append(shown, fmt.Sprint(d.Code))
	}
	return shown
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

func wantCodes(t *testing.T, e *editortest.Editor, when string, want ...string) {
	t.Helper()
	if got := codes(e); !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("%s the diagnostics are %q, want %q", when, got, want)
	}
}

func TestAModelsJudgementTakesThePlaceOfTheOfflineJudges(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Way) (answer.Result, error) {
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
	answerWay := func(_ context.Context, q answer.Question, _ answer.Way) (answer.Result, error) {
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
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Way) (answer.Result, error) {
		return missed(q, missing), nil
	})
	remembered := func() int {
		ledger, err := gap.OpenLedger(w.indexDir)
		if err != nil {
			t.Fatal(err)
		}
		return len(ledger.Open(w.library))
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

// TestNotesThatAreGoneAreForgotten has remembered gaps of a note that was deleted, of one on a drive that
// is not there today, and of one without a file.
func TestNotesThatAreGoneAreForgotten(t *testing.T) {
	folder, index := t.TempDir(), t.TempDir()
	library := pages(t, goutPage)
	names := []string{filepath.Join(folder, "kept.md"), filepath.Join(folder, "deleted.md"), filepath.Join(folder, "drive", "away.md"), "untitled:1"}
	if err := os.WriteFile(names[0], []byte(question), 0o600); err != nil {
		t.Fatal(err)
	}
	ledger, err := gap.OpenLedger(index)
	if err != nil {
		t.Fatal(err)
	}
	id := note.Parse(question, note.Markdown).Questions[0].ID
	for _, name := range names {
		asked := gap.Asked{Note: name, Question: string(id), Text: strings.TrimSpace(question)}
		if err := ledger.Learn(t.Context(), library, asked, gap.Judgement{System: "misknow/merged", Gaps: []gap.Gap{missing}}); err != nil {
			t.Fatal(err)
		}
	}
	remembered := func() string {
		if _, err := ledger.Reload(); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, open := range ledger.Open(library) {
			left = append(left, filepath.Base(open.Asked.Note))
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
			w := modelled(t, func(ctx context.Context, q answer.Question, way answer.Way) (answer.Result, error) {
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

func TestProgressComesTenTimesASecond(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, way answer.Way) (answer.Result, error) {
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
	w := modelled(t, func(_ context.Context, q answer.Question, way answer.Way) (answer.Result, error) {
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

// outward is a request to another machine.
var outward = llm.Outbound{Host: "model.example:443", Model: "big", Role: llm.Reader, Stage: "draft", Body: []byte(`{"messages":["the very bytes"]}`)}

// consenting serves a workspace whose answer needs consent as often as asks says, at once.
func consenting(t *testing.T, o editortest.Options, asks int) (*editortest.Editor, *[]string) {
	t.Helper()
	var outcomes []string
	var writing sync.Mutex
	library, dir := pages(t, goutPage), t.TempDir()
	open := func(_ context.Context, r server.OpenRequest) (server.Workspace, error) {
		return &fakeWorkspace{
			root: filepath.FromSlash("/notes"), library: library, indexDir: dir, settings: settings.Default(),
			models: handlers.Models{Configured: true, Remote: true},
			ask: func(ctx context.Context, q answer.Question) (answer.Result, error) {
				if _, err := r.Consent(ctx, outward); err == nil {
					t.Error("background work may ask a person")
				}
				return unknown(q), nil
			},
			answerWay: func(ctx context.Context, q answer.Question, _ answer.Way) (answer.Result, error) {
				results := make(chan string, asks)
				for range asks {
					go func() {
						send, err := r.Consent(ctx, outward)
						results <- fmt.Sprint(send, " ", err)
					}()
				}
				for range asks {
					outcome := <-results
					writing.Lock()
					outcomes = append(outcomes, outcome)
					writing.Unlock()
				}
				return missed(q), ctx.Err()
			},
		}, nil
	}
	e, _ := serveOpen(t, open, o)
	e.Start("/notes")
	e.Open(noteURI, "markdown", question)
	rest()
	return e, &outcomes
}

func TestConsentIsAskedOnceForACommand(t *testing.T) {
	for choice, want := range map[string]string{"Send": "true <nil>", "Not now": "false <nil>", "": "false <nil>"} {
		t.Run(choice, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, outcomes := consenting(t, editortest.Rich(), 3)
				if n := len(e.Asking()); n != 0 {
					t.Fatalf("%d questions before anything was asked for", n)
				}
				pending := ask(e, nil)
				time.Sleep(24 * time.Hour) // a person is out for lunch
				if n := len(e.Asking()); n != 1 {
					t.Errorf("%d questions at once, want one", n)
				}
				asking := e.Choose(choice)
				if !strings.Contains(asking.Message, outward.Host) || !slices.Equal(asking.Items, []string{"Send", "Show what would be sent", "Not now"}) {
					t.Errorf("asked %+v", asking)
				}
				if err := pending.Wait(nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(*outcomes, []string{want, want, want}) {
					t.Errorf("outcomes %q, want %q each", *outcomes, want)
				}
			})
		})
	}
}

// TestOneQuestionForAHostAtATime has two commands want to send to the same host.
func TestOneQuestionForAHostAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := consenting(t, editortest.Rich(), 2)
		first, second := ask(e, nil), ask(e, nil)
		for range 2 {
			rest()
			if n := len(e.Asking()); n != 1 {
				t.Errorf("%d questions at once, want one", n)
			}
			e.Choose("Not now")
		}
		for _, pending := range []*editortest.Pending{first, second} {
			if err := pending.Wait(nil); err != nil {
				t.Error(err)
			}
		}
		if n := len(e.Asking()); n != 0 {
			t.Errorf("%d questions are left", n)
		}
	})
}

func TestConsentShowsTheVeryBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, outcomes := consenting(t, editortest.Rich(), 1)
		pending := ask(e, nil)
		e.Choose("Show what would be sent")
		e.Choose("Send") // it is asked again
		if err := pending.Wait(nil); err != nil {
			t.Fatal(err)
		}
		shown := e.Shown()
		if len(shown) != 1 || (*outcomes)[0] != "true <nil>" {
			t.Fatalf("shown %v, outcomes %q", shown, *outcomes)
		}
		path := strings.TrimPrefix(string(shown[0]), "file://")
		content, err := os.ReadFile(path)
		if err != nil || string(content) != string(outward.Body) {
			t.Errorf("shown %q, %v", content, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
}

func TestAClientThatCannotAskIsToldHowToAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, outcomes := consenting(t, editortest.Options{}, 2)
		if err := ask(e, nil).Wait(nil); err != nil {
			t.Log(err) // it cannot edit either
		}
		for _, outcome := range *outcomes {
			if !strings.HasPrefix(outcome, "false") || !strings.Contains(outcome, handlers.ErrNotAllowed.Error()) {
				t.Errorf("outcome %q", outcome)
			}
		}
		if len(*outcomes) != 2 || len(e.Asking()) != 0 {
			t.Errorf("outcomes %q, asked %v", *outcomes, e.Asking())
		}
	})
}

func TestTheQuestionEndsWithTheCommand(t *testing.T) {
	for _, how := range []string{"cancel", "progress", "shutdown"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, outcomes := consenting(t, editortest.Rich(), 2)
				pending := ask(e, nil)
				rest()
				switch how {
				case "cancel":
					e.Cancel(pending)
				case "progress":
					progress := e.Progress()
					e.Notify("window/workDoneProgress/cancel", map[string]any{"token": progress[len(progress)-1].Token})
				case "shutdown":
					e.MustCall("shutdown", nil, nil)
				}
				if err := pending.Wait(nil); err == nil {
					t.Error("the command succeeded")
				}
				synctest.Wait()
				if len(e.Asking()) != 0 {
					t.Errorf("still asking %v", e.Asking())
				}
				for _, outcome := range *outcomes {
					if strings.HasPrefix(outcome, "true") {
						t.Errorf("outcome %q", outcome)
					}
				}
			})
		})
	}
}

// TestQuickCommandsDoNotWaitForModels dismisses a gap while more questions than any lane is wide are
// being answered.
func TestQuickCommandsDoNotWaitForModels(t *testing.T) {
	w := modelled(t, func(ctx context.Context, _ answer.Question, _ answer.Way) (answer.Result, error) {
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
		w.answerWay = func(_ context.Context, q answer.Question, _ answer.Way) (answer.Result, error) {
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

// TestTheSystemIsChosenFromAMenu takes the first of the menu, which needs no model.
func TestTheSystemIsChosenFromAMenu(t *testing.T) {
	w := modelled(t, nil)
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		for _, choose := range []bool{false, true} {
			pending := command(e, "lacuna.answerWith", nil)
			synctest.Wait()
			title := ""
			if choose {
				title = e.Asking()[0].Items[0]
			}
			e.Choose(title)
			var outcome struct{ Done bool }
			if err := pending.Wait(&outcome); err != nil || outcome.Done != choose {
				t.Errorf("with the choice %q: done %v, %v", title, outcome.Done, err)
			}
		}
	})
}

func TestOpenGapsAreReported(t *testing.T) {
	w := modelled(t, func(_ context.Context, q answer.Question, _ answer.Way) (answer.Result, error) {
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
		report, err := os.ReadFile(strings.TrimPrefix(string(shown[0]), "file://"))
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

func TestConsentIsForgotten(t *testing.T) {
	w := modelled(t, nil)
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		if err := command(e, "lacuna.forgetConsent", nil).Wait(nil); err != nil || !w.forgotten {
			t.Errorf("forgotten %v, %v", w.forgotten, err)
		}
	})
}
