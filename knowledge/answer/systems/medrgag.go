package systems

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/prompts"
)

// medRGAGPaper is the title of the paper of MedRGAG, its ablations and its baselines. Its Table 1 compares
// them.
const medRGAGPaper = "From Retrieval to Generation: Unifying External and Parametric Knowledge for Medical Question Answering"

// What the paper fixes for all its systems.
const (
	delivered   = 5  // documents for the reader
	perSource   = 32 // candidates from each source
	pointsNamed = 3  // gaps that the explorer names
)

// mostCandidates bounds the documents that the product reranks: a cross-encoder takes milliseconds for
// each, and users have more sources than the paper's two.
const mostCandidates = 128

func medrgagSystems() []System {
	all := ofPaper(medRGAGPaper,
		System{ID: "medrgag", Name: "MedRGAG", Calls: 13, stages: 7, steps: medrgag{choose: kads}.answer},
		System{ID: "medrgag/no-generation", Name: "MedRGAG without generation", Calls: 1, stages: 3, steps: medrgag{withoutGeneration: true}.answer},
		System{ID: "medrgag/no-retrieval", Name: "MedRGAG without retrieval", Calls: 7, stages: 3, steps: medrgag{withoutRetrieval: true, choose: onlyBackground}.answer},
		System{ID: "medrgag/no-kgcc", Name: "MedRGAG without completing gaps", Calls: 7, stages: 5, steps: medrgag{withoutPoints: true, choose: kads}.answer},
		System{ID: "medrgag/no-kads", Name: "MedRGAG without selecting documents", Calls: 12, stages: 7, steps: medrgag{choose: byReranker("")}.answer},
		System{ID: "medrgag/random", Name: "MedRGAG, random selection", Calls: 12, stages: 7, steps: medrgag{choose: randomly}.answer},
		System{ID: "medrgag/bge", Name: "MedRGAG, selection by BGE", Calls: 12, stages: 7, steps: medrgag{choose: byReranker("bge")}.answer},
		System{ID: "medrgag/medcpt", Name: "MedRGAG, selection by MedCPT", Calls: 12, stages: 7, steps: medrgag{choose: byReranker("medcpt")}.answer},
		System{ID: "medrgag/merge-all", Name: "MedRGAG, nothing left out", Calls: 12, stages: 7, steps: medrgag{choose: keepAll}.answer},
	)
	for i := range all {
		all[i].Published = Published{Retriever: knowledge.BM25, Differs: slices.Concat(
			[]Difference{{"candidates", "`answer.retriever`, 128 in all", "BM25 (0.9, 0.4), 32 of each source"}},
			background,
			[]Difference{
				{"points of missing knowledge", "up to `answer.points`, explorer at 0.7", "3, explorer at 1.2"},
				{"points looked up in the sources", "yes, to settle gaps", "no"},
				{"verdicts of the summariser", "shown to the integrator", "not shown"},
				{"prompts of summariser and integrator", "question, document; documents, question", "document, question; question, documents, question"},
			},
		)}
	}
	all[1].Published.Differs = all[1].Published.Differs[:1] // without generation
	return all
}

// medrgag is MedRGAG, or one of its ablations or selection strategies.
type medrgag struct {
	withoutRetrieval  bool
	withoutGeneration bool
	withoutPoints     bool // background on the question alone
	choose            selection
}

// answer is the algorithm of the paper. Knowledge-guided context completion (KGCC): retrieve the same
// number of candidates from every source, rerank, summarise, explore what is missing, and generate
// background about it. Knowledge-aware document selection (KADS): choose among both. Then read.
func (s medrgag) answer(ctx context.Context, r *run) error {
	var found, documents []answer.Evidence
	if !s.withoutRetrieval {
		sought, err := r.searchText(ctx)
		if err != nil {
			return err
		}
		if found, err = r.retrieveBalanced(ctx, sought); err != nil {
			return err
		}
		documents = r.rerank(ctx, sought, found, delivered, "")
		r.show(documents, nil)
	}
	if s.withoutGeneration {
		return r.answerFrom(ctx, documents)
	}
	var gaps []gap.Gap
	if !s.withoutPoints {
		var summaries []string
		documents, summaries = r.summarise(ctx, documents)
		gaps = r.explore(ctx, documents, summaries)
	}
	if !s.withoutRetrieval { // what was not searched for is no gap of the sources
		r.show(documents, gaps)
	}
	var background, second []answer.Evidence
	r.begin(answer.StageGenerate)
	par.Do(
		func() { background = r.write(ctx, r.gapDocuments(gaps, delivered)) },
		func() {
			if !s.withoutRetrieval && !r.Options.AsPublished {
				second = r.searchGaps(ctx, gaps)
			}
		},
	)
	err := r.answerFrom(ctx, s.choose(ctx, r, documents, background))
	r.resolve(dedup(found, second), background)
	return err
}

