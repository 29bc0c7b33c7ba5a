package head

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

func TestFrontMatter(t *testing.T) {
	for text, want := range map[string]Front{
		"---\ntitle: 'A b'\n---\nText":          {Title: "A b"},
		"+++\ntitle = \"A\"\n+++":               {Title: "A"},
		"\uFEFF---\r\n...\r\nText":              {},
		"---\ntitle: It's: so # comment\n---\n": {Title: "It's: so"},
		"---\naliases: [Digitalis, \"Fox, glove\", /old/path/]\ntags:\n- heart\n  - '#drug'\nalias: D\n---\n": {
			Aliases: []string{"Digitalis", "Fox, glove", "D"}, About: passage.Metadata{Tags: []string{"heart", "drug"}}},
		"---\naliases: Digitalis, Foxglove\ntags: a b\ncssclasses: wide\n---\n": {
			Aliases: []string{"Digitalis", "Foxglove"}, About: passage.Metadata{Tags: []string{"a", "b"}}},
		"---\ndescription: >-\n  How it\n  is given.\nReview-Due: 2026-05-31\nsupersedes: old.md\ndate: 2020-01-01\nupdated: 2024-02-03\n---\n": {
			Date: "2024-02-03", About: passage.Metadata{Description: "How it is given.", Replaces: "old.md", ReviewDue: "2026-05-31"}},
		"---\nsummary: How it\n  is \"given\".\nauthor:\n  - name: A. Lee\n    mail: x\nversion: 1.2\n---\n": {
			About: passage.Metadata{Description: `How it is "given".`, Authors: []string{"A. Lee"}, Version: "1.2"}},
		"---\ntitle: {{ title }}\naliases:\ndescription: \"a\\\"b\"\n---\n": {About: passage.Metadata{Description: `a"b`}},
		"---\na: [\nb: \"\ntitle: T\n---\n":                                 {Title: "T"},
		"+++\ntitle = 'A'\ntags = [\n  \"x\", # first\n  \"y\",\n]\n[menu.main]\ntitle = 'no'\n[params]\ndescription = \"\"\"D e.\"\"\"\n+++\n": {
			Title: "A", About: passage.Metadata{Tags: []string{"x", "y"}, Description: "D e."}},
		"{\n \"title\": \"A\", \"tags\": [\"x\"], \"description\": \"D e.\"\n}\n": {Title: "A", About: passage.Metadata{Tags: []string{"x"}, Description: "D e."}},
	} {
		got := FrontMatter(text)
		if rest := strings.Trim(text[got.End:], "\r\n"); got.End == 0 || rest != "" && rest != "Text" {
			t.Errorf("%q ends at %d", text, got.End)
		}
		if d := got.About.Description; d != "" && got.Description.Len() > 0 {
			if written := strings.Join(strings.Fields(text[got.Description.Start:got.Description.End]), " "); written != d {
				t.Errorf("%q: the description stands at %q", text, written)
			}
		}
		got.End, got.Description = 0, passage.Span{}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"---\ntitle: A\n", " ---\ntitle: A\n---\n", "Text\n---\n", "{\"a\": 1}\n", "{% include x %}\n"} {
		if got := FrontMatter(text); got.End != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// FuzzFrontMatter checks the places of what it finds.
func FuzzFrontMatter(f *testing.F) {
	f.Add("---\ntitle: 'A b'\naliases: [a, 'b']\ndescription: >\n  x\n  y\ntags:\n- z\n---\nText")
	f.Add("+++\ntitle = \"\"\"A\n\"\"\"\ntags = [\n'x' ]\n[extra]\n+++\n")
	f.Add("{\"title\": \"A\", \"description\": \"b\\u0041\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		front := FrontMatter(text)
		if s := front.Description; front.End < 0 || front.End > len(text) || s.Start < 0 || s.Len() < 0 || s.End > front.End {
			t.Fatalf("%+v of %d bytes", front, len(text))
		}
	})
}
