package messages

import (
	"testing"

	"lacuna/knowledge/passage"
)

func TestAt(t *testing.T) {
	for _, test := range []struct {
		file string
		line int
		want string
	}{
		{"/kb/a.md", 3, "a:3"},
		{"/kb/a.pdf", 3, "a, p. 3"},
		{"/kb/a.docx", 3, "a, par. 3"},
		{"/kb/a.ipynb", 3, "a, cell 3"},
		{"/kb/a.epub", 3, "a, part 3"},
		{"/kb/a.pptx", 3, "a, slide 3"},
		{"/kb/a.pdf", 0, "a"},
	} {
		p := &passage.Passage{Place: passage.Place{File: test.file}}
		if got := At("a", p, test.line); got != test.want {
			t.Errorf("%s, %d: %q, want %q", test.file, test.line, got, test.want)
		}
	}
}
