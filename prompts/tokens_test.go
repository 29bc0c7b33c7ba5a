package prompts

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "连翘": 2, "连翘ab": 3, strings.Repeat("word ", 100): 125} {
		if got := Tokens(text); got != want {
			t.Errorf("%.20q: %d, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, text := range []string{strings.Repeat("forsythia flowers ", 200), strings.Repeat("连翘在花后修剪。", 200), strings.Repeat("é", 900), "short", ""} {
		for _, tokens := range []int{1, 5, 50, 400} {
			got := Cut(text, tokens)
			if Tokens(got) > tokens+1 || !utf8.ValidString(got) {
				t.Errorf("%.20q to %d: %d tokens, %q", text, tokens, Tokens(got), got)
			}
			if head, cut := strings.CutSuffix(got, " …"); cut != (Tokens(text) > tokens) || !strings.HasPrefix(text, head) {
				t.Errorf("%.20q to %d: %q", text, tokens, got)
			}
		}
	}
	if got := Cut("Forsythia flowers on the wood of last year", 6); got != "Forsythia flowers …" {
		t.Errorf("cut at %q", got)
	}
}

func TestFit(t *testing.T) {
	word := strings.Repeat("word ", 80) // 100 tokens
	contexts := []Context{{N: 1, Text: word}, {N: 2, Title: "t", Text: word}, {N: 3, Text: word}, {N: 4, Text: "brief"}}
	numbers := func(kept []Context) (n []int) {
		for _, c := range kept {
			n = append(n, c.N)
		}
		return n
	}
	for _, test := range []struct {
		item, total int
		want        []int
	}{
		{ItemTokens, EvidenceTokens, []int{1, 2, 3, 4}},
		{50, EvidenceTokens, []int{1, 2, 3, 4}},
		{100, 250, []int{1, 2, 3}}, // the third is cut
		{100, 220, []int{1, 2}},    // too little is left to cut to
		{100, 20, nil},
	} {
		kept := fit(contexts, test.item, test.total)
		if diff := cmp.Diff(test.want, numbers(kept)); diff != "" {
			t.Errorf("%d of %d: %s", test.item, test.total, diff)
		}
		sum := 0
		for _, c := range kept {
			sum += Tokens(c.Title) + Tokens(c.Text)
			if Tokens(c.Text) > test.item+1 {
				t.Errorf("%d has %d tokens", c.N, Tokens(c.Text))
			}
		}
		if sum > test.total {
			t.Errorf("%d tokens are more than %d", sum, test.total)
		}
	}
	if contexts[0].Text != word {
		t.Error("the contexts that were given are changed")
	}
}
