package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/eval"
	"lacuna/server/workspace"
)

// askJSON is one line of ask --json.
type askJSON struct {
	QID       string `json:"qid"`
	Question  string `json:"question"`
	System    string `json:"system"`
	Answer    string `json:"answer"` // one statement a line, each with its citation mark
	State     string `json:"state"`  // answered, possibly or nothing
	Abstained bool   `json:"abstained"`
	Reason    string `json:"reason"`

	Citations          []citationJSON `json:"citations"`
	Evidence           []evidenceJSON `json:"evidence"`
	MissingProbability float64        `json:"missing_probability"`
	Gaps               []gapJSON      `json:"gaps"`
	Stored             *storedJSON    `json:"stored,omitempty"`
	Related            []storedJSON   `json:"related,omitempty"`
	Differ             bool           `json:"differ,omitempty"`

	Decision decisionJSON `json:"decision"`
	Timings  timingsJSON  `json:"timings_ms"`
	Usage    usageJSON    `json:"usage"`
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
}

type gapJSON struct {
	Code        string  `json:"code"`
	Text        string  `json:"text"`
	Query       string  `json:"query"`
	Status      string  `json:"status"`
	Probability float64 `json:"probability"`
}

// storedJSON is a stored question: the one whose answer serves, or a related one.
type storedJSON struct {
	Source   string `json:"source"`
	Record   string `json:"record"`
	Question string `json:"question"`
	Date     string `json:"date,omitempty"`
}

// decisionJSON says whether the sources were searched. Without a gate they always are.
type decisionJSON struct {
	Retrieve bool    `json:"retrieve"`
	Policy   string  `json:"policy"`
	Score    float64 `json:"score"`
	Reason   string  `json:"reason"`
}

type timingsJSON struct {
	Retrieve float64 `json:"retrieve"`
	Judge    float64 `json:"judge"`
	Read     float64 `json:"read"`
	Total    float64 `json:"total"`
}

// usageJSON counts what a model was asked; without one, nothing.
type usageJSON struct {
	Calls            int `json:"calls"`
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// askOptions are the flags of lacuna ask.
type askOptions struct {
	system  string
	sources []string
	queries string
	json    bool
}

func askCommand() command {
	var o askOptions
	return command{
		name:      "ask",
		arguments: "[QUESTION]",
		summary:   "answer a question, or every question of a file",
		details: `
Answers with one to three sentences of the sources, word for word, each with its
citation, and names what the sources lack. The index is brought up to date
first.

FILE of --queries is JSON Lines with "qid" and "question" (or "query"), also
compressed with gzip, or lines of qid, tab, question. Answers come in the order
of the questions.

In --json, a citation's quote equals the bytes start to end of its file, or of
the field of its record where one is named; files are relative to the workspace
where they lie inside.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.system, "system", "", "answer with the system `NAME`: auto or offline")
			f.StringArrayVar(&o.sources, "source", nil, "use only the source `NAME`; may be given more than once")
			f.StringVar(&o.queries, "queries", "", "answer every question of `FILE`; - is standard input")
			f.BoolVar(&o.json, "json", false, "print one JSON object a line")
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.ask(ctx, o, args) },
	}
}

func (p *program) ask(ctx context.Context, o askOptions, args []string) error {
	queries, err := p.queries("ask", o.queries, args)
	if err != nil {
		return err
	}
	w, err := p.open(ctx, "", o.sources...)
	if err != nil {
		return err
	}
	defer w.Close()
	strategy, err := w.Strategy(answer.Way{System: o.system})
	if err != nil {
		return usageError{err}
	}
	library, err := p.refresh(ctx, w)
	if err != nil {
		return err
	}
	reply := func(ctx context.Context, i int) (answer.Result, error) {
		return strategy.Answer(ctx, library, answer.Question{Text: queries[i].Text, Sources: o.sources})
	}
	return inOrder(ctx, len(queries), reply, func(i int, r answer.Result) error {
		if r.Failure != nil {
			p.warn("question %s: %v", queries[i].ID, r.Failure)
		}
		if o.json {
			return p.printJSON(resultJSON(w, queries[i], r))
		}
		if o.queries != "" {
			fmt.Fprintf(p.out, "%s %s\n", printable(queries[i].ID), printable(queries[i].Text))
		}
		p.printAnswer(w, r)
		return p.out.Flush()
	})
}

func resultJSON(w *workspace.Workspace, q eval.Query, r answer.Result) askJSON {
	line := askJSON{
		QID: q.ID, Question: q.Text, System: r.System, Answer: answerText(r),
		State: string(r.State), Abstained: r.State == answer.Nothing, Reason: string(r.Reason),
		Citations: make([]citationJSON, 0, len(r.Citations)), Evidence: make([]evidenceJSON, 0, len(r.Evidence)),
		MissingProbability: r.MissingProbability, Gaps: make([]gapJSON, 0, len(r.Gaps)), Differ: r.Differ,
		Decision: decisionJSON{true, "always", 1, "the offline system always searches"},
		Timings:  timingsJSON{milliseconds(r.Timings.Retrieve), milliseconds(r.Timings.Judge), milliseconds(r.Timings.Read), milliseconds(r.Timings.Total)},
	}
	for _, c := range r.Citations {
		at := c.Passage
		line.Citations = append(line.Citations, citationJSON{
			c.N, at.Source, at.Record, at.ID.String(), string(at.Kind), placeOf(w.Root(), c.Place()), c.Quote,
		})
	}
	for _, hit := range r.Evidence {
		line.Evidence = append(line.Evidence, evidenceOf(hit))
	}
	for _, g := range r.Gaps {
		line.Gaps = append(line.Gaps, gapJSON{string(g.Code), g.Text, g.Query, string(g.Status), g.Probability})
	}
	if r.Stored != nil {
		at := r.Stored.Passage
		line.Stored = &storedJSON{at.Source, at.Record, at.Question, r.Stored.Date}
	}
	for _, hit := range r.Related {
		at := hit.Passage
		line.Related = append(line.Related, storedJSON{at.Source, at.Record, at.Question, at.Date})
	}
	return line
}

// answerText is the answer with one statement a line and no markup but the citation marks.
func answerText(r answer.Result) string {
	lines := make([]string, 0, len(r.Statements))
	for _, s := range r.Statements {
		lines = append(lines, fmt.Sprintf("%s [%d]", statementText(s), s.Citations[0]))
	}
	return strings.Join(lines, "\n")
}

func statementText(s answer.Statement) string {
	switch {
	case s.Lead == "":
		return s.Text
	case s.Elided:
		return s.Lead + " … " + s.Text
	}
	return s.Lead + " " + s.Text
}

// milliseconds is a duration to a hundredth of a millisecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

// printAnswer shows an answer to a person, as the block in a note has it and with what is missing.
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
	for _, g := range r.Gaps {
		fmt.Fprintf(p.out, "missing: %s (search: %s)\n", printable(g.Text), printable(g.Query))
	}
	for _, hit := range r.Related {
		fmt.Fprintf(p.out, "asked before: %s\n", printable(hit.Passage.Question))
	}
	fmt.Fprintln(p.out)
}
