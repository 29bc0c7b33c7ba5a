package server_test

import (
	"context"
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
	"lacuna/handlers/messages"
	"lacuna/handlers/outgoing"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/server/editortest"
	"lacuna/server/folders"
)

// outward is a request to another machine.
var outward = llm.Outbound{Host: "model.example:443", Model: "big", Role: llm.Reader, Stage: "draft", Body: []byte(`{"messages":["the very bytes"]}`)}

// consenting serves a workspace whose answer needs consent as often as asks says, at once.
func consenting(t *testing.T, o editortest.Options, asks int) (*editortest.Editor, *[]string) {
	t.Helper()
	var outcomes []string
	var writing sync.Mutex
	library, dir := pages(t, goutPage), t.TempDir()
	open := func(_ context.Context, r folders.OpenRequest) (folders.Workspace, error) {
		return &fakeWorkspace{
			root: filepath.FromSlash("/notes"), library: library, indexDir: dir, settings: settings.Default(),
			models: handlers.Models{Configured: true, Remote: true},
			ask: func(ctx context.Context, q answer.Question) (answer.Result, error) {
				if _, err := r.Consent(ctx, outward); err == nil {
					t.Error("background work may ask a person")
				}
				return unknown(q), nil
			},
			answerWay: func(ctx context.Context, q answer.Question, request answer.Request) (answer.Result, error) {
				results := make(chan string, asks)
				for range asks {
					go func() {
						send, err := request.Permit(ctx, outward)
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
				if !strings.Contains(asking.Message, outward.Host) || !slices.Equal(asking.Items, []string{"Show what would be sent", "Send", "Not now"}) {
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

func TestConsentShowsTheRequest(t *testing.T) {
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
		path, _ := lsp.Path(shown[0])
		content, err := os.ReadFile(path)
		if err != nil || string(content) != "# What would be sent to "+outward.Host+"\n\n"+outgoing.Page([]llm.Outbound{outward})+"\n" {
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
			if !strings.HasPrefix(outcome, "false") || !strings.Contains(outcome, messages.ErrNotAllowed.Error()) {
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

// TestWaitingForAPersonIsNotAnswering has the status say what is at work: a question that was put away without an
// answer would otherwise be "answering" until the editor is closed.
func TestWaitingForAPersonIsNotAnswering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := consenting(t, editortest.Rich(), 2)
		answering := func() int {
			var status struct{ Answering int }
			if err := command(e, "lacuna.status", nil).Wait(&status); err != nil {
				t.Fatal(err)
			}
			return status.Answering
		}
		pending := ask(e, nil)
		rest()
		if len(e.Asking()) != 1 || answering() != 0 {
			t.Errorf("%d asked, %d answering", len(e.Asking()), answering())
		}
		e.Choose("Send")
		if err := pending.Wait(nil); err != nil {
			t.Fatal(err)
		}
		if n := answering(); n != 0 {
			t.Errorf("%d answering at the end", n)
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

func TestConsentIsForgotten(t *testing.T) {
	w := modelled(t, nil)
	synctest.Test(t, func(t *testing.T) {
		e := opened(t, w, editortest.Rich())
		if err := command(e, "lacuna.forgetConsent", nil).Wait(nil); err != nil || !w.forgotten {
			t.Errorf("forgotten %v, %v", w.forgotten, err)
		}
	})
}
