package note_test

import (
	"fmt"

	"lacuna/handlers/note"
	"lacuna/knowledge/passage"
)

func ExampleParse() {
	n := note.Parse("# Clinic\n\n- How is gout treated?\n\nQ: dose of colchicine\n", note.Markdown)
	for _, q := range n.OpenQuestions() {
		fmt.Printf("%s at byte %d\n", q.Text, q.Span.Start)
	}
	// Output:
	// How is gout treated? at byte 12
	// dose of colchicine at byte 37
}

func ExampleNote_Write() {
	text := "How is gout treated?\n"
	n := note.Parse(text, note.Markdown)
	edit := n.Write(n.Questions[0], note.Block{
		Status:  "Answered from 1 source",
		Bullets: []note.Bullet{{Text: "Colchicine is taken for an attack of gout.", Citations: []int{1}}},
		Sources: []note.BlockSource{{N: 1, Passage: passage.ID{1}, Label: "kb/gout.md:3", Path: "kb/gout.md", Line: 3}},
	})
	fmt.Print(text[:edit.Span.Start] + edit.NewText + text[edit.Span.End:])
	// Output:
	// How is gout treated?
	//
	// <!-- lacuna:answer 582a0e2c -->
	// **Answered from 1 source**
	//
	// - "Colchicine is taken for an attack of gout." [1]
	//
	// 1. [kb/gout.md:3](kb/gout.md#L3) <!-- lacuna:cite 01000000000000000000000000000000 -->
	// <!-- lacuna:end -->
}
