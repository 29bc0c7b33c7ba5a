package answer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/par"
)

// foundAfterwards is how many passages a sentence is compared with, and how many more that the question
// finds.
const foundAfterwards = 5

// citeAfterwards looks the sentences of an answer that was written without the sources up in them, and
// cites what they hold. The answer stays as it is: nothing that is found here has been read by a model,
// and nothing is sent for it, so private passages count. A search that fails leaves the answer uncited.
func (r *run) citeAfterwards(ctx context.Context) {
	r.mu.Lock()
	statements := slices.Clone(r.result.Statements)
	closed := r.closed
	r.mu.Unlock()
	if !closed || len(statements) == 0 {
		return
	}
	step := Step{Stage: StageCite, Started: time.Since(r.started), Outcome: OK, Inputs: hashOf(statements, r.library.Generation())}
	w := writer{run: r, numbers: make(map[quoted]int)}
	near, err := r.nearAfterwards(ctx, statements)
	if err == nil {
		for i := range statements {
			w.citeStatement(&statements[i], near[i])
		}
	}
	step.Took, step.Results = time.Since(r.started)-step.Started, len(w.citations)
	if err != nil {
		step.Outcome, step.Err = Failed, fmt.Errorf("%s: %w", StageCite, err)
		r.failLightly(step.Err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace = append(r.trace, entry{step, r.begun + 1}) // a stage of its own, too short to tell anybody of
	if err != nil {
		return
	}
	r.result.Afterwards = true
	r.result.Statements, r.result.Citations = statements, w.citations
	r.result.Dropped += len(w.gone)
	r.result.Differ = differ(r.question.Text, r.onSubject(statements, w.citations), w.citations)
	if len(w.citations) > 0 {
		r.result.State = Answered
	}
}

// nearAfterwards finds passages near each statement: those that it finds itself, then those that the
// question finds.
func (r *run) nearAfterwards(ctx context.Context, statements []Statement) ([][]*source, error) {
	texts := []string{r.question.Text}
	for _, s := range statements {
		texts = append(texts, s.Text)
	}
	found := make([][]knowledge.Hit, len(texts))
	errs := make([]error, len(texts))
	par.Each(len(texts), func(i int) {
		found[i], errs[i] = r.library.Search(ctx, knowledge.Query{Text: texts[i], K: foundAfterwards, Sources: r.question.Sources})
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	known := make(map[int]*source) // by ordinal
	near := make([][]*source, len(statements))
	for i := range statements {
		for _, hit := range slices.Concat(found[i+1], found[0]) {
			if known[hit.Ordinal] == nil {
				known[hit.Ordinal] = newSource(Evidence{Hit: &hit})
			}
			if s := known[hit.Ordinal]; !slices.Contains(near[i], s) {
				near[i] = append(near[i], s)
			}
		}
	}
	return near, nil
}

// citeStatement cites what supports a statement best among some sources, if anything does.
func (w *writer) citeStatement(s *Statement, among []*source) {
	w.sources = among
	for _, f := range w.anywhere(w.newClaim(s.Text)) {
		s.Basis = Claim
		if n := w.number(f); !slices.Contains(s.Citations, n) {
			s.Citations = append(s.Citations, n)
		}
	}
}
