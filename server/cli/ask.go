package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/gap"
	"lacuna/server/workspace"
)

// askOptions are the flags of lacuna ask.
type askOptions struct {
	system  string
	sources []string
	queries string
	json    bool
	trace   bool
	fresh   bool
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
read, so that a pipe can ask one at a time. A line that is no question is named,
in --json by an object with "line" and "error" in its place, and the exit code
is 2 in the end.

In --json, a citation's quote equals the bytes start to end of its file, or of
the field of its record where one is named; files are relative to the workspace
where they lie inside.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.system, "system", "", "answer with the system `NAME` (default: that of the settings)")
			f.StringArrayVar(&o.sources, "source", nil, "use only the source `NAME`; may be given more than once")
			f.StringVar(&o.queries, "queries", "", "answer every question of `FILE`; - is standard input")
			f.BoolVar(&o.json, "json", false, "print one JSON object a line")
			f.BoolVar(&o.trace, "trace", false, "with --json, list every stage with its time, tokens and fallback")
			f.BoolVar(&o.fresh, "fresh", false, "ask the models again, also where their replies were kept")
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.ask(ctx, o, args) },
	}
}

func (p *program) ask(ctx context.Context, o askOptions, args []string) error {
	if o.trace && !o.json {
		return usagef("ask: --trace needs --json\n%s", hint("ask"))
	}
	queries, err := p.queries(ctx, "ask", o.queries, args)
	if err != nil {
		return err
	}
	w, err := p.open(ctx, "", o.sources...)
	if err != nil {
		return err
	}
	defer w.Close()
	way := answer.Way{System: o.system, Fresh: o.fresh}
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
		return strategy.Answer(ctx, library, answer.Question{Text: q.Text, Sources: o.sources, Options: q.Options, ID: q.ID})
	}
	return replies(ctx, queries, reply, func(q eval.Query, r answer.Result) error {
		live.end()
		if o.json {
			if r.Failure != nil { // the answer for people says it itself
				p.warn("question %s: %s", printable(q.ID), faultText(r.Failure))
			}
			line := resultJSON(w, q, r)
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
	}, func(q query) error {
		live.end()
		return p.printFailed(q, o.json)
	})
}

// failedJSON stands in --json in the place of a question that could not be read or answered.
type failedJSON struct {
	QID      string `json:"qid"`
	Question string `json:"question,omitempty"`
	Line     int    `json:"line,omitempty"` // of the file, from 1, where it is no question
	Error    string `json:"error"`
}

// printFailed says what is wrong with a line of --queries, or what failed for a question.
func (p *program) printFailed(q query, asJSON bool) error {
	if !asJSON {
		if q.ID != "" {
			p.warn("question %s: %s", printable(q.ID), faultText(q.err))
		} else {
			p.warn("%s", printable(q.err.Error()))
		}
		return nil
	}
	failed := failedJSON{QID: q.ID, Question: q.Text, Error: faultText(q.err)}
	var line *eval.LineError
	if errors.As(q.err, &line) {
		failed.Line, failed.Error = line.Line, printable(line.Err.Error())
	}
	return p.printJSON(failed)
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
		if g.Status == gap.Retrieved || !gap.Missing(g.Probability) {
			continue // the sources hold it after all, or what they hold suffices
		}
		fmt.Fprintf(p.out, "missing: %s (search: %s)\n", printable(g.Text), printable(g.Query))
	}
	for _, written := range r.Written {
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
		fmt.Fprintf(p.out, "note: %s\n", handlers.LackText(l, r.System))
	}
	if !r.Kept.IsZero() {
		fmt.Fprintf(p.out, "kept from %s; --fresh asks the models again\n", r.Kept.Local().Format("2 January 2006, 15:04"))
	}
	for _, hit := range r.Related {
		fmt.Fprintf(p.out, "asked before: %s\n", printable(hit.Passage.Question))
	}
	fmt.Fprintln(p.out)
}
