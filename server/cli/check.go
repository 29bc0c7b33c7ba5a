package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/handlers/claims"
	"lacuna/handlers/explain"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
	"lacuna/server/workspace"
)

// problemJSON is one line of check --json. Lines and columns count from 1, columns in characters; the end is
// exclusive. In a notebook they count from the beginning of the cell.
type problemJSON struct {
	File      string        `json:"file"`
	Cell      int           `json:"cell,omitempty"` // of a notebook, from 1
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
	var asJSON, stale bool
	return command{
		name:      "check",
		arguments: "[FILE|FOLDER…]",
		summary:   "show what the sources lack for the questions of notes",
		details: `
Prints the diagnostics that an editor would show for the notes, one a line, as
file:line:column: severity: message [code]. Columns count characters from 1.
In a Jupyter notebook the Markdown cells are notes, and the place is file:cell
N:line:column, with N counting all cells from 1.
Each FILE is checked against the sources of the workspace that it lies in.
Private notes are skipped. The exit code is 1 if something was found.

With --stale it prints only what is no longer true, without a limit: cited
sentences that have changed or are gone, sentences that their source
contradicts, cited sources that another page replaces or whose review is due,
and questions that the sources answer now and did not before. Words that also
stand elsewhere are printed and do not count. FILE may then be a folder, and
without one all notes of the workspace are checked that are no source
themselves. Marks that diagnostics.levels turns off are left out; that
diagnostics are off, or shown from a severity on, does not matter. The exit
code is 3 if there was no note to check.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&asJSON, "json", false, "print one JSON object a line")
			f.BoolVar(&stale, "stale", false, "print only what is no longer true, of all notes")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			switch {
			case stale:
				return p.checkStale(ctx, args, asJSON)
			case len(args) == 0:
				return usagef("check: give at least one FILE, or --stale\n%s", hint("check"))
			}
			return p.check(ctx, args, asJSON)
		},
	}
}

func (p *program) check(ctx context.Context, files []string, asJSON bool) error {
	var notes []*noteFile
	var names []string // of the file of each, as the user wrote it
	for _, file := range files {
		opened, err := openNotes(file)
		if err != nil {
			return err
		}
		notes, names = append(notes, opened...), append(names, slices.Repeat([]string{file}, len(opened))...)
	}
	found, compared := false, claims.New()
	opened := map[string]*workspace.Workspace{} // by root; refreshed
	defer func() {
		for _, w := range opened {
			w.Close()
		}
	}()
	for i, f := range notes {
		w, err := p.workspaceOf(ctx, names[i], false, opened)
		if err != nil {
			return err
		}
		if !w.Settings().Diagnostics.Enabled {
			continue
		}
		f.note = f.note.Reading(w.Settings().Diagnostics.Questions)
		snapshot, err := p.snapshotOf(ctx, w, compared, f, f.note.Questions)
		if err == nil && len(f.note.Questions) > 0 && !f.note.Private {
			err = errNothing(w, "checked")
		}
		if err != nil {
			return err
		}
		for _, problem := range handlers.Problems(snapshot) {
			found = true
			if err := p.printProblem(w, f, names[i], problem, asJSON); err != nil {
				return err
			}
		}
	}
	if found {
		return errNo
	}
	return nil
}

// workspaceOf returns the workspace of a file with its index up to date, and caches it in opened. Where diagnostics are
// off, only always brings the index up to date.
func (p *program) workspaceOf(ctx context.Context, file string, always bool, opened map[string]*workspace.Workspace) (*workspace.Workspace, error) {
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
	if !always && !w.Settings().Diagnostics.Enabled {
		p.warn("%s: diagnostics are turned off in the settings (diagnostics.enabled)", root)
		return w, nil
	}
	_, err = p.refresh(ctx, w)
	return w, err
}

// checkStale prints what is no longer true in some notes, or in all of the workspace.
func (p *program) checkStale(ctx context.Context, files []string, asJSON bool) error {
	opened := map[string]*workspace.Workspace{}
	defer func() {
		for _, w := range opened {
			w.Close()
		}
	}()
	whole := len(files) == 0
	if whole {
		files = []string{""}
	}
	found, checked, sources, compared := false, 0, 0, claims.New()
	for _, file := range files {
		within := file
		info, err := os.Stat(file)
		isFolder := err == nil && info.IsDir()
		if isFolder {
			within = filepath.Join(file, "note") // a file of the folder lies in the same workspace
		}
		w, err := p.workspaceOf(ctx, within, true, opened)
		if err != nil {
			return err
		}
		notes := []string{file}
		if whole {
			file = w.Root()
			if current, err := os.Getwd(); err == nil {
				if relative, err := filepath.Rel(current, file); err == nil {
					file = relative // names are shorter from here
				}
			}
		}
		if whole || isFolder {
			if notes, err = notesOf(w, file); err != nil {
				return err
			}
		}
		for _, one := range notes {
			if isSourceFile(w, one) && !mayBeNote(w, one) {
				sources++
				continue
			}
			checked++
			some, err := p.printStale(ctx, w, compared, one, asJSON)
			if err != nil {
				return err
			}
			found = found || some
		}
	}
	switch {
	case checked == 0 && sources > 0:
		return fmt.Errorf("no note was checked: %s of the sources, which are not compared with themselves", count(sources, "file"))
	case checked == 0:
		return errors.New("no note was checked: there is none; name a file or another folder")
	}
	if found {
		return errNo
	}
	return nil
}

// isSourceFile reports whether a file was read as a source.
func isSourceFile(w *workspace.Workspace, file string) bool {
	path, err := filepath.Abs(file)
	return err == nil && slices.ContainsFunc(w.Library().Files(), func(r ingest.FileReport) bool { return r.File == path })
}

// mayBeNote reports whether the sources of a workspace leave a file to be a note.
func mayBeNote(w *workspace.Workspace, file string) bool {
	path, err := filepath.Abs(file)
	return err == nil && settings.MayBeNote(w.Sources(), path)
}

// printStale prints what is no longer true in the notes of a file.
func (p *program) printStale(ctx context.Context, w *workspace.Workspace, compared *claims.Checker, file string, asJSON bool) (found bool, err error) {
	notes, err := openNotes(file)
	if err != nil {
		return false, err
	}
	for _, f := range notes {
		some, err := p.printStaleNote(ctx, w, compared, f, file, asJSON)
		if found = found || some; err != nil {
			return found, err
		}
	}
	return found, nil
}

// printStaleNote prints what is no longer true in a note. Of its questions only those are looked up whose block says that
// the sources do not answer them.
func (p *program) printStaleNote(ctx context.Context, w *workspace.Workspace, compared *claims.Checker, f *noteFile, file string, asJSON bool) (found bool, err error) {
	if len(f.note.Answers) > 0 && !f.note.Private {
		if err := errNothing(w, "checked"); err != nil {
			return false, err
		}
	}
	snapshot, err := p.snapshotOf(ctx, w, compared, f, handlers.Undecided(f.note))
	if err != nil {
		return false, err
	}
	for _, problem := range handlers.StaleProblems(snapshot) {
		found = found || !problem.HoldsElsewhere()
		if err := p.printProblem(w, f, file, problem, asJSON); err != nil {
			return found, err
		}
	}
	return found, nil
}

// snapshotOf returns a note as an editor would see it: with gaps, as a model named them or else as found offline, and
// with its sentences compared with what they cite. Only some of its questions are looked up.
func (p *program) snapshotOf(ctx context.Context, w *workspace.Workspace, compared *claims.Checker, f *noteFile, questions []note.Question) (handlers.Snapshot, error) {
	library := w.Library()
	stored, err := p.ledger(ctx, w, library)
	if err != nil {
		return handlers.Snapshot{}, err
	}
	results := map[note.QuestionID]answer.Result{}
	if !f.note.Private {
		found, err := answersOffline(ctx, w, f, questions)
		if err != nil {
			return handlers.Snapshot{}, err
		}
		for i, q := range questions {
			if gaps, judged := stored.Gaps(library, f.ref(q)); judged {
				found[i] = found[i].WithGaps(gaps)
			}
			results[q.ID] = found[i]
		}
	}
	beside := f.beside(library)
	return handlers.Snapshot{
		Path: f.path, Note: f.note, Library: library, Settings: w.Settings(), Today: p.now(),
		Finding: func(q note.Question) (answer.Result, bool) {
			r, known := results[q.ID]
			return r, known
		},
		Claim: func(s note.Sentence) (claims.Finding, bool) {
			compared.Check(ctx, beside, f.path, s)
			return compared.Find(f.path, s)
		},
		Dismissed: func(q note.Question, gapID string) bool { return stored.IsDismissed(f.ref(q), gapID) },
	}, nil
}

func (p *program) printProblem(w *workspace.Workspace, f *noteFile, file string, problem handlers.Problem, asJSON bool) error {
	start := f.note.Lines.Position(problem.Span.Start, position.UTF32)
	end := f.note.Lines.Position(problem.Span.End, position.UTF32)
	if !asJSON {
		place := printable(file)
		if f.cell > 0 {
			place += fmt.Sprintf(":cell %d", f.cell)
		}
		_, err := fmt.Fprintf(p.out, "%s:%d:%d: %s: %s [%s]\n", place, start.Line+1, start.Column+1,
			problem.Level, printable(problem.Message), problem.Code)
		return err
	}
	line := problemJSON{
		File: file, Cell: f.cell, Line: int(start.Line) + 1, Column: int(start.Column) + 1,
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
