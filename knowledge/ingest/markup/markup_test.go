package markup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// listing writes the blocks of a document, one a line: the kind and level, what introduces it, its text.
func listing(d document.Document) string {
	d.Link()
	var b strings.Builder
	for _, block := range d.Blocks {
		fmt.Fprintf(&b, "%s", block.Kind)
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		if block.Lead > 0 {
			fmt.Fprintf(&b, " <%d", block.Lead)
		}
		if block.Chrome != "" {
			fmt.Fprintf(&b, " (%s)", block.Chrome)
		}
		fmt.Fprintf(&b, " %q\n", d.Text[block.Start:block.End])
	}
	return b.String()
}

func check(t *testing.T, got document.Document, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), listing(got)); diff != "" {
		t.Errorf("%q (-want +got):\n%s", got.Text, diff)
	}
}

func TestMarkdown(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"admonition of MkDocs": {"!!! warning \"Not for children\"\n    Never give it.\n\n    - a\n\nAfter.\n", `
admonition "Not for children"
paragraph <1 "Never give it."
list item 1 "- a"
paragraph "After."
`},
		"tabs": {"=== \"Linux\"\n\n    ```sh\n    apt install x\n    ```\n", `
admonition "Linux"
code "    ` + "```sh\\n    apt install x\\n    ```" + `"
`},
		"admonition of Docusaurus": {":::tip Title\nOne.\n\n- a\n\n:::\nTwo.\n", `
admonition "Title"
paragraph <1 "One."
list item 1 "- a"
paragraph "Two."
`},
		"directive of MyST": {"```{note} Title\nOne *two*.\n```\n", `
admonition "Title"
paragraph <1 "One *two*."
`},
		"callout": {"> [!info]- About\n> One.\n>\n> - a\n\n> [!danger]\n> Two.\n", `
admonition "About"
paragraph <1 "One."
list item 1 "- a"
admonition "danger"
paragraph <4 "Two."
`},
		"lists": {"Do not give it to people\nwith:\n\n1. asthma\n\n   Even mild.\n   - or hay fever\n2. [ ] nothing\n\n        code\n", `
paragraph "Do not give it to people\nwith:"
list item 1 <1 "1. asthma"
paragraph 1 <2 "Even mild."
list item 2 <2 "- or hay fever"
list item 1 <1 "2. [ ] nothing"
code 1 <5 "        code"
`},
		"table": {"Doses\n\n| drug | dose |\n|---|--:|\n| a | |\n| b | 2 mg |\n\nx | y\n--|--\n1 | 2\n", `
paragraph "Doses"
table header "| drug | dose |"
table row <2 "| a | |"
table row <2 "| b | 2 mg |"
table header "x | y"
table row <5 "1 | 2"
`},
		"grid table": {"+---+---+\n| a | b |\n+===+===+\n| c | d |\n|   | e |\n+---+---+\n", `
table header "| a | b |"
table row <1 "| c | d |\n|   | e |"
`},
		"definitions and footnotes": {"Term\n: Means\n  this.\n\n[^1]: A note.\n\n    Goes on.\n\n*[TTL]: time to live\n", `
term "Term"
definition <1 "Means\n  this."
footnote "[^1]: A note."
footnote "Goes on."
definition "*[TTL]: time to live"
`},
		"headings": {"Title\n=====\n\n## [A](x) *b* {#id}\n### C ###\ntext\n", `
heading 1 "Title\n====="
heading 2 "## [A](x) *b* {#id}"
heading 3 "### C ###"
paragraph "text"
`},
		"HTML": {"<details>\n<summary>More?</summary>\n<p>One <b>two</b>.</p>\n<ul><li>a<li>b</ul>\n<table><tr><th>x<th>y<tr><td>1<td>2</table>\n<script>no</script>\n</details>\n", `
admonition "More?"
paragraph "One <b>two</b>."
list item 1 "a"
list item 1 "b"
table header "x<th>y"
table row <5 "1<td>2"
`},
		"hidden": {"One. <!-- no --> Two. %%no%% Three `<!-- yes -->`.\n\n%%\nno\n\nno\n%%\n\n{% comment %}no{% endcomment %}\n\n<p hidden>no</p>\n", `
paragraph "One."
paragraph "Two."
paragraph "Three ` + "`<!-- yes -->`" + `."
`},
		"markup": {"import X from 'x'\n\n[a]: https://x \"T\"\n\n{% include x.md %}\n\n{: .note}\nText. ^block\n{: #id }\n\n{{< figure src=\"x\" caption=\"A fine picture\" >}}\n\n![[embed]]\n\n![Two words](x.png){ width=3 }\n\n[TOC]\n", `
paragraph "Text."
caption "A fine picture"
caption "Two words"
`},
		"formula": {"$$\na\n= b\n$$\n", `
code "$$\na\n= b\n$$"
`},
		"contents": {"# T\n\n## Contents\n\n- [A](#a)\n  - [B](#b)\n- [C](#c)\n\n## A\n\nText.\n", `
heading 1 "# T"
heading 2 (table of contents) "## Contents"
list item 1 (table of contents) "- [A](#a)"
list item 2 (table of contents) "- [B](#b)"
list item 1 (table of contents) "- [C](#c)"
heading 2 "## A"
paragraph "Text."
`},
		"front matter": {"---\ndescription: How it is given.\n---\nText.\n", `
property "How it is given."
paragraph "Text."
`},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := Markdown(c.text, false)
			check(t, d, c.want)
		})
	}
}

