package note

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// questions returns the texts of the questions in a note.
func questions(n *Note) []string {
	texts := []string{}
	for _, q := range n.Questions {
		texts = append(texts, q.Text)
	}
	return texts
}

func TestQuestions(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a line", "What is gout?", []string{"What is gout?"}},
		{"no question", "Gout is painful.", []string{}},
		{"list items", "- What is gout?\n* And asthma?\n3. Is it safe?\n", []string{"What is gout?", "And asthma?", "Is it safe?"}},
		{"check boxes", "- [ ] What is gout?\n- [x] And asthma?\n", []string{"What is gout?", "And asthma?"}},
		{"heading", "## What is gout? ##\n\nText.", []string{"What is gout?"}},
		{"underlined heading", "What is gout?\n=====\n", []string{"What is gout?"}},
		{"Q:", "Q: How is gout treated\nA: With rest.", []string{"How is gout treated"}},
		{"Question:, bold", "**Question:** does it pass", []string{"does it pass"}},
		{"Q: wrapped", "Q: What is the dose of\nmetformin?\n", []string{"What is the dose of metformin?"}},
		{"asked for", "<!-- lacuna: ask -->\nThe dose of metformin\nin old age.\n\nNot this.", []string{"The dose of metformin in old age."}},
		{"emphasis and code", "- **What is `HbA1c`?** \n- *Is it high?*", []string{"What is HbA1c?", "Is it high?"}},
		{"snake_case stays", "What is a_b in _old_ tests?", []string{"What is a_b in old tests?"}},
		{"link", "What does [this page](https://example.org/a?b) say?", []string{"What does this page say?"}},
		{"address", "See https://example.org/search?", []string{}},
		{"comment behind", "What is gout? <!-- ask again -->", []string{"What is gout?"}},
		{"statement before", "She is 71. Is metformin safe?", []string{"Is metformin safe?"}},
		{"two on a line", "Old. Is it safe? In which dose?", []string{"Is it safe? In which dose?"}},
		{"question before the end", "Is it safe? It is.", []string{"Is it safe?"}},
		{"soft wrap", "What is the usual dose of metformin for\nadults with a low eGFR?", []string{"What is the usual dose of metformin for adults with a low eGFR?"}},
		{"line above is another thought", "Her list\nWhat is the dose?", []string{"What is the dose?"}},
		{"line above is a sentence", "She would like to try a herbal remedy for low mood.\nCan it be taken?", []string{"Can it be taken?"}},
		{"Chinese", "糖尿病有哪些症状？", []string{"糖尿病有哪些症状？"}},
		{"several marks", "Really??", []string{"Really??"}},
		{"only marks", "???\n- ?", []string{}},
		{"code", "```\nis this code?\n```\n~~~~\nand this?\n~~~\nstill?\n~~~~\n", []string{}},
		{"indented code", "Text\n\n    is this code?\n", []string{}},
		{"nested list is no code", "- a\n\n    - is this asked?\n", []string{"is this asked?"}},
		{"block quote", "> Is this quoted?", []string{}},
		{"table", "| Is this the head? | b |\n|---|---|\n| Is this asked? | no |\n| what about this? | ? |", []string{"Is this asked?", "what about this?"}},
		{"comment", "<!-- why? -->\n<!--\nwhy not?\n-->", []string{"why?"}},
		{"comment behind a statement", "It takes an hour. <!-- can it be faster? -->", []string{"can it be faster?"}},
		{"callout", "> [!question]- Is a rise of 30 % safe?\n> - Does it pass?\n> It may.\n\n> Is this quoted?", []string{"Is a rise of 30 % safe?", "Does it pass?"}},
		{"tags and block ids", "- [ ] hold it at K 5.3? #ask/pharmacy ^hf-k\n- #todo is it so? [[Later]]", []string{"hold it at K 5.3?", "is it so?"}},
		{"highlight", "==Should it be swapped?== (so the fellow)", []string{"Should it be swapped?"}},
		{"remark", "How long on it? (the fellow said 3 months?)\nIs it safe? %%ask%%", []string{"How long on it?", "Is it safe?"}},
		{"several on a line", "What is the dose? How long is it given? In which form?", []string{"What is the dose?", "How long is it given? In which form?"}},
		{"several, one with a reply", "Is it safe in old age? Yes. When is it stopped?", []string{"Is it safe in old age?", "When is it stopped?"}},
		{"doubt is no reply", "Is it safe? Nobody was sure.", []string{"Is it safe?"}},
		{"behind an arrow or a time", "amoxicillin -> when to step down?\n\n09:30 Is the fan on?", []string{"when to step down?", "Is the fan on?"}},
		{"wiki links", "Does [[Gout#Dose|the dose]] hold for [[Old age]]? ![[What?]] [[Why so?]]", []string{"Does the dose hold for Old age?"}},
		{"quoted words", "She asked \"is it so?\" and left.", []string{}},
		{"states of tasks", "- [/] Is it done?\n- [>] And that?", []string{"Is it done?", "And that?"}},
		{"properties", "- Is it safe?\n  id:: 64f0\n  collapsed:: why?", []string{"Is it safe?"}},
		{"front matter", "---\ntitle: What is gout?\nwhy?\n---\nWhat is it?", []string{"What is it?"}},
		{"thematic break", "---\nWhat is it?", []string{"What is it?"}},
		{"off and on", "Is it a?\n<!-- lacuna: off -->\nIs it b?\n<!-- lacuna: on -->\nIs it c?", []string{"Is it a?", "Is it c?"}},
		{"skip", "<!-- lacuna: skip -->\nIs it a?\n\nIs it b?", []string{"Is it b?"}},
		{"skip one of a paragraph", "<!-- lacuna: skip -->\nWell. Is it a?\nIs it b?", []string{"Is it b?"}},
		{"skip a list item", "<!-- lacuna: skip -->\n\n- Is it a?\n- Is it b?", []string{"Is it b?"}},
		{"skip a heading", "<!-- lacuna: skip -->\n# Is it a?\nIs it b?", []string{"Is it b?"}},
		{"skip only what is next", "<!-- lacuna: skip -->\nText.\n\nIs it b?", []string{"Is it b?"}},
		{"skip what is no text", "<!-- lacuna: skip -->\n> Quoted.\n\nIs it b?", []string{"Is it b?"}},
		{"line ends", "Is it a?\r\nIs it b?\rIs it c?\n", []string{"Is it a?", "Is it b?", "Is it c?"}},
		{"bad bytes", "Is \xff it?", []string{"Is \ufffd it?"}},
		{"list item over two lines", "- What is the dose of\n  metformin?\n- x", []string{"What is the dose of metformin?"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, questions(Parse(test.text, Markdown))); diff != "" {
				t.Errorf("questions of %q (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	tests := []struct {
		languageID, path string
		known            bool
		language         Language
	}{
		{"markdown", "/x.md", true, Markdown},
		{"Markdown", "", true, Markdown},
		{"gfm", "", true, Markdown},
		{"plaintext", "/x", true, Plaintext},
		{"plaintext", "/x.md", true, Plaintext},
		{"", "/x.MD", true, Markdown},
		{"", "/x.qmd", true, Markdown},
		{"plaintext", "/x.qmd", true, Markdown},
		{"plaintext", "/x.Rmd", true, Markdown},
		{"org", "/x", true, Org},
		{"", "/x.org", true, Org},
		{"latex", "/x", true, Latex},
		{"", "/x.tex", true, Latex},
		{"restructuredtext", "/x", true, RST},
		{"", "/x.rst", true, RST},
		{"asciidoc", "/x", true, AsciiDoc},
		{"", "/x.adoc", true, AsciiDoc},
		{"typst", "/x", true, Typst},
		{"", "/x.typ", true, Typst},
		{"", "/x.go", false, Plaintext},
		{"", "/x", false, Plaintext},
		{"go", "/x.md", false, Markdown},
		{"git-commit", "/COMMIT_EDITMSG", false, Plaintext},
	}
	for _, tt := range tests {
		if got := Known(tt.languageID, tt.path); got != tt.known {
			t.Errorf("Known(%q, %q) = %v", tt.languageID, tt.path, got)
		}
		if got := LanguageOf(tt.languageID, tt.path); got != tt.language {
			t.Errorf("LanguageOf(%q, %q) = %s", tt.languageID, tt.path, got)
		}
	}
}

func TestPlainTextHasNoMarkup(t *testing.T) {
	n := Parse("---\nWhat is it?\n---\n# is this asked?\n", Plaintext)
	if diff := cmp.Diff([]string{"What is it?", "# is this asked?"}, questions(n)); diff != "" {
		t.Error(diff)
	}
}

func TestSpanIsTheQuestionAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"- **What is it?**  ": "**What is it?**",
		"Old. Is it safe?":    "Is it safe?",
		"Q: what now":         "what now",
		"It is the one drug that I have asked for. Is it\nsafe?": "Is it\nsafe?",
	} {
		n := Parse(text, Markdown)
		if len(n.Questions) != 1 {
			t.Fatalf("%q has %d questions", text, len(n.Questions))
		}
		span := n.Questions[0].Span
		if got := text[span.Start:span.End]; got != want {
			t.Errorf("span of the question in %q is %q, want %q", text, got, want)
		}
	}
}

