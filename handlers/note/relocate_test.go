package note

import (
	"testing"

	"lacuna/knowledge/passage"
)

// TestRelocate changes where a source is in every language and reads everything else back as it was.
func TestRelocate(t *testing.T) {
	for _, language := range Languages() {
		n := Parse("Q: x\n", language)
		q := n.Questions[0]
		edit := n.Write(q, Block{
			Status:  "Answered",
			Bullets: []Bullet{{Basis: Claim, Text: "It is so.", Citations: []int{1}}},
			Sources: []BlockSource{{N: 1, Passage: passage.ID{7}, Label: "kb/a.md:3", Path: "kb/a.md", Line: 3, Quote: `It is "so" [1], < 30 & #x`}},
		})
		n = Parse(n.Text[:edit.Span.Start]+edit.NewText+n.Text[edit.Span.End:], language)
		before := n.Answers[0].Citations[0]
		edit = n.Relocate(before, BlockSource{Label: "kb/new (b)/ä.md:3", Path: "../kb/new (b)/ä.md"})
		n = Parse(n.Text[:edit.Span.Start]+edit.NewText+n.Text[edit.Span.End:], language)
		if len(n.Answers) != 1 || len(n.Answers[0].Citations) != 1 {
			t.Errorf("%s: the listing is lost:\n%s", language, n.Text)
			continue
		}
		after := n.Answers[0].Citations[0]
		if after.Path != "../kb/new (b)/ä.md" {
			t.Errorf("%s: path %q", language, after.Path)
		}
		before.Path, before.Span = after.Path, after.Span
		if after != before {
			t.Errorf("%s: got %+v, want %+v", language, after, before)
		}
	}
}
