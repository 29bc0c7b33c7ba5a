package gap

import (
	"cmp"
	"context"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// reviewDepth is how many passages are looked at for one gap.
const reviewDepth = 10

// Review holds the remembered gaps against a library and reports whether any has changed. A gap is
// retrieved once a passage that was not there when it was named fills it, and is missing again once
// every such passage has gone or says something else. Gaps that were last held against this very
// library are left as they are, and so are all while the library is empty.
func (l *Ledger) Review(ctx context.Context, library *knowledge.Library) (changed bool, err error) {
	if library.Generation() == "" || len(library.Passages()) == 0 {
		return false, nil
	}
	reviewed := make(map[key][]record)
	for k, e := range l.book.Load().entries {
		if e.System == "" || e.Generation == library.Generation() {
			continue
		}
		gaps, err := e.review(ctx, library)
		if err != nil {
			return false, err
		}
		changed = changed || !slices.EqualFunc(e.Gaps, gaps, func(a, b record) bool { return a.Status == b.Status })
		reviewed[k] = gaps
	}
	if len(reviewed) == 0 {
		return false, nil
	}
	return changed, l.change(ctx, func(b *book) {
		for k, gaps := range reviewed {
			if e, known := b.entries[k]; known && sameGaps(e.Gaps, gaps) {
				e.Gaps, e.Generation = gaps, library.Generation()
				b.entries[k] = e
			}
		}
	})
}

// sameGaps reports whether two lists name the same gaps: another process may have learnt of others.
func sameGaps(a, b []record) bool {
	return slices.EqualFunc(a, b, func(a, b record) bool { return a.ID == b.ID })
}

func (e entry) review(ctx context.Context, library *knowledge.Library) ([]record, error) {
	gaps := slices.Clone(e.Gaps)
	for i := range gaps {
		r := &gaps[i]
		r.Evidence = slices.DeleteFunc(slices.Clone(r.Evidence), func(id passage.ID) bool {
			p, there := library.Passage(id)
			return !there || !r.fills(p)
		})
		switch {
		case r.Status == Retrieved && len(r.Evidence) > 0:
			continue
		case r.Status == Retrieved:
			r.Status = r.Named
		}
		found, err := library.Search(ctx, knowledge.Query{Text: r.wanted(), K: reviewDepth, Verbatim: true})
		if err != nil {
			return nil, err
		}
		for _, hit := range found {
			if !slices.ContainsFunc(e.Seen, hit.Passage.Has) && r.fills(hit.Passage) {
				r.Status, r.Evidence = Retrieved, append(r.Evidence, hit.Passage.ID)
			}
		}
	}
	return gaps, nil
}

// wanted is the text to search for to fill the gap.
func (g Gap) wanted() string { return cmp.Or(g.Query, g.Text) }

func (r record) fills(p *passage.Passage) bool { return Gap{Text: r.Text, Query: r.Query}.Fills(p) }

func (r record) wanted() string { return cmp.Or(r.Query, r.Text) }

// whatIsThere returns the passages that did not fill the gaps when they were named: those that were
// read, and those that a search for each gap finds, without those that fill one.
func whatIsThere(ctx context.Context, library *knowledge.Library, j Judgement) ([]passage.ID, error) {
	there := slices.Clone(j.Read)
	for _, g := range j.Gaps {
		found, err := library.Search(ctx, knowledge.Query{Text: g.wanted(), K: 2 * reviewDepth, Verbatim: true})
		if err != nil {
			return nil, err
		}
		for _, hit := range found {
			if !slices.Contains(there, hit.Passage.ID) {
				there = append(there, hit.Passage.ID)
			}
		}
	}
	return slices.DeleteFunc(there, func(id passage.ID) bool {
		return slices.ContainsFunc(j.Gaps, func(g Gap) bool { return slices.Contains(g.Evidence, id) })
	}), nil
}
