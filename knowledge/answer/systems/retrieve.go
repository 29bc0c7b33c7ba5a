package systems

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// isNew adds a document to the texts and reports whether none of them says the same.
func isNew(texts *knowledge.Deduplicator, e answer.Evidence) bool {
	return texts.Add(e.AsPassage(), lexical.Terms(e.Query))
}

// dedup keeps the first document of each text, by the papers' key. If a text stands on several pages, it
// also keeps the pages that their own queries ask about, see [knowledge.Deduplicator].
func dedup(rounds ...[]answer.Evidence) []answer.Evidence {
	var texts knowledge.Deduplicator
	var kept []answer.Evidence
	for _, round := range rounds {
		for _, e := range round {
			if isNew(&texts, e) {
				kept = append(kept, e)
			}
		}
	}
	return kept
}

// roundRobin takes the best of each list, then the second of each, until k are taken. It skips texts that
// are held or taken already. A list that ends leaves its turns to the others.
func roundRobin(lists [][]answer.Evidence, held []answer.Evidence, k int) []answer.Evidence {
	var texts knowledge.Deduplicator
	for _, e := range held {
		isNew(&texts, e)
	}
	var taken []answer.Evidence
	next := make([]int, len(lists))
	for more := true; more && len(taken) < k; {
		more = false
		for i, list := range lists {
			for fresh := false; !fresh && next[i] < len(list) && len(taken) < k; next[i]++ {
				if e := list[next[i]]; isNew(&texts, e) {
					taken, fresh, more = append(taken, e), true, true
				}
			}
		}
	}
	return taken
}

// How much of a document's title, of what introduces it and of a stored question a prompt shows, in tokens.
const (
	titleTokens    = 60
	questionTokens = 120
)

// originBytes is how much of a document, before and behind a passage, is read for what identifies people in the passage.
const originBytes = 1500

// irrelevantNote tells the integrator and the reader what the summariser found.
const irrelevantNote = "a first reading found nothing useful in it"

// contexts numbers evidence for a prompt, starting at first, and cuts texts to the prompts' limits. What
// does not fit into one prompt is left out from the end.
func (r *run) contexts(evidence []answer.Evidence, first int) []prompts.Context {
	all := make([]prompts.Context, len(evidence))
	for i, e := range evidence {
		c := prompts.Context{N: first + i, Text: e.Text, Generated: !r.Options.AsPublished}
		if from := e.Hit; from != nil {
			title := strings.Join(append([]string{from.Passage.Title}, from.Passage.Headings...), " – ")
			c = prompts.Context{
				N: first + i, Text: from.Passage.Text,
				Title:    prompts.Cut(strings.TrimPrefix(title, " – "), titleTokens),
				Question: prompts.Cut(from.Passage.Question, questionTokens),
				Origin:   r.library.Surroundings(from, originBytes),
			}
			if !r.Options.AsPublished {
				c.Above = prompts.Cut(introductionOf(from.Passage), titleTokens)
			}
		}
		if e.Irrelevant && !r.Options.AsPublished {
			c.Note = irrelevantNote
		}
		all[i] = c
	}
	return prompts.Fit(all)
}

// introductionOf returns what introduces a passage from outside it, as a reader sees it.
func introductionOf(p *passage.Passage) string {
	texts := make([]string, len(p.Leads))
	for i, l := range p.Leads {
		texts[i] = l.Words(p.Format)
	}
	return strings.Join(texts, " – ")
}

// corpus is where a round of a Misknow-RAG system searches.
type corpus string

const (
	wiki   corpus = "wiki"   // running text
	qa     corpus = "qa"     // stored questions with their answers
	merged corpus = "merged" // both in one ranking
	twoWay corpus = "2way"   // half of the places for each
)

// query asks the corpus for k passages.
func (b corpus) query(text string, k int) knowledge.Query {
	q := knowledge.Query{Text: text, K: k}
	switch b {
	case wiki:
		q.Kind = passage.Text
	case qa:
		q.Kind = passage.QA
	case twoWay:
		q.Allocation = knowledge.TwoWay
	}
	return q
}

