package editortest_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/server"
	"lacuna/server/editortest"
	"lacuna/server/folders"
	"lacuna/server/workspace"
)

// pages holds the sources of the sessions of this file, by the names of their files.
var pages = map[string]string{
	"gout.md":       "# Gout\n\nGout is treated with rest, ice and an anti-inflammatory medicine. Colchicine is given for attacks of gout.\n\n## Prevention\n\nAllopurinol prevents attacks of gout.\n",
	"colchicine.md": "# Colchicine\n\nColchicine is given for attacks of gout. The dose of colchicine is lowered in kidney disease.\n",
	"asthma.md":     "# Asthma\n\nAsthma is treated with inhaled medicines. A reliever inhaler opens the airways at once.\n",
	"diabetes.md":   "# Diabetes\n\nMetformin is the first medicine for type 2 diabetes. Its dose is lowered in kidney disease.\n",
}

const visit = "How are attacks of gout treated?\n\nWhich medicine opens the airways at once?\n"

// modelSession is a whole session with a model server: the real workspace, real HTTP, a fake editor.
type modelSession struct {
	t      *testing.T
	model  *llmtest.Server
	editor *editortest.Editor
	uri    protocol.DocumentURI
	folder string
	end    func() // ends the session in good order and waits for it; may be called twice
}

// startSession starts one with a note that asks two questions, once its index is ready. settings are
// lines for the table [model] of the user's settings file.
func startSession(t *testing.T, model *llmtest.Server, settings ...string) *modelSession {
	t.Helper()
	folder := scratchFolder(t)
	write := func(name, text string) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range pages {
		write("notes/kb/"+name, text)
	}
	write("notes/visit.md", visit)
	config := append([]string{
		fmt.Sprintf("index.dir = %q", filepath.Join(folder, "index")), "[model]", `model = "scripted"`,
	}, settings...)
	if !strings.Contains(strings.Join(settings, "\n"), "base_url") {
		config = append(config, fmt.Sprintf("base_url = %q", model.URL()))
	}
	write("config.toml", strings.Join(config, "\n")+"\n")

	root := filepath.Join(folder, "notes")
	gate := newGate()
	ours, theirs := net.Pipe()
	ended := make(chan int, 1)
	options := server.Options{Log: logTo(t), Open: func(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) {
		w, err := workspace.Open(ctx, workspace.Request{
			Root: root, UserFile: filepath.Join(folder, "config.toml"), Editor: r.Editor, Consent: r.Consent,
		})
		if err != nil {
			return nil, err
		}
		return gate.guard(w), nil
	}}
	go func() { ended <- server.Serve(context.Background(), ours, options) }()
	s := &modelSession{t: t, model: model, editor: editortest.Connect(t, theirs, editortest.Rich()), folder: root}
	over := false
	s.end = func() {
		if over {
			return
		}
		over = true
		_ = s.editor.Call("shutdown", nil, nil) // the session may be down already
		s.editor.Notify("exit", nil)
		<-ended
		s.editor.Close()
		gate.closed()
	}
	t.Cleanup(s.end)
	s.editor.Start(root)
	s.uri = lsp.URI(filepath.Join(root, "visit.md"))
	s.editor.Open(s.uri, "markdown", visit)
	gate.await(func() bool { return gate.refreshed > 0 })
	return s
}

// ask begins to have a question of the note answered, the first being 0. Replies that were kept are
// not used.
func (s *modelSession) ask(question int, system string) *editortest.Pending {
	return s.begin(question, map[string]any{"system": system, "fresh": true})
}

func (s *modelSession) begin(question int, arguments map[string]any) *editortest.Pending {
	asked := note.Parse(s.editor.Text(s.uri), note.Markdown).Questions[question]
	arguments["v"], arguments["uri"], arguments["question"] = 1, s.uri, asked.ID
	return s.editor.Begin("workspace/executeCommand", map[string]any{
		"command": "lacuna.answerQuestion", "arguments": []any{arguments},
	})
}

