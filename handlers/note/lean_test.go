package note

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/plaintext"
)

// lean is a block in the lean form: a quote, a model's sentence, and a nearest place if nothing answers.
func lean(status string, bullets ...Bullet) Block {
	return Block{Lean: true, Status: status, Bullets: bullets, Sources: []BlockSource{
		{N: 1, Passage: someID, Label: "kb/gout.md:3", Title: "Gout, line 3, 2025-02-01", Path: "kb/gout.md", Line: 3},
		{N: 2, Passage: someID, Label: "kb/a b.pdf, p. 5", Title: "Pain, p. 5", Path: "kb/a b.pdf", Line: 5, Quote: "It comes back."},
	}}
}

var (
	leanQuote = Bullet{Text: "Gout hurts.", Citations: []int{1}}
	leanClaim = Bullet{Basis: Claim, Text: "It recurs.", Citations: []int{2}}
	leanPlace = Bullet{Basis: Place, Title: "Gout › Pain", Text: "Gout hurts.", Citations: []int{1}}
)

// TestLeanBlock shows what a lean answer looks like in each language.
func TestLeanBlock(t *testing.T) {
	quoted := map[Language]string{
		Markdown:  "<!-- lacuna ID ecfe -->\n- \"Gout hurts.\" [Gout, line 3, 2025-02-01](kb/gout.md#L3)",
		Plaintext: "(lacuna ID ecfe)\n- \"Gout hurts.\" (Gout, line 3, 2025-02-01; kb/gout.md:3)",
		Org:       "# lacuna ID ecfe\n- \"Gout hurts.\" [[file:kb/gout.md::3][Gout, line 3, 2025-02-01]]",
		Latex:     "% lacuna ID ecfe\n\\begin{itemize}\n\\item ``Gout hurts.'' (Gout, line 3, 2025-02-01, \\texttt{kb/gout.md:3})\n\\end{itemize}",
		RST:       ".. lacuna ID ecfe\n\n- \"Gout hurts.\" `Gout, line 3, 2025-02-01 <kb/gout.md#L3>`__",
		AsciiDoc:  "// lacuna ID ecfe\n\n- \"Gout hurts.\" link:kb/gout.md#L3[Gout, line 3, 2025-02-01]",
		Typst:     "// lacuna ID ecfe\n- \"Gout hurts.\" #link(\"kb/gout.md#L3\")[Gout, line 3, 2025-02-01]",
	}
	mixed := map[Language]string{
		Markdown: "<!-- lacuna ID ecfe 2a8f -->\n**Partly answered by m**\n\nNote: your sources disagree\n\n- \"Gout hurts.\" [Gout, line 3, 2025-02-01](kb/gout.md#L3)\n- It recurs. [2]\n\nMissing knowledge: nothing on “x”\n\n2. [Pain, p. 5](<kb/a b.pdf#page=5>): \"It comes back.\"",
		Latex:    "% lacuna ID ecfe 2a8f\n\\textbf{Partly answered by m}\n\nNote: your sources disagree\n\n\\begin{itemize}\n\\item ``Gout hurts.'' (Gout, line 3, 2025-02-01, \\texttt{kb/gout.md:3})\n\\item It recurs. [2]\n\\end{itemize}\n\nMissing knowledge: nothing on “x”\n\n\\begin{itemize}\n\\item[2.] (Pain, p. 5, \\texttt{kb/a b.pdf:5}): ``It comes back.''\n\\end{itemize}",
		AsciiDoc: "// lacuna ID ecfe 2a8f\n\n*Partly answered by m*\n\nNote: your sources disagree\n\n- \"Gout hurts.\" link:kb/gout.md#L3[Gout, line 3, 2025-02-01]\n- It recurs. [2]\n\nMissing knowledge: nothing on “x”\n\n//-\n2. link:kb/a%20b.pdf#page=5[Pain, p. 5]: \"It comes back.\"",
	}
	check := func(language Language, b Block, want string) {
		t.Helper()
		before := "Q: What is gout?\n\nMy text.\n"
		n := Parse(before, language)
		written := apply(before, n.Write(n.Questions[0], b))
		want = "Q: What is gout?\n\n" + strings.ReplaceAll(want, "ID", string(n.Questions[0].ID)) + "\n\nMy text.\n"
		if diff := cmp.Diff(want, written); diff != "" {
			t.Errorf("%s (-want +got):\n%s", language, diff)
		}
		after := Parse(written, language)
		if len(after.Answers) != 1 || after.Questions[0].Answer != 0 {
			t.Fatalf("%s: %d answers in\n%s", language, len(after.Answers), written)
		}
		if again := apply(written, after.Write(after.Questions[0], b)); again != written {
			t.Errorf("%s: written again:\n%s", language, again)
		}
		if back := apply(written, after.Remove(after.Questions[0])); back != before {
			t.Errorf("%s: removed: %q", language, back)
		}
	}
	for language, want := range quoted {
		check(language, lean("Answered from 1 source", leanQuote), want)
	}
	for language, want := range mixed {
		b := lean("Partly answered by m", leanQuote, leanClaim)
		b.Notes, b.Missing = []string{"your sources disagree"}, []string{"nothing on “x”"}
		check(language, b, want)
	}
}

