package prompts

import (
	"strings"
	"testing"
)

func TestShrink(t *testing.T) {
	text := strings.Repeat("word ", 300) // 375 tokens
	var contexts []Context
	for n := range 6 {
		contexts = append(contexts, Context{N: n + 1, Title: "Title", Text: text})
	}
	full := AnswerContext{Question: "Q?", Contexts: contexts[:4], GapContexts: contexts[4:], Gaps: []string{"gap"}}
	size := func(in Input) (tokens, count int) {
		for _, list := range [][]Context{in.(AnswerContext).Contexts, in.(AnswerContext).GapContexts} {
			for _, c := range list {
				tokens, count = tokens+sizeOf(c), count+1
			}
		}
		return tokens, count
	}
	total, _ := size(full)
	for _, c := range []struct{ excess, count int }{{300, 6}, {1000, 6}, {total - 800, 6}, {total - 500, 4}, {total, 0}, {2 * total, 0}} {
		shrunk, cut := Shrink(full, c.excess)
		tokens, count := size(shrunk)
		if !cut || tokens > max(0, total-c.excess) || count != c.count {
			t.Errorf("%d less: %d tokens of %d in %d contexts, want %d", c.excess, tokens, total, count, c.count)
		}
		for i, shown := range shrunk.(AnswerContext).Contexts {
			if shown.N != i+1 {
				t.Errorf("%d less: context %d has the number %d", c.excess, i, shown.N)
			}
		}
	}
	if again, _ := size(full); again != total {
		t.Error("the input itself was changed")
	}
	for _, in := range []Input{AnswerDirect{Question: "Q?"}, AnswerContext{Question: "Q?"}} {
		if _, cut := Shrink(in, 100); cut {
			t.Errorf("%T: nothing can be cut", in)
		}
	}
	if _, cut := Shrink(full, 0); cut {
		t.Error("cut without need")
	}
}
