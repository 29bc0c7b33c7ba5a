package note

import (
	"regexp"
	"strings"
	"testing"

	"lacuna/knowledge/plaintext"
)

var languages = Languages()

// hostile are words that would do something in a language, and active are the patterns that find,
// in a line of a note with an answer, what would do something. What is Lacuna's own is taken out first.
var (
	hostile = make(map[Language][]string)
	active  = make(map[Language][]*regexp.Regexp)
	own     = make(map[Language]*regexp.Regexp)
)

// checkInert fails if something of what an answer says does anything but be read.
func checkInert(t *testing.T, text string, language Language) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if own[language] != nil {
			line = own[language].ReplaceAllString(line, "\x01")
		}
		for _, pattern := range active[language] {
			if found := pattern.FindString(line); found != "" {
				t.Fatalf("%s: %q is active in\n%s", language, found, text)
			}
		}
	}
}

// modelWords returns what stands in a note of what a model says: nothing that looks like the end of a
// statement or like a quote.
func modelWords(text string) string {
	text = strings.TrimSpace(endMarks.ReplaceAllString(plaintext.OneLine(text), ""))
	if strings.HasSuffix(text, `"`) && strings.ContainsAny(text[:1], `"(`) {
		text = text[:len(text)-1] + "”"
	}
	return text
}

// TestHostileWords writes them as a quote, as a model's words, and as a source's name and place.
func TestHostileWords(t *testing.T) {
	for _, language := range languages {
		for _, text := range hostile[language] {
			for _, around := range []string{"%", "a %", "(%)", "% b"} {
				words := strings.Replace(around, "%", text, 1)
				n := Parse("Q: x\n\nAfter.\n", language)
				b := block(words)
				b.Status, b.Notes = "Answered "+words, []string{words}
				b.Bullets = append(b.Bullets, Bullet{Basis: Claim, Text: words, Citations: []int{1}}, Bullet{Basis: Background, Text: words})
				b.Sources[0].Label, b.Sources[0].Path, b.Sources[0].Quote = words, words, words
				after := Parse(apply(n.Text, n.Write(n.Questions[0], b)), language)
				checkInert(t, after.Text, language)
				if len(after.Questions) != 1 || len(after.Answers) != 1 || len(after.Answers[0].Statements) != 3 || len(after.Answers[0].Citations) != 1 {
					t.Fatalf("%s: %q reads back as %+v from\n%s", language, words, after.Answers, after.Text)
				}
				a := after.Answers[0]
				for _, s := range a.Statements {
					want := modelWords(words)
					if s.Basis == Quote {
						want = plaintext.OneLine(words)
					}
					if s.Text != want {
						t.Errorf("%s: %q reads back as %q", language, words, s.Text)
					}
				}
				if c := a.Citations[0]; c.Path != words || c.Quote != plaintext.OneLine(words) {
					t.Errorf("%s: %q is cited as %+v", language, words, c)
				}
				if back := apply(after.Text, after.Remove(after.Questions[0])); back != n.Text {
					t.Errorf("%s: %q leaves\n%s", language, words, back)
				}
			}
		}
	}
}
