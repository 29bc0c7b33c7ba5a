package systems_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// wire has what a request fixes of a reply.
type wire struct {
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"`
	Presence    float64 `json:"presence_penalty"`
	MaxTokens   int     `json:"max_tokens"`
	Seed        int     `json:"seed"`
}

func wireOf(t *testing.T, call llmtest.Call) wire {
	t.Helper()
	var w wire
	if err := json.Unmarshal(call.Body, &w); err != nil {
		t.Fatal(err)
	}
	w.Temperature, w.TopP = math.Round(w.Temperature*100)/100, math.Round(w.TopP*100)/100
	return w
}

// TestPublishedOnTheWire writes down, for every system, what it searches by and what it sends, in the product and as
// published.
func TestPublishedOnTheWire(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	var b strings.Builder
	for _, s := range systems.All() {
		if !s.Models {
			continue
		}
		fmt.Fprintf(&b, "# %s\n", s.ID)
		q := openQuestion
		q.Style = prompts.Short
		if strings.HasPrefix(s.Paper, "From Retrieval") {
			q = choiceQuestion
		}
		for _, published := range []bool{false, true} {
			bench, server := table(t, playing())
			bench.Options.AsPublished = published
			result := run(t, bench, s.ID, library, q)
			name := map[bool]string{false: "product  ", true: "published"}[published]
			for _, line := range slices.Concat(searchesOf(result), parametersOf(t, server.Calls())) {
				fmt.Fprintf(&b, "%s %s\n", name, line)
			}
		}
	}
	golden := filepath.Join("testdata", "published.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s differs; run with -update and read the difference:\n%s", golden, b.String())
	}
}

// searchesOf counts the searches of an answer by their retriever.
func searchesOf(r answer.Result) []string {
	count := map[string]int{}
	for _, step := range r.Trace {
		if step.Stage != answer.StageRetrieve {
			continue
		}
		by := "hybrid"
		if at := strings.LastIndex(step.Detail, " by "); at >= 0 {
			by = strings.Fields(step.Detail[at+4:])[0]
		}
		count[by]++
	}
	return counted(count, "search ")
}

// parametersOf counts calls by their template and parameters.
func parametersOf(t *testing.T, calls []llmtest.Call) []string {
	t.Helper()
	count := map[string]int{}
	for _, call := range calls {
		if call.Kind != llmtest.Chat {
			continue
		}
		w := wireOf(t, call)
		said := fmt.Sprintf("%-18s temperature %v, top_p %v, tokens %d", call.Template, w.Temperature, w.TopP, w.MaxTokens)
		if w.Presence != 0 {
			said += fmt.Sprintf(", presence %v", w.Presence)
		}
		count[said]++
	}
	return counted(count, "call ")
}

func counted(count map[string]int, prefix string) []string {
	var lines []string
	for said, n := range count {
		lines = append(lines, fmt.Sprintf("%s%s × %d", prefix, said, n))
	}
	slices.Sort(lines)
	return lines
}

