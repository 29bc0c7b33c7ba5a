package systems

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/prompts"
)

// manualChainOfThought answers from what the model knows (r₀ of the paper), by steps like those of worked
// examples.
func manualChainOfThought(ctx context.Context, r *run) error { return r.thinkByExamples(ctx, nil) }

// manualChainOfThoughtWithSources retrieves once and does the same with what it finds (r₁ of the paper).
func manualChainOfThoughtWithSources(ctx context.Context, r *run) error {
	evidence, err := r.first(ctx, merged, r.passageCount())
	if err != nil {
		return err
	}
	r.show(evidence, nil)
	return r.thinkByExamples(ctx, evidence)
}

// thinkByExamples answers step by step, as the worked examples in its prompt do.
func (r *run) thinkByExamples(ctx context.Context, evidence []answer.Evidence) error {
	return r.think(ctx, prompts.AnswerManualCoT{
		Question: r.question.Text, Options: r.question.Options, Contexts: r.contexts(evidence, 1),
		Style: r.style(), Language: r.Options.Language,
	}, evidence)
}

// ThinkThenActThreshold is the confidence below which Think-then-Act retrieves, the best that its paper
// reports.
const ThinkThenActThreshold = .5

// thinkThenAct judges the question from two angles: whether it can be searched for as it stands, and
// whether the model is sure enough of its answer. Only if it is not, it retrieves, by the question as it
// should have been put.
func thinkThenAct(ctx context.Context, r *run) error {
	class, queries := r.checkQuery(ctx)
	sure := r.confidences(ctx, []string{queries[0]})[0]
	r.setDecision(answer.Decision{
		Retrieve: sure < ThinkThenActThreshold, Policy: "think-then-act", Score: 1 - sure, Threshold: 1 - ThinkThenActThreshold,
		Why: DescribeConfidence(sure), Check: class, Confidence: &sure,
	})
	if sure >= ThinkThenActThreshold {
		return r.answerFrom(ctx, nil)
	}
	k := r.passageCount()
	evidence, _, err := r.retrieve(ctx, 1, merged, max(k, len(queries)), nil, queries...)
	if err != nil {
		return err
	}
	r.show(evidence, nil)
	return r.answerFrom(ctx, evidence)
}

// checkQuery returns what the model finds wrong with the question, and what to search for: the question,
// its completed form, or one query for each of its meanings.
func (r *run) checkQuery(ctx context.Context) (prompts.Class, []string) {
	r.begin(answer.StageAsk)
	check, err := ask(ctx, r, call{stage: answer.StageAsk, role: llm.Explorer, input: prompts.QueryCheck{Question: r.withOptions()}},
		func(reply llm.Reply) (prompts.Check, prompts.Path, error) { return prompts.ParseCheck(reply.Text) })
	if err != nil {
		r.degrade("the question as it stands", err)
	}
	if len(check.Queries) == 0 {
		return cmp.Or(check.Class, prompts.Clear), []string{r.withOptions()}
	}
	return check.Class, check.Queries
}

// confidences asks for each question, concurrently, how sure the model is that it can answer it. If it
// cannot be asked, it is not sure at all.
func (r *run) confidences(ctx context.Context, questions []string) []float64 {
	r.begin(answer.StageDecide)
	sure := make([]float64, len(questions))
	par.Each(len(questions), func(i int) {
		var err error
		sure[i], err = ask(ctx, r, call{
			stage: answer.StageDecide, detail: questions[i], role: llm.Reader, input: prompts.Confidence{Question: questions[i]},
		}, func(reply llm.Reply) (float64, prompts.Path, error) { return prompts.ParseConfidence(reply.Text) })
		if err != nil {
			sure[i] = 0
			r.degrade("no confidence", err)
		}
	})
	return sure
}

// Self-DC divides questions by confidence into three bands: center ± width, below and above. A question in
// the middle is decomposed into at most selfDCParts parts, which are not decomposed again, so a question
// costs at most twelve calls: its confidence and its parts; for each part a confidence, a document and an
// answer; and the answer to the whole.
const (
	selfDCCenter = .6
	selfDCWidth  = .1
	selfDCParts  = 3
	selfDCCalls  = 3 + 3*selfDCParts
)

// SelfDCThreshold is the confidence from which Self-DC answers from what the model knows alone.
const SelfDCThreshold = selfDCCenter + selfDCWidth

// DescribeConfidence says in words how sure a model is, from 0 to 1.
func DescribeConfidence(confidence float64) string {
	return fmt.Sprintf("the model puts its confidence at %.0f %%", 100*confidence)
}

