package support

import (
	"context"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// Stands reports whether a span of a passage still stands on disk.
type Stands func(library *knowledge.Library, p *passage.Passage, span passage.Span) bool

// WithConflicts returns a strategy that also says which of the passages found cannot both hold. It asks no model.
func WithConflicts(strategy answer.Strategy, stands Stands) answer.Strategy {
	return conflictStrategy{strategy, stands}
}

type conflictStrategy struct {
	answer.Strategy
	stands Stands
}

// Answer implements [answer.Strategy].
func (s conflictStrategy) Answer(ctx context.Context, library *knowledge.Library, question answer.Question) (answer.Result, error) {
	r, err := s.Strategy.Answer(ctx, library, question)
	if err == nil && ctx.Err() == nil {
		r.Conflicts = conflicts(ctx, library, r, s.stands)
	}
	return r, err
}

// Bounds on what is compared and told.
const (
	comparedPassages = 6    // of those found, the cited ones first
	comparedText     = 4000 // bytes of one
	shownConflicts   = 2
)

// conflicts compares the passages that a result rests on, those of different documents of which neither replaces the
// other.
func conflicts(ctx context.Context, library *knowledge.Library, r answer.Result, stands Stands) []answer.SourceConflict {
	if r.Reason == answer.NoTopic {
		return nil
	}
	asked := termsOf(r.Question.Text)
	var found []*passage.Passage
	add := func(p *passage.Passage) {
		if len(found) < comparedPassages && len(p.Text) <= comparedText && !slices.Contains(found, p) && speaksOf(p, asked) {
			found = append(found, p)
		}
	}
	for _, c := range r.Citations {
		add(c.Passage)
	}
	for _, hit := range r.Evidence {
		add(hit.Passage)
	}
	var all []answer.SourceConflict
	for i, a := range found {
		for _, b := range found[i+1:] {
			if a.Source == b.Source && a.Document == b.Document || replaces(library, a, b) || replaces(library, b, a) || len(all) == shownConflicts || ctx.Err() != nil {
				continue
			}
			clash, ok := entail.Conflict(r.Question.Text, sourceOf(a), sourceOf(b))
			if ok && stands(library, a, clash.A) && stands(library, b, clash.B) {
				all = append(all, conflictOf(a, b, clash))
			}
		}
	}
	return all
}

// replaces reports whether the page of one passage is a newer one of that of another, which is then told as such.
func replaces(library *knowledge.Library, newer, older *passage.Passage) bool {
	f, ok := library.Superseded(older, time.Time{})
	return ok && f.By != nil && f.By.Source == newer.Source && f.By.Record == newer.Record
}

// termsOf returns the telling words of a question.
func termsOf(text string) map[string]bool {
	terms := make(map[string]bool)
	for _, t := range lexical.Analyze(text) {
		if !lexical.IsAskingWord(strings.ToLower(text[t.Start:t.End])) {
			terms[t.Term] = true
		}
	}
	return terms
}

// speaksOf reports whether a passage has two fifths of the words of a question: what it says is then said of the same.
func speaksOf(p *passage.Passage, asked map[string]bool) bool {
	held := make(map[string]bool)
	for _, term := range lexical.Terms(p.Above() + "\n" + p.Text) {
		if asked[term] {
			held[term] = true
		}
	}
	return 5*len(held) >= 2*len(asked)
}

// sourceOf returns a passage with its text as it stands on disk.
func sourceOf(p *passage.Passage) entail.Source {
	return entail.Source{Above: p.Above(), Text: p.Text, Sentences: passage.Sentences(p.Text, p.Format)}
}

func conflictOf(a, b *passage.Passage, clash entail.Clash) answer.SourceConflict {
	c := answer.SourceConflict{
		A: answer.Citation{N: 1, Passage: a, Span: clash.A, Quote: a.Text[clash.A.Start:clash.A.End]},
		B: answer.Citation{N: 2, Passage: b, Span: clash.B, Quote: b.Text[clash.B.Start:clash.B.End]},
	}
	for _, d := range clash.Differences {
		c.Differences = append(c.Differences, answer.Difference{
			Kind: d.Kind, Said: a.Text[d.Claimed.Start:d.Claimed.End], Stated: b.Text[d.Stated.Start:d.Stated.End],
		})
	}
	return c
}
