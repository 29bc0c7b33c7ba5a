package query_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/knowledge/passage"
)

const clinic = `# Letters of Friday

## 77 F, polymyalgia rheumatica

Prednisolone 15 mg since June, feels well. eGFR 39.

- Same dose?
- What is the starting dose of alendronate?
- How often is her eGFR checked on alendronate?

## Mr. Walter Quist, 61, gout

- Target urate?

| drug | dose | remark |
|---|---|---|
| simvastatin | 40 mg | too much with amlodipine? |
| ramipril | 5 mg | ok |
`

func TestOf(t *testing.T) {
	for _, c := range []struct{ name, text, language, question, want string }{
		{"a fragment takes the disease of its heading and the drug above", clinic, "md", "Same dose?", "polymyalgia rheumatica, Prednisolone 15 mg: Same dose?"},
		{"a whole question takes nothing", clinic, "md", "What is the starting dose of alendronate?", "What is the starting dose of alendronate?"},
		{"nor does one that names a drug need its patient", clinic, "md", "How often is her eGFR checked on alendronate?", "How often is her eGFR checked on alendronate?"},
		{"a directive is no context", "# Review\n\n<!-- lacuna: ask -->\nHow often is it done.\n", "md", "How often is it done.", "How often is it done."},
		{"names of people stay out", clinic, "md", "Target urate?", "gout: Target urate?"},
		{"a cell takes the first of its row", clinic, "md", "too much with amlodipine?", "gout, simvastatin: too much with amlodipine?"},
		{"Chinese", "# 乳腺癌多学科讨论\n\n三阴性乳腺癌，孕 20 周。\n\n- 免疫治疗？\n", "md", "免疫治疗？", "乳腺癌：免疫治疗？"},
		{"German", "# Hausbesuch\n\n## Pneumonie\n\nAmoxicillin seit gestern.\n\n- Wie lange damit?\n", "md", "Wie lange damit?", "Pneumonie, Amoxicillin: Wie lange damit?"},
		{"plain text", "Ward 4\n\nBed 3  70M pulmonary embolism\n  on apixaban\n  how long?\n", "txt", "how long?", "70M pulmonary embolism, apixaban: how long?"},
	} {
		n := note.Parse(c.text, note.LanguageOf("", "note."+c.language))
		at := strings.Index(c.text, c.question)
		q := note.Question{Text: c.question, Answer: -1}
		q.Span.Start, q.Span.End = at, at+len(c.question)
		if got := query.Of(n, q); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// FuzzOf asks for the queries of any note: they end in their questions, on one line.
func FuzzOf(f *testing.F) {
	f.Add(clinic, "md")
	f.Add("\\begin{tabular}{ll}\nSites & count? \\\\\n\\end{tabular}\n", "tex")
	f.Add("* Gout\n** Dose?\n:X:\n", "org")
	f.Add("| a |\n|-\n| |b? |\n> |?\n", "md")
	f.Add("## eGFR 41, Mr. A. 41\n- eGFR 41, dose mg 2?\n- dose? and dose?\n", "md")
	f.Add("Re:\n 1. x\n\nThen?\r\n\xff Why?\n", "txt")
	f.Fuzz(func(t *testing.T, text, ending string) {
		n := note.Parse(text, note.LanguageOf("", "note."+ending))
		for _, q := range n.Questions {
			got := query.Of(n, q)
			if !strings.HasSuffix(got, q.Text) || strings.ContainsAny(strings.TrimSuffix(got, q.Text), "\r\n") {
				t.Errorf("%q is searched for as %q", q.Text, got)
			}
			if utf8.ValidString(text) && !utf8.ValidString(got) {
				t.Errorf("%q is cut inside a character", got)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		text.WriteString("## Visit with heart failure\n\nMore of them, and äöü.\n\n- Same dose of it " + strings.Repeat("x", i%7) + "?\n")
	}
	n := note.Parse(text.String(), note.Markdown)
	for b.Loop() {
		for _, q := range n.Questions {
			query.Of(n, q)
		}
	}
}

// TestAround: whole lines around a question, and of a long line what is near.
func TestAround(t *testing.T) {
	long := strings.Repeat("ä ", 4000)
	for _, c := range []struct{ name, before, behind, want string }{
		{"all of a short note", "# Visit\nAnna Berg, 71\n\n", "\n\nHer sister called.\n", "# Visit\nAnna Berg, 71\n\nWhen was her visit?\n\nHer sister called.\n"},
		{"whole lines", strings.Repeat("x", 1500) + "\nAnna Berg\n", "\nHer sister called.\n" + strings.Repeat("y", 1500), "Anna Berg\nWhen was her visit?\nHer sister called."},
	} {
		text := c.before + "When was her visit?" + c.behind
		q := note.Question{Text: "When was her visit?", Span: passage.Span{Start: len(c.before), End: len(c.before) + len("When was her visit?")}}
		if got := query.Around(&note.Note{Text: text}, q); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	q := note.Question{Span: passage.Span{Start: len(long), End: len(long) + 4}}
	if got := query.Around(&note.Note{Text: long + "Why?" + long}, q); !utf8.ValidString(got) || len(got) > 3010 {
		t.Errorf("of a long line %d bytes", len(got))
	}
}
