package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/wiki"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/par"
	"lacuna/server/cli/atomicfile"
	"lacuna/server/workspace"
	"lacuna/vecmath/regular"
)

// answerOptions holds the flags of lacuna answer.
type answerOptions struct {
	system   string
	all      bool
	question int // from 1; 0 is no single one
	write    bool
	fresh    bool
	shorten  bool
}

func answerCommand() command {
	var o answerOptions
	return command{
		name:      "answer",
		arguments: "FILE",
		summary:   "answer the questions of a note",
		details: `
Answers the open questions of a note from the sources of its workspace and
prints the note with the answers under their questions; the file stays as it is
unless --write is given. A question is open if it has no answer below it, or one
that says “Not answered” or shows only nearest places.
The workspace is the one that FILE lies in. A note whose front matter says
"lacuna: private" is answered offline and nothing of it is sent anywhere.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.system, "system", "", "answer with the system `NAME` (default: that of the settings)")
			f.BoolVar(&o.all, "all", false, "answer all questions, also those that have an answer")
			f.Func("question", "answer only the question number `N` of the note, from 1", func(value string) (err error) {
				if o.question, err = strconv.Atoi(value); err != nil || o.question < 1 {
					return errors.New("want a whole number from 1")
				}
				return nil
			})
			f.BoolVar(&o.shorten, "shorten", false, "answer nothing: write the note's answers in the lean form")
			f.BoolVar(&o.write, "write", false, "write the note instead of printing it")
			f.BoolVar(&o.fresh, "fresh", false, "ask the models again, even if their replies are cached")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			if len(args) != 1 {
				return usagef("answer: give one FILE, found %d\n%s", len(args), hint("answer"))
			}
			return p.answer(ctx, o, args[0])
		},
	}
}

func (p *program) answer(ctx context.Context, o answerOptions, file string) error {
	f, err := openNote(file)
	if err != nil {
		return err
	}
	questions, err := selectQuestions(f.note, o)
	if err != nil {
		return err
	}
	w, err := p.open(ctx, file)
	if err != nil {
		return err
	}
	defer w.Close()
	strategy, err := systemFor(w, f, o)
	if err != nil {
		return usageError{err}
	}
	library, err := p.refresh(ctx, w)
	if err != nil {
		return err
	}
	if o.shorten {
		return p.shorten(f, file, formOf(w, library), o.write)
	}
	if missing := errNothing(w, "answered"); missing != nil && len(questions) > 0 {
		if !o.write {
			_, err = p.out.WriteString(f.note.Text)
		}
		return errors.Join(err, missing)
	}
	results, err := answerAll(ctx, questions, f.beside(library), strategy)
	if err != nil {
		return err
	}
	if len(questions) == 0 {
		p.warn("%s: no question is open", file)
	}
	text, answered, near := f.withAnswers(questions, results, formOf(w, library), p.missing(w, f))
	for i, r := range results {
		p.printNotices(questions[i], r)
	}
	if !o.write {
		return p.document(text)
	}
	if err := f.replace(text); err != nil || len(questions) == 0 {
		return err
	}
	also := ""
	if near > 0 {
		also = fmt.Sprintf(", %d with nearest places", near)
	}
	p.warn("%s: %d of %s answered%s", file, answered, count(len(questions), "question"), also)
	return p.remember(ctx, w, f, questions, results)
}

// formOf says how the notes of a workspace are answered.
func formOf(w *workspace.Workspace, library *knowledge.Library) handlers.Form {
	return handlers.Form{Settings: w.Settings(), Library: library, Wiki: sync.OnceValue(func() bool { return wiki.Habit(w.Root()) })}
}

// shorten writes the answers of a note in the lean form, or prints the note with them so.
func (p *program) shorten(f *noteFile, file string, form handlers.Form, write bool) error {
	edits := handlers.Shorten(f.note, f.path, form)
	text := apply(f.note.Text, edits)
	if !write {
		return p.document(text)
	}
	if err := f.replace(text); err != nil {
		return err
	}
	p.warn("%s: %s shortened", file, count(len(edits), "answer"))
	return nil
}

// printNotices prints how an answer came about, as far as the note does not say it.
func (p *program) printNotices(q note.Question, r answer.Result) {
	lines := handlers.Notices(r)
	for _, l := range r.Lacks {
		lines = append(lines, messages.Lack(l, r.System))
	}
	if !handlers.Recordable(r) {
		lines = append(lines, "nothing was written: "+handlers.Unrecorded(r))
	}
	for _, line := range lines {
		p.warn("%s: %s", printable(q.Text), printable(line))
	}
}

// systemFor returns the system that answers the note; nothing of a private note reaches a model.
func systemFor(w *workspace.Workspace, f *noteFile, o answerOptions) (answer.Strategy, error) {
	if !f.note.Private {
		return w.Strategy(answer.Request{System: o.system, Fresh: o.fresh})
	}
	if o.system != "" && o.system != "auto" && o.system != answer.OfflineID {
		return nil, fmt.Errorf("the note is private (lacuna: private in its front matter), so no system with a model answers it")
	}
	return w.Strategy(answer.Request{System: answer.OfflineID})
}

// remember stores the gaps that models named in the ledger, as an editor does for a note it has changed.
func (p *program) remember(ctx context.Context, w *workspace.Workspace, f *noteFile, questions []note.Question, results []answer.Result) error {
	stored, err := ledger.Open(w.IndexDir())
	if err != nil {
		p.warn("remembered gaps: %v", err)
	}
	for i, r := range results {
		if err := handlers.RememberGaps(ctx, stored, w.Library(), f.ref(questions[i]), r); err != nil {
			return fmt.Errorf("remember what is missing: %w", err)
		}
	}
	return nil
}

// selectQuestions returns the questions that the flags select.
func selectQuestions(n *note.Note, o answerOptions) ([]note.Question, error) {
	if o.question != 0 {
		if o.all {
			return nil, usagef("answer: give --all or --question, not both\n%s", hint("answer"))
		}
		if o.question > len(n.Questions) {
			return nil, usagef("--question: the note has %s, found %d", count(len(n.Questions), "question"), o.question)
		}
		return n.Questions[o.question-1 : o.question], nil
	}
	if o.all {
		return n.Questions, nil
	}
	return n.OpenQuestions(), nil
}

// answerAll answers questions concurrently and returns the results in their order.
func answerAll(ctx context.Context, questions []note.Question, library *knowledge.Library, strategy answer.Strategy) ([]answer.Result, error) {
	reply := func(ctx context.Context, i int) (answer.Result, error) {
		return strategy.Answer(ctx, library, answer.Question{Text: questions[i].Text, Options: questions[i].Options})
	}
	results := make([]answer.Result, len(questions))
	err := par.Ordered(ctx, len(questions), reply, func(i int, r answer.Result) error {
		results[i] = r
		return nil
	})
	return results, err
}

// missing returns the function that says which gaps the answers of a note name.
func (p *program) missing(w *workspace.Workspace, f *noteFile) func(note.Question, answer.Result) []gap.Gap {
	if !w.Settings().Answer.ShowMissing {
		return func(note.Question, answer.Result) []gap.Gap { return nil }
	}
	stored, err := ledger.Open(w.IndexDir())
	if err != nil {
		p.warn("remembered gaps: %v", err)
	}
	return func(q note.Question, r answer.Result) []gap.Gap {
		return handlers.Missing(r, func(id string) bool { return stored.IsDismissed(f.ref(q), id) })
	}
}

// withAnswers returns the note's text with the answers, how many of them answer, and how many show the
// nearest places instead.
func (f *noteFile) withAnswers(questions []note.Question, results []answer.Result, form handlers.Form, missing func(note.Question, answer.Result) []gap.Gap) (text string, answered, near int) {
	var edits []note.Edit
	for i, r := range results {
		switch {
		case r.State == answer.Nearest && !messages.WrittenByModel(r):
			near++
		case r.State != answer.Nothing:
			answered++
		}
		if edit, ok := handlers.WriteAnswer(f.note, questions[i], r, f.path, form, missing(questions[i], r)...); ok {
			edits = append(edits, edit.Edit)
		}
	}
	return apply(f.note.Text, edits), answered, near
}

// apply makes edits that do not overlap. Edits at the same place keep their order.
func apply(text string, edits []note.Edit) string {
	slices.SortStableFunc(edits, func(a, b note.Edit) int { return a.Span.Start - b.Span.Start })
	for _, e := range slices.Backward(edits) {
		text = text[:e.Span.Start] + e.NewText + text[e.Span.End:]
	}
	return text
}

// noteFile is a note on disk.
type noteFile struct {
	path string // absolute, links followed
	mode os.FileMode
	note *note.Note
}

// beside returns a library without what it has from the note itself, however the sources and the caller name its
// file.
func (f *noteFile) beside(library *knowledge.Library) *knowledge.Library {
	info, err := os.Stat(f.path)
	if err != nil {
		return library
	}
	for _, r := range library.Files() {
		if filepath.Base(r.File) != filepath.Base(f.path) {
			continue
		}
		if other, err := os.Stat(r.File); err == nil && os.SameFile(info, other) {
			return library.Beside(r.File)
		}
	}
	return library
}

func openNote(file string) (*noteFile, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, usageError{err}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, usageError{err}
	}
	if !info.Mode().IsRegular() {
		return nil, usagef("%s is not a file", file)
	}
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &noteFile{path, info.Mode().Perm(), note.Parse(string(text), note.LanguageOf("", path))}, nil
}

// replace gives the note's file a new text, unless it has changed since it was read.
func (f *noteFile) replace(text string) error {
	if text == f.note.Text {
		return nil
	}
	return atomicfile.Replace(f.path, f.note.Text, text, f.mode)
}

// ref returns the reference to a question of the note that the ledger uses.
func (f *noteFile) ref(q note.Question) ledger.QuestionRef {
	return handlers.RefOf(f.path, q)
}
