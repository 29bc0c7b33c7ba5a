package systems_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/llm/llmtest"
)

// clinicLetters returns 100 stored questions on four subjects, enough to train an encoder.
func clinicLetters() string {
	subjects := [][]string{
		strings.Fields("iron anaemia ferritin tablets blood tired pale haemoglobin"),
		strings.Fields("sugar diabetes insulin metformin glucose thirst feet retina"),
		strings.Fields("breath asthma inhaler steroid wheeze cough chest night"),
		strings.Fields("joint gout urate colchicine toe swelling crystals attack"),
	}
	var b strings.Builder
	for i := range 100 {
		words := subjects[i%len(subjects)]
		var question []string
		for j := range 5 {
			question = append(question, words[(i/4+j*(1+i%2))%len(words)])
		}
		fmt.Fprintf(&b, `{"id":"q%[1]d","question":"What about %[2]s in letter%[1]d?","answer":"Stored answer %[1]d on %[2]s."}`+"\n", i, strings.Join(question, " "))
	}
	return b.String()
}

// written returns the prompts for background, in alphabetical order.
func written(calls []llmtest.Call) []string {
	var prompts []string
	for _, call := range calls {
		if call.Template == "generate_doc" {
			prompts = append(prompts, call.User())
		}
	}
	slices.Sort(prompts)
	return prompts
}

// TestGenReadShowsPastQuestions holds that every document is written after five examples, those of
// different documents are different, and the question itself is never among them.
func TestGenReadShowsPastQuestions(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{"history.jsonl": clinicLetters()})
	if !library.Status().Encoder {
		t.Fatal("the base has no encoder, so there are no clusters")
	}
	asked := ""
	for _, p := range library.Passages() {
		if p.Record == "q3" {
			asked = p.Question
		}
	}
	for _, q := range []string{asked, "How is an attack of gout treated?"} {
		bench, server := table(t, playing())
		run(t, bench, "genread", library, answer.Question{Text: q})
		seen := make(map[string]bool)
		for _, prompt := range written(server.Calls()) {
			examples := 0
			for line := range strings.Lines(prompt) {
				example, is := strings.CutPrefix(line, "Example of a question: ")
				if !is {
					continue
				}
				examples++
				if seen[example] || strings.TrimSpace(example) == asked && q == asked {
					t.Errorf("%s: the example %q", q, example)
				}
				seen[example] = true
			}
			if examples != 5 {
				t.Errorf("%s: %d examples in a prompt", q, examples)
			}
		}
		if len(seen) != 25 {
			t.Errorf("%s: %d examples in all", q, len(seen))
		}
	}
}

// TestGenReadWithoutAnEncoder has past questions too few to train an encoder on: their words group them.
func TestGenReadWithoutAnEncoder(t *testing.T) {
	lines := strings.SplitAfter(clinicLetters(), "\n")
	library, _ := answertest.Library(t, map[string]string{"history.jsonl": strings.Join(lines[:30], "")})
	if library.Status().Encoder {
		t.Fatal("the base has an encoder")
	}
	bench, server := table(t, playing())
	result := run(t, bench, "genread", library, answer.Question{Text: "How is an attack of gout treated?"})
	prompts := written(server.Calls())
	if len(slices.Compact(slices.Clone(prompts))) != 5 || len(result.Lacks) > 0 {
		t.Errorf("%d documents from %d different prompts, without %v", len(prompts), len(slices.Compact(prompts)), result.Lacks)
	}
	for _, prompt := range prompts {
		subjects := make(map[string]bool)
		for _, subject := range []string{"iron", "diabetes", "asthma", "gout"} {
			if strings.Contains(prompt, "Stored answer") && strings.Count(prompt, subject) > 2 {
				subjects[subject] = true
			}
		}
		if len(subjects) > 2 {
			t.Errorf("the examples of one document are about %v", subjects)
		}
	}
}

// TestGenReadWithoutPastQuestions samples without examples.
func TestGenReadWithoutPastQuestions(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	bench, server := table(t, playing())
	run(t, bench, "genread", library, choiceQuestion)
	for _, prompt := range written(server.Calls()) {
		if strings.Contains(prompt, "Example of a question") {
			t.Errorf("examples out of nowhere: %s", prompt)
		}
	}
}
