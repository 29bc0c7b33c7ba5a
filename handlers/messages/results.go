package messages

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// Marks of questions on a page, besides those that notes have.
const (
	MarkPartly  = "Partly answered" // begins the status of a model's answer that the sources bear out in part
	MarkWritten = "Written by a model"
	MarkPerhaps = "Perhaps here"
)

// Bullets returns the statements of an answer as a note and a hover show them, then its nearest places, each
// with the title and headings that it stands under. It leaves out what may not stand in a note.
func Bullets(r answer.Result) []note.Bullet {
	var bullets []note.Bullet
	for _, s := range r.Statements {
		if b, ok := bullet(r, s); ok {
			bullets = append(bullets, b)
		}
	}
	for _, s := range r.Nearest {
		b, ok := bullet(r, s)
		if !ok {
			continue
		}
		b.Basis = note.Place
		if at := slices.IndexFunc(r.Citations, func(c answer.Citation) bool { return c.N == b.Citations[0] }); at >= 0 {
			b.Title = PlaceTitle(r.Citations[at].Passage)
		}
		bullets = append(bullets, b)
	}
	return bullets
}

// maxTitle bounds the characters that name what a place stands under.
const maxTitle = 100

// PlaceTitle names what a place of the sources stands under. Where there is no room for all headings, the last ones
// are named, which tell most.
func PlaceTitle(p *passage.Passage) string {
	if p.Kind == passage.QA {
		return sanitise.Visible(Shorten(Breadcrumb(p), maxTitle))
	}
	parts := breadcrumbs(p)
	text := strings.Join(parts, between)
	for i := 2; utf8.RuneCountInString(text) > maxTitle && i < len(parts); i++ {
		text = parts[0] + between + "…" + between + strings.Join(parts[i:], between)
	}
	return sanitise.Visible(Shorten(text, maxTitle))
}

// PlaceQuote returns the words of a nearest place as a note has them.
func PlaceQuote(s answer.Statement) string {
	return plaintext.OneLine(sanitise.Visible(withoutBullet(cmp.Or(s.Shown, s.Text))))
}

// withoutBullet returns a text without a sign of a symbol font before it, such as the bullet of a list that a
// converter left there: nobody can read it.
func withoutBullet(text string) string {
	return strings.TrimLeftFunc(text, func(r rune) bool { return unicode.Is(unicode.Co, r) || unicode.IsSpace(r) })
}

// bullet makes a bullet of a statement; false where nothing of it may stand in a note. A claim
// whose citations the answer does not have is not supported by anything.
func bullet(r answer.Result, s answer.Statement) (note.Bullet, bool) {
	cited := slices.DeleteFunc(slices.Clone(s.Citations), func(n int) bool {
		return !slices.ContainsFunc(r.Citations, func(c answer.Citation) bool { return c.N == n })
	})
	if s.Basis == answer.Quote {
		text, lead := s.Shown, s.ShownLead
		if text == "" {
			text, lead = s.Text, s.Lead
		}
		if s.Elided && lead != "" {
			lead += " …"
		}
		return note.Bullet{Lead: sanitise.Visible(lead), Text: sanitise.Visible(withoutBullet(text)), Citations: cited}, len(cited) > 0
	}
	b := note.Bullet{Basis: note.Basis(s.Basis), Text: claimText(r, s), Finding: findingOf(s.Support)}
	switch {
	case s.Basis == answer.Unchecked, s.Basis == answer.Claim && len(cited) > 0:
		b.Citations = cited
		if s.Support.Verdict == entail.Partly {
			b.Basis = note.Partly
		}
	case s.Basis == answer.Unsupported && s.Support.Verdict == entail.Contradicts && len(cited) > 0:
		b.Basis, b.Citations = note.Contradicted, cited
	case s.Basis == answer.Claim:
		b.Basis, b.Finding = note.Unsupported, note.Finding{}
	}
	return b, b.Text != ""
}

// findingOf returns what a remark names of what a check found, made safe to show.
func findingOf(s answer.Support) note.Finding {
	f := note.Finding{ByModel: s.ByModel}
	for _, part := range s.Unstated {
		f.Unstated = append(f.Unstated, Sanitise(part, nil))
	}
	for _, d := range s.Differences {
		f.Differences = append(f.Differences, note.Difference{Said: Sanitise(d.Said, nil), Stated: sanitise.Visible(plaintext.OneLine(d.Stated))})
	}
	return f
}

// claimText returns a model's statement, made safe to show. It keeps an address only if a quote that the
// statement cites has it.
func claimText(r answer.Result, s answer.Statement) string {
	var quotes []string
	for _, c := range r.Citations {
		if slices.Contains(s.Citations, c.N) {
			quotes = append(quotes, c.Quote)
		}
	}
	return Sanitise(s.Text, quotes)
}

// sourcesOf counts the records that an answer cites.
func sourcesOf(r answer.Result) int {
	records := make(map[[2]string]bool)
	for _, c := range r.Citations {
		records[[2]string{c.Passage.Source, c.Passage.Record}] = true
	}
	return len(records)
}

// ShownGap is a gap whose words, where a model wrote them, can do nothing but be read.
func ShownGap(g gap.Gap) gap.Gap {
	if g.Code == gap.MissingKnowledge {
		g.Text = Shorten(Sanitise(g.Text, nil), gap.MaxText)
		g.Query = Shorten(Sanitise(g.Query, nil), gap.MaxText)
	}
	return g
}
