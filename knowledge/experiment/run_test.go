package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/eval"
)

// twoSets writes a plan with two data sets of n questions each and returns it, read.
func twoSets(t *testing.T, n int) (Plan, []Set) {
	t.Helper()
	dir := t.TempDir()
	var facts, choices strings.Builder
	for i := range n {
		fmt.Fprintf(&facts, `{"qid": "f%d", "question": "Which town is number %d?", "exact": [["town %d"]]}`+"\n", i, i, i)
		fmt.Fprintf(&choices, `{"qid": "c%d", "question": "Which one is number %d?", "options": {"A": "this", "B": "that"}, "gold": "%c"}`+"\n", i, i, 'A'+i%2)
	}
	for name, text := range map[string]string{"facts.jsonl": facts.String(), "choices.jsonl": choices.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := ParsePlan([]byte(`
systems = ["plain", "better"]
models = ["small", "large"]
[[dataset]]
file = "facts.jsonl"
[[dataset]]
file = "choices.jsonl"
`), dir)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := plan.Sets()
	if err != nil {
		t.Fatal(err)
	}
	return plan, sets
}

// oracle answers right with the system "better", and with "plain" every other question.
func oracle(_ context.Context, c Cell, q eval.Query) (Answered, error) {
	number := strings.TrimLeft(q.ID, "fc")
	right := c.System == "better" || strings.HasSuffix(number, "0")
	a := Answered{State: "answered", Sure: true, Calls: 1}
	if right {
		a.Reply, a.Letter = "town "+number, q.Gold
	}
	return a, nil
}

func results(t *testing.T, plan Plan, sets []Set, folder *Folder) string {
	t.Helper()
	text, err := json.MarshalIndent(Measure(plan, sets, folder), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRunGoesOnWhereItEnded interrupts a run at random questions, cuts the file of its answers at a random byte as a
// killed process may leave it, and gets the figures of a run that was never interrupted.
func TestRunGoesOnWhereItEnded(t *testing.T) {
	plan, sets := twoSets(t, 12)
	whole, err := Open(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if err := Run(t.Context(), plan, sets, whole, oracle, Options{Parallel: 4}); err != nil {
		t.Fatal(err)
	}
	want := results(t, plan, sets, whole)
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	var asked atomic.Int64
	for {
		folder, err := Open(dir, plan)
		if err != nil {
			t.Fatal(err)
		}
		left := int64(1 + random.IntN(20))
		err = Run(t.Context(), plan, sets, folder, func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
			asked.Add(1)
			if left--; left < 0 {
				return Answered{}, errors.New("killed")
			}
			return oracle(ctx, c, q)
		}, Options{Parallel: 1})
		if err == nil {
			if got := results(t, plan, sets, folder); got != want {
				t.Errorf("figures of an interrupted run (-whole +interrupted):\n%s", cmp.Diff(want, got))
			}
			folder.Close()
			break
		}
		folder.Close()
		answers := filepath.Join(dir, AnswersFile)
		if info, err := os.Stat(answers); err == nil && info.Size() > 40 && random.IntN(2) == 0 {
			if err := os.Truncate(answers, info.Size()-int64(random.IntN(40))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := asked.Load(); n < 96 || n > 200 {
		t.Errorf("%d questions asked for 96 answers", n)
	}
}

func TestFailedQuestionsAreLeftOutAndAskedAgain(t *testing.T) {
	plan, sets := twoSets(t, 10)
	folder, err := Open(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	failing := func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
		if q.ID == "f3" {
			return Answered{Failed: "no connection"}, nil
		}
		a, err := oracle(ctx, c, q)
		if q.ID == "f5" {
			a.StageFailed = "too slow"
		}
		return a, err
	}
	if err := Run(t.Context(), plan, sets, folder, failing, Options{Parallel: 3}); err != nil {
		t.Fatal(err)
	}
	if got := Measure(plan, sets, folder).Failed(); got != 4 { // in each cell of its set
		t.Errorf("%d failed, want 4", got)
	}
	if got := folder.Failures(plan, sets); !cmp.Equal(got, []Failure{{"answered without a stage", "too slow", 4}, {"failed", "no connection", 4}}) {
		t.Errorf("failures %v", got)
	}
	for again, left := range map[bool]int{false: 4, true: 0} {
		if err := Run(t.Context(), plan, sets, folder, oracle, Options{Parallel: 3, Again: again}); err != nil {
			t.Fatal(err)
		}
		if got := Measure(plan, sets, folder).Failed(); again && got != left {
			t.Errorf("again %t: %d failed, want %d", again, got, left)
		}
		if got := len(folder.Failures(plan, sets)); again && got > 0 {
			t.Errorf("%d reasons of failures are left", got)
		}
	}
}

func TestRunEndsWhereAllFails(t *testing.T) {
	plan, sets := twoSets(t, 50)
	folder, err := Open(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	asked := 0
	failing := func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
		switch asked++; {
		case asked > 10 && asked <= 20: // what was asked is to blame, so the next question may well be answered
			return Answered{Failed: "too long"}, nil
		case asked > 30:
			return Answered{Failed: "no connection", Gone: true}, nil
		}
		return oracle(ctx, c, q)
	}
	err = Run(t.Context(), plan, sets, folder, failing, Options{Parallel: 1, FailuresInRow: 5})
	if !errors.Is(err, ErrFailing) || asked != 35 || !strings.Contains(err.Error(), "no connection") {
		t.Errorf("asked %d, %v", asked, err)
	}
	if got := folder.Failures(plan, sets); !cmp.Equal(got, []Failure{{"failed", "too long", 10}}) {
		t.Errorf("failures %v: the questions that an endpoint was gone for are to be asked again", got)
	}
	asked = 0
	err = Run(t.Context(), plan, sets, folder, func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
		asked++
		return oracle(ctx, c, q)
	}, Options{Parallel: 1})
	if err != nil || asked != 400-30 {
		t.Errorf("asked %d after a run of 30, %v", asked, err)
	}
}

// TestFailureAtTheEndIsKept has the endpoint go with the last questions, which are no reason to end a run.
func TestFailureAtTheEndIsKept(t *testing.T) {
	plan, sets := twoSets(t, 2)
	folder, err := Open(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	err = Run(t.Context(), plan, sets, folder, func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
		return Answered{Failed: "no connection", Gone: true}, nil
	}, Options{Parallel: 3, FailuresInRow: 20})
	if got := folder.Failures(plan, sets); err != nil || !cmp.Equal(got, []Failure{{"failed", "no connection", 16}}) {
		t.Errorf("failures %v, %v", got, err)
	}
}

// TestProgressTellsTheTimeLeft has each question take a second.
func TestProgressTellsTheTimeLeft(t *testing.T) {
	plan, sets := twoSets(t, 3)
	folder, err := Open(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	synctest.Test(t, func(t *testing.T) {
		var got []string
		err := Run(t.Context(), plan, sets, folder, func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
			time.Sleep(time.Second)
			return oracle(ctx, c, q)
		}, Options{Parallel: 1, Progress: func(p Progress) { got = append(got, fmt.Sprint(p.Done, " of ", p.Total, ", ", p.Left)) }})
		if err != nil || len(got) != 24 || got[0] != "1 of 24, 23s" || got[20] != "21 of 24, 3s" || got[23] != "24 of 24, 0s" {
			t.Errorf("progress %q, %v", got, err)
		}
	})
}

// TestDamagedAnswersAreAskedAgain has a line in the middle unreadable, and a write fail.
func TestDamagedAnswersAreAskedAgain(t *testing.T) {
	plan, sets := twoSets(t, 3)
	dir := t.TempDir()
	folder, err := Open(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), plan, sets, folder, oracle, Options{Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	want := results(t, plan, sets, folder)
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, AnswersFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, damage := range []string{"", "\x00\x00\x00\n", "{\"cell\": \"fa", "{}\n", "[1]\n"} {
		damaged := bytes.Join([][]byte{lines[0], []byte(damage), bytes.Join(lines[2:], nil)}, nil)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		folder, err := Open(dir, plan)
		if err != nil {
			t.Fatalf("%q: %v", damage, err)
		}
		var asked atomic.Int64
		err = Run(t.Context(), plan, sets, folder, func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
			asked.Add(1)
			return oracle(ctx, c, q)
		}, Options{Parallel: 1})
		if n := asked.Load(); err != nil || n < 1 || n > 2 || (damage == "") != (folder.Torn() == 0) {
			t.Errorf("%q: %d asked again, %d lines not read, %v", damage, n, folder.Torn(), err)
		}
		if got := results(t, plan, sets, folder); got != want {
			t.Errorf("%q: other figures:\n%s", damage, cmp.Diff(want, got))
		}
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnswerThatCannotBeWritten(t *testing.T) {
	plan, sets := twoSets(t, 3)
	dir := t.TempDir()
	folder, err := Open(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	err = Run(t.Context(), plan, sets, folder, func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
		if asked++; asked == 5 {
			folder.answers.Close() // as if the disk were full from here on
		}
		return oracle(ctx, c, q)
	}, Options{Parallel: 1})
	if err == nil || asked != 5 || !strings.Contains(err.Error(), AnswersFile) {
		t.Errorf("asked %d, %v", asked, err)
	}
	if got, _ := Measure(plan, sets, folder).Progress(); got != 4 {
		t.Errorf("%d answers count of which 4 were written", got)
	}
	folder.Close()
	folder, err = Open(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if got, of := Measure(plan, sets, folder).Progress(); got != 4 || of != 24 {
		t.Errorf("%d of %d answers are there, want 4 of 24", got, of)
	}
}

func TestFolderBelongsToOnePlanAndOneRun(t *testing.T) {
	plan, _ := twoSets(t, 2)
	dir := t.TempDir()
	folder, err := Open(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, plan); !errors.Is(err, ErrRunning) {
		t.Errorf("opened by two: %v", err)
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		change func(*Plan)
		want   string
	}{
		{func(p *Plan) { p.Questions = 7 }, ""}, // nothing is answered yet
		{func(p *Plan) { p.Systems = []string{"plain"} }, `systems was ["plain","better"] and is ["plain"]`},
		{func(p *Plan) { p.Datasets[1].Questions = 1 }, "questions of data set 2 was not set and is 1"},
		{func(p *Plan) { p.Datasets = p.Datasets[:1] }, "datasets was [{"},
		{func(p *Plan) {}, ""},
	} {
		changed := plan
		changed.Datasets = slices.Clone(plan.Datasets)
		c.change(&changed)
		folder, err := Open(dir, changed)
		if c.want == "" {
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				plan = changed
				if err := folder.add(Answered{Cell: "a", QID: "1"}); err != nil {
					t.Fatal(err)
				}
			}
			if err := folder.Close(); err != nil {
				t.Fatal(err)
			}
		} else if !errors.Is(err, ErrOtherPlan) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("opened with another plan: %v, want %s", err, c.want)
		}
	}
}

func TestFiguresAndGains(t *testing.T) {
	plan, sets := twoSets(t, 20)
	folder, err := Open(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := Run(t.Context(), plan, sets, folder, oracle, Options{Parallel: 8}); err != nil {
		t.Fatal(err)
	}
	type line struct {
		system, figure string
		value, gain    float64
	}
	var got []line
	for _, table := range Measure(plan, sets, folder).Tables[:3:3] {
		if table.Model != "small" {
			continue
		}
		for _, row := range table.Rows {
			for _, f := range row.Figures {
				l := line{row.Cell.System, f.Name, f.Value, 0}
				for _, g := range row.Gains {
					if g.Name == f.Name {
						l.gain = g.Value
					}
				}
				if f.Name == "EM" || f.Name == "accuracy" || f.Name == "unparsed" {
					got = append(got, l)
				}
				if f.N != 20 || f.Low > f.Value || f.Value > f.High {
					t.Errorf("%s of %s: %+v", f.Name, row.Cell.System, f)
				}
			}
		}
	}
	want := []line{
		{"plain", "EM", .1, 0}, {"better", "EM", 1, .9},
		{"plain", "accuracy", .1, 0}, {"plain", "unparsed", .9, 0}, {"better", "accuracy", 1, .9}, {"better", "unparsed", 0, -.9},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{}), cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestPlanErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "systems is empty",
		"systems = [\"direct\"]\n":             "no [[dataset]]",
		"systems = [\"direct\"]\nsytems = 1\n": `line 2: unknown key "sytems"`,
		"systems = 3\n":                        "line 1: ",
		"systems = [\"direct\"]\n[[dataset]]\nname = \"a\"\n":                                    "file is missing",
		"systems = [\"direct\"]\nbaseline = \"cot\"\n[[dataset]]\nfile = \"a\"\n":                `baseline "cot" is none of the systems`,
		"systems = [\"direct\"]\ndecision = [\"direct\"]\n[[dataset]]\nfile = \"a\"\n":           "decision names two of the systems",
		"systems = [\"direct\"]\n[[dataset]]\nfile = \"a\"\n[[price]]\nsent = -1\n":              "prices are numbers from 0",
		"systems = [\"direct\"]\n[[dataset]]\nfile = \"a\"\nstyle = \"long\"\n":                  `style "long"; known: short, paragraph, note`,
		"systems = [\"direct\"]\nbase_url = \"http://example.org\"\n[[dataset]]\nfile = \"a\"\n": `unknown key "base_url"`,
	} {
		if _, err := ParsePlan([]byte(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestDocumentedPlan reads the plan of docs/experiments.md.
func TestDocumentedPlan(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "experiments.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, plan, _ := strings.Cut(string(page), "```toml\n")
	plan, _, _ = strings.Cut(plan, "```")
	if p, err := ParsePlan([]byte(plan), ""); err != nil || len(p.Datasets) != 1 || len(p.Prices) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestDrawIsTheSameForEverySystem(t *testing.T) {
	var questions []eval.Query
	for i := range 100 {
		questions = append(questions, eval.Query{ID: fmt.Sprint(i)})
	}
	few, more := draw(questions, 10, 7), draw(questions, 30, 7)
	if len(few) != 10 || len(more) != 30 || cmp.Equal(few, draw(questions, 10, 8)) {
		t.Errorf("%d and %d drawn", len(few), len(more))
	}
	kept := map[string]bool{}
	for _, q := range more {
		kept[q.ID] = true
	}
	for _, q := range few {
		if !kept[q.ID] {
			t.Errorf("%s is drawn of 10 and not of 30", q.ID)
		}
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add("systems = [\"direct\"]\n[[dataset]]\nfile = \"a\"\n")
	f.Add("systems = 1e9\n[[dataset]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePlan([]byte(text), "/nowhere"); err == nil && (len(p.Systems) == 0 || len(p.Datasets) == 0) {
			t.Errorf("%q is a plan of nothing", text)
		}
	})
}
