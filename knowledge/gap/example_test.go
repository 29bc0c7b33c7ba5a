package gap_test

import (
	"context"
	"fmt"
	"os"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
)

// page makes a passage of running text under a title and a heading.
func page(title, heading, text string) *passage.Passage {
	return &passage.Passage{
		ID: passage.IDOf(title + heading + text), Source: "notes", Record: title + ".md", Document: title, Kind: passage.Text,
		Format: passage.Plain, Title: title, Section: heading, Headings: []string{heading}, Text: text,
	}
}

func ExampleJudge() {
	dir, err := os.MkdirTemp("", "gap")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	library, err := knowledge.Build(context.Background(), []*passage.Passage{
		page("Apples", "Pruning", "Apple trees are pruned in winter while they are dormant."),
		page("Apples", "Prevention of pests", "Pheromone traps keep codling moths from apples in summer."),
		page("Plums", "Pruning", "Plum trees are pruned in summer, because silver leaf disease enters winter wounds."),
		page("Plums", "Storage", "Plums keep for two weeks in a cold room."),
	}, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	judge := gap.NewJudge()
	for _, question := range []string{"When are plum trees pruned?", "When are quince trees pruned?", "How are apples stored?"} {
		verdict, err := judge.Judge(context.Background(), library, question, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(question, "missing:", gap.Missing(verdict.Probability))
		for _, g := range verdict.Gaps {
			fmt.Printf("  %s: %s\n", g.Code, g.Text)
		}
	}
	// Output:
	// When are plum trees pruned? missing: false
	// When are quince trees pruned? missing: true
	//   missing-topic: Nothing on “quince trees pruned”: no passage mentions “quince”
	// How are apples stored? missing: true
	//   missing-aspect: Nothing on storage of “Apples”; you have: prevention
}