func TestPrivate(t *testing.T) {
	for text, want := range map[string]bool{
		"---\nlacuna: private\n---\n":     true,
		"---\nLacuna: \"private\"\n...\n": true,
		"---\nlacuna: public\n---\n":      false,
		"lacuna: private\n":               true,
		"---\nlacuna: private\n":          true,
		"+++\nlacuna = 'private'\n+++\n":  true,
		"<!-- lacuna: private -->\n":      true,
		"Is `lacuna: private` read?\n":    false,
	} {
		if got := Parse(text, Markdown).Private; got != want {
			t.Errorf("%q private = %v", text, got)
		}
	}
}

func TestIdentitySurvivesEditsElsewhere(t *testing.T) {
	before := Parse("What is gout?\nIs it safe?\nIs it safe?\n", Markdown)
	after := Parse("# New\n\n- what is **gout**?\n\nText.\n\nIs  it safe?\nIs it safe?\n", Markdown)
	for i := range before.Questions {
		if before.Questions[i].ID != after.Questions[i].ID {
			t.Errorf("question %d: %s became %s", i, before.Questions[i].ID, after.Questions[i].ID)
		}
	}
	if before.Questions[1].ID == before.Questions[2].ID {
		t.Error("equal questions share an identity")
	}
}

func TestQuestionAt(t *testing.T) {
	text := "Intro.\n- What is gout?\n"
	n := Parse(text, Markdown)
	answered := apply(text, n.Write(n.Questions[0], block("Gout hurts.")))
	n = Parse(answered, Markdown)
	for at := range answered {
		_, ok := n.QuestionAt(at)
		want := at >= strings.Index(answered, "- What") && at != strings.Index(answered, "gout?\n\n")+len("gout?\n") && at < len(answered)
		if ok != want {
			t.Errorf("offset %d (%q): question %v", at, answered[at:], ok)
		}
	}
}

