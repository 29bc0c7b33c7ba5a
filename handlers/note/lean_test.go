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
		Markdown:  "<!-- lacuna ID -->\n- \"Gout hurts.\" [Gout, line 3, 2025-02-01](kb/gout.md#L3)",
		Plaintext: "(lacuna ID)\n- \"Gout hurts.\" (Gout, line 3, 2025-02-01; kb/gout.md:3)",
		Org:       "# lacuna ID\n- \"Gout hurts.\" [[file:kb/gout.md::3][Gout, line 3, 2025-02-01]]",
		Latex:     "% lacuna ID\n\\begin{itemize}\n\\item ``Gout hurts.'' (Gout, line 3, 2025-02-01, \\texttt{kb/gout.md:3})\n\\end{itemize}",
		RST:       ".. lacuna ID\n\n- \"Gout hurts.\" `Gout, line 3, 2025-02-01 <kb/gout.md#L3>`__",
		AsciiDoc:  "// lacuna ID\n\n- \"Gout hurts.\" link:kb/gout.md#L3[Gout, line 3, 2025-02-01]",
		Typst:     "// lacuna ID\n- \"Gout hurts.\" #link(\"kb/gout.md#L3\")[Gout, line 3, 2025-02-01]",
	}
	mixed := map[Language]string{
		Markdown: "<!-- lacuna ID -->\n**Partly answered by m**\n\nNote: your sources disagree\n\n- \"Gout hurts.\" [Gout, line 3, 2025-02-01](kb/gout.md#L3)\n- It recurs. [2]\n\nMissing knowledge: nothing on “x”\n\n2. [Pain, p. 5](<kb/a b.pdf#page=5>): \"It comes back.\"",
		Latex:    "% lacuna ID\n\\textbf{Partly answered by m}\n\nNote: your sources disagree\n\n\\begin{itemize}\n\\item ``Gout hurts.'' (Gout, line 3, 2025-02-01, \\texttt{kb/gout.md:3})\n\\item It recurs. [2]\n\\end{itemize}\n\nMissing knowledge: nothing on “x”\n\n\\begin{itemize}\n\\item[2.] (Pain, p. 5, \\texttt{kb/a b.pdf:5}): ``It comes back.''\n\\end{itemize}",
		AsciiDoc: "// lacuna ID\n\n*Partly answered by m*\n\nNote: your sources disagree\n\n- \"Gout hurts.\" link:kb/gout.md#L3[Gout, line 3, 2025-02-01]\n- It recurs. [2]\n\nMissing knowledge: nothing on “x”\n\n//-\n2. link:kb/a%20b.pdf#page=5[Pain, p. 5]: \"It comes back.\"",
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