// alive checks that the session still answers.
func (s *modelSession) alive() {
	s.t.Helper()
	params := about(s.uri)
	params["position"] = protocol.Position{Character: 3}
	var hover *protocol.Hover
	s.editor.MustCall("textDocument/hover", params, &hover)
	if hover == nil {
		s.t.Error("no hover on the question")
	}
}

// gaps returns the messages of the diagnostics of gaps that a model named.
func (s *modelSession) gaps() []string {
	var gaps []string
	for _, d := range s.editor.Diagnostics(s.uri).Diagnostics {
		if d.Code == "missing-knowledge" {
			gaps = append(gaps, d.Message)
		}
	}
	return gaps
}

// soon waits for a condition that holds after a while.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 5*time.Minute {
			t.Fatalf("not within five minutes: %s", what)
		}
	}
}

// stages holds the templates that each of the systems asks; first the one that names gaps.
var stages = []struct {
	system    string
	templates []string
}{
	{"misknow/merged", []string{"judge_gaps", "answer_context"}},
	{"medrgag", []string{"explore_gaps", "summarise_doc", "generate_doc", "select_docs", "answer_context"}},
}

// TestFaultsAtEveryStage breaks the model at each stage of both systems in a whole session. Whatever
// happens, the session lives, the user reads at most one line, something is written below the
// question, and no gap is shown that no model has named. The sessions mostly wait, so many of them run
// at once.
func TestFaultsAtEveryStage(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan struct{}, 16)
	for _, f := range llmtest.Faults() {
		if f.Name == "slow" {
			continue // that is no fault that anybody hears of
		}
		for _, of := range stages {
			all.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				t.Run(f.Name+" "+of.system, func(t *testing.T) {
					model := llmtest.New(t, llmtest.Obliging())
					s := startSession(t, model, `timeout = "1s"`)
					for _, template := range of.templates {
						model.Script(llmtest.Break(llmtest.Obliging(), f, template))
						s.fault(of.system, template)
					}
					s.end()
					soon(t, "the end of all connections", func() bool { open, _ := model.Conns(); return open == 0 })
				})
			})
		}
	}
}

func (s *modelSession) fault(system, stage string) {
	t := s.t
	t.Helper()
	before, named := len(s.editor.Messages()), s.gaps()
	err := s.ask(0, system).Wait(nil)
	s.alive()
	said := s.editor.Messages()[before:]
	if err != nil {
		t.Errorf("%s, %s: %v", system, stage, err)
	}
	if len(said) > 1 {
		t.Errorf("%s, %s: %d messages: %v", system, stage, len(said), said)
	}
	for _, m := range said {
		if strings.Count(strings.TrimSpace(m.Message), "\n") > 0 {
			t.Errorf("%s, %s: more than a line:\n%s", system, stage, m.Message)
		}
	}
	if !strings.Contains(s.editor.Text(s.uri), "<!-- lacuna ") {
		t.Errorf("%s, %s: nothing was written", system, stage)
	}
	if judges := stage == "judge_gaps" || stage == "explore_gaps"; judges && !slices.Equal(s.gaps(), named) {
		t.Errorf("%s, %s: gaps %q although nobody judged, before %q", system, stage, s.gaps(), named)
	}
	s.editor.Undo(s.uri)
}

