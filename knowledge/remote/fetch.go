package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/mapped"
)

const (
	// overfetch is how many times as many candidates the engine is asked for as are needed, at first. It orders those by
	// terms by statistics of each shard, and adds up what kin earn; it compares vectors exactly in all but the largest
	// collections.
	overfetch = 2
	// As long as one of the best candidates stands behind the first safePart percent of what came, twice as many are
	// asked for, up to maxOverfetch times as many as are needed. Measured with 1,000 questions to 23,884 abstracts on
	// three nodes: 11 of 100 searches ask again and 3 a third time, and all answers are the index's.
	safePart     = 75
	maxOverfetch = 8
	// fetchTime bounds what all rounds of a question wait for the engine, so that a slow one keeps nobody waiting.
	fetchTime = 10 * time.Second
	// maxDocument bounds the passages of one document.
	maxDocument = 1000
)

// working is what has been fetched for one question.
type working struct {
	generation *Generation
	replies    map[string]fetched     // by key of what was wanted
	texts      map[int]knowledge.Text // by position
	left       time.Duration          // of what the engine may take
}

func newWorking(g *Generation) *working {
	return &working{generation: g, replies: make(map[string]fetched), texts: make(map[int]knowledge.Text), left: fetchTime}
}

func (w *working) library() (*knowledge.Library, error) {
	texts := make([]knowledge.Text, 0, len(w.texts))
	for _, t := range w.texts {
		texts = append(texts, t)
	}
	return w.generation.card.Excerpt(texts)
}

// lacking returns what is wanted and not there yet, or may not be.
func (w *working) lacking(wants []knowledge.Want) []knowledge.Want {
	return slices.DeleteFunc(wants, func(want knowledge.Want) bool {
		reply, known := w.replies[want.Key()]
		return known && reply.depth >= want.Depth && reply.suffices(want.Best)
	})
}

// fetch fetches what is wanted and not there yet, and reports whether there was any.
func (w *working) fetch(ctx context.Context, wants []knowledge.Want) (more bool, err error) {
	if wants = w.lacking(wants); len(wants) == 0 {
		return false, nil
	}
	begin := time.Now()
	within, cancel := context.WithTimeout(ctx, w.left)
	defer cancel()
	lists := make(map[string]*list)
	for _, want := range wants {
		key, times := want.Key(), overfetch
		if last, known := w.replies[key]; known && last.depth >= want.Depth {
			times = 2 * last.times
		} else if known {
			times = last.times
		}
		reply := fetched{depth: want.Depth, times: times}
		byTerms, others := queries(want, times)
		for _, q := range byTerms {
			reply.byTerms = append(reply.byTerms, planned(lists, want.Kind, q))
		}
		for _, q := range others {
			planned(lists, want.Kind, q)
		}
		w.replies[key] = reply
	}
	plan := slices.Collect(maps.Values(lists))
	failures := make([]error, len(plan))
	par.Each(len(plan), func(i int) { failures[i] = w.generation.ask(within, plan[i]) })
	if err := errors.Join(failures...); err != nil {
		if within.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: it took more than %s: %w", engine.ErrAway, fetchTime, err)
		}
		return false, err
	}
	w.left -= time.Since(begin)
	for _, l := range plan {
		for _, t := range l.texts {
			w.texts[t.Position] = t
		}
	}
	return true, nil
}

// fetched is what the engine replied to a want.
type fetched struct {
	depth   int // of the want
	times   int // as many were asked for
	byTerms []*list
}

// planned returns the list of a query among those that are planned, one for all that differ in their limits alone.
func planned(lists map[string]*list, kind passage.Kind, q engine.Query) *list {
	key := fmt.Sprintf("%s\x00%s\x00%s\x00%s", kind, q.Document, strings.Join(q.Terms, "\x01"), mapped.Bytes(q.Vector))
	if other, known := lists[key]; known {
		other.query.Limit = max(other.query.Limit, q.Limit)
		return other
	}
	lists[key] = &list{key: key, kind: kind, query: q}
	return lists[key]
}

// queries returns what the engine is asked for a want: some times as many candidates.
func queries(want knowledge.Want, times int) (byTerms, others []engine.Query) {
	limit := min(times*want.Depth, engine.MaxLimit)
	if len(want.Terms) > 0 {
		byTerms = append(byTerms, engine.Query{Terms: want.Terms, Limit: limit})
	}
	if want.Kin != nil { // apart, because the engine adds up what kin earn, and here the best counts
		byTerms = append(byTerms, engine.Query{Terms: want.Kin, Limit: limit})
	}
	if want.Vector != nil {
		others = append(others, engine.Query{Vector: want.Vector, Limit: min(overfetch*want.Depth, engine.MaxLimit)})
	}
	if want.Document != "" {
		others = append(others, engine.Query{Document: want.Document, Limit: maxDocument})
	}
	return byTerms, others
}

// suffices reports whether all of the best texts that are known stand far from the end of a list by terms, so that
// behind the end there is none.
func (f fetched) suffices(best []int) bool {
	if f.times >= maxOverfetch || len(best) == 0 {
		return true
	}
	safe := make(map[int]bool)
	for _, l := range f.byTerms {
		texts := l.texts
		if !l.all() {
			texts = texts[:len(texts)*safePart/100]
		}
		for _, t := range texts {
			safe[t.Position] = true
		}
	}
	return !slices.ContainsFunc(best, func(position int) bool { return !safe[position] })
}

// ask fills a list, from the engine unless it was asked lately, and verifies what that returns.
func (g *Generation) ask(ctx context.Context, l *list) error {
	if known := g.recent.find(l); known != nil {
		*l = *known
		return nil
	}
	objects, err := g.engine.Search(ctx, g.about.Collections[l.kind], l.query)
	if errors.Is(err, engine.ErrAway) && g.recent.here() { // one node has gone, which the others notice by now
		objects, err = g.engine.Search(ctx, g.about.Collections[l.kind], l.query)
	}
	if err != nil {
		return err
	}
	l.texts = make([]knowledge.Text, len(objects))
	failures := make([]error, len(objects))
	par.Each(len(objects), func(i int) { l.texts[i], failures[i] = g.verify(objects[i]) })
	for i, t := range l.texts {
		if failures[i] == nil && t.Passage.Kind != l.kind {
			failures[i] = fmt.Errorf("a passage of kind %s among those of kind %s: %w", t.Passage.Kind, l.kind, ErrAltered)
		}
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	g.recent.add(l)
	return nil
}

// verify returns the passage of an object, if the publisher signed it.
func (g *Generation) verify(o engine.Object) (knowledge.Text, error) {
	sum := sha256.Sum256(o.Content)
	if t, known := g.recent.verified(sum); known {
		return t, nil
	}
	r, err := decode(o.Content, g.root)
	if err == nil {
		err = g.about.Tree.check(r.position, o.Content, o.Proof)
	}
	if err != nil {
		return knowledge.Text{}, fmt.Errorf("a passage of %s: %w", g.about.Source, err)
	}
	r.passage.Published = &g.published
	t := knowledge.Text{Position: r.position, Passage: r.passage, Terms: lexical.Terms(r.passage.Indexed())}
	t.Vector = g.card.Vector(r.passage.Kind, t.Terms)
	g.recent.keep(sum, t)
	return t, nil
}
