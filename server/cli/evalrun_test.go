package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"lacuna/knowledge/llm/llmtest"
)

// repository is the folder of the repository; tests may have changed to another one since.
var repository, _ = filepath.Abs(filepath.Join("..", ".."))

// runSite is the example base with a plan next to it and a server that plays the models.
type runSite struct {
	plan  string
	calls atomic.Int64
	gone  atomic.Int64 // calls from this one on are refused; 0: none
}

// newRunSite makes the example base the current folder and writes a plan of n questions with options and n open ones.
func newRunSite(t *testing.T, n int, systems string) *runSite {
	t.Helper()
	clinic(t, filepath.Join(repository, "examples", "clinic"), 50)
	s := &runSite{}
	script := llmtest.Obliging()
	server := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		if i, gone := s.calls.Add(1), s.gone.Load(); gone > 0 && i >= gone {
			return llmtest.Reply{Status: 404, Text: "there is no such model"}
		}
		return script(c)
	})
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "scripted")
	var facts, choices strings.Builder
	for i := range n {
		fmt.Fprintf(&facts, `{"qid": "f%d", "question": "What is the dose of medicine number %d?", "exact": ["%d mg"]}`+"\n", i, i, i)
		fmt.Fprintf(&choices, `{"qid": "c%d", "question": "Which medicine is number %d?", "options": {"A": "metformin", "B": "apixaban"}, "gold": "%c"}`+"\n", i, i, 'A'+i%2)
	}
	s.plan = s.write(t, "plan.toml", fmt.Sprintf("systems = [%s]\n[[dataset]]\nfile = \"facts.jsonl\"\n[[dataset]]\nfile = \"choices.jsonl\"\n", systems))
	s.write(t, "facts.jsonl", facts.String())
	s.write(t, "choices.jsonl", choices.String())
	return s
}

