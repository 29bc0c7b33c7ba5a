package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
)

// files writes files below a new folder and returns it.
func files(t *testing.T, byPath map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range byPath {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// load loads a workspace whose user file is user.toml next to it and whose environment is env.
func load(root, editor string, env, flags map[string]string) Loaded {
	return Load(Request{
		Root:     filepath.Join(root, "ws"),
		UserFile: filepath.Join(root, "user.toml"),
		LookupEnv: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		},
		Editor: []json.RawMessage{json.RawMessage(editor)},
		Flags:  flags,
	})
}

// problems returns the problems as lines without the folder, which differs in every run.
func problems(root string, l Loaded) string {
	var b strings.Builder
	for _, p := range l.Problems {
		b.WriteString(strings.ReplaceAll(p.String(), root+string(filepath.Separator), "") + "\n")
	}
	return b.String()
}

func TestLayersAreLaidOverOneAnother(t *testing.T) {
	root := files(t, map[string]string{
		"user.toml":       "[answer]\nsentences = \"lead\"\nlanguage = \"en\"\n[diagnostics]\nmax = 8\ndebounce = \"1s\"\n[log]\nlevel = \"info\"\n",
		"ws/.lacuna.toml": "[answer]\nsentences = \"three\"\n[diagnostics]\nmax = 7\nseverity = \"warning\"\n",
	})
	got := load(root, `{"lacuna":{"diagnostics":{"max":6}}}`,
		map[string]string{"LACUNA_LOG_LEVEL": "error", "LACUNA_CACHE_DIR": "/cache"},
		map[string]string{"log.level": "debug", "offline": "true"})
	if text := problems(root, got); text != "" {
		t.Fatalf("problems:\n%s", text)
	}
	want := Default()
	want.Offline = true
	want.Answer.Language, want.Answer.Sentences = "en", "three"
	want.Diagnostics.Max, want.Diagnostics.Severity, want.Diagnostics.Debounce = 6, "warning", time.Second
	want.Log.Level = "debug"
	want.Index.Dir = "/cache"
	if diff := cmp.Diff(want, got.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	origins := map[string]string{
		"answer.language":      "user file user.toml:3",
		"answer.sentences":     "workspace file ws/.lacuna.toml:2",
		"diagnostics.debounce": "user file user.toml:6",
		"diagnostics.max":      "editor",
		"diagnostics.severity": "workspace file ws/.lacuna.toml:5",
		"index.dir":            "environment LACUNA_CACHE_DIR",
		"log.level":            "flag",
		"offline":              "flag",
	}
	for key, want := range origins {
		if got := strings.ReplaceAll(got.Origins[key].String(), root+"/", ""); got != want {
			t.Errorf("origin of %s: %q, want %q", key, got, want)
		}
	}
	if len(got.Origins) != len(origins) {
		t.Errorf("%d origins, want %d: %v", len(got.Origins), len(origins), got.Origins)
	}
}

// TestWorkspaceAndEditorOnlyNarrow tries every key that widens from every layer.
func TestWorkspaceAndEditorOnlyNarrow(t *testing.T) {
	widening := map[string]string{
		"model.base_url":                "http://evil.example",
		"model.model":                   "m",
		"model.api_key_env":             "HOME",
		"model.api_key_command":         "cat secret",
		"model.api_key_file":            "secret",
		"model.proxy":                   "http://evil.example",
		"model.headers.authorization":   "x",
		"model.roles.reasoner.base_url": "http://evil.example",
		"embedding.base_url":            "http://evil.example",
		"rerank.base_url":               "http://evil.example",
		"prompts.folder":                "prompts",
		"log.file":                      "/tmp/log",
		"log.level":                     "debug",
		"index.dir":                     "/tmp/index",
	}
	for key, value := range widening {
		t.Run(key, func(t *testing.T) {
			at, name, _ := strings.Cut(key, ".")
			if i := strings.LastIndex(key, "."); i > len(at) {
				at, name = key[:i], key[i+1:]
			}
			text := "[" + at + "]\n" + name + " = \"" + value + "\"\n"

			root := files(t, map[string]string{"ws/.lacuna.toml": text})
			got := load(root, "", nil, nil)
			wantRefused(t, got, key, WorkspaceFile)

			root = files(t, map[string]string{"ws/keep": ""})
			got = load(root, `{"lacuna.`+key+`": "`+value+`"}`, nil, nil)
			wantRefused(t, got, key, Editor)

			root = files(t, map[string]string{"user.toml": text, "ws/keep": ""})
			if got = load(root, "", nil, nil); len(got.Problems) > 0 {
				t.Errorf("from the user's file: %s", problems(root, got))
			}
			if got.Origins[key].Layer != UserFile {
				t.Errorf("from the user's file: origin %v", got.Origins[key])
			}
		})
	}
}

func wantRefused(t *testing.T, got Loaded, key string, layer Layer) {
	t.Helper()
	if diff := cmp.Diff(Default(), got.Settings); diff != "" {
		t.Errorf("from the %s (-want +got):\n%s", layer, diff)
	}
	if len(got.Problems) != 1 || got.Problems[0].Layer != layer || !strings.HasPrefix(key, got.Problems[0].Key) ||
		!strings.Contains(got.Problems[0].Text, "refused from") {
		t.Errorf("from the %s: problems %v", layer, got.Problems)
	}
}

func TestOfflineCanBeTurnedOnByAnybodyAndOffByTheUser(t *testing.T) {
	root := files(t, map[string]string{"ws/.lacuna.toml": "offline = true\n"})
	if !load(root, "", nil, nil).Settings.Offline {
		t.Error("a workspace could not turn offline on")
	}
	root = files(t, map[string]string{"user.toml": "offline = true\n", "ws/.lacuna.toml": "offline = false\n"})
	got := load(root, `{"offline": false}`, nil, nil)
	want := "ws/.lacuna.toml:1: offline: refused from a workspace file: it can only be turned on there; set it in your own settings file\n" +
		"editor: offline: refused from the editor: it can only be turned on there; set it in your own settings file\n"
	if !got.Settings.Offline || problems(root, got) != want {
		t.Errorf("offline %v, problems:\n%s", got.Settings.Offline, problems(root, got))
	}
	if load(root, "", nil, map[string]string{"offline": "false"}).Settings.Offline {
		t.Error("the user's flag could not turn offline off")
	}
}

// TestAnEditorHandsOverTheUsersOwnSettings covers an editor that knows which settings are the user's.
func TestAnEditorHandsOverTheUsersOwnSettings(t *testing.T) {
	root := files(t, map[string]string{"user.toml": "[model]\nmodel = \"small\"\n", "ws/.lacuna.toml": "[answer]\nbudget = 5\n"})
	env := map[string]string{
		editorVariable: `{"lacuna.model.baseUrl": "http://127.0.0.1:1/v1", "model.model": "large", "answer": {"budget": 9}, "sources": [{"path": "/elsewhere"}], "max": 1}`,
		"LACUNA_MODEL": "largest",
	}
	got := load(root, "", env, nil)
	if want := "LACUNA_SETTINGS: max: unknown key"; !strings.HasPrefix(problems(root, got), want) || len(got.Problems) != 1 {
		t.Errorf("problems: %s, want one: %s", problems(root, got), want)
	}
	s := got.Settings
	if s.Model.BaseURL != "http://127.0.0.1:1/v1" || s.Model.Model != "largest" || s.Answer.Budget != 5 {
		t.Errorf("address %q, model %q, budget %d", s.Model.BaseURL, s.Model.Model, s.Answer.Budget)
	}
	if len(s.Sources) != 1 || s.Sources[0].Confined {
		t.Errorf("sources: %v, want the one elsewhere, which is the user's own", s.Sources)
	}
	if got := load(root, "", map[string]string{editorVariable: "{"}, nil); len(got.Problems) != 1 || got.Problems[0].Origin.Name != editorVariable {
		t.Errorf("problems of bad JSON: %v", got.Problems)
	}
}

func TestAFolderThatIsNotTrustedIsOffline(t *testing.T) {
	for sent, offline := range map[string]bool{
		`{"untrustedWorkspace": true}`:                           true,
		`{"lacuna": {"untrustedWorkspace": true}}`:               true,
		`{"untrustedWorkspace": true, "offline": false}`:         true,
		`{"untrustedWorkspace": false}`:                          false,
		`{"untrustedWorkspace": "yes"}`:                          false,
		`{"untrustedWorkspace": false, "model.baseUrl": "http"}`: false,
	} {
		got := load(t.TempDir(), sent, nil, nil)
		if got.Settings.Offline != offline {
			t.Errorf("%s: offline is %v", sent, got.Settings.Offline)
		}
		if got.Settings.Model.BaseURL != "" {
			t.Errorf("%s: trust widened something", sent)
		}
	}
	later := Load(Request{UserFile: "none", LookupEnv: func(string) (string, bool) { return "", false },
		Editor: []json.RawMessage{json.RawMessage(`{"untrustedWorkspace": true}`), json.RawMessage(`{"untrustedWorkspace": false}`)}})
	if later.Settings.Offline {
		t.Error("trust that is granted later does not count")
	}
}

func TestListedTextsOfAllLayersAreKept(t *testing.T) {
	root := files(t, map[string]string{
		"user.toml":       "[privacy]\nlisted = [\"Quist\", \"Ward 7\"]\n",
		"ws/.lacuna.toml": "[privacy]\nlisted = [\"Quist\", \"Blue House\"]\n",
	})
	got := load(root, `{"privacy":{"listed":[]}}`, nil, nil)
	if diff := cmp.Diff(Secrets{"Blue House", "Quist", "Ward 7"}, got.Settings.Privacy.Listed); diff != "" || len(got.Problems) > 0 {
		t.Errorf("-want +got:\n%s%s", diff, problems(root, got))
	}
	shown, err := json.Marshal([]any{got.Entries(), got.Settings})
	if err != nil || strings.Contains(string(shown), "Quist") || !strings.Contains(string(shown), "(3 set)") {
		t.Errorf("shown: %s, %v", shown, err)
	}
}

func TestRolesTakeWhatTheyLeaveOut(t *testing.T) {
	root := files(t, map[string]string{"ws/keep": "", "user.toml": `
[model]
base_url = "http://here:1/v1"
model = "m"
api_key_file = "key"
headers = { A = "1", B = "2" }
temperature = 0
timeout = "90s"
parallel = 2
[model.roles.reasoner]
model = "thinks"
temperature = 0.6
seed = 7
headers = { B = "3" }
[model.roles.generator]
base_url = "https://there/v1"
top_p = 0.9
[model.roles.oracle]
model = "x"
`})
	got := load(root, "", nil, nil)
	if want := "user.toml:18: model.roles.oracle: unknown key; known here: reader, reasoner, summariser, explorer, generator, integrator, evaluator\n"; problems(root, got) != want {
		t.Errorf("problems:\n%s", problems(root, got))
	}
	m := got.Settings.Model
	reader, reasoner, generator := m.Role("reader"), m.Role("reasoner"), m.Role("generator")
	if reader.Model != "m" || *reader.Temperature != 0 || reader.Timeout != 90*time.Second || reader.APIKeyFile != filepath.Join(root, "key") {
		t.Errorf("reader %+v", reader)
	}
	if reasoner.Model != "thinks" || *reasoner.Temperature != .6 || *reasoner.Seed != 7 || reasoner.Parallel != 2 ||
		reasoner.Headers["A"] != "1" || reasoner.Headers["B"] != "3" || reasoner.APIKeyFile == "" {
		t.Errorf("reasoner %+v", reasoner)
	}
	if generator.BaseURL != "https://there/v1" || generator.Model != "m" || *generator.TopP != .9 || generator.APIKeyFile != "" || len(generator.Headers) > 0 {
		t.Errorf("generator %+v: a key or headers went to another host", generator)
	}
	if m.Headers["B"] != "2" {
		t.Error("a role changed the headers of [model]")
	}
}

func TestRoleNamesAreThoseOfTheModels(t *testing.T) {
	field, _ := reflect.TypeFor[Model]().FieldByName("Roles")
	var roles []string
	for _, role := range llm.Roles() {
		roles = append(roles, string(role))
	}
	if got := tagList(field.Tag, "names"); !slices.Equal(got, roles) {
		t.Errorf("%v, want %v", got, roles)
	}
}

func TestNumbersAndSystemsAreChecked(t *testing.T) {
	root := files(t, map[string]string{"ws/keep": "", "user.toml": `
[answer]
system = "oracle"
thorough = "auto"
passages = 0
[model]
temperature = 2.5
top_p = "much"
seed = 1.5
json = "yes"
[gate]
policy = "arbiter"
`})
	got := load(root, "", nil, nil)
	if got.Settings.Gate.Policy != AlwaysSearch {
		t.Errorf("a removed policy leaves %q in force", got.Settings.Gate.Policy)
	}
	text := problems(root, got)
	for _, want := range []string{
		"user.toml:3: answer.system: expected one of auto, thorough, offline, ", "user.toml:4: answer.thorough: expected one of offline, ",
		"answer.passages: expected a whole number from 1 to 40, found 0", "model.temperature: expected a number from 0 to 2, found 2.5",
		"model.top_p: expected a number from 0 to 1, found \"much\"", "model.seed: expected a whole number", "model.json: expected one of auto, schema, object, none",
		`(arbiter was removed: it was no better than default), found "arbiter"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestAKeyIsTakenFromTheEnvironmentAlone(t *testing.T) {
	root := files(t, map[string]string{"user.toml": "[model]\napi_key = \"sk-1\"\nmodel = \"m\"\n", "ws/keep": ""})
	got := load(root, "", nil, nil)
	if got.Settings.Model.APIKey != "" || got.Settings.Model.Model != "m" {
		t.Errorf("model %#v", got.Settings.Model)
	}
	if text := problems(root, got); !strings.HasPrefix(text, "user.toml:2: model.api_key: refused") || strings.Contains(text, "sk-1") {
		t.Errorf("problems:\n%s", text)
	}
	got = load(root, "", map[string]string{"LACUNA_MODEL_API_KEY": "sk-2", "LACUNA_MODEL_BASE_URL": "http://u:pw@h/v1"}, nil)
	if got.Settings.Model.APIKey != "sk-2" {
		t.Error("the key of the environment was not taken")
	}
	shown, err := json.Marshal([]any{got.Entries(), got.Settings})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := json.Marshal(got.Entries())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(shown), "sk-2") || strings.Contains(string(entries), "pw") || !strings.Contains(string(entries), "(set)") {
		t.Errorf("secrets shown: %s", entries)
	}
}

func TestBadTOMLIsNamedAndTheRestApplies(t *testing.T) {
	for _, test := range []struct{ name, text, problems, sentences string }{
		{
			"wrong types and unknown keys",
			"offlin = true\n[answer]\nsentences = \"all\"\nsystem = 3\n[diagnostics]\nmax = \"many\"\nenabled = 1\ndebounce = \"soon\"\nseverity = \"warning\"\n",
			"ws/.lacuna.toml:1: offlin: unknown key; known here: offline, source, answer, diagnostics, lens, hints, limits, ocr, index, log, privacy, gate, history, prompts, model, embedding, rerank, claims, entailment\n" +
				"ws/.lacuna.toml:3: answer.sentences: expected one of lead, answer, three, found \"all\"\n" +
				"ws/.lacuna.toml:4: answer.system: expected a string, found 3\n" +
				"ws/.lacuna.toml:6: diagnostics.max: expected a whole number from 0 to 10000, found \"many\"\n" +
				"ws/.lacuna.toml:7: diagnostics.enabled: expected true or false, found 1\n" +
				"ws/.lacuna.toml:8: diagnostics.debounce: expected a duration such as \"400ms\", or milliseconds, from 0 to 60000, found \"soon\"\n",
			"answer",
		},
		{
			"a line that is no TOML",
			"[answer]\nlanguage = english\nsentences = \"lead\"\n",
			"ws/.lacuna.toml:2: answer.language: not TOML, left out: ", "lead",
		},
		{
			"a broken header takes its table along",
			"[answer]\nsentences = \"lead\"\n[diagnostics\nsentences = \"three\"\nmax = 1\n[lens]\nenabled = false\n",
			"ws/.lacuna.toml:3: not TOML, left out: ", "lead",
		},
		{
			"a key twice",
			"[answer]\nsentences = \"lead\"\nsentences = \"three\"\n",
			"ws/.lacuna.toml:3: answer.sentences: not TOML, left out: key sentences is already defined", "lead",
		},
		{
			"an open string at the end",
			"[answer]\nsentences = \"lead\"\nlanguage = \"\"\"en\n",
			"ws/.lacuna.toml:", "lead",
		},
		{
			"keys of inline tables and of tables below a source",
			"[[source]]\npath = \"kb\"\nfields = { qestion = \"q\" }\n[[source]]\npath = \"kb2\"\n[source.fields]\nid = 1\n",
			"ws/.lacuna.toml:3: source.0.fields.qestion: unknown key; known here: id, question, answer, also, title, section, text, document, date, topic, kind, url\n" +
				"ws/.lacuna.toml:7: source.1.fields.id: expected a string, found 1\n", "answer",
		},
		{"a pattern that is none", "[[source]]\npath = \"kb\"\nexclude = [\"[a\"]\n", "ws/.lacuna.toml:1: source.0: \"[a\" is no pattern such as \"**/*.md\"; it matches nothing\n", "answer"},
		{"a byte order mark and Windows' line ends", "\uFEFF[answer]\r\nsentences = \"lead\"\r\n", "", "lead"},
		{"a table is expected", "answer = 1\n", "ws/.lacuna.toml:1: answer: expected a table, found 1\n", "answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := files(t, map[string]string{"ws/.lacuna.toml": test.text})
			got := load(root, "", nil, nil)
			if text := problems(root, got); !strings.HasPrefix(text, test.problems) {
				t.Errorf("problems:\n%swant:\n%s", text, test.problems)
			}
			if got.Settings.Answer.Sentences != test.sentences {
				t.Errorf("sentences = %q, want %q", got.Settings.Answer.Sentences, test.sentences)
			}
		})
	}
}

func TestEditorSettingsComeInManyShapes(t *testing.T) {
	root := files(t, map[string]string{"ws/keep": ""})
	for _, shape := range []string{
		`{"lacuna":{"answer":{"sentences":"lead"}}}`,
		`{"answer":{"sentences":"lead"}}`,
		`{"lacuna.answer.sentences":"lead"}`,
		`{"answer.sentences":"lead"}`,
		`{"lacuna":{"answer.sentences":"lead"}}`,
		`{"lacuna":{"answer":{"sentences":"lead","language":null}}}`,
	} {
		got := load(root, shape, nil, nil)
		if got.Settings.Answer.Sentences != "lead" || len(got.Problems) > 0 {
			t.Errorf("%s: sentences %q, problems %v", shape, got.Settings.Answer.Sentences, got.Problems)
		}
	}
	for _, nothing := range []string{``, `null`, `{}`, `{"lacuna":null}`, `{"lacuna":{"path":"/bin/lacuna","trace":{"server":"off"}}}`, `{"lacuna.trace.server":"off"}`} {
		if got := load(root, nothing, nil, nil); len(got.Problems) > 0 {
			t.Errorf("%s: problems %v", nothing, got.Problems)
		}
	}
	if got := Load(Request{Root: root, UserFile: root + "/none", Editor: []json.RawMessage{
		json.RawMessage(`{"answer":{"sentences":"lead","language":"en"}}`), json.RawMessage(`{"answer.sentences":"three"}`),
	}}); got.Settings.Answer.Sentences != "three" || got.Settings.Answer.Language != "en" {
		t.Errorf("later messages do not lie over earlier ones: %+v", got.Settings.Answer)
	}
	got := load(root, `{"lacuna":{"model":{"baseURL":"http://x"},"answer":{"sentences":3},"lens":[],"diagnostics":{"max":3}}}`, nil, nil)
	want := "editor: answer.sentences: expected one of lead, answer, three, found 3\n" +
		"editor: lens: expected a table, found a list\n" +
		"editor: model: refused from the editor: it decides where text is sent; set it in your own settings file\n"
	if problems(root, got) != want || got.Settings.Diagnostics.Max != 3 {
		t.Errorf("problems:\n%s", problems(root, got))
	}
}

func TestSnakeCase(t *testing.T) {
	for camel, want := range map[string]string{
		"baseURL": "base_url", "baseUrl": "base_url", "apiKeyEnv": "api_key_env", "max": "max", "base_url": "base_url", "URLBase": "url_base",
	} {
		if got := snake(camel); got != want {
			t.Errorf("snake(%q) = %q, want %q", camel, got, want)
		}
	}
}

func TestSourcesOfAWorkspaceLieInsideIt(t *testing.T) {
	root := files(t, map[string]string{
		"outside/secret.md": "secret", "ws/kb/a.md": "a", "ws/pairs.jsonl": "{}",
		"ws/.lacuna.toml": `
[[source]]
path = "kb"
include = ["**/*.md"]
[[source]]
name = "history"
kind = "qa"
path = "pairs.jsonl"
fields = { question = "q", answer = "a" }
[[source]]
path = "../outside"
[[source]]
path = "link"
[[source]]
path = "link/deeper/not-there"
[[source]]
name = "history"
path = "kb"
[[source]]
name = "none"
[[source]]
name = "odd"
path = "kb"
kind = "facts"
`,
	})
	if err := os.Symlink(filepath.Join(root, "outside"), filepath.Join(root, "ws", "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	got := load(root, `{"source":[{"name":"far","path":"/etc"}]}`, nil, nil)
	ws := filepath.Join(root, "ws")
	want := []ingest.Source{
		{Name: "kb", Kind: passage.Text, Path: filepath.Join(ws, "kb"), Include: []string{"**/*.md"}, Confined: true},
		{Name: "history", Kind: passage.QA, Path: filepath.Join(ws, "pairs.jsonl"), Fields: ingest.Fields{Question: "q", Answer: "a"}, Confined: true},
		{Name: "odd", Kind: passage.Text, Path: filepath.Join(ws, "kb"), Confined: true},
	}
	if diff := cmp.Diff(want, got.Settings.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	leads := "it leads out of the workspace; name the source in your own settings file\n"
	wantProblems := "ws/.lacuna.toml:11: source.2.path: refused from a workspace file: " + leads +
		"ws/.lacuna.toml:13: source.3.path: refused from a workspace file: " + leads +
		"ws/.lacuna.toml:15: source.4.path: refused from a workspace file: " + leads +
		"ws/.lacuna.toml:16: source.5: the name \"history\" is taken already by the source of the workspace file ws/.lacuna.toml:5; left out\n" +
		"ws/.lacuna.toml:19: source.6: a source needs a path\n" +
		"ws/.lacuna.toml:24: source.7.kind: expected one of passages, qa, found \"facts\"\n" +
		"editor: source.0.path: refused from the editor: " + leads
	if text := problems(root, got); text != wantProblems {
		t.Errorf("problems:\n%swant:\n%s", text, wantProblems)
	}
}

func TestTheUsersOwnSourcesMayLieAnywhere(t *testing.T) {
	root := files(t, map[string]string{"user.toml": "[[source]]\npath = \"notes\"\n[[source]]\npath = \"/elsewhere/b\"\n", "notes/a.md": "a", "ws/keep": ""})
	got := load(root, "", nil, nil)
	want := []ingest.Source{
		{Name: "notes", Kind: passage.Text, Path: filepath.Join(root, "notes")},
		{Name: "b", Kind: passage.Text, Path: "/elsewhere/b"},
	}
	if diff := cmp.Diff(want, got.Settings.Sources); diff != "" || len(got.Problems) > 0 {
		t.Errorf("problems %v, sources (-want +got):\n%s", got.Problems, diff)
	}
}

func TestTheFolderKBIsASourceWithoutSettings(t *testing.T) {
	root := files(t, map[string]string{
		"ws/kb/a.md":          "# A",
		"ws/kb/pairs.jsonl":   "\n{\"question\": \"Q?\", \"answer\": \"A.\"}\n",
		"ws/kb/texts.jsonl":   "{\"id\": 1, \"text\": \"T\"}\n",
		"ws/kb/faq.csv":       "\ufeffid,Question,Answer\n1,Q?,A.\n",
		"ws/kb/table.csv":     "a,b\n1,2\n",
		"ws/kb/deep/qa.jsonl": "{\"question\": \"Q?\", \"answer\": \"A.\"}\n",
	})
	got := load(root, "", nil, nil)
	kb := filepath.Join(root, "ws", "kb")
	want := []ingest.Source{
		{Name: "kb", Kind: passage.Text, Path: kb, Exclude: []string{"faq.csv", "pairs.jsonl"}, Implicit: true, Confined: true},
		{Name: "faq", Kind: passage.QA, Path: filepath.Join(kb, "faq.csv"), Implicit: true, Confined: true},
		{Name: "pairs", Kind: passage.QA, Path: filepath.Join(kb, "pairs.jsonl"), Implicit: true, Confined: true},
	}
	if diff := cmp.Diff(want, got.Settings.Sources); diff != "" || len(got.Problems) > 0 {
		t.Errorf("problems %v, sources (-want +got):\n%s", got.Problems, diff)
	}
}

// TestImplicitSourcesOfOneNameAreAllRead has files of pairs that differ in their endings alone, and one
// that is called as the folder is; a source of the user's own has a name that they would have.
func TestImplicitSourcesOfOneNameAreAllRead(t *testing.T) {
	pair := "{\"question\": \"Q?\", \"answer\": \"A.\"}\n"
	root := files(t, map[string]string{
		"ws/kb/a.md": "# A", "ws/kb/kb.jsonl": pair, "ws/kb/faq.csv": "question,answer\nQ?,A.\n", "ws/kb/faq.jsonl": pair,
		"ws/kb/ward.jsonl": pair, "ws/kb/.csv": "question,answer\nQ?,A.\n",
		"user.toml": "[[source]]\nname = \"ward\"\npath = \"elsewhere\"\n[[source]]\nname = \"ward.jsonl\"\npath = \"elsewhere\"\n",
	})
	named := func(got Loaded) map[string]string {
		names := map[string]string{}
		for _, source := range got.Settings.Sources {
			names[source.Name] = filepath.Base(source.Path)
		}
		return names
	}
	got := load(root, "", nil, nil)
	want := map[string]string{
		"ward": "elsewhere", "ward.jsonl": "elsewhere", "kb": "kb", "kb.jsonl": "kb.jsonl", "faq": "faq.csv", "faq.jsonl": "faq.jsonl",
		"ward.jsonl 2": "ward.jsonl", ".csv": ".csv",
	}
	if diff := cmp.Diff(want, named(got)); diff != "" || len(got.Problems) > 0 {
		t.Errorf("problems %v, sources (-want +got):\n%s", got.Problems, diff)
	}
	root = files(t, map[string]string{"ws/kb/a.md": "# A", "user.toml": "[[source]]\nname = \"kb\"\npath = \"elsewhere\"\n"})
	if diff := cmp.Diff(map[string]string{"kb": "elsewhere", "kb 2": "kb"}, named(load(root, "", nil, nil))); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func FuzzReadTOML(f *testing.F) {
	f.Add("[answer]\nsentences = \"lead\"\n")
	f.Add("[[source]]\npath = \"kb\"\n[source.fields]\nid = \"i\"\n")
	f.Add("a = \"\"\"\n[b\nc = [1,\n")
	f.Add("answer.sentences = 1\n[answer]\nx=1979-05-27T07:32:00Z\n")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		document, problems := readTOML([]byte(text), Origin{Layer: WorkspaceFile})
		if document.tree == nil && len(problems) == 0 {
			t.Error("nothing read, and not said so")
		}
		l := loader{loaded: Loaded{Settings: Default(), Origins: map[string]Origin{}}, root: root}
		l.apply(WorkspaceFile, document.tree, func(path string) Origin {
			return Origin{Layer: WorkspaceFile, Line: document.line(path)}
		})
		if s := l.loaded.Settings; s.Model.BaseURL != "" || s.Log.File != "" || s.Index.Dir != "" {
			t.Errorf("a workspace widened: %+v", s)
		}
	})
}

func FuzzEditor(f *testing.F) {
	f.Add(`{"lacuna":{"answer":{"sentences":"lead"},"model":{"baseURL":"http://x"}}}`, `{"lacuna.log.file":"x"}`)
	f.Add(`{"source":[{"path":"kb","fields":{"id":"i"}}]}`, `{"sources":[{"path":".."}]}`)
	f.Add(`{"a":{"b":{"c":null}},"a.b":1}`, `[{}]`)
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, weaker, stronger string) {
		got := Load(Request{
			Root: root, UserFile: filepath.Join(root, "none.toml"),
			LookupEnv: func(string) (string, bool) { return "", false },
			Editor:    []json.RawMessage{json.RawMessage(weaker), json.RawMessage(stronger)},
		}).Settings
		if got.Model.BaseURL+got.Log.File+got.Index.Dir+got.Prompts.Folder != "" {
			t.Errorf("an editor widened: %+v", got)
		}
		for _, source := range got.Sources {
			if _, inside := confine(root, source.Path); !inside {
				t.Errorf("a source outside: %s", source.Path)
			}
		}
	})
}

// TestLevelsOfMarks may come from everywhere: they change what one sees and no more.
func TestLevelsOfMarks(t *testing.T) {
	root := files(t, map[string]string{"ws/.lacuna.toml": `[diagnostics.levels]
missing-aspect = "off"
unsupported-claim = "loud"
missing-sense = "hint"
`})
	got := load(root, `{"diagnostics": {"levels": {"stale-citation": "error"}}}`, nil, nil)
	want := `ws/.lacuna.toml:3: diagnostics.levels.unsupported-claim: expected one of off, hint, information, warning, error, found "loud"
ws/.lacuna.toml:4: diagnostics.levels.missing-sense: unknown key; known here: missing-topic, missing-aspect, missing-knowledge, contradicted-claim, unstated-claim, unsupported-claim, generated-background, broken-citation, stale-citation, superseded-source, now-answered, early-answer, conflicting-sources, skipped-file, hidden-text, unclear-private
`
	if diff := cmp.Diff(want, problems(root, got)); diff != "" {
		t.Errorf("problems:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"missing-aspect": "off", "stale-citation": "error"}, got.Settings.Diagnostics.Levels); diff != "" {
		t.Errorf("levels:\n%s", diff)
	}
}

func TestFlagsAreNumbersToo(t *testing.T) {
	l := Load(Request{UserFile: "none.toml", LookupEnv: func(string) (string, bool) { return "", false }, Flags: map[string]string{
		"answer.passages": "6", "model.seed": "7", "model.temperature": "0.5",
	}})
	if s := l.Settings; len(l.Problems) > 0 || s.Answer.Passages != 6 || s.Model.Seed == nil || *s.Model.Seed != 7 || s.Model.Temperature == nil || *s.Model.Temperature != .5 {
		t.Errorf("%+v, %v", s.Model, l.Problems)
	}
}