// retrieve is one round of retrieval. It searches for all queries concurrently and takes their results in
// turn, k documents in total that are not held yet. It also returns what each query found by itself.
func (r *run) retrieve(ctx context.Context, round int, from corpus, k int, held []answer.Evidence, queries ...string) ([]answer.Evidence, [][]answer.Evidence, error) {
	lists, err := r.searchAll(ctx, round, from, k+len(held), r.searchRanked, queries)
	if err != nil {
		return nil, nil, err
	}
	return roundRobin(lists, held, k), lists, nil
}

// searchAll returns what each query finds by itself, at most k documents.
func (r *run) searchAll(ctx context.Context, round int, from corpus, k int, find finder, queries []string) ([][]answer.Evidence, error) {
	r.begin(answer.StageRetrieve)
	return concurrently(len(queries), func(i int) ([]answer.Evidence, error) {
		q := from.query(queries[i], k)
		q.Retriever = r.Options.Retriever
		return find(ctx, q, round)
	})
}

// concurrently calls do(0) … do(n-1) concurrently and returns their results in order, and the first error.
func concurrently[T any](n int, do func(i int) (T, error)) ([]T, error) {
	results, errs := make([]T, n), make([]error, n)
	par.Each(n, func(i int) { results[i], errs[i] = do(i) })
	return results, cmp.Or(errs...)
}

// finder is a way to find documents: [run.search] or [run.searchRanked].
type finder func(ctx context.Context, q knowledge.Query, round int) ([]answer.Evidence, error)

// searchRanked is a search; the best documents of a mixed one are ordered by the configured reranker if
// there is one and the options say so. If the reranker fails, the order of the search stands.
func (r *run) searchRanked(ctx context.Context, q knowledge.Query, round int) ([]answer.Evidence, error) {
	mixed := q.Retriever == "" || q.Retriever == knowledge.Hybrid
	if !mixed || r.Options.Reranked == 0 || !r.Model.CanRerank() {
		return r.search(ctx, q, round)
	}
	wanted := q.K
	q.K = max(wanted, r.Options.Reranked)
	found, err := r.search(ctx, q, round)
	if err != nil {
		return nil, err
	}
	if best := found[:min(r.Options.Reranked, len(found))]; len(best) > 1 {
		scores, step := r.rerankRemote(ctx, q.Text, best, "", "the order of the search")
		step.Detail = detail(q)
		r.trace.record(step)
		if scores != nil {
			found = append(byScore(best, scores), found[len(best):]...)
		}
	}
	if q.Allocation == knowledge.TwoWay {
		return halves(found, wanted), nil
	}
	return found[:min(wanted, len(found))], nil
}

// halves takes the first documents of either kind, in the shares of [searchPublicHalves].
func halves(documents []answer.Evidence, k int) []answer.Evidence {
	room := map[passage.Kind]int{passage.Text: (k + 1) / 2, passage.QA: k / 2}
	taken := make(map[passage.Kind][]answer.Evidence)
	for _, e := range documents {
		if kind := e.Hit.Passage.Kind; len(taken[kind]) < room[kind] {
			taken[kind] = append(taken[kind], e)
		}
	}
	return append(taken[passage.Text], taken[passage.QA]...)
}

// search finds documents in the sources that the question may use. What it finds may be sent to a model,
// so it replaces private documents by the next best.
func (r *run) search(ctx context.Context, q knowledge.Query, round int) ([]answer.Evidence, error) {
	if len(q.Sources) == 0 {
		q.Sources = r.question.Sources
	}
	q.Remote = r.Options.Endpoint
	step := answer.Step{Stage: answer.StageRetrieve, Detail: detail(q), Started: time.Since(r.started), Outcome: answer.OK}
	step.Inputs = hashOf(q, r.library.Digest())
	found, err := searchPublic(ctx, r.library, q)
	step.Took, step.Results = time.Since(r.started)-step.Started, len(found)
	if err != nil {
		step.Outcome, step.Err = answer.Failed, fmt.Errorf("search %q: %w", q.Text, err)
	}
	if q.Retriever == knowledge.Dense && slices.ContainsFunc(found, func(h knowledge.Hit) bool { return h.Retriever != knowledge.Dense }) {
		step.Detail += " (bm25 where there is no encoder)"
		defer r.lack(answer.NoEncoder, "", "")
	}
	if q.Remote && q.Retriever != knowledge.BM25 && err == nil && !byEndpoint(found) {
		defer r.lack(answer.NoEndpoint, "", "")
	}
	recorded := r.trace.record(step)
	if step.Err != nil {
		return nil, &stepError{step.Err, recorded}
	}
	evidence := make([]answer.Evidence, len(found))
	for i := range found {
		evidence[i] = answer.Evidence{Hit: &found[i], Query: q.Text, Round: round}
	}
	return evidence, nil
}

