package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/pflag"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/server/workspace"
)

// searchOptions holds the flags of lacuna search.
type searchOptions struct {
	k         int
	sources   []string
	retriever string
	share     string
	queries   string
	format    string
}

func (o *searchOptions) bind(f *pflag.FlagSet) {
	f.IntVar(&o.k, "k", 10, "show at most `N` results")
	f.StringArrayVar(&o.sources, "source", nil, "search only the source `NAME`; may be given more than once")
	f.StringVar(&o.retriever, "retriever", string(knowledge.Hybrid), "how passages are found: hybrid, bm25 or dense")
	f.StringVar(&o.share, "share", string(knowledge.Merged), "how places are shared among sources: merged, 2way or balanced")
	f.StringVar(&o.queries, "queries", "", "search for every question of `FILE`; - is standard input")
	f.StringVar(&o.format, "format", "text", "how results are printed: text, json or trec")
}

func (o *searchOptions) check() error {
	for _, flag := range []struct {
		name, value string
		accepts     []string
	}{
		{"retriever", o.retriever, []string{"hybrid", "bm25", "dense"}},
		{"share", o.share, []string{"merged", "2way", "balanced"}},
		{"format", o.format, []string{"text", "json", "trec"}},
	} {
		if !slices.Contains(flag.accepts, flag.value) {
			return usagef("--%s: unknown %s %q; known: %s", flag.name, flag.name, flag.value, strings.Join(flag.accepts, ", "))
		}
	}
	if o.k < 1 {
		return usagef("--k: expected a number from 1, found %d", o.k)
	}
	return nil
}

// find searches for the best k passages, or the best k records if the format is trec.
func (o *searchOptions) find(ctx context.Context, library *knowledge.Library, text string, k int) ([]knowledge.Hit, error) {
	q := knowledge.Query{
		Text: text, K: k, Sources: o.sources,
		Retriever: knowledge.Retriever(o.retriever), Allocation: knowledge.Allocation(o.share), Remote: true,
	}
	if o.format == "trec" {
		return records(ctx, library, q)
	}
	return library.Search(ctx, q)
}

func searchCommand() command {
	var o searchOptions
	return command{
		name:      "search",
		arguments: "[QUERY]",
		summary:   "show ranked evidence for a question",
		details: `
Finds the passages and stored questions that fit a query best. The index is
brought up to date first. If the settings name a reranker, it orders the best
results of a merged hybrid search.

FILE of --queries is JSON Lines with "qid" and "question" (or "query"), also
compressed with gzip, or lines of qid, tab, question. Results come in the order
of the queries.

--format trec prints "qid Q0 docid rank score tag", one line a record: a row of
a JSON Lines or CSV file (docid is its id) or a file (docid is its path relative
to its source). White space in a name is written as %20. --k then counts
records, and scores always decrease.`,
		flags: o.bind,
		run:   func(ctx context.Context, p *program, args []string) error { return p.search(ctx, &o, args) },
	}
}

func (p *program) search(ctx context.Context, o *searchOptions, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	queries, err := p.queries(ctx, "search", o.queries, args)
	if err != nil {
		return err
	}
	w, library, err := p.openFresh(ctx, "", o.sources...)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := errNothing(w, "searched"); err != nil {
		return err
	}
	if status := library.Status(); o.retriever == string(knowledge.Dense) && !status.Encoder {
		p.warn("these sources are too few to train an encoder on; bm25 serves instead of dense")
	}
	// reranker orders the best hits by the endpoint of [rerank]. It is safe for concurrent use.
	reranker := newReranker(w)
	if o.retriever != string(knowledge.Hybrid) || o.share != string(knowledge.Merged) {
		reranker = nil
	}
	find := func(ctx context.Context, q eval.Query) ([]knowledge.Hit, error) {
		if reranker == nil {
			return o.find(ctx, library, q.Text, o.k)
		}
		hits, err := o.find(ctx, library, q.Text, max(o.k, reranker.depth))
		if err == nil {
			hits, err = reranker.orderOr(ctx, p, q.Text, hits)
		}
		return hits[:min(o.k, len(hits))], err
	}
	return replies(ctx, queries, find, func(q eval.Query, hits []knowledge.Hit) error {
		if err := p.printHits(w, o, q, hits); err != nil {
			return err
		}
		return p.out.Flush()
	}, func(q eval.Query, err error) error { return p.printFailed(q.ID, q.Text, err, o.format == "json") })
}