// TestCancelClosesTheRequest cancels an answer while the model is silent: both ways reach the model
// server.
func TestCancelClosesTheRequest(t *testing.T) {
	for _, how := range []string{"request", "progress"} {
		t.Run(how, func(t *testing.T) {
			model := llmtest.New(t, llmtest.Break(llmtest.Obliging(), llmtest.Named("silent")))
			s := startSession(t, model)
			pending := s.ask(0, "misknow/merged")
			soon(t, "a call to the model", func() bool { return model.InFlight() == 1 })
			cancelled := time.Now()
			if how == "request" {
				s.editor.Cancel(pending)
			} else {
				s.editor.Notify("window/workDoneProgress/cancel", map[string]any{"token": s.token()})
			}
			if err := pending.Wait(nil); err == nil {
				t.Error("the command succeeded")
			}
			soon(t, "the end of the call", func() bool { return model.InFlight() == 0 })
			t.Logf("the model server saw the end %v after the cancel", time.Since(cancelled))
			if call := model.Calls()[0]; !call.Gone {
				t.Error("the model server does not know that the client went away")
			}
			if s.editor.Text(s.uri) != visit || len(s.gaps()) > 0 {
				t.Errorf("something stayed: gaps %q, note\n%s", s.gaps(), s.editor.Text(s.uri))
			}
		})
	}
}

// token is the token of the last command's progress.
func (s *modelSession) token() lsp.ProgressToken {
	var token lsp.ProgressToken
	for _, p := range s.editor.Progress() {
		if p.Value.Kind == "begin" && p.Value.Title == "Lacuna" {
			token = p.Token
		}
	}
	return token
}

// TestWhatIsShownIsWhatIsSent compares the document that a person sees before they allow it with the
// body that then arrives at the other machine.
func TestWhatIsShownIsWhatIsSent(t *testing.T) {
	model := llmtest.New(t, llmtest.Obliging())
	s := startSession(t, model, fmt.Sprintf(`base_url = "http://%s/v1"`, remoteHost), fmt.Sprintf("proxy = %q", model.Root()))
	pending := s.ask(0, "misknow/merged")
	s.editor.Choose("Show what would be sent")
	s.editor.Await("the document", func() bool { return s.editor.Came("window/showDocument") > 0 })
	if n := len(model.Calls()); n > 0 {
		t.Fatalf("%d calls before anything was allowed", n)
	}
	s.editor.Choose("Send")
	if err := pending.Wait(nil); err != nil {
		t.Fatal(err)
	}
	path, _ := lsp.Path(s.editor.Shown()[0])
	shown, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(shown), "\n```json\n")
	body, _, _ := strings.Cut(rest, "\n```\n")
	if sent := model.Calls()[0].Body; string(sent) != body {
		t.Errorf("shown:\n%s\nsent:\n%s", shown, sent)
	}
}

func TestShutdownWhileAModelAnswers(t *testing.T) {
	model := llmtest.New(t, llmtest.Break(llmtest.Obliging(), llmtest.Named("stalled")))
	s := startSession(t, model)
	pending := s.ask(0, "misknow/merged")
	soon(t, "a call to the model", func() bool { return model.InFlight() == 1 })
	s.editor.MustCall("shutdown", nil, nil)
	if err := pending.Wait(nil); err == nil {
		t.Error("the command succeeded")
	}
	s.end()
	soon(t, "the end of all connections", func() bool { open, _ := model.Conns(); return open == 0 })
}

// TestNoteEditedWhileAModelAnswers moves and changes the note under a running answer.
func TestNoteEditedWhileAModelAnswers(t *testing.T) {
	model := llmtest.New(t, slowed(llmtest.Obliging()))
	s := startSession(t, model)
	pending := s.ask(1, "misknow/merged")
	soon(t, "a call to the model", func() bool { return len(model.Calls()) > 0 })
	s.editor.Change(s.uri, lsp.ContentChange{Range: &protocol.Range{}, Text: "# A visit\n\nSome words.\n\n"})
	if err := pending.Wait(nil); err != nil {
		t.Fatal(err)
	}
	text := s.editor.Text(s.uri)
	n := note.Parse(text, note.Markdown)
	if !strings.HasPrefix(text, "# A visit\n\nSome words.\n\nHow are attacks") || n.Questions[0].Answer >= 0 || n.Questions[1].Answer < 0 {
		t.Errorf("the answer is not below its question:\n%s", text)
	}
}

