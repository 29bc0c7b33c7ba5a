package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/server/evaluation"
	"lacuna/server/workspace"
)

// evalOptions holds the flags of lacuna eval.
type evalOptions struct {
	queries  string
	qrels    string
	sources  []string
	system   string
	k        int
	minGrade int
	json     bool
	calls    tape
}

func evalCommand() command {
	var o evalOptions
	return command{
		name:      "eval",
		arguments: "search|gaps|answers|FILE.jsonl|COMMAND",
		summary:   "measure search, gaps or answers on a set of questions",
		details: `
Measures how well this workspace's sources are searched and answered from, on a
set of questions with known results. FILE is a data set in a published form,
such as a folder of BEIR, or JSON Lines with "qid" and "question", also
compressed with gzip, and

  for search   "relevant": a list of records, or an object of their grades
  for gaps     "covered": whether the sources hold what the question needs;
               without it, how many questions are flagged is counted
  for answers  "ideal": an answer in a person's words, or several; "exact":
               facts that a right answer names, each as a list of ways to write
               it; "type": only "factoid", or none, has its facts looked for;
               "gold": the letter of the right option

Answers are measured as they are shown, and as they would be if the offline
system never abstained. Every figure comes with the number of questions and a
95 % bootstrap interval of 10,000 resamples.

A question that the system could not answer, because its model or another
endpoint failed, is left out of the figures and counted; an answer with a failed
stage is in the figures, and counted as well. The exit code is 3 if nothing
could be measured.

FILE.jsonl holds your own questions, a JSON object a line: "question", and what
you expect: "answer" or "answers", the words that have to be shown; "document",
the end of a path, a title or a record; "heading", a section; "options" and
"gold"; "missing", if your sources do not have it. It says for each what became
of it, the worst first.

COMMAND does more; "lacuna help eval COMMAND" describes it:

` + listEvalCommands(),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.queries, "queries", "", "the questions are in `FILE`; - is standard input")
			f.StringVar(&o.qrels, "qrels", "", "take the relevant records from `FILE`, in the form of TREC or BEIR")
			f.StringArrayVar(&o.sources, "source", nil, "use only the source `NAME`; may be given more than once")
			f.StringVar(&o.system, "system", "", "answer with the system `NAME`; see lacuna systems (default: that of the settings for your own questions, else "+answer.OfflineID+")")
			f.IntVar(&o.k, "k", 10, "measure search to the depth `N`")
			f.IntVar(&o.minGrade, "min-grade", 0, "count records from the grade `N` on as relevant, all alike (default: grades are gains)")
			f.BoolVar(&o.json, "json", false, "print one JSON object")
			o.calls.bind(f)
		},
		run: func(ctx context.Context, p *program, args []string) error {
			finish, err := o.calls.use(p)
			if err != nil {
				return err
			}
			return finish(p.eval(ctx, &o, args))
		},
	}
}

// listEvalCommands returns a line for each command of package evaluation.
func listEvalCommands() string {
	var b strings.Builder
	for _, c := range evaluation.Commands() {
		fmt.Fprintf(&b, "  %-11s %s\n", c.Name, c.Summary)
	}
	return b.String()
}

// evalCommands returns the commands of package evaluation.
func evalCommands() []command {
	return convert(evaluation.Commands(), func(c evaluation.Command) command {
		var calls tape
		return command{
			name: "eval " + c.Name, arguments: c.Arguments, summary: c.Summary, details: c.Details,
			flags: func(f *pflag.FlagSet) {
				c.Flags(f)
				if c.Asks {
					calls.bind(f)
				}
			},
			run: func(ctx context.Context, p *program, args []string) error {
				finish, err := calls.use(p)
				if err != nil {
					return err
				}
				return finish(evalError(c.Run(ctx, p.evaluation(), args)))
			},
		}
	})
}