func (p *program) printHits(w *workspace.Workspace, o *searchOptions, q eval.Query, hits []knowledge.Hit) error {
	switch o.format {
	case "trec":
		return printTREC(p.out, q.ID, "lacuna-"+o.retriever, hits)
	case "json":
		return p.printJSON(hitsJSON(w, q, hits))
	}
	if o.queries != "" {
		fmt.Fprintf(p.out, "%s %s\n", printable(q.ID), printable(q.Text))
	}
	for _, hit := range hits {
		printHit(p.out, w, hit)
	}
	if len(hits) == 0 {
		fmt.Fprintln(p.out, "nothing found")
	}
	return nil
}

// records searches for the q.K best records; a record is as good as its best passage.
func records(ctx context.Context, library *knowledge.Library, q knowledge.Query) ([]knowledge.Hit, error) {
	wanted := q.K
	for {
		hits, err := library.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		found := len(hits)
		seen := map[string]bool{}
		hits = slices.DeleteFunc(hits, func(h knowledge.Hit) bool {
			again := seen[h.Passage.Record]
			seen[h.Passage.Record] = true
			return again
		})
		if len(hits) >= wanted || found < q.K {
			return hits[:min(len(hits), wanted)], nil
		}
		q.K *= 2
	}
}

// printTREC prints a ranking of records. Scores decrease strictly even as float32, which some evaluation
// programs use; a score equal to the previous one is lowered by the smallest step.
func printTREC(w io.Writer, qid, tag string, hits []knowledge.Hit) error {
	last := float32(math.Inf(1))
	for i, hit := range hits {
		score := float32(hit.Score)
		if !(score < last) {
			score = math.Nextafter32(last, float32(math.Inf(-1)))
		}
		last = score
		_, err := fmt.Fprintf(w, "%s Q0 %s %d %s %s\n", column(qid), column(hit.Passage.Record), i+1,
			strconv.FormatFloat(float64(score), 'f', -1, 32), tag)
		if err != nil {
			return err
		}
	}
	return nil
}

// column returns a name as one column of a table separated by white space.
func column(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.Join(strings.FieldsFunc(name, unicode.IsSpace), "%20"))
}

// printHit shows a passage to a person.
func printHit(out io.Writer, w *workspace.Workspace, hit knowledge.Hit) {
	at := hit.Passage
	fmt.Fprintf(out, "%d. %s  [%s, %s %.3f]\n", hit.Rank, printable(messages.At(display(w.Root(), at.Place.File), at, at.Place.Line)),
		printable(at.Source), hit.Retriever, hit.Score)
	if trail := breadcrumb(hit); trail != "" {
		fmt.Fprintf(out, "   %s\n", printable(trail))
	}
	fmt.Fprintf(out, "   %s\n\n", excerpt(at.Render().Span(passage.Span{End: len(at.Text)})))
}

// breadcrumb returns the title and headings above a passage, or the stored question.
func breadcrumb(hit knowledge.Hit) string {
	if hit.Passage.Question != "" {
		return hit.Passage.Question
	}
	var parts []string
	if hit.Passage.Title != "" {
		parts = append(parts, hit.Passage.Title)
	}
	return strings.Join(append(parts, hit.Passage.Headings...), " › ")
}

// excerpt returns the beginning of a text on one line, cut at a word.
func excerpt(text string) string {
	const most = 300
	runes := []rune(printable(text))
	if len(runes) <= most {
		return string(runes)
	}
	cut := most
	for i := most; i > most-30; i-- {
		if runes[i] == ' ' {
			cut = i
			break
		}
	}
	return string(runes[:cut]) + "…"
}

// searchJSON is one line of search --format json.
type searchJSON struct {
	QID   string    `json:"qid"`
	Query string    `json:"query"`
	Hits  []hitJSON `json:"hits"`
}

