package passage

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

func TestRenderInline(t *testing.T) {
	for _, test := range []struct{ written, want string }{
		{"Plain words.", "Plain words."},
		{"Take **two** tablets, _not_ ~~three~~ ==four==.", "Take two tablets, not three four."},
		{"***Both*** and **half *nested* bold**", "Both and half nested bold"},
		{"2 * 3 * 4, snake_case_name, *p < 0.05, 5*3", "2 * 3 * 4, snake_case_name, *p < 0.05, 5*3"},
		{"Set `max_connections` to ``a`b``.", "Set max_connections to a`b."},
		{"Code keeps `**its** [marks](x)`.", "Code keeps **its** [marks](x)."},
		{"See [the **guide**](https://example.org/a_(b)?q=1 \"Title) here\"){:target=_blank} now.", "See the guide now."},
		{"See [[Folder/Page|the page]] and [[Other]] and [[#Head]].", "See the page and Other and Head."},
		{"As [shown][ref] and [later][] but [1][2].", "As shown and later but [1][2]."},
		{"A ![diagram of a pump](pump.png) here", "A diagram of a pump here"},
		{"[![Build](b.svg)](https://ci.example)", "Build"},
		{"Call :material-phone: 112 at 12:30:45 :warning: now", "Call 112 at 12:30:45 now"},
		{"Tea&nbsp;&amp; 5&#8201;mg &lt;90 &bogus; &#8238;", "Tea & 5 mg <90 &bogus; &#8238;"},
		{"one<br>two<br/><b>three</b> <img src=x alt=\"a cat\"> <!-- no --> x < y <branch>", "one two three a cat x < y <branch>"},
		{"<https://example.org/x> or <a@b.org>", "https://example.org/x or a@b.org"},
		{"A {{< glossary_tooltip text=\"Pod\" term_id=\"pod\" >}} runs.", "A Pod runs."},
		{"Wait {{ limit }} days.", "Wait … days."},
		{"{{% note %}}Mind the gap.{{% /note %}}", "Mind the gap."},
		{"{% if x %}Shown{% endif %}", "Shown"},
		{"[A button](x){ .md-button } and # Title {#anchor}", "A button and # Title"},
		{"A set {1, 2} stays", "A set {1, 2} stays"},
		{"> Quoted\n> lines", "Quoted lines"},
		{"> [!info] Read this first", "Read this first"},
		{"> [!warning]", "warning"},
		{"Stays as is.[^1] More.[^note]", "Stays as is. More."},
		{"<ReadMore>See [this](x).</ReadMore> <Since v=\"6\" /> but <Name> and `<Code/>`", "See this. but <Name> and <Code/>"},
		{"Escaped \\*stars\\* and \\[brackets\\]", "Escaped *stars* and [brackets]"},
		{"Text with an anchor ^a1b2c3", "Text with an anchor"},
		{"[ ] open [link](a", "[ ] open [link](a"},
		{"**vim**: an editor, `!`[a](b), !\\[c] and **--**> with -`*`-", "vim : an editor, !a, ! [c] and - -> with - *-"},
		{"0!_[_ and [x]\\(javascript:y)", "0! [ and [x] (javascript:y)"},
		{"a --> b", "a --> b"},
		{"price `$5` and a<c and a>c", "price $5 and a<c and a>c"},
	} {
		p := Passage{Format: Markdown, Text: test.written}
		r := p.Render()
		got := r.Span(Span{End: len(test.written)})
		if got != test.want {
			t.Errorf("%q is shown as\n%q instead of\n%q", test.written, got, test.want)
		}
		if span, ok := r.Find(got); !ok || r.Span(span) != got {
			t.Errorf("%q is not found again: %v %v", got, span, ok)
		}
	}
}

