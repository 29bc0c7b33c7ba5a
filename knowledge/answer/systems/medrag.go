package systems

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// medragSystems returns the baselines of the MedRGAG paper (Table 1) that read only the sources, or
// nothing at all.
func medragSystems() []System {
	return ofPaper(medRGAGPaper,
		System{
			ID: "direct-response", Name: "Direct Response", Calls: 1, stages: 1,
			steps: func(ctx context.Context, r *run) error { return r.answerFrom(ctx, nil) },
		},
		System{ID: "vanilla-rag", Name: "Vanilla RAG", Calls: 1, stages: 2, steps: vanillaRAG},
		System{ID: "medrag", Name: "MedRAG", Calls: 1, stages: 2, steps: medRAG},
		System{ID: "i-medrag", Name: "i-MedRAG", Calls: rounds*(1+queriesPerRound) + 1, stages: 2*rounds + 1, steps: iMedRAG, Published: Published{
			Differs: []Difference{{"temperature of the asker", "0.7", "0"}},
		}},
	)
}

// vanillaRAG reads the best of all sources together. The paper says that it goes by vector similarity and
// also that all systems share BM25; this is the latter, whatever the options say about the retriever.
func vanillaRAG(ctx context.Context, r *run) error {
	sought, err := r.searchText(ctx)
	if err != nil {
		return err
	}
	r.begin(answer.StageRetrieve)
	documents, err := r.search(ctx, knowledge.Query{Text: sought, K: delivered, Retriever: knowledge.BM25}, 1)
	if err != nil {
		return err
	}
	r.show(documents, nil)
	return r.answerFrom(ctx, documents)
}

// medRAG reads what several retrievers find together. The options are hidden from them, as in the released
// code (Teddy-XiongGZ/MedRAG).
func medRAG(ctx context.Context, r *run) error {
	query := r.question.Text
	if r.Rewrites(r.question) {
		var err error
		if query, err = r.searchText(ctx); err != nil {
			return err
		}
	}
	r.begin(answer.StageRetrieve)
	documents, err := r.fused(ctx, query, delivered)
	if err != nil {
		return err
	}
	r.show(documents, nil)
	return r.answerFrom(ctx, documents)
}

// How MedRAG joins rankings, from its released code.
const (
	fusionDepth    = 100 // of each ranking, or twice what is wanted if that is more
	fusionConstant = 100 // of reciprocal rank fusion
)

// fused returns the best k by reciprocal rank fusion of what BM25 and the encoder find. MedRAG ranks every
// source by itself and merges the rankings of one retriever by score; as the scores of all our sources
// compare, that is one ranking over all of them.
func (r *run) fused(ctx context.Context, query string, k int) ([]answer.Evidence, error) {
	retrievers := []knowledge.Retriever{knowledge.BM25, knowledge.Dense}
	rankings, err := concurrently(len(retrievers), func(i int) ([]answer.Evidence, error) {
		return r.search(ctx, knowledge.Query{Text: query, K: max(2*k, fusionDepth), Retriever: retrievers[i]}, 1)
	})
	if err != nil {
		return nil, err
	}
	// Where there is no encoder yet BM25 stands in for it, and must not count twice.
	rankings[1] = slices.DeleteFunc(rankings[1], func(e answer.Evidence) bool { return e.Hit.Retriever != knowledge.Dense })
	fused := dedup(fuse(rankings))
	return fused[:min(k, len(fused))], nil
}

// fuse is reciprocal rank fusion (Cormack et al. 2009): the score of a document is the sum of 1/(constant
// + rank) over the rankings, ranks from 1. Documents with equal scores keep the order in which they were
// met.
func fuse(rankings [][]answer.Evidence) []answer.Evidence {
	var all []answer.Evidence
	at := make(map[passage.ID]int)
	for _, ranking := range rankings {
		for i, document := range ranking {
			id := document.Hit.Passage.ID
			if _, met := at[id]; !met {
				at[id] = len(all)
				document.Score = 0
				all = append(all, document)
			}
			all[at[id]].Score += 1 / float64(fusionConstant+i+1)
		}
	}
	slices.SortStableFunc(all, func(a, b answer.Evidence) int { return -cmp.Compare(a.Score, b.Score) })
	return all
}

