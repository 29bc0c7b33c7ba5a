package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/handlers/notebook"
	"lacuna/handlers/outgoing"
	"lacuna/handlers/wiki"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/server/citation"
	"lacuna/server/cli/atomicfile"
	"lacuna/server/report"
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
	preview  bool
	format   string
}

// Formats of lacuna answer.
const (
	asNote = "note"
	asHTML = "html"
)

var answerFormats = []string{asNote, asHTML, citation.BibTeX, citation.RIS, citation.CSL}

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
--preview answers nothing and sends nothing: it prints what answering would send
to another machine first, as it reads, and below that byte by byte.
FILE may be a Jupyter notebook: answers go into its Markdown cells, nothing else
in the file changes, and questions are numbered through all cells.
The workspace is the one that FILE lies in. A note whose front matter says
"lacuna: private" is answered offline and nothing of it is sent anywhere.

With --format html it prints a page to keep, print or pass on instead: the
questions with their answers, those that the note had before among them, or the
one question of --question; quotes with file, page and date; what the sources
lack; and what was sent, or that nothing was. The page is one file that needs
neither a network nor scripts.

With --format bibtex, ris or csl it prints the works that the same answers cite,
for a reference manager: what the documents and the reference lists among the
sources say of them, and the pages and lines that are cited. Nearest places are
no answers and are left out.`,
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
			f.BoolVar(&o.preview, "preview", false, "send nothing: print what would be sent to another machine")
			f.BoolVar(&o.write, "write", false, "write the note instead of printing it")
			f.BoolVar(&o.fresh, "fresh", false, "ask the models again, even if their replies are cached")
			f.StringVar(&o.format, "format", asNote, "print the answers, or what they cite, as `FORMAT`: note, html, bibtex, ris or csl")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			if len(args) != 1 {
				return usagef("answer: give one FILE, found %d\n%s", len(args), hint("answer"))
			}
			if o.preview && (o.write || o.shorten) {
				return usagef("answer: --preview writes nothing; leave out --write and --shorten\n%s", hint("answer"))
			}
			return p.answer(ctx, o, args[0])
		},
	}
}

func (p *program) answer(ctx context.Context, o answerOptions, file string) error {
	notes, err := openNotes(file)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	f := notes[0]
	w, err := p.open(ctx, file)
	if err != nil {
		return err
	}
	defer w.Close()
	for _, f := range notes {
		f.note = f.note.Reading(w.Settings().Diagnostics.Questions)
	}
	questions, err := selectQuestions(notes, o)
	if err != nil {
		return err
	}
	all := slices.Concat(questions...)
	strategy, err := systemFor(w, f, o)
	if err != nil {
		return usageError{err}
	}
	sent := func() report.Sent { return report.Sent{} }
	if o.format == asHTML {
		sent = p.watch(w)
	}
	library, err := p.refresh(ctx, w)
	if err != nil {
		return err
	}
	if o.shorten {
		return p.shorten(notes, file, formOf(w, library), o.write)
	}
	if missing := errNothing(w, "answered"); missing != nil && len(all) > 0 && len(w.Engines()) == 0 {
		if !o.write && !o.preview && o.format == asNote {
			_, err = p.out.WriteString(f.text)
		}
		return errors.Join(err, missing)
	}
	var asked []answer.Question
	for i, n := range notes {
		asked = append(asked, n.asked(questions[i])...)
	}
	if o.preview {
		return p.preview(ctx, w, f, asked, o)
	}
	results, err := answerAll(ctx, asked, f.beside(library), strategy)
	if err != nil {
		return err
	}
	if len(all) == 0 && o.format == asNote {
		p.warn("%s: no question is open", file)
	}
	for i, r := range results {
		p.printNotices(all[i], r)
	}
	if o.format != asNote {
		page, err := p.page(ctx, w, notes, questions, results, o.question == 0)
		if err != nil {
			return err
		}
		if o.format != asHTML {
			return p.citations(w, page, o.format)
		}
		page.Sent = sent()
		return page.WriteHTML(p.out)
	}
	written := p.withResults(w, notes, questions, results)
	if !o.write {
		return p.document(written.text)
	}
	if err := p.writeResults(ctx, w, notes, questions, written); err != nil || len(all) == 0 {
		return err
	}
	also := ""
	if written.near > 0 {
		also = fmt.Sprintf(", %d with nearest places", written.near)
	}
	p.warn("%s: %d of %s answered%s", file, written.answered, count(len(all), "question"), also)
	return nil
}

// writtenResults is the text of a file with answers in its notes.
type writtenResults struct {
	text           string
	byNote         [][]answer.Result
	answered, near int // results that answer, and those that show the nearest places
}

// withResults puts results, of the questions of each note in turn, into the notes of a file.
func (p *program) withResults(w *workspace.Workspace, notes []*noteFile, questions [][]note.Question, results []answer.Result) writtenResults {
	texts, written := make([]string, len(notes)), writtenResults{byNote: make([][]answer.Result, len(notes))}
	for i, n := range notes {
		written.byNote[i], results = results[:len(questions[i])], results[len(questions[i]):]
		text, full, places := n.withAnswers(questions[i], written.byNote[i], formOf(w, w.Library()), p.missing(w, n))
		texts[i], written.answered, written.near = text, written.answered+full, written.near+places
	}
	written.text = textWith(notes, texts)
	return written
}

// writeResults writes the file of the notes, unless it has changed since it was read, and remembers what the results lack.
func (p *program) writeResults(ctx context.Context, w *workspace.Workspace, notes []*noteFile, questions [][]note.Question, written writtenResults) error {
	if err := notes[0].replace(written.text); err != nil {
		return err
	}
	for i, n := range notes {
		if err := p.remember(ctx, w, n, questions[i], written.byNote[i]); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error for flags that do not go together.
func (o answerOptions) check() error {
	switch {
	case !slices.Contains(answerFormats, o.format):
		return usagef("answer: --format is one of %s, not %q\n%s", strings.Join(answerFormats, ", "), o.format, hint("answer"))
	case o.format != asNote && (o.write || o.shorten):
		return usagef("answer: --format %s changes no note; leave out --write and --shorten\n%s", o.format, hint("answer"))
	}
	return nil
}

// page makes a page of the questions that were answered now and, if all is true, of those whose answers stand in the notes.
func (p *program) page(ctx context.Context, w *workspace.Workspace, notes []*noteFile, questions [][]note.Question, results []answer.Result, all bool) (report.Page, error) {
	library := w.Library()
	stored, err := p.ledger(ctx, w, library)
	if err != nil {
		return report.Page{}, err
	}
	open := stored.OpenGaps(library)
	page := report.Page{
		Title: cmp.Or(report.TitleOf(notes[0].note), filepath.Base(notes[0].path)), File: filepath.ToSlash(display(w.Root(), notes[0].path)),
		Made: p.now(), Version: Version, Private: notes[0].note.Private,
	}
	before := 0
	for i, f := range notes {
		fresh := map[note.QuestionID]answer.Result{}
		for j, q := range questions[i] {
			fresh[q.ID] = results[j]
		}
		results = results[len(questions[i]):]
		snapshot := handlers.Snapshot{Path: f.path, Note: f.note, Library: library, Settings: w.Settings(), Today: p.now()}
		for j, q := range f.note.Questions {
			r, answered := fresh[q.ID]
			switch {
			case answered:
				found := report.Finding{N: before + j + 1, Question: q, Result: r}
				page.Entries = append(page.Entries, report.Fresh(f.note, found, library, remembered(stored, open, f.ref(q)), p.now()))
			case all && q.Answer >= 0:
				gaps, _ := stored.Gaps(library, f.ref(q))
				page.Entries = append(page.Entries, report.Kept(snapshot, before+j+1, q, gaps, remembered(stored, open, f.ref(q))))
			}
		}
		before += len(f.note.Questions)
	}
	return page, nil
}

// citations prints the works that the answers of a page cite.
func (p *program) citations(w *workspace.Workspace, page report.Page, format string) error {
	var cited []citation.Cited
	near := 0
	for _, e := range page.Entries {
		near += len(e.Places())
		for _, s := range e.Cited() {
			c := citation.Cited{Passage: s.Passage, Place: s.Place}
			if file := display(w.Root(), s.Span.File); !filepath.IsAbs(file) {
				c.File = file
			}
			cited = append(cited, c)
		}
	}
	if near > 0 {
		p.warn("%s left out, which no answer cites; take one as the answer to cite it", count(near, "nearest place"))
	}
	return citation.Write(p.out, format, citation.Works(cited, citation.ReadLists(w.Library().Files())))
}

// remembered returns what a ledger, whose open gaps are open, stores of the gaps of a question.
func remembered(stored *ledger.Ledger, open []ledger.Item, ref ledger.QuestionRef) report.Remembered {
	return report.Remembered{
		Dismissed: func(id string) bool { return stored.IsDismissed(ref, id) },
		Since: func(id string) time.Time {
			for _, item := range open {
				if item.Ref.Note == ref.Note && item.Ref.Question == ref.Question && item.Gap.ID == id {
					return item.Since
				}
			}
			return time.Time{}
		},
	}
}

// watch returns a function that says what the workspace has sent to models since watch was called.
func (p *program) watch(w *workspace.Workspace) func() report.Sent {
	before := 0
	if _, err := w.Audit(func(workspace.AuditRecord) error { before++; return nil }); err != nil {
		return func() report.Sent { return report.Sent{Unknown: err.Error()} }
	}
	return func() report.Sent {
		var sent report.Sent
		line := 0
		_, err := w.Audit(func(a workspace.AuditRecord) error {
			if line++; line <= before {
				return nil
			}
			one := report.Request{Host: a.Host, Model: a.Model, Local: a.Local, Count: 1, Bytes: a.Bytes}
			if a.Failure != "" {
				one.Failed = 1
			}
			sent.Add(a.Time.In(p.now().Location()), one, a.Redacted)
			return nil
		})
		if err != nil {
			sent.Unknown = err.Error()
		}
		return sent
	}
}

// formOf says how the notes of a workspace are answered.
func formOf(w *workspace.Workspace, library *knowledge.Library) handlers.Form {
	return handlers.Form{Settings: w.Settings(), Library: library, Wiki: sync.OnceValue(func() bool { return wiki.Habit(w.Root()) })}
}

// shorten writes the answers of the notes in a file in the lean form, or prints the file with them so.
func (p *program) shorten(notes []*noteFile, file string, form handlers.Form, write bool) error {
	texts, shortened := make([]string, len(notes)), 0
	for i, n := range notes {
		edits := handlers.Shorten(n.note, n.path, form)
		texts[i], shortened = apply(n.note.Text, edits), shortened+len(edits)
	}
	text := textWith(notes, texts)
	if !write {
		return p.document(text)
	}
	if err := notes[0].replace(text); err != nil {
		return err
	}
	p.warn("%s: %s shortened", file, count(shortened, "answer"))
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

// preview prints what answering the questions of a file would send to other machines first. It sends nothing.
func (p *program) preview(ctx context.Context, w *workspace.Workspace, f *noteFile, asked []answer.Question, o answerOptions) error {
	for i, q := range asked {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		fmt.Fprintf(p.out, "%s\n\n", printable(q.Text))
		var requests []llm.Outbound
		if !f.note.Private {
			var err error
			if requests, err = w.Preview(ctx, f.beside(w.Library()), q, answer.Request{System: o.system}); err != nil {
				return err
			}
		}
		if len(requests) == 0 {
			fmt.Fprintln(p.out, messages.NothingSent)
			continue
		}
		fmt.Fprint(p.out, outgoing.Plain(requests))
	}
	return nil
}

// systemFor returns the system that answers the note; nothing of a private note reaches a model.
func systemFor(w *workspace.Workspace, f *noteFile, o answerOptions) (answer.Strategy, error) {
	if !f.note.Private {
		return w.Strategy(answer.Request{System: o.system, Fresh: o.fresh, Beyond: true})
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

// selectQuestions returns the questions of each note that the flags select. They are numbered through all notes.
func selectQuestions(notes []*noteFile, o answerOptions) ([][]note.Question, error) {
	if o.question != 0 && o.all {
		return nil, usagef("answer: give --all or --question, not both\n%s", hint("answer"))
	}
	selected, before := make([][]note.Question, len(notes)), 0
	for i, f := range notes {
		n := f.note
		switch at := o.question - before; {
		case o.all:
			selected[i] = n.Questions
		case o.question == 0:
			selected[i] = n.OpenQuestions()
		case 0 < at && at <= len(n.Questions):
			selected[i] = n.Questions[at-1 : at]
		}
		before += len(n.Questions)
	}
	if o.question > before {
		return nil, usagef("--question: the note has %s, found %d", count(before, "question"), o.question)
	}
	return selected, nil
}

// asked returns questions of the note as they are searched for.
func (f *noteFile) asked(questions []note.Question) []answer.Question {
	asked := make([]answer.Question, len(questions))
	for i, q := range questions {
		asked[i] = answer.Question{Text: query.Of(f.note, q), Options: q.Options, Note: query.Around(f.note, q)}
	}
	return asked
}

// answerAll answers questions concurrently and returns the results in their order.
func answerAll(ctx context.Context, questions []answer.Question, library *knowledge.Library, strategy answer.Strategy) ([]answer.Result, error) {
	reply := func(ctx context.Context, i int) (answer.Result, error) {
		return strategy.Answer(ctx, library, questions[i])
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

// noteFile is a note on disk: a file, or a Markdown cell of a notebook.
type noteFile struct {
	path string // absolute, links followed
	mode os.FileMode
	text string // of the file
	note *note.Note
	book *notebook.Notebook // nil unless it is a cell
	cell int                // its number in the notebook, from 1; 0 in a notebook without Markdown cells
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

// openNotes opens the note in a file, or the Markdown cells of a notebook, each of which is a note; it returns at least
// one. If a cell says that it is private, so are all.
func openNotes(file string) ([]*noteFile, error) {
	f, err := openNote(file)
	if err != nil || !strings.EqualFold(filepath.Ext(f.path), ".ipynb") {
		return []*noteFile{f}, err
	}
	book, err := notebook.Read(f.text)
	if err != nil {
		return nil, usagef("%s: %v; save it again with Jupyter, or copy its text into a note", file, err)
	}
	var notes []*noteFile
	private := false
	for i, cell := range book.Cells {
		if cell.Type != "markdown" && cell.Type != "raw" {
			continue
		}
		n := note.Parse(cell.Text, note.Markdown)
		private = private || n.Private
		if cell.Type == "markdown" {
			notes = append(notes, &noteFile{f.path, f.mode, f.text, n, book, i + 1})
		}
	}
	if len(notes) == 0 {
		notes = append(notes, &noteFile{f.path, f.mode, f.text, note.Parse("", note.Markdown), book, 0})
	}
	for _, n := range notes {
		if private {
			n.note = n.note.AsPrivate()
		}
	}
	return notes, nil
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
	return &noteFile{path: path, mode: info.Mode().Perm(), text: string(text), note: note.Parse(string(text), note.LanguageOf("", path))}, nil
}

// textWith returns the text of the file that holds the notes, with other texts of theirs.
func textWith(notes []*noteFile, texts []string) string {
	if notes[0].book == nil {
		return texts[0]
	}
	cells := make(map[int]string)
	for i, f := range notes {
		if f.cell > 0 {
			cells[f.cell-1] = texts[i]
		}
	}
	return notes[0].book.With(cells)
}

// replace gives the note's file a new text, unless it has changed since it was read.
func (f *noteFile) replace(text string) error {
	if text == f.text {
		return nil
	}
	return atomicfile.Replace(f.path, f.text, text, f.mode)
}

// ref returns the reference to a question of the note that the ledger uses.
func (f *noteFile) ref(q note.Question) ledger.QuestionRef {
	return handlers.RefOf(f.path, f.note, q)
}
