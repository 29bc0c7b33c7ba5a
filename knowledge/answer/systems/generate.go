package systems

import (
	"context"
	"fmt"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/prompts"
)

// How long background is, in words. The paper asks for 256 and allows a reply of 256 tokens, which cuts
// off the last sentence; the product asks for what the tokens hold.
const (
	publishedWords = 256
	productWords   = 160
)

func (r *run) backgroundWords() int {
	if r.Options.AsPublished {
		return publishedWords
	}
	return productWords
}

// gapDocuments returns the requests of MedRGAG: one document on each gap, then documents on the question
// alone until there are k.
func (r *run) gapDocuments(gaps []gap.Gap, k int) []prompts.GenerateDoc {
	var documents []prompts.GenerateDoc
	for _, g := range gaps[:min(k, len(gaps))] {
		documents = append(documents, prompts.GenerateDoc{
			Question: r.question.Text, Options: r.question.Options, Point: g.Query, MaxWords: r.backgroundWords(),
		})
	}
	return append(documents, r.questionDocuments(k-len(documents))...)
}

// questionDocuments returns requests for n documents on the question alone, with its options in view.
func (r *run) questionDocuments(n int) []prompts.GenerateDoc {
	documents := make([]prompts.GenerateDoc, n)
	for i := range documents {
		documents[i] = prompts.GenerateDoc{
			Question: r.question.Text, Options: r.question.Options, MaxWords: r.backgroundWords(),
		}
	}
	return documents
}

// generate is the stage in which a model writes documents.
func (r *run) generate(ctx context.Context, documents []prompts.GenerateDoc) []answer.Evidence {
	r.begin(answer.StageGenerate)
	return r.write(ctx, documents)
}

// write has a model write all documents concurrently, from its own knowledge. What fails or comes back
// empty is left out.
func (r *run) write(ctx context.Context, documents []prompts.GenerateDoc) []answer.Evidence {
	background := par.Gather(len(documents), func(i int) (answer.Evidence, bool) {
		detail := documents[i].Point
		if detail == "" {
			detail = fmt.Sprintf("on the question, %d", i+1)
		}
		text, err := ask(ctx, r, call{
			stage: answer.StageGenerate, detail: detail, role: llm.Generator, input: documents[i], sampling: r.sampled(i),
		}, func(reply llm.Reply) (string, prompts.Path, error) { return prompts.ParseDocument(reply.Text) })
		if err != nil {
			r.degrade("left out", err)
			return answer.Evidence{}, false
		}
		return answer.Evidence{Text: text, Point: documents[i].Point}, true
	})
	r.addGenerated(background...)
	return background
}