// How long i-MedRAG asks on, from its released code.
const (
	rounds          = 4
	queriesPerRound = 3
)

// iMedRAG asks itself further questions in rounds, answers the questions of a round concurrently by
// MedRAG, and answers the question from these answers. A round whose queries fail is skipped.
func iMedRAG(ctx context.Context, r *run) error {
	var known []prompts.SubAnswer
	var read []answer.Evidence
	for round := range rounds {
		queries := r.followUps(ctx, round, known)
		r.begin(answer.StageDraft)
		answers := par.Gather(len(queries), func(i int) (subAnswer, bool) { return r.subAnswer(ctx, round, queries[i]) })
		for _, answer := range answers {
			known = append(known, answer.SubAnswer)
			read = append(read, answer.best...)
		}
		read = dedup(read)
		r.show(read, nil)
	}
	if len(r.question.Options) > 0 {
		return r.readChoice(ctx, prompts.AnswerChoice{SubAnswers: known}, read)
	}
	return r.readSubAnswers(ctx, read, known)
}

// followUps asks for the queries of a round and drops those that have been answered.
func (r *run) followUps(ctx context.Context, round int, known []prompts.SubAnswer) []string {
	r.begin(answer.StageAsk)
	queries, err := ask(ctx, r, call{
		stage: answer.StageAsk, detail: fmt.Sprintf("round %d", round+1), role: llm.Explorer,
		input: prompts.FollowupAsk{
			Question: r.question.Text, Options: r.question.Options, SubAnswers: known, Most: queriesPerRound,
		},
	}, func(text string) ([]string, prompts.Path, error) {
		_, queries, path, err := prompts.ParseQueries(text, queriesPerRound)
		return queries, path, err
	})
	if err != nil {
		r.degrade("the next round", err)
		return nil
	}
	return slices.DeleteFunc(queries, func(query string) bool {
		return slices.ContainsFunc(known, func(s prompts.SubAnswer) bool { return strings.EqualFold(s.Query, query) })
	})
}

// subAnswer is the answer to a query, with the best document it was read from.
type subAnswer struct {
	prompts.SubAnswer
	best []answer.Evidence
}

// subAnswer answers one query by MedRAG.
func (r *run) subAnswer(ctx context.Context, round int, query string) (subAnswer, bool) {
	documents, err := r.fused(ctx, query, delivered)
	if err != nil {
		r.degrade("left out", err)
		return subAnswer{}, false
	}
	text, err := r.readFor(ctx, answer.StageDraft, query, llm.Sampling{}, prompts.AnswerContext{
		Question: query, Contexts: r.contexts(documents, 1), Style: prompts.Paragraph, Language: r.Options.Language,
	})
	if err != nil {
		r.degrade("left out", err)
		return subAnswer{}, false
	}
	for i := range documents {
		documents[i].Round = round + 1
	}
	return subAnswer{prompts.SubAnswer{Query: query, Answer: support.PlainText(text)}, documents[:min(1, len(documents))]}, true
}

// readSubAnswers answers a question without options. i-MedRAG reads its further questions and their
// answers; a model wrote these, so they are background, and some of the passages they were read from come
// first, to be cited.
func (r *run) readSubAnswers(ctx context.Context, read []answer.Evidence, known []prompts.SubAnswer) error {
	documents := read[:min(delivered, len(read))]
	for _, s := range known {
		documents = append(documents[:len(documents):len(documents)], answer.Evidence{Text: s.Answer, Query: s.Query, Point: s.Query})
	}
	return r.answerFrom(ctx, documents)
}