func TestTwoQuestionsAtTheSameTime(t *testing.T) {
	model := llmtest.New(t, slowed(llmtest.Obliging()))
	s := startSession(t, model)
	first, second := s.ask(0, "misknow/merged"), s.ask(1, "misknow/merged")
	for _, pending := range []*editortest.Pending{first, second} {
		if err := pending.Wait(nil); err != nil {
			t.Error(err)
		}
	}
	text := s.editor.Text(s.uri)
	for _, q := range note.Parse(text, note.Markdown).Questions {
		if q.Answer < 0 {
			t.Errorf("%q has no answer in:\n%s", q.Text, text)
		}
	}
	together := 0
	for _, call := range model.Calls() {
		together = max(together, call.InFlight)
	}
	if together < 2 {
		t.Errorf("at most %d calls at once, want 2", together)
	}
}

// TestNothingIsLeftBehind has answers by models in a session and looks, after its end, for
// connections and goroutines.
func TestNothingIsLeftBehind(t *testing.T) {
	model := llmtest.New(t, llmtest.Obliging())
	before := runtime.NumGoroutine()
	s := startSession(t, model)
	for _, system := range []string{"misknow/merged", "medrgag", "direct"} {
		if err := s.ask(0, system).Wait(nil); err != nil {
			t.Error(err)
		}
	}
	model.Script(llmtest.Break(llmtest.Obliging(), llmtest.Named("stalled")))
	pending := s.ask(1, "medrgag")
	soon(t, "calls to the model", func() bool { return model.InFlight() > 1 })
	s.editor.Cancel(pending)
	s.end()
	soon(t, "the end of all connections", func() bool { open, _ := model.Conns(); return open == 0 })
	stacks := make([]byte, 1<<20)
	soonOr(t, func() bool { return runtime.NumGoroutine() <= before }, func() {
		t.Errorf("%d goroutines before the session, %d after it:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
	})
}

func soonOr(t *testing.T, holds func() bool, otherwise func()) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 5*time.Minute {
			otherwise()
			return
		}
	}
}

// TestEverySystemFromTheEditor has every system answer once.
func TestEverySystemFromTheEditor(t *testing.T) {
	model := llmtest.New(t, llmtest.Obliging())
	s := startSession(t, model)
	for _, id := range systems.IDs() {
		model.Forget()
		if err := s.ask(0, id).Wait(nil); err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		text := s.editor.Text(s.uri)
		if !strings.Contains(text, "<!-- lacuna ") {
			t.Errorf("%s wrote nothing", id)
			continue
		}
		if system, _ := systems.Lookup(id); len(model.Calls()) > system.Calls || system.Models && len(model.Calls()) == 0 {
			t.Errorf("%s made %d calls, at most %d are allowed", id, len(model.Calls()), system.Calls)
		}
		s.editor.Undo(s.uri)
	}
}

// TestEditorsSettingsCannotSend has the editor name another model server: what widens is the user's
// own file's business.
func TestEditorsSettingsCannotSend(t *testing.T) {
	model, other := llmtest.New(t, llmtest.Obliging()), llmtest.New(t, llmtest.Obliging())
	s := startSession(t, model)
	s.editor.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{
		"lacuna": map[string]any{"model": map[string]any{"base_url": other.URL(), "model": "theirs"}},
	}})
	soon(t, "a message about the refused setting", func() bool {
		return slices.ContainsFunc(s.editor.Messages(), func(m protocol.ShowMessageParams) bool { return strings.Contains(m.Message, "model") })
	})
	if err := s.ask(0, "misknow/merged").Wait(nil); err != nil {
		t.Fatal(err)
	}
	if n := len(other.Calls()); n > 0 || len(model.Calls()) == 0 {
		t.Errorf("%d calls to the editor's model, %d to the user's", n, len(model.Calls()))
	}
}
