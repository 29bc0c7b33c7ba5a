package note

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShorten writes answers in the full form, has them shortened, and compares with what the lean form would have
// been from the beginning.
func TestShorten(t *testing.T) {
	title := func(c Citation, _ string) (BlockSource, bool) {
		return BlockSource{Title: map[int]string{1: "Gout, line 3, 2025-02-01", 2: "Pain, p. 5"}[c.N]}, false
	}
	blocks := map[string]Block{
		"a quote":              lean("Answered from 1 source", leanQuote),
		"a place":              lean("Nothing on “x”. Nearest places:", leanPlace),
		"a place, taken":       lean(Taken, leanQuote),
		"a model's sentence":   lean("Answered by m from 2 sources", leanQuote, leanClaim, Bullet{Basis: Background, Text: "It is old."}),
		"no place":             lean(NoPlace),
		"a place below a text": lean("Partly answered by m. Nearest places:", leanClaim, leanPlace),
	}
	remark := lean("Answered from 1 source", leanQuote)
	remark.Notes, remark.Missing = []string{"Previously answered on 2024-01-01"}, []string{"nothing on “x”"}
	blocks["a remark"] = remark
	for _, language := range languages {
		for name, b := range blocks {
			for _, eol := range []string{"\n", "\r\n"} {
				before := "Q: What is gout?" + eol + eol + "Mine." + eol
				n := Parse(before, language)
				want := apply(before, n.Write(n.Questions[0], b))
				b.Lean = false
				full := Parse(apply(before, n.Write(n.Questions[0], b)), language)
				b.Lean = true
				edits := full.Shorten(title)
				if len(edits) != 1 {
					t.Errorf("%s, %s: %d edits of\n%s", language, name, len(edits), full.Text)
					continue
				}
				if diff := cmp.Diff(want, apply(full.Text, edits[0])); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", language, name, diff)
				}
			}
		}
	}
}

// TestShortenKeepsWhatIsMine leaves the lines that somebody put into an answer, or the answer as it is.
func TestShortenKeepsWhatIsMine(t *testing.T) {
	for _, mine := range []string{"- mine", "Mine.", "\nMine.\n", "- mine\n\n- and mine"} {
		before := "- What is gout?\n"
		n := Parse(before, Markdown)
		b := block("Gout hurts.")
		b.Bullets = append(b.Bullets, Bullet{Text: "It comes back.", Citations: []int{1}})
		full := apply(before, n.Write(n.Questions[0], b))
		full = strings.Replace(full, "[1]\n", "[1]\n  "+strings.ReplaceAll(mine, "\n", "\n  ")+"\n", 1)
		text := full
		edits := Parse(full, Markdown).Shorten(func(Citation, string) (BlockSource, bool) { return BlockSource{Title: "Gout"}, false })
		for _, e := range slices.Backward(edits) {
			text = apply(text, e)
		}
		if words := strings.Fields(mine); !strings.Contains(text, words[len(words)-1]) {
			t.Errorf("%q is gone from\n%s", mine, text)
		}
		after := Parse(text, Markdown)
		if a := after.Answers[0]; len(a.Marks) != 2 {
			t.Errorf("%q: %d quotes in\n%s", mine, len(a.Marks), text)
		}
	}
}