// TestLeanBlockReadsBack reads what was written: the same quotes, sentences and places in every language.
func TestLeanBlockReadsBack(t *testing.T) {
	for _, language := range languages {
		for _, eol := range []string{"\n", "\r\n"} {
			before := "Q: What is gout?" + eol
			n := Parse(before, language)
			b := lean("Nothing on “x”. Nearest places:", leanPlace)
			written := Parse(apply(before, n.Write(n.Questions[0], b)), language)
			a := written.Answers[0]
			if len(a.Marks) != 1 || a.Marks[0].Basis != Place || a.Marks[0].Quote != "Gout hurts." || !written.Open(written.Questions[0]) || a.Status != "Nothing on “x”. Nearest places:" {
				t.Errorf("%s: place reads back as %+v from\n%s", language, a, written.Text)
			}
			b = lean("Answered from 2 sources", leanQuote, leanClaim)
			written = Parse(apply(before, n.Write(n.Questions[0], b)), language)
			a = written.Answers[0]
			got := fmt.Sprint(a.Status, a.Marks[0].N, a.Marks[0].Basis, a.Marks[0].Quote, a.Citations[0].Path, a.Citations[0].Line, a.Citations[0].Label, a.Marks[1].N, a.Marks[1].Basis, a.Citations[1].Quote, a.Citations[1].Path, a.Citations[1].Line)
			want := fmt.Sprint("Answered", 1, Quote, "Gout hurts.", "kb/gout.md", 3, "Gout, line 3, 2025-02-01", 2, Claim, "It comes back.", "kb/a b.pdf", 5)
			if language == Latex || language == Plaintext {
				want = strings.Replace(want, "Gout, line 3, 2025-02-01", a.Citations[0].Label, 1)
			}
			if got != want || written.Open(written.Questions[0]) {
				t.Errorf("%s reads back as\n%s, want\n%s, from\n%s", language, got, want, written.Text)
			}
			for status, answered := range map[string]bool{Taken: true, NoPlace: false} {
				b := lean(status)
				written := Parse(apply(before, n.Write(n.Questions[0], b)), language)
				if a := written.Answers[0]; a.Status != status || written.Open(written.Questions[0]) == answered {
					t.Errorf("%s: status %q reads back as %q from\n%s", language, status, a.Status, written.Text)
				}
			}
		}
	}
}