var someID = passage.IDOf("Gout hurts.")

func block(text string) Block {
	return Block{
		Status:  "Answered from 1 source",
		Bullets: []Bullet{{Text: text, Citations: []int{1}}},
		Sources: []BlockSource{{N: 1, Passage: someID, Label: "gout.md:3", Path: "kb/gout.md", Line: 3}},
	}
}

func apply(text string, e Edit) string {
	return text[:e.Span.Start] + e.NewText + text[e.Span.End:]
}

func TestWrite(t *testing.T) {
	id := someID.String()
	tests := []struct {
		name     string
		language Language
		text     string
		want     string
	}{
		{"end of file", Markdown, "What is gout?",
			"What is gout?\n\n<!-- lacuna:answer 4f0b -->\n**Answered from 1 source**\n\n- \"Gout hurts.\" [1]\n\n" +
				"1. [gout.md:3](kb/gout.md#L3) <!-- lacuna:cite " + id + " -->\n<!-- lacuna:end -->"},
		{"list item", Markdown, "1. What is gout?\r\n2. x\r\n",
			"1. What is gout?\r\n\r\n   <!-- lacuna:answer 4f0b -->\r\n   **Answered from 1 source**\r\n\r\n   - \"Gout hurts.\" [1]\r\n\r\n" +
				"   1. [gout.md:3](kb/gout.md#L3) <!-- lacuna:cite " + id + " -->\r\n   <!-- lacuna:end -->\r\n2. x\r\n"},
		{"underlined heading", Markdown, "What is gout?\n---\nText.",
			"What is gout?\n---\n\n<!-- lacuna:answer 4f0b -->\n**Answered from 1 source**\n\n- \"Gout hurts.\" [1]\n\n" +
				"1. [gout.md:3](kb/gout.md#L3) <!-- lacuna:cite " + id + " -->\n<!-- lacuna:end -->\nText."},
		{"asked for below a list", Markdown, "- x\n\n<!-- lacuna: ask -->\nThe dose",
			"- x\n\n<!-- lacuna: ask -->\nThe dose\n\n<!-- lacuna:answer 4f0b -->\n**Answered from 1 source**\n\n- \"Gout hurts.\" [1]\n\n" +
				"1. [gout.md:3](kb/gout.md#L3) <!-- lacuna:cite " + id + " -->\n<!-- lacuna:end -->"},
		{"plain text", Plaintext, "What is gout?\nMore.\n",
			"What is gout?\n\n--- lacuna answer 4f0b ---\nAnswered from 1 source\n\n- \"Gout hurts.\" [1]\n\n" +
				"1. kb/gout.md:3 (lacuna " + id + ")\n--- end of lacuna answer ---\nMore.\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := Parse(test.text, test.language)
			want := strings.ReplaceAll(test.want, "4f0b", string(n.Questions[0].ID))
			got := apply(test.text, n.Write(n.Questions[0], block("Gout hurts.")))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestForgiving reads blocks that people have edited.
func TestForgiving(t *testing.T) {
	n := Parse("What is gout?\n", Markdown)
	whole := apply(n.Text, n.Write(n.Questions[0], block("Gout hurts.")))
	id := someID.String()
	tests := []struct {
		name, old, new  string
		marks, sources  int
		below, notBelow string // what lies behind the block, and what does not
	}{
		{"as written", "", "", 1, 1, "", "lacuna"},
		{"end marker lost", "<!-- lacuna:end -->\n", "\nMine.\n", 1, 1, "Mine.", "lacuna"},
		{"statement deleted", "- \"Gout hurts.\" [1]\n", "", 0, 1, "", "lacuna"},
		{"source deleted", "1. [gout.md:3](kb/gout.md#L3) <!-- lacuna:cite " + id + " -->\n", "", 1, 0, "", "lacuna"},
		{"remark added inside", "**Answered from 1 source**\n", "**Answered from 1 source**\n\nI agree.\n", 1, 1, "", "agree"},
		{"source in brackets", "(kb/gout.md#L3)", "(<kb/gout.md#L3>)", 1, 1, "", "lacuna"},
		{"another name for the source", "[gout.md:3]", "[my [best] source]", 1, 1, "", "lacuna"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(whole, test.old, test.new, 1)
			n := Parse(text, Markdown)
			if len(n.Questions) != 1 || n.Questions[0].Answer != 0 || len(n.Answers) != 1 {
				t.Fatalf("%d questions, %d answers in\n%s", len(n.Questions), len(n.Answers), text)
			}
			a := n.Answers[0]
			if len(a.Marks) != test.marks || len(a.Citations) != test.sources {
				t.Errorf("%d marks, %d sources in\n%s", len(a.Marks), len(a.Citations), text)
			}
			behind := text[a.Span.End:]
			if !strings.Contains(behind, test.below) || strings.Contains(behind, test.notBelow) {
				t.Errorf("behind the block: %q", behind)
			}
		})
	}
}

func TestCitationAt(t *testing.T) {
	n := Parse("What is gout?\n", Markdown)
	text := apply(n.Text, n.Write(n.Questions[0], block("Gout hurts.")))
	n = Parse(text, Markdown)
	for _, mark := range []string{"[1]", "1. [gout"} {
		c, quote, _, ok := n.CitationAt(strings.Index(text, mark) + 1)
		if !ok || c.Passage != someID || quote != "Gout hurts." || c.Path != "kb/gout.md" || c.Line != 3 {
			t.Errorf("at %q: %+v %q %v", mark, c, quote, ok)
		}
	}
	if _, _, _, ok := n.CitationAt(0); ok {
		t.Error("a citation in the question")
	}
}

// TestQuotesCannotBreakOut writes what a hostile source might say.
func TestQuotesCannotBreakOut(t *testing.T) {
	for _, quote := range []string{
		"a <!-- lacuna:end --> b", "x\n<!-- lacuna:end -->\n# y", "![pixel](http://example.org/p.png)",
		"[go](command:run)", "<img src=x>", `say "so" [1] and "that" [2]`, `back\slash \< \![ ]\(`, "--- end of lacuna answer ---",
		"eGFR < 30 <![x](y)", `\\<![a`, "a <b> <<c>", `<!\[x]\\(y)`,
	} {
		for _, language := range languages {
			n := Parse("What is gout?\n", language)
			text := apply(n.Text, n.Write(n.Questions[0], block(quote)))
			n = Parse(text, language)
			if len(n.Answers) != 1 || len(n.Answers[0].Marks) != 1 || n.Answers[0].Marks[0].Quote != plaintext.OneLine(quote) {
				t.Errorf("%s, %q reads back as %+v\n%s", language, quote, n.Answers, text)
				continue
			}
			if behind := text[n.Answers[0].Span.End:]; behind != "\n" {
				t.Errorf("%s, %q leaves %q behind", language, quote, behind)
			}
			if language == Markdown {
				for _, active := range []string{"](http", "](command", " <img", "\"<img", "![pixel"} {
					if strings.Contains(text, active) {
						t.Errorf("%q survives in\n%s", active, text)
					}
				}
			}
		}
	}
}

func TestComparisonsStayReadable(t *testing.T) {
	n := Parse("When?", Markdown)
	if got := n.Write(n.Questions[0], block("Avoid it when the eGFR is < 30.")).NewText; !strings.Contains(got, "is < 30.") {
		t.Error(got)
	}
}

func TestPathsReadBack(t *testing.T) {
	tests := []struct{ path, markdown, plaintext string }{
		{"kb/gout.md", "(kb/gout.md#L3)", "kb/gout.md:3"},
		{"kb/über 痛风.md", "(<kb/über 痛风.md#L3>)", "kb/über 痛风.md:3"},
		{"a (1).md", "(<a (1).md#L3>)", "a (1).md:3"},
		{"0](", "(<0%5D(#L3>)", "0](:3"},
		{"<100%#?>.md", "(%3C100%25%23%3F%3E.md#L3)", "<100%25#?>.md:3"},
		{"javascript:alert.md", "(javascript%3Aalert.md#L3)", "javascript:alert.md:3"},
		{"a&amp;b.md", "(a%26amp;b.md#L3)", "a&amp;b.md:3"},
		{" a  b\t.md", "(%20a%20%20b%09.md#L3)", "%20a%20 b%09.md:3"},
		{"a\xff\u202e.md", "(a%FF%E2%80%AE.md#L3)", "a%FF%E2%80%AE.md:3"},
	}
	for _, test := range tests {
		for language, want := range map[Language]string{Markdown: "1. [gout.md:3]" + test.markdown + " ", Plaintext: "1. " + test.plaintext + " "} {
			n := Parse("What is gout?\n", language)
			b := block("Gout hurts.")
			b.Sources[0].Path = test.path
			text := apply(n.Text, n.Write(n.Questions[0], b))
			if !strings.Contains(text, want) {
				t.Errorf("%q: no %q in\n%s", test.path, want, text)
			}
			read := Parse(text, language).Answers[0].Citations
			if len(read) != 1 || read[0].Path != test.path || read[0].Line != 3 {
				t.Errorf("%q reads back as %+v from\n%s", test.path, read, text)
			}
		}
	}
	for _, written := range []string{"100%.md", "50% off"} {
		if got := unescapePath(written); got != written {
			t.Errorf("%q was read as %q", written, got)
		}
	}
}

// FuzzWriteAndRemove proves that an answer can be put into any note, read back, replaced by itself
// and taken out again without a trace.
func FuzzWriteAndRemove(f *testing.F) {
	f.Add("# T\n\n- What is gout?\n  more\n", "Gout hurts.", "lead", "kb/a (1).md", byte(0))
	f.Add("Q: a\r\n\r\n\r\n> b?", `"x" [2]`, `a) "b`, "a#b%.md", byte(1))
	f.Add("What?\n\n<!-- lacuna:answer 00 -->\n**x**\n- \"a\" [1]\n\nIs it?\n<!-- lacuna:end -->\nWhy?", "<b", "", "x", byte(0))
	f.Add("--- lacuna answer 0a-2 ---\n1. a:1 (lacuna 00)\nWhy?\n\nQ: a\n", "y", "z", "x", byte(1))
	f.Add("Q: a\n0) b", "x", "", "y", byte(1))
	f.Add("- Q: a\n# b", "x", "", "y", byte(0))
	f.Add("0?", "0", "", "0](", byte(0))
	f.Add("0?", "0", "", " a  b\t\xff\u202e%20?x&amp;\\#L1:(2) ", byte(0))
	f.Add("Which?\n\n- A. tin\n- B. cobalt\n\nMore", "Gout hurts.", "", "x", byte(0))
	f.Add("- Which?\n  a) tin\n  b) cobalt", "Gout hurts.", "", "x", byte(1))
	for i := range languages {
		f.Add("0?", "0", "", " a  b\t\xff\u202e%20?x&amp;\\#L1:(2) ", byte(i))
		f.Add("0?", `x) "y" [1]`, "a) ``b", "0]]%20{}`<>__", byte(i))
	}
	f.Fuzz(func(t *testing.T, text, quote, lead, path string, kind byte) {
		language := languages[int(kind)%len(languages)]
		n := Parse(text, language)
		checkSpans(t, n)
		quote = plaintext.OneLine(strings.ToValidUTF8(quote, ""))
		if quote == "" || path == "" {
			return
		}
		b := block(quote)
		b.Bullets[0].Lead, b.Sources[0].Path = strings.ToValidUTF8(lead, ""), path
		for i, q := range n.Questions {
			if q.Answer >= 0 {
				continue
			}
			written := apply(text, n.Write(q, b))
			after := Parse(written, language)
			checkSpans(t, after)
			// Its number may change: whether "wer" above it is a question is judged by the whole note, which has an answer now.
			at := slices.IndexFunc(after.Questions, func(other Question) bool { return other.ID == q.ID })
			if at < 0 || after.Questions[at].Answer < 0 {
				t.Fatalf("question %d of %q is lost in %q", i, text, written)
			}
			again := after.Questions[at]
			a := after.Answers[again.Answer]
			if len(a.Marks) != 1 || a.Marks[0].Quote != quote || len(a.Citations) != 1 || a.Citations[0].Path != path || a.Citations[0].Passage != someID {
				t.Fatalf("block reads back as %+v, wrote %+v in\n%s", a, b, written)
			}
			if twice := apply(written, after.Write(again, b)); twice != written {
				t.Fatalf("writing twice:\n%q\nwriting once:\n%q", twice, written)
			}
			if back := apply(written, after.Remove(again)); back != text {
				t.Fatalf("removed:\n%q\nbefore:\n%q", back, text)
			}
		}
	})
}

func checkSpans(t *testing.T, n *Note) {
	t.Helper()
	end := 0
	for _, q := range n.Questions {
		if q.Span.Start < end || q.Span.End < q.Span.Start || q.Span.End > len(n.Text) || q.Answer >= len(n.Answers) {
			t.Fatalf("question %+v in a text of %d bytes after %d", q, len(n.Text), end)
		}
		end = q.Span.End
	}
	end = 0
	for _, a := range n.Answers {
		if a.Span.Start < end || a.Span.End <= a.Span.Start || a.Span.End > len(n.Text) {
			t.Fatalf("answer %+v in a text of %d bytes after %d", a, len(n.Text), end)
		}
		end = a.Span.End
	}
}

// longNote is a note of ten thousand lines and a hundred questions, about one megabyte.
func longNote() string {
	var b strings.Builder
	for i := range 10_000 {
		switch {
		case i%100 == 0:
			b.WriteString("- What is the usual dose of metformin in adults with type 2 diabetes?\n")
		case i%10 == 5:
			b.WriteString("\n")
		default:
			b.WriteString(strings.Repeat("She takes metformin twice a day with meals. ", 3) + "\n")
		}
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := longNote()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(text, Markdown)
	}
}
