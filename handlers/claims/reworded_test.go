package claims

import (
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

func TestReworded(t *testing.T) {
	page := func(text string) []*passage.Passage {
		return []*passage.Passage{
			{Text: "The bridge opens at noon.", Place: passage.Place{File: "/kb/other.md"}},
			{Text: text, Format: passage.Markdown, Place: passage.Place{File: "/kb/fares.md", Line: 1}},
		}
	}
	for _, c := range []struct{ name, quote, text, want string }{
		{"a figure", "A crossing costs 4.80 for adults.", "Dogs are free. A crossing costs 5.20 for adults.", "A crossing costs [4.80] for adults. | A crossing costs [5.20] for adults."},
		{"words that follow each other are one change", "Bicycles travel free of charge.", "Bicycles travel for 1.50 each.", ""},
		{"words that are gone", "Dogs travel free on a short lead.", "Dogs travel free on a lead.", "Dogs travel free on a [short] lead. | Dogs travel free on a lead."},
		{"words that are new", "Dogs travel free on a lead.", "Dogs travel free on a short lead.", "Dogs travel free on a lead. | Dogs travel free on a [short] lead."},
		{"the sentence that is most like it", "The kiosk opens at nine in summer.", "The kiosk opens at ten in winter. The kiosk opens at eight in summer.", "The kiosk opens at [nine] in summer. | The kiosk opens at [eight] in summer."},
		{"emphasis is no change of words", "The kiosk opens at nine.", "The kiosk opens at **ten**.", "The kiosk opens at [nine]. | The kiosk opens at [ten]."},
		{"ideographs", "成人单程票价为四元。", "成人单程票价为五元。", "成人单程票价为[四]元。 | 成人单程票价为[五]元。"},
		{"something else", "The kiosk opens at nine.", "Dogs travel free.", ""},
		{"another file", "The bridge opens at two.", "Dogs travel free.", ""},
		{"no words", "…", "Dogs travel free.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if r, ok := Reworded(page(c.text), "/kb/fares.md", c.quote); ok {
				got = bracketed(c.quote, r.Lost) + " | " + bracketed(r.Now, r.New)
				if place := r.Place(); place.File != "/kb/fares.md" {
					t.Errorf("found in %s", place.File)
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func bracketed(text string, spans []passage.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + "[" + text[s.Start:s.End] + "]")
		at = s.End
	}
	return b.String() + text[at:]
}

func FuzzReworded(f *testing.F) {
	f.Add("A crossing costs 4.80.", "A crossing costs 5.20. 成人四元")
	f.Fuzz(func(t *testing.T, quote, text string) {
		p := &passage.Passage{Text: text, Place: passage.Place{File: "/kb/a.md", Line: 1}}
		if r, ok := Reworded([]*passage.Passage{p}, "/kb/a.md", quote); ok {
			bracketed(quote, r.Lost)
			bracketed(r.Now, r.New)
			r.Place()
		}
	})
}