// TestEditedLeanBlock reads lean answers that somebody edited: what is below is theirs.
func TestEditedLeanBlock(t *testing.T) {
	const q, hidden = "What is gout?\n\n", "<!-- lacuna 00000000 -->\n"
	const quote, second = "- \"Gout hurts.\" [Gout](kb/gout.md#L3)\n", "- \"It is old.\" [Gout](kb/gout.md#L4)\n"
	tests := []struct {
		name, below  string
		block        string // what belongs to the block, behind the hidden line
		quotes, open int
	}{
		{"as written", quote + second, quote + second, 2, 0},
		{"a list of mine below", quote + "\n- mine\n- \"x\" [y](z.md)\n", quote, 1, 0},
		{"a quote of mine below", quote + "\n" + second, quote, 1, 0},
		{"an item of mine between", quote + "- mine\n" + second, quote + "- mine\n" + second, 2, 0},
		{"an item of mine behind", quote + "- mine\n", quote, 1, 0},
		{"a sentence of mine behind", quote + "Mine.\n", quote, 1, 0},
		{"a heading behind", quote + "# Next\n" + second, quote, 1, 0},
		{"a link without its quote", "- mine [Gout](kb/gout.md#L3)\n", "", 0, 0},
		{"a formatter's blank line", "\n" + quote, "\n" + quote, 1, 0},
		{"nothing left", "\nMine.\n", "", 0, 1},
		{"nothing but my words", "Mine.\n", "", 0, 0},
		{"a numbered list of mine", quote + "\n1. [Gout](kb/gout.md#L3)\n", quote, 1, 0},
		{"another answer", hidden + quote, "", 0, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := Parse(q+hidden+test.below, Markdown)
			a := n.Answers[0]
			if got, want := n.Text[a.Span.Start:a.Span.End], strings.TrimRight(hidden+test.block, "\n"); got != want {
				t.Errorf("block is\n%s\nwant\n%s", got, want)
			}
			if open := n.Open(n.Questions[0]); len(a.Marks) != test.quotes || open != (test.open == 1) {
				t.Errorf("%d quotes, open is %v: %+v", len(a.Marks), open, a)
			}
		})
	}
}

// TestReformattedLeanBlock reads lean answers that an editor wrapped or that somebody put into a quotation: they are
// what they were. Below each stands a line of the user's.
func TestReformattedLeanBlock(t *testing.T) {
	const whole = "The dose of colchicine is 0.5 mg twice a day until the pain is relieved."
	tests := []struct{ name, block string }{
		{"as written", "<!-- lacuna ID -->\n- \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"wrapped in the quote", "<!-- lacuna ID -->\n- \"The dose of colchicine is 0.5 mg\n  twice a day until the pain is\n  relieved.\" [Gout, line 3](kb/gout.md#L3)"},
		{"wrapped without indentation", "<!-- lacuna ID -->\n- \"The dose of colchicine is 0.5 mg\ntwice a day until the pain is relieved.\" [Gout,\nline 3](kb/gout.md#L3)"},
		{"wrapped in the link", "<!-- lacuna ID -->\n- \"WHOLE\"\n  [Gout,\n  line\n  3](kb/gout.md#L3)"},
		{"a number begins the line", "<!-- lacuna ID -->\n- \"The dose of colchicine is\n0.5 mg twice a day until the pain is relieved.\" [Gout, line\n3](kb/gout.md#L3)"},
		{"a quotation below the comment", "<!-- lacuna ID -->\n> - \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a quotation with the comment", "> <!-- lacuna ID -->\n> - \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a quotation in a quotation", ">> <!-- lacuna ID -->\n>> \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a quotation below a blank line", "<!-- lacuna ID -->\n\n> - \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a wrapped quotation", "> <!-- lacuna ID -->\n> - \"The dose of colchicine is 0.5 mg\n>   twice a day until the pain is\nrelieved.\" [Gout, line 3](kb/gout.md#L3)"},
		{"a star", "<!-- lacuna ID -->\n* \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a wide mark", "<!-- lacuna ID -->\n-   \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a number", "<!-- lacuna ID -->\n1. \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"no mark", "<!-- lacuna ID -->\n\"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"words before it", "<!-- lacuna ID -->\n- **NICE:** \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a wrapped remark", "<!-- lacuna ID -->\nNote: Previously answered\non 2024-05-02.\n\n- \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
		{"a wrapped status", "<!-- lacuna ID -->\n**Partly answered:\nnothing on “x”.**\n\n- \"WHOLE\" [Gout, line 3](kb/gout.md#L3)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			q := Parse("What is the dose?\n", Markdown).Questions[0]
			block := strings.NewReplacer("ID", string(q.ID)+" "+checkOf(whole), "WHOLE", whole).Replace(test.block)
			n := Parse("What is the dose?\n\n"+block+"\n\nMine.\n", Markdown)
			checkSpans(t, n)
			if len(n.Answers) != 1 || n.Questions[0].Answer != 0 {
				t.Fatalf("%d answers in\n%s", len(n.Answers), n.Text)
			}
			a := n.Answers[0]
			if got := n.Text[a.Span.Start:a.Span.End]; got != block {
				t.Errorf("the block is\n%s\nwant\n%s", got, block)
			}
			if len(a.Marks) != 1 || len(a.Citations) != 1 {
				t.Fatalf("read %+v", a)
			}
			mark, c := a.Marks[0], a.Citations[0]
			if mark.Quote != whole || c.Path != "kb/gout.md" || c.Line != 3 || c.Label != "Gout, line 3" || c.Edited {
				t.Errorf("read %+v, %+v", mark, c)
			}
			shown := strings.Join(strings.Fields(n.Text[mark.Span.Start:mark.Span.End]), " ")
			if shown != "Gout, line 3" && shown != "Gout, > line 3" {
				t.Errorf("the mark is %q", shown)
			}
			b := lean("Answered from 1 source", Bullet{Text: "Gout hurts.", Citations: []int{1}})
			if again := apply(n.Text, n.Write(n.Questions[0], b)); !strings.HasSuffix(again, "#L3)\n\nMine.\n") || strings.Contains(again, "colchicine") {
				t.Errorf("answered again:\n%s", again)
			} else if a := Parse(again, Markdown).Answers; len(a) != 1 || a[0].Quoted != strings.Contains("\n"+block, "\n>") || len(a[0].Marks) != 1 {
				t.Errorf("answered again, %+v:\n%s", a, again)
			}
			moved := apply(n.Text, n.Relocate(c, BlockSource{Path: "kb/b c.md"}))
			if !strings.Contains(moved, "\" [Gout, line 3](<kb/b c.md#L3>)") && !strings.Contains(moved, "[Gout, line 3](<kb/b c.md#L3>)\n") {
				t.Errorf("moved:\n%s", moved)
			}
		})
	}
}