// hitJSON is a hit with its text.
type hitJSON struct {
	// evidenceJSON is a hit without its text.
	evidenceJSON
	Title    string            `json:"title,omitempty"`
	Aliases  []string          `json:"aliases,omitempty"` // other names of the document
	Headings []string          `json:"headings,omitempty"`
	Question string            `json:"question,omitempty"`
	Date     string            `json:"date,omitempty"`
	About    *passage.Metadata `json:"about,omitempty"` // what the document says about itself
	// placeJSON is the place of a text: bytes start to end of the file, or of the record's field.
	placeJSON
	Text string `json:"text"`
}

// evidenceJSON is a passage found, by name.
type evidenceJSON struct {
	Rank      int     `json:"rank"`
	Source    string  `json:"source"`
	Record    string  `json:"record"`
	Passage   string  `json:"passage"`
	Kind      string  `json:"kind"`
	Score     float64 `json:"score"`
	Retriever string  `json:"retriever"`
}

// placeJSON is where a text stands: bytes start to end of the file, or of the record's field.
type placeJSON struct {
	File  string `json:"file"` // relative to the workspace where it lies inside
	Field string `json:"field,omitempty"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Line  int    `json:"line"` // a page of a PDF, a paragraph of a Word document
}

func hitsJSON(w *workspace.Workspace, q eval.Query, hits []knowledge.Hit) searchJSON {
	return searchJSON{q.ID, q.Text, convert(hits, func(hit knowledge.Hit) hitJSON {
		p := hit.Passage
		return hitJSON{evidenceOf(hit), p.Title, p.Names()[1:], p.Headings, p.Question, p.Date, p.About, placeOf(w.Root(), p.Place), p.Text}
	})}
}

func evidenceOf(hit knowledge.Hit) evidenceJSON {
	p := hit.Passage
	return evidenceJSON{hit.Rank, p.Source, p.Record, p.ID.String(), string(p.Kind), hit.Score, string(hit.Retriever)}
}

func placeOf(root string, at passage.Place) placeJSON {
	return placeJSON{File: display(root, at.File), Field: at.Field, Start: at.Span.Start, End: at.Span.End, Line: at.Line}
}

// reranker puts the best results of a search in the order of the endpoint of [rerank]. It is safe for
// concurrent use.
type reranker struct {
	client *llm.Client
	depth  int // results that it orders
	failed sync.Once
}

// newReranker returns the reranker of the settings, or nil if there is none or it may not be used.
func newReranker(w *workspace.Workspace) *reranker {
	client, depth := w.Client(), w.Settings().Rerank.Depth
	if client == nil || !client.CanRerank() || depth == 0 {
		return nil
	}
	return &reranker{client: client, depth: depth}
}

// order returns hits in the reranker's order, down to its depth. Private passages are not sent and keep
// their places. With an error it returns the hits unchanged.
func (r *reranker) order(ctx context.Context, question string, hits []knowledge.Hit) ([]knowledge.Hit, error) {
	var places []int // of those that are sent
	var texts []string
	for i, hit := range hits[:min(r.depth, len(hits))] {
		if !hit.Passage.Private {
			places, texts = append(places, i), append(texts, hit.Passage.Indexed())
		}
	}
	if len(places) < 2 {
		return hits, nil
	}
	scores, err := r.client.Rerank(ctx, question, "", texts)
	if err != nil {
		return hits, err
	}
	ordered := slices.Clone(hits)
	for at, i := range descending(scores) {
		hit := hits[places[i]]
		hit.Rank, hit.Score = places[at]+1, scores[i]
		ordered[places[at]] = hit
	}
	return ordered, nil
}

// orderOr is order, except that a failure is reported once and the hits keep their order.
func (r *reranker) orderOr(ctx context.Context, p *program, question string, hits []knowledge.Hit) ([]knowledge.Hit, error) {
	ordered, err := r.order(ctx, question, hits)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("rerank: %w", ctx.Err())
	}
	if err != nil {
		r.failed.Do(func() { p.warn("%s Results stand in the built-in order.", faultText(err)) })
	}
	return ordered, nil
}

// descending returns the indices of scores, highest first; equal scores keep their order.
func descending(scores []float64) []int {
	places := make([]int, len(scores))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return places
}
