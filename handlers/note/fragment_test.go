package note

import "testing"

// A listed source reads back with its place, whatever the places of its file are counted in.
func TestPlaceOfListedSourceReadsBack(t *testing.T) {
	for path, fragment := range map[string]string{
		"kb/a.md": "#L12", "kb/a page.html": "#L12", "kb/a (1).pdf": "#page=12", "kb/a.docx": "#paragraph=12", "kb/A.DOCX": "#paragraph=12", "kb/a.rtf": "#paragraph=12", "kb/a.pptx": "#slide=12",
	} {
		if got := Fragment(path, 12); got != fragment {
			t.Errorf("%s%s, want %s", path, got, fragment)
		}
		for _, language := range languages {
			n := Parse("Q: x\n", language)
			if language == Markdown {
				n = Parse("Is it so?\n", language)
			}
			edit := n.Write(n.Questions[0], Block{Status: "x", Sources: []BlockSource{{N: 1, Passage: someID, Label: path, Path: path, Line: 12}}})
			written := Parse(apply(n.Text, edit), language)
			if len(written.Answers) != 1 || len(written.Answers[0].Citations) != 1 {
				t.Fatalf("%v: no source in\n%s", language, written.Text)
			}
			if c := written.Answers[0].Citations[0]; c.Path != path || c.Line != 12 || c.Passage != someID {
				t.Errorf("%v: %s reads back as %+v", language, path, c)
			}
		}
	}
}
