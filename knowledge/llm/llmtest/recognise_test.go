package llmtest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// inputs has one of each template, with evidence where there is a place for it.
func inputs() map[string]prompts.Input {
	const question = "When is garlic planted?"
	options := []prompts.Option{{Letter: "A", Text: "In spring"}, {Letter: "B", Text: "In autumn"}}
	contexts := []prompts.Context{{N: 1, Title: "Garlic (bulbs)", Text: "Garlic is planted in autumn. It needs cold."}, {N: 2, Question: "How deep?", Text: "About 5 cm deep."}}
	return map[string]prompts.Input{
		"answer_direct":     prompts.AnswerDirect{Question: question},
		"answer_cot":        prompts.AnswerCoT{Question: question, Contexts: contexts},
		"answer_manual_cot": prompts.AnswerManualCoT{Question: question, Contexts: contexts},
		"answer_context":    prompts.AnswerContext{Question: question, Contexts: contexts, Style: prompts.Note},
		"answer_choice":     prompts.AnswerChoice{Question: question, Options: options, Contexts: contexts},
		"judge_gaps":        prompts.JudgeGaps{Question: question, Contexts: contexts, Draft: "In autumn.", Stepwise: true},
		"explore_gaps":      prompts.ExploreGaps{Question: question, Options: options, Summaries: []string{"In autumn."}, Most: 3},
		"summarise_doc":     prompts.SummariseDoc{Question: question, Document: contexts[0]},
		"generate_doc":      prompts.GenerateDoc{Question: question, Point: "Cold", MaxWords: 200},
		"select_docs":       prompts.SelectDocs{Question: question, Documents: contexts, Top: 5},
		"migres_extract":    prompts.MigresExtract{Query: question, Contexts: contexts},
		"migres_solve":      prompts.MigresSolve{Question: question, Facts: []string{"Garlic is planted in autumn."}},
		"migres_query":      prompts.MigresQuery{Question: question, Asked: []string{question}, Missing: "depth", Most: 3},
		"verify_facts":      prompts.VerifyFacts{Facts: []string{"It is planted in autumn.", "It is deep."}, Contexts: contexts},
		"eval_contexts":     prompts.EvalContexts{Question: question, Gold: "In autumn. Set it 5 cm deep."},
		"followup_ask":      prompts.FollowupAsk{Question: question, Options: options, Most: 3},
		"query_check":       prompts.QueryCheck{Question: question},
		"rewrite":           prompts.Rewrite{Question: question},
		"confidence":        prompts.Confidence{Question: question},
		"decompose":         prompts.Decompose{Question: question, Most: 3},
		"combine":           prompts.Combine{Question: question, SubAnswers: []prompts.SubAnswer{{Query: "How deep?", Answer: "About 5 cm deep."}}},
	}
}

// TestEveryTemplateIsRecognised sends each prompt without saying which it is, as clients do to
// endpoints that know no schemas, and reads the reply as the answering systems do.
func TestEveryTemplateIsRecognised(t *testing.T) {
	srv := llmtest.New(t, llmtest.Obliging())
	all := inputs()
	if names := prompts.Default().Names(); len(names) != len(all) {
		t.Errorf("%d inputs for the templates %v", len(all), names)
	}
	for name, input := range all {
		chat, err := prompts.Default().Render(input)
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(map[string]any{"model": "m", "messages": chat.Messages})
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := post(t, srv.URL()+"/chat/completions", string(body))
		calls := srv.Calls()
		if got := calls[len(calls)-1].Template; got != name {
			t.Errorf("%s is taken for %q", name, got)
		}
		var reply struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(text), &reply); err != nil || len(reply.Choices) == 0 {
			t.Fatalf("%s: reply %s, error %v", name, text, err)
		}
		if got := understood(t, name, reply.Choices[0].Message.Content); !strings.Contains(got, want[name]) {
			t.Errorf("%s: understood %s, want %s", name, got, want[name])
		}
	}
}

// want holds what the replies mean, in part.
var want = map[string]string{
	"answer_direct":     "depends",
	"answer_cot":        "Garlic is planted in autumn [1]",
	"answer_manual_cot": "Garlic is planted in autumn [1]",
	"answer_context":    "Garlic is planted in autumn [1]. About 5 cm deep [2].",
	"answer_choice":     "Letter:A",
	"judge_gaps":        "Missing:true Gaps:[limits and exceptions] Queries:[limits and exceptions of When is garlic planted]",
	"explore_gaps":      "Definition of When is garlic planted",
	"summarise_doc":     "Garlic is planted in autumn.",
	"generate_doc":      "textbooks",
	"select_docs":       "Selected:[2 1]",
	"migres_extract":    "Garlic is planted in autumn. Support:[1]",
	"migres_solve":      "Answer:Garlic is planted in autumn.",
	"migres_query":      "limits apply",
	"verify_facts":      "[true true]",
	"eval_contexts":     "[In autumn.]",
	"followup_ask":      "limits apply",
	"query_check":       "Class:clear",
	"rewrite":           "What is there to know about When is garlic planted?",
	"confidence":        "0.4",
	"decompose":         "limits apply",
	"combine":           "Taken together",
}

// understood reads a reply with the parser of its template.
func understood(t *testing.T, template, reply string) string {
	t.Helper()
	var value any
	var err error
	switch template {
	case "answer_choice":
		value, _, err = prompts.ParseChoice(reply, []prompts.Option{{Letter: "A", Text: "In spring"}, {Letter: "B", Text: "In autumn"}})
	case "judge_gaps":
		value, _, err = prompts.ParseJudgement(reply)
	case "explore_gaps":
		value, _, err = prompts.ParseExploration(reply, 3)
	case "summarise_doc":
		value, _, _, err = prompts.ParseSummary(reply)
	case "generate_doc":
		value, _, err = prompts.ParseDocument(reply)
	case "select_docs":
		value, _, err = prompts.ParseSelection(reply, 2, 5)
	case "migres_extract":
		value, _, err = prompts.ParseFacts(reply, 2)
	case "migres_solve":
		value, _, err = prompts.ParseSolution(reply)
	case "query_check":
		value, _, err = prompts.ParseCheck(reply)
	case "rewrite":
		value, _, err = prompts.ParseRewrite(reply)
	case "confidence":
		value, _, err = prompts.ParseConfidence(reply)
	case "migres_query", "followup_ask", "decompose":
		_, value, _, err = prompts.ParseQueries(reply, 3)
	case "eval_contexts":
		value, _, err = prompts.ParseStatements(reply)
	case "verify_facts":
		value, _, err = prompts.ParseVerdicts(reply, []string{"a", "b"})
	default:
		value = reply
	}
	if err != nil {
		t.Errorf("%s: %v in %q", template, err, reply)
		return ""
	}
	return fmt.Sprintf("%+v", value)
}
