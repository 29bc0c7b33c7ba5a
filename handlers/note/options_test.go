package note

import (
	"strings"
	"testing"
)

// TestOptions reads options in the ways that people and languages write them. A line of the text that is only an arrow
// is where the answer goes, and no part of the note.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name     string
		language Language
		text     string
		want     string // the options; empty means none
	}{
		{"lines", Markdown, "Which oxide is blue?\nA. tin\nB. cobalt\n→\nMore.", "A=tin B=cobalt"},
		{"apart", Markdown, "Which oxide is blue?\n\nA. tin\n\nB. cobalt\n→\n\nMore.", "A=tin B=cobalt"},
		{"items", Markdown, "Which oxide is blue?\n\n- A) tin\n- B) cobalt\n- C) iron\n→\n\nMore.", "A=tin B=cobalt C=iron"},
		{"boxes", Markdown, "Which oxide is blue?\n- [ ] A) tin\n- [x] B) cobalt\n→\n", "A=tin B=cobalt"},
		{"in an item", Markdown, "1. Which oxide is blue?\n   - (a) tin\n   - (b) cobalt\n   →\n2. Next.", "A=tin B=cobalt"},
		{"emphasised", Markdown, "**Which oxide is blue?**\n**A.** *tin*\n**B.** cobalt\n→\n", "A=tin B=cobalt"},
		{"hard breaks", Markdown, "Which oxide is blue?\nA. tin  \nB. cobalt\\\nC. iron\n→\n", "A=tin B=cobalt C=iron"},
		{"wrapped", Markdown, "Which oxide is blue?\nA. the oxide\n   of tin\nB. the oxide\nof cobalt\n→\nMore.", "A=the oxide of tin B=the oxide of cobalt"},
		{"heading", Markdown, "## Which oxide is blue?\n\nA. tin\nB. cobalt\n→\n", "A=tin B=cobalt"},
		{"underlined", Markdown, "Which oxide is blue?\n===\n\nA. tin\nB. cobalt\n→\n", "A=tin B=cobalt"},
		{"marked as a question", Markdown, "Q: The oxide that is blue\nA. tin\nB. cobalt\n→\n", "A=tin B=cobalt"},
		{"marked, in lower case", Markdown, "Q: The oxide that is blue\na) tin\nb) cobalt\n→\n", "A=tin B=cobalt"},
		{"asked for", Markdown, "<!-- lacuna: ask -->\nThe oxide that is blue\nA. tin\nB. cobalt\n→\n", "A=tin B=cobalt"},
		{"beside each other", Markdown, "哪种氧化物是蓝色的？\nA．锡　　B．钴\nC．铁　　D．锌\n→\n", "A=锡 B=钴 C=铁 D=锌"},
		{"full width", Plaintext, "哪种氧化物是蓝色的？\n（A）锡\n（B）钴\n→\n", "A=锡 B=钴"},
		{"a case", Plaintext, "A potter of 60 coughs. He worked without a mask. What is likely?\nA. asthma\nB. silicosis\n→\n", "A=asthma B=silicosis"},
		{"plain text", Plaintext, "Which oxide is blue?\n  A. tin\n  B. cobalt ✔\n→\n", "A=tin B=cobalt"},
		{"org", Org, "* Which oxide is blue?\n- A. tin\n- B. cobalt\n→\n\nMore.", "A=tin B=cobalt"},
		{"org letters", Org, "Which oxide is blue?\n\nA) tin\nB) /cobalt/\n→\n", "A=tin B=cobalt"},
		{"rst", RST, "Which oxide is blue?\n\nA. tin\nB. ``cobalt``\n→\n", "A=tin B=cobalt"},
		{"rst items", RST, "Which oxide is blue?\n\n- (A) tin\n- (B) cobalt\n→\n", "A=tin B=cobalt"},
		{"typst", Typst, "Which oxide is blue?\n- A. tin\n- B. *cobalt*\n→\n", "A=tin B=cobalt"},
		{"typst breaks", Typst, "Which oxide is blue? \\\nA. tin \\\nB. cobalt\n→\n", "A=tin B=cobalt"},
		{"asciidoc", AsciiDoc, "Which oxide is blue?\n\nA. tin\nB. cobalt\n→\n", "A=tin B=cobalt"},
		{"asciidoc breaks", AsciiDoc, "Which oxide is blue?\nA. tin +\nB. cobalt\n→\n", "A=tin B=cobalt"},
		{"asciidoc's own", AsciiDoc, "Which oxide is blue?\n\n[upperalpha]\n. tin\n. cobalt\n→\n", "A=tin B=cobalt"},
		{"latex items", Latex, "Which oxide is blue?\n\\begin{itemize}\n  \\item[A.] tin\n  \\item[(B)] \\emph{cobalt}\n\\end{itemize}\n→\nMore.", "A=tin B=cobalt"},
		{"latex letters", Latex, "Which oxide is blue?\n\\begin{enumerate}[label=\\Alph*.]\n\\item tin\n\\item cobalt\n\\end{enumerate}\n→\n", "A=tin B=cobalt"},
		{"latex exam", Latex, "Which oxide is blue?\n\\begin{choices}\n\\choice tin\n\\CorrectChoice cobalt\n\\end{choices}\n→\n", "A=tin B=cobalt"},
		{"latex lines", Latex, "Which oxide is blue?\\\\\nA. tin\\\\\nB. cobalt\n→\n", "A=tin B=cobalt"},

		{"one letter", Markdown, "Which oxide is blue?\n→\nA. tin\n", ""},
		{"no A", Markdown, "Which oxide is blue?\n→\nB. tin\nC. cobalt\n", ""},
		{"not in a row", Markdown, "Which oxide is blue?\n→\nA. tin\nC. cobalt\n", ""},
		{"a list", Markdown, "Which oxides are there?\n- tin\n- cobalt→\n", ""},
		{"numbers", Markdown, "Which oxides are there?\n1. tin\n2. cobalt→\n", ""},
		{"a dialogue", Markdown, "What do you call long?\n→\nA: Since the soup ran out.\nB: Then yes.\n", ""},
		{"questions below", Markdown, "What do we ask?\n→\na) Who pays?\nb) Who asks?\n", ""},
		{"far below", Markdown, "Which oxide is blue?\n→\n\n\nA. tin\nB. cobalt\n", ""},
		{"below text", Markdown, "Which oxide is blue?\n→\nIt is said to be one of two.\nA. tin\nB. cobalt\n", ""},
		{"quoted", Markdown, "Which oxide is blue?\n→\n> A. tin\n> B. cobalt\n", ""},
		{"code", Markdown, "Which oxide is blue?\n→\n```\nA. tin\nB. cobalt\n```\n", ""},
		{"names", Markdown, "Who came?\n→\nA. Clay came at noon.\nThen all left.\n", ""},
		{"an answer between", Markdown, "Which oxide is blue?\n→\n<!-- lacuna:answer 00 -->\n\n**x**\n\n<!-- lacuna:end -->\n\nA. tin\nB. cobalt\n", ""},
		{"latex numbers", Latex, "Which oxides are there?\n→\n\\begin{enumerate}\n\\item tin\n\\item cobalt\n\\end{enumerate}\n", ""},
		{"asciidoc numbers", AsciiDoc, "Which oxides are there?\n→\n\n. tin\n. cobalt\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, found := strings.Cut(c.text, "→")
			before = strings.TrimRight(before, " ")
			text := before + strings.TrimPrefix(after, "\n")
			if !found {
				t.Fatal("no arrow")
			}
			n := Parse(text, c.language)
			if len(n.Questions) == 0 {
				if c.want != "" {
					t.Fatal("no question")
				}
				return
			}
			q := n.Questions[0]
			var got []string
			for _, o := range q.Options {
				got = append(got, o.Letter+"="+o.Text)
			}
			if said := strings.Join(got, " "); said != c.want {
				t.Errorf("options %q, want %q", said, c.want)
			}
			if c.name == "an answer between" {
				return
			}
			if at := n.Write(q, block("x")).Span.Start; at != len(strings.TrimRight(before, "\n")) {
				t.Errorf("the answer goes behind %q", text[:at])
			}
			if len(n.Questions) > 1 && c.want != "" {
				t.Errorf("an option is taken for a question: %q", n.Questions[1].Text)
			}
		})
	}
}

// TestACaseIsPartOfTheQuestion holds that a question with options is its whole paragraph, and one without its question
// alone; and that its identity changes with its options.
func TestACaseIsPartOfTheQuestion(t *testing.T) {
	vignette := "A potter of 60 coughs. What is likely?"
	with := Parse(vignette+"\nA. asthma\nB. silicosis\n", Markdown).Questions[0]
	if with.Text != vignette {
		t.Errorf("with options it asks %q", with.Text)
	}
	if without := Parse(vignette+"\n", Markdown).Questions[0]; without.Text != "What is likely?" {
		t.Errorf("without options it asks %q", without.Text)
	}
	if other := Parse(vignette+"\nA. asthma\nB. gout\n", Markdown).Questions[0]; other.ID == with.ID || other.Asked() == with.Asked() {
		t.Error("other options make no other question")
	}
	if with.Asked() != vignette+"\nA. asthma\nB. silicosis" {
		t.Errorf("asked %q", with.Asked())
	}
}