// evalError returns an error of package evaluation as one of this package, which decides the exit code.
func evalError(err error) error {
	var usage evaluation.UsageError
	switch {
	case errors.Is(err, evaluation.ErrNo):
		return errNo
	case errors.As(err, &usage):
		return usageError{err}
	}
	return err
}

// evaluation returns what a command of package evaluation works with.
func (p *program) evaluation() *evaluation.Session {
	status := func(string) {}
	if isTerminal(p.console) {
		status = func(line string) { fmt.Fprintf(p.console, "\r\x1b[K%s", printable(line)) }
	}
	return &evaluation.Session{
		In: p.In, Out: p.out, Status: status, Warn: p.warn, JSON: p.printJSON, Build: build(), Failure: faultText, Replays: p.player != nil,
		Look: func(ctx context.Context, flags map[string]string) (*workspace.Workspace, error) {
			return p.lookWith(ctx, p.settingsWith(flags))
		},
		OpenAs: func(ctx context.Context, config string, sources ...string) (*workspace.Workspace, *knowledge.Library, error) {
			as := *p
			as.globals.config = config
			return as.openWith(ctx, as.globals.settings(), sources...)
		},
		Open: func(ctx context.Context, flags map[string]string, sources ...string) (*workspace.Workspace, *knowledge.Library, error) {
			return p.openWith(ctx, p.settingsWith(flags), sources...)
		},
	}
}

// settingsWith returns the settings of the command line with others on top.
func (p *program) settingsWith(flags map[string]string) map[string]string {
	set := p.globals.settings()
	maps.Copy(set, flags)
	return set
}

// row is a line of the table that an evaluation prints.
type row struct {
	group string // such as the retriever; may be empty
	eval.Measure
}

// measured holds one finished evaluation.
type measured struct {
	what    string
	rows    []row
	skipped int // questions without the fields that were needed
	took    []time.Duration
	// failures holds the questions that are left out of the figures, by what failed.
	failures []failure
	degraded int // questions whose answer does without something and is in the figures
}

// failure is one thing that failed, and for how many questions.
type failure struct {
	Text      string `json:"text"` // for people
	Questions int    `json:"questions"`
}

// fail counts a question that could not be measured because of text.
func (e *measured) fail(text string) {
	at := slices.IndexFunc(e.failures, func(f failure) bool { return f.Text == text })
	if at < 0 {
		at, e.failures = len(e.failures), append(e.failures, failure{Text: text})
	}
	e.failures[at].Questions++
}

// failed counts the questions that could not be measured.
func (e measured) failed() int {
	n := 0
	for _, f := range e.failures {
		n += f.Questions
	}
	return n
}

func (p *program) eval(ctx context.Context, o *evalOptions, args []string) error {
	kinds := map[string]func(context.Context, *workspace.Workspace, *knowledge.Library, *evalOptions, []eval.Query) (measured, error){
		"search": p.evalSearch, "gaps": p.evalGaps, "answers": p.evalAnswers,
	}
	if len(args) == 1 && kinds[args[0]] == nil && strings.Contains(args[0], ".") {
		return evalError(evaluation.Test(ctx, p.evaluation(), args[0], evaluation.TestOptions{System: o.system, Sources: o.sources, JSON: o.json}))
	}
	o.system = cmp.Or(o.system, answer.OfflineID)
	if len(args) != 1 || kinds[args[0]] == nil {
		return usagef("eval: say what to measure: search, gaps, answers, or a file of your own questions\n%s", hint("eval"))
	}
	if o.queries == "" {
		return usagef("eval: --queries FILE is needed\n%s", hint("eval"))
	}
	if o.k < 1 {
		return usagef("--k: expected a number from 1, found %d", o.k)
	}
	queries, err := p.evalQueries(ctx, o)
	if err != nil {
		return err
	}
	w, library, err := p.openFresh(ctx, "", o.sources...)
	if err != nil {
		return err
	}
	defer w.Close()
	e, err := kinds[args[0]](ctx, w, library, o, queries)
	if err != nil {
		return err
	}
	if len(e.rows) == 0 && len(e.failures) == 0 {
		return usagef("--queries: %s: no question has what eval %s needs\n%s", o.queries, args[0], hint("eval"))
	}
	if o.json {
		err = p.printJSON(e.json())
	} else {
		e.print(p)
	}
	if err != nil {
		return err
	}
	for _, f := range e.failures {
		p.warn("%s not measured: %s", count(f.Questions, "question"), f.Text)
	}
	if len(e.rows) == 0 {
		return errNothingMeasured
	}
	return nil
}

