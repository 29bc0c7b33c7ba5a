package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge/llm/llmtest"
)

// recorded writes answers to 300 questions of the garden without and with its sources, and their questions: for vegetables
// with an even number the sources help, for the others they harm, and each third answer is right in both ways.
func recorded(t *testing.T) (responses, questions string) {
	t.Helper()
	var rows, asked strings.Builder
	for i := range 300 {
		plant, need := plants[i%10], needs[(i*7)%10]
		closed, open := "B", "A"
		switch {
		case i%3 == 0:
			closed = "A"
		case i%2 == 1:
			closed, open = "A", "B"
		}
		fmt.Fprintf(&asked, "{\"id\": \"q%d\", \"question\": \"What do %s in bed %d need?\", \"options\": {\"A\": %q, \"B\": \"nothing\"}}\n", i, plant, i, need)
		fmt.Fprintf(&rows, "{\"id\": \"q%d\", \"model\": \"m\", \"gold\": \"A\", \"closed\": \"I think of %s and %s. It may be so.\", \"closed_choice\": %q, \"retrieved\": \"The page says %s.\", \"retrieved_choice\": %q}\n", i, plant, need, closed, need, open)
	}
	responses, questions = filepath.Join(t.TempDir(), "responses.jsonl"), filepath.Join(t.TempDir(), "questions.jsonl")
	for file, text := range map[string]string{responses: rows.String(), questions: asked.String()} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return responses, questions
}

// made makes an artefact without a model, and returns its values and its page.
func made[T any](t *testing.T, args ...string) (values T, page string) {
	t.Helper()
	t.Setenv("LACUNA_MODEL_BASE_URL", "")
	out := filepath.Join(t.TempDir(), "out")
	stdout, stderr, code := run(t, strings.NewReader(""), append(append([]string{"eval", "paper"}, args...), "--json", "--out", out)...)
	if code != exitDone {
		t.Fatalf("%v: exit %d, %s", args, code, stderr)
	}
	whole := struct{ Values *T }{&values}
	if err := json.Unmarshal([]byte(stdout), &whole); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	return values, string(text)
}