// TestEditedQuote tells a quote that somebody edited from one that stands as it was written. Old answers have no checks.
func TestEditedQuote(t *testing.T) {
	const written = "Wash it once a month."
	for _, language := range languages {
		n := Parse("Q: x\n", language)
		b := lean("Answered from 1 source", Bullet{Text: written, Citations: []int{1}}, leanClaim)
		text := apply(n.Text, n.Write(n.Questions[0], b))
		for _, test := range []struct {
			name, old, new string
			want           [2]bool
		}{
			{"as written", "", "", [2]bool{}},
			{"a word of the quote", "month", "year", [2]bool{true, false}},
			{"a word behind a sentence", "comes back", "goes away", [2]bool{false, true}},
			{"no checks", " " + checkOf(written) + " " + checkOf("It comes back."), "", [2]bool{}},
		} {
			a := Parse(strings.Replace(text, test.old, test.new, 1), language).Answers[0]
			if len(a.Citations) != 2 || a.Citations[0].Edited != test.want[0] || a.Citations[1].Edited != test.want[1] {
				t.Errorf("%s, %s: %+v", language, test.name, a.Citations)
			}
		}
	}
}

// TestWikiLinks writes links as wikis do, where they can hold what they name and show, and reads them back.
func TestWikiLinks(t *testing.T) {
	source := func(page, heading, title string, line int) BlockSource {
		return BlockSource{N: 1, Title: title, Path: "../kb/a b.md", Page: page, Heading: heading, Line: line}
	}
	tests := []struct {
		source BlockSource
		want   string
	}{
		{source("Gout", "", "Gout, line 3", 3), "[[Gout|Gout, line 3]]"},
		{source("Gout clinic", "How long?", "Gout clinic, line 3, 2025-02-01", 3), "[[Gout clinic#How long?|Gout clinic, line 3, 2025-02-01]]"},
		{source("Übelkeit & Gicht", "Dosis für Ältere", "Gicht, line 5", 5), "[[Übelkeit & Gicht#Dosis für Ältere|Gicht, line 5]]"},
		{source("库/指南 (2024)", "停用", "二甲双胍, line 5", 5), "[[库/指南 (2024)#停用|二甲双胍, line 5]]"},
		{source("paper.pdf", "Methods", "Paper, p. 7", 7), "[[paper.pdf#page=7|Paper, p. 7]]"},
		{source("Gout", "", "Gout [draft] | old, line 3", 3), "[[Gout|Gout (draft) / old, line 3]]"},
		{source("Gout", "", "", 3), "[[Gout]]"},
		{source("Gout", "", "<b>x</b> `y`", 3), "[[Gout|‹b›x‹/b› 'y']]"},
		{source("Gout {{x}}", "", "Gout, line 3", 3), "[Gout, line 3](<../kb/a b.md#L3>)"},
		{source("Gout", "", "%%hidden%%", 3), "[&#37;%hidden&#37;%](<../kb/a b.md#L3>)"},
		{source("Gout [1]", "", "Gout, line 3", 3), "[Gout, line 3](<../kb/a b.md#L3>)"},
		{source("Gout", "`x`", "Gout, line 3", 3), "[Gout, line 3](<../kb/a b.md#L3>)"},
		{source("", "", "Gout, line 3", 3), "[Gout, line 3](<../kb/a b.md#L3>)"},
	}
	for _, test := range tests {
		n := Parse("- What is gout?\n", Markdown)
		b := Block{Lean: true, Status: "Answered from 1 source", Bullets: []Bullet{{Text: "Gout hurts [[so]].", Citations: []int{1}}}, Sources: []BlockSource{test.source}}
		n = Parse(apply(n.Text, n.Write(n.Questions[0], b)), Markdown)
		if !strings.HasSuffix(n.Text, "\" "+test.want+"\n") || len(n.Answers) != 1 || len(n.Answers[0].Citations) != 1 {
			t.Errorf("%+v: want %s, got\n%s\n%+v", test.source, test.want, n.Text, n.Answers)
			continue
		}
		c, mark := n.Answers[0].Citations[0], n.Answers[0].Marks[0]
		path, asWiki := "../kb/a b.md", strings.HasPrefix(test.want, "[[")
		if asWiki {
			path = test.source.Page
		}
		if c.Path != path || c.Wiki != asWiki || c.Edited || mark.Quote != "Gout hurts [[so]]." || n.Text[c.Span.Start:c.Span.End] != test.want {
			t.Errorf("%s reads back as %+v, %+v", test.want, c, mark)
		}
		if !asWiki {
			continue
		}
		moved := apply(n.Text, n.Relocate(c, BlockSource{Page: "New page", Path: "../kb/new page.md"}))
		if want := strings.Replace(test.want, test.source.Page, "New page", 1); !strings.HasSuffix(moved, "\" "+want+"\n") && test.source.Line != 7 {
			t.Errorf("moved, want %s:\n%s", want, moved)
		}
		if moved = apply(n.Text, n.Relocate(c, BlockSource{Path: "../kb/new [page].md"})); !strings.Contains(moved, "](<../kb/new %5Bpage%5D.md") {
			t.Errorf("moved to a name that no wiki can link:\n%s", moved)
		}
	}
}