// evalQueries reads questions in our own form or in a public one, and the judgements of a file of their own.
func (p *program) evalQueries(ctx context.Context, o *evalOptions) ([]eval.Query, error) {
	var queries []eval.Query
	info, err := os.Stat(o.queries)
	if o.queries == "-" || err != nil || !info.IsDir() {
		queries, err = readFile(ctx, p, "--queries", o.queries, eval.ReadQueries)
	} else {
		err = errors.New("a folder")
	}
	if err != nil && o.queries != "-" && ctx.Err() == nil {
		published, unknown := dataset.Read(o.queries, "")
		var fault *dataset.Fault
		switch {
		case unknown == nil:
			queries, err = published.Questions, nil
		case errors.As(unknown, &fault) && (fault.Form != "" && fault.Form != "questions for lacuna" || info != nil && info.IsDir()):
			err = usageError{fmt.Errorf("--queries: %w", unknown)}
		}
	}
	if err != nil || o.qrels == "" {
		return queries, err
	}
	judged, err := dataset.ReadQrels(o.qrels)
	if err != nil {
		return nil, usageError{fmt.Errorf("--qrels: %w", err)}
	}
	known := 0
	for i := range queries {
		if queries[i].Grades = judged[queries[i].ID]; queries[i].Grades != nil {
			known++
		}
	}
	if known == 0 {
		return nil, usagef("--qrels: %s judges none of the questions in %s; do the files belong together?", o.qrels, o.queries)
	}
	return queries, nil
}

// errNothingMeasured ends an evaluation all of whose questions failed.
var errNothingMeasured = errors.New("nothing could be measured")

func recordNames(hits []knowledge.Hit) []string {
	names := make([]string, len(hits))
	for i, hit := range hits {
		names[i] = hit.Passage.Record
	}
	return names
}

// gradesFrom returns the relevant records: all with a positive grade, or all with at least the grade least,
// which then count alike.
func gradesFrom(grades map[string]int, least int) map[string]int {
	kept := map[string]int{}
	for record, grade := range grades {
		switch {
		case least <= 0 && grade > 0:
			kept[record] = grade
		case least > 0 && grade >= least:
			kept[record] = 1
		}
	}
	return kept
}

// evalGaps measures the probability that something is missing.
func (p *program) evalGaps(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, o *evalOptions, queries []eval.Query) (measured, error) {
	e := measured{what: "gaps"}
	var judged []eval.Prediction
	var unlabelled []float64
	cited := 0
	strategy, err := w.Strategy(answer.Request{System: o.system})
	if err != nil {
		return e, usageError{err}
	}
	err = e.askAll(ctx, strategy, library, o, queries, func(i int, r answer.Result) {
		e.took = append(e.took, r.Timings.Total)
		if covered := queries[i].Covered; covered != nil {
			judged = append(judged, eval.Prediction{Score: r.MissingProbability, True: !*covered})
			return
		}
		unlabelled = append(unlabelled, r.MissingProbability)
		if len(r.Citations) > 0 {
			cited++
		}
	})
	if err != nil {
		return e, err
	}
	for _, m := range append(eval.GapMeasures(judged), eval.FlagRateMeasures(unlabelled)...) {
		e.rows = append(e.rows, row{"", m})
	}
	if n := len(unlabelled); n > 0 {
		e.rows = append(e.rows, row{"", eval.Measure{Name: "answered with citations", Value: float64(cited) / float64(n), Low: math.NaN(), High: math.NaN(), N: n}})
	}
	return e, nil
}