// TestFigure1 compares the beds of the garden with stored questions about them: questions in the words of the stored ones
// are nearer to these, and a question that is stored itself is not compared with its own pair.
func TestFigure1(t *testing.T) {
	garden(t)
	var stored, asked strings.Builder
	for i := range 120 {
		fmt.Fprintf(&stored, "{\"id\": \"%d\", \"question\": \"Who waters the %s of gardener %d?\", \"answer\": \"Gardener %d does, with %s.\"}\n", i, plants[i%10], i, i, needs[i%10])
	}
	for i := range 12 {
		fmt.Fprintf(&asked, "{\"qid\": \"%d\", \"question\": \"Who waters %s for a gardener?\"}\n", i, plants[i%10])
	}
	fmt.Fprintf(&asked, "{\"qid\": \"same\", \"question\": \"who waters the chard of gardener 5\"}\n{\"qid\": \"unknown\", \"question\": \"xyzzy?\"}\n")
	if err := os.WriteFile(filepath.Join("kb", "faq.jsonl"), []byte(stored.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	queries := filepath.Join(t.TempDir(), "queries.jsonl")
	if err := os.WriteFile(queries, []byte(asked.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	type figure struct {
		N, Unknown int
		Encoders   []struct {
			Encoder string
			Bases   []struct {
				Base      string
				Texts     int
				Mean      float64
				Histogram []int
				OwnPairs  int `json:"own_pairs"`
			}
			Closer []struct{ Share float64 }
		}
	}
	v, page := made[figure](t, "misknow", "fig1", "--data", "queries="+queries)
	if v.N != 14 || v.Unknown != 1 || len(v.Encoders) != 3 {
		t.Fatalf("%+v", v)
	}
	for _, e := range v.Encoders[:1] {
		passages, pairs := e.Bases[0], e.Bases[1]
		sum := 0
		for _, n := range pairs.Histogram {
			sum += n
		}
		if passages.Texts != 120 || pairs.Texts != 120 || pairs.OwnPairs != 1 || sum != 13 || !(pairs.Mean < passages.Mean && pairs.Mean > 0) || e.Closer[0].Share < .9 {
			t.Errorf("%+v", e)
		}
	}
	if !strings.Contains(page, "so pairs are nearer, as in the paper") || strings.Count(page, "<svg") != 1 {
		t.Error("the page lacks its verdict or its picture")
	}
}

// TestFiguresOfRecordedAnswers makes those of CCSK without a model.
func TestFiguresOfRecordedAnswers(t *testing.T) {
	garden(t)
	responses, questions := recorded(t)
	data := []string{"--data", "responses=" + responses, "--data", "questions=" + questions}
	type study struct {
		Models []struct {
			N        int
			Policies []struct {
				Policy              string
				Accuracy, Retrieved float64
				Gain                *float64 `json:"more_than_ccsk"`
			}
			SweepN int `json:"sweep_n"`
			Sweeps []struct {
				Threshold string
				Points    [][3]float64
			}
		}
	}
	v, page := made[study](t, append([]string{"ccsk", "thresholds"}, data...)...)
	if len(v.Models) != 1 || v.Models[0].N != 300 || len(v.Models[0].Policies) != 12 {
		t.Fatalf("%+v", v)
	}
	m := v.Models[0]
	by := map[string]float64{}
	for _, p := range m.Policies {
		by[p.Policy] = p.Accuracy
	}
	// A third is right in both ways, the rest in one.
	for policy, want := range map[string]float64{"never": 100 * (100 + 100) / 300., "always": 100 * (100 + 100) / 300., "oracle": 100} {
		if math.Abs(by[policy]-want) > 1e-6 {
			t.Errorf("%s: %.2f, want %.2f", policy, by[policy], want)
		}
	}
	if m.SweepN == 0 || len(m.Sweeps) != 3 || len(m.Sweeps[0].Points) != 19 {
		t.Errorf("sweeps: %+v", m.Sweeps)
	}
	if strings.Count(page, "<svg") != 2 || !strings.Contains(page, "better for 100, worse for 100, and both are equally good for 33 %") {
		t.Error("the page lacks a picture or its labels")
	}

	type planes struct {
		Models []struct {
			N, Retrieve int
			Features    []struct {
				Features string
				Plane    struct{ P float64 }
				Places   [][2]float64
				Labels   []string
			}
		}
	}
	w, page := made[planes](t, append([]string{"ccsk", "tsne"}, data...)...)
	if len(w.Models) != 1 || len(w.Models[0].Features) != 2 || strings.Count(page, "<svg") != 2 {
		t.Fatalf("%+v", w)
	}
	for _, f := range w.Models[0].Features {
		if len(f.Places) != w.Models[0].N || len(f.Labels) != w.Models[0].N || w.Models[0].N < 5 || f.Plane.P <= 0 {
			t.Errorf("%s: %d places of %d, p %v", f.Features, len(f.Places), w.Models[0].N, f.Plane.P)
		}
	}
	again, _ := made[planes](t, append([]string{"ccsk", "tsne"}, data...)...)
	if fmt.Sprint(again) != fmt.Sprint(w) {
		t.Error("the second picture is another")
	}

	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ccsk", "tsne"}, "a data set: give --data with responses (recorded answers without and with sources), as in --data responses=FILE"},
		{[]string{"ccsk", "tsne", "--data", "questions=" + questions}, "--data responses=FILE"},
		{[]string{"ccsk", "tsne", "--data", "responses=none.jsonl"}, "none.jsonl"},
		{[]string{"ccsk", "tsne", "--data", "responses=" + responses}, "line 1: no question"},
		{[]string{"ccsk", "thresholds", "--data", "responses=" + questions}, "line 1: neither scores nor gold nor label"},
	} {
		_, stderr, code := run(t, strings.NewReader(""), append([]string{"eval", "paper"}, tt.args...)...)
		if code != exitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: exit %d, %s", tt.args, code, stderr)
		}
	}
}

// TestFiguresWithAModel makes those that vary one thing, with a scripted model: the number of texts, the way to select
// documents, and the models of single roles.
func TestFiguresWithAModel(t *testing.T) {
	example, err := filepath.Abs(filepath.Join("..", "..", "examples", "clinic"))
	if err != nil {
		t.Fatal(err)
	}
	server := llmtest.New(t, llmtest.Obliging())
	clinic(t, example, 50)
	t.Setenv("LACUNA_MODEL_BASE_URL", server.URL())
	t.Setenv("LACUNA_MODEL", "middle")
	files := map[string]string{
		"facts.jsonl":   "{\"qid\": \"1\", \"question\": \"How is lisinopril started?\", \"answers\": [\"10 mg\"]}\n{\"qid\": \"2\", \"question\": \"What is metformin for?\", \"answers\": [\"diabetes\"]}\n",
		"choices.jsonl": "{\"id\": \"1\", \"question\": \"Which drug is an ACE inhibitor?\", \"options\": {\"A\": \"metformin\", \"B\": \"lisinopril\", \"C\": \"apixaban\", \"D\": \"aspirin\"}, \"gold\": \"B\"}\n",
	}
	for name, text := range files {
		files[name] = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(files[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type swept struct {
		Datasets []struct {
			N        int
			Measures []struct {
				Measure string
				Systems []struct {
					System string
					Points []struct {
						Step   string
						N      int
						X      float64
						Value  float64
						Failed int
					}
				}
			}
		}
	}
	make := func(value any, args ...string) (page string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		stdout, stderr, code := run(t, strings.NewReader(""), append(append([]string{"eval", "paper"}, args...), "--json", "--out", out)...)
		if code != exitDone {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &struct{ Values any }{value}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	var byK swept
	page := make(&byK, "misknow", "fig3", "--judge", "words", "--data", "nq="+files["facts.jsonl"])
	if len(byK.Datasets) != 1 || len(byK.Datasets[0].Measures) != 2 || strings.Count(page, "<svg") != 2 || !strings.Contains(page, "Huatuo-26M.</p>") {
		t.Errorf("%+v", byK)
	}
	for _, m := range byK.Datasets[0].Measures {
		for _, s := range m.Systems {
			if len(s.Points) != 5 || s.Points[4].X != 10 || s.Points[4].Step != "k10" || m.Measure == "cover match" && s.Points[4].N != 2 {
				t.Errorf("%s, %s: %+v", m.Measure, s.System, s.Points)
			}
		}
	}

	type table struct {
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
	var ways table
	page = make(&ways, "medrgag", "fig3", "--data", "medqa="+files["choices.jsonl"])
	shares := map[string]float64{}
	for _, row := range ways.Datasets[0].Rows {
		shares[row.System] = row.Figures[1].Value
		if row.Figures[1].Measure != "read, of the sources" || row.Figures[1].N != 1 {
			t.Errorf("%s: %+v", row.System, row.Figures)
		}
	}
	if len(shares) != 5 || shares["medrgag/merge-all"] != 50 || strings.Count(page, "<svg") != 2 {
		t.Errorf("shares of the sources: %v", shares)
	}

	server.Forget()
	var scale swept
	page = make(&scale, "medrgag", "fig4", "--model", "small", "--model", "large", "--data", "medqa="+files["choices.jsonl"])
	points := scale.Datasets[0].Measures[0].Systems[0].Points
	if len(points) != 4 || points[0].N != 1 || !strings.Contains(page, "large as auxiliary model") || strings.Count(page, "<svg") != 1 {
		t.Errorf("%+v", points)
	}
	models := map[string]int{}
	for _, call := range server.Calls() {
		models[call.Model]++
	}
	// As a generator each writes five documents; as auxiliary model it summarises five, explores and selects. The reader's
	// calls are cached.
	if models["small"] != 5+5+1+1 || models["small"] != models["large"] {
		t.Errorf("calls by model: %v", models)
	}
	if _, stderr, code := run(t, strings.NewReader(""), "eval", "paper", "medrgag", "fig4", "--model", "small", "--data", "medqa="+files["choices.jsonl"]); code != exitUsage || !strings.Contains(stderr, "models to compare: give --model twice or more") {
		t.Errorf("one model: exit %d, %s", code, stderr)
	}
}
