package note

import (
	"fmt"
	"strings"
	"testing"
)

func TestHeadings(t *testing.T) {
	tests := []struct {
		language         Language
		name, text, want string
	}{
		{Markdown, "levels and markup", "# One #\n\ntext\n### *Three* [x](y)\r\n####### seven\n#none\n", "1 One, 3 Three x"},
		{Markdown, "underlined", "One\n===\n\nTwo\nlines\n--\n\n- item\n---\n\n---\n", "1 One, 2 Two lines"},
		{Markdown, "front matter", "---\n# no\n---\n# yes\n", "1 yes"},
		{Markdown, "code", "````\n# no\n```\n# no\n````\n## yes\n", "2 yes"},
		{Markdown, "comment", "<!-- a\n# no\n-->\n<!-- b -->\n# yes\n", "1 yes"},
		{Markdown, "answer", "What?\n\n<!-- lacuna:answer 1 -->\n**x**\n\n# no\n<!-- lacuna:end -->\n# yes\n", "1 yes"},
		{Markdown, "empty", "# \n", ""},
		{Markdown, "question", "## Is it?\n\nWhy?\n----\n", "2 Is it?, 2 Why?"},
		{Plaintext, "none", "# x\n\ny\n===\n", ""},
		{Org, "levels and markup", "* TODO [#A] *One*   :a:b:\n** Two\n #+begin_src\n* no\n#+end_src\n*bold* no\n", "1 One, 2 Two"},
		{Latex, "levels and markup", "\\chapter{One}\\label{a}\n\\section*{Is it \\emph{two}?}\n% \\section{no}\n\\subparagraph{Last}\n", "2 One, 3 Is it two?, 7 Last"},
		{RST, "by first use", "=====\n One\n=====\n\nTwo\n---\n\nThree\n=====\n\nTwo again\n---------\n\ntwo lines\nof text\n---------\n\n.. no\n   --\n", "1 One, 2 Two, 3 Three, 2 Two again"},
		{AsciiDoc, "levels", "= One =\n\n== *Two*\n\n=== Three?\n----\n= no\n----\n==none\n", "1 One, 2 Two, 3 Three?"},
		{AsciiDoc, "underlined", "One\n---\n\nTwo\n~~~~\n\nNot this\n--------------\nno\n---\n--------------\n", "2 One, 3 Two"},
		{Typst, "levels", "= One <intro>\n== _Two_ // no\n=none\n```\n= no\n```\n#figure(\n= no\n)\n=== #link(\"x\")[Three]\n", "1 One, 2 Two, 3 Three"},
	}
	for _, test := range tests {
		t.Run(string(test.language)+" "+test.name, func(t *testing.T) {
			n := Parse(test.text, test.language)
			var got []string
			for _, h := range n.Headings {
				got = append(got, fmt.Sprintf("%d %s", h.Level, h.Text))
				line := n.Text[h.Span.Start:h.Span.End]
				if line != strings.TrimSpace(line) || n.Lines.LineAt(h.Span.Start) > 0 && n.Text[h.Span.Start-1] == line[0] {
					t.Errorf("%q is no whole line", line)
				}
			}
			if joined := strings.Join(got, ", "); joined != test.want {
				t.Errorf("got %q, want %q", joined, test.want)
			}
		})
	}
}