// evalAnswers measures answers against reference answers: as users get them, and as they would be if the
// system never abstained, which separates the choice of sentences from the decision to abstain. Both use the
// same questions.
func (p *program) evalAnswers(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, o *evalOptions, queries []eval.Query) (measured, error) {
	e := measured{what: "answers"}
	strategy, err := w.Strategy(answer.Request{System: o.system})
	if err != nil {
		return e, usageError{err}
	}
	amount := extract.Amount(w.Settings().Answer.Sentences)
	for _, way := range []struct {
		group    string
		strategy answer.Strategy
	}{
		{"as shown", strategy},
		{"offline, never abstaining", &extract.Offline{NoAbstain: true, Amount: amount}},
	} {
		replies := make([]eval.Reply, 0, len(queries))
		var citations []answer.Citation
		var took []time.Duration
		var answered []eval.Query
		err := e.askAll(ctx, way.strategy, library, o, queries, func(i int, r answer.Result) {
			took = append(took, r.Timings.Total)
			answered = append(answered, queries[i])
			replies = append(replies, replyOf(queries[i], r))
			citations = append(citations, r.Citations...)
		})
		if err != nil || len(replies) == 0 {
			return e, err
		}
		countResolved(replies, citations)
		for _, m := range eval.AnswerMeasures(replies) {
			e.rows = append(e.rows, row{way.group, m})
		}
		if e.took == nil {
			e.took = took
		}
		queries = answered
	}
	return e, nil
}

func replyOf(q eval.Query, r answer.Result) eval.Reply {
	reply := eval.Reply{Query: q, Letter: r.Choice, Sure: r.State == answer.Answered, Citations: len(r.Citations), Took: r.Timings.Total}
	var shown []string
	for i, s := range r.Shown() {
		if i == 0 {
			reply.Lead = s.Text
		}
		shown = append(shown, s.Reads())
	}
	reply.Shown = strings.Join(shown, " ")
	return reply
}

// countResolved reads every quote from disk again. citations holds the citations of all replies, in their
// order.
func countResolved(replies []eval.Reply, citations []answer.Citation) {
	places := make([]passage.Place, len(citations))
	for i, c := range citations {
		places[i] = c.Place()
	}
	resolutions := ingest.ResolveAll(places)
	next := 0
	for i := range replies {
		for range replies[i].Citations {
			if r := resolutions[next]; r.Err == nil && r.Text == citations[next].Quote {
				replies[i].Resolved++
			}
			next++
		}
	}
}

// askAll asks every question and calls take in order. If the system failed and another answered in its
// place, the question is counted and not taken.
func (e *measured) askAll(ctx context.Context, strategy answer.Strategy, library *knowledge.Library, o *evalOptions, queries []eval.Query, take func(i int, r answer.Result)) error {
	reply := func(ctx context.Context, i int) (answer.Result, error) {
		r, err := strategy.Answer(ctx, library, answer.Question{Text: queries[i].Text, Options: queries[i].Options, Sources: o.sources, ID: queries[i].ID})
		if err != nil && ctx.Err() == nil {
			r, err = answer.Result{Failure: err, Reason: answer.ToolFailure}, nil
		}
		return r, err
	}
	return par.Ordered(ctx, len(queries), reply, func(i int, r answer.Result) error {
		if r.Failed() {
			e.fail(faultText(r.Failure))
			return nil
		}
		if r.Degraded() {
			e.degraded++
		}
		take(i, r)
		return nil
	})
}

