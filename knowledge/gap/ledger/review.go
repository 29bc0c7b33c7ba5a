package ledger

import (
	"cmp"
	"context"
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
)

// reviewDepth is the number of passages retrieved for one gap.
const reviewDepth = 10

// Learn stores a model's judgement of a question in place of an earlier one. The library is the one
// that the model's evidence came from.
func (l *Ledger) Learn(ctx context.Context, library *knowledge.Library, ref QuestionRef, j Judgement) error {
	seen, err := unhelpful(ctx, library.Beside(ref.Note), j)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	return l.change(ctx, func(s *snapshot) {
		e := s.entries[ref.key()]
		before := e.Gaps
		e.QuestionRef, e.System, e.Generation, e.Seen = ref, j.System, library.Generation(), seen
		e.Gaps = nil
		for _, g := range j.Gaps {
			r := recordOf(g, now)
			if i := slices.IndexFunc(before, func(r record) bool { return r.ID == g.ID }); i >= 0 {
				r.Since = before[i].Since
			}
			e.Gaps = append(e.Gaps, r)
		}
		s.entries[ref.key()] = e
	})
}

// Review holds the stored gaps against a library and reports whether any changed. A gap becomes
// retrieved once a passage fills it that was not there when the gap was named, and is missing again
// once every such passage has gone or says something else. Gaps last held against this very library
// stay as they are, and so do all gaps while the library is empty.
func (l *Ledger) Review(ctx context.Context, library *knowledge.Library) (changed bool, err error) {
	if library.Generation() == "" || len(library.Passages()) == 0 {
		return false, nil
	}
	reviewed := make(map[key][]record)
	for k, e := range l.current.Load().entries {
		if e.System == "" || e.Generation == library.Generation() {
			continue
		}
		gaps, err := e.review(ctx, library.Beside(e.Note))
		if err != nil {
			return false, err
		}
		changed = changed || !slices.EqualFunc(e.Gaps, gaps, func(a, b record) bool { return a.Status == b.Status })
		reviewed[k] = gaps
	}
	if len(reviewed) == 0 {
		return false, nil
	}
	sameGap := func(a, b record) bool { return a.ID == b.ID }
	return changed, l.change(ctx, func(s *snapshot) {
		for k, gaps := range reviewed {
			// Another process may have learnt of other gaps in the meantime.
			if e, ok := s.entries[k]; ok && slices.EqualFunc(e.Gaps, gaps, sameGap) {
				e.Gaps, e.Generation = gaps, library.Generation()
				s.entries[k] = e
			}
		}
	})
}

func (e entry) review(ctx context.Context, library *knowledge.Library) ([]record, error) {
	gaps := slices.Clone(e.Gaps)
	for i := range gaps {
		r := &gaps[i]
		r.Evidence = slices.DeleteFunc(slices.Clone(r.Evidence), func(id passage.ID) bool {
			p, ok := library.Passage(id)
			return !ok || !r.isFilledBy(p)
		})
		switch {
		case r.Status == gap.Retrieved && len(r.Evidence) > 0:
			continue
		case r.Status == gap.Retrieved:
			r.Status = r.Named
		}
		hits, err := search(ctx, library, r.Query, r.Text, reviewDepth)
		if err != nil {
			return nil, err
		}
		for _, hit := range hits {
			if !slices.ContainsFunc(e.Seen, hit.Passage.Has) && r.isFilledBy(hit.Passage) {
				r.Status, r.Evidence = gap.Retrieved, append(r.Evidence, hit.Passage.ID)
			}
		}
	}
	return gaps, nil
}

func (r record) isFilledBy(p *passage.Passage) bool {
	return gap.Gap{Text: r.Text, Query: r.Query}.Fills(p)
}

// unhelpful returns the passages that did not fill the gaps when they were named: what the model read
// and what a search for each gap finds, without the passages that fill one.
func unhelpful(ctx context.Context, library *knowledge.Library, j Judgement) ([]passage.ID, error) {
	seen := slices.Clone(j.Read)
	for _, g := range j.Gaps {
		hits, err := search(ctx, library, g.Query, g.Text, 2*reviewDepth)
		if err != nil {
			return nil, err
		}
		for _, hit := range hits {
			if !slices.Contains(seen, hit.Passage.ID) {
				seen = append(seen, hit.Passage.ID)
			}
		}
	}
	return slices.DeleteFunc(seen, func(id passage.ID) bool {
		return slices.ContainsFunc(j.Gaps, func(g gap.Gap) bool { return slices.Contains(g.Evidence, id) })
	}), nil
}

// search finds the n passages nearest to a gap's query, or to its text if it has none.
func search(ctx context.Context, library *knowledge.Library, query, text string, n int) ([]knowledge.Hit, error) {
	return library.Search(ctx, knowledge.Query{Text: cmp.Or(query, text), K: n, Verbatim: true})
}
