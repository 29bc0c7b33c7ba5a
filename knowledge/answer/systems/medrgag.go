package systems

import (
	"cmp"
	"context"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/par"
)

// medRGAGPaper is the paper of MedRGAG, of its ablations, and of the comparison with the baselines.
const medRGAGPaper = "From Retrieval to Generation: Unifying External and Parametric Knowledge for Medical Question Answering"

// What the paper fixes for all its systems.
const (
	delivered   = 5  // documents for the reader
	perSource   = 32 // candidates from each source
	pointsNamed = 3  // gaps that the explorer names
)

// mostCandidates is how many documents the product reranks: a cross-encoder takes some milliseconds
// for each, and people have more sources than the paper.
const mostCandidates = 128

func medrgagSystems() []System {
	return slices.Concat([]System{
		medrgag{choose: kads}.system("medrgag", "MedRGAG", 13, 7),
		medrgag{withoutGeneration: true}.system("medrgag/no-generation", "MedRGAG without generation", 1, 3),
		medrgag{withoutRetrieval: true, choose: asWritten}.system("medrgag/no-retrieval", "MedRGAG without retrieval", 7, 3),
		medrgag{withoutPoints: true, choose: kads}.system("medrgag/no-kgcc", "MedRGAG without completing gaps", 7, 5),
		medrgag{choose: best("")}.system("medrgag/no-kads", "MedRGAG without selecting documents", 12, 7),
		medrgag{choose: random}.system("medrgag/random", "MedRGAG, random selection", 12, 7),
		medrgag{choose: best("bge")}.system("medrgag/bge", "MedRGAG, selection by BGE", 12, 7),
		medrgag{choose: best("medcpt")}.system("medrgag/medcpt", "MedRGAG, selection by MedCPT", 12, 7),
		medrgag{choose: everything}.system("medrgag/merge-all", "MedRGAG, nothing left out", 12, 7),
	}, retrievalBaselines(), backgroundBaselines())
}

// medrgag is MedRGAG, or what is left of it in one of its ablations.
type medrgag struct {
	withoutRetrieval  bool
	withoutGeneration bool
	withoutPoints     bool // background on the question alone
	choose            selection
}

func (s medrgag) system(id, name string, calls, stages int) System {
	return System{ID: id, Name: name, Paper: medRGAGPaper, Models: true, Calls: calls, stages: stages, steps: s.answer}
}

// answer is the algorithm of the paper: retrieve from every source alike, summarise, name what is
// missing, write background about it, choose among both, read.
func (s medrgag) answer(ctx context.Context, r *run) error {
	var found, documents []answer.Evidence
	if !s.withoutRetrieval {
		sought, err := r.sought(ctx)
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
		func() { background = r.write(ctx, r.onGaps(gaps, delivered)) },
		func() {
			if !s.withoutRetrieval && !r.Options.AsPublished {
				second = r.lookUp(ctx, gaps)
			}
		},
	)
	err := r.answerFrom(ctx, s.choose(ctx, r, documents, background))
	r.settle(dedup(found, second), background)
	return err
}

// lookUp searches for every gap by itself. The explorer has seen summaries of five documents, and a
// person is told what the sources lack: this tells the one from the other. It is no stage of the
// system, as in the paper nobody looks again, and the reader does not get what it finds. Where it
// fails, the gaps stay open.
func (r *run) lookUp(ctx context.Context, gaps []gap.Gap) []answer.Evidence {
	lists := make([][]answer.Evidence, len(gaps))
	par.Each(len(gaps), func(i int) {
		found, err := public(ctx, r.library, knowledge.Query{
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

// retrieveBalanced finds the same number of candidates in every source, of either kind: all sources
// and all further queries at once. The paper searches by BM25; mixed with the encoder more of what
// is relevant is among the candidates (see the weights of the reranker), so the product does that.
func (r *run) retrieveBalanced(ctx context.Context, sought string) ([]answer.Evidence, error) {
	r.begin(answer.StageRetrieve)
	sources := r.sources()
	queries := append([]string{sought}, r.further()...)
	found := make([][]answer.Evidence, len(sources)*len(queries))
	errs := make([]error, len(found))
	par.Each(len(found), func(i int) {
		found[i], errs[i] = r.search(ctx, knowledge.Query{
			Text: queries[i/len(sources)], Sources: sources[i%len(sources):][:1],
			K: r.candidates(len(found)), Retriever: r.retriever(),
		}, 1)
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return dedup(found...), nil
}

// candidates is how many each of so many searches may bring: as many as in the paper, which has two
// sources, as long as they are not too many for a reranker.
func (r *run) candidates(searches int) int {
	if r.Options.AsPublished {
		return perSource
	}
	return min(perSource, max(delivered, mostCandidates/searches))
}

// retriever is how the systems of the MedRGAG paper search: by BM25 in the paper.
func (r *run) retriever() knowledge.Retriever {
	if r.Options.AsPublished {
		return knowledge.BM25
	}
	return cmp.Or(r.Options.Retriever, knowledge.Hybrid)
}
