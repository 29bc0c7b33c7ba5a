package systems

import (
	"context"
	"fmt"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/prompts"
)

// Opinion says who judges the sentences of an answer of which words cannot tell whether the sources say
// them.
type Opinion string

const (
	NoOpinion   Opinion = ""          // nobody: they stay unchecked
	ByEvaluator Opinion = "evaluator" // the model of the evaluator's role, in one call for an answer
	ByEndpoint  Opinion = "endpoint"  // the cross-encoder of the entailment endpoint
)

// Limits of one second opinion.
const (
	maxDoubtful      = 12 // sentences
	doubtfulPassages = 8
)

// opinion is a model's on one sentence, with the place that it rests on.
type opinion struct {
	verdict entail.Verdict // States, Contradicts or Absent; Unchecked where it says nothing that counts
	from    *passage.Passage
	span    passage.Span
}

// secondOpinion has a model judge the sentences that words left unchecked, and no others, if the options
// name one. Words keep a veto: an opinion counts only with words that stand verbatim in a passage, are
// about the same, and do not say the opposite of it. If the model fails, the sentences stay unchecked.
func (r *run) secondOpinion(ctx context.Context) {
	r.mu.Lock()
	statements, citations := slices.Clone(r.result.Statements), slices.Clone(r.result.Citations)
	evidence := slices.Clone(r.result.Evidence)
	r.mu.Unlock()
	var doubtful []int
	for i, s := range statements {
		if s.Support.Verdict == entail.Unchecked && !s.Support.ByModel && len(doubtful) < maxDoubtful {
			doubtful = append(doubtful, i)
		}
	}
	if len(doubtful) == 0 {
		return
	}
	sentences := make([]answer.Statement, len(doubtful))
	for i, at := range doubtful {
		sentences[i] = statements[at]
	}
	passages := comparedPassages(sentences, citations, evidence)
	var opinions []opinion
	var err error
	switch {
	case len(passages) == 0:
		return
	case r.Options.Opinion == ByEvaluator && r.Model.Has(llm.Evaluator):
		opinions, err = r.evaluate(ctx, sentences, citations, passages)
	case r.Options.Opinion == ByEndpoint && r.Model.CanInfer():
		opinions, err = r.infer(ctx, sentences, citations)
	default:
		return
	}
	if err != nil {
		r.trace.degrade("the words alone", err)
		r.failLightly(err)
		return
	}
	for i, at := range doubtful {
		citations = hear(&statements[at], opinions[i], citations)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Statements = statements
	r.result.Citations = renumber(citations, r.result.Statements, r.result.Nearest)
	if supported := slices.ContainsFunc(statements, func(s answer.Statement) bool { return s.Basis == answer.Claim }); supported && r.result.State == answer.Nearest {
		r.result.State, r.result.Reason = answer.Answered, ""
	}
}

// comparedPassages returns what sentences are to be compared with: the passages that they name, and for
// those that name none the best that were found. Private ones are never sent.
func comparedPassages(sentences []answer.Statement, citations []answer.Citation, evidence []knowledge.Hit) []*passage.Passage {
	var all []*passage.Passage
	add := func(p *passage.Passage) {
		if !p.Private && len(all) < doubtfulPassages && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	unnamed := false
	for _, s := range sentences {
		for _, n := range s.Citations {
			add(citations[n-1].Passage)
		}
		unnamed = unnamed || len(s.Citations) == 0
	}
	if unnamed {
		for _, hit := range evidence {
			add(hit.Passage)
		}
	}
	return all
}

// evaluate asks the evaluator about all sentences in one call.
func (r *run) evaluate(ctx context.Context, sentences []answer.Statement, citations []answer.Citation, passages []*passage.Passage) ([]opinion, error) {
	documents := make([]answer.Evidence, len(passages))
	for i, p := range passages {
		documents[i] = answer.Evidence{Hit: &knowledge.Hit{Passage: p}}
	}
	texts := make([]string, len(sentences))
	for i, s := range sentences {
		texts[i] = s.Text
	}
	r.begin(answer.StageVerify)
	findings, err := ask(ctx, r, call{
		stage: answer.StageVerify, detail: opinionDetail(len(sentences)), role: llm.Evaluator,
		input: prompts.VerifyFacts{Facts: texts, Contexts: r.contexts(documents, 1)},
	}, func(text string) ([]prompts.Finding, prompts.Path, error) { return prompts.ParseFindings(text, texts) })
	if err != nil {
		return nil, err
	}
	opinions := make([]opinion, len(sentences))
	for i, f := range findings {
		opinions[i] = r.opinionOf(f, sentences[i], citations, passages)
	}
	return opinions, nil
}

func opinionDetail(sentences int) string {
	return fmt.Sprintf("second opinion on %d of the sentences", sentences)
}

// opinionOf returns what counts of a finding. That something is stated or contradicted counts only with
// the words that do so.
func (r *run) opinionOf(f prompts.Finding, sentence answer.Statement, citations []answer.Citation, passages []*passage.Passage) opinion {
	unchecked := opinion{verdict: entail.Unchecked}
	if f.Verdict == prompts.NotStated {
		return opinion{verdict: entail.Absent}
	}
	if f.Verdict == prompts.NoVerdict {
		return unchecked
	}
	ordered := passages
	if n := f.Passage; 1 <= n && n <= len(passages) {
		ordered = append([]*passage.Passage{passages[n-1]}, passages...)
	}
	for _, p := range ordered {
		span, ok := support.Quoted(p, f.Quote)
		if !ok || !r.Offline.Stands(r.library, p, span) {
			continue
		}
		found := opinion{entail.States, p, span}
		if f.Verdict == prompts.Contradicts {
			found.verdict = entail.Contradicts
		}
		if r.vetoes(found, sentence, citations) {
			return unchecked
		}
		return found
	}
	return unchecked
}

// vetoes reports whether words forbid an opinion: those of the passage, or those of the very place, if they
// are about something else and are not what the sentence was to be compared with.
func (r *run) vetoes(o opinion, s answer.Statement, citations []answer.Citation) bool {
	near := slices.ContainsFunc(s.Citations, func(n int) bool {
		c := citations[n-1]
		return c.Passage == o.from && c.Span.Start < o.span.End && o.span.Start < c.Span.End
	})
	place := support.SourceOf(o.from)
	place.Sentences = []passage.Span{o.span}
	if !near && entail.Judge(s.Text, r.question.Text, place).Verdict == entail.Absent {
		return true
	}
	switch entail.Judge(s.Text, r.question.Text, support.SourceOf(o.from)).Verdict {
	case entail.Contradicts:
		return o.verdict == entail.States
	case entail.States:
		return o.verdict == entail.Contradicts
	}
	return false
}

// sourceAt returns a span of a passage with what stands above it.
func sourceAt(p *passage.Passage, span passage.Span) entail.Source {
	return entail.Source{Above: extract.Heading(p), Text: p.Render().Span(span)}
}

// How sure a cross-encoder has to be. What it calls neither is left unchecked: such models call most of
// what is worded otherwise neutral.
const (
	minEntails     = .8
	minContradicts = .9
	premiseBytes   = 1600 // cross-encoders read pairs of 512 tokens
)

// infer has the cross-encoder compare each sentence with the places that it names, by themselves and with
// the whole of their passages.
func (r *run) infer(ctx context.Context, sentences []answer.Statement, citations []answer.Citation) ([]opinion, error) {
	r.begin(answer.StageVerify)
	type premise struct {
		sentence int
		from     *passage.Passage
		span     passage.Span
	}
	var premises []premise
	var pairs []llm.Pair
	for i, s := range sentences {
		for _, n := range s.Citations {
			c := citations[n-1]
			if c.Passage.Private {
				continue
			}
			for _, span := range []passage.Span{c.Span, {End: len(c.Passage.Text)}} {
				source := sourceAt(c.Passage, span)
				premises = append(premises, premise{i, c.Passage, c.Span})
				pairs = append(pairs, llm.Pair{Premise: plaintext.ClipBytes(plaintext.OneLine(source.Above+". "+source.Text), premiseBytes), Hypothesis: s.Text})
			}
		}
	}
	opinions := make([]opinion, len(sentences))
	for i := range opinions {
		opinions[i].verdict = entail.Unchecked
	}
	if len(pairs) == 0 {
		return opinions, nil
	}
	step := r.start(answer.StageVerify, opinionDetail(len(sentences)), pairs)
	inferences, err := r.Model.Infer(ctx, pairs)
	step.Took, step.Results, step.Attempts = r.since(step), len(inferences), 1
	if err != nil {
		step.Outcome, step.Err = answer.Failed, fmt.Errorf("%s: %w", answer.StageVerify, err)
	}
	recorded := r.trace.record(step)
	if err != nil {
		return nil, &stepError{step.Err, recorded}
	}
	for i, p := range premises {
		o := &opinions[p.sentence]
		found := opinion{entail.States, p.from, p.span}
		switch inference := inferences[i]; {
		case inference.Entails >= minEntails && o.verdict != entail.Contradicts:
		case inference.Contradicts >= minContradicts && o.verdict != entail.States:
			found.verdict = entail.Contradicts
		default:
			continue
		}
		if o.verdict == entail.Unchecked && !r.vetoes(found, sentences[p.sentence], citations) {
			*o = found
		}
	}
	return opinions, nil
}

// hear gives a statement a model's opinion, and returns the citations with the one that it rests on.
func hear(s *answer.Statement, o opinion, citations []answer.Citation) []answer.Citation {
	if o.verdict == entail.Unchecked {
		return citations
	}
	s.Support = answer.Support{Verdict: o.verdict, ByModel: true}
	s.Basis, s.Citations = answer.Unsupported, nil
	if o.verdict == entail.Absent {
		return citations
	}
	if o.verdict == entail.States {
		s.Basis = answer.Claim
	}
	s.Citations = []int{len(citations) + 1}
	return append(citations, answer.Citation{N: len(citations) + 1, Passage: o.from, Span: o.span, Quote: o.from.Text[o.span.Start:o.span.End]})
}

// renumber numbers the citations that statements use from 1, in the order of their first use, each place
// once. It changes the statements and returns the citations that are left.
func renumber(citations []answer.Citation, statements ...[]answer.Statement) []answer.Citation {
	var kept []answer.Citation
	numbers := make(map[int]int) // by the old one
	number := func(old int) int {
		if numbers[old] == 0 {
			c := citations[old-1]
			at := slices.IndexFunc(kept, func(k answer.Citation) bool { return k.Passage == c.Passage && k.Span == c.Span })
			if at < 0 {
				at = len(kept)
				c.N = at + 1
				kept = append(kept, c)
			}
			numbers[old] = at + 1
		}
		return numbers[old]
	}
	for _, list := range statements {
		for i := range list {
			var cites []int
			for _, old := range list[i].Citations {
				if n := number(old); !slices.Contains(cites, n) {
					cites = append(cites, n)
				}
			}
			list[i].Citations = cites
		}
	}
	for _, list := range statements {
		for i := range list {
			differences := slices.Clone(list[i].Support.Differences)
			for j := range differences {
				differences[j].Citation = numbers[differences[j].Citation]
			}
			list[i].Support.Differences = differences
		}
	}
	return kept
}