// TestPublishedIgnoresSettings holds that what users set gives way to what the paper fixes, except for K and the seed,
// which comparisons vary.
func TestPublishedIgnoresSettings(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	bench, server := table(t, playing(), reranking)
	bench.Options = systems.Options{
		AsPublished: true, Retriever: knowledge.Hybrid, Reranked: 32, Rewrite: true, Rounds: 5, Points: 8, Opinion: systems.ByEvaluator,
	}
	letter := answer.Question{ID: "l", Text: "My father has had gout since winter and his toe swells every month. He also takes iron tablets and vitamin C for his gums. What treats an attack of gout in him at night?"}
	result := run(t, bench, "misknow/merged", library, letter)
	want := []string{"answer_context", "judge_gaps", "answer_context"}
	var got []string
	for _, call := range server.Calls() {
		got = append(got, call.Template)
		if seed := wireOf(t, call).Seed; seed != 42 {
			t.Errorf("%s: the seed is %d", call.Template, seed)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("calls %v, want %v", got, want)
	}
	if by := strings.Join(searchesOf(result), " "); !strings.Contains(by, "dense") || strings.Contains(by, "hybrid") {
		t.Errorf("searched: %s", by)
	}

	bench.Options.K, bench.Options.Seed = 2, 7
	server.Forget()
	result = run(t, bench, "manual-cot-ir", library, openQuestion)
	if len(result.Evidence) != 2 {
		t.Errorf("%d passages with K = 2", len(result.Evidence))
	}
	if seed := wireOf(t, server.Calls()[0]).Seed; seed != 49 {
		t.Errorf("the seed is %d, want 42 + 7", seed)
	}
}

// TestPublishedOrder holds in which order the prompts of the papers have their parts.
func TestPublishedOrder(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	before := func(call llmtest.Call, first, second string) bool {
		at, then := strings.Index(call.User(), first), strings.Index(call.User(), second)
		return at >= 0 && then >= 0 && at < then
	}
	for _, published := range []bool{false, true} {
		bench, server := table(t, playing())
		bench.Options.AsPublished = published
		run(t, bench, "misknow/merged", library, openQuestion)
		run(t, bench, "medrgag", library, openQuestion)
		for _, call := range server.Calls() {
			switch call.Template {
			case "judge_gaps":
				if before(call, "Question:", "Contexts:") != published {
					t.Errorf("as published %v, the judge reads\n%s", published, call.User())
				}
			case "summarise_doc":
				if before(call, "Document:", "Question:") != published {
					t.Errorf("as published %v, the summariser reads\n%s", published, call.User())
				}
			case "select_docs":
				if before(call, "Question:", "Documents:") != published {
					t.Errorf("as published %v, the integrator reads\n%s", published, call.User())
				}
			case "explore_gaps":
				if strings.Contains(call.User(), "Name the 3 most important points") != published {
					t.Errorf("as published %v, the explorer is asked\n%s", published, call.User())
				}
			}
		}
	}
}

// TestPublishedAblationsDiffer holds that the papers' ablations leave something out also where a model has no trace of its own:
// the published ablation table would otherwise compare a system with itself.
func TestPublishedAblationsDiffer(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, q := range []answer.Question{openQuestion, choiceQuestion} {
		last := map[string]string{}
		for _, system := range []string{"misknow/merged", "misknow/merged/no-reasoning", "misknow/merged/no-trace"} {
			script := llmtest.On(playing(), "judge_gaps", func(llmtest.Call) llmtest.Reply {
				return llmtest.Reply{Text: "Colchicine is covered, scurvy is not. One query is enough.\n" +
					`{"thought":"Scurvy is missing.","judge":true,"missing_knowledge":["treatment of scurvy"],"query":["scurvy treatment"]}`}
			})
			bench, server := table(t, script)
			bench.Options.AsPublished = true
			run(t, bench, system, library, q)
			calls := server.Calls()
			last[system] = calls[len(calls)-1].User()
		}
		if last["misknow/merged"] == last["misknow/merged/no-trace"] || last["misknow/merged"] == last["misknow/merged/no-reasoning"] {
			t.Errorf("%s: an ablation has the whole system's last prompt", q.ID)
		}
	}
}

// TestPublishedMIGRESFilters holds that the release's threshold decides, on logits and on probabilities.
func TestPublishedMIGRESFilters(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, c := range []struct {
		score float64
		reads bool
	}{{3.1, true}, {2.9, false}, {.96, true}, {.9, false}} {
		obliging := playing()
		bench, server := table(t, func(call llmtest.Call) llmtest.Reply {
			if call.Kind == llmtest.Rerank {
				return llmtest.Reply{Scores: slices.Repeat([]float64{c.score}, len(call.Documents))}
			}
			return obliging(call)
		}, reranking)
		bench.Options.AsPublished = true
		run(t, bench, "migres", library, answer.Question{ID: "g", Text: "What treats an attack of gout?"})
		first := ""
		for _, call := range server.Calls() {
			if call.Kind == llmtest.Chat && first == "" {
				first = call.Template
			}
		}
		if reads := first == "migres_extract"; reads != c.reads {
			t.Errorf("with scores of %v the first call is %s", c.score, first)
		}
	}
}

// TestShort holds how a short answer is read.
func TestShort(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, c := range []struct{ reply, want string }{
		{"\n\nAnswer: colchicine\nbecause it helps", "colchicine"},
		{"**Colchicine**", "Colchicine"},
		{"A. Clay", "A. Clay"},
	} {
		bench, server := table(t, llmtest.On(playing(), "answer_context", llmtest.Always(llmtest.Reply{Text: c.reply})))
		bench.Options.Style = prompts.Short
		result := run(t, bench, "std-rag/merged", library, openQuestion)
		if result.Said != c.want {
			t.Errorf("of %q it says %q, want %q", c.reply, result.Said, c.want)
		}
		if !strings.Contains(server.Calls()[0].System(), "the answer alone, as a phrase") {
			t.Error("no short answer was asked for")
		}
	}
}

// TestEmptyReplyIsAskedForAgain has a model that says nothing the first time.
func TestEmptyReplyIsAskedForAgain(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	asked := 0
	bench, _ := table(t, llmtest.On(playing(), "answer_direct", func(llmtest.Call) llmtest.Reply {
		if asked++; asked == 1 {
			return llmtest.Reply{Text: "\n"}
		}
		return llmtest.Reply{Text: "Colchicine."}
	}))
	if result := run(t, bench, "direct", library, openQuestion); asked != 2 || result.Failure != nil || result.Said != "Colchicine." {
		t.Errorf("asked %d times; %q, %v", asked, result.Said, result.Failure)
	}
}
