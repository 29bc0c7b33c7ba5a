package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

var discard = slog.New(slog.DiscardHandler)

// opened opens and fills a workspace with a note about fever, whose user file is given.
func opened(t *testing.T, userFile string, change func(*Request)) *Workspace {
	t.Helper()
	root := folder(t, map[string]string{
		"kb/fever.md": "# Fever\n\nParacetamol lowers a fever within the hour.\n\nCrohn disease may come with fever.\n",
		"user.toml":   userFile,
	})
	r := Request{Root: root, UserFile: filepath.Join(root, "user.toml"), Flags: map[string]string{"index.dir": t.TempDir()}}
	if change != nil {
		change(&r)
	}
	w, err := Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return w
}

func ask(t *testing.T, w *Workspace, way answer.Request, question string) answer.Result {
	t.Helper()
	strategy, err := w.Strategy(way)
	if err != nil {
		t.Fatal(err)
	}
	r, err := strategy.Answer(t.Context(), w.Library(), answer.Question{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSystemsAreChosenByWhatIsSetUp(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	model := "[model]\nbase_url = \"" + server.URL() + "\"\nmodel = \"m\"\n"
	for _, test := range []struct{ name, userFile, way, system, err string }{
		{"nothing set", "", "", "offline", ""},
		{"nothing set, a system wanted", "", "misknow/merged", "", "set base_url and model under [model] in"},
		{"a model", model, "", "misknow/merged", ""},
		{"thorough", model, "thorough", "medrgag", ""},
		{"another thorough", "[answer]\nthorough = \"cot\"\n" + model, "thorough", "cot", ""},
		{"offline by name", model, "offline", "offline", ""},
		{"offline by setting", "[answer]\nsystem = \"offline\"\n" + model, "", "offline", ""},
		{"forbidden", "offline = true\n" + model, "", "offline", ""},
		{"forbidden, a system wanted", "offline = true\n" + model, "direct", "", "offline = true (user file"},
		{"no such system", model, "oracle", "", "no answering system is called"},
		{"half a model", "[model]\nbase_url = \"" + server.URL() + "\"\n", "", "offline", ""},
		{"half a model, a system wanted", "[model]\nbase_url = \"" + server.URL() + "\"\n", "cot", "", "model.model: no model is named"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := opened(t, test.userFile, nil)
			if test.err == "" {
				if r := ask(t, w, answer.Request{System: test.way}, "What lowers a fever?"); r.System != test.system {
					t.Errorf("%s answered, want %s", r.System, test.system)
				}
				return
			}
			if _, err := w.Strategy(answer.Request{System: test.way}); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
}

// TestRolesReachTheirOwnModels gives the reasoner a model of its own, at another host: the key of
// [model] stays behind, and what fails there is named by the setting it came from.
func TestRolesReachTheirOwnModels(t *testing.T) {
	server, other := llmtest.New(t, llmtest.Obliging()), llmtest.New(t, llmtest.Obliging())
	t.Setenv("LACUNA_TEST_KEY", "sk-model")
	w := opened(t, `
[model]
base_url = "`+server.URL()+`"
model = "reads"
api_key_env = "LACUNA_TEST_KEY"
temperature = 0.5
[model.roles.reasoner]
base_url = "`+other.URL()+`"
model = "thinks"
[model.roles.summariser]
model = "sums"
`, nil)
	ask(t, w, answer.Request{System: "medrgag"}, "What lowers a fever?")
	ask(t, w, answer.Request{System: "misknow/merged"}, "What lowers a fever?")
	models := map[string]bool{}
	for _, call := range server.Calls() {
		models[call.Model] = true
		if got := call.Header.Get("Authorization"); got != "Bearer sk-model" {
			t.Errorf("key %q", got)
		}
		if !bytes.Contains(call.Body, []byte(`"temperature":0.5`)) {
			t.Errorf("temperature is not that of the settings: %s", call.Body)
		}
	}
	if !models["reads"] || !models["sums"] || models["thinks"] {
		t.Errorf("models %v", models)
	}
	if len(other.Calls()) == 0 {
		t.Error("the reasoner's own host was not asked")
	}
	for _, call := range other.Calls() {
		if call.Model != "thinks" || call.Header.Get("Authorization") != "" {
			t.Errorf("%s with key %q", call.Model, call.Header.Get("Authorization"))
		}
	}

	other.Script(llmtest.Always(llmtest.Reply{Status: 404}))
	r := ask(t, w, answer.Request{System: "misknow/merged", Fresh: true}, "What lowers a fever?")
	var failed *llm.Error
	if !errors.As(r.Failure, &failed) || !strings.HasPrefix(failed.Setting, "model.roles.reasoner.") {
		t.Errorf("failure %v with setting %+v", r.Failure, failed)
	}
}

func TestPromptsThatCannotBeReadAreAProblem(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	w := opened(t, "[model]\nbase_url = \""+server.URL()+"\"\nmodel = \"m\"\n[prompts]\nfolder = \"own\"\n", func(r *Request) {
		own := filepath.Join(filepath.Dir(r.UserFile), "own")
		if err := os.MkdirAll(own, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(own, "judge_gaps.tmpl"), []byte("{{.NoSuchField}}"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if len(w.Problems()) != 1 || w.Problems()[0].Key != "prompts.folder" || w.Problems()[0].Line == 0 {
		t.Errorf("problems %v", w.Problems())
	}
	if r := ask(t, w, answer.Request{}, "What lowers a fever?"); r.Failure != nil {
		t.Errorf("the program's own prompts do not serve: %v", r.Failure)
	}
}

const elsewhere = "[model]\nbase_url = \"http://models.example:8443/v1\"\nmodel = \"m\"\n"

func TestPreviewShowsWhatWouldBeSentAndSendsNothing(t *testing.T) {
	var asked atomic.Int32
	w := opened(t, elsewhere, func(r *Request) {
		r.Consent = func(context.Context, llm.Outbound) (bool, error) { asked.Add(1); return true, nil }
	})
	if m := w.Models(); !m.Configured || !m.Remote || m.Host != "models.example:8443" {
		t.Errorf("models %+v", m)
	}
	out, err := w.Preview(t.Context(), w.Library(), answer.Question{Text: "What lowers the fever of Mr. Walter Quist?"}, answer.Request{})
	if err != nil || len(out) != 1 {
		t.Fatalf("%d requests, %v", len(out), err)
	}
	body := string(out[0].Body)
	if out[0].Host != "models.example:8443" || !strings.Contains(body, "lowers a fever within the hour") {
		t.Errorf("to %s: %s", out[0].Host, body)
	}
	if strings.Contains(body, "Quist") || out[0].Details != "1 NAME" || !strings.Contains(body, "[NAME-1]") {
		t.Errorf("replaced %q in %s", out[0].Details, body)
	}
	if asked.Load() > 0 || len(w.Consents()) > 0 {
		t.Error("a preview asked for consent")
	}
	if _, err := os.Stat(w.AuditFile()); err == nil {
		t.Error("a preview is in the audit")
	}
	server := llmtest.New(t, llmtest.Obliging())
	local := opened(t, "[model]\nbase_url = \""+server.URL()+"\"\nmodel = \"m\"\n", nil)
	if out, err := local.Preview(t.Context(), local.Library(), answer.Question{Text: "x?"}, answer.Request{}); len(out) > 0 || err != nil || len(server.Calls()) > 0 {
		t.Errorf("a model on this machine: %d requests, %v, %d calls", len(out), err, len(server.Calls()))
	}
}

// TestPreviewIsPutAsTheEndpointWants: what a preview shows is what would be sent, also where the model has
// no system message. The proxy on this machine answers for the other one.
func TestPreviewIsPutAsTheEndpointWants(t *testing.T) {
	gemma := slices.IndexFunc(llmtest.Templates(), func(t llmtest.Template) bool { return t.Name == "Gemma 2" })
	server := llmtest.New(t, llmtest.Strict(llmtest.Obliging(), llmtest.Templates()[gemma], llmtest.Manners()[0]))
	w := opened(t, elsewhere+"proxy = \""+server.Root()+"\"\n", func(r *Request) {
		r.Consent = func(context.Context, llm.Outbound) (bool, error) { return true, nil }
	})
	roles := func() string {
		out, err := w.Preview(t.Context(), w.Library(), answer.Question{Text: "What lowers a fever?"}, answer.Request{})
		if err != nil || len(out) == 0 {
			t.Fatalf("%d requests, %v", len(out), err)
		}
		var body struct{ Messages []struct{ Role string } }
		if err := json.Unmarshal(out[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, m := range body.Messages {
			all = append(all, m.Role)
		}
		return strings.Join(all, " ")
	}
	if got := roles(); got != "system user" {
		t.Errorf("before anything is known of the model: %s", got)
	}
	if r := ask(t, w, answer.Request{}, "What lowers a fever?"); r.Failure != nil || len(server.Calls()) == 0 {
		t.Fatalf("%v after %d calls", r.Failure, len(server.Calls()))
	}
	if got := roles(); got != "user" {
		t.Errorf("once the model has refused a system message: %s", got)
	}
}

func TestStrictRedactionRefusesToSendNames(t *testing.T) {
	w := opened(t, "[privacy]\nredact = \"strict\"\nlisted = [\"Ward 7\"]\n"+elsewhere, nil)
	r, err := w.redact([]string{"What lowers a fever on ward 7?", "Crohn disease may come with fever."}, nil)
	if err != nil || strings.Contains(r.Messages[0], "ward 7") || r.Messages[1] != "Crohn disease may come with fever." {
		t.Errorf("%q, %v", r.Messages, err)
	}
	if r.Restore(r.Messages[0]) != "What lowers a fever on ward 7?" {
		t.Errorf("restored %q", r.Restore(r.Messages[0]))
	}
	if _, err := w.redact([]string{"Patient: Walter Quist"}, nil); err == nil || !strings.Contains(err.Error(), "1 NAME") || strings.Contains(err.Error(), "Quist") {
		t.Errorf("a name: %v", err)
	}
	if _, err := w.redact([]string{"The Brindlewick pump needs quorbs."}, nil); err == nil || !strings.Contains(err.Error(), `"Brindlewick", "quorbs"`) || !strings.Contains(err.Error(), "privacy.allowed") {
		t.Errorf("words that no list has: %v", err)
	}
	allowing := opened(t, "[privacy]\nredact = \"strict\"\nallowed = [\"brindlewick\", \"K441709\"]\n"+elsewhere, nil)
	if _, err := allowing.redact([]string{"The Brindlewick pump came with code K441709."}, nil); err != nil {
		t.Errorf("words that the user allowed: %v", err)
	}
	open := opened(t, "[privacy]\nredact = \"off\"\n"+elsewhere, nil)
	if r, err := open.redact([]string{"Patient: Walter Quist"}, nil); err != nil || r.Messages[0] != "Patient: Walter Quist" || r.Restore("x") != "x" {
		t.Errorf("off: %+v, %v", r, err)
	}
}

// TestDelimitersStay: the codes of a prompt's data look like names, and with one replaced its data would not end.
func TestDelimitersStay(t *testing.T) {
	w := opened(t, "[privacy]\nallowed = [\"Quorb\"]\n"+elsewhere, nil)
	const code = "jtmhnlhgdqcggdgh"
	text := "<<<data " + code + "\nMr Berg and his sister, Ms Nash.\n<<<data Berg\n" + code + " data>>>\n\nQuestion:\nWho came?"
	if got := w.redaction([]string{"You answer.", text}, nil).Allowed; !slices.Equal(got, []string{"Quorb", code}) {
		t.Errorf("allowed: %q", got)
	}
	r, err := w.redact([]string{text}, nil)
	if err != nil || strings.Count(r.Messages[0], code) != 2 || strings.Contains(r.Messages[0], "Berg") {
		t.Errorf("%q, %v", r.Messages, err)
	}
}

// TestEnginesAreAskedWithoutWhatTheNoteKnows: whose name a word of the question is may be known from its note alone.
func TestEnginesAreAskedWithoutWhatTheNoteKnows(t *testing.T) {
	w := opened(t, elsewhere, nil)
	q := answer.Question{Text: "Has the wound of Mayfield healed?", Queries: []string{"wound Mayfield"}, Note: "Re: Anna Mayfield, hospital number 55-1029\n\nHas the wound of Mayfield healed?"}
	asked, cut, err := w.withoutIdentifiers(q)
	if err != nil || strings.Contains(asked.Text+asked.Queries[0], "Mayfield") || !strings.Contains(asked.Text, "wound") || asked.Note != "" || cut == "" {
		t.Errorf("%+v, %q, %v", asked, cut, err)
	}
	q.Note = ""
	if asked, _, _ := w.withoutIdentifiers(q); !strings.Contains(asked.Text, "Mayfield") {
		t.Error("the name is known without the note: choose another, or this test says nothing")
	}
}

func TestDatesShiftOnWish(t *testing.T) {
	w := opened(t, "[privacy]\ndates = \"shift\"\n"+elsewhere, nil)
	request := []string{"She came on Monday, 4 March 2024 and on Monday, 11 March 2024."}
	r, err := w.redact(request, nil)
	if err != nil || strings.Contains(r.Messages[0], "4 March 2024") || strings.Contains(r.Messages[0], "[DATE") || strings.Count(r.Messages[0], "Monday") != 2 {
		t.Errorf("%q, %v", r.Messages, err)
	}
	if again, err := w.redact(request, nil); err != nil || again.Messages[0] != r.Messages[0] {
		t.Errorf("the preview would show another date: %q, %q, %v", again.Messages, r.Messages, err)
	}
	if back := r.Restore(r.Messages[0]); back != request[0] {
		t.Errorf("restored %q", back)
	}
	for _, request := range [][]string{{"a"}, {"b"}, {"a", "b"}} {
		if days := shiftOf(request); days%7 != 0 || max(days, -days) < 364 {
			t.Errorf("%q moves by %d days", request, days)
		}
	}
}

// TestStrictRedactionKnowsThePrompts: in strict mode every system still gets its own prompts out.
func TestStrictRedactionKnowsThePrompts(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	w := opened(t, "[privacy]\nredact = \"strict\"\nkeep_replies = 0\n"+elsewhere+"proxy = \""+server.Root()+"\"\n", func(r *Request) {
		r.Consent = func(context.Context, llm.Outbound) (bool, error) { return true, nil }
	})
	for _, system := range systems.IDs() {
		before := len(server.Calls())
		strategy, err := w.Strategy(answer.Request{System: system})
		if err != nil || system == answer.OfflineID || strings.Count(system, "/") > 1 { // variants send the same prompts
			continue
		}
		r, err := strategy.Answer(t.Context(), w.Library(), answer.Question{Text: "What lowers a fever?"})
		if err != nil || r.Failure != nil {
			t.Errorf("%s: %v, %v", system, err, r.Failure)
		}
		if len(server.Calls()) == before {
			t.Errorf("%s sent nothing", system)
		}
	}
}

func TestOfflineOfAWorkspaceTurnsModelsOff(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	w := opened(t, "[model]\nbase_url = \""+server.URL()+"\"\nmodel = \"m\"\n", func(r *Request) {
		if err := os.WriteFile(filepath.Join(r.Root, ".lacuna.toml"), []byte("offline = true\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if r := ask(t, w, answer.Request{}, "What lowers a fever?"); r.System != answer.OfflineID || w.Client() != nil || w.Models().Configured {
		t.Errorf("answered by %s with client %v", r.System, w.Client())
	}
	if n := len(server.Calls()); n > 0 {
		t.Errorf("%d calls", n)
	}
}

// A key that would travel without encryption to another machine is refused, or warned of if the user named the host as
// well: once for each address.
func TestKeysInClearAreToldOf(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		told, refused  bool
	}{
		{"a key over http", elsewhere + "api_key_env = \"X\"\n", true, true},
		{"a header over http", elsewhere + "[model.headers]\nAuthorization = \"Bearer some-token-0123\"\n", true, true},
		{"a key over http, to a host that is named as well", elsewhere + "api_key_env = \"X\"\n[privacy]\nplain_http = [\"models.example\"]\n", true, false},
		{"a key over http, and another host is named", elsewhere + "api_key_env = \"X\"\n[privacy]\nplain_http = [\"example\"]\n", true, true},
		{"no key", elsewhere, false, false},
		{"a header that is no key", elsewhere + "[model.headers]\nX-Team = \"garden\"\n", false, false},
		{"https", strings.Replace(elsewhere, "http:", "https:", 1) + "api_key_env = \"X\"\n", false, false},
		{"this machine", "[model]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\napi_key_env = \"X\"\n", false, false},
	} {
		told := 0
		w := opened(t, test.settings, nil)
		if refused := w.Client() == nil; refused != test.refused {
			t.Errorf("%s: refused %t", test.name, refused)
		}
		for _, problem := range w.Problems() {
			if problem.Key == "model.base_url" && strings.Contains(problem.Text, "use https://") {
				told++
			}
		}
		if told > 1 || told == 1 != test.told {
			t.Errorf("%s: told of %d times", test.name, told)
		}
	}
}

// Where replies cannot be kept, the answer comes all the same and one line says so.
func TestRepliesThatCannotBeKeptAreToldOfOnce(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	var log bytes.Buffer
	w := opened(t, "[model]\nbase_url = \""+server.URL()+"\"\nmodel = \"m\"\n", func(r *Request) { r.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	if err := os.WriteFile(filepath.Join(w.IndexDir(), "replies"), nil, 0o600); err != nil { // a file in the place of the folder
		t.Fatal(err)
	}
	for range 2 {
		if r := ask(t, w, answer.Request{}, "What lowers a fever?"); r.Failure != nil {
			t.Errorf("%v", r.Failure)
		}
	}
	if said := strings.Count(log.String(), "replies are not kept"); said != 1 {
		t.Errorf("said %d times:\n%s", said, &log)
	}
}
