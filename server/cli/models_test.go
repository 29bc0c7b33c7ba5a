package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/handlers/messages"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// withModel makes the workspace of answer.txtar the current one, with a scripted model for it.
func withModel(t *testing.T, script llmtest.Script) *llmtest.Server {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "answer.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	server := llmtest.New(t, script)
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "scripted")
	return server
}

// asked runs ask --json --trace and returns its line.
func asked(t *testing.T, args ...string) (line askJSON, stderr string) {
	t.Helper()
	stdout, stderr, code := run(t, strings.NewReader(""), append([]string{"ask", "--json", "--trace"}, args...)...)
	if code != exitDone {
		t.Fatalf("ask %v: exit %d, %s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &line); err != nil {
		t.Fatalf("ask %v: %v in %s", args, err, stdout)
	}
	return line, stderr
}

// TestEverySystemRunsFromTheShell asks an open question and one with options by every system, and
// holds the calls that its trace lists against those that arrived.
func TestEverySystemRunsFromTheShell(t *testing.T) {
	want, err := filepath.Abs(filepath.Join("testdata", "systems.txt"))
	if err != nil {
		t.Fatal(err)
	}
	server := withModel(t, llmtest.Obliging())
	choice := `{"id":"c","question":"When is metformin avoided?","options":{"A":"eGFR below 30","B":"every morning"}}`
	if err := os.WriteFile("choice.jsonl", []byte(choice), 0o600); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range systems.All() {
		for _, question := range [][]string{{"When is metformin avoided?"}, {"--queries", "choice.jsonl"}} {
			server.Forget()
			line, stderr := asked(t, append([]string{"--fresh", "--system", s.ID}, question...)...)
			if stderr != "" || line.System != s.ID || line.Failure != nil || line.Cached {
				t.Errorf("%s: system %s, failure %v, cached %v, %s", s.ID, line.System, line.Failure, line.Cached, stderr)
			}
			var stages []string
			listed := 0
			for _, step := range line.Trace {
				stages = append(stages, step.Stage)
				listed += step.Attempts
				if step.Outcome != "ok" && len(line.Lacks) == 0 {
					t.Errorf("%s: stage %s %s is %s: %s", s.ID, step.Stage, step.Detail, step.Outcome, step.Error)
				}
			}
			arrived := len(server.Templates())
			if arrived != line.Usage.Calls || arrived != listed || arrived > s.Calls || s.Models != (arrived > 0) {
				t.Errorf("%s: %d calls arrived, %d were counted, %d are in the trace, at most %d are allowed",
					s.ID, arrived, line.Usage.Calls, listed, s.Calls)
			}
			kind := "open"
			if len(question) > 1 {
				kind = "choice"
			}
			fmt.Fprintf(&got, "%s, %s: %d calls; %s\n", s.ID, kind, arrived, strings.Join(counted(stages), " "))
		}
	}
	golden(t, want, got.String())
}

// TestAskTellsWhatASystemDidWithout asks by a selection whose reranker is not set.
func TestAskTellsWhatASystemDidWithout(t *testing.T) {
	withModel(t, llmtest.Obliging())
	line, _ := asked(t, "--system", "medrgag/bge", "When is metformin avoided?")
	if len(line.Lacks) != 1 || line.Lacks[0].What != "selector" || !strings.Contains(line.Lacks[0].Text, `rerank.selectors`) {
		t.Errorf("lacks %+v", line.Lacks)
	}
	stdout, _, _ := runTyped(t, `ask --system medrgag/bge "When is metformin avoided?"`)
	if !strings.Contains(stdout, "note: medrgag/bge selected nothing") {
		t.Errorf("%s", stdout)
	}
	if line, _ = asked(t, "--system", "medrgag/no-kads", "When is metformin avoided?"); len(line.Lacks) > 0 {
		t.Errorf("medrgag/no-kads lacks %+v", line.Lacks)
	}
}

// counted joins equal neighbours: a a b is "a×2 b".
func counted(names []string) []string {
	var all []string
	for len(names) > 0 {
		n := 1
		for n < len(names) && names[n] == names[0] {
			n++
		}
		if n == 1 {
			all = append(all, names[0])
		} else {
			all = append(all, fmt.Sprintf("%s×%d", names[0], n))
		}
		names = names[n:]
	}
	return all
}

func TestAutoAndThoroughChooseByWhatIsSetUp(t *testing.T) {
	withModel(t, llmtest.Obliging())
	for _, test := range []struct{ args, system string }{
		{"", "misknow/merged"},
		{"--system auto", "misknow/merged"},
		{"--offline", "offline"},
		{"--system offline", "offline"},
		{"--system thorough", "medrgag"},
		{"--system direct", "direct"},
	} {
		line, _ := asked(t, append(words(test.args), "When is metformin avoided?")...)
		if line.System != test.system {
			t.Errorf("ask %s: %s, want %s", test.args, line.System, test.system)
		}
	}
	t.Setenv("LACUNA_ANSWER_SYSTEM", "std-rag/wiki")
	if line, _ := asked(t, "When is metformin avoided?"); line.System != "std-rag/wiki" {
		t.Errorf("the environment asked for std-rag/wiki and got %s", line.System)
	}
}

func TestTheSameQuestionIsAnsweredFromWhatWasKept(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	first, _ := asked(t, "When is metformin avoided?")
	server.Forget()
	again, _ := asked(t, "When is metformin avoided?")
	if n := len(server.Calls()); n > 0 || !again.Cached || again.CachedAt == nil || again.Answer != first.Answer {
		t.Errorf("asked again: %d calls, cached %v since %v, %q instead of %q", n, again.Cached, again.CachedAt, again.Answer, first.Answer)
	}
	if fresh, _ := asked(t, "--fresh", "When is metformin avoided?"); fresh.Cached || len(server.Calls()) == 0 {
		t.Error("--fresh did not ask the model")
	}
}

func TestAFailingModelIsNamedWithTheSettingToChange(t *testing.T) {
	withModel(t, llmtest.Always(llmtest.Reply{Status: 404}))
	line, stderr := asked(t, "When is metformin avoided?")
	if line.Failure == nil || line.Failure.Fault != "not-found" || !strings.HasPrefix(line.Failure.Setting, "model.") {
		t.Errorf("failure %+v", line.Failure)
	}
	if !strings.Contains(line.Answer, "eGFR is below 30") || !strings.Contains(stderr, "model.") {
		t.Errorf("answer %q, %s", line.Answer, stderr)
	}
}

// TestNothingLeavesWithoutConsent answers with a model elsewhere. There is no terminal, so it
// is refused with the line to run, and the answer comes from the sources.
func TestNothingLeavesWithoutConsent(t *testing.T) {
	withModel(t, llmtest.Obliging())
	t.Setenv("LACUNA_MODEL_BASE_URL", "http://models.example:8443/v1")
	line, stderr := asked(t, "When is metformin avoided?")
	if line.Failure == nil || line.Failure.Fault != "not-permitted" || line.Usage.Calls != 0 {
		t.Errorf("failure %+v, usage %+v", line.Failure, line.Usage)
	}
	const hint = "lacuna consent allow models.example:8443"
	if !strings.Contains(stderr, hint) {
		t.Errorf("standard error names no way to allow it: %s", stderr)
	}
	if stdout, _, _ := runTyped(t, "consent"); !strings.Contains(stdout, "no text of this workspace") {
		t.Errorf("consent: %s", stdout)
	}
	if stdout, stderr, code := runTyped(t, "consent allow models.example"); code != exitDone || !strings.Contains(stdout, "models.example:8443") {
		t.Errorf("consent allow: %d, %s%s", code, stdout, stderr)
	}
	if stdout, _, _ := runTyped(t, "consent list"); !strings.Contains(stdout, "models.example:8443  since ") {
		t.Errorf("consent list: %s", stdout)
	}
	if _, stderr, code := runTyped(t, "consent allow elsewhere.example"); code != exitUsage || !strings.Contains(stderr, "models.example:8443") {
		t.Errorf("consent allow of a host that is not set: %d, %s", code, stderr)
	}
	if _, _, code := runTyped(t, "consent forget models.example:8443"); code != exitDone {
		t.Errorf("consent forget: %d", code)
	}
	if stdout, _, _ := runTyped(t, "consent"); !strings.Contains(stdout, "no text of this workspace") {
		t.Errorf("after forgetting: %s", stdout)
	}
}

// TestANoteOnDiskHoldsAnswersAndGapsAlone answers a note with a model that fails in each way, and one that must
// not be asked: what is written is what is written without a model, and the rest is said.
func TestANoteOnDiskHoldsAnswersAndGapsAlone(t *testing.T) {
	withModel(t, llmtest.Obliging())
	t.Setenv("LACUNA_MODEL_BASE_URL", "")
	t.Setenv("LACUNA_MODEL", "")
	want, _, code := runTyped(t, "answer note.md")
	if code != exitDone {
		t.Fatal(code)
	}
	for name, setUp := range map[string]func(t *testing.T){
		"nothing answers": func(t *testing.T) { t.Setenv("LACUNA_MODEL_BASE_URL", "http://127.0.0.1:1/v1") },
		"not allowed":     func(t *testing.T) { t.Setenv("LACUNA_MODEL_BASE_URL", "http://llm.example.org/v1") },
		"rate limit": func(t *testing.T) {
			t.Setenv("LACUNA_MODEL_BASE_URL", llmtest.New(t, llmtest.Always(llmtest.Reply{Status: 429})).URL())
		},
	} {
		t.Run(name, func(t *testing.T) {
			setUp(t)
			t.Setenv("LACUNA_MODEL", "scripted")
			got, stderr, code := runTyped(t, "answer note.md")
			if code != exitDone || got != want {
				t.Errorf("exit %d, note:\n%s\nwant\n%s", code, got, want)
			}
			if !strings.Contains(stderr, "When is metformin avoided?: ") || !strings.Contains(stderr, "This answer is from your sources alone.") {
				t.Errorf("not told beside it: %s", stderr)
			}
		})
	}
}

func TestAPrivateNoteReachesNoModel(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	note := "---\nlacuna: private\n---\n\nWhen is metformin avoided?\n"
	if err := os.WriteFile("private.md", []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, code := runTyped(t, "answer private.md")
	if code != exitDone || !strings.Contains(stdout, "eGFR is below 30") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if _, stderr, code := runTyped(t, "answer --system misknow/merged private.md"); code != exitUsage || !strings.Contains(stderr, "private") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if n := len(server.Calls()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestGapsThatAModelNamedAreReported answers a note with a model and looks for what it missed.
func TestGapsThatAModelNamedAreReported(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	if _, stderr, code := runTyped(t, "answer --write --question 1 note.md"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	server.Forget()
	stdout, stderr, code := runTyped(t, "gaps --json")
	if code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var codes []string
	for line := range strings.Lines(stdout) {
		var cluster clusterJSON
		if err := json.Unmarshal([]byte(line), &cluster); err != nil {
			t.Fatal(err)
		}
		for _, g := range cluster.Gaps {
			if g.File != "note.md" {
				t.Errorf("a gap of %s", g.File)
			}
			codes = append(codes, g.Code)
		}
	}
	if !slices.Contains(codes, "missing-knowledge") || !slices.Contains(codes, "missing-topic") {
		t.Errorf("codes %v; want one that the model named and one found offline", codes)
	}
	if report, _, _ := runTyped(t, "gaps note.md"); !strings.Contains(report, "limits and exceptions") {
		t.Errorf("report:\n%s", report)
	}
	if found, _, _ := runTyped(t, "check note.md"); !strings.Contains(found, "[missing-knowledge]") {
		t.Errorf("check:\n%s", found)
	}
	if n := len(server.Calls()); n > 0 {
		t.Errorf("%d requests were sent for reports", n)
	}
}

func TestDoctorTriesEveryEndpointOnce(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	config := fmt.Sprintf(`
[model.roles.reasoner]
model = "thinker"
[embedding]
base_url = %q
model = "encoder"
[rerank]
base_url = %q
model = "ranker"
`, server.URL(), server.URL())
	if err := os.WriteFile("user.toml", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, _ := runTyped(t, "doctor --config user.toml")
	for _, want := range []string{
		"scripted (reader, summariser, explorer, generator, integrator, evaluator) answers in", "thinker (reasoner) answers in",
		"encoder answers in", "ranker answers in",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s%s", want, stdout, stderr)
		}
	}
	var models []string
	for _, call := range server.Calls() {
		models = append(models, call.Model)
	}
	if slices.Sort(models); !slices.Equal(models, []string{"encoder", "ranker", "scripted", "thinker"}) {
		t.Errorf("asked %v", models)
	}

	server.Script(llmtest.Always(llmtest.Reply{Status: 401}))
	t.Setenv("LACUNA_MODEL_API_KEY", "sk-never-shown")
	stdout, stderr, code := runTyped(t, "doctor")
	if code != exitNo || !strings.Contains(stdout, "fault  models") || !strings.Contains(stdout, "model.api_key") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	if strings.Contains(stdout+stderr, "sk-never-shown") {
		t.Error("the key was shown")
	}
	if stdout, _, _ = runTyped(t, "doctor --offline"); !strings.Contains(stdout, "offline = true (flag): nothing is connected to") {
		t.Errorf("offline:\n%s", stdout)
	}
}

// TestDoctorAsksWithAPromptOfTheRealShape holds what the doctor says of models whose chat templates refuse
// a part of it, or leave one out.
func TestDoctorAsksWithAPromptOfTheRealShape(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	silent := func(c llmtest.Call) llmtest.Reply { return llmtest.Reply{Text: "A quince."} }
	for _, template := range llmtest.Templates() {
		script := llmtest.Obliging()
		want := "answers in"
		switch template.Name {
		case "Mistral 7B v0.2", "Gemma 2":
			want = "it has no system message"
		case "Phi-3":
			script, want = silent, "note   models         scripted (reader, reasoner, summariser, explorer, generator, integrator, evaluator) ignored the system message"
		}
		server.Script(llmtest.Strict(script, template, llmtest.Manners()[1]))
		server.Forget()
		stdout, _, _ := runTyped(t, "doctor")
		if !strings.Contains(stdout, want) || strings.Contains(stdout, "fault  models") {
			t.Errorf("%s: %q is not in\n%s", template.Name, want, stdout)
		}
		for _, call := range server.Calls() {
			if last := call.Messages[len(call.Messages)-1]; last.Role != "user" || !strings.Contains(last.Content, " data>>>\n\nQuestion:\n") {
				t.Errorf("the doctor asks otherwise than all others: %s", call.Body)
			}
		}
	}
	server.Script(llmtest.Always(llmtest.Reply{Text: "Heard: nothing"}))
	if stdout, _, _ := runTyped(t, "doctor"); !strings.Contains(stdout, "ignored the data in the user message") {
		t.Errorf("a cut prompt is not noticed:\n%s", stdout)
	}
}

func TestAuditShowsAndVerifiesWhatWasSent(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	asked(t, "When is metformin avoided?")
	stdout, stderr, code := runTyped(t, "audit --json")
	if lines := strings.Count(stdout, "\n"); code != exitDone || lines != len(server.Calls()) || lines == 0 {
		t.Fatalf("exit %d, %d lines for %d calls, %s", code, lines, len(server.Calls()), stderr)
	}
	if strings.Contains(stdout, "metformin") {
		t.Error("the audit holds what was sent, though nobody asked for that")
	}
	shown, _, _ := runTyped(t, "audit --verify")
	_, path, found := strings.Cut(strings.TrimSpace(shown), " in ")
	if !found {
		t.Fatalf("audit --verify: %s", shown)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"status":200`, `"status":500`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := runTyped(t, "audit --verify"); code != exitNo || !strings.Contains(stderr, "audit.jsonl:2") {
		t.Errorf("a changed line: exit %d, %s", code, stderr)
	}
}

func TestSystemsListsAllOfThem(t *testing.T) {
	isolate(t, t.TempDir())
	stdout, _, _ := runTyped(t, "systems --json")
	var ids []string
	for line := range strings.Lines(stdout) {
		var s systemJSON
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
	}
	if !slices.Equal(ids, systems.IDs()) {
		t.Errorf("%v, want %v", ids, systems.IDs())
	}
}

// TestThePreviewIsWhatIsSent prints what answering would send, and compares it with what then arrives.
func TestThePreviewIsWhatIsSent(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	t.Setenv("LACUNA_MODEL_BASE_URL", "")
	t.Setenv("LACUNA_MODEL", "")
	settings := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "lacuna", "config.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("[model]\nbase_url = \"http://models.example/v1\"\nmodel = \"scripted\"\nproxy = %q\n", server.Root())
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile("note.md")
	if err != nil {
		t.Fatal(err)
	}
	const answering = "answer --system misknow/merged --question 1 note.md"
	preview, stderr, code := runTyped(t, answering+" --preview")
	if code != exitDone || len(server.Calls()) > 0 {
		t.Fatalf("exit %d, %d calls, %s", code, len(server.Calls()), stderr)
	}
	if after, err := os.ReadFile("note.md"); err != nil || string(after) != string(before) {
		t.Errorf("the note is %q, %v", after, err)
	}
	if _, stderr, code := runTyped(t, "consent allow models.example"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if _, stderr, code := runTyped(t, answering); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	// What reads well stands first, and behind it what arrived, byte by byte.
	rest := preview
	for _, want := range []string{"To models.example:80", "What is asked:", "When is metformin avoided?", "BYTE BY BYTE", string(server.Calls()[0].Body)} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q in\n%s\nof\n%s", want, rest, preview)
		}
		rest = after
	}
	if _, stderr, code := runTyped(t, answering+" --preview --write"); code != exitUsage || !strings.Contains(stderr, "--preview writes nothing") {
		t.Errorf("with --write: exit %d, %s", code, stderr)
	}
	if stdout, stderr, code := runTyped(t, "answer --system offline --question 1 note.md --preview"); code != exitDone || !strings.Contains(stdout, messages.NothingSent) {
		t.Errorf("offline: exit %d, %s%s", code, stdout, stderr)
	}
}

func TestThePersonAtTheTerminalIsAsked(t *testing.T) {
	out := llm.Outbound{Host: "models.example:443", Model: "m", Role: llm.Reader, Body: []byte(`{"q":"secret plan\u202e"}`), Details: "1 NAME"}
	for _, test := range []struct {
		typed       string
		send, shown bool
	}{
		{"yes\n", true, false},
		{"Y\n", true, false},
		{"no\n", false, false},
		{"\n", false, false},
		{"", false, false},
		{"what?\nshow\nyes\n", true, true},
		{"s\nn\n", false, true},
	} {
		var errs strings.Builder
		p := &program{Streams: Streams{Err: &errs}}
		send, err := p.askConsent(t.Context(), out, bufio.NewScanner(strings.NewReader(test.typed)))
		said := errs.String()
		if send != test.send || err != nil || strings.Contains(said, "secret plan") != test.shown {
			t.Errorf("typed %q: send %v, %v, said %s", test.typed, send, err, said)
		}
		if !strings.Contains(said, "models.example:443") || !strings.Contains(said, "1 NAME") || strings.Contains(said, "\u202e") {
			t.Errorf("typed %q: said %s", test.typed, said)
		}
	}
}

// TestAskSaysWhatTheGateDecided has a rule that needs no training answer from the model alone.
func TestAskSaysWhatTheGateDecided(t *testing.T) {
	server := withModel(t, llmtest.Obliging())
	config := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "lacuna")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte("gate.policy = \"never\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	line, _ := asked(t, "When is metformin avoided?")
	d := line.Decision
	if line.System != "direct" || d.Retrieve || d.Policy != "never" || d.Threshold == nil || *d.Threshold != .5 || d.Reason == "" {
		t.Errorf("%s decided %+v", line.System, d)
	}
	if arrived := server.Templates(); !slices.Equal(arrived, []string{"answer_direct"}) {
		t.Errorf("the model was asked %v", arrived)
	}
	line, _ = asked(t, "--system", "misknow/merged", "When is metformin avoided?")
	if d := line.Decision; !d.Retrieve || d.Policy != "always" {
		t.Errorf("%s decided %+v", line.System, d)
	}
}
