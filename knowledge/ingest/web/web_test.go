package web

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/document"
)

// outline describes a document: its title and each block with its line, kind, level and lead.
func outline(d document.Document) string {
	var b strings.Builder
	d.Link()
	fmt.Fprintf(&b, "%s\n", d.Title)
	for i, block := range d.Blocks {
		fmt.Fprintf(&b, "%d line %d %s", i+1, d.LineAt(block.Start), block.Kind)
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		if block.Lead > 0 {
			fmt.Fprintf(&b, " below %d", block.Lead)
		}
		if block.Chrome != document.Content {
			fmt.Fprintf(&b, " (%s)", block.Chrome)
		}
		fmt.Fprintf(&b, ": %q\n", d.Text[block.Start:block.End])
	}
	for _, o := range d.Omitted {
		fmt.Fprintf(&b, "without %s: %d\n", o.What, o.Words)
	}
	return b.String()
}

// indexPage returns the index of a book, of which the first letter is shown in the test.
func indexPage() string {
	var b strings.Builder
	b.WriteString("<title>Index</title><h1>Index</h1>")
	for letter := 'a'; letter <= 'j'; letter++ {
		fmt.Fprintf(&b, "<h2>%c</h2><div>", letter-'a'+'A')
		for i := range 6 {
			fmt.Fprintf(&b, "<a href=p%d>%c%c%d</a> ", i, letter, letter, i)
		}
		b.WriteString("</div>")
	}
	return b.String()
}

