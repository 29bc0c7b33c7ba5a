package passage

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func sentenceTexts(text string, format Format) []string {
	var texts []string
	for _, s := range Sentences(text, format) {
		texts = append(texts, text[s.Start:s.End])
	}
	return texts
}

func TestSentences(t *testing.T) {
	both := []Format{Plain, Markdown}
	plain, markdown := []Format{Plain}, []Format{Markdown}
	tests := []struct {
		name    string
		formats []Format
		text    string
		want    []string
	}{
		{"empty", both, "", nil},
		{"white space and marks only", both, " \n\t...\n - \n", nil},
		{"two sentences", both, "Take it daily. Stop if a rash appears.", []string{"Take it daily.", "Stop if a rash appears."}},
		{"no stop at the end", both, "Take it daily", []string{"Take it daily"}},
		{"question and exclamation", both, "Why? Because! So it is.", []string{"Why?", "Because!", "So it is."}},
		{"lower case goes on", both, "The pH was approx 7. then it fell.", []string{"The pH was approx 7. then it fell."}},
		{"digit opens", both, "It helped. 12 of 40 improved.", []string{"It helped.", "12 of 40 improved."}},
		{"decimal", both, "Give 2.5 mg. Wait.", []string{"Give 2.5 mg.", "Wait."}},
		{"no space, no end", both, "the cells.The next", []string{"the cells.The next"}},
		{"abbreviations", both, "Drugs, e.g. Aspirin, cf. Fig. 3, by Dr. Lee et al. 2003 vs. Placebo help.",
			[]string{"Drugs, e.g. Aspirin, cf. Fig. 3, by Dr. Lee et al. 2003 vs. Placebo help."}},
		{"abbreviation in brackets", both, "It is rare (approx. 3%). It heals.", []string{"It is rare (approx. 3%).", "It heals."}},
		{"month", both, "Seen on Dec. 12 again.", []string{"Seen on Dec. 12 again."}},
		{"number word before a number", both, "See no. 5 here.", []string{"See no. 5 here."}},
		{"number word at the end", both, "The answer is no. Ask again.", []string{"The answer is no.", "Ask again."}},
		{"initial", both, "Described by J. Smith and J.R. Jones in Wales.", []string{"Described by J. Smith and J.R. Jones in Wales."}},
		{"initial beyond ASCII", both, "Nach É. Dupont gilt das.", []string{"Nach É. Dupont gilt das."}},
		{"letter that labels", both, "Take vitamin D. It helps.", []string{"Take vitamin D.", "It helps."}},
		{"organism", both, "Often S. Aureus or E. coli.", []string{"Often S. Aureus or E. coli."}},
		{"closing quote", both, "He said \"Stop.\" Then (he left.) Nothing.", []string{"He said \"Stop.\"", "Then (he left.)", "Nothing."}},
		{"curly quotes", both, "He said “Stop.” Then left.", []string{"He said “Stop.”", "Then left."}},
		{"reference mark", both, "It helps.[12] Others differ.[3,4] End.", []string{"It helps.[12]", "Others differ.[3,4]", "End."}},
		{"bracketed text is no reference", both, "It helps.[sic] Others", []string{"It helps.[sic] Others"}},
		{"ellipsis", both, "And so on... Then it ends.", []string{"And so on...", "Then it ends."}},
		{"numbers in running text", both, "Twice: 1. Take it. 2. Rest well.", []string{"Twice: 1.", "Take it.", "2. Rest well."}},
		{"year at the end", both, "It began in 2019. Then it spread.", []string{"It began in 2019.", "Then it spread."}},
		{"dash opens", both, "Key points. - First point. - Second point.", []string{"Key points.", "First point.", "Second point."}},
		{"Chinese", both, "高血压怎么办？按时服药。注意休息；多喝水！好", []string{"高血压怎么办？", "按时服药。", "注意休息；", "多喝水！", "好"}},
		{"Chinese closing quote", both, "他说“好。”然后走了。", []string{"他说“好。”", "然后走了。"}},
		{"Chinese after a Latin stop", both, "Dose 5 mg. 然后观察。", []string{"Dose 5 mg.", "然后观察。"}},
		{"symbol opens", both, "Values rose. ≥5 is high.", []string{"Values rose.", "≥5 is high."}},
		{"invalid UTF-8", both, "A\xff but. C\xfe.", []string{"A\xff but.", "C\xfe."}},
		{"carriage returns", both, "One.\r\n\r\nTwo.\r\rThree.", []string{"One.", "Two.", "Three."}},

		{"lines of a list", plain, "Symptoms\nFever\nCough\n", []string{"Symptoms", "Fever", "Cough"}},
		{"bullets", plain, "Signs:\n- fever over 39\n• cough\n", []string{"Signs:", "fever over 39", "cough"}},
		{"column of text", plain,
			"The tablets are taken once a day with water, at\nMidday or later. Do not crush them, and do not\nchew.\nSee also: storage",
			[]string{"The tablets are taken once a day with water, at\nMidday or later.", "Do not crush them, and do not\nchew.", "See also: storage"}},
		{"rows of a table", plain, "| A drug of this name | its dose in mg |\n| Another drug of that | its other mg |\n",
			[]string{"| A drug of this name | its dose in mg |", "| Another drug of that | its other mg |"}},
		{"long lines are paragraphs", plain,
			strings.Repeat("word ", 60) + "\nSecond line here", []string{strings.TrimSpace(strings.Repeat("word ", 60)), "Second line here"}},

		{"soft wrap", markdown, "Take the tablet\nOnce a day. Then\nrest.", []string{"Take the tablet\nOnce a day.", "Then\nrest."}},
		{"hard break", markdown, "Dose: 5 mg  \nRoute: oral\\\nDaily", []string{"Dose: 5 mg", "Route: oral\\", "Daily"}},
		{"headings", markdown, "# Dose. And more #\nText here\n\nTitle\n=====\n\nUnder\n---\nMore", []string{"Dose. And more", "Text here", "Title", "Under", "More"}},
		{"list", markdown, "Causes:\n- one thing\n  goes on. And more\n* two\n10) ten\n- [x] done\n",
			[]string{"Causes:", "one thing\n  goes on.", "And more", "two", "ten", "done"}},
		{"nested list is not code", markdown, "- a\n\n    - b nested\n", []string{"a", "b nested"}},
		{"table", markdown, "Drug | Dose\n---|---\nA. Bee | 5 mg. Daily\n\n| x | y |\n", []string{"Drug | Dose", "A. Bee | 5 mg. Daily", "x | y"}},
		{"quote", markdown, "> Quoted text\n> goes on. And\n> ends.\n", []string{"Quoted text\n> goes on.", "And\n> ends."}},
		{"code", markdown, "Before.\n```go\nA. B\n```\nAfter.\n\n    indented. Code\n\n~~~\nopen. Ended", []string{"Before.", "After."}},
		{"longer fence", markdown, "````\n```\nA b\n````\nAfter", []string{"After"}},
		{"comments", markdown, "One <!-- hidden. No --> two.\n\n<!-- a\n\nb -->\nThree. <!-- open\n\nfour", []string{"One", "two.", "Three.", "<!-- open", "four"}},
		{"comment before text", markdown, "<!-- a --><!-- b --> Text.\n<!-- never closed\n\nhidden", []string{"Text."}},
		{"images", markdown, "See ![a. B](x.png) and ![c][d] there ![open", []string{"See", "and", "there ![open"}},
		{"tags alone", markdown, "<details>\n<summary>Text. More</summary>\n</details>\n", []string{"<summary>Text.", "More</summary>"}},
		{"reference definition", markdown, "Text [a].\n\n[a]: https://example.org/ \"T\"\n[^1]: A note. Two.\n", []string{"Text [a].", "A note.", "Two."}},
		{"emphasis", markdown, "**Take it daily.** *Then* stop. _Rest._ Go.", []string{"**Take it daily.**", "*Then* stop.", "_Rest._", "Go."}},
	}
	for _, test := range tests {
		for _, format := range test.formats {
			t.Run(test.name+" "+string(format), func(t *testing.T) {
				if diff := cmp.Diff(test.want, sentenceTexts(test.text, format)); diff != "" {
					t.Errorf("Sentences(%q, %s) (-want +got):\n%s", test.text, format, diff)
				}
			})
		}
	}
}