// searchGaps searches for each gap by itself. The explorer has seen summaries of five documents; this
// tells what it did not see from what the sources lack. It is no stage of the paper, and the reader does
// not get what it finds. If a search fails, its gap stays open.
func (r *run) searchGaps(ctx context.Context, gaps []gap.Gap) []answer.Evidence {
	lists := make([][]answer.Evidence, len(gaps))
	par.Each(len(gaps), func(i int) {
		found, err := searchPublic(ctx, r.library, knowledge.Query{
			Text: gaps[i].Query, Sources: r.question.Sources, K: delivered, Retriever: r.retriever(),
		})
		if err != nil {
			return
		}
		for at := range found {
			lists[i] = append(lists[i], answer.Evidence{Hit: &found[at], Query: gaps[i].Query})
		}
	})
	return dedup(lists...)
}

// retrieveBalanced is the source-balanced retrieval of the paper: the same number of candidates from every
// source, for the question and all further queries concurrently. The paper searches by BM25. The product
// mixes in the encoder, which brings more relevant candidates (see the weights of the reranker).
func (r *run) retrieveBalanced(ctx context.Context, sought string) ([]answer.Evidence, error) {
	r.begin(answer.StageRetrieve)
	sources := r.sources()
	queries := append([]string{sought}, r.furtherQueries()...)
	searches := len(sources) * len(queries)
	found, err := concurrently(searches, func(i int) ([]answer.Evidence, error) {
		return r.search(ctx, knowledge.Query{
			Text: queries[i/len(sources)], Sources: sources[i%len(sources):][:1],
			K: r.candidates(searches), Retriever: r.retriever(),
		}, 1)
	})
	if err != nil {
		return nil, err
	}
	return dedup(found...), nil
}

// candidates returns how many documents each of a number of searches may bring: 32 as in the paper, which
// has two sources, as long as all together are not too many for a reranker.
func (r *run) candidates(searches int) int {
	if r.Options.AsPublished {
		return perSource
	}
	return min(perSource, max(delivered, mostCandidates/searches))
}

