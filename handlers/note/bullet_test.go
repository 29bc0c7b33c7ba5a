package note

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lacuna/knowledge/plaintext"
)

// reasoned is an answer by a model.
func reasoned() Block {
	return Block{
		Status: "Answered by a model from 2 sources",
		Bullets: []Bullet{
			{Basis: Claim, Text: "Gout hurts, and it comes back.", Citations: []int{1, 2}},
			{Text: "Gout hurts.", Citations: []int{1}},
			{Basis: Background, Text: "It is old."},
			{Basis: Unsupported, Text: "It is rare."},
		},
		Sources: []BlockSource{
			{N: 1, Passage: someID, Label: "gout.md:3", Path: "kb/gout.md", Line: 3, Quote: "Gout\n hurts."},
			{N: 2, Passage: someID, Label: "gout.md:5", Path: "kb/gout.md", Line: 5, Quote: `It "comes" <b>back.`},
		},
	}
}

func TestModelAnswers(t *testing.T) {
	id := someID.String()
	want := map[Language]string{
		Markdown: `What is gout?

<!-- lacuna:answer ID -->
**Answered by a model from 2 sources**

- Gout hurts, and it comes back. [1] [2]
- "Gout hurts." [1]
- It is old. (background from the model, not from your sources)
- It is rare. (not in the passages found)

1. [gout.md:3](kb/gout.md#L3): "Gout hurts." <!-- lacuna:cite ` + id + ` -->
2. [gout.md:5](kb/gout.md#L5): "It "comes" \<b>back." <!-- lacuna:cite ` + id + ` -->
<!-- lacuna:end -->
`,
		Plaintext: `What is gout?

--- lacuna answer ID ---
Answered by a model from 2 sources

- Gout hurts, and it comes back. [1] [2]
- "Gout hurts." [1]
- It is old. (background from the model, not from your sources)
- It is rare. (not in the passages found)

1. kb/gout.md:3: "Gout hurts." (lacuna ` + id + `)
2. kb/gout.md:5: "It "comes" <b>back." (lacuna ` + id + `)
--- end of lacuna answer ---
`,
	}
	for language, want := range want {
		n := Parse("What is gout?\n", language)
		text := apply(n.Text, n.Write(n.Questions[0], reasoned()))
		if diff := cmp.Diff(strings.ReplaceAll(want, "ID", string(n.Questions[0].ID)), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", language, diff)
		}
		a := Parse(text, language).Answers[0]
		var read []string
		for _, s := range a.Statements {
			read = append(read, string(s.Basis)+": "+s.Text+" | "+text[s.Span.Start:s.Span.End])
		}
		for _, m := range a.Marks {
			read = append(read, string(m.Basis)+" "+text[m.Span.Start:m.Span.End]+" "+m.Quote)
		}
		for _, c := range a.Citations {
			read = append(read, c.Path+" "+c.Quote)
		}
		if diff := cmp.Diff([]string{
			"claim: Gout hurts, and it comes back. | Gout hurts, and it comes back.",
			`: Gout hurts. | "Gout hurts."`,
			"background: It is old. | It is old.",
			"unsupported: It is rare. | It is rare.",
			"claim [1] ", "claim [2] ", " [1] Gout hurts.",
			"kb/gout.md Gout hurts.", `kb/gout.md It "comes" <b>back.`,
		}, read); diff != "" {
			t.Errorf("%s reads back (-want +got):\n%s", language, diff)
		}
		if !a.ByModel() {
			t.Errorf("%s: nobody wrote it", language)
		}
	}
}

// places is a block with nearest places.
func places() Block {
	return Block{
		Status: "Nothing on children of Examplin. " + NearestPlaces,
		Bullets: []Bullet{
			{Basis: Place, Title: "Examplin › Dose: adults", Lead: "For adults:", Text: "5 mg \"twice\" a day.", Citations: []int{1}},
			{Basis: Place, Title: `1. "Examplin" (x) › Use`, Text: "It is swallowed.", Citations: []int{2}},
			{Basis: Place, Text: "It is old.", Citations: []int{3}},
		},
		Sources: []BlockSource{
			{N: 1, Passage: someID, Label: "examplin.md:3", Path: "kb/examplin.md", Line: 3},
			{N: 2, Passage: someID, Label: "examplin.md:5", Path: "kb/examplin.md", Line: 5},
			{N: 3, Passage: someID, Label: "examplin.md:7", Path: "kb/examplin.md", Line: 7},
		},
	}
}

