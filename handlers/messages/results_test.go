package messages_test

import (
	"strings"
	"testing"

	"lacuna/handlers/messages"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
)

func TestPlaceTitle(t *testing.T) {
	long := strings.Repeat("long ", 15) + "heading"
	for _, c := range []struct {
		what     string
		title    string
		headings []string
		want     string
	}{
		{"a title and headings", "Gout", []string{"Treatment", "At night"}, "Gout › Treatment › At night"},
		{"the name of the file", "leave_policy", []string{"Dogs:"}, "leave policy › Dogs"},
		{"a heading that says the title again", "3. Gout", []string{"3 Gout", "Treatment"}, "3. Gout › Treatment"},
		{"headings that are numbers", "Changes", []string{"1", "1.2"}, "Changes › 1 › 1.2"},
		{"too many headings", "Gout", []string{long, "Treatment", "At night"}, "Gout › … › Treatment › At night"},
		{"too long a heading", "Gout", []string{"Treatment", long + " " + long}, "Gout › … › " + long + " long…"},
	} {
		p := &passage.Passage{Title: c.title, Headings: c.headings}
		p.Place.File = "kb/leave_policy.md"
		if got := messages.PlaceTitle(p); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestBulletsHaveNoSignsOfSymbolFonts(t *testing.T) {
	p := &passage.Passage{Title: "Gout"}
	r := answer.Result{
		State:     answer.Nearest,
		Nearest:   []answer.Statement{{Text: "\uf0b7 Rest helps.", Citations: []int{1}}},
		Citations: []answer.Citation{{N: 1, Passage: p}},
	}
	if got := messages.Bullets(r)[0].String(); got != "Gout: “Rest helps.” [1]" {
		t.Error(got)
	}
	if got := messages.PlaceQuote(r.Nearest[0]); got != "Rest helps." {
		t.Error(got)
	}
}
