package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
	"lacuna/server/workspace"
)

// historyJSON is one line of history list --json: an accepted answer, a label, or an unreadable line of
// their files.
type historyJSON struct {
	Kind    string         `json:"kind"` // answer, label or unread
	Answer  *history.Pair  `json:"answer,omitempty"`
	Serves  *bool          `json:"serves,omitempty"` // of an answer
	Because string         `json:"because,omitempty"`
	Label   *history.Label `json:"label,omitempty"`
	File    string         `json:"file,omitempty"` // and line: of what cannot be read
	Line    int            `json:"line,omitempty"` // from 1
}

// historyOptions holds the flags of lacuna history.
type historyOptions struct{ json, all, labels bool }

func historyCommand() command {
	var o historyOptions
	return command{
		name:      "history",
		arguments: "[list | export | forget ID… | forget --all]",
		summary:   "show, export and forget accepted answers",
		details: `
With history.harvest on, answers that you leave unchanged in a saved note become
stored questions. Each is used while everything it cites is still in the sources
as it was read. Answers that you overrule and, with history.harvest on, answers
that you keep, change or remove become labels for lacuna gate train. Both are
stored next to the index of the workspace.

  list     lists what is stored, and whether each answer is used
  export   prints the answers as JSON Lines, which are a source of questions and
           answers wherever you put them; with --labels the labels, which are a
           history for lacuna gate
  forget   deletes the answers and labels with these IDs, or everything

Unreadable lines of the stored files are reported and left alone, so that you
can correct them; only you, or forget --all, delete them.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.json, "json", false, "list as one JSON object a line")
			f.BoolVar(&o.labels, "labels", false, "export the labels rather than the answers")
			f.BoolVar(&o.all, "all", false, "forget everything")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			w, err := p.open(ctx, "")
			if err != nil {
				return err
			}
			return errors.Join(p.history(ctx, w, o, args), w.Close())
		},
	}
}

func (p *program) history(ctx context.Context, w *workspace.Workspace, o historyOptions, args []string) error {
	verb := "list"
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch {
	case verb != "list" && verb != "export" && verb != "forget":
		return usagef("history: unknown %q; known: list, export, forget\n%s", verb, hint("history"))
	case verb != "forget" && (len(args) > 0 || o.all), verb == "forget" && (len(args) == 0) != o.all:
		return usagef("history: give list, export, forget ID or forget --all\n%s", hint("history"))
	case verb == "forget":
		return p.forgetHistory(ctx, w, args)
	}
	pairs, err := w.History().Check(w.Library())
	if err != nil {
		return err
	}
	labels, err := w.History().Labels()
	if err != nil {
		return err
	}
	unread, err := w.History().BadLines()
	if err != nil {
		return err
	}
	if verb == "list" && o.json {
		return p.listHistoryJSON(pairs, labels, unread, w.Settings().History.Harvest)
	}
	p.warnUnread(unread)
	if verb == "export" {
		return p.exportHistory(pairs, labels, o.labels)
	}
	p.listHistory(pairs, labels, w.Settings().History.Harvest)
	return nil
}

// forgetHistory removes the answers and labels with these IDs, or all if there are none. The next refresh
// removes the answers from the index.
func (p *program) forgetHistory(ctx context.Context, w *workspace.Workspace, ids []string) error {
	if len(ids) == 0 {
		return w.History().ForgetAll(ctx)
	}
	for _, id := range ids {
		switch found, err := w.History().Forget(ctx, id); {
		case err != nil:
			return err
		case !found:
			return usagef("history: no answer or label has the ID %q; see lacuna history list", id)
		}
	}
	return nil
}

func (p *program) exportHistory(pairs []history.CheckedPair, labels []history.Label, wantLabels bool) error {
	if wantLabels {
		for _, l := range labels {
			if err := p.printJSON(l); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range pairs {
		if err := p.printJSON(c.Pair); err != nil {
			return err
		}
	}
	return nil
}

// textUnread reports an unreadable line of the history.
const textUnread = "%s:%d: unreadable and therefore ignored; correct or delete the line"

func (p *program) warnUnread(unread []history.BadLine) {
	for _, u := range unread {
		p.warn(textUnread, u.File, u.Line)
	}
}

// textNotHarvested says why no stored answer is used.
const textNotHarvested = "history.harvest is off"

// inactive returns why an answer is not used, or "".
func inactive(c history.CheckedPair, harvest bool) string {
	switch {
	case !harvest:
		return textNotHarvested
	case c.Inactive != nil:
		return c.Inactive.Error()
	}
	return ""
}

func (p *program) listHistoryJSON(pairs []history.CheckedPair, labels []history.Label, unread []history.BadLine, harvest bool) error {
	for _, c := range pairs {
		because := inactive(c, harvest)
		serves := because == ""
		if err := p.printJSON(historyJSON{Kind: "answer", Answer: &c.Pair, Serves: &serves, Because: because}); err != nil {
			return err
		}
	}
	for _, l := range labels {
		if err := p.printJSON(historyJSON{Kind: "label", Label: &l}); err != nil {
			return err
		}
	}
	for _, u := range unread {
		if err := p.printJSON(historyJSON{Kind: "unread", File: u.File, Line: u.Line}); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) listHistory(pairs []history.CheckedPair, labels []history.Label, harvest bool) {
	for _, c := range pairs {
		state := "used"
		if because := inactive(c, harvest); because != "" {
			state = "not used: " + because
		}
		fmt.Fprintf(p.out, "%s  %s  %s\n", c.ID, c.Date, printable(c.Question))
		for said := range strings.SplitSeq(c.Answer, "\n\n") {
			fmt.Fprintf(p.out, "  %s\n", printable(said))
		}
		by := c.System
		if c.Models != "" {
			by += " with " + c.Models
		}
		fmt.Fprintf(p.out, "  %s in %s; %s\n", printable(by), printable(c.Note), printable(state))
		for _, from := range c.Cited {
			fmt.Fprintf(p.out, "  from %s\n", printable(from.Source+"/"+from.Record))
		}
	}
	for _, l := range labels {
		fmt.Fprintf(p.out, "%s  %s  %s\n  %s\n", l.ID, l.Date, printable(l.Question), printable(labelText(l)))
	}
	if len(pairs)+len(labels) == 0 {
		fmt.Fprintln(p.out, "no answer of this workspace is stored")
	}
}

// labelText says what a label means and where it comes from.
func labelText(l history.Label) string {
	which := map[gate.Label]string{
		gate.Better: "better from the sources", gate.Worse: "better by the model alone", gate.Same: "neither as it was",
	}[l.Label]
	how := map[history.How]string{
		history.Overruled: "you had it answered the other way", history.Accepted: "you kept the answer",
		history.Edited: "you changed the answer", history.Rejected: "you removed the answer",
	}[l.How]
	return which + ": " + how
}
