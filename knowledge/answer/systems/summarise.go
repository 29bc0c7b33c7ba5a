package systems

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// summarise asks of all documents at once what each says about the question. It returns them with
// those marked that say nothing useful, and the summaries of the others, both in their order.
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

// summary is what one document says about the question, and whether that is of any use.
func (r *run) summary(ctx context.Context, document answer.Evidence) (text string, useful bool) {
	text, err := ask(ctx, r, call{
		stage: answer.StageSummarise, detail: document.Hit.Passage.Record, role: llm.Summariser,
		input: prompts.SummariseDoc{
			Question: r.question.Text, Options: r.question.Options, Document: r.contexts([]answer.Evidence{document}, 1)[0],
		},
	}, func(reply llm.Reply) (summary string, path prompts.Path, err error) {
		summary, useful, path, err = prompts.ParseSummary(reply.Text)
		return summary, path, err
	})
	if err != nil {
		r.degrade(answer.StageSummarise, "its sentences nearest to the question", err)
		return r.extract(document), true
	}
	return text, useful
}

// extracted is how many sentences stand in for a summary that could not be had.
const extracted = 3

// extract returns the sentences of a document that hold most of the question's idf weight, in the
// order of the text.
func (r *run) extract(document answer.Evidence) string {
	from := document.Hit.Passage
	shelf := r.library.Collection(from.Kind)
	asked := make(map[string]bool)
	for _, term := range lexical.Terms(r.asked()) {
		asked[term] = true
	}
	spans := passage.Sentences(from.Text, from.Format)
	weights := make([]float64, len(spans))
	order := make([]int, len(spans))
	for i, span := range spans {
		order[i] = i
		met := make(map[string]bool)
		for _, term := range lexical.Terms(from.Text[span.Start:span.End]) {
			if asked[term] && !met[term] {
				met[term] = true
				weights[i] += shelf.IDF(term)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(weights[a], weights[b]) })
	order = order[:min(extracted, len(order))]
	slices.Sort(order)
	var sentences []string
	for _, i := range order {
		sentences = append(sentences, from.Text[spans[i].Start:spans[i].End])
	}
	return strings.Join(sentences, " ")
}

// exploredProbability is how probable it is taken to be that a point of the explorer is missing. It
// always names some, so that they are worth a hint and no more.
const exploredProbability = .75

// explorerTemperature is that of the paper; the product leaves the explorer at the role's own, which
// is lower, so that a question has the same gaps tomorrow.
const explorerTemperature = 1.2

// explore asks which points of knowledge the summaries of the documents lack. Without a reply there
// are none: that a model failed says nothing about the sources.
func (r *run) explore(ctx context.Context, documents []answer.Evidence, summaries []string) []gap.Gap {
	r.begin(answer.StageExplore)
	most := cmp.Or(r.Options.Points, pointsNamed)
	var sampling llm.Sampling
	if r.Options.AsPublished {
		temperature := explorerTemperature
		sampling.Temperature = &temperature
	}
	found, err := ask(ctx, r, call{
		stage: answer.StageExplore, role: llm.Explorer, sampling: sampling,
		input: prompts.ExploreGaps{
			Question: r.question.Text, Options: r.question.Options, Summaries: summaries, Most: most,
		},
	}, func(reply llm.Reply) (prompts.Exploration, prompts.Path, error) {
		return prompts.ParseExploration(reply.Text, most)
	})
	if err != nil {
		r.degrade(answer.StageExplore, "background on the question alone", err)
	}
	r.counted(answer.StageExplore, len(found.Points))
	gaps := make([]gap.Gap, 0, len(found.Points))
	for _, point := range found.Points {
		if point = support.PlainText(point); point != "" {
			gaps = append(gaps, gap.FromModel(point, point, exploredProbability, answer.Passages(documents)))
		}
	}
	return gaps
}
