package support

import (
	"fmt"
	"slices"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/sanitise"
)

func TestUnmarked(t *testing.T) {
	for _, c := range []struct {
		text, bare string
		numbers    []int
	}{
		{"Gout hurts [1].", "Gout hurts.", []int{1}},
		{"Gout hurts [1, 3][2] badly [1].", "Gout hurts badly.", []int{1, 3, 2}},
		{"Gout hurts [1-3].", "Gout hurts.", []int{1, 2, 3}},
		{"Gout hurts [3-1].", "Gout hurts.", []int{3}},
		{"痛风很痛【2】。", "痛风很痛。", []int{2}},
		{"Gout hurts (1) and [a].", "Gout hurts (1) and [a].", nil},
		{"Gout hurts [Context 2].", "Gout hurts.", []int{2}},
		{"Gout hurts [1], [2].", "Gout hurts.", []int{1, 2}},
		{`Gout hurts [2: "It hurts. For 3 days (4)."].`, "Gout hurts.", []int{2}},
	} {
		bare, numbers := WithoutMarks(c.text)
		if bare != c.bare || !slices.Equal(numbers, c.numbers) {
			t.Errorf("%q: %q %v", c.text, bare, numbers)
		}
	}
}

// TestWordsOfMarks reads the words that models give with their marks, in the shapes in which they do.
func TestWordsOfMarks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`Gout hurts [1: "It hurts."]. It passes [2: "passes in 3 days"].`, `Gout hurts.|1=It hurts.|It passes.|2=passes in 3 days|`},
		{`Gout hurts. [1: "It hurts"] It passes. [2]`, `Gout hurts.|1=It hurts|It passes.|`},
		{`Gout hurts [1: “It hurts. Much.”][2].`, `Gout hurts.|1=It hurts. Much.|`},
		{`Gout hurts [1: "It hurts"; 3: "hurts badly"].`, `Gout hurts.|1=It hurts|3=hurts badly|`},
		{`Gout hurts [1: "It hurts"] [3: "hurts badly"].`, `Gout hurts.|1=It hurts|3=hurts badly|`},
		{`Gout hurts [1] ("It hurts").`, `Gout hurts.|1=It hurts|`},
		{`Gout hurts [Context 1, "It hurts"].`, `Gout hurts.|1=It hurts|`},
		{`痛风很痛【1：“疼痛剧烈。”】。三天后缓解[2：「三天」]。`, `痛风很痛。|1=疼痛剧烈。|三天后缓解。|2=三天|`},
		{`- Gout hurts [1: "It hurts"]` + "\n" + `- It passes [1: "passes"]`, `Gout hurts|1=It hurts|It passes|1=passes|`},
		{`Gout hurts [1: "It says “ouch” then"].`, `Gout hurts.|1=It says “ouch” then|`},
		{`Gout hurts [1: "It hurts and`, `Gout hurts|1=It hurts and|`}, // cut off
		{`Gout hurts [901].`, `Gout hurts.|`},
		{`Gout hurts [1]. The board calls it "bad" [2].`, `Gout hurts.|The board calls it "bad".|`},
	} {
		got := ""
		for _, u := range sentences(c.text) {
			got += u.text + "|"
			for _, w := range u.words {
				got += fmt.Sprintf("%d=%s|", w.number, w.words)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func FuzzUtterances(f *testing.F) {
	for _, seed := range []string{
		"Gout hurts [1]. It is treated [2][3].", "- a [1]\n- b\n", "# H\n\nText:\n\n1. one [1]\n", "【1】【2】", "[1][2]", "```\ncode\n```", "[1-999]. [999-1]", "Gout [1: \"hurts. 3\"; 2: \"b\"] [901]",
	} {
		f.Add(seed)
	}
	check := NewChecker(knowledge.Pending(), "", nil)
	s := newSource(answer.Evidence{Text: "Gout hurts for 3 days, says “the board”."})
	f.Fuzz(func(t *testing.T, text string) {
		all := sentences(text)
		if len(all) > maxSentences {
			t.Errorf("%d sentences", len(all))
		}
		for _, u := range all {
			shown := sanitise.Plain(u.head + u.text)
			if sanitise.Line(shown) != shown {
				t.Errorf("%q would be shown", shown)
			}
			if slices.Max(append(u.cites, 0)) > 999 {
				t.Errorf("cites %v", u.cites)
			}
			for _, q := range check.judge(shown, s).Evidence {
				if q.Source != 0 || q.Start < 0 || q.End > len(s.from.Text) || q.Start >= q.End {
					t.Errorf("%q rests on %v", shown, q)
				}
			}
		}
	})
}
