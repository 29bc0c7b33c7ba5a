package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
)

// The commands. Their names and arguments are stable: people bind keys to them.
const (
	commandAnswer    = "lacuna.answerQuestion"
	commandAnswerAll = "lacuna.answerAll"
	commandRemove    = "lacuna.removeAnswer"
	commandStub      = "lacuna.startPage"
	commandDismiss   = "lacuna.dismissGap"
	commandRestore   = "lacuna.restoreGap"
	commandWith      = "lacuna.answerWith"
	commandGaps      = "lacuna.showGaps"
	commandPreview   = "lacuna.previewRequest"
	commandForget    = "lacuna.forgetConsent"
	commandAccept    = "lacuna.acceptAnswer"
	commandSetUp     = "lacuna.setUpSources"

	commandStatus      = "lacuna.status"
	commandListGaps    = "lacuna.listGaps"
	commandListSources = "lacuna.listSources"
)

// commands are the names that [Execute] knows.
var commands = []string{
	commandAnswer, commandAnswerAll, commandRemove, commandStub, commandDismiss, commandRestore,
	commandWith, commandGaps, commandPreview, commandForget, commandAccept, commandSetUp,
	commandStatus, commandListGaps, commandListSources,
}

// commandPrefix is what the names of commands begin with, unless the client wants another.
const commandPrefix = "lacuna."

// Commands are the names of all commands as the client wants them.
func (c Client) Commands() []string {
	names := make([]string, len(commands))
	for i, command := range commands {
		names[i] = c.named(command)
	}
	return names
}

func (c Client) named(command string) string {
	return cmp.Or(c.CommandPrefix, commandPrefix) + strings.TrimPrefix(command, commandPrefix)
}

// Understood is the name that [Execute] knows of a command with the client's prefix; other names stay
// as they are.
func (c Client) Understood(name string) string {
	if rest, ours := strings.CutPrefix(name, cmp.Or(c.CommandPrefix, commandPrefix)); ours {
		return commandPrefix + rest
	}
	return name
}

// Asks reports whether a command has questions answered, which takes as long as models take. The
// others end at once.
func Asks(command string) bool {
	switch command {
	case commandAnswer, commandAnswerAll, commandWith, commandPreview:
		return true
	}
	return false
}

// argumentsVersion is raised when the meaning of Arguments changes.
const argumentsVersion = 1

// Quiet reports whether a command only looks something up for a view of the editor, which needs no
// progress.
func Quiet(command string) bool {
	return command == commandStatus || command == commandListGaps || command == commandListSources
}

// Arguments is the one argument of every command; those about the whole workspace do without. Fields
// it does not know are ignored.
type Arguments struct {
	V        int                  `json:"v"`
	Version  int                  `json:"version,omitempty"` // another name of V
	URI      protocol.DocumentURI `json:"uri"`
	Question note.QuestionID      `json:"question,omitempty"` // all commands about one question
	Gap      string               `json:"gap,omitempty"`      // [gap.Gap.ID]
	Code     gap.Code             `json:"code,omitempty"`     // names a gap where Gap does not
	Query    string               `json:"query,omitempty"`    // of a gap; the commands that answer search for it as well
	System   string               `json:"system,omitempty"`   // to answer with, see [answer.Request]
	Path     string               `json:"path,omitempty"`     // of a source, for the command that sets one up
	Fresh    bool                 `json:"fresh,omitempty"`    // ask the models again although their replies were kept
	Override bool                 `json:"override,omitempty"` // the answer that is there was given the wrong way; remember that
}

// Outcome is what a command replies.
type Outcome struct {
	Done bool `json:"done"` // false when nothing was changed
	// Reason says why an answer was not written into the note, and Text holds that answer then.
	Reason string `json:"reason,omitempty"`
	Text   string `json:"text,omitempty"`
}

// maxQuery is how many bytes of a query are searched for: it may come from anywhere.
const maxQuery = 1000

// Execute runs a command, by the name that [Client.Understood] gives it. Arguments are checked anew, since any client may send
// them. An error says why nothing could be done, in words for the user.
func Execute(ctx context.Context, e Editor, command string, args []json.RawMessage) (any, error) {
	if !slices.Contains(commands, command) {
		return nil, lsp.InvalidParams("%q is no command of Lacuna", command)
	}
	ofWorkspace := command == commandGaps || command == commandSetUp || command == commandForget || Quiet(command)
	var a Arguments
	if len(args) > 0 || !ofWorkspace {
		var err error
		if a, err = argumentsOf(command, args); err != nil {
			return nil, err
		}
	}
	switch command {
	case commandGaps:
		return showGaps(ctx, e, a.URI)
	case commandSetUp:
		return setUpSources(ctx, e, a)
	case commandForget:
		return forgetConsent(ctx, e, a.URI)
	case commandStatus, commandListGaps, commandListSources:
		return view(ctx, e, command)
	}
	s, open := e.Snapshot(a.URI)
	if !open {
		return nil, lsp.Failed("%s", messages.NoteNotOpen)
	}
	c := call{Snapshot: s, editor: e, arguments: a}
	if command == commandAnswerAll {
		return c.answerAll(ctx)
	}
	q, found := s.Note.Find(a.Question)
	if !found {
		return nil, lsp.Failed("%s", messages.QuestionGone)
	}
	switch command {
	case commandAnswer:
		return c.answerOne(ctx, q)
	case commandWith:
		return c.answerWith(ctx, q)
	case commandPreview:
		return c.preview(ctx, q)
	case commandRemove:
		return c.remove(ctx, q)
	case commandStub:
		return c.startPage(ctx, q)
	case commandAccept:
		return c.accept(ctx, q)
	}
	return c.dismiss(q, command == commandDismiss)
}

