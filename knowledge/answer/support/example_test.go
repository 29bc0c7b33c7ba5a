package support_test

import (
	"context"
	"fmt"
	"os"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/passage"
)

func ExampleChecker() {
	dir, err := os.MkdirTemp("", "support")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	text := "Methotrexate for arthritis is taken once weekly. Folic acid lessens its side effects."
	library, err := knowledge.Build(context.Background(), []*passage.Passage{
		{ID: passage.IDOf(text), Kind: passage.Text, Format: passage.Plain, Source: "guide", Record: "methotrexate.md", Title: "Methotrexate", Text: text},
	}, dir)
	if err != nil {
		panic(err)
	}
	evidence := []answer.Evidence{{Hit: &knowledge.Hit{Passage: library.Passages()[0]}}}
	onDisk := func(*passage.Passage, passage.Span) bool { return true } // a program looks at the file
	checker := support.NewChecker(library, "How is methotrexate taken?", onDisk)

	checked := checker.Check("Methotrexate is taken once weekly for arthritis [1]. Methotrexate is taken once daily for arthritis [1].", evidence)
	for _, s := range checked.Statements {
		fmt.Println(s.Basis, s.Citations, s.Text)
	}
	for _, c := range checked.Citations {
		fmt.Printf("[%d] “%s”\n", c.N, c.Quote)
	}
	fmt.Println("refused citations:", checked.Refused)
	// Output:
	// claim [1] Methotrexate is taken once weekly for arthritis.
	// unsupported [1] Methotrexate is taken once daily for arthritis.
	// [1] “Methotrexate for arthritis is taken once weekly.”
	// refused citations: 1
}
