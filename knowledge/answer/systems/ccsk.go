package systems

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/prompts"
)

// errNoGate says that the environment has no gate.
var errNoGate = errors.New("no gate has been trained")

// ccskPaper is the title of the CCSK paper, which also compares other ways to decide whether to search
// (Table 2).
const ccskPaper = "CCSK: Cognitive Convection of Self-Knowledge Based Retrieval Augmentation for Large Language Models"

// manualPassages is the number of passages in the public data of SKR, which the paper builds on.
const manualPassages = 10

// denseTen is how the answers over the sources are made that CCSK chooses between.
var denseTen = Published{Retriever: knowledge.Dense, Passages: manualPassages, Differs: []Difference{
	searchesDense, {"passages for the reader", "`answer.passages`", "10"},
}}

func ccskSystems() []System {
	return ofPaper(ccskPaper,
		System{ID: "manual-cot", Name: "Manual CoT", Calls: 1, stages: 1, steps: manualChainOfThought},
		System{ID: "manual-cot-ir", Name: "Manual CoT-IR", Calls: 1, stages: 2, Published: denseTen, steps: manualChainOfThoughtWithSources},
		System{ID: "think-then-act", Name: "Think-then-Act", Calls: 3, stages: 4, Published: denseFour, steps: thinkThenAct},
		System{ID: "self-dc", Name: "Self-DC", Calls: selfDCCalls, Published: Published{Retriever: knowledge.Dense, Differs: slices.Concat(denseFour.Differs, []Difference{greedy}, background[1:])}, steps: selfDC},
		System{ID: "skr-knn", Name: "SKR-kNN", Gate: "skr-knn", Calls: 1, stages: 3, Published: denseTen, steps: gated{"skr-knn"}.answer},
		System{ID: "sn", Name: "CCSK, the Siamese network alone", Gate: "sn", Calls: 1, stages: 3, Published: denseTen, steps: gated{"sn"}.answer},
		System{ID: "rqm", Name: "CCSK, the response quality model alone", Gate: "rqm", Calls: 2, stages: 4, Published: denseTen, steps: gated{"rqm"}.answer},
		System{ID: "linear", Name: "CCSK with a linear mixture", Gate: "linear", Calls: 2, stages: 4, Published: denseTen, steps: gated{"linear"}.answer},
		System{ID: "ccsk", Name: "CCSK", Gate: "ccsk", Calls: 2, stages: 4, Published: denseTen, steps: gated{"ccsk"}.answer},
	)
}

// gated is a system of the CCSK paper that learns its decision from past questions: r₀ is an answer by
// manual chain of thought from what the model knows, r₁ the same over the sources, and the policy says
// which to give. The policies and their equations are in package gate.
type gated struct{ policy string }

// answer asks the model without sources only if its answer plays a part. Without a gate the sources are
// searched.
func (s gated) answer(ctx context.Context, r *run) error {
	decider, err := r.decider(s.policy)
	if err != nil {
		r.lack(answer.NoGate, answer.StageDecide, "the sources are searched")
		return manualChainOfThoughtWithSources(ctx, r)
	}
	d := answer.Decision{Retrieve: true}
	if decider.ByQuestion() {
		d = r.decide(decider, nil)
	}
	var closed error
	if !d.Retrieve || !decider.ByQuestion() {
		if closed = manualChainOfThought(ctx, r); closed != nil {
			if isPermanent(closed) {
				return closed
			}
			r.degrade("the sources are searched", closed)
			d.Retrieve, d.Why = true, NoOwnAnswer
			r.setDecision(d)
		} else if !decider.ByQuestion() {
			had := r.soFar()
			d = r.decide(decider, &had)
		}
	}
	if !d.Retrieve {
		return nil
	}
	err = manualChainOfThoughtWithSources(ctx, r)
	if err != nil && closed == nil && !decider.ByQuestion() {
		r.degrade("the model's own answer", err)
		d.OwnAnswer = true
		r.setDecision(d)
		return nil
	}
	return err
}

// NoOwnAnswer is why the sources are searched if a model should have answered without them and did not.
const NoOwnAnswer = "the model gave no answer of its own"

// decider returns the trained gate of a policy. If there is none, the trace says why.
func (r *run) decider(policy string) (decider Decider, err error) {
	if err = errNoGate; r.Gate != nil {
		decider, err = r.Gate(policy)
	}
	if err != nil {
		r.begin(answer.StageDecide)
		step := r.start(answer.StageDecide, "")
		step.Err = err
		r.trace.record(step)
	}
	return decider, err
}

// decide has a gate decide, and makes the decision part of the result.
func (r *run) decide(decider Decider, closed *answer.Result) answer.Decision {
	r.begin(answer.StageDecide)
	step := r.start(answer.StageDecide, "", r.question.Text, r.question.Options)
	d := decider.Decide(r.question, closed)
	step.Took, step.Detail = r.since(step), d.Why
	r.trace.record(step)
	r.setDecision(d)
	return d
}

// manualChainOfThought answers from the model's own knowledge (r₀ of the paper), reasoning step by step like
// worked examples.
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
		prompts.ParseCheck)
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
		}, prompts.ParseConfidence)
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
	}, func(text string) ([]string, prompts.Path, error) {
		_, queries, path, err := prompts.ParseQueries(text, selfDCParts)
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
