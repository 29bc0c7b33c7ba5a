package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// thrives matches what a passage says of a plant.
var thrives = regexp.MustCompile(`(\w+) thrives with (\w+)\.`)

// gardener is a model that reads: it says what the passages of a prompt say of the plant that is asked about, and else
// that it is water.
func gardener(c llmtest.Call) llmtest.Reply {
	prompt := c.User()
	question := regexp.MustCompile(`(?i)does (\w+) thrive`).FindAllStringSubmatch(prompt, -1)
	need := "water"
	if question != nil {
		for _, said := range thrives.FindAllStringSubmatch(prompt, -1) {
			if strings.EqualFold(said[1], question[len(question)-1][1]) {
				need = said[2]
			}
		}
	}
	if c.Template != "answer_choice" {
		return llmtest.Reply{Text: "Answer: " + need}
	}
	letter := "B"
	if strings.Contains(question[len(question)-1][0]+prompt, "thrive with "+need) {
		letter = "A" // yes
	}
	if option := regexp.MustCompile(`(?m)^\W*([AB])\W+` + need + `\s*$`).FindStringSubmatch(prompt); option != nil {
		letter = option[1]
	}
	return llmtest.Reply{Text: fmt.Sprintf(`{"reasoning": "It thrives with %s.", "answer_choice": %q}`, need, letter)}
}

// TestPapers makes a table of each paper from a small base, with a model that reads.
func TestPapers(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("testdata", "papers.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := workspaceOf(t, archive)
	server := llmtest.New(t, llmtest.When(llmtest.Obliging(), func(c llmtest.Call) bool { return strings.HasPrefix(c.Template, "answer_") }, gardener))
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "scripted")
	last := &archive.Files[len(archive.Files)-1]
	got := transcribe(t, dir, string(last.Data))
	if *update {
		last.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(last.Data), got); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
	for _, name := range []string{"misknow-table1", "medrgag-table1"} {
		page, err := os.ReadFile(filepath.Join(dir, "ws", name, "report.html"))
		if err != nil || !strings.Contains(string(page), "<svg") || !strings.Contains(string(page), "Where the figures come from") {
			t.Errorf("%s: %d bytes of a report, %v", name, len(page), err)
		}
	}
}

