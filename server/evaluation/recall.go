package evaluation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// covered is the share of the idf mass of a statement that one passage must hold to count as having it: the substitute of
// the paper's reference for a model, which gap.Coverage measures.
const covered = .6

// recall counts how many statements of a question's reference answers the passages that were read hold (context recall,
// Equation 4 of the Misknow-RAG paper): by the model of the role evaluator, or by words. Without a reference answer there
// is nothing to count.
func (a *asker) recall(ctx context.Context, o *opened, q eval.Query, read []knowledge.Hit, by experiment.RecallJudge) (experiment.Found, error) {
	gold := goldOf(q)
	if gold == "" || by == "" {
		return experiment.Found{}, nil
	}
	var f experiment.Found
	if by == experiment.ByWords {
		f = foundByWords(o.library, statementsOf(q), q.Text, read)
	} else {
		var err error
		if f, err = a.foundByModel(ctx, o, q, gold, read); err != nil {
			return f, err
		}
	}
	for _, hit := range read {
		f.Pairs = f.Pairs || hit.Passage.Kind == passage.QA
		f.Texts = f.Texts || hit.Passage.Kind != passage.QA
	}
	return f, nil
}

// goldOf returns the reference answer of a question as one text: its first answer in sentences, or else its facts.
func goldOf(q eval.Query) string {
	if len(q.Ideal) > 0 {
		return q.Ideal[0]
	}
	var facts []string
	for _, ways := range q.Exact {
		if len(ways) > 0 {
			facts = append(facts, ways[0])
		}
	}
	return strings.Join(facts, "; ")
}

// statementsOf returns the sentences of a reference answer, or each of its facts.
func statementsOf(q eval.Query) []string {
	var all []string
	if len(q.Ideal) > 0 {
		for _, span := range passage.Sentences(q.Ideal[0], passage.Plain) {
			all = append(all, q.Ideal[0][span.Start:span.End])
		}
		return all
	}
	for _, ways := range q.Exact {
		if len(ways) > 0 {
			all = append(all, ways[0])
		}
	}
	return all
}

// foundByWords has entailment decide, and the share of idf mass beside it.
func foundByWords(library *knowledge.Library, statements []string, question string, read []knowledge.Hit) experiment.Found {
	f := experiment.Found{ByWords: true, Statements: len(statements)}
	useful := make([]bool, len(read)) // it has a statement
	for _, s := range statements {
		covers, in := false, map[passage.Kind]bool{}
		for i, hit := range read {
			if v := entail.Judge(s, question, support.SourceOf(hit.Passage)).Verdict; v == entail.States || v == entail.Partly {
				in[hit.Passage.Kind], useful[i] = true, true
			}
			covers = covers || gap.Coverage(library, s, hit.Ordinal) >= covered
		}
		f.Add(in)
		f.Covered += count(covers)
	}
	for _, u := range useful {
		f.Passages += count(u)
	}
	return f
}

// foundByModel asks the evaluator for the statements of the reference answer, which is one prompt for all systems and so
// is cached, and then, of the passages and of the stored pairs, which of them they hold. A statement without a verdict
// counts as not found.
func (a *asker) foundByModel(ctx context.Context, o *opened, q eval.Query, gold string, read []knowledge.Hit) (experiment.Found, error) {
	client := o.workspace.Client()
	if client == nil || !client.Has(llm.Evaluator) {
		return experiment.Found{}, fmt.Errorf("context_recall = %q needs a model", experiment.ByModel)
	}
	statements, err := judge(ctx, o, prompts.EvalContexts{Question: q.Text, Options: q.Options, Gold: gold}, prompts.ParseStatements)
	if err != nil || len(statements) == 0 {
		return experiment.Found{}, err
	}
	f := experiment.Found{Statements: len(statements)}
	in := make([]map[passage.Kind]bool, len(statements))
	unjudged := make([]bool, len(statements))
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		var contexts []prompts.Context
		for _, hit := range read {
			if hit.Passage.Kind == kind && !hit.Passage.Private {
				contexts = append(contexts, prompts.Context{N: len(contexts) + 1, Title: hit.Passage.Title, Question: hit.Passage.Question, Text: hit.Passage.Text})
			}
		}
		if len(contexts) == 0 {
			continue
		}
		findings, err := judge(ctx, o, prompts.VerifyFacts{Facts: statements, Contexts: prompts.Fit(contexts)}, func(reply string) ([]prompts.Finding, prompts.Path, error) {
			return prompts.ParseFindings(reply, statements)
		})
		if err != nil {
			return experiment.Found{}, err
		}
		var useful []int
		for i, finding := range findings {
			unjudged[i] = unjudged[i] || finding.Verdict == prompts.NoVerdict
			if finding.Verdict != prompts.States {
				continue
			}
			if in[i] == nil {
				in[i] = map[passage.Kind]bool{}
			}
			in[i][kind] = true
			if !slices.Contains(useful, finding.Passage) {
				useful = append(useful, finding.Passage)
			}
		}
		f.Passages += len(useful)
	}
	for i := range statements {
		f.Add(in[i])
		f.Unjudged += count(unjudged[i] && len(in[i]) == 0)
	}
	return f, nil
}

// judge asks the evaluator and reads its reply; one that cannot be read, which may be an old one from the cache, is asked
// for once more.
func judge[T any](ctx context.Context, o *opened, in prompts.Input, parse func(reply string) (T, prompts.Path, error)) (T, error) {
	var value T
	chat, err := o.workspace.Prompts().Render(in)
	if err != nil {
		return value, err
	}
	for _, fresh := range []bool{false, true} {
		reply, asked := o.workspace.Client().Chat(ctx, llm.Request{Role: llm.Evaluator, Stage: "evaluate", Chat: chat, Fresh: fresh})
		if asked != nil {
			return value, asked
		}
		if value, _, err = parse(reply.Text); err == nil {
			return value, nil
		}
	}
	return value, err
}

func count(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
