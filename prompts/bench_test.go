package prompts

import (
	"strings"
	"testing"
)

func BenchmarkRender(b *testing.B) {
	in := SelectDocs{Question: asked, Options: letters, Top: 5}
	for n := range 10 {
		in.Documents = append(in.Documents, Context{N: n + 1, Title: "Pruning", Text: strings.Repeat("Forsythia flowers on the wood of last year. ", 36)})
	}
	for b.Loop() {
		if _, err := Default().Render(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseJudgement(b *testing.B) {
	reply := "<think>" + strings.Repeat("Is the dose there? ", 400) + "</think>```json\n" + readers[0].good + "\n```"
	for b.Loop() {
		if _, _, err := ParseJudgement(reply); err != nil {
			b.Fatal(err)
		}
	}
}