func TestOrg(t *testing.T) {
	d := Org("#+title: T\n#+filetags: :a:b:\n:PROPERTIES:\n:ROAM_ALIASES: \"Fox glove\" D\n:END:\nDo:\n- one\n  goes on\n  1. deep\n- tag :: means\n\n* H\n#+caption: Doses\n| drug | dose |\n|------+------|\n| a | 1 |\n\n: fixed\n[fn:1] A note.\n#+begin_warning\nNo.\n#+end_warning\n")
	check(t, d, `
paragraph "Do:"
list item 1 <1 "- one\n  goes on"
list item 2 <2 "1. deep"
list item 1 <1 "- tag :: means"
heading 1 "* H"
caption "Doses"
table header <6 "| drug | dose |"
table row <7 "| a | 1 |"
code ": fixed"
footnote "[fn:1] A note."
admonition "warning"
paragraph "No."
`)
	if diff := cmp.Diff([]string{"Fox glove", "D"}, d.Aliases); diff != "" || d.Title != "T" || len(d.About.Tags) != 2 {
		t.Errorf("%s, %q, %+v", diff, d.Title, d.About)
	}
}

func TestRST(t *testing.T) {
	d := RST("Title\n=====\n\n:version: 2\n\n.. warning:: Never.\n\n   Because\n   so.\n\nterm\n  means\n\n- a\n\n  b\n\n====  ====\ndrug  dose\n====  ====\na     1 mg\n====  ====\n\n+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n\n.. list-table:: Title\n   :header-rows: 1\n\n   * - x\n     - y\n   * - 1\n     - 2\n\nRun::\n\n  make\n\n.. figure:: x.png\n\n   What it shows.\n\n.. toctree::\n\n   a\n\n.. [1] Note.\n\n:param x: text\n")
	check(t, d, `
heading 1 "Title\n====="
admonition "warning"
paragraph <2 "Never."
paragraph <2 "Because\n   so."
term "term"
definition <5 "means"
list item 1 "- a"
paragraph 1 <7 "b"
table header "drug  dose"
table row <9 "a     1 mg"
table header "| a | b |"
table row <11 "| 1 | 2 |"
caption "Title"
table header <13 "* - x\n     - y"
table row <14 "* - 1\n     - 2"
paragraph "Run::"
code <16 "  make"
caption "What it shows."
footnote ".. [1] Note."
property ":param x: text"
`)
	if d.Title != "Title" || d.About.Version != "2" {
		t.Errorf("%q, %+v", d.Title, d.About)
	}
}

func TestPlain(t *testing.T) {
	check(t, Plain("NAME\n       ls - list directory contents\n\nTitle\n=====\n\n1.2 Scope of it\n\nA paragraph that somebody wrapped by hand, so that its lines are as\nlong as they are. It goes on.\n\n  * one\n  * two\n\f\nEnd.\n"), `
heading 2 "NAME"
paragraph "ls - list directory contents"
heading 1 "Title\n====="
heading 3 "1.2 Scope of it"
paragraph "A paragraph that somebody wrapped by hand, so that its lines are as\nlong as they are. It goes on."
list item 1 "* one"
list item 1 "* two"
paragraph "End."
`)
}

// fuzz checks what must hold of every document: its blocks are in order, apart, and inside the text.
func fuzz(f *testing.F, read func(string) document.Document, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := read(strings.ReplaceAll(text, "\r", ""))
		end := 0
		for i, b := range d.Blocks {
			if b.Start < end || b.End <= b.Start || b.End > len(d.Text) || b.Lead > i+1 || b.Lead < 0 {
				t.Fatalf("block %d is %+v after %d of %d bytes", i, b, end, len(d.Text))
			}
			end = b.End
			for _, s := range passage.SentencesOf(d.Text, d.Format, passage.Block{Kind: b.Kind, Span: b.Span}) {
				if s.Start < b.Start || s.End > b.End {
					t.Fatalf("sentence %v outside of %v", s, b.Span)
				}
			}
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	fuzz(f, func(text string) document.Document { d, _ := Markdown(text, true); return d },
		"---\na: b\n---\n# A {#x}\n!!! note \"T\"\n    x\n\n    - [ ] y\n      ```\n      z\n      ```\n:::tip\n> [!info] q\n> w\n:::\n",
		"| a | b |\n|--|--|\n| c | d |\n\nT\n: D\n\n[^1]: f\n\n<table><tr><td>a<td hidden>b</table>\n%%\nc\n%%\n$$\nd\n$$\nQ: e?\nA: f\n",
		"```{note}\n~~~{tip} x\n~~~\n```\n{% highlight a %}\nb\n{% endhighlight %}\n+--+\n|a |\n+==+\n![a b](c)\n<!-- d -->\n{% comment %}\n")
}

func FuzzOrg(f *testing.F) {
	fuzz(f, Org, "#+title: T\n* A :t:\n:D:\nx\n:END:\n- a\n  1. b\n| c |\n|---|\n| d |\n#+begin_src x\ny\n#+end_src\n: z\n[fn:1] n\n* COMMENT c\n")
}

func FuzzRST(f *testing.F) {
	fuzz(f, RST, "T\n=\n:a: b\n\n.. note:: x\n   :c: d\n\n   e\n\nt\n  d::\n\n    c\n\n=== ===\na   b\n=== ===\nc   d\n=== ===\n\n+--+\n|a |\n+--+\n\n.. list-table::\n\n   * - a\n     - b\n\n.. [1] f\n\n>>> g\n\n| l\n")
}

func FuzzPlain(f *testing.F) {
	fuzz(f, Plain, "NAME\n    ls\n\nT\n===\n\n1. One\n   two\n - x\n\f| a | b |\n")
}
