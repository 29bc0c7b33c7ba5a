package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// clinic copies the example base to a new folder with a home of its own, and makes it the current one. It
// returns a file of so many questions.
func clinic(t *testing.T, example string, questions int) (queries string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	isolate(t, dir)
	to := filepath.Join(dir, "some", "where")
	if err := os.CopyFS(to, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(to)
	stored, err := os.Open(filepath.Join("kb", "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	var lines strings.Builder
	n := 0
	add := func(text string) {
		n++
		line, _ := json.Marshal(map[string]string{"qid": fmt.Sprintf("q%d", n), "question": text})
		lines.Write(append(line, '\n'))
	}
	for _, text := range []string{"What is tirzepatide?", "Can lisinopril be taken in pregnancy?", "How is gout treated?", "Why is that?", "Dose of apixaban in children?"} {
		add(text)
	}
	for rows := bufio.NewScanner(stored); rows.Scan() && n < questions; {
		var pair struct{ Question string }
		if json.Unmarshal(rows.Bytes(), &pair) == nil {
			add(pair.Question)
		}
	}
	if n != questions {
		t.Fatalf("%d questions", n)
	}
	queries = filepath.Join(dir, "queries.jsonl")
	if err := os.WriteFile(queries, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return queries
}

// TestReplayRepeatsARun records 20 questions of two systems, 50 with LACUNA_LONG, and replays them in another folder, with
// another home, on one processor, without the server: the same bytes come out, also where calls failed. Then one template changes:
// it is named, and the system that does not use it is replayed all the same.
func TestReplayRepeatsARun(t *testing.T) {
	questions := 20
	if os.Getenv("LACUNA_LONG") != "" {
		questions = 50
	}
	example, err := filepath.Abs(filepath.Join("..", "..", "examples", "clinic"))
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	script := llmtest.Obliging()
	server := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		reply := script(c)
		switch i := n.Add(1); {
		case i%37 == 0:
			return llmtest.Reply{Status: 404, Text: "not now"}
		case i%11 == 0:
			reply.Text += fmt.Sprintf("\n%d.", i) // no two replies are the same
		}
		return reply
	})
	queries := clinic(t, example, questions)
	recording := filepath.Join(t.TempDir(), "run.jsonl")
	results := map[string]string{}
	both := []string{"misknow/merged", "medrgag"}
	for _, system := range both {
		t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
		t.Setenv("LACUNA_MODEL", "scripted")
		stdout, stderr, code := run(t, strings.NewReader(""), "ask", "--json", "--trace", "--system", system, "--queries", queries, "--record", recording)
		if code != exitDone || !strings.Contains(stderr, "calls recorded in") {
			t.Fatalf("record %s: exit %d, %s", system, code, stderr)
		}
		results[system] = stdout
	}
	server.Close()

	queries = clinic(t, example, questions)
	replay := func(system string, more ...string) (stdout, stderr string, code int) {
		t.Helper()
		return run(t, strings.NewReader(""), append([]string{"ask", "--json", "--trace", "--system", system, "--queries", queries, "--replay", recording}, more...)...)
	}
	for i, system := range both {
		old := runtime.GOMAXPROCS(1 + 3*i)
		stdout, stderr, code := replay(system)
		runtime.GOMAXPROCS(old)
		if code != exitDone || !strings.HasSuffix(stderr, fmt.Sprintf("calls replayed for %d questions\n", questions)) {
			t.Errorf("replay %s: exit %d, %s", system, code, stderr)
		}
		if stdout != results[system] {
			t.Errorf("%s: the replay differs: %s", system, firstDifference(results[system], stdout))
		}
	}
	if audits, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "lacuna", "*", "audit.jsonl")); len(audits) > 0 {
		t.Errorf("something was sent: %v", audits)
	}

	folder := t.TempDir()
	template, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(example)), "prompts", "judge_gaps.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(template), "--- system\n", "--- system\nBe brief.\n", 1)
	if err := os.WriteFile(filepath.Join(folder, "judge_gaps.tmpl"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(folder, "own.toml")
	if err := os.WriteFile(own, fmt.Appendf(nil, "[prompts]\nfolder = %q\n", folder), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := prompts.Load(folder); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := replay("medrgag", "--config", own)
	if code != exitDone || stdout != results["medrgag"] {
		t.Errorf("medrgag does not use the changed prompt: exit %d, %s", code, stderr)
	}
	stdout, stderr, code = replay("misknow/merged", "--config", own)
	if code != exitFailed || !strings.Contains(stderr, "judge_gaps has changed since the recording: ") {
		t.Errorf("a changed prompt: exit %d, %s", code, stderr)
	}
	lines, named := strings.Split(strings.TrimSpace(stdout), "\n"), 0
	for i, line := range strings.Split(strings.TrimSpace(results["misknow/merged"]), "\n") {
		var failed failedJSON
		if err := json.Unmarshal([]byte(lines[i]), &failed); err != nil {
			t.Fatal(err)
		}
		switch {
		case failed.Error == "":
			if lines[i] != line {
				t.Errorf("a question without the changed prompt differs: %s", firstDifference(line, lines[i]))
			}
		case !strings.HasPrefix(failed.Error, "the recording holds no such call of judge_gaps: its template has changed; first difference, in line 1 of the system: recorded ") || !strings.Contains(failed.Error, `now "Be brief. `):
			t.Errorf("%s", failed.Error)
		default:
			named++
		}
	}
	if named < questions*4/5 {
		t.Errorf("the changed prompt is named for %d of %d questions", named, questions)
	}
}

// firstDifference returns where two outputs begin to differ.
func firstDifference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := max(0, at-100)
	return fmt.Sprintf("%d and %d bytes, at %d:\n%q\n%q", len(a), len(b), at, a[from:min(len(a), at+100)], b[from:min(len(b), at+100)])
}

// TestReplayRepeatsAPlan records a plan of two systems and two models, and replays it elsewhere: the same answers
// and the same figures are written.
func TestReplayRepeatsAPlan(t *testing.T) {
	example, err := filepath.Abs(filepath.Join("..", "..", "examples", "clinic"))
	if err != nil {
		t.Fatal(err)
	}
	server := llmtest.New(t, llmtest.Obliging())
	recording := filepath.Join(t.TempDir(), "run.jsonl")
	perform := func(address string, flags ...string) (answers, figures string) {
		t.Helper()
		queries := clinic(t, example, 50)
		if address != "" {
			t.Setenv("LACUNA_MODEL_BASE_URL", address)
			t.Setenv("LACUNA_MODEL", "scripted")
		}
		plan := fmt.Sprintf("systems = [\"std-rag/qa\", \"misknow/merged\"]\nmodels = [\"small\", \"large\"]\nseeds = [1]\nquestions = 6\n[[dataset]]\nname = \"clinic\"\nfile = %q\n", queries)
		if err := os.WriteFile("plan.toml", []byte(plan), 0o600); err != nil {
			t.Fatal(err)
		}
		_, stderr, code := run(t, strings.NewReader(""), append([]string{"eval", "run", "plan.toml", "--out", "out"}, flags...)...)
		if code != exitDone {
			t.Fatalf("%v: exit %d, %s", flags, code, stderr)
		}
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join("out", name))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		return read("answers.jsonl"), read("results.json")
	}
	answers, figures := perform(server.URL(), "--record", recording)
	server.Close()
	again, same := perform("", "--replay", recording)
	if again != answers {
		t.Errorf("answers differ: %s", firstDifference(answers, again))
	}
	if same != figures {
		t.Errorf("figures differ: %s", firstDifference(figures, same))
	}
	if n := strings.Count(answers, "\n"); n != 24 || !strings.Contains(answers, `"large"`) || strings.Count(answers, `"chosen":4`) < 12 || strings.Contains(answers, "chosen_written") {
		t.Errorf("%d answers: %s", n, answers)
	}
}