// byEndpoint reports whether an endpoint encoded the query that found these hits.
func byEndpoint(found []knowledge.Hit) bool {
	return slices.ContainsFunc(found, func(h knowledge.Hit) bool { return h.Remote })
}

// detail tells the searches of one stage apart.
func detail(q knowledge.Query) string {
	text := q.Text
	if len(q.Sources) > 0 {
		text += fmt.Sprintf(" in %q", q.Sources)
	}
	if q.Retriever != "" {
		text += " by " + string(q.Retriever)
	}
	return text
}

// searchPublic finds no private passages. It searches deeper as long as these take the places of others.
func searchPublic(ctx context.Context, library *knowledge.Library, q knowledge.Query) ([]knowledge.Hit, error) {
	if q.Allocation == knowledge.TwoWay {
		return searchPublicHalves(ctx, library, q)
	}
	for wanted := q.K; ; q.K *= 2 {
		found, err := library.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		exhausted := len(found) < q.K || q.K >= library.Len()
		found = slices.DeleteFunc(found, func(h knowledge.Hit) bool { return h.Passage.Private })
		if len(found) >= wanted || exhausted {
			return found[:min(wanted, len(found))], nil
		}
	}
}

// searchPublicHalves gives half of the places to running text, rounded up, and half to stored questions.
func searchPublicHalves(ctx context.Context, library *knowledge.Library, q knowledge.Query) ([]knowledge.Hit, error) {
	texts, pairs := q, q
	texts.Allocation, texts.Kind, texts.K = "", passage.Text, (q.K+1)/2
	pairs.Allocation, pairs.Kind, pairs.K = "", passage.QA, q.K/2
	found, err := searchPublic(ctx, library, texts)
	if err != nil || pairs.K == 0 {
		return found, err
	}
	stored, err := searchPublic(ctx, library, pairs)
	return append(found, stored...), err
}

// withOptions returns the question with its options, as the systems of the MedRGAG paper retrieve and
// rerank by it.
func (r *run) withOptions() string {
	var b strings.Builder
	b.WriteString(r.question.Text)
	for _, option := range r.question.Options {
		fmt.Fprintf(&b, "\n%s. %s", option.Letter, option.Text)
	}
	return b.String()
}

// furtherQueries returns the queries that the user wants searched for besides the question.
func (r *run) furtherQueries() []string {
	return r.question.Queries[:min(answer.MaxQueries, len(r.question.Queries))]
}

// sources returns the names of the sources that the question may use, in the library's order.
func (r *run) sources() []string {
	if len(r.question.Sources) > 0 {
		return r.question.Sources
	}
	return r.library.Sources()
}

// passageCount returns how many passages the reader gets: as many as in the paper unless the options say
// otherwise.
func (r *run) passageCount() int { return cmp.Or(r.Options.K, readerPassages) }

// first is the first round of retrieval: k documents for the question, then as many for the user's further
// queries.
func (r *run) first(ctx context.Context, from corpus, k int) ([]answer.Evidence, error) {
	sought, err := r.searchText(ctx)
	if err != nil {
		return nil, err
	}
	evidence, _, err := r.retrieve(ctx, 1, from, k, nil, sought)
	further := r.furtherQueries()
	if err != nil || len(further) == 0 {
		return evidence, err
	}
	more, _, err := r.retrieve(ctx, 1, from, k, evidence, further...)
	return append(evidence, more...), err
}

// retriever returns how the systems of the MedRGAG paper search.
func (r *run) retriever() knowledge.Retriever { return cmp.Or(r.Options.Retriever, knowledge.Hybrid) }

// retrieveFor finds k documents for the question.
func (r *run) retrieveFor(ctx context.Context, k int) ([]answer.Evidence, error) {
	sought, err := r.searchText(ctx)
	if err != nil {
		return nil, err
	}
	return r.searchRanked(ctx, knowledge.Query{Text: sought, K: k, Retriever: r.retriever()}, 1)
}