// FuzzLeanBlock writes a lean answer below each question of any note, reads it back, writes it again and takes it
// out. Only a blank line stays, where text stood right below the question.
func FuzzLeanBlock(f *testing.F) {
	for i, language := range languages {
		f.Add("# T\n\n- What is gout?\n  more\n", "Gout hurts.", "lead", "Gout, p. 3", "kb/a (1).md", byte(i))
		f.Add("Q: a\r\n\r\n\r\n> b?", `"x" [2]`, `a) "b`, "a](b", "a#b%.md", byte(i))
		f.Add("What?\n\n<!-- lacuna 00000000 -->\n- \"a\" [b](c)\n\nIs it?\nWhy?", "<b", "", "x: \"", "x", byte(i))
		for _, text := range hostile[language] {
			f.Add("Q: x\n", text, text, text, text, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, text, quote, lead, title, path string, kind byte) {
		language := languages[int(kind)%len(languages)]
		clean := func(s string) string { return plaintext.OneLine(strings.ToValidUTF8(s, "")) }
		if quote = clean(quote); quote == "" || path == "" {
			return
		}
		b := lean("Partly answered: "+clean(title), Bullet{Text: quote, Lead: clean(lead), Citations: []int{1}}, leanClaim)
		b.Sources[0].Path, b.Sources[0].Title, b.Sources[1].Quote = path, clean(title), quote
		n := Parse(text, language)
		checkSpans(t, n)
		for i, q := range n.Questions {
			if q.Answer >= 0 {
				continue
			}
			written := apply(text, n.Write(q, b))
			after := Parse(written, language)
			checkSpans(t, after)
			if len(after.Questions) <= i || after.Questions[i].ID != q.ID || after.Questions[i].Answer < 0 {
				t.Fatalf("question %d of %q lost its place in %q", i, text, written)
			}
			again := after.Questions[i]
			a := after.Answers[again.Answer]
			if len(a.Marks) != 2 || a.Marks[0].Quote != quote || len(a.Citations) != 2 || a.Citations[0].Path != path || a.Citations[1].Quote != quote {
				t.Fatalf("block reads back as %+v, wrote %+v in\n%s", a, b, written)
			}
			if twice := apply(written, after.Write(again, b)); twice != written {
				t.Fatalf("writing twice:\n%q\nwriting once:\n%q", twice, written)
			}
			back := apply(written, after.Remove(again))
			if back != text && (!n.adjoins(q) || back != text[:q.lines.End]+n.lineEnd(q)+text[q.lines.End:]) {
				t.Fatalf("removed:\n%q\nbefore:\n%q", back, text)
			}
		}
	})
}

// FuzzWrappedLeanBlock has an editor wrap a lean answer at any width, in a quotation or not, and reads the same back.
func FuzzWrappedLeanBlock(f *testing.F) {
	f.Add("The dose of colchicine is 0.5 mg twice a day (or 30. less).", "Gout, p. 3", "kb/a (1).md", byte(20), false)
	f.Add("二甲双胍 用于 2 型糖尿病。", "指南", "库/指南 一.md", byte(6), true)
	f.Add(`"x" [2] says (so)`, "a](b", "a#b%.md", byte(1), true)
	f.Fuzz(func(t *testing.T, quote, title, path string, width byte, quoted bool) {
		clean := func(s string) string { return plaintext.OneLine(strings.ToValidUTF8(s, "")) }
		if quote, title = clean(quote), clean(title); quote == "" || path == "" || len(quote)+len(title)+len(path) > 2000 {
			return
		}
		b := lean("Answered from 1 source", Bullet{Text: quote, Citations: []int{1}})
		b.Sources[0].Path, b.Sources[0].Title = path, title
		n := Parse("What?\n", Markdown)
		_, line, _ := strings.Cut(apply(n.Text, n.Write(n.Questions[0], b)), "-->\n")
		var lines []string
		for _, word := range strings.Split(strings.TrimSuffix(line, "\n"), " ") {
			last := len(lines) - 1
			if last >= 0 && (len(lines[last])+len(word) < int(width) || !markdown.goesOn(word+" x") || last+2 >= mostWrapped) {
				lines[last] += " " + word
			} else {
				lines = append(lines, word)
			}
		}
		prefix := ""
		if quoted {
			prefix = "> "
		}
		text := "What?\n\n" + prefix + markdown.hiddenOf(n.Questions[0], b, b.quotes()) + "\n" + prefix + strings.Join(lines, "\n"+prefix) + "\n"
		wrapped := Parse(text, Markdown)
		checkSpans(t, wrapped)
		ends := 0
		for _, line := range lines[:len(lines)-1] {
			if strings.Contains(wrappedEnds, line[len(line)-1:]) {
				ends++
			}
		}
		if ends >= mostEnds {
			return
		}
		if a := wrapped.Answers; len(a) != 1 || len(a[0].Marks) != 1 || checkOf(a[0].Marks[0].Quote) != checkOf(quote) || a[0].Citations[0].Path != path || a[0].Citations[0].Edited {
			t.Fatalf("read %+v from\n%s", a, text)
		}
	})
}

// TestLongLeanBlocks reads answers into which somebody put very many lines, each of which could begin or end one that an
// editor wrapped. Read again and again, they would take minutes.
func TestLongLeanBlocks(t *testing.T) {
	const hidden = "<!-- lacuna 00000000 -->\n"
	for _, unit := range []string{"- (a) \"b) x\n", "(a) x)\n", hidden + "(a) \"x)\n", "- \"a " + strings.Repeat("b ) ", 500) + "\n c )\n d )\n"} {
		n := Parse("What is it?\n\n"+hidden+strings.Repeat(unit, 1<<20/len(unit)), Markdown)
		if want := max(1, strings.Count(n.Text, hidden)); len(n.Answers) != want {
			t.Errorf("%q: %d answers, want %d", unit, len(n.Answers), want)
		}
	}
}
