package question

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		question, subject string
		aspect            Aspect
		expected          Expected
		condition         string
	}{
		{"What dose of apixaban is given in children with kidney disease?", "apixaban", "dosage", Expected{Quantity, Dose}, "child"},
		{"How is Wilson disease treated?", "Wilson disease", "treatment", Expected{Kind: Fact}, ""},
		{"How much does the monthly parking permit cost?", "parking permit", "cost", Expected{Quantity, Money}, ""},
		{"How do I install the command line tool on Windows?", "command line", "installation", Expected{Kind: Steps}, "version"},
		{"Can I cancel my gym membership early?", "gym membership", "termination", Expected{Kind: YesNo}, ""},
		{"Bis wann muss ich den Antrag auf Elternzeit stellen?", "Elternzeit", "deadline", Expected{Kind: Date}, ""},
		{"Was kostet ein Parkausweis?", "Parkausweis", "cost", Expected{Quantity, Money}, ""},
		{"孕妇可以吃阿司匹林吗？", "阿司匹林", "pregnancy and breastfeeding", Expected{Kind: YesNo}, "pregnancy"},
		{"糖尿病怎么治疗？", "糖尿病", "treatment", Expected{Kind: Steps}, "diabetes"},
	} {
		r := Read(c.question)
		subject := ""
		if len(r.Subject) > 0 {
			subject = r.Subject[0].Text
		}
		condition := ""
		if len(r.Conditions) > 0 {
			condition = r.Conditions[0].Name
		}
		if !strings.Contains(subject, c.subject) || r.Aspect != c.aspect || r.Expected != c.expected || condition != c.condition {
			t.Errorf("%s\n got %q, %q, %v, %q\nwant %q, %q, %v, %q", c.question, subject, r.Aspect, r.Expected, condition, c.subject, c.aspect, c.expected, c.condition)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "?", "Dear doctor,\nwhat is gout? Thanks", "怎么办", "Wie lange?", "\xff\xfe what", "a…b*^~", strings.Repeat("what is ", 100)} {
		f.Add(seed, "gout")
	}
	f.Fuzz(func(t *testing.T, text, title string) {
		for _, r := range []Reading{Read(text), Read(text).Without(title)} {
			for _, s := range r.Asking {
				if s.Start < 0 || s.Start >= s.End || s.End > len(text) {
					t.Fatalf("span %v outside %q", s, text)
				}
			}
			for _, p := range r.Subject {
				if p.Start < 0 || p.Start >= p.End || p.End > len(text) {
					t.Fatalf("subject %v outside %q", p, text)
				}
				if utf8.ValidString(text) && !utf8.ValidString(p.Text) {
					t.Fatalf("subject %q is not UTF-8", p.Text)
				}
			}
			for _, c := range r.Conditions {
				if c.Start < 0 || c.Start >= c.End || c.End > len(text) {
					t.Fatalf("condition %v outside %q", c, text)
				}
			}
			if len(r.Aspects) > 0 && r.Aspects[0] != r.Aspect {
				t.Fatalf("aspect %q is not the first of %q", r.Aspect, r.Aspects)
			}
			if fit := r.Expected.Fit(text); fit < 0 || fit > 1 {
				t.Fatalf("fit %v", fit)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for range b.N {
		Read("What dose of apixaban is given in children with kidney disease, and how long should it be continued?")
	}
}

func TestAspectCues(t *testing.T) {
	for text, want := range map[string]string{
		"What does the red lamp on the Pellix mean?": "What does mean",
		"How do I pay a fine?":                       "How pay do I fine",
		"治疗的费用":                                      "治疗 费用",
	} {
		var words []string
		for _, c := range AspectCues(text) {
			if w := text[c.Start:c.End]; !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