func TestRenderBlocks(t *testing.T) {
	text := "## Pumps ##\n\nDo not start:\n\n- with *air* inside\n  - even a little\n1. [x] alone\n\n| Drug | Dose [mg](u) |\n|---|---|\n| **A** | 5 \\| 6 |\n| B | |\n\nRun\n\n```sh\n  stop\n    now\n\n  start\n```\n!!! note \"Mind this\"\n[^3]: A foot.\n: Means it."
	part := func(kind BlockKind, words string, lead int) Block {
		start := strings.Index(text, words)
		return Block{Kind: kind, Span: Span{start, start + len(words)}, Lead: lead}
	}
	p := Passage{Format: Markdown, Text: text, Blocks: []Block{
		part(Heading, "## Pumps ##", 0), part(Paragraph, "Do not start:", 0), part(Item, "- with *air* inside", 2), part(Item, "  - even a little", 3),
		part(Item, "1. [x] alone", 2), part(HeaderRow, "| Drug | Dose [mg](u) |\n|---|---|", 0), part(Row, "| **A** | 5 \\| 6 |", 6), part(Row, "| B | |", 6),
		part(Paragraph, "Run", 0), part(Code, "```sh\n  stop\n    now\n\n  start\n```", 9),
		part(Admonition, "!!! note \"Mind this\"", 0), part(Footnote, "[^3]: A foot.", 0), part(Definition, ": Means it.", 0),
	}}
	want := []string{
		"Pumps", "Do not start:", "with air inside", "even a little", "1. [x] alone", "Drug; Dose mg", "Drug: A; Dose mg: 5 | 6", "Drug: B", "Run",
		"stop ⏎   now ⏎ start", "Mind this", "3: A foot.", "Means it.",
	}
	r := p.Render()
	for i, b := range p.Blocks {
		got := r.Span(b.Span)
		if got != want[i] {
			t.Errorf("%s is shown as %q instead of %q", b.Kind, got, want[i])
		}
		if span, ok := r.Find(got); !ok || r.Span(span) != got {
			t.Errorf("%q is not found again: %v %v", got, span, ok)
		}
	}
	items := Span{p.Blocks[2].Start, p.Blocks[4].End}
	if got, want := r.Span(items), "with air inside; even a little; 1. [x] alone"; got != want {
		t.Errorf("the list is shown as %q", got)
	}
	row := Passage{Format: Markdown, Text: "<tr>\n<th>Drug</th><th>Dose</th>\n</tr>\n<tr><td>A | B</td>\n<td></td></tr>\n<tr><td>C</td><td><p>5 mg</p></td></tr>"}
	cut := strings.Index(row.Text, "<tr><td>A")
	last := strings.Index(row.Text, "<tr><td>C")
	row.Blocks = []Block{{Kind: HeaderRow, Span: Span{0, cut - 1}}, {Kind: Row, Span: Span{cut, last - 1}, Lead: 1}, {Kind: Row, Span: Span{last, len(row.Text)}, Lead: 1}}
	if got := row.Render().Span(Span{cut, len(row.Text)}); got != "Drug: A | B; Drug: C; Dose: 5 mg" {
		t.Errorf("HTML rows are shown as %q", got)
	}
	keys := Passage{Format: Markdown, Text: "| vi | Emacs |\n|---|---|\n| dd | C-k |"}
	cut = strings.Index(keys.Text, "| dd")
	keys.Blocks = []Block{{Kind: HeaderRow, Span: Span{0, cut - 1}}, {Kind: Row, Span: Span{cut, len(keys.Text)}, Lead: 1}}
	if got := keys.Render().Span(Span{cut, len(keys.Text)}); got != "vi : dd; Emacs: C-k" || !sanitise.Quotable(got) {
		t.Errorf("a row below the name of an editor is shown as %q", got)
	}
	lead := Lead{Kind: HeaderRow, Text: "| Drug | Dose |\n|---|---|"}
	if got := lead.Words(Markdown); got != "Drug; Dose" {
		t.Errorf("a header is shown as %q", got)
	}
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !IsWordRune(r) })
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"[[a|b]] **x** `c` <b>d</b> {{< e >}} [f](g){:h}", "| a | b |\n|---|---|\n| c | d |", "*a **b* c** ~~d~~", "![[x]] [^1] &amp; :smile: \\*",
		"> [!x] y\n> z", "``` \na\n```", "[[[a]](b](c)", "]([", "<a@b.c", "{:}{{}}{%%}",
		":r:`a <b>`_ ``c`` *d* [1]_ e_ ::", "=a= [[b][c]] {{{d(e)}}} [fn:1]", ".. code::\n   :a: b\n\n   c",
	} {
		f.Add(seed, uint8(0), uint(3))
	}
	f.Fuzz(func(t *testing.T, text string, kind uint8, cut uint) {
		if !utf8.ValidString(text) || len(text) > 1<<11 {
			t.Skip()
		}
		at := int(cut % uint(len(text)+1))
		for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
			at--
		}
		for _, format := range []Format{Markdown, Plain, Wrapped} {
			p := Passage{Format: format, Text: text, Blocks: []Block{
				{Kind: BlockKind(kind) % blockKinds, Span: Span{0, at}}, {Kind: BlockKind(kind/16) % blockKinds, Span: Span{at, len(text)}, Lead: 1},
			}}
			r := p.Render()
			if !slices.IsSorted(r.at) || len(r.at) != len(r.text) || len(r.at) > 0 && (r.at[0] < 0 || r.at[len(r.at)-1] >= max(1, len(text)+1)) {
				t.Fatalf("%q: offsets %v", text, r.at)
			}
			if !utf8.Valid(r.text) {
				t.Fatalf("%q becomes invalid: %q", text, r.text)
			}
			shown := r.Span(Span{End: len(text) + 1})
			if found, ok := r.Find(shown); shown != "" && !strings.Contains(text, "⏎") && (!ok || r.Span(found) != shown) {
				t.Fatalf("%q is shown as %q, which is found at %v, %v, as %q", text, shown, found, ok, r.Span(found))
			}
			if len(shown) > 4*len(text)+64 {
				t.Fatalf("%d bytes are shown as %d", len(text), len(shown))
			}
			if strings.ContainsAny(text, "&") {
				continue // entities stand for other words
			}
			var strange []byte // what stands for something else
			for i, c := range r.text {
				if at := r.at[i]; at < len(text) && text[at] == c {
					c = ' '
				}
				strange = append(strange, c)
			}
			for _, w := range wordsOf(string(strange)) {
				if !strings.Contains(text, w) {
					t.Fatalf("%q is shown as %q with the new word %q", text, shown, w)
				}
			}
			if p := (Passage{Format: format, Text: text}); !strings.ContainsFunc(text, func(r rune) bool { return !IsWordRune(r) && r != ' ' && r != '.' && r != ',' }) {
				if got := p.Render().Span(Span{End: len(text)}); got != plaintext.OneLine(text) {
					t.Fatalf("%q is shown as %q", text, got)
				}
			}
			if !strings.Contains(text, "<") && sanitise.Quotable(text) && !sanitise.Quotable(shown) { // quotes are judged as they are shown
				t.Fatalf("%q becomes unquotable: %q", text, shown)
			}
		}
	})
}

// TestRenderIsLinear renders what would take minutes if a look ahead were not bounded.
func TestRenderIsLinear(t *testing.T) {
	for _, part := range []string{"[", "](", "`a``", "**a", "*a_", "<a ", "<!--", "{{", "{{a}}b", "{%", "{:", "![[", "&amp", ":a", "[^", "> ", "| ", "\n", "[[a|", "![a](", "a ", "*a", "=a", "``a", "a_", "[[a]", ":a:`b", "{{{a("} {
		text := strings.Repeat(part, maxRendered/4/len(part))
		start := time.Now()
		for _, b := range [][]Block{nil, {{Kind: HeaderRow, Span: Span{0, len(text) / 2}}, {Kind: Row, Span: Span{len(text) / 2, len(text)}, Lead: 1}}} {
			for _, format := range []Format{Markdown, Wrapped} {
				p := Passage{Format: format, Text: text, Blocks: b}
				r := p.Render()
				r.Find(r.Span(Span{End: len(text)}))
			}
		}
		t.Logf("%q: %v", part, time.Since(start))
	}
}
