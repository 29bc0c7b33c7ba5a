package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/handlers/settings"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/llm/llmtest"
)

var (
	plants = strings.Fields("beans garlic leeks peas kale chard onions carrots beetroot spinach")
	needs  = strings.Fields("water compost shade warmth lime straw nets stakes sand patience")
)

// garden makes a workspace with enough pages for an encoder, and a model for it.
func garden(t *testing.T) *llmtest.Server {
	t.Helper()
	dir := t.TempDir()
	isolate(t, dir)
	var pages strings.Builder
	for i := range 120 {
		fmt.Fprintf(&pages, "# Bed %d\n\nIn bed %d %s grow beside %s. They need %s in week %d.\n\n", i, i, plants[i%10], plants[(i/10+i)%10], needs[(i*7)%10], i)
	}
	kb := filepath.Join(dir, "ws", "kb")
	if err := os.MkdirAll(kb, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kb, "beds.md"), []byte(pages.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "ws"))
	server := llmtest.New(t, llmtest.Obliging())
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "scripted")
	if _, stderr, code := runTyped(t, "index"); code != exitDone { // which tells how it goes where that takes long
		t.Fatalf("index: exit %d, %s", code, stderr)
	}
	return server
}

// gardenHistory writes n past questions: retrieval helped with those on water and harmed with the others.
func gardenHistory(t *testing.T, n int) string {
	t.Helper()
	var rows strings.Builder
	for i := range n {
		need := needs[i%10]
		closed, retrieved := need, "nothing"
		if i%2 == 0 {
			closed, retrieved = "nothing", need
		}
		fmt.Fprintf(&rows, `{"id":"h%d","model":"scripted","question":"What do %s need in week %d of the year?","closed":"They need %s.","retrieved":"They need %s.","gold":%q}`+"\n",
			i, plants[i%10], i, closed, retrieved, need)
	}
	if err := os.WriteFile("history.jsonl", []byte(rows.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return "history.jsonl"
}

// learnt holds the systems of the CCSK paper that decide by what they have learnt.
var learnt = []string{"skr-knn", "sn", "rqm", "linear", "ccsk"}

// TestLearntSystemsFromTheShell asks by each before it is trained and after, by the answer of a file as
// well, and holds that training one leaves the others.
func TestLearntSystemsFromTheShell(t *testing.T) {
	server := garden(t)
	const question = "What do beans need in week 7?"
	for _, system := range learnt {
		line, stderr := asked(t, "--fresh", "--system", system, question)
		if line.System != system || len(line.Lacks) != 1 || line.Lacks[0].What != "gate" || !strings.Contains(line.Decision.Reason, "lacuna gate train --policy "+system) ||
			!line.Decision.Retrieve || len(line.Citations) == 0 || stderr != "" {
			t.Errorf("%s, not trained: %s, lacks %+v, decision %+v, %d citations, %s", system, line.System, line.Lacks, line.Decision, len(line.Citations), stderr)
		}
	}
	stdout, _, _ := run(t, strings.NewReader(""), "ask", "--system", "ccsk", question)
	if strings.Count(stdout, "lacuna gate train --policy ccsk") != 1 {
		t.Errorf("%s", stdout)
	}

	history := gardenHistory(t, 300)
	for _, system := range learnt {
		stdout, stderr, code := run(t, strings.NewReader(""), "gate", "train", "--json", "--folds", "2", "--history", history, "--policy", system)
		var trained gateTrainJSON
		if err := json.Unmarshal([]byte(stdout), &trained); code != exitDone || err != nil || len(trained.Missing) > 0 {
			t.Fatalf("train %s: exit %d, %v, missing %v, %s", system, code, err, trained.Missing, stderr)
		}
	}
	for _, system := range learnt {
		server.Forget()
		line, stderr := asked(t, "--fresh", "--system", system, question)
		if line.System != system || len(line.Lacks) > 0 || line.Decision.Policy != system || line.Decision.Reason == "" || line.Failure != nil || stderr != "" {
			t.Errorf("%s: %s, lacks %+v, decision %+v, failure %+v, %s", system, line.System, line.Lacks, line.Decision, line.Failure, stderr)
		}
		var stages []string
		for _, s := range line.Trace {
			stages = append(stages, s.Stage)
		}
		alone := slices.Contains([]string{"rqm", "linear", "ccsk"}, system) || !line.Decision.Retrieve
		wanted := 1
		if alone && line.Decision.Retrieve {
			wanted = 2
		}
		if calls := len(server.Calls()); calls != wanted || !slices.Contains(stages, "decide") || slices.Contains(stages, "retrieve") != line.Decision.Retrieve {
			t.Errorf("%s: %d calls, want %d, after %v", system, calls, wanted, stages)
		}
	}
	if stdout, stderr, code := runTyped(t, `gate predict --policy sn "What do beans need?"`); code != exitDone || !strings.Contains(stdout, "sn, score") {
		t.Errorf("predict: exit %d, %s%s", code, stdout, stderr)
	}
	t.Setenv("LACUNA_ANSWER_SYSTEM", "linear")
	if line, _ := asked(t, question); line.System != "linear" {
		t.Errorf("the setting answer.system asks for linear and %s answered", line.System)
	}
	t.Setenv("LACUNA_ANSWER_SYSTEM", "")
	own := settings.UserFilePath()
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("gate.policy = \"sn\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if line, _ := asked(t, "--fresh", question); line.Decision.Policy != "sn" {
		t.Errorf("the setting gate.policy asks for sn: %+v", line.Decision)
	}
	if _, stderr, code := runTyped(t, "ask --system default x"); code != exitUsage || !strings.Contains(stderr, `set gate.policy = "default"`) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if stdout, _, _ := runTyped(t, "systems"); strings.Count(stdout, "(gate)") != len(learnt) {
		t.Errorf("%s", stdout)
	}
	if _, stderr, code := runTyped(t, "ask --system ccskk x"); code != exitUsage || !strings.Contains(stderr, "ccsk") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestTrainingInPartIsSaid has a history that is too small for the fusion net, and for the trees.
func TestTrainingInPartIsSaid(t *testing.T) {
	garden(t)
	stdout, _, code := run(t, strings.NewReader(""), "gate", "train", "--folds", "2", "--history", gardenHistory(t, 60), "--policy", "ccsk")
	if code != exitDone || !strings.Contains(stdout, "not all of ccsk could be trained: for scripted the fusion net is missing: it needs 20 past questions whose two answers differ") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if !strings.Contains(stdout, "ccsk decided 60 pairs of 60 without a part of it") {
		t.Errorf("%s", stdout)
	}
	stdout, _, _ = run(t, strings.NewReader(`{"id":"1","model":"scripted","question":"What do beans need?","closed":"Water."}`), "gate", "predict", "--json", "--policy", "ccsk", "--queries", "-")
	if !strings.Contains(stdout, `"missing":["the fusion net is missing`) {
		t.Errorf("%s", stdout)
	}
	line, _ := asked(t, "--system", "ccsk", "What do beans need in week 7?")
	if !strings.Contains(line.Decision.Reason, "the fusion net is missing") {
		t.Errorf("%+v", line.Decision)
	}
	stdout, _, _ = run(t, strings.NewReader(""), "gate", "train", "--folds", "2", "--history", gardenHistory(t, 10), "--policy", "rqm")
	if !strings.Contains(stdout, "not all of rqm could be trained: for scripted the trees that judge the model's own answer are missing") {
		t.Errorf("%s", stdout)
	}
	stdout, _, _ = run(t, strings.NewReader(""), "gate", "report", "--folds", "2", "--history", gardenHistory(t, 60), "--policy", "ccsk", "--json")
	if !strings.Contains(stdout, "ccsk decided 60 pairs of 60 without a part of it") {
		t.Errorf("%s", stdout)
	}
}

// TestCollectLeavesEveryStoredAnswerOut holds that no question is answered from its stored answer or a copy
// of it, that a second run asks nothing, and that too small a history is called so.
func TestCollectLeavesEveryStoredAnswerOut(t *testing.T) {
	server := garden(t)
	var stored strings.Builder
	for i := range 12 {
		fmt.Fprintf(&stored, `{"id":"q%d","question":"How are %s of row %d kept over winter?","answer":"Row %d is kept by zyx%dword under %s."}`+"\n", i, plants[i%10], i, i, i, needs[i%10])
	}
	stored.WriteString(`{"id":"copy","question":"Where does row 3 stay in frost?","answer":"As we said, row 3 is kept by zyx3word under warmth. Ask again in spring."}` + "\n")
	if err := os.WriteFile(filepath.Join("kb", "pairs.jsonl"), []byte(stored.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	const command = "gate collect --json --folds 2 --system std-rag/merged --out pairs.history"
	stdout, stderr, code := runTyped(t, command)
	var trained gateTrainJSON
	if err := json.Unmarshal([]byte(stdout), &trained); code != exitDone || err != nil || trained.Pairs != 13 || trained.Dropped != 0 ||
		!strings.Contains(strings.Join(trained.Verdict, "\n"), "13 questions are too few") {
		t.Fatalf("exit %d, %v, %+v, %s", code, err, trained, stderr)
	}
	if !strings.Contains(stderr, "13 stored questions, at most 26 calls of scripted at 127.0.0.1") {
		t.Errorf("the calls are not counted first: %s", stderr)
	}
	rows, err := os.ReadFile("pairs.history")
	if err != nil || strings.Count(string(rows), `"left_out":true`) != 13 {
		t.Errorf("%v, %s", err, rows)
	}
	others := 0
	for _, call := range server.Calls() {
		if strings.Contains(string(call.Body), "word under") {
			others++
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(string(rows)), "\n") {
		var row collectedRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		own := regexp.MustCompile(`zyx\d+word`).FindString(row.Gold[0])
		if strings.Contains(row.Retrieved+row.Closed, own) {
			t.Errorf("%s was answered from its own stored answer: %s", row.Question, row.Retrieved)
		}
	}
	if others == 0 {
		t.Error("no request shows another stored answer: the test shows nothing")
	}

	server.Forget()
	if _, stderr, code := runTyped(t, command); code != exitDone || len(server.Calls()) != 0 {
		t.Errorf("again: exit %d, %d calls, %s", code, len(server.Calls()), stderr)
	}
	if _, stderr, code := runTyped(t, "gate collect --out x --system medrgag"); code != exitUsage || !strings.Contains(stderr, "--yes") || len(server.Calls()) != 0 {
		t.Errorf("many calls: exit %d, %d calls, %s", code, len(server.Calls()), stderr)
	}
}

// TestWhetherAGateIsWorthHaving gives the three policies a score for even and for odd questions.
func TestWhetherAGateIsWorthHaving(t *testing.T) {
	for _, c := range []struct {
		n                       int
		never, always, standard [2]float64
		want                    string
	}{
		{29, [2]float64{1, 0}, [2]float64{0, 1}, [2]float64{1, 1}, "29 questions are too few"},
		{60, [2]float64{1, 0}, [2]float64{0, 1}, [2]float64{1, 1}, "A gate is worth having here"},
		{60, [2]float64{0, 0}, [2]float64{1, 1}, [2]float64{1, 1}, `at "always"`},
		{60, [2]float64{1, 1}, [2]float64{0, 0}, [2]float64{1, 1}, `"never" is the plain choice`},
	} {
		compared := gate.Comparison{Outcomes: make(map[string][]gate.Outcome)}
		for i := range c.n {
			item := gate.Item{Question: gate.Question{ID: fmt.Sprint(i)}}
			for policy, score := range map[string][2]float64{"never": c.never, "always": c.always, standard: c.standard} {
				compared.Outcomes[policy] = append(compared.Outcomes[policy], gate.Outcome{Item: item, Score: score[i%2]})
			}
		}
		s := study{items: make([]gate.Item, c.n)}
		if got := s.worth(compared, gate.Learner{Name: standard}); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