func (e measured) print(p *program) {
	width := 0
	for _, r := range e.rows {
		width = max(width, len(r.Name))
	}
	group := ""
	for _, r := range e.rows {
		if r.group != group {
			group = r.group
			fmt.Fprintf(p.out, "%s\n", group)
		}
		interval := ""
		if !math.IsNaN(r.Low) {
			interval = fmt.Sprintf("  [%.3f, %.3f]", r.Low, r.High)
		}
		fmt.Fprintf(p.out, "  %-*s  %.3f%-16s  n = %d\n", width, r.Name, r.Value, interval, r.N)
	}
	if n := e.failed(); n > 0 {
		fmt.Fprintf(p.out, "%s failed and left out\n", count(n, "question"))
	}
	if e.degraded > 0 {
		fmt.Fprintf(p.out, "%s answered without a stage or a part of the system; see ask --trace\n", count(e.degraded, "question"))
	}
	if e.skipped > 0 {
		fmt.Fprintf(p.out, "%s left out: nothing relevant is known\n", count(e.skipped, "question"))
	}
	if len(e.took) > 0 {
		fmt.Fprintf(p.out, "time for one question: median %.1f ms, 99 %% below %.1f ms\n",
			milliseconds(eval.Quantile(e.took, .5)), milliseconds(eval.Quantile(e.took, .99)))
	}
}

// evaluationJSON is the output of eval --json.
type evaluationJSON struct {
	What     string        `json:"what"`
	Measures []measureJSON `json:"measures"`
	Skipped  int           `json:"skipped"`
	Failed   int           `json:"failed"` // questions left out of the figures
	Failures []failure     `json:"failures,omitempty"`
	Degraded int           `json:"degraded"` // questions in the figures whose answer does without something
	MedianMS float64       `json:"median_ms"`
	P99MS    float64       `json:"p99_ms"`
}

type measureJSON struct {
	Group  string   `json:"group,omitempty"`
	Metric string   `json:"metric"`
	Value  *float64 `json:"value"` // null where it cannot be measured
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	N      int      `json:"n"`
}

func (e measured) json() evaluationJSON {
	return evaluationJSON{
		What: e.what, Skipped: e.skipped, Failed: e.failed(), Failures: e.failures, Degraded: e.degraded,
		Measures: convert(e.rows, func(r row) measureJSON {
			return measureJSON{r.group, r.Name, number(r.Value), number(r.Low), number(r.High), r.N}
		}),
		MedianMS: milliseconds(eval.Quantile(e.took, .5)), P99MS: milliseconds(eval.Quantile(e.took, .99)),
	}
}

