package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
)

const (
	// overfetch is how many times as many candidates by terms the engine is asked for as are needed, because it orders
	// them by statistics of each shard. Measured with 23,884 abstracts on three nodes, by a question's words alone and
	// with kin: with four times as many, 2 of the 259 answers that came while nodes were killed were not the index's.
	// A push compares searches with the index, so that too few are noticed before anybody asks.
	overfetch = 8
	// overfetchNear is the same for vectors, which the engine compares exactly in all but the largest collections.
	overfetchNear = 2
	// maxRounds bounds how often a question is answered with more passages. Three are usual: what is searched for
	// first, the pages of what was found, and what these lead to. A model that names what is missing leads to further
	// searches, each with rounds of its own.
	maxRounds = 24
	// fetchTime bounds what all rounds of a question wait for the engine, so that a slow one keeps nobody waiting.
	fetchTime = 10 * time.Second
	// maxRecent bounds the replies of the engine that are remembered, for a question that is asked again, and for
	// its searches by other strategies.
	maxRecent = 64
	// maxDocument bounds the passages of one document.
	maxDocument = 1000
)

var (
	// errUnsettled says that a question led to ever more searches.
	errUnsettled = errors.New("the question leads to ever more searches")
	// errPending ends a round before a model is asked about less than there is.
	errPending = errors.New("what was searched for is not there yet")
)

// Answer answers a question by a strategy, from the passages of the generation that its searches want: the same answer
// as from the whole of it. The strategy is called several times. A model is asked only when everything that was searched
// for before is there, and what it replied is kept until the answer stands, so that it is asked as often as for an
// answer from the whole. The library is the one that the answer is from. The error is an [engine.ErrAway] if the engine
// could not be asked, [ErrAltered] if it returned what the publisher did not sign, and [ErrStale] if it may have proposed
// from a part.
func (g *Generation) Answer(ctx context.Context, strategy answer.Strategy, question answer.Question) (answer.Result, *knowledge.Library, error) {
	if err := g.whole.known(); err != nil {
		return answer.Result{}, nil, err
	}
	w := working{generation: g, depths: make(map[string]int), texts: make(map[int]knowledge.Text), left: fetchTime}
	replies := llm.NewReplies(ctx)
	var counted func() error
	for range maxRounds {
		library, err := w.library()
		if err != nil {
			return answer.Result{}, nil, err
		}
		result, pending, err := w.answer(ctx, replies, strategy, library, question)
		if err != nil {
			return answer.Result{}, nil, err
		}
		more, err := w.fetch(ctx, library.Wants())
		if err != nil {
			return answer.Result{}, nil, err
		}
		if more && counted == nil {
			counted = g.count(ctx)
		}
		if more || pending {
			continue
		}
		if counted != nil {
			if err := counted(); err != nil {
				return answer.Result{}, nil, err
			}
		}
		return result, library, nil
	}
	return answer.Result{}, nil, errUnsettled
}

// answer answers once. It reports pending if that ended because a model should not be asked yet.
func (w *working) answer(ctx context.Context, replies *llm.Replies, strategy answer.Strategy, library *knowledge.Library, question answer.Question) (result answer.Result, pending bool, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	result, err = strategy.Answer(replies.Within(ctx, func() error {
		if len(w.lacking(library.Wants())) == 0 {
			return nil
		}
		stop(errPending)
		return errPending
	}), library, question)
	if errors.Is(context.Cause(ctx), errPending) {
		return answer.Result{}, true, nil
	}
	return result, false, err
}

// Search returns what a search in the whole of the generation finds, and the library that the hits are of.
func (g *Generation) Search(ctx context.Context, q knowledge.Query) ([]knowledge.Hit, *knowledge.Library, error) {
	w := working{generation: g, depths: make(map[string]int), texts: make(map[int]knowledge.Text), left: fetchTime}
	library, err := w.library()
	for range maxRounds {
		if err != nil {
			return nil, nil, err
		}
		hits, err := library.Search(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		more, err := w.fetch(ctx, library.Wants())
		if err != nil || !more {
			return hits, library, err
		}
		library, err = w.library()
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errUnsettled
}

// working is what has been fetched for one question.
type working struct {
	generation *Generation
	depths     map[string]int         // of what was fetched, by key
	texts      map[int]knowledge.Text // by position
	left       time.Duration          // of what the engine may take
}

func (w *working) library() (*knowledge.Library, error) {
	texts := make([]knowledge.Text, 0, len(w.texts))
	for _, t := range w.texts {
		texts = append(texts, t)
	}
	return w.generation.card.Excerpt(texts)
}

// lacking returns what is wanted and not there yet.
func (w *working) lacking(wants []knowledge.Want) []knowledge.Want {
	return slices.DeleteFunc(wants, func(want knowledge.Want) bool {
		depth, known := w.depths[want.Key()]
		return known && depth >= want.Depth
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
	replies := make([][]knowledge.Text, len(wants))
	failures := make([]error, len(wants))
	par.Each(len(wants), func(i int) { replies[i], failures[i] = w.generation.fetch(within, wants[i]) })
	if err := errors.Join(failures...); err != nil {
		if within.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: it took more than %s: %w", engine.ErrAway, fetchTime, err)
		}
		return false, err
	}
	w.left -= time.Since(begin)
	for i, want := range wants {
		w.depths[want.Key()] = want.Depth
		for _, t := range replies[i] {
			w.texts[t.Position] = t
		}
	}
	return true, nil
}

// fetch asks the engine for what is wanted, unless it was asked lately, and verifies each passage.
func (g *Generation) fetch(ctx context.Context, want knowledge.Want) ([]knowledge.Text, error) {
	key := want.Key()
	if texts, known := g.recent.find(key, want.Depth); known {
		return texts, nil
	}
	q := engine.Query{Terms: want.Terms, Vector: want.Vector, Document: want.Document, Limit: min(overfetchNear*want.Depth, engine.MaxLimit)}
	if want.Terms != nil {
		q.Limit = min(overfetch*want.Depth, engine.MaxLimit)
	}
	if want.Document != "" {
		q.Limit = maxDocument
	}
	objects, err := g.engine.Search(ctx, g.about.Collections[want.Kind], q)
	if errors.Is(err, engine.ErrAway) && g.recent.here() { // one node has gone, which the others notice by now
		objects, err = g.engine.Search(ctx, g.about.Collections[want.Kind], q)
	}
	if err != nil {
		return nil, err
	}
	texts := make([]knowledge.Text, len(objects))
	failures := make([]error, len(objects))
	par.Each(len(objects), func(i int) { texts[i], failures[i] = g.verify(objects[i]) })
	for i, t := range texts {
		if failures[i] == nil && t.Passage.Kind != want.Kind {
			failures[i] = fmt.Errorf("a passage of kind %s among those of kind %s: %w", t.Passage.Kind, want.Kind, ErrAltered)
		}
	}
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	g.recent.add(fetched{key, want.Depth, texts})
	return texts, nil
}

func (r *recent) find(key string, depth int) ([]knowledge.Text, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.list {
		if f.key == key && f.depth >= depth {
			return f.texts, true
		}
	}
	return nil, false
}

// here reports whether the engine has answered lately.
func (r *recent) here() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.answered) < countAge
}

func (r *recent) add(f fetched) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(old fetched) bool { return old.key == f.key })
	if len(r.list) == maxRecent {
		r.list = r.list[1:]
	}
	r.list = append(r.list, f)
	r.answered = time.Now()
}

// verify returns the passage of an object, if the publisher signed it.
func (g *Generation) verify(o engine.Object) (knowledge.Text, error) {
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
	return t, nil
}