// Every adversarial text here makes a scanner that looks ahead from each place quadratic.
func TestSentencesAreLinear(t *testing.T) {
	for _, part := range []string{"<!-- ", "![", "![a](b) ", ".", "a.", "[", "> ", "1. ", "|", "`", "A. ", "\n", "```\n", "。"} {
		text := strings.Repeat(part, 1<<16/len(part))
		for _, format := range []Format{Plain, Markdown} {
			checkSpans(t, text, Sentences(text, format))
		}
	}
}

func checkSpans(t *testing.T, text string, spans []Span) {
	t.Helper()
	valid := utf8.ValidString(text)
	end := 0
	for _, s := range spans {
		if s.Start < end || s.Len() <= 0 || s.End > len(text) {
			t.Fatalf("span %v after %d in a text of %d bytes", s, end, len(text))
		}
		sentence := text[s.Start:s.End]
		if strings.TrimSpace(sentence) != sentence {
			t.Fatalf("sentence %q has white space around it", sentence)
		}
		if valid && !utf8.ValidString(sentence) {
			t.Fatalf("sentence %q is cut inside a character", sentence)
		}
		end = s.End
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("Take it. Then (e.g. J. Smith) rest.\r\n\n- a\n> b\n")
	f.Add("| a | b |\n|---|---|\n| c. D | e |\n\n<!-- x --> ![i](j) ```\ncode\n```\n")
	f.Add("他说“好。”然后走了；[^1] \xff. A")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{Plain, Markdown} {
			checkSpans(t, text, Sentences(text, format))
		}
	})
}

func BenchmarkSentences(b *testing.B) {
	text := strings.Repeat("The tablet is taken once a day, e.g. with food. It must not be\ncrushed (see Fig. 2). Stop after 2.5 weeks.\n\n- An item of a list\n\n", 2000)
	for _, format := range []Format{Plain, Markdown} {
		b.Run(string(format), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Sentences(text, format)
			}
		})
	}
}

// TestBoundaries reads the sentences that testdata/boundaries.txt marks, each line a text.
func TestBoundaries(t *testing.T) {
	data, err := os.ReadFile("testdata/boundaries.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		want := strings.Split(line, " ‖ ")
		text := strings.ReplaceAll(line, " ‖ ", " ")
		for i := range want {
			want[i] = strings.TrimPrefix(want[i], "• ")
		}
		for _, format := range []Format{Wrapped, Markdown} {
			var got []string
			for _, s := range SentencesOf(text, format, Block{Span: Span{End: len(text)}}) {
				got = append(got, text[s.Start:s.End])
			}
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], "– ")
			}
			for i := range want {
				want[i] = strings.TrimPrefix(want[i], "– ")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %q (-want +got):\n%s", format, text, diff)
			}
		}
	}
}
