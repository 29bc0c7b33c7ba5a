package note

import (
	"fmt"
	"strings"
	"testing"
)

func TestHeadings(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"levels and markup", "# One #\n\ntext\n### *Three* [x](y)\r\n####### seven\n#none\n", "1 One, 3 Three x"},
		{"front matter", "---\n# no\n---\n# yes\n", "1 yes"},
		{"code", "````\n# no\n```\n# no\n````\n## yes\n", "2 yes"},
		{"comment", "<!-- a\n# no\n-->\n<!-- b -->\n# yes\n", "1 yes"},
		{"answer", "What?\n\n<!-- lacuna:answer 1 -->\n**x**\n\n# no\n<!-- lacuna:end -->\n# yes\n", "1 yes"},
		{"empty", "# \n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := Parse(test.text, Markdown)
			var got []string
			for _, h := range n.Headings() {
				got = append(got, fmt.Sprintf("%d %s", h.Level, h.Text))
				if line := n.Text[h.Span.Start:h.Span.End]; !strings.HasPrefix(line, "#") || strings.ContainsAny(line, "\r\n") {
					t.Errorf("%q is no line of a heading", line)
				}
			}
			if joined := strings.Join(got, ", "); joined != test.want {
				t.Errorf("got %q, want %q", joined, test.want)
			}
		})
	}
	if found := Parse("# x\n", Plaintext).Headings(); found != nil {
		t.Errorf("plain text has headings: %v", found)
	}
}