// write writes a file next to the base and returns its path.
func (s *runSite) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join("..", name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs the plan into a folder.
func (s *runSite) run(t *testing.T, out string, more ...string) (stdout, stderr string, code int) {
	t.Helper()
	return run(t, strings.NewReader(""), append([]string{"eval", "run", s.plan, "--out", out, "--parallel", "1"}, more...)...)
}

func readText(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRunOutlivesItsEndpoint has the endpoint go at the 10th of 30 questions. Nothing is lost, and the run that goes on has
// the figures of one that was never interrupted.
func TestRunOutlivesItsEndpoint(t *testing.T) {
	s := newRunSite(t, 15, `"direct"`)
	s.gone.Store(10)
	stdout, stderr, code := s.run(t, "out")
	for _, want := range []string{"20 questions failed one after another: ", "the answers to 9 of 30 questions are kept in out: start it again to go on"} {
		if code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s\nwant %q", code, stderr, want)
		}
	}
	if !strings.Contains(stdout, "n = 9") {
		t.Errorf("the figures of what was answered are not printed:\n%s", stdout)
	}
	if answers := readText(t, "out", "answers.jsonl"); strings.Count(answers, "\n") != 9 || strings.Contains(answers, "failed") {
		t.Errorf("kept:\n%s", answers)
	}
	s.gone.Store(0)
	s.calls.Store(0)
	if _, stderr, code := s.run(t, "out"); code != exitDone || s.calls.Load() != 21 {
		t.Errorf("goes on: exit %d, %d calls, %s", code, s.calls.Load(), stderr)
	}
	s.calls.Store(0)
	if _, stderr, code := s.run(t, "again"); code != exitDone || s.calls.Load() != 0 {
		t.Errorf("from the cache: exit %d, %d calls, %s", code, s.calls.Load(), stderr)
	}
	for _, name := range []string{"results.json", "provenance.json", "plan.json"} {
		if first, second := readText(t, "out", name), readText(t, "again", name); first != second {
			t.Errorf("%s differs between a run that was interrupted and one from the cache: %s", name, firstDifference(first, second))
		}
	}
}

// TestFailedQuestionsAreToldAndAskedAgain has the endpoint go for the last ten questions.
func TestFailedQuestionsAreToldAndAskedAgain(t *testing.T) {
	s := newRunSite(t, 10, `"direct"`)
	s.gone.Store(11)
	stdout, stderr, code := s.run(t, "out")
	if code != exitDone || !strings.Contains(stderr, "lacuna: failed, 10 questions: ") || !strings.Contains(stderr, "--again asks them again") ||
		!strings.Contains(stdout, "direct (10 of 10 failed and left out)") {
		t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
	}
	s.gone.Store(0)
	s.calls.Store(0)
	if _, _, code := s.run(t, "out"); code != exitDone || s.calls.Load() != 0 {
		t.Errorf("without --again: exit %d, %d calls", code, s.calls.Load())
	}
	stdout, stderr, code = s.run(t, "out", "--again")
	if code != exitDone || s.calls.Load() != 10 || strings.Contains(stdout, "failed") {
		t.Errorf("with --again: exit %d, %d calls, %s\n%s", code, s.calls.Load(), stderr, stdout)
	}
}

// TestRunThatCannotBegin has what is wrong told before anything is asked, and leaves no folder.
func TestRunThatCannotBegin(t *testing.T) {
	s := newRunSite(t, 3, `"direct"`)
	s.write(t, "broken.jsonl", `{"qid": "a", "question": "Which?", "exact": ["this"]}`+"\n"+`{"qid": "b", "exact": ["that"]}`+"\n")
	s.write(t, "poem.txt", "Shall I compare thee to a summer's day?\n")
	for _, c := range []struct{ plan, want string }{
		{"systems = [\"misknow/nowhere\"]\n[[dataset]]\nfile = \"facts.jsonl\"\n", `no answering system is called "misknow/nowhere"`},
		{"systems = [\"direct\"]\n[[dataset]]\nfile = \"nowhere.jsonl\"\n", "no such file"},
		{"systems = [\"direct\"]\n[[dataset]]\nfile = \"broken.jsonl\"\n", `broken.jsonl:2: `},
		{"systems = [\"direct\"]\n[[dataset]]\nfile = \"poem.txt\"\n", "no known form of a data set"},
		{"systems = [\"direct\"]\n[[dataset]]\nfile = \"facts.jsonl\"\nform = \"medqa\"\n", "not MedQA-US, which has question, options and answer_idx"},
		{"systems = [\"direct\"]\n[[dataset]]\nfile = \"facts.jsonl\"\nkind = \"choice\"\n", `has no question of the kind "choice"`},
		{"sytems = [\"direct\"]\n", `line 1: unknown key "sytems"`},
	} {
		path := s.write(t, "wrong.toml", c.plan)
		_, stderr, code := run(t, strings.NewReader(""), "eval", "run", path)
		if code != exitUsage || !strings.Contains(strings.ReplaceAll(stderr, "cannot find the file", "no such file"), c.want) {
			t.Errorf("%s: exit %d, %s, want %s", c.plan, code, stderr, c.want)
		}
		if _, err := os.Stat(filepath.Join("..", "wrong")); err == nil {
			t.Errorf("%s: it left a folder", c.plan)
		}
	}
	if n := s.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
}

// TestRunIsNotMixed changes what answers depend on between two parts of a run.
func TestRunIsNotMixed(t *testing.T) {
	s := newRunSite(t, 3, `"misknow/merged"`)
	if _, stderr, code := s.run(t, "out"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	before := readText(t, "out", "provenance.json")
	prompts := filepath.Join("..", "prompts")
	template, err := filepath.Abs(prompts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(prompts, 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(t, "prompts/judge_gaps.tmpl", "--- system\nBe brief.\n--- user\n{{.Question}}\n")
	own := s.write(t, "own.toml", fmt.Sprintf("[prompts]\nfolder = %q\n", template))
	warm := s.write(t, "warm.toml", "[model]\ntemperature = 0.9\n")
	for _, c := range []struct {
		config, want string
	}{
		{own, "the prompts judge_gaps changed since the run began"},
		{warm, "the settings changed since the run began"},
	} {
		if _, stderr, code := s.run(t, "out", "--config", c.config); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s, want %s", c.config, code, stderr, c.want)
		}
	}
	s.write(t, "facts.jsonl", readText(t, "..", "facts.jsonl")+"\n")
	if _, stderr, code := s.run(t, "out"); code != exitUsage || !strings.Contains(stderr, "the questions changed since the run began") {
		t.Errorf("another data set: exit %d, %s", code, stderr)
	}
	s.write(t, "ranking.toml", "systems = [\"offline\"]\n[[dataset]]\nfile = \"beir\"\n")
	for _, folder := range []string{"beir", "beir/qrels"} {
		if err := os.Mkdir(filepath.Join("..", folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.write(t, "beir/queries.jsonl", `{"_id": "q1", "text": "What is gout?"}`)
	s.write(t, "beir/qrels/test.tsv", "q1\tconditions/gout.md\t1\n")
	s.plan = filepath.Join("..", "ranking.toml")
	if stdout, stderr, code := s.run(t, "ranked"); code != exitDone || !strings.Contains(stdout, "recall@10 of what was read           1.000") {
		t.Errorf("a folder of BEIR: exit %d, %s\n%s", code, stderr, stdout)
	}
	s.write(t, "beir/qrels/test.tsv", "q1\tgout.md\t1\n")
	if _, stderr, code := s.run(t, "ranked"); code != exitUsage || !strings.Contains(stderr, "the questions changed since the run began") {
		t.Errorf("another file in a folder: exit %d, %s", code, stderr)
	}
	if _, stderr, _ := s.run(t, "strange"); !strings.Contains(stderr, "beir: relevant records that no source has, such as gout.md: 1 of 1; they count as not found") {
		t.Errorf("a record that no source has: %s", stderr)
	}
	s.plan = filepath.Join("..", "plan.toml")
	if err := os.WriteFile(filepath.Join("kb", "guidelines", "new.md"), []byte("# Zinc\n\nZinc shortens colds by a day.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := s.run(t, "out"); code != exitUsage || !strings.Contains(stderr, "the sources and the questions changed") {
		t.Errorf("another source: exit %d, %s", code, stderr)
	}
	if readText(t, "out", "provenance.json") != before {
		t.Error("a run that was refused changed the provenance")
	}
}

// TestRunIsReplayed records a run of which the endpoint goes in the middle, and its end, and replays it without the server
// in another folder with another cache, as on another machine: the same bytes come out. A prompt that has changed since is
// named, and the system that does not use it is replayed all the same.
func TestRunIsReplayed(t *testing.T) {
	const systems = `"misknow/merged", "medrgag"`
	s := newRunSite(t, 4, systems)
	s.gone.Store(40)
	record := filepath.Join(t.TempDir(), "run.jsonl")
	if _, stderr, code := s.run(t, "out", "--record", record); code != exitDone || !strings.Contains(stderr, "failed, ") {
		t.Fatalf("recorded: exit %d, %s", code, stderr)
	}
	s.gone.Store(0)
	recorded, stderr, code := s.run(t, "out", "--record", record, "--again")
	if code != exitDone {
		t.Fatalf("recorded: exit %d, %s", code, stderr)
	}
	files := map[string]string{}
	for _, name := range []string{"answers.jsonl", "results.json", "provenance.json", "plan.json", "report.html"} {
		files[name] = readText(t, "out", name)
	}

	s = newRunSite(t, 4, systems)
	t.Setenv("LACUNA_MODEL_BASE_URL", "")
	t.Setenv("LACUNA_MODEL", "")
	replayed, stderr, code := s.run(t, "out", "--replay", record)
	if code != exitDone || s.calls.Load() != 0 {
		t.Errorf("replayed: exit %d, %d calls, %s", code, s.calls.Load(), stderr)
	}
	if replayed != recorded {
		t.Errorf("the replay prints something else: %s", firstDifference(recorded, replayed))
	}
	for name, want := range files {
		if got := readText(t, "out", name); got != want {
			t.Errorf("%s of the replay differs: %s", name, firstDifference(want, got))
		}
	}

	folder, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	template := readText(t, repository, "prompts", "judge_gaps.tmpl")
	s.write(t, "judge_gaps.tmpl", strings.Replace(template, "--- system\n", "--- system\nBe brief.\n", 1))
	own := s.write(t, "own.toml", fmt.Sprintf("[prompts]\nfolder = %q\n", folder))
	stdout, stderr, code := s.run(t, "changed", "--replay", record, "--config", own)
	if code != exitFailed || !strings.Contains(stderr, "judge_gaps has changed since the recording: 8 questions cannot be replayed") ||
		!strings.Contains(stdout, "misknow/merged (4 of 4 failed and left out)") || strings.Contains(stdout, "medrgag (4 of 4") {
		t.Errorf("a changed prompt: exit %d, %s\n%s", code, stderr, stdout)
	}
}