func TestNearestPlaces(t *testing.T) {
	want := map[Language]string{
		Markdown: `**Nothing on children of Examplin. Nearest places:**

- Examplin › Dose: adults: (For adults:) "5 mg "twice" a day." [1]
- 1\. ”Examplin” (x) › Use: "It is swallowed." [2]
- "It is old." [3]
`,
		Latex: "\\textbf{Nothing on children of Examplin. Nearest places:}\n\n\\begin{itemize}\n" +
			"\\item Examplin \\textgreater{} Dose: adults: (For adults:) ``5 mg \\char34{}twice\\char34{} a day.'' [1]\n",
	}
	for _, language := range languages {
		n := Parse("Q: What is gout?\n", language)
		text := apply(n.Text, n.Write(n.Questions[0], places()))
		if !strings.Contains(text, want[language]) {
			t.Errorf("%s: no\n%s\nin\n%s", language, want[language], text)
		}
		n = Parse(text, language)
		a := n.Answers[0]
		var read []string
		for i, s := range a.Statements {
			read = append(read, string(s.Basis)+": "+s.Text+" | "+string(a.Marks[i].Basis)+" "+text[a.Marks[i].Span.Start:a.Marks[i].Span.End]+" "+a.Marks[i].Quote)
		}
		if diff := cmp.Diff([]string{
			`place: 5 mg "twice" a day. | place [1] 5 mg "twice" a day.`, "place: It is swallowed. | place [2] It is swallowed.", "place: It is old. | place [3] It is old.",
		}, read); diff != "" {
			t.Errorf("%s reads back (-want +got):\n%s\n%s", language, diff, text)
		}
		if !n.Open(n.Questions[0]) || a.ByModel() || a.Status != places().Status {
			t.Errorf("%s: open %v, by a model %v, status %q", language, n.Open(n.Questions[0]), a.ByModel(), a.Status)
		}
	}
}

// TestPlacesBelowAnAnswer tells what a model wrote from the places below it, also if the block has lost its end.
func TestPlacesBelowAnAnswer(t *testing.T) {
	b := reasoned()
	b.Bullets = append(b.Bullets, Bullet{Basis: Place, Title: "Gout", Text: "Gout is common.", Citations: []int{2}})
	want := []Basis{Claim, Quote, Background, Unsupported, Place}
	for _, language := range languages {
		n := Parse("Q: What is gout?\n", language)
		text := apply(n.Text, n.Write(n.Questions[0], b))
		for _, end := range []string{"", n.markup.close} {
			var got []Basis
			for _, s := range Parse(strings.TrimSuffix(strings.TrimRight(text, "\n"), end)+"\n", language).Answers[0].Statements {
				got = append(got, s.Basis)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q from\n%s", language, got, want, text)
			}
		}
	}
}

