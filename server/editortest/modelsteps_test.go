package editortest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"lacuna/handlers/note"
	"lacuna/knowledge/llm/llmtest"
)

// remoteHost stands for another machine. Its name resolves to nothing: what is sent to it goes
// through a proxy that is the scripted server, or it would be dialled in vain.
const remoteHost = "models.example:8000"

// startModel starts the scripted model server and writes the user's settings for it.
func (s *scenario) startModel(section string) {
	s.model = llmtest.New(s.t, llmtest.Obliging())
	config := fmt.Sprintf("[model]\nbase_url = %q\nmodel = \"scripted\"\n", s.model.URL())
	for line := range strings.Lines(section) {
		words, err := wordsOf(line)
		switch {
		case err != nil:
			s.t.Fatalf("model %q: %v", line, err)
		case words[0] == "remote":
			config = fmt.Sprintf("[model]\nbase_url = \"http://%s/v1\"\nproxy = %q\nmodel = \"scripted\"\n", remoteHost, s.model.Root())
		case words[0] == "setting":
			config += strings.TrimPrefix(strings.TrimSpace(line), "setting ") + "\n"
		default:
			s.script(words)
		}
	}
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "lacuna")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.toml"), []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// script changes what the model says from here on.
func (s *scenario) script(words []string) {
	script := llmtest.Obliging()
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch word {
		case "obliging":
		case "slow":
			script = slowed(script)
		case "fault": // with its name, and then the templates where it happens
			script, words = llmtest.Break(script, llmtest.Named(words[0]), words[1:]...), nil
		default:
			s.t.Fatalf("unknown word %q about the model", word)
		}
	}
	s.model.Script(script)
}

// slowed is slow enough for every stage to be reported.
func slowed(script llmtest.Script) llmtest.Script {
	return func(c llmtest.Call) llmtest.Reply {
		r := script(c)
		r.Wait = 300 * time.Millisecond
		return r
	}
}

// command runs a command by its name, about the question that holds a text, as a key does that
// somebody has bound to it. extra are further arguments, in JSON.
func (s *scenario) command(name, file, place, extra string) string {
	arguments := map[string]any{"v": 1, "uri": s.uri(file)}
	if place != "" {
		text := s.editor.Text(s.uri(file))
		q, found := note.Parse(text, note.LanguageOf("", file)).QuestionAt(max(strings.Index(text, place), 0))
		if !found {
			s.t.Fatalf("%q is not in a question", place)
		}
		arguments["question"] = q.ID
	}
	if extra != "" {
		if err := json.Unmarshal([]byte(extra), &arguments); err != nil {
			s.t.Fatalf("arguments %s: %v", extra, err)
		}
	}
	s.begun = s.editor.Begin("workspace/executeCommand", map[string]any{"command": name, "arguments": []any{arguments}})
	return ""
}

// asking prints the questions to the person that wait for an answer.
func (s *scenario) asking() string {
	var b strings.Builder
	for _, asking := range s.editor.Asking() {
		fmt.Fprintf(&b, "%s\n    [%s]\n", s.tidy(asking.Message), strings.Join(asking.Items, "] ["))
	}
	if b.Len() == 0 {
		return "nobody is asked\n"
	}
	return b.String()
}

// calls prints what the model was asked since the step before, by template. What was asked at once
// has no order.
func (s *scenario) calls() string {
	counts := make(map[string]int)
	var order []string
	for _, template := range s.model.Templates()[s.heard:] {
		if counts[template]++; counts[template] == 1 {
			order = append(order, template)
		}
	}
	if len(order) == 0 {
		return "the model was not asked\n"
	}
	var b strings.Builder
	for _, template := range order {
		fmt.Fprintf(&b, "%s × %d\n", template, counts[template])
	}
	return b.String()
}

// sent says whether something was sent to the model.
func (s *scenario) sent(text string) string {
	n := 0
	for _, call := range s.model.Calls() {
		if strings.Contains(string(call.Body), text) {
			n++
		}
	}
	return fmt.Sprintf("%q went to the model %d times\n", text, n)
}

// fleeting holds the stages without a model: whether they last long enough to be reported depends on
// the machine.
var fleeting = regexp.MustCompile(`searching your sources \(|reranking what was found|into the note`)

// progress prints the stages that the last piece of work with progress has named. What is written
// meanwhile, and whether a stage without a model lasts long enough to be told, depends on the moment
// and is left out.
func (s *scenario) progress() string {
	all := s.editor.Progress()
	var stages []string
	for i := len(all) - 1; i >= 0; i-- {
		value := all[i].Value
		switch value.Kind {
		case "report":
			stage, _, _ := strings.Cut(value.Message, ": ")
			stage = fmt.Sprintf("%3d %% %s", *value.Percentage, stage)
			if !slices.Contains(stages, stage) && !fleeting.MatchString(stage) {
				stages = append(stages, stage)
			}
			continue
		case "begin":
			stages = append(stages, "begin "+value.Title)
			slices.Reverse(stages)
			return strings.Join(stages, "\n") + "\n"
		}
		stages = append(stages, value.Kind)
	}
	return "no progress\n"
}
