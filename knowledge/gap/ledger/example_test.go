package ledger_test

import (
	"context"
	"fmt"
	"os"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/passage"
)

// library builds a base of pages about fruit trees.
func library(dir string, texts ...string) *knowledge.Library {
	var pages []*passage.Passage
	for i, text := range texts {
		record := fmt.Sprintf("page%d.md", i)
		pages = append(pages, &passage.Passage{
			ID: passage.IDOf(text), Source: "notes", Record: record, Document: record, Kind: passage.Text, Format: passage.Plain, Text: text,
		})
	}
	l, err := knowledge.Build(context.Background(), pages, dir)
	if err != nil {
		panic(err)
	}
	return l
}

// A gap that a model named is open until a page fills it.
func ExampleLedger_Review() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	before := library(dir+"/before", "Apple trees are pruned in winter.")

	l, err := ledger.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	question := ledger.QuestionRef{Note: "garden.md", Question: "1", Text: "When are quince trees pruned?"}
	missing := gap.FromModel("when quince trees are pruned", "quince pruning winter", 0.8, nil)
	if err := l.Learn(ctx, before, question, ledger.Judgement{System: "misknow/merged", Gaps: []gap.Gap{missing}}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("open:", len(l.OpenGaps(before)))

	after := library(dir+"/after", "Apple trees are pruned in winter.", "Quince pruning is done in winter, when the trees are dormant.")
	changed, err := l.Review(ctx, after)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("changed:", changed)
	fmt.Println("open:", len(l.OpenGaps(after)))
	// Output:
	// open: 1
	// changed: true
	// open: 0
}
