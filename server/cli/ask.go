package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
	"lacuna/prompts"
	"lacuna/server/workspace"
)

// askOptions holds the flags of lacuna ask.
type askOptions struct {
	system  string
	sources []string
	queries string
	json    bool
	trace   bool
	fresh   bool
	tape    tape

	style       string
	asPublished bool
}

func askCommand() command {
	var o askOptions
	return command{
		name:      "ask",
		arguments: "[QUESTION]",
		summary:   "answer a question, or every question of a file",
		details: `
Answers from the sources, each sentence with its citation, and names what the
sources lack. Without a model, or with the system offline, the answer is one to
three sentences of the sources, word for word. "lacuna systems" lists the
systems. The index is brought up to date first.

FILE of --queries is JSON Lines with "qid" (or "id") and "question" (or "query")
and, for a choice, "options" (a list, or texts by letter), also compressed with
gzip, or lines of qid, tab, question. Answers come in the order of the
questions, each as soon as it is there: the first before the second has been
read, so that a pipe can ask one at a time. A line that is not a question is
reported, with --json by an object with "line" and "error" in its place, and the
exit code is 2.

In --json, a citation's quote equals the bytes start to end of its file, or of
the field of its record where one is named; files are relative to the workspace
where they lie inside. A statement's "shown" is the quote with its lead as its
document reads, without markup. "state" is answered, nearest or nothing. Where
nothing answers, "nearest" lists up to three places with the fields of
statements and, in "best", the sentence of the place that fits the question
best; none is claimed to answer, so "answer" is without them.

With --record, every call of a model is appended to a file, and with --replay
that file stands in for all models: nothing is sent, and the same bytes come
out. A question whose prompts have changed since then fails, with the name of
the template and the first difference, and the exit code is 3.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.system, "system", "", "answer with the system `NAME` (default: that of the settings)")
			f.StringArrayVar(&o.sources, "source", nil, "use only the source `NAME`; may be given more than once")
			f.StringVar(&o.queries, "queries", "", "answer every question of `FILE`; - is standard input")
			f.BoolVar(&o.json, "json", false, "print one JSON object a line")
			f.BoolVar(&o.trace, "trace", false, "with --json, list every stage with its time, tokens and fallback")
			f.StringVar(&o.style, "style", "", "word a model's answers as a `STYLE`: note, paragraph or short (default: that of the settings)")
			f.BoolVar(&o.asPublished, "as-published", false, "run the system as its paper does; see lacuna systems NAME")
			f.BoolVar(&o.fresh, "fresh", false, "ask the models again, even if their replies are cached")
			o.tape.bind(f)
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.ask(ctx, o, args) },
	}
}

func (p *program) ask(ctx context.Context, o askOptions, args []string) error {
	if o.trace && !o.json {
		return usagef("ask: --trace needs --json\n%s", hint("ask"))
	}
	if o.style != "" && !slices.Contains(prompts.Styles(), prompts.Style(o.style)) {
		return usagef("ask: no style is called %q; known: note, paragraph, short\n%s", o.style, hint("ask"))
	}
	finish, err := o.tape.use(p)
	if err != nil {
		return err
	}
	return finish(p.askAll(ctx, o, args))
}

func (p *program) askAll(ctx context.Context, o askOptions, args []string) error {
	queries, err := p.queries(ctx, "ask", o.queries, args)
	if err != nil {
		return err
	}
	w, err := p.open(ctx, "", o.sources...)
	if err != nil {
		return err
	}
	defer w.Close()
	way := answer.Request{System: o.system, Fresh: o.fresh, AsPublished: o.asPublished, Beyond: true}
	live := p.newLive()
	if o.queries == "" {
		way.Watch = live.show
	}
	strategy, err := w.Strategy(way)
	if err != nil {
		return usageError{err}
	}
	library, err := p.refresh(ctx, w)
	if err != nil {
		return err
	}
	reply := func(ctx context.Context, q eval.Query) (answer.Result, error) {
		return strategy.Answer(ctx, library, answer.Question{Text: q.Text, Sources: o.sources, Options: q.Options, ID: q.ID, Style: prompts.Style(o.style)})
	}
	return replies(ctx, queries, reply, func(q eval.Query, r answer.Result) error {
		live.end()
		if o.json {
			if r.Failure != nil { // the answer for people says it itself
				p.warn("question %s: %s", printable(q.ID), faultText(r.Failure))
			}
			line := resultJSON(w, q, r, p.now())
			if o.trace {
				line.Trace = traceOf(r)
			}
			return p.printJSON(line)
		}
		if o.queries != "" {
			fmt.Fprintf(p.out, "%s %s\n", printable(q.ID), printable(q.Text))
		}
		p.printAnswer(w, r)
		return p.out.Flush()
	}, func(q eval.Query, err error) error {
		live.end()
		return p.printFailed(q.ID, q.Text, err, o.json)
	})
}

// printAnswer prints an answer as the block in a note has it, and what is missing.
func (p *program) printAnswer(w *workspace.Workspace, r answer.Result) {
	block := handlers.Compose(r, filepath.Join(w.Root(), "note"))
	fmt.Fprintln(p.out, printable(block.Status))
	for _, line := range block.Notes {
		fmt.Fprintln(p.out, printable(line))
	}
	for _, b := range block.Bullets {
		fmt.Fprintf(p.out, "- %s\n", printable(b.String()))
	}
	for _, s := range block.Sources {
		fmt.Fprintf(p.out, "[%d] %s\n", s.N, printable(s.Label))
	}
	for _, c := range r.Citations {
		if f, old := w.Library().Superseded(c.Passage, p.now()); old {
			fmt.Fprintf(p.out, "note: %s\n", printable(messages.Superseded(c.Passage.Record, f)))
		}
	}
	named := false // by the status: the first that is open
	for _, g := range r.Gaps {
		if g.Status == gap.Retrieved || !gap.Missing(g.Probability) {
			continue // the sources hold it after all, or what they hold suffices
		}
		if !named && (g.Status == gap.Open || g.Status == "") {
			named = true
			continue
		}
		fmt.Fprintf(p.out, "missing: %s (search: %s)\n", printable(g.Text), printable(g.Query))
	}
	for _, written := range r.Generated {
		about := ""
		if written.Point != "" {
			about = " on " + printable(written.Point)
		}
		fmt.Fprintf(p.out, "background%s, written by a model and not from your sources: %s\n", about, printable(written.Text))
	}
	for _, line := range handlers.Notices(r) {
		fmt.Fprintf(p.out, "note: %s\n", printable(line))
	}
	for _, l := range r.Lacks {
		fmt.Fprintf(p.out, "note: %s\n", messages.Lack(l, r.System))
	}
	if !r.CachedAt.IsZero() {
		fmt.Fprintf(p.out, "replies cached on %s; --fresh asks the models again\n", r.CachedAt.Local().Format("2 January 2006, 15:04"))
	}
	for _, asked := range messages.Related(r) {
		fmt.Fprintf(p.out, "asked before: %s\n", printable(asked.Question))
	}
	fmt.Fprintln(p.out)
}

// askJSON is one line of ask --json.
type askJSON struct {
	QID       string      `json:"qid"`
	Question  string      `json:"question"`
	Reading   readingJSON `json:"reading"`
	System    string      `json:"system"`
	Answer    string      `json:"answer"` // one statement a line, each with its citation marks; no places
	State     string      `json:"state"`  // answered, nearest or nothing
	Abstained bool        `json:"abstained"`
	Reason    string      `json:"reason"`
	Choice    string      `json:"choice,omitempty"` // the letter, of a question with options

	Statements         []statementJSON `json:"statements"`
	Nearest            []statementJSON `json:"nearest"` // places that come nearest; none is claimed to answer
	Citations          []citationJSON  `json:"citations"`
	Conflicts          []conflictJSON  `json:"conflicts,omitempty"` // passages found that cannot both hold
	Evidence           []evidenceJSON  `json:"evidence"`
	MissingProbability float64         `json:"missing_probability"`
	Gaps               []gapJSON       `json:"gaps"`
	Rounds             []roundJSON     `json:"rounds,omitempty"`  // of looking for what is missing, if answer.rounds allows several
	Thought            string          `json:"thought,omitempty"` // why a model holds that something is missing
	Written            []writtenJSON   `json:"written,omitempty"`
	Stored             *storedJSON     `json:"stored,omitempty"`
	Related            []storedJSON    `json:"related,omitempty"`
	Differ             bool            `json:"differ,omitempty"`
	Afterwards         bool            `json:"afterwards,omitempty"` // written without the sources, and looked up in them then

	Lacks    []lackJSON   `json:"lacks,omitempty"` // what the system did without
	Away     []awayJSON   `json:"away,omitempty"`  // sources of engines that could not be asked
	Decision decisionJSON `json:"decision"`
	Timings  timingsJSON  `json:"timings_ms"`
	Usage    usageJSON    `json:"usage"`
	Models   []string     `json:"models,omitempty"`
	Cached   bool         `json:"cached"`
	CachedAt *time.Time   `json:"cached_at,omitempty"` // when the oldest reply was given
	Failure  *failureJSON `json:"failure,omitempty"`
	Trace    []stepJSON   `json:"trace,omitempty"`
}

// statementJSON is one statement of an answer with what it rests on: quote, claim, background or
// unsupported.
type statementJSON struct {
	Text  string `json:"text"`
	Lead  string `json:"lead,omitempty"`
	Shown string `json:"shown,omitempty"` // a quote with its lead as people see it, if that is not the text itself
	Best  string `json:"best,omitempty"`  // of a place: the sentence of text that fits the question best
	Basis string `json:"basis"`
	// Support is what a check of the sentence against its sources found: states, partly, contradicts, absent or
	// unchecked.
	Support     string           `json:"support,omitempty"`
	Unstated    []string         `json:"unstated,omitempty"` // the words of it that its sources do not state
	Differences []differenceJSON `json:"differences,omitempty"`
	ByModel     bool             `json:"by_model,omitempty"` // the support is a model's opinion
	Citations   []int            `json:"citations"`
}

// conflictJSON has quotes of two documents that cannot both hold, and the words that differ: said is in a, stated in b.
type conflictJSON struct {
	A           citationJSON     `json:"a"`
	B           citationJSON     `json:"b"`
	Differences []differenceJSON `json:"differences"`
}

// differenceJSON has words of a sentence and of its source that cannot both be true.
type differenceJSON struct {
	Kind     string `json:"kind"` // such as number, negation or role
	Said     string `json:"said"`
	Stated   string `json:"stated"`
	Citation int    `json:"citation,omitempty"`
}

// citationJSON points at the bytes that a statement quotes.
type citationJSON struct {
	N       int    `json:"n"`
	Source  string `json:"source"`
	Record  string `json:"record"`
	Passage string `json:"passage"`
	Kind    string `json:"kind"`
	placeJSON
	Quote string `json:"quote"`
	// Superseded says what speaks against relying on the source; left out if nothing does.
	Superseded *supersededJSON `json:"superseded,omitempty"`
}

// supersededJSON says why a source may be out of date: "replaced" or "newer" with the page that replaces it, or
// "review_due" with the date.
type supersededJSON struct {
	Reason string `json:"reason"`
	By     string `json:"by,omitempty"`
	Record string `json:"record,omitempty"` // of the newer page, if it is in the sources
	Due    string `json:"due,omitempty"`
}

func supersededOf(library *knowledge.Library, p *passage.Passage, today time.Time) *supersededJSON {
	f, ok := library.Superseded(p, today)
	if !ok {
		return nil
	}
	shown := &supersededJSON{Reason: string(f.Reason), By: f.Name, Due: f.Due}
	if f.By != nil {
		shown.Record = f.By.Record
	}
	return shown
}

type gapJSON struct {
	Code        string  `json:"code"`
	Text        string  `json:"text"`
	Query       string  `json:"query"`
	Status      string  `json:"status"`
	Probability float64 `json:"probability"`
}

// roundJSON is one round of looking for what is missing.
type roundJSON struct {
	Missing []string `json:"missing"`       // what the judge named
	Queries []string `json:"queries"`       // searched for
	Found   []string `json:"found"`         // passages that no round before had found
	End     string   `json:"end,omitempty"` // why no other round follows
}

// writtenJSON is background that a model wrote from its own knowledge; it is never evidence.
type writtenJSON struct {
	Point string `json:"point"` // the gap it is about; empty when it is about the question
	Text  string `json:"text"`
}

// lackJSON names a part that the system has in its paper and ran without.
type awayJSON struct {
	Source string `json:"source"`
	Text   string `json:"text"` // for people
}

type lackJSON struct {
	What string `json:"what"` // selector, examples, encoder, endpoint, options, gate or evidence
	Text string `json:"text"` // for people
}

// storedJSON is a stored question: the one whose answer serves, or a related one.
type storedJSON struct {
	Source   string `json:"source"`
	Record   string `json:"record"`
	Question string `json:"question"`
	Date     string `json:"date,omitempty"`
}

// decisionJSON says whether the sources were searched. Without a gate, the system decides that.
type decisionJSON struct {
	Retrieve  bool     `json:"retrieve"`
	Policy    string   `json:"policy"`
	Score     float64  `json:"score"`
	Threshold *float64 `json:"threshold,omitempty"` // of a gate
	Kept      bool     `json:"kept,omitempty"`      // the sources were searched and the model's own answer was used
	Reason    string   `json:"reason"`
}

type timingsJSON struct {
	Retrieve float64 `json:"retrieve"`
	Judge    float64 `json:"judge"`
	Read     float64 `json:"read"`
	Total    float64 `json:"total"`
}

// usageJSON counts calls of models and their tokens. It has the fields of llm.Usage.
type usageJSON struct {
	Calls      int  `json:"calls"`
	Prompt     int  `json:"prompt_tokens"`
	Completion int  `json:"completion_tokens"` // with the reasoning
	Reasoning  int  `json:"reasoning_tokens,omitempty"`
	Estimated  bool `json:"estimated,omitempty"` // the endpoint did not count
}

// failureJSON describes the failure of an endpoint while a question was answered.
type failureJSON struct {
	Fault   string `json:"fault,omitempty"`
	Role    string `json:"role,omitempty"`
	Host    string `json:"host,omitempty"`
	Model   string `json:"model,omitempty"`
	Status  int    `json:"status,omitempty"`  // of HTTP
	Setting string `json:"setting,omitempty"` // to change
	Text    string `json:"text"`              // for people
}

// stepJSON is one stage of an answer, or one call within a stage.
type stepJSON struct {
	Stage     string     `json:"stage"`
	Detail    string     `json:"detail,omitempty"`
	StartedMS float64    `json:"started_ms"` // since the question was asked
	MS        float64    `json:"ms"`
	Inputs    string     `json:"inputs,omitempty"` // a hash; equal inputs have equal ones
	Results   int        `json:"results"`
	Outcome   string     `json:"outcome"` // ok, degraded or failed
	Fallback  string     `json:"fallback,omitempty"`
	Thinking  string     `json:"thinking,omitempty"` // "none" where a model was to think first and did not
	Error     string     `json:"error,omitempty"`
	Model     string     `json:"model,omitempty"`
	Path      string     `json:"path,omitempty"` // how the reply was understood
	Attempts  int        `json:"attempts,omitempty"`
	Kept      bool       `json:"kept,omitempty"` // the reply is one of an earlier time
	Tokens    *usageJSON `json:"tokens,omitempty"`
}

func resultJSON(w *workspace.Workspace, q eval.Query, r answer.Result, today time.Time) askJSON {
	line := askJSON{
		QID: q.ID, Question: q.Text, Reading: readingOf(q.Text), System: r.System, Answer: answerText(r),
		State: string(r.State), Abstained: r.State == answer.Nothing, Reason: string(r.Reason), Choice: r.Choice,
		Statements: convert(r.Statements, statementOf), Nearest: convert(r.Nearest, statementOf), Evidence: convert(r.Evidence, evidenceOf), Gaps: convert(r.Gaps, gapOf), Rounds: convert(r.Rounds, roundOf),
		Written:            convert(r.Generated, func(w answer.Generated) writtenJSON { return writtenJSON(w) }),
		Related:            convert(r.Related, func(hit knowledge.Hit) storedJSON { return storedOf(hit.Passage, hit.Passage.Date) }),
		MissingProbability: r.MissingProbability, Thought: r.Thought, Differ: r.Disagree, Afterwards: r.CitedAfterwards, Decision: decision(r),
		Timings: timingsJSON{milliseconds(r.Timings.Retrieve), milliseconds(r.Timings.Judge), milliseconds(r.Timings.Read), milliseconds(r.Timings.Total)},
		Usage:   usageJSON(r.Usage), Models: r.Models, Failure: failureOf(r.Failure),
	}
	if !r.CachedAt.IsZero() {
		line.Cached, line.CachedAt = true, &r.CachedAt
	}
	citation := func(c answer.Citation) citationJSON {
		at := c.Passage
		return citationJSON{c.N, at.Source, at.Record, at.ID.String(), string(at.Kind), placeOf(w.Root(), c.Place()), c.Quote, supersededOf(w.Library(), at, today)}
	}
	line.Citations = convert(r.Citations, citation)
	for _, c := range r.Conflicts {
		line.Conflicts = append(line.Conflicts, conflictJSON{citation(c.A), citation(c.B), convert(c.Differences, func(d answer.Difference) differenceJSON {
			return differenceJSON{Kind: string(d.Kind), Said: d.Said, Stated: d.Stated}
		})})
	}
	line.Away = convert(r.Away, func(a answer.Away) awayJSON { return awayJSON{a.Source, messages.SourceAway(a)} })
	line.Lacks = convert(r.Lacks, func(l answer.Lack) lackJSON { return lackJSON{string(l), messages.Lack(l, r.System)} })
	if r.Stored != nil {
		stored := storedOf(r.Stored.Passage, r.Stored.Date)
		line.Stored = &stored
	}
	return line
}

func storedOf(p *passage.Passage, date string) storedJSON {
	return storedJSON{p.Source, p.Record, p.Question, date}
}

func gapOf(g gap.Gap) gapJSON {
	return gapJSON{string(g.Code), g.Text, g.Query, string(g.Status), g.Probability}
}

func statementOf(s answer.Statement) statementJSON {
	basis := string(s.Basis)
	if s.Basis == answer.Quote {
		basis = "quote"
	}
	lead := s.Lead
	if s.Elided {
		lead += " …"
	}
	shown := s.Reads()
	if shown == s.Text {
		shown = ""
	}
	support := s.Support
	differences := convert(support.Differences, func(d answer.Difference) differenceJSON {
		return differenceJSON{string(d.Kind), d.Said, d.Stated, d.Citation}
	})
	return statementJSON{
		Text: s.Text, Lead: lead, Shown: shown, Best: s.Best, Basis: basis, Citations: append([]int{}, s.Citations...),
		Support: string(support.Verdict), Unstated: support.Unstated, Differences: differences, ByModel: support.ByModel,
	}
}

// answerText returns the answer with one statement a line and no markup except citation marks.
func answerText(r answer.Result) string {
	lines := make([]string, 0, len(r.Statements))
	for _, s := range r.Statements {
		line := s.Reads()
		for _, n := range s.Citations {
			line += fmt.Sprintf(" [%d]", n)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// decision says whether the sources were searched, and why.
func decision(r answer.Result) decisionJSON {
	if d := r.Decision; d != nil {
		return decisionJSON{Retrieve: d.Retrieve, Policy: d.Policy, Score: d.Score, Threshold: &d.Threshold, Kept: d.OwnAnswer, Reason: d.Why}
	}
	if slices.Contains(r.Lacks, answer.NoGate) {
		return decisionJSON{Retrieve: true, Policy: "always", Score: 1, Reason: messages.Lack(answer.NoGate, r.System)}
	}
	searched := r.System == answer.OfflineID ||
		slices.ContainsFunc(r.Trace, func(s answer.Step) bool { return s.Stage == answer.StageRetrieve })
	if !searched {
		return decisionJSON{Policy: "never", Reason: fmt.Sprintf("the %s system does not search", r.System)}
	}
	return decisionJSON{Retrieve: true, Policy: "always", Score: 1, Reason: fmt.Sprintf("the %s system always searches", r.System)}
}

func failureOf(err error) *failureJSON {
	if err == nil {
		return nil
	}
	shown := &failureJSON{Text: faultText(err)}
	var failed *llm.Error
	if errors.As(err, &failed) {
		shown.Fault, shown.Role, shown.Host = string(failed.Fault), string(failed.Role), failed.Host
		shown.Model, shown.Status, shown.Setting = failed.Model, failed.Status, failed.Setting
	}
	return shown
}

func roundOf(r answer.Round) roundJSON {
	asIs := func(text string) string { return text }
	return roundJSON{convert(r.Missing, asIs), convert(r.Queries, asIs), convert(r.Found, passage.ID.String), string(r.End)}
}

func traceOf(r answer.Result) []stepJSON {
	return convert(r.Trace, func(s answer.Step) stepJSON {
		step := stepJSON{
			Stage: string(s.Stage), Detail: s.Detail, StartedMS: milliseconds(s.Started), MS: milliseconds(s.Took),
			Inputs: s.Inputs, Results: s.Results, Outcome: string(s.Outcome), Fallback: s.Fallback, Thinking: string(s.Thinking),
			Model: s.Model, Path: string(s.Path), Attempts: s.Attempts, Kept: s.Cached,
		}
		if s.Err != nil {
			step.Error = s.Err.Error()
		}
		if s.Usage != (llm.Usage{}) {
			tokens := usageJSON(s.Usage)
			step.Tokens = &tokens
		}
		return step
	})
}

// milliseconds rounds a duration to a hundredth of a millisecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

// readingJSON is what a question was read to ask for.
type readingJSON struct {
	Language   string          `json:"language"` // en, de, zh or other
	Asking     []string        `json:"asking"`   // the sentences that ask
	Subject    []string        `json:"subject"`  // what it is about, most name-like first
	Aspect     string          `json:"aspect"`   // of the subject; empty if none is named
	Aspects    []string        `json:"aspects"`  // all that are named, the meant one first
	Expected   string          `json:"expected"` // the kind of answer: fact, quantity, date, yesno, list, steps …
	Measure    string          `json:"measure,omitempty"`
	Conditions []conditionJSON `json:"conditions"`
}

// conditionJSON limits a question to some people, states or versions.
type conditionJSON struct {
	Name string `json:"name"`
	Text string `json:"text"` // the words that state it
}

func readingOf(text string) readingJSON {
	r := question.Read(text)
	return readingJSON{
		Language: string(r.Language), Aspect: string(r.Aspect), Expected: string(r.Expected.Kind), Measure: string(r.Expected.Measure),
		Asking:     convert(r.Asking, func(s passage.Span) string { return text[s.Start:s.End] }),
		Subject:    convert(r.Subject, func(p question.Phrase) string { return p.Text }),
		Aspects:    convert(r.Aspects, func(a question.Aspect) string { return string(a) }),
		Conditions: convert(r.Conditions, func(c question.Condition) conditionJSON { return conditionJSON{c.Name, text[c.Start:c.End]} }),
	}
}