// number returns nil for NaN and infinity, which JSON cannot represent.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// evalSearch measures the three retrievers, the gain of hybrid search over words alone, and the reranker if
// the settings name one. If a remote endpoint fails for a question, the fallback is not measured.
func (p *program) evalSearch(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, o *evalOptions, queries []eval.Query) (measured, error) {
	e := measured{what: "search"}
	var judged []eval.Query
	for _, q := range queries {
		if q.Grades = gradesFrom(q.Grades, o.minGrade); len(q.Grades) > 0 {
			judged = append(judged, q)
		}
	}
	e.skipped = len(queries) - len(judged)
	if len(judged) == 0 {
		return e, nil
	}
	if text := evaluation.StrangeRecords(library, judged); text != "" {
		p.warn("%s", text)
	}
	at := func(name string) string { return fmt.Sprintf("%s@%d", name, o.k) }
	failures := make([]string, len(judged)) // of the questions, the first of each
	byRetriever := map[knowledge.Retriever]rankings{}
	for _, retriever := range []knowledge.Retriever{knowledge.BM25, knowledge.Dense, knowledge.Hybrid} {
		encoded := retriever != knowledge.BM25 && w.Embeds()
		if retriever == knowledge.Dense && !library.Status().Encoder && !encoded {
			continue
		}
		took := make([]time.Duration, len(judged))
		found, err := rankAll(ctx, judged, func(ctx context.Context, i int) ([]knowledge.Hit, error) {
			began := time.Now()
			hits, err := records(ctx, library, o.query(judged[i], retriever, o.k))
			took[i] = time.Since(began)
			if err == nil && encoded && !byEndpoint(hits) {
				err = errNotEncoded
			}
			return hits, err
		}, failures)
		if err != nil {
			return e, err
		}
		byRetriever[retriever] = found
		e.addRankings(string(retriever), found, o.k, at)
		e.took = took // of the last retriever, which is the default one
	}
	if mixed, words := common(byRetriever[knowledge.Hybrid], byRetriever[knowledge.BM25]); len(mixed) > 0 {
		e.add("hybrid, more than bm25", eval.RankingGains(mixed, words, o.k, at))
	}
	if reranker := newReranker(w); reranker != nil {
		found, err := rankAll(ctx, judged, func(ctx context.Context, i int) ([]knowledge.Hit, error) {
			hits, err := records(ctx, library, o.query(judged[i], knowledge.Hybrid, max(reranker.depth, o.k)))
			if err == nil && w.Embeds() && !byEndpoint(hits) {
				err = errNotEncoded
			}
			if err != nil {
				return nil, err
			}
			hits, err = reranker.order(ctx, judged[i].Text, hits)
			return hits[:min(o.k, len(hits))], err
		}, failures)
		if err != nil {
			return e, err
		}
		e.addRankings("hybrid, reranked", found, o.k, at)
	}
	for _, text := range failures {
		if text != "" {
			e.fail(text)
		}
	}
	return e, nil
}

// errNotEncoded says that a search did not use the endpoint of [embedding] as it should.
var errNotEncoded = errors.New("the endpoint of [embedding] did not encode the question, or has not encoded the sources; the figures by it leave the question out")

// byEndpoint reports whether an endpoint encoded the query of hits.
func byEndpoint(hits []knowledge.Hit) bool {
	return slices.ContainsFunc(hits, func(h knowledge.Hit) bool { return h.Remote })
}

// query returns the search for the records of a question.
func (o *evalOptions) query(q eval.Query, retriever knowledge.Retriever, k int) knowledge.Query {
	return knowledge.Query{Text: q.Text, K: k, Sources: o.sources, Retriever: retriever, Remote: true}
}

func (e *measured) add(group string, measures []eval.Measure) {
	for _, m := range measures {
		e.rows = append(e.rows, row{group, m})
	}
}

// rankings holds a ranking for each question, in order; nil if the search failed.
type rankings []*eval.Ranking

// rankAll searches for all questions. It adds the reasons of failed searches to failures.
func rankAll(ctx context.Context, judged []eval.Query, find func(ctx context.Context, i int) ([]knowledge.Hit, error), failures []string) (rankings, error) {
	all := make(rankings, len(judged))
	type found struct {
		hits []knowledge.Hit
		err  error
	}
	search := func(ctx context.Context, i int) (found, error) {
		hits, err := find(ctx, i)
		return found{hits, err}, ctx.Err()
	}
	err := par.Ordered(ctx, len(judged), search, func(i int, f found) error {
		if f.err != nil {
			failures[i] = cmp.Or(failures[i], faultText(f.err))
			return nil
		}
		all[i] = &eval.Ranking{Records: recordNames(f.hits), Grades: judged[i].Grades}
		return nil
	})
	return all, err
}

// common returns the rankings of the questions that both a and b have.
func common(a, b rankings) (ofA, ofB []eval.Ranking) {
	for i := range a {
		if a[i] != nil && b[i] != nil {
			ofA, ofB = append(ofA, *a[i]), append(ofB, *b[i])
		}
	}
	return ofA, ofB
}

// addRankings adds the measures of the rankings that are not nil.
func (e *measured) addRankings(group string, found rankings, k int, at func(string) string) {
	if measured, _ := common(found, found); len(measured) > 0 {
		e.add(group, eval.RankingMeasures(measured, k, at))
	}
}