// selection chooses what the reader gets among the documents of the sources and generated background, and
// orders it.
type selection func(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence

// kads is knowledge-aware document selection (KADS): the integrator lists what the question needs, maps
// the documents to it and chooses documents that cover it without redundancy. The reranker orders the
// chosen ones, as in the released code (ll0ruc/MedRGAG), which the paper does not mention; it scores all
// documents at the same time, and chooses if the integrator fails.
func kads(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
	pool := slices.Concat(documents, background)
	if len(pool) <= delivered {
		return r.rerank(ctx, r.withOptions(), pool, delivered, "")
	}
	r.begin(answer.StageSelect)
	var scores []float64
	var selected []int
	var err error
	par.Do(
		func() { selected, err = r.integrate(ctx, pool) },
		func() { scores = r.scores(ctx, r.withOptions(), pool, "") },
	)
	if err != nil {
		r.degrade("the best by the reranker", err)
		return byScore(pool, scores)[:delivered]
	}
	var chosen []answer.Evidence
	var theirs []float64
	for _, number := range selected {
		chosen, theirs = append(chosen, pool[number-1]), append(theirs, scores[number-1])
	}
	return byScore(chosen, theirs)
}

// integrate asks the integrator for the numbers, from 1, of the documents to read.
func (r *run) integrate(ctx context.Context, pool []answer.Evidence) ([]int, error) {
	listing := r.contexts(pool, 1)
	return ask(ctx, r, call{
		stage: answer.StageSelect, role: llm.Integrator,
		input: prompts.SelectDocs{
			Question: r.question.Text, Options: r.question.Options, Documents: listing, Top: delivered,
			QuestionFirst: r.Options.AsPublished,
		},
	}, func(text string) ([]int, prompts.Path, error) {
		selection, path, err := prompts.ParseSelection(text, len(listing), delivered)
		return selection.Selected, path, err
	})
}

// byReranker chooses by the reranker that the options name for a strategy; "" is the configured one. If
// there is none of that name, the selection falls back to the configured one, and the result says so.
func byReranker(name string) selection {
	return func(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
		model := r.Options.Selectors[name]
		chosen := r.rerank(ctx, r.withOptions(), slices.Concat(documents, background), delivered, model)
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

// randomly draws documents, seeded by the question.
func randomly(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
	pool := slices.Concat(documents, background)
	drawn := r.random().Perm(len(pool))[:min(delivered, len(pool))]
	slices.Sort(drawn)
	chosen := make([]answer.Evidence, len(drawn))
	for i, number := range drawn {
		chosen[i] = pool[number]
	}
	return r.rerank(ctx, r.withOptions(), chosen, delivered, "")
}

// keepAll leaves nothing out.
func keepAll(ctx context.Context, r *run, documents, background []answer.Evidence) []answer.Evidence {
	pool := slices.Concat(documents, background)
	return r.rerank(ctx, r.withOptions(), pool, len(pool), "")
}

// onlyBackground keeps the background, in the order in which it was asked for.
func onlyBackground(_ context.Context, _ *run, _, background []answer.Evidence) []answer.Evidence {
	return background
}

// summarise asks what each document says about the question, concurrently. It returns the documents, those
// without useful information marked, and the summaries of the others, both in their order.
func (r *run) summarise(ctx context.Context, documents []answer.Evidence) (marked []answer.Evidence, summaries []string) {
	r.begin(answer.StageSummarise)
	marked = slices.Clone(documents)
	summaries = par.Gather(len(documents), func(i int) (string, bool) {
		summary, useful := r.summary(ctx, documents[i])
		marked[i].Irrelevant = !useful
		return summary, useful
	})
	return marked, summaries
}

// summary returns what one document says about the question, and whether that is useful.
func (r *run) summary(ctx context.Context, document answer.Evidence) (text string, useful bool) {
	text, err := ask(ctx, r, call{
		stage: answer.StageSummarise, detail: document.Hit.Passage.Record, role: llm.Summariser,
		input: prompts.SummariseDoc{
			Question: r.question.Text, Options: r.question.Options, Document: r.contexts([]answer.Evidence{document}, 1)[0],
			QuestionLast: r.Options.AsPublished,
		},
	}, func(text string) (summary string, path prompts.Path, err error) {
		summary, useful, path, err = prompts.ParseSummary(text)
		return summary, path, err
	})
	if err != nil {
		r.degrade("its sentences nearest to the question", err)
		return r.extractSummary(document), true
	}
	return text, useful
}

// summarySentences is the number of sentences that replace a failed summary.
const summarySentences = 3

// extractSummary returns the sentences of a document that hold most of the question's idf weight, in the
// order of the text.
func (r *run) extractSummary(document answer.Evidence) string {
	from := document.Hit.Passage
	collection := r.library.Collection(from.Kind)
	asked := make(map[string]bool)
	for _, term := range lexical.Terms(r.withOptions()) {
		asked[term] = true
	}
	spans := from.Sentences()
	weights := make([]float64, len(spans))
	order := make([]int, len(spans))
	for i, span := range spans {
		order[i] = i
		met := make(map[string]bool)
		for _, term := range lexical.Terms(from.Text[span.Start:span.End]) {
			if asked[term] && !met[term] {
				met[term] = true
				weights[i] += collection.IDF(term)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(weights[a], weights[b]) })
	order = order[:min(summarySentences, len(order))]
	slices.Sort(order)
	var sentences []string
	for _, i := range order {
		sentences = append(sentences, from.Text[spans[i].Start:spans[i].End])
	}
	return strings.Join(sentences, " ")
}

// explore asks which points of knowledge the summaries lack. If the model fails there are none: that says
// nothing about the sources.
func (r *run) explore(ctx context.Context, documents []answer.Evidence, summaries []string) []gap.Gap {
	r.begin(answer.StageExplore)
	most := cmp.Or(r.Options.Points, pointsNamed)
	found, err := ask(ctx, r, call{
		stage: answer.StageExplore, role: llm.Explorer,
		input: prompts.ExploreGaps{
			Question: r.question.Text, Options: r.question.Options, Summaries: summaries, Most: most, Exactly: r.Options.AsPublished,
		},
	}, func(text string) (prompts.Exploration, prompts.Path, error) {
		return prompts.ParseExploration(text, most)
	})
	if err != nil {
		r.degrade("background on the question alone", err)
	}
	gaps := make([]gap.Gap, 0, len(found.Points))
	for _, point := range found.Points {
		if point = support.PlainText(point); point != "" {
			gaps = append(gaps, gap.FromModel(point, point, exploredProbability, answer.Passages(documents)))
		}
	}
	return gaps
}

// exploredProbability is the probability given to a point that the explorer names. It always names some,
// so each is worth a hint and no more.
const exploredProbability = .75