// TestPapersCCSK makes the table of CCSK from a base with an encoder and a model that knows nothing without sources, so
// that searching is right for all questions but those whose answer is what the model always says.
func TestPapersCCSK(t *testing.T) {
	dir := t.TempDir()
	isolate(t, dir)
	t.Chdir(dir)
	var pages, asked strings.Builder
	const consonants, vowels, others = "bdfgklmnprst", "aeiou", 24
	for i := range 96 {
		name := fmt.Sprintf("%c%c%c%co", consonants[i%12], vowels[i/12%5], consonants[(i*7+3)%12], vowels[(i+i/12)%5])
		need := needs[i%10]
		fmt.Fprintf(&pages, "# %s\n\n%s thrives with %s. Nobody has seen %s elsewhere.\n\n", name, name, need, name)
		if i < others {
			fmt.Fprintf(&asked, `{"question": "what does %s thrive with", "answer": [%q]}`+"\n", name, need)
		}
	}
	for name, text := range map[string]string{filepath.Join("kb", "names.md"): pages.String(), "asked.jsonl": asked.String()} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server := llmtest.New(t, llmtest.When(llmtest.Obliging(), func(c llmtest.Call) bool { return strings.HasPrefix(c.Template, "answer_") }, gardener))
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "scripted")
	stdout, stderr, code := runTyped(t, "eval paper ccsk table2 --data complexquestions=asked.jsonl --json")
	if code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var made struct {
		Values struct {
			Datasets []struct {
				Rows []struct {
					System  string
					Figures []struct {
						Measure string
						Value   float64
						N       int
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &made); err != nil || len(made.Values.Datasets) != 1 {
		t.Fatalf("%v in %s", err, stdout)
	}
	measured := map[string]float64{}
	for _, row := range made.Values.Datasets[0].Rows {
		for _, f := range row.Figures {
			measured[row.System+" "+f.Measure] = f.Value
			if f.Measure == "F1" && f.N != others {
				t.Errorf("%s: %d questions", row.System, f.N)
			}
		}
	}
	// "water" is the first of ten needs: three of 24 questions.
	for name, want := range map[string]float64{
		"manual-cot EM": 12.5, "manual-cot searched": 0, "manual-cot-ir searched": 100, "oracle EM": 100, "manual-cot-ir EM": 100,
		"oracle searched": 87.5, "skr-knn EM": 100, "sn EM": 100, "rqm EM": 100, "ccsk EM": 100, "ccsk searched": 100, "ccsk decides right": 100,
	} {
		if got, there := measured[name]; !there || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestPapersGoOn has an endpoint die in the middle of a table: what was answered is shown and kept, and the same
// command goes on.
func TestPapersGoOn(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "papers.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	var asked strings.Builder
	for i := range 12 {
		fmt.Fprintf(&asked, `{"question": "what does plant %d thrive with", "answer": ["water"]}`+"\n", i)
	}
	if err := os.WriteFile("asked.jsonl", []byte(asked.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	var alive atomic.Bool
	server := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		if calls.Add(1) > 25 && !alive.Load() {
			return llmtest.Reply{Status: http.StatusNotFound}
		}
		return gardener(c)
	})
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "scripted")
	const command = "eval paper misknow table1 --data asked.jsonl --parallel 2"
	stdout, stderr, code := runTyped(t, command)
	if code != exitFailed || !strings.Contains(stderr, "start it again to go on") || !strings.Contains(stdout, "are not answered yet; the same command goes on") {
		t.Fatalf("the endpoint dies: exit %d, %s\n%s", code, stderr, stdout)
	}
	alive.Store(true)
	before := calls.Load()
	stdout, stderr, code = runTyped(t, command+" --again")
	if code != exitDone || stderr != "" || strings.Contains(stdout, "not answered yet") || strings.Contains(stdout, "failed and are left out") {
		t.Fatalf("it is back: exit %d, %s\n%s", code, stderr, stdout)
	}
	asksAgain := calls.Load()
	if stdout, _, code = runTyped(t, command); code != exitDone || calls.Load() != asksAgain || !strings.Contains(stdout, "n = 12") {
		t.Errorf("a whole run is run again: exit %d, %d calls more (%d before)\n%s", code, calls.Load()-asksAgain, before, stdout)
	}
}

// TestPapersPage runs the three commands of docs/papers.md as they stand there, in the folder of sources that it names,
// with files of the names and forms that it names.
func TestPapersPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := filepath.Abs(filepath.Join("..", "..", "examples", "clinic"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	isolate(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "ws"), os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "ws"))
	for name, text := range map[string]string{
		"NQ-open.dev.jsonl": `{"question": "which drug lowers a fever", "answer": ["Paracetamol", "acetaminophen"]}`,
		"benchmark.json": `{"medqa": {"0000": {"question": "Which drug lowers a fever?", "options": {"A": "paracetamol", "B": "metformin"}, "answer": "A"}},
			"bioasq": {"0001": {"question": "Does paracetamol lower a fever?", "options": {"A": "yes", "B": "no"}, "answer": "A"}}}`,
		"test.json": `[{"qId": "t1", "qText": "which drug lowers a fever?", "answers": ["Paracetamol"]}]`,
	} {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page does not say where %s is from", name)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server := llmtest.New(t, llmtest.Obliging())
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "scripted")
	commands := regexp.MustCompile(`(?m)^    lacuna (eval paper (\w+) (\w+) --questions 50 .*)$`).FindAllStringSubmatch(string(page), -1)
	if len(commands) != 3 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, c := range commands {
		stdout, stderr, code := runTyped(t, c[1])
		written, err := os.ReadFile(filepath.Join(c[2]+"-"+c[3], "report.html"))
		if code != exitDone || err != nil || !strings.Contains(stdout, "n = 1") || !strings.Contains(string(written), "<svg") {
			t.Errorf("%s: exit %d, %v, %s\n%s", c[1], code, err, stderr, stdout)
		}
	}
}
