package extract_test

import (
	"context"
	"fmt"
	"os"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

func ExampleOffline() {
	ctx := context.Background()
	index, err := os.MkdirTemp("", "index")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(index)
	sources := []ingest.Source{{Name: "garden", Kind: passage.Text, Path: "../../../examples/garden/kb"}}
	read, err := ingest.Read(ctx, ingest.DefaultLimits(), sources, nil, nil)
	if err != nil {
		panic(err)
	}
	library, err := knowledge.Build(ctx, ingest.Passages(read), index)
	if err != nil {
		panic(err)
	}
	offline := &extract.Offline{Judge: gap.NewJudge()}
	for _, question := range []string{"When are tomatoes planted out?", "What does a greenhouse cost?"} {
		result, err := offline.Answer(ctx, library, answer.Question{Text: question})
		if err != nil {
			panic(err)
		}
		fmt.Println(question, result.State)
		for _, s := range result.Shown() {
			fmt.Println("  “" + s.Text + "” " + result.Citations[s.Citations[0]-1].Passage.Record)
		}
		for _, g := range result.Gaps {
			fmt.Println("  gap:", g.Text)
		}
	}
	// Output:
	// When are tomatoes planted out? answered
	//   “Tomato seed germinates best at about 20 °C. Plant tomatoes outdoors only when the nights stay above 10 °C.” tomatoes.md
	// What does a greenhouse cost? nothing
	//   gap: Nothing on “greenhouse cost”: no passage mentions “greenhouse”
}