// selfDC (self divide-and-conquer) retrieves what the model does not know, generates what it knows, and
// decomposes what it is unsure about.
func selfDC(ctx context.Context, r *run) error {
	sure := r.confidences(ctx, []string{r.withOptions()})[0]
	d := answer.Decision{
		Retrieve: sure < SelfDCThreshold, Policy: "self-dc", Score: 1 - sure, Threshold: 1 - SelfDCThreshold,
		Why: DescribeConfidence(sure), Confidence: &sure,
	}
	r.setDecision(d)
	switch {
	case !d.Retrieve:
		return r.answerFrom(ctx, r.generate(ctx, r.questionDocuments(1)))
	case sure > selfDCCenter-selfDCWidth:
		if parts := r.decompose(ctx); len(parts) > 0 {
			return r.combine(ctx, parts)
		}
	}
	evidence, err := r.first(ctx, merged, r.passageCount())
	if err != nil {
		return err
	}
	r.show(evidence, nil)
	return r.answerFrom(ctx, evidence)
}

// decompose splits the question into parts; none if that yields only the question again.
func (r *run) decompose(ctx context.Context) []string {
	r.begin(answer.StageAsk)
	parts, err := ask(ctx, r, call{
		stage: answer.StageAsk, role: llm.Reader, input: prompts.Decompose{Question: r.withOptions(), Most: selfDCParts},
	}, func(reply llm.Reply) ([]string, prompts.Path, error) {
		_, queries, path, err := prompts.ParseQueries(reply.Text, selfDCParts)
		return queries, path, err
	})
	if err != nil {
		r.degrade("the question as a whole", err)
		return nil
	}
	return slices.DeleteFunc(parts, func(part string) bool { return strings.EqualFold(part, r.question.Text) })
}

// combine answers the parts concurrently, each from what the model knows or from the sources, and the
// question from these answers. It may cite what was read for the parts.
func (r *run) combine(ctx context.Context, parts []string) error {
	documents, err := r.documentsForParts(ctx, parts)
	if err != nil {
		return err
	}
	r.begin(answer.StageDraft)
	answers := par.Gather(len(parts), func(i int) (prompts.SubAnswer, bool) {
		text, err := r.readFor(ctx, answer.StageDraft, parts[i], llm.Sampling{}, prompts.AnswerContext{
			Question: parts[i], Contexts: r.contexts(documents[i], 1), Style: prompts.Paragraph, Language: r.Options.Language,
		})
		if err != nil {
			r.degrade("left out", err)
			return prompts.SubAnswer{}, false
		}
		bare, _ := support.WithoutMarks(text)
		return prompts.SubAnswer{Query: parts[i], Answer: bare}, true
	})
	read := dedup(documents...)
	r.show(read, nil)
	if len(answers) == 0 {
		return r.answerFrom(ctx, read)
	}
	if len(r.question.Options) > 0 {
		return r.readChoice(ctx, prompts.AnswerChoice{Contexts: r.contexts(read, 1), SubAnswers: answers}, read)
	}
	r.begin(answer.StageRead)
	text, err := r.text(ctx, answer.StageRead, prompts.Combine{
		Question: r.question.Text, SubAnswers: answers, Style: r.style(), Language: r.Options.Language,
	}, r.stream())
	if err != nil {
		return err
	}
	r.say(text, read)
	return nil
}

// documentsForParts finds what each part is answered from: passages, or generated background if the model
// is sure.
func (r *run) documentsForParts(ctx context.Context, parts []string) ([][]answer.Evidence, error) {
	sure := r.confidences(ctx, parts)
	documents := make([][]answer.Evidence, len(parts))
	errs := make([]error, len(parts))
	var known []prompts.GenerateDoc
	for i, part := range parts {
		if sure[i] >= SelfDCThreshold {
			known = append(known, prompts.GenerateDoc{Question: r.question.Text, Point: part, MaxWords: r.backgroundWords()})
		}
	}
	if len(known) > 0 {
		for _, document := range r.generate(ctx, known) {
			i := slices.Index(parts, document.Point)
			documents[i] = append(documents[i], document)
		}
	}
	r.begin(answer.StageRetrieve)
	par.Each(len(parts), func(i int) {
		if sure[i] >= SelfDCThreshold {
			return
		}
		q := merged.query(parts[i], r.passageCount())
		q.Retriever = r.Options.Retriever
		documents[i], errs[i] = r.searchRanked(ctx, q, 1)
	})
	return documents, cmp.Or(errs...)
}
