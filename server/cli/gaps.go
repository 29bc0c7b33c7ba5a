package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/sanitise"
	"lacuna/server/report"
	"lacuna/server/terminal"
	"lacuna/server/workspace"
	"lacuna/vecmath/regular"
)

// clusterJSON is one line of gaps --json: gaps that ask for nearly the same thing.
type clusterJSON struct {
	Name string          `json:"name"`
	Gaps []listedGapJSON `json:"gaps"`
}

// listedGapJSON is a gap of a question of a note.
type listedGapJSON struct {
	File     string `json:"file"`
	Question string `json:"question"`
	Line     int    `json:"line,omitempty"` // of the question, from 1; not in a notebook
	Open     bool   `json:"open"`           // the note has no answer to the question
	gapJSON
	Since *time.Time `json:"since,omitempty"` // when a model named it; not for gaps found offline
}

// gapsOptions holds the flags of lacuna gaps.
type gapsOptions struct {
	json   bool
	format string
	owners string // file
}

// Formats of lacuna gaps.
const (
	gapsMarkdown = "markdown"
	gapsJSON     = "json"
	gapsCSV      = "csv"
	gapsHTML     = "html"
	gapsGitHub   = "github"
)

var gapsFormats = []string{gapsMarkdown, gapsJSON, gapsCSV, gapsHTML, gapsGitHub}