// argumentsOf reads the one argument of a command.
func argumentsOf(command string, args []json.RawMessage) (a Arguments, err error) {
	if len(args) != 1 {
		return a, lsp.InvalidParams("%s takes one argument, got %d", command, len(args))
	}
	if err := json.Unmarshal(args[0], &a); err != nil {
		return a, lsp.InvalidParams("%s: %v", command, err)
	}
	a.V = cmp.Or(a.V, a.Version)
	switch {
	case a.V != argumentsVersion:
		return a, lsp.InvalidParams("%s: arguments of version %d, want %d", command, a.V, argumentsVersion)
	case !knownSystem(a.System):
		return a, lsp.InvalidParams("%s: no answering system is called %q; known: auto, thorough, %s", command, a.System, strings.Join(systems.IDs(), ", "))
	case len(a.Query) > maxQuery:
		return a, lsp.InvalidParams("%s: query of %d bytes, at most %d", command, len(a.Query), maxQuery)
	}
	return a, nil
}

// call is one running command, and the document as it was when it began.
type call struct {
	Snapshot
	editor    Editor
	arguments Arguments
}

// attempts is how often an edit is made anew because the user typed in the meantime.
const attempts = 5

// write asks for the edits that make returns for the note as it is at that moment. It begins again
// when the note changes before the editor has applied them. The reason says why nothing was
// written; it is empty when make found nothing to do. Who calls it has the turn to edit the note.
func (c call) write(ctx context.Context, label string, make func(Snapshot) []Edit) (written bool, reason string, err error) {
	for range attempts {
		now, open := c.editor.Snapshot(c.URI)
		if !open {
			return false, messages.NoteNotOpen, nil
		}
		edits := make(now)
		if len(edits) == 0 {
			return false, "", nil
		}
		edit := DocumentEdit{URI: now.URI, Version: now.Version, Edits: edits}
		written, reason, err = c.editor.ApplyEdit(ctx, label, edit)
		if err != nil {
			return written, "", err
		}
		after, open := c.editor.Snapshot(c.URI)
		moved := open && after.Version != now.Version
		switch {
		case written && !(moved && edit.missing(now, after, make)):
			return true, "", nil
		case !written && !moved:
			return false, reason, nil // refused, and not because the note moved
		}
	}
	return false, messages.NoteKeepsChanging, nil
}

// missing reports whether an edit was not made although the editor says so: in the note as it is after
// it, the same words would have to take the place of the same words.
func (e DocumentEdit) missing(now, then Snapshot, make func(Snapshot) []Edit) bool {
	before, after := now.Note, then.Note
	if before.Text == after.Text { // somebody has undone it already; where it was dropped, something else was typed
		return false
	}
	there := !slices.ContainsFunc(e.Edits, func(one Edit) bool {
		return one.NewText == "" || !strings.Contains(after.Text, one.NewText)
	})
	if there || !e.Changes(before) {
		return false
	}
	again := make(then)
	if len(again) != len(e.Edits) {
		return false
	}
	for i, edit := range e.Edits {
		was, is := before.Text[edit.Span.Start:edit.Span.End], after.Text[again[i].Span.Start:again[i].Span.End]
		if was != is || edit.NewText != again[i].NewText {
			return false
		}
	}
	return true
}

// remove takes an answer out. Where there is none, as after an editor has made the edit of the code
// action by itself, it does nothing.
func (c call) remove(ctx context.Context, q note.Question) (any, error) {
	end, err := c.editor.Turn(ctx, c.URI)
	if err != nil {
		return nil, err
	}
	defer end()
	written, reason, err := c.write(ctx, messages.LabelRemove, func(now Snapshot) []Edit {
		if q, found := now.Note.Find(q.ID); found && q.Answer >= 0 {
			return []Edit{{Edit: now.Note.Remove(q)}}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case written || reason == "": // else it is out already
		return Outcome{Done: written}, nil
	}
	return nil, lsp.Failed("%s", messages.NotRemoved(reason))
}

// dismiss dismisses a gap or restores it.
func (c call) dismiss(q note.Question, dismissed bool) (any, error) {
	g, found := c.gapOf(q)
	if !found {
		return nil, lsp.Failed("%s", messages.GapGone)
	}
	c.editor.Dismiss(c.URI, q, g.ID, dismissed)
	return Outcome{Done: true}, nil
}

// gapOf finds the gap that the arguments name: by its identity, or the first of its code.
func (c call) gapOf(q note.Question) (gap.Gap, bool) {
	for _, g := range c.gaps(q) {
		if c.arguments.Gap == g.ID || c.arguments.Gap == "" && c.arguments.Code == g.Code {
			return g, true
		}
	}
	return gap.Gap{}, false
}

// knownSystem reports whether a way of answering can be asked for by that name.
func knownSystem(id string) bool {
	_, known := systems.Lookup(id)
	return known || id == "" || id == systemAuto || id == systemThorough
}
