package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/handlers/claims"
	"lacuna/handlers/explain"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/knowledge/answer"
	"lacuna/server/workspace"
)

// problemJSON is one line of check --json. Lines and columns count from 1, columns in characters; the end is
// exclusive.
type problemJSON struct {
	File      string        `json:"file"`
	Line      int           `json:"line"`
	Column    int           `json:"column"`
	EndLine   int           `json:"end_line"`
	EndColumn int           `json:"end_column"`
	Severity  string        `json:"severity"`
	Code      string        `json:"code"`
	Message   string        `json:"message"`
	Query     string        `json:"query,omitempty"`
	Related   []relatedJSON `json:"related"`
}

type relatedJSON struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func checkCommand() command {
	var asJSON bool
	return command{
		name:      "check",
		arguments: "FILE…",
		summary:   "show what the sources lack for the questions of notes",
		details: `
Prints the diagnostics that an editor would show for the notes, one a line, as
file:line:column: severity: message [code]. Columns count characters from 1.
Each FILE is checked against the sources of the workspace that it lies in.
Private notes are skipped. The exit code is 1 if something was found.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object a line") },
		run: func(ctx context.Context, p *program, args []string) error {
			if len(args) == 0 {
				return usagef("check: give at least one FILE\n%s", hint("check"))
			}
			return p.check(ctx, args, asJSON)
		},
	}
}

func (p *program) check(ctx context.Context, files []string, asJSON bool) error {
	notes := make([]*noteFile, len(files))
	for i, file := range files {
		var err error
		if notes[i], err = openNote(file); err != nil {
			return err
		}
	}
	found := false
	opened := map[string]*workspace.Workspace{} // by root; refreshed
	defer func() {
		for _, w := range opened {
			w.Close()
		}
	}()
	for i, f := range notes {
		w, err := p.workspaceOf(ctx, files[i], opened)
		if err != nil {
			return err
		}
		problems, err := p.problemsOf(ctx, w, f)
		if err == nil && len(f.note.Questions) > 0 && !f.note.Private && w.Settings().Diagnostics.Enabled {
			err = errNothing(w, "checked")
		}
		if err != nil {
			return err
		}
		for _, problem := range problems {
			found = true
			if err := p.printProblem(w, f, files[i], problem, asJSON); err != nil {
				return err
			}
		}
	}
	if found {
		return errNo
	}
	return nil
}

// workspaceOf returns the workspace of a file with its index up to date, and caches it in opened.
func (p *program) workspaceOf(ctx context.Context, file string, opened map[string]*workspace.Workspace) (*workspace.Workspace, error) {
	root, err := p.root(file)
	if err != nil {
		return nil, err
	}
	if w := opened[root]; w != nil {
		return w, nil
	}
	w, err := p.open(ctx, file)
	if err != nil {
		return nil, err
	}
	opened[root] = w
	if !w.Settings().Diagnostics.Enabled {
		p.warn("%s: diagnostics are turned off in the settings (diagnostics.enabled)", root)
		return w, nil
	}
	_, err = p.refresh(ctx, w)
	return w, err
}

// problemsOf returns the problems that an editor would show for a note: gaps, as a model named them or else
// as found offline, and defects of its answers.
func (p *program) problemsOf(ctx context.Context, w *workspace.Workspace, f *noteFile) ([]handlers.Problem, error) {
	if !w.Settings().Diagnostics.Enabled {
		return nil, nil
	}
	library := w.Library()
	stored, err := p.ledger(ctx, w, library)
	if err != nil {
		return nil, err
	}
	results := map[note.QuestionID]answer.Result{}
	if !f.note.Private {
		found, err := answersOffline(ctx, w, f.note.Questions)
		if err != nil {
			return nil, err
		}
		for i, q := range f.note.Questions {
			if gaps, judged := stored.Gaps(library, f.ref(q)); judged {
				found[i] = found[i].WithGaps(gaps)
			}
			results[q.ID] = found[i]
		}
	}
	compared := claims.New()
	return handlers.Problems(handlers.Snapshot{
		Path: f.path, Note: f.note, Library: library, Settings: w.Settings(),
		Finding: func(q note.Question) (answer.Result, bool) {
			r, known := results[q.ID]
			return r, known
		},
		Claim: func(s note.Sentence) (claims.Finding, bool) {
			compared.Check(ctx, library, f.path, s)
			return compared.Find(f.path, s)
		},
		Dismissed: func(q note.Question, gapID string) bool { return stored.IsDismissed(f.ref(q), gapID) },
	}), nil
}

func (p *program) printProblem(w *workspace.Workspace, f *noteFile, file string, problem handlers.Problem, asJSON bool) error {
	start := f.note.Lines.Position(problem.Span.Start, position.UTF32)
	end := f.note.Lines.Position(problem.Span.End, position.UTF32)
	if !asJSON {
		_, err := fmt.Fprintf(p.out, "%s:%d:%d: %s: %s [%s]\n", printable(file), start.Line+1, start.Column+1,
			problem.Level, printable(problem.Message), problem.Code)
		return err
	}
	line := problemJSON{
		File: file, Line: int(start.Line) + 1, Column: int(start.Column) + 1,
		EndLine: int(end.Line) + 1, EndColumn: int(end.Column) + 1,
		Severity: problem.Level, Code: problem.Code, Message: problem.Message, Query: problem.Query,
	}
	line.Related = convert(problem.Related, func(r handlers.Related) relatedJSON {
		return relatedJSON{display(w.Root(), r.File), r.Line, r.Message}
	})
	return p.printJSON(line)
}

func explainCommand() command {
	return command{
		name:      "explain",
		arguments: "[CODE…]",
		summary:   "say what the marks in notes mean",
		details: `
Prints the page about the mark with that CODE, such as missing-topic: what it
means, why it appears, what to do and how to silence it. Without a CODE it lists
the marks. "lacuna check" prints the codes; so do editors.`,
		flags: func(*pflag.FlagSet) {},
		run:   func(_ context.Context, p *program, args []string) error { return p.explain(args) },
	}
}

func (p *program) explain(codes []string) error {
	if len(codes) == 0 {
		for _, code := range explain.Codes() {
			fmt.Fprintf(p.out, "%-22s %s\n", code, explain.Summary(code))
		}
		return nil
	}
	for i, code := range codes {
		page, ok := explain.Page(code)
		if !ok {
			return usagef("there is no mark %q; known: %s", code, strings.Join(explain.Codes(), ", "))
		}
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		fmt.Fprint(p.out, page)
	}
	return nil
}
