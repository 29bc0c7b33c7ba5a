package prompts_test

import (
	"fmt"

	"lacuna/prompts"
)

// An input becomes the messages for a model; its parser reads what the model replies, whatever the
// model writes around the object it was asked for.
func Example() {
	chat, err := prompts.Default().Render(prompts.JudgeGaps{
		Question: "How is gout treated?",
		Contexts: []prompts.Context{{N: 1, Title: "Gout", Text: "An attack of gout is treated with colchicine."}},
		Draft:    "With colchicine [1].",
	})
	if err != nil {
		panic(err)
	}
	for _, message := range chat.Messages {
		fmt.Println(message.Role)
	}

	reply := "Sure! Here is my verdict:\n```json\n" +
		`{"thought": "The dose is not given.", "judge": true, "missing_knowledge": ["dose"], "query": ["colchicine dose"],}` + "\n```"
	judgement, path, err := prompts.ParseJudgement(reply)
	fmt.Println(judgement.Missing, judgement.Gaps, judgement.Queries, path, err)
	// Output:
	// system
	// user
	// true [dose] [colchicine dose] repaired <nil>
}
