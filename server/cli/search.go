package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
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

// line is a question that a command reads, or what is wrong with the line in its place.
type line[Q any] struct {
	question Q
	err      error
}

// queries returns the questions of a command: each of the file as soon as its line is there, or the one on
// the command line. The channel ends with the questions or with ctx.
func (p *program) queries(ctx context.Context, command, file string, args []string) (<-chan line[eval.Query], error) {
	one := func(text string) eval.Query {
		asked, options := question.SplitOptions(text)
		return eval.Query{ID: "1", Text: asked, Options: options}
	}
	return questions(ctx, p, command, file, args, one, func(in io.Reader, send func(eval.Query, error) error) error {
		for reader := eval.NewQueryReader(in); ; {
			q, err := reader.Next()
			if err == io.EOF {
				return nil
			}
			var unreadable *eval.LineError
			if err != nil && !errors.As(err, &unreadable) {
				return err
			}
			if err := send(q, err); err != nil {
				return err
			}
		}
	})
}

// questions returns the questions that read sends of file, or the one on the command line. read sends a
// question or what is wrong with its line; what read itself returns is sent last.
func questions[Q any](ctx context.Context, p *program, command, file string, args []string, one func(text string) Q, read func(in io.Reader, send func(Q, error) error) error) (<-chan line[Q], error) {
	help := hint(strings.Fields(command)[0])
	question := strings.TrimSpace(strings.Join(args, " "))
	switch {
	case file != "" && question != "":
		return nil, usagef("%s: give --queries or a question, not both\n%s", command, help)
	case file == "" && question == "":
		return nil, usagef("%s: give a question or --queries FILE\n%s", command, help)
	case file == "":
		only := make(chan line[Q], 1)
		only <- line[Q]{question: one(question)}
		close(only)
		return only, nil
	}
	in, name, err := p.input("--queries", file)
	if err != nil {
		return nil, err
	}
	lines := make(chan line[Q])
	send := func(q Q, err error) error {
		if err != nil {
			err = fmt.Errorf("--queries: %s: %w", name, err)
		}
		select {
		case lines <- line[Q]{q, err}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() {
		defer close(lines)
		defer in.Close()
		if err := read(in, send); err != nil && ctx.Err() == nil {
			_ = send(*new(Q), err)
		}
	}()
	return lines, nil
}

// input opens the file that a flag names and returns its name for messages; "-" is standard input, which
// then cannot be used for anything else, such as asking for consent.
func (p *program) input(flag, file string) (in io.ReadCloser, name string, err error) {
	if file == "-" {
		in, p.In = io.NopCloser(p.In), strings.NewReader("")
		return in, "standard input", nil
	}
	if in, err = os.Open(file); err != nil {
		return nil, "", usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	return in, file, nil
}

// readFile reads the whole file that a flag names. It stops waiting for standard input when ctx ends.
func readFile[T any](ctx context.Context, p *program, flag, file string, read func(io.Reader) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var none T
	in, name, err := p.input(flag, file)
	if err != nil {
		return none, err
	}
	done := make(chan outcome, 1)
	go func() {
		defer in.Close()
		value, err := read(in)
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return none, usageError{fmt.Errorf("%s: %s: %w", flag, name, o.err)}
		}
		return o.value, nil
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// replies does the work for several questions concurrently and emits the results in the order of the
// questions. A line that is not a question, or a question whose work fails, goes to fail in its place and
// ends nothing; the error at the end says how many there were.
func replies[Q, T any](ctx context.Context, lines <-chan line[Q], work func(ctx context.Context, question Q) (T, error), emit func(question Q, result T) error, fail func(question Q, err error) error) error {
	type reply struct {
		line[Q]
		result T
		err    error
	}
	unread, failed := 0, 0
	err := par.Stream(ctx, lines, func(ctx context.Context, l line[Q]) (reply, error) {
		r := reply{line: l}
		if l.err == nil {
			r.result, r.err = work(ctx, l.question)
		}
		return r, ctx.Err()
	}, func(r reply) error {
		switch {
		case r.line.err != nil:
			unread++
			return fail(r.question, r.line.err)
		case r.err != nil:
			failed++
			return fail(r.question, r.err)
		}
		return emit(r.question, r.result)
	})
	switch {
	case err != nil:
		return err
	case failed > 0:
		return fmt.Errorf("%s failed", count(failed, "question"))
	case unread > 0:
		return usagef("%s of --queries could not be read", count(unread, "line"))
	}
	return nil
}

// failedJSON replaces, in --json, the result of a question that could not be read or answered.
type failedJSON struct {
	QID      string `json:"qid"`
	Question string `json:"question,omitempty"`
	Line     int    `json:"line,omitempty"` // of the file, from 1, where it is no question
	Error    string `json:"error"`
}

// printFailed reports a line of --queries that is not a question, or a question that failed.
func (p *program) printFailed(id, question string, err error, asJSON bool) error {
	if !asJSON {
		if id != "" {
			p.warn("question %s: %s", printable(id), faultText(err))
		} else {
			p.warn("%s", printable(err.Error()))
		}
		return nil
	}
	failed := failedJSON{QID: id, Question: question, Error: faultText(err)}
	var unreadable *eval.LineError
	if errors.As(err, &unreadable) {
		failed.Line, failed.Error = unreadable.Line, printable(unreadable.Err.Error())
	}
	return p.printJSON(failed)
}

// faultText says what failed and what to do about it.
func faultText(err error) string {
	text, known := messages.ModelFault(err)
	if !known {
		text = err.Error()
	}
	return printable(text)
}
