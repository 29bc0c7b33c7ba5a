package gate

import (
	"context"
	"fmt"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
)

// Gated answers from the model alone if its policy decides that this is good enough, and otherwise from the
// sources. It is safe for concurrent use.
type Gated struct {
	Policy Policy
	Model  string          // that answers, as the history names it
	Closed answer.Strategy // answers without sources
	Open   answer.Strategy // answers from sources
}

// Answer implements [answer.Strategy]. Decision of the result says what was decided and why. If the
// closed-book answer fails, the sources are searched.
func (g Gated) Answer(ctx context.Context, library *knowledge.Library, question answer.Question) (answer.Result, error) {
	if asksForSearch(question) {
		return g.Open.Answer(ctx, library, question)
	}
	q := Question{ID: question.ID, Model: g.Model, Text: question.Text, Options: question.Options}
	if ByQuestion(g.Policy) {
		if decision := g.Policy.Decide(q); decision.Retrieve {
			result, err := g.Open.Answer(ctx, library, question)
			result.Decision = explain(decision)
			return result, err
		}
	}
	closed, err := g.Closed.Answer(ctx, library, question)
	if ctx.Err() != nil {
		return answer.Result{}, fmt.Errorf("answer behind a gate: %w", ctx.Err())
	}
	if answered := err == nil && closed.Failure == nil; answered {
		q.Closed = &Response{Text: textOf(closed), Choice: closed.Choice}
	}
	decision := explain(g.Policy.Decide(q))
	if !decision.Retrieve && q.Closed != nil {
		closed.Decision = decision
		return closed, nil
	}
	if !decision.Retrieve {
		decision.Retrieve, decision.Why = true, systems.NoOwnAnswer
	}
	opened, err := g.Open.Answer(ctx, library, question)
	if err != nil {
		return answer.Result{}, err
	}
	result := opened
	if a, ok := g.Policy.(Arbiter); ok && q.Closed != nil && opened.Failure == nil && a.KeepsClosed(q, responseOf(opened)) {
		// The gaps describe the sources, whichever answer is shown.
		result = closed
		result.Gaps, result.MissingProbability, result.Evidence = opened.Gaps, opened.MissingProbability, opened.Evidence
		result.CapByMissing()
		decision.OwnAnswer = true
	}
	result.Decision = decision
	return both(result, closed, opened), nil
}

// SelfDeciding answers by a system that itself decides whether to search, as Think-then-Act and Self-DC do by
// asking the model first, or that always does the same. It is safe for concurrent use.
type SelfDeciding struct {
	Policy Policy          // that the system stands for
	System answer.Strategy // decides and answers
	Open   answer.Strategy // answers from sources
}

// Answer implements [answer.Strategy]. Decision of the result says what was decided and why.
func (d SelfDeciding) Answer(ctx context.Context, library *knowledge.Library, question answer.Question) (answer.Result, error) {
	if asksForSearch(question) {
		return d.Open.Answer(ctx, library, question)
	}
	result, err := d.System.Answer(ctx, library, question)
	if _, fixed := d.Policy.(Fixed); fixed && err == nil && result.Decision == nil && result.Failure == nil {
		result.Decision = explain(d.Policy.Decide(Question{ID: question.ID, Text: question.Text, Options: question.Options}))
	}
	return result, err
}

// decider adapts a policy to the systems of package answer.
type decider struct {
	policy Policy
	model  string
}

// NewDecider adapts a policy for the model that answers.
func NewDecider(p Policy, model string) systems.Decider { return decider{p, model} }

// ByQuestion implements [systems.Decider].
func (d decider) ByQuestion() bool { return ByQuestion(d.policy) }

// Decide implements [systems.Decider].
func (d decider) Decide(q answer.Question, closed *answer.Result) answer.Decision {
	asked := Question{ID: q.ID, Model: d.model, Text: q.Text, Options: q.Options}
	if closed != nil {
		asked.Closed = &Response{Text: textOf(*closed), Choice: closed.Choice}
	}
	return *explain(d.policy.Decide(asked))
}

// asksForSearch reports whether the question names what to search for, or where.
func asksForSearch(q answer.Question) bool { return len(q.Queries)+len(q.Sources) > 0 }

// both adds up the cost of the two answers.
func both(result, closed, opened answer.Result) answer.Result {
	result.Usage = closed.Usage.Plus(opened.Usage)
	result.Trace = append(append([]answer.Step(nil), closed.Trace...), shifted(opened.Trace, closed)...)
	result.Timings = opened.Timings
	result.Timings.Read += closed.Timings.Total
	result.Timings.Total += closed.Timings.Total
	return result
}

// shifted returns the steps of an answer that began when another one had ended.
func shifted(trace []answer.Step, after answer.Result) []answer.Step {
	steps := append([]answer.Step(nil), trace...)
	for i := range steps {
		steps[i].Started += after.Timings.Total
	}
	return steps
}

// responseOf returns an answer as a policy sees it. An answer that abstains is empty.
func responseOf(r answer.Result) Response {
	if r.State == answer.Nothing {
		return Response{}
	}
	return Response{Text: textOf(r), Choice: r.Choice}
}

func textOf(r answer.Result) string {
	text := ""
	for i, s := range r.Statements {
		if i > 0 {
			text += " "
		}
		text += s.Text
	}
	return text
}

func explain(d Decision) *answer.Decision {
	explained := &answer.Decision{Retrieve: d.Retrieve, Policy: d.Policy, Score: d.Score, Threshold: d.Threshold, Why: d.Why}
	for _, n := range d.Near {
		explained.Near = append(explained.Near, answer.PastQuestion{Question: n.Text, Similarity: n.Similarity, Helped: n.Label == Better})
	}
	return explained
}
