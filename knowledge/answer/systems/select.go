package systems

import (
	"context"
	"slices"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/prompts"
)

// selection chooses among the documents of the sources and the background that a model wrote what
// the reader gets, and orders it.
type selection func(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence

// kads is knowledge-aware document selection: the integrator lists what the question needs, maps
// the documents to that and chooses those that cover it without saying things twice. The chosen are
// ordered by the reranker, as in the released code; it looks at all of them meanwhile, and chooses
// itself where the integrator cannot.
func kads(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
	pool := slices.Concat(documents, background)
	if len(pool) <= delivered {
		return r.rerank(ctx, r.asked(), pool, delivered, "")
	}
	r.begin(answer.StageSelect)
	var scores []float64
	var selected []int
	var err error
	par.Do(
		func() { selected, err = r.integrate(ctx, pool) },
		func() { scores = r.scores(ctx, r.asked(), pool, "") },
	)
	if err != nil {
		r.degrade(answer.StageSelect, "the best by the reranker", err)
		return ordered(pool, scores)[:delivered]
	}
	r.counted(answer.StageSelect, len(selected))
	var chosen []answer.Evidence
	var theirs []float64
	for _, number := range selected {
		chosen, theirs = append(chosen, pool[number-1]), append(theirs, scores[number-1])
	}
	return ordered(chosen, theirs)
}

// integrate asks the integrator for the numbers, from 1, of the documents to read.
func (r *run) integrate(ctx context.Context, pool []answer.Evidence) ([]int, error) {
	listing := r.contexts(pool, 1)
	return ask(ctx, r, call{
		stage: answer.StageSelect, role: llm.Integrator,
		input: prompts.SelectDocs{
			Question: r.question.Text, Options: r.question.Options, Documents: listing, Top: delivered,
		},
	}, func(reply llm.Reply) ([]int, prompts.Path, error) {
		selection, path, err := prompts.ParseSelection(reply.Text, len(listing), delivered)
		return selection.Selected, path, err
	})
}

// best chooses by the reranker of that name in the options; "" is the one configured. Where there is
// none of the name, what chooses is what chooses without a name, and that is told.
func best(name string) selection {
	return func(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
		model := r.Options.Selectors[name]
		chosen := r.rerank(ctx, r.asked(), slices.Concat(documents, background), delivered, model)
		switch {
		case name == "":
		case !r.Model.CanRerank():
			r.lack(answer.NoSelector, answer.StageRerank, "the signals of the search")
		case model == "":
			r.lack(answer.NoSelector, answer.StageRerank, "the configured reranker")
		}
		return chosen
	}
}

// random chooses as the question's seed will have it.
func random(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
	pool := slices.Concat(documents, background)
	drawn := r.draws().Perm(len(pool))[:min(delivered, len(pool))]
	slices.Sort(drawn)
	chosen := make([]answer.Evidence, len(drawn))
	for i, number := range drawn {
		chosen[i] = pool[number]
	}
	return r.rerank(ctx, r.asked(), chosen, delivered, "")
}

// everything leaves nothing out.
func everything(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
	pool := slices.Concat(documents, background)
	return r.rerank(ctx, r.asked(), pool, len(pool), "")
}

// asWritten is the background in the order it was asked for.
func asWritten(_ context.Context, _ *run, _, background []answer.Evidence) []answer.Evidence {
	return background
}
