package cli

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/server/workspace"
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
	Open     bool   `json:"open"` // the note has no answer to the question
	gapJSON
	Since *time.Time `json:"since,omitempty"` // when a model named it; not for gaps found offline
}

func gapsCommand() command {
	var asJSON bool
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
answer nevertheless, the line of the question says so.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object for each group") },
		run:   func(ctx context.Context, p *program, args []string) error { return p.gaps(ctx, args, asJSON) },
	}
}

func (p *program) gaps(ctx context.Context, files []string, asJSON bool) error {
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
	var open []ledger.Item
	for _, file := range files {
		notes, err := openNotes(file)
		if err != nil {
			return err
		}
		for _, f := range notes {
			f.note = f.note.Reading(w.Settings().Diagnostics.Questions)
			if len(f.note.Questions) > 0 {
				if err := errNothing(w, "judged"); err != nil {
					return err
				}
			}
			found, err := openGaps(ctx, w, stored, f)
			if err != nil {
				return err
			}
			open = append(open, found...)
		}
	}
	clusters := ledger.Clusters(library, open)
	if !asJSON {
		_, err = p.out.WriteString(handlers.GapReport(clusters))
		return err
	}
	for _, c := range clusters {
		if err := p.printJSON(clusterOf(w, c)); err != nil {
			return err
		}
	}
	return nil
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
func openGaps(ctx context.Context, w *workspace.Workspace, stored *ledger.Ledger, f *noteFile) ([]ledger.Item, error) {
	if f.note.Private {
		return nil, nil
	}
	results, err := answersOffline(ctx, w, f, f.note.Questions)
	if err != nil {
		return nil, err
	}
	remembered := stored.OpenGaps(w.Library())
	var open []ledger.Item
	for i, q := range f.note.Questions {
		asked := f.ref(q)
		if results[i].Stored != nil || q.Settled() {
			continue // it has been answered before
		}
		if _, judged := stored.Gaps(w.Library(), asked); judged {
			for _, listed := range remembered {
				if listed.Ref.Note == asked.Note && listed.Ref.Question == asked.Question {
					listed.Answered = !f.note.Open(q)
					open = append(open, listed)
				}
			}
			continue
		}
		for _, g := range results[i].Gaps {
			if !stored.IsDismissed(asked, g.ID) {
				open = append(open, ledger.Item{Ref: asked, Gap: g, Answered: !f.note.Open(q)})
			}
		}
	}
	return ledger.Marked(open), nil
}

// answersOffline answers questions without a model, as the editor session does in the background.
func answersOffline(ctx context.Context, w *workspace.Workspace, f *noteFile, questions []note.Question) ([]answer.Result, error) {
	strategy, err := w.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		return nil, err
	}
	return answerAll(ctx, f.asked(questions), f.beside(w.Library()), strategy)
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
			File: display(w.Root(), l.Ref.Note), Question: l.Ref.Text, Open: !l.Answered,
			gapJSON: gapOf(l.Gap),
		}
		if !l.Since.IsZero() {
			shown.Since = &l.Since
		}
		return shown
	})}
}