// prose is a paragraph that reads as text.
const prose = "<p>The drug is taken with water in the morning, and never after a meal.</p>"

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"headings, lists and definitions", "<title>Iron – Site</title>\n<h1>Iron</h1>\n<p>Take:\n<ol start=3><li>one<ul><li>inner</ul><li><p>two</p><p>more</p></ol>\n<dl><dt>TTL<dd>time to live</dl>", `Iron
1 line 2 heading 1: "Iron"
2 line 3 paragraph: "Take:"
3 line 4 list item 1 below 2: "3. one"
4 line 4 list item 2 below 3: "- inner"
5 line 4 list item 1 below 2: "4. two"
6 line 4 paragraph 1 below 5: "more"
7 line 5 term: "TTL"
8 line 5 definition below 7: "time to live"
`},
		{"a table with spans", "<table><caption>Doses</caption><thead><tr><th>drug<th colspan=2>dose\n<tbody><tr><td rowspan=2>A<td>1 mg<td>2 mg\n<tr><td>3 mg<td>4 mg</table>", `
1 line 1 caption: "Doses"
2 line 1 table header below 1: "| drug | dose | |"
3 line 2 table row below 2: "| A | 1 mg | 2 mg |"
4 line 2 table row below 2: "| A | 3 mg | 4 mg |"
`},
		{"a table that places text", "<table><tr><td><h2>Left</h2>" + prose + "<td>Right<tr><td>Below</table>", `
1 line 1 heading 2: "Left"
2 line 1 paragraph: "The drug is taken with water in the morning, and never after a meal."
3 line 1 paragraph: "Right"
4 line 1 paragraph: "Below"
`},
		{"raised and lowered words", "<p>10<sup>5</sup> H<sub>2</sub>O m<sup>2</sup> 1<sup>st</sup> said<sup><a href=#n1>1</a></sup> x<sup>a</sup> log<sub>10</sub>2", `
1 line 1 paragraph: "10⁵ H2O m² 1st said[1] x^a log102"
`},
		{"code with its lead", "<p>Restart it with<pre class=x>stop\n  <span>start</span>\n</pre>\n<td><pre>1\n2\n3</pre>", `
1 line 1 paragraph: "Restart it with"
2 line 1 code below 1: "stop\n  start"
`},
		{"notes, details and footnotes", "<div class=warning><p class=title>Warning</p><p>Hot.</div><details><summary>Why?</summary>Because.</details><aside role=doc-footnote>A note. <a href=#r role=doc-backlink>back</a></aside>", `
1 line 1 admonition: "Warning"
2 line 1 paragraph below 1: "Hot."
3 line 1 term: "Why?"
4 line 1 definition below 3: "Because."
5 line 1 footnote: "A note."
`},
		{"what surrounds the content", "<header><a href=/>Home</a> <a href=/b>Blog</a></header><nav><ul><li><a href=/c>Care</a></ul></nav><div class=breadcrumbs>Home &gt; Iron</div><div id=cookie-banner>We use cookies to make this site better for everybody who visits it.</div><main><h1>Iron<a class=headerlink href=#iron>¶</a></h1>" +
			"<ul class=toc><li><a href=#a>Dose</a><li><a href=#b>Risk</a><li><a href=#c>Cost</a></ul><a id=a></a>" + prose + strings.Repeat(prose, 3) + "</main><footer>© Site</footer>", `Iron
1 line 1 paragraph (navigation): "Home Blog"
2 line 1 paragraph (navigation): "Care"
3 line 1 paragraph (breadcrumbs): "Home > Iron"
4 line 1 paragraph (cookie and site notices): "We use cookies to make this site better for everybody who visits it."
5 line 1 heading 1: "Iron"
6 line 1 paragraph (table of contents): "Dose Risk Cost"
7 line 1 paragraph: "The drug is taken with water in the morning, and never after a meal."
8 line 1 paragraph: "The drug is taken with water in the morning, and never after a meal."
9 line 1 paragraph: "The drug is taken with water in the morning, and never after a meal."
10 line 1 paragraph: "The drug is taken with water in the morning, and never after a meal."
11 line 1 paragraph (navigation): "© Site"
`},
		{"a page that is nothing but navigation keeps its words", "<nav>" + prose + "</nav><footer>" + prose + "</footer>", `
1 line 1 paragraph: "The drug is taken with water in the morning, and never after a meal."
2 line 1 paragraph: "The drug is taken with water in the morning, and never after a meal."
`},
		{"numbers that are hidden from screen readers alone", "<p><b aria-hidden=true>4.2</b> Dose<i class=icon aria-hidden=true>arrow</i>", "\n1 line 1 paragraph: \"4.2 Dose\"\n"},
		{"a key that a script chooses by system", "<p>Press <span><span hidden>Cmd</span><span hidden>Ctrl</span></span>+Enter. <span hidden>No.</span><span hidden>Never.</span></p><span><i hidden>a</i><i hidden>b</i></span>", "\n1 line 1 paragraph: \"Press Ctrl+Enter.\"\n"},
		{"an index of words", indexPage(), "Index\n1 line 1 heading 1: \"Index\"\n2 line 1 heading 2: \"A\"\n3 line 1 paragraph (index of words): \"aa0 aa1 aa2 aa3 aa4 aa5\"\n"},
		{"a page in frames", "<frameset><frame src=a><noframes><p>" + strings.Repeat("This page needs no frames to be read. ", 4) + "</noframes></frameset>", `
1 line 1 paragraph: "This page needs no frames to be read. This page needs no frames to be read. This page needs no frames to be read. This page needs no frames to be read."
`},
		{"what is left out is counted", "<p>Choose.<select><option>one two</select><img alt='a cat'><textarea>three</textarea><template>no</template><span style='display:none'>no</span>", `
1 line 1 paragraph: "Choose."
without options of forms: 2
without pictures: 2
without fields of forms: 1
`},
		{"marks that are not seen", "<p>hy\u00adphen zero\u200bwidth non&nbsp;breaking con\u0001trol", `
1 line 1 paragraph: "hyphen zerowidth non breaking control"
`},
		{"line breaks", "<p>One<br>two<br><br>three", `
1 line 1 paragraph: "One\ntwo"
2 line 1 paragraph: "three"
`},
		{"empty elements of XHTML", "<?xml version='1.0'?><html><head><title/><script src='x'/></head><body><a name='y'/><p>Text.</p></body></html>", `
1 line 1 paragraph: "Text."
`},
		{"Shift JIS", "<meta charset=shift_jis><p>\x93\xfa\x96{", "\n1 line 1 paragraph: \"日本\"\n"},
		{"UTF-16", "\xff\xfe<\x00p\x00>\x00a\x00", "\n1 line 1 paragraph: \"a\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := Read(context.Background(), []byte(test.page))
			if err != nil {
				t.Fatal(err)
			}
			got := outline(d)
			if test.name == "an index of words" {
				got, _, _ = strings.Cut(got, "4 line")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestHostile reads pages that would take a careless reader very long.
func TestHostile(t *testing.T) {
	for name, page := range map[string]string{
		"deep":                 strings.Repeat("<div>", 1_000_000) + "a",
		"deep links":           strings.Repeat("<div><a href=#a>b</a>", 100_000),
		"ends of nothing":      strings.Repeat("<div>", 4000) + strings.Repeat("</span>", 500_000),
		"blocked ends":         "<span>" + strings.Repeat("<table><td>", 2000) + strings.Repeat("</span>", 500_000),
		"links at the edges":   strings.Repeat("<p><a href=a>b</a> <a href=c>d</a>", 100_000) + prose,
		"articles":             strings.Repeat("<article>a</article>", 200_000),
		"wide table":           "<table><tr>" + strings.Repeat("<td colspan=1000 rowspan=1000>a", 10_000) + strings.Repeat("<tr><td>b", 10_000) + "</table>",
		"nested lists":         strings.Repeat("<ul><li>", 100_000),
		"nested tables":        strings.Repeat("<table><tr><td>", 300_000) + "a",
		"scripts inside marks": strings.Repeat("<sup><sub>", 50_000) + "a",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(context.Background(), []byte(page)); err != nil {
				t.Log(err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("<table><tr><td rowspan=3>One. <td>| Two.</table><p>a<sup>1</sup><pre>x\ny</pre><ol type=i><li>z</ol><nav><a href=#a>b</a></nav>"))
	f.Add([]byte("<meta charset=gb18030>\x81\x30<svg><title/></svg><select><option>a<dl><dt>b<dd>c</dl><h1><h2>x</h1><noframes>y"))
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := Read(context.Background(), content)
		if err != nil {
			return
		}
		end := 0
		for _, b := range d.Blocks {
			if b.Start < end || b.End <= b.Start || b.End > len(d.Text) {
				t.Fatalf("block %v behind %d in %q", b.Span, end, d.Text)
			}
			end = b.End
		}
	})
}