func gapsCommand() command {
	var o gapsOptions
	return command{
		name:      "gaps",
		arguments: "[FILE…]",
		summary:   "report what the sources lack for the questions of all notes",
		details: `
Lists the open gaps of the notes FILE, or of all notes of the workspace that are
no source themselves, in Markdown; gaps that ask for nearly the same stand
together, the most frequent first. What a model named while a note was answered
is remembered; what no model has judged is judged offline now. Nothing is sent
anywhere. Private notes and dismissed gaps are left out. If the note has an
answer nevertheless, the line of the question says so.

For a team that shares out the work, --format csv prints a table, html a page to
print, and github a list of tasks for an issue, in which no text of a note or a
source becomes a link or mentions anybody. Each gap has its question and where
that stands, what is missing, what would close it, its state, since when a model
has named it, and an owner. Who owns a gap is what you write into the table:
--owners FILE takes it over from an earlier one.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.json, "json", false, "print one JSON object for each group, as --format json does")
			f.StringVar(&o.format, "format", gapsMarkdown, "print the list as `FORMAT`: "+strings.Join(gapsFormats[:4], ", ")+" or "+gapsFormats[4])
			f.StringVar(&o.owners, "owners", "", "take the owners from `FILE`, a table of --format csv")
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.gaps(ctx, args, o) },
	}
}

// check returns an error for flags that do not go together, and lets --json choose the format.
func (o *gapsOptions) check() error {
	switch {
	case !slices.Contains(gapsFormats, o.format):
		return usagef("gaps: --format is one of %s, not %q\n%s", strings.Join(gapsFormats, ", "), o.format, hint("gaps"))
	case o.json && o.format != gapsMarkdown && o.format != gapsJSON:
		return usagef("gaps: give --json or --format %s, not both\n%s", o.format, hint("gaps"))
	case o.json:
		o.format = gapsJSON
	}
	if o.owners != "" && (o.format == gapsMarkdown || o.format == gapsJSON) {
		return usagef("gaps: --owners goes with --format csv, html or github\n%s", hint("gaps"))
	}
	return nil
}

func (p *program) gaps(ctx context.Context, files []string, o gapsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	var owners map[string]string
	if o.owners != "" {
		content, err := regular.ReadFile(o.owners)
		if err == nil {
			owners, err = report.ReadOwners(content)
		}
		if err != nil {
			return usageError{fmt.Errorf("--owners %s: %w", o.owners, err)}
		}
	}
	first := ""
	if len(files) > 0 {
		first = files[0]
	}
	w, library, err := p.openFresh(ctx, first)
	if err != nil {
		return err
	}
	defer w.Close()
	if len(files) == 0 {
		if files, err = notesOf(w, w.Root()); err != nil {
			return err
		}
	}
	stored, err := p.ledger(ctx, w, library)
	if err != nil {
		return err
	}
	open, inCells, err := gapsOfNotes(ctx, w, library, stored, files, func(int, int) {})
	if err != nil {
		return err
	}
	clusters := ledger.Clusters(library, open)
	switch o.format {
	case gapsMarkdown:
		_, err = p.out.WriteString(handlers.GapReport(clusters))
		return err
	case gapsJSON:
		for _, c := range clusters {
			if err := p.printJSON(clusterOf(w, c)); err != nil {
				return err
			}
		}
		return nil
	}
	place := func(item ledger.Item) string {
		return display(w.Root(), item.Ref.Note) + ":" + cmp.Or(inCells[item.Ref], strconv.Itoa(item.Line))
	}
	list := report.GapList{Name: filepath.Base(w.Root()), Made: p.now(), Version: Version, Topics: report.ListGaps(clusters, place, owners)}
	switch o.format {
	case gapsCSV:
		return list.WriteCSV(p.out)
	case gapsHTML:
		return list.WriteHTML(p.out)
	}
	return list.WriteGitHub(p.out)
}

// gapsOfNotes returns the open gaps of notes, judged by a library, and for those of a notebook the cell and the line in it. It
// calls progress after each note.
func gapsOfNotes(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, stored *ledger.Ledger, files []string, progress func(done, total int)) (open []ledger.Item, inCells map[ledger.QuestionRef]string, err error) {
	inCells = map[ledger.QuestionRef]string{}
	for i, file := range files {
		notes, err := openNotes(file)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range notes {
			f.note = f.note.Reading(w.Settings().Diagnostics.Questions)
			if len(f.note.Questions) > 0 {
				if err := errNothing(w, "judged"); err != nil {
					return nil, nil, err
				}
			}
			found, err := openGaps(ctx, w, library, stored, f)
			if err != nil {
				return nil, nil, err
			}
			for j, item := range found {
				if f.cell > 0 {
					inCells[item.Ref], found[j].Line = fmt.Sprintf("cell %d:%d", f.cell, item.Line), 0 // no line of the file
				}
			}
			open = append(open, found...)
		}
		progress(i+1, len(files))
	}
	return open, inCells, nil
}

// gapsForAgents returns the open gaps of all notes of the workspace, as [gapsOfNotes] does.
func (p *program) gapsForAgents(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, progress func(done, total int)) ([]ledger.Item, error) {
	if w.Root() == "" || len(library.Passages()) == 0 {
		return nil, nil
	}
	files, err := notesOf(w, w.Root())
	if err != nil {
		return nil, err
	}
	stored, err := p.ledger(ctx, w, w.Library())
	if err != nil {
		return nil, err
	}
	open, _, err := gapsOfNotes(ctx, w, library, stored, files, progress)
	return open, err
}

// ledger opens the ledger of gaps and compares it with the current sources.
func (p *program) ledger(ctx context.Context, w *workspace.Workspace, library *knowledge.Library) (*ledger.Ledger, error) {
	stored, err := ledger.Open(w.IndexDir())
	if err != nil {
		p.warn("remembered gaps: %v", err)
	}
	_, err = stored.Review(ctx, library)
	return stored, err
}

// openGaps returns the open gaps of a note: those a model named and, for questions that no model has judged,
// those found offline.
func openGaps(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, stored *ledger.Ledger, f *noteFile) ([]ledger.Item, error) {
	_, byQuestion, err := gapsByQuestion(ctx, w, library, stored, f)
	return slices.Concat(byQuestion...), err
}

// gapsByQuestion returns what the sources have for each question of a note, and its open gaps. A private note has none.
func gapsByQuestion(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, stored *ledger.Ledger, f *noteFile) ([]answer.Result, [][]ledger.Item, error) {
	if f.note.Private {
		return nil, nil, nil
	}
	results, err := answersFrom(ctx, w, library, f, f.note.Questions)
	if err != nil {
		return nil, nil, err
	}
	remembered := stored.OpenGaps(library)
	open := make([][]ledger.Item, len(results))
	for i, q := range f.note.Questions {
		asked := f.ref(q)
		line := int(f.note.Lines.Position(q.Span.Start, position.UTF32).Line) + 1
		if results[i].Stored != nil || q.Settled() {
			continue // it has been answered before
		}
		if _, judged := stored.Gaps(library, asked); judged {
			for _, listed := range remembered {
				if listed.Ref.Note == asked.Note && listed.Ref.Question == asked.Question {
					listed.Answered, listed.Line = !f.note.Open(q), line
					open[i] = append(open[i], listed)
				}
			}
		} else {
			for _, g := range results[i].Gaps {
				if !stored.IsDismissed(asked, g.ID) {
					open[i] = append(open[i], ledger.Item{Ref: asked, Gap: g, Answered: !f.note.Open(q), Line: line})
				}
			}
		}
		open[i] = ledger.Marked(open[i])
	}
	return results, open, nil
}

// answersOffline answers questions without a model, as the editor session does in the background.
func answersOffline(ctx context.Context, w *workspace.Workspace, f *noteFile, questions []note.Question) ([]answer.Result, error) {
	return answersFrom(ctx, w, w.Library(), f, questions)
}

// answersFrom is answersOffline from a library.
func answersFrom(ctx context.Context, w *workspace.Workspace, library *knowledge.Library, f *noteFile, questions []note.Question) ([]answer.Result, error) {
	strategy, err := w.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		return nil, err
	}
	return answerAll(ctx, f.asked(questions), f.beside(library), strategy)
}

// notesOf finds the notes of a folder of a workspace: texts below it that are not sources. It skips hidden folders
// and node_modules.
func notesOf(w *workspace.Workspace, folder string) ([]string, error) {
	top, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	isSource := func(path string) bool {
		path, err := filepath.Abs(path)
		return err == nil && path != top && !settings.MayBeNote(w.Sources(), path)
	}
	var notes []string
	err = note.WalkFiles(folder,
		func(path string, _ fs.DirEntry) error {
			if isSource(path) {
				return fs.SkipDir
			}
			return nil
		},
		func(path string, _ fs.DirEntry) error {
			notes = append(notes, path)
			return nil
		})
	return notes, err
}

func clusterOf(w *workspace.Workspace, c ledger.Cluster) clusterJSON {
	return clusterJSON{c.Name, convert(c.Gaps, func(l ledger.Item) listedGapJSON {
		shown := listedGapJSON{
			File: display(w.Root(), l.Ref.Note), Question: l.Ref.Text, Line: l.Line, Open: !l.Answered,
			gapJSON: gapOf(l.Gap),
		}
		if !l.Since.IsZero() {
			shown.Since = &l.Since
		}
		return shown
	})}
}

func tuiCommand() command {
	return command{
		name:    "tui",
		summary: "show the questions of all notes and their gaps in a terminal",
		details: `
Lists the questions of the workspace's notes, each marked: gap (something is
missing), near (nearest places), known (the sources answer it), nothing (nothing
is near) or answered (in the note). Below stands what the sources have for the
chosen one, and what they lack. Nothing is sent anywhere for that. Private notes
are left out.

  Enter   open the question in the editor that VISUAL or EDITOR names
  a       answer it in its note, as "lacuna answer --write" does
  d, u    dismiss its gaps; take that back
  /, Esc  filter the list by words; all of it again
  Tab     show gaps only
  Space   go on in the lower part; K goes back
  r, q    read the notes again; leave

With a model, "a" sends to the hosts that you have allowed already; it cannot
ask you, and answers offline instead. NO_COLOR is respected. Without a terminal
the exit code is 2; "lacuna gaps" prints the same as text.`,
		flags: func(*pflag.FlagSet) {},
		run:   func(ctx context.Context, p *program, _ []string) error { return p.tui(ctx) },
	}
}

func (p *program) tui(ctx context.Context) error {
	if !isTerminal(p.In) || !isTerminal(p.Out) {
		return usagef("tui: this is no terminal; \"lacuna gaps\" prints the gaps as text, and \"lacuna check FILE\" each with its line")
	}
	root, err := p.root("")
	if err != nil {
		return err
	}
	request := p.request(root)
	request.Consent = nil // the screen is taken
	w, err := p.openRequest(ctx, request)
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := p.refresh(ctx, w); err != nil {
		return err
	}
	if err := errNothing(w, "shown"); err != nil {
		return err
	}
	d := &desk{p: p, w: w}
	items, err := d.read(ctx)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	before := p.Err
	p.Err = sanitise.NewMessageWriter(&said)
	err = terminal.Run(ctx, filepath.Base(root), d, items)
	p.Err = before
	if _, failed := said.WriteTo(p.Err); failed != nil {
		err = errors.Join(err, failed)
	}
	if errors.Is(err, terminal.ErrUnknown) {
		return usagef("tui: %v; try TERM=xterm-256color, or \"lacuna gaps\", which prints the gaps as text", err)
	}
	return err
}

// desk is a workspace as the terminal shows it and works on it.
type desk struct {
	p *program
	w *workspace.Workspace
}

// Items implements [terminal.Workspace].
func (d *desk) Items(ctx context.Context) ([]terminal.Item, error) {
	if err := refreshIndex(ctx, d.w, func(knowledge.Event) {}); err != nil {
		return nil, err
	}
	return d.read(ctx)
}

// read returns the questions of all notes, with the index as it is.
func (d *desk) read(ctx context.Context) ([]terminal.Item, error) {
	stored, err := d.p.ledger(ctx, d.w, d.w.Library())
	if err != nil {
		return nil, err
	}
	files, err := notesOf(d.w, d.w.Root())
	if err != nil {
		return nil, err
	}
	var items []terminal.Item
	for _, file := range files {
		f, err := d.open(file)
		if err != nil {
			d.p.warn("%s: %v", file, err) // it has just been removed, or is not to be read
			continue
		}
		results, gaps, err := gapsByQuestion(ctx, d.w, d.w.Library(), stored, f)
		if err != nil {
			return nil, err
		}
		for i, r := range results {
			if q := f.note.Questions[i]; !q.Settled() {
				items = append(items, d.item(f, q, r, gaps[i]))
			}
		}
	}
	return items, nil
}

// open opens a note as the settings have it read.
func (d *desk) open(file string) (*noteFile, error) {
	f, err := openNote(file)
	if err != nil {
		return nil, err
	}
	f.note = f.note.Reading(d.w.Settings().Diagnostics.Questions)
	return f, nil
}

func (d *desk) item(f *noteFile, q note.Question, r answer.Result, gaps []ledger.Item) terminal.Item {
	item := terminal.Item{
		File: f.path, Name: display(d.w.Root(), f.path), Line: int(f.note.Lines.Position(q.Span.Start, position.UTF8).Line) + 1,
		ID: string(q.ID), Question: q.Text,
	}
	switch {
	case len(gaps) > 0:
		item.State = terminal.Lacking
	case !f.note.Open(q):
		item.State = terminal.Answered
	case r.State == answer.Answered:
		item.State = terminal.Known
	case r.State == answer.Nearest:
		item.State = terminal.Near
	default:
		item.State = terminal.Nothing
	}
	block := handlers.Compose(r, f.path)
	status := block.Status
	if len(gaps) > 0 {
		status = cmp.Or(messages.StatusWithoutGaps(r), note.NearestPlaces)
	}
	for _, g := range gaps {
		item.Gaps = append(item.Gaps, g.Gap.ID)
		item.Details = append(item.Details, fmt.Sprintf("%s. Search for: %s", messages.GapMessage(g.Gap), g.Gap.Query))
	}
	item.Details = append(item.Details, status)
	for _, b := range block.Bullets {
		item.Details = append(item.Details, b.String())
	}
	for _, s := range block.Sources {
		item.Details = append(item.Details, fmt.Sprintf("[%d] %s", s.N, s.Label))
	}
	return item
}

// find opens the note of an item and finds its question.
func (d *desk) find(item terminal.Item) (*noteFile, note.Question, error) {
	f, err := d.open(item.File)
	if err != nil {
		return nil, note.Question{}, err
	}
	q, found := f.note.Find(note.QuestionID(item.ID))
	if !found {
		return nil, q, errors.New(messages.QuestionGone)
	}
	return f, q, nil
}

// Answer implements [terminal.Workspace].
func (d *desk) Answer(ctx context.Context, item terminal.Item) (string, error) {
	f, q, err := d.find(item)
	if err != nil {
		return "", err
	}
	strategy, err := systemFor(d.w, f, answerOptions{})
	if err != nil {
		return "", err
	}
	questions := []note.Question{q}
	results, err := answerAll(ctx, f.asked(questions), f.beside(d.w.Library()), strategy)
	if err != nil {
		return "", err
	}
	if r := results[0]; !handlers.Recordable(r) {
		return "", errors.New(handlers.Unrecorded(r))
	}
	notes, asked := []*noteFile{f}, [][]note.Question{questions}
	if err := d.p.writeResults(ctx, d.w, notes, asked, d.p.withResults(d.w, notes, asked, results)); err != nil {
		return "", err
	}
	return fmt.Sprintf("Written into %s: %s", item.Name, strings.TrimSuffix(messages.Status(results[0]), ":")), nil
}

// Dismiss implements [terminal.Workspace].
func (d *desk) Dismiss(ctx context.Context, item terminal.Item, restore bool) (string, error) {
	f, q, err := d.find(item)
	if err != nil {
		return "", err
	}
	stored, err := d.p.ledger(ctx, d.w, d.w.Library())
	if err != nil {
		return "", err
	}
	for _, id := range item.Gaps {
		if err := stored.Dismiss(ctx, f.ref(q), id, !restore); err != nil {
			return "", err
		}
	}
	if restore {
		return messages.BoardRestored, nil
	}
	return messages.BoardDismissed, nil
}