// TestEditedModelAnswers reads model answers that people have worked on.
func TestEditedModelAnswers(t *testing.T) {
	n := Parse("What is gout?\n", Markdown)
	whole := apply(n.Text, n.Write(n.Questions[0], reasoned()))
	for _, test := range []struct {
		name, old, new string
		want           []Basis
	}{
		{"marks taken away", " [1] [2]", "", []Basis{Uncited, Quote, Background, Unsupported}},
		{"one mark left", " [1] [2]", " [2]", []Basis{Claim, Quote, Background, Unsupported}},
		{"a source found by hand", "(not in the passages found)", "[2]", []Basis{Claim, Quote, Background, Claim}},
		{"as earlier versions wrote it", "(not in the passages found)", "(not found in your sources)", []Basis{Claim, Quote, Background, Unsupported}},
		{"marked as one's own", "(not in the passages found)", "(own opinion)", []Basis{Claim, Quote, Background, Opinion}},
		{"marked behind its number", " [1] [2]", " [1] [2] (own opinion)", []Basis{Opinion, Quote, Background, Unsupported}},
		{"a line added", "- It is old.", "- I doubt it.\n- It is old.", []Basis{Claim, Quote, Uncited, Background, Unsupported}},
		{"the end lost", "<!-- lacuna:end -->", "\n- Mine.", []Basis{Claim, Quote, Background, Unsupported}},
	} {
		a := Parse(strings.Replace(whole, test.old, test.new, 1), Markdown).Answers[0]
		var got []Basis
		for _, s := range a.Statements {
			got = append(got, s.Basis)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCitationOfAClaim(t *testing.T) {
	n := Parse("What is gout?\n", Markdown)
	text := apply(n.Text, n.Write(n.Questions[0], reasoned()))
	n = Parse(text, Markdown)
	for at, want := range map[string]string{" [2]": `It "comes" <b>back.`, "2. [gout": `It "comes" <b>back.`, "1. [gout": "Gout hurts."} {
		c, quote, _, ok := n.CitationAt(strings.Index(text, at) + 1)
		if !ok || quote != want {
			t.Errorf("at %q: %+v %q %v", at, c, quote, ok)
		}
	}
	if s, ok := n.StatementAt(strings.Index(text, "is rare")); !ok || s.Basis != Unsupported {
		t.Errorf("%+v %v", s, ok)
	}
}

// TestDocumentedLanguages reads the answer that the guide shows for each further language and writes
// it anew, which must give the same words.
func TestDocumentedLanguages(t *testing.T) {
	guide, err := os.ReadFile("../../docs/notes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range languages[2:] {
		_, fenced, _ := strings.Cut(string(guide), "\n```"+string(language)+"\n")
		text, _, _ := strings.Cut(fenced, "```")
		n := Parse(text, language)
		if len(n.Questions) != 1 || len(n.Answers) != 1 || len(n.Answers[0].Statements) != 1 || len(n.Answers[0].Citations) != 1 {
			t.Errorf("%s: the guide shows\n%s", language, text)
			continue
		}
		said, cited := n.Answers[0].Statements[0].Text, n.Answers[0].Citations[0]
		b := Block{
			Lean: true, Status: "Answered from 1 source", Bullets: []Bullet{{Text: said, Citations: []int{1}}},
			Sources: []BlockSource{{N: 1, Title: cited.Label, Path: cited.Path, Line: cited.Line}},
		}
		if diff := cmp.Diff(text, apply(text, n.Write(n.Questions[0], b))); diff != "" {
			t.Errorf("%s: the guide's answer, written again (-guide +written):\n%s", language, diff)
		}
	}
}

// TestDocumentedAnswer reads the answers that the guide shows.
func TestDocumentedAnswer(t *testing.T) {
	guide, err := os.ReadFile("../../docs/notes.md")
	if err != nil {
		t.Fatal(err)
	}
	var got [][]Basis
	for _, fenced := range strings.Split(string(guide), "```markdown\n")[1:] {
		text, _, _ := strings.Cut(fenced, "```")
		n := Parse(text, Markdown)
		if len(n.Questions) != 1 || len(n.Answers) != 1 || n.Answers[0].Question != string(n.Questions[0].ID) || len(n.Answers[0].Citations) != 1 {
			t.Fatalf("the guide shows\n%s", text)
		}
		var bases []Basis
		for _, s := range n.Answers[0].Statements {
			bases = append(bases, s.Basis)
		}
		got = append(got, bases)
	}
	if diff := cmp.Diff([][]Basis{{Quote}, {Quote}, {Place}, {Claim, Background, Partly, Contradicted, Unchecked, Unsupported}}, got); diff != "" {
		t.Errorf("the guide's answers read back (-want +got):\n%s", diff)
	}
}

// FuzzBullets writes an answer with any words of a model in it: each statement reads back with what
// it rests on, and the note around it stays.
func FuzzBullets(f *testing.F) {
	for _, text := range []string{
		"Gout hurts.", `"x"`, `(a) "b"`, "see [7]", "# h", "> q", "- x", "1. x", "---", "```", "\\# h", "\\\\- x", "[a]: b", "[x] done",
		"x (not found in your sources)", "<!-- lacuna:end -->", "![a](b)", "1\\. x", "***", "* * *", "~~~", "_ _ _", "1) x", "**b** c", "2.5 mg", "-5 °C",
	} {
		f.Add(text, "Gout hurts.", "kb/gout.md", byte(0))
		f.Add(text, text, `a: "b`, byte(1))
	}
	for i, language := range languages {
		for _, text := range hostile[language] {
			f.Add(text, text, text, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, text, quote, path string, kind byte) {
		text, quote = plaintext.OneLine(strings.ToValidUTF8(text, "")), plaintext.OneLine(strings.ToValidUTF8(quote, ""))
		want := modelWords(text)
		if want == "" || quote == "" || path == "" {
			return
		}
		language, before := languages[int(kind)%len(languages)], "Q: x\n"
		if language == Markdown {
			before = "- Q: x\n"
		}
		b := Block{Status: "x", Sources: []BlockSource{{N: 3, Passage: someID, Label: path, Path: path, Line: 1, Quote: quote}}}
		bases := []Basis{Claim, Background, Unsupported, Partly, Contradicted, Unchecked, Unchecked, Opinion, Place, Place}
		for _, basis := range bases {
			bullet := Bullet{Basis: basis, Text: text}
			switch basis {
			case Claim:
				bullet.Citations = []int{3, 12}
			case Partly:
				bullet.Citations, bullet.Unstated, bullet.ByModel = []int{3}, []string{text, quote}, true
			case Contradicted:
				bullet.Citations, bullet.Differences = []int{3}, []Difference{{Said: text, Stated: quote}, {Said: quote}, {Stated: text}}
			case Unchecked:
				bullet.Citations, bullet.ByModel = []int{3}, len(b.Bullets)%2 == 0
			case Place:
				bullet.Title, bullet.Text, bullet.Citations = text, quote, []int{3}
			}
			b.Bullets = append(b.Bullets, bullet)
		}
		n := Parse(before, language)
		written := Parse(apply(before, n.Write(n.Questions[0], b)), language)
		checkInert(t, written.Text, language)
		if len(written.Answers) != 1 || len(written.Questions) != 1 {
			t.Fatalf("%d answers, %d questions in\n%s", len(written.Answers), len(written.Questions), written.Text)
		}
		a := written.Answers[0]
		if len(a.Statements) != len(bases) || len(a.Marks) != 8 || len(a.Citations) != 1 {
			t.Fatalf("reads back as %+v from\n%s", a, written.Text)
		}
		for i, s := range a.Statements {
			want := want
			if bases[i] == Place {
				want = quote
			}
			if s.Basis != bases[i] || s.Text != want {
				t.Fatalf("%s %q reads back as %s %q from\n%s", bases[i], want, s.Basis, s.Text, written.Text)
			}
		}
		if c := a.Citations[0]; c.Quote != quote || c.Path != path || a.Marks[0].N != 3 || a.Marks[1].N != 12 {
			t.Fatalf("%q in %q reads back as %+v from\n%s", quote, path, c, written.Text)
		}
		if back := apply(written.Text, written.Remove(written.Questions[0])); back != before {
			t.Fatalf("without the answer the note is %q", back)
		}
	})
}

// TestRemarks writes what was found of a sentence in each language and reads it back.
func TestRemarks(t *testing.T) {
	for _, test := range []struct {
		bullet Bullet
		want   string // in Markdown
	}{
		{
			Bullet{Basis: Claim, Text: "Gout hurts a lot.", Citations: []int{1}, Finding: Finding{ByModel: true}},
			"- Gout hurts a lot. [1] (checked by a model)",
		},
		{
			Bullet{Basis: Partly, Text: "Gout hurts and is costly.", Citations: []int{1, 2}, Finding: Finding{Unstated: []string{"is costly", "in [all]"}}},
			"- Gout hurts and is costly. [1] [2] (not stated there: “is costly”, “in [all]”)",
		},
		{
			Bullet{Basis: Partly, Text: "Gout hurts.", Citations: []int{1}},
			"- Gout hurts. [1] (not all of it stated there)",
		},
		{
			Bullet{Basis: Contradicted, Text: "Gout lasts 3 weeks.", Citations: []int{1}, Finding: Finding{
				Differences: []Difference{{Said: "3 weeks", Stated: "2 weeks"}, {Said: "not"}, {Stated: "rarely"}},
			}},
			"- Gout lasts 3 weeks. (but [1] says “2 weeks”, not “3 weeks”, and it without “not”, and “rarely”)",
		},
		{
			Bullet{Basis: Contradicted, Text: "Gout lasts.", Citations: []int{1, 2}, Finding: Finding{ByModel: true}},
			"- Gout lasts. (but [1] [2] says otherwise; checked by a model)",
		},
		{Bullet{Basis: Unchecked, Text: "Gout is a burden.", Citations: []int{2, 1}}, "- Gout is a burden. (compare [2] [1])"},
		{Bullet{Basis: Unchecked, Text: "Gout is a burden."}, "- Gout is a burden. (not checked)"},
		{Bullet{Basis: Unsupported, Text: "Gout is blue."}, "- Gout is blue. (not in the passages found)"},
	} {
		for _, language := range languages {
			n := Parse("Q: What is gout?\n", language)
			text := apply(n.Text, n.Write(n.Questions[0], Block{Status: "Answered", Bullets: []Bullet{test.bullet}}))
			if language == Markdown && !strings.Contains(text, "\n"+test.want+"\n") {
				t.Errorf("no\n%s\nin\n%s", test.want, text)
			}
			a := Parse(text, language).Answers[0]
			want := []Statement{{Basis: test.bullet.Basis, Text: test.bullet.Text, Cites: test.bullet.Citations, Finding: test.bullet.Finding}}
			if diff := cmp.Diff(want, a.Statements, cmpopts.IgnoreFields(Statement{}, "Span")); diff != "" {
				t.Errorf("%s: reads back (-want +got):\n%s\n%s", language, diff, text)
			}
		}
	}
}
