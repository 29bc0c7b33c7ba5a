package note

import (
	"strings"
	"testing"
)

// TestLinksFollowTheirFiles renames kb/a.md, and the label of its place.
func TestLinksFollowTheirFiles(t *testing.T) {
	tests := []struct {
		name     string
		language Language
		text     string
		to       string // the new path
		want     string
	}{
		{"inline", Markdown, "See [a](kb/a.md#L7).", "kb/b.md", "See [a](kb/b.md#L7)."},
		{"two on a line", Markdown, "[a](kb/a.md) [a](kb/a.md#L1)", "kb/b.md", "[a](kb/b.md) [a](kb/b.md#L1)"},
		{"with a title", Markdown, `[a](kb/a.md "A")`, "kb/b.md", `[a](kb/b.md "A")`},
		{"in angle brackets", Markdown, "[a](<kb/a.md#L7>)", "kb/b.md", "[a](kb/b.md#L7)"},
		{"into angle brackets", Markdown, "[a](kb/a.md#L7)", "kb/b (old).md", "[a](<kb/b (old).md#L7>)"},
		{"percent", Markdown, "[a](kb/%61.md)", "kb/100%.md", "[a](kb/100%25.md)"},
		{"defined apart", Markdown, "[a]: kb/a.md#L7", "kb/b.md", "[a]: kb/b.md#L7"},
		{"code", Markdown, "```\n[a](kb/a.md)\n```\n[a](kb/a.md)", "kb/b.md", "```\n[a](kb/a.md)\n```\n[a](kb/b.md)"},
		{"code of tildes", Markdown, "~~~~\n```\n[a](kb/a.md)\n~~~~\n[a](kb/a.md)", "kb/b.md", "~~~~\n```\n[a](kb/a.md)\n~~~~\n[a](kb/b.md)"},
		{"code in a line", Markdown, "`[a](kb/a.md)`", "kb/b.md", "`[a](kb/a.md)`"},
		{"an address", Markdown, "[a](https://kb/a.md)", "kb/b.md", "[a](https://kb/a.md)"},
		{"an answer", Markdown, "Is it?\n\n<!-- lacuna:answer 12 -->\n[a](kb/a.md)\n<!-- lacuna:end -->\n", "kb/b.md", "Is it?\n\n<!-- lacuna:answer 12 -->\n[a](kb/a.md)\n<!-- lacuna:end -->\n"},
		{"org", Org, "[[file:kb/a.md::7][a]] and [[kb/a.md]]", "kb/b.md", "[[file:kb/b.md::7][a]] and [[kb/b.md]]"},
		{"rst", RST, "`a <kb/a.md#L7>`__ and `a <kb/a.md>`_", "kb/b_c.md", "`a <kb/b_c.md#L7>`__ and `a <kb/b_c.md>`_"},
		{"asciidoc", AsciiDoc, "link:kb/a.md#L7[a], xref:kb/a.md[a]", "kb/b c.md", "link:kb/b%20c.md#L7[a], xref:kb/b%20c.md[a]"},
		{"typst", Typst, `#link("kb/a.md#L7")[a]`, "kb/b.md", `#link("kb/b.md#L7")[a]`},
		{"latex", Latex, `\href{kb/a.md}{a}`, "kb/b.md", `\href{kb/b.md}{a}`},
		{"a label", Org, "As [kb/a.md:7] says, and [kb/a.md].", "kb/b.md", "As [kb/b.md:7] says, and [kb/b.md]."},
		{"a label with a page", Typst, "[kb/a.md, p. 7]", "kb/b.md", "[kb/b.md, p. 7]"},
		{"a label in plain text", Plaintext, "[kb/a.md:7]", "kb/b.md", "[kb/b.md:7]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := Parse(test.text, test.language)
			text := n.Text
			links := n.Links()
			for i := len(links) - 1; i >= 0; i-- {
				if links[i].Path+links[i].Label == "kb/a.md" {
					edit := n.Redirect(links[i], test.to)
					text = text[:edit.Span.Start] + edit.NewText + text[edit.Span.End:]
				}
			}
			if text != test.want {
				t.Errorf("got  %q\nwant %q", text, test.want)
			}
		})
	}
}

// FuzzLinks finds links that lie in the text, one behind the other, and writes them back as they were
// read.
func FuzzLinks(f *testing.F) {
	f.Add("[a](kb/a.md#L7) [[file:kb/a.md]] `a <kb/a.md>`_ link:a[] #link(\"a\") \\href{a}{b} [kb/a:7]", 0)
	f.Fuzz(func(t *testing.T, text string, language int) {
		n := Parse(text, Languages()[uint(language)%uint(len(Languages()))])
		last := 0
		for _, link := range n.Links() {
			edit := n.Redirect(link, link.Path+link.Label)
			if link.Label == "" {
				if edit.Span.Start < last || edit.Span.End > len(n.Text) || edit.Span.Start > edit.Span.End {
					t.Fatalf("%+v in %q", edit, text)
				}
				last = edit.Span.End
			}
			if strings.ContainsAny(edit.NewText, "\n\r") {
				t.Errorf("%q becomes %q", n.Text[edit.Span.Start:edit.Span.End], edit.NewText)
			}
		}
	})
}
