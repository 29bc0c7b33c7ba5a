package remote

import (
	"context"
	"errors"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
)

// maxRounds bounds how often a question is answered with more passages. Three are usual: what is searched for
// first, the pages of what was found, and what these lead to. A search whose best stand far down takes further ones, and
// so does a model that names what is missing.
const maxRounds = 24

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
	w := newWorking(g)
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
	w := newWorking(g)
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
