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

// Commands returns the names of all commands as the client wants them.
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

// CanonicalCommand returns the name under which [Execute] knows a command with the client's prefix; other names
// stay as they are.
func (c Client) CanonicalCommand(name string) string {
	if rest, ours := strings.CutPrefix(name, cmp.Or(c.CommandPrefix, commandPrefix)); ours {
		return commandPrefix + rest
	}
	return name
}

// CallsModel reports whether a command has questions answered, which takes as long as models take. The
// others end immediately.
func CallsModel(command string) bool {
	switch command {
	case commandAnswer, commandAnswerAll, commandWith, commandPreview:
		return true
	}
	return false
}

// argumentsVersion is raised when the meaning of Arguments changes.
const argumentsVersion = 1

// ReadOnly reports whether a command only looks something up for a view of the editor, which needs no
// progress.
func ReadOnly(command string) bool {
	return command == commandStatus || command == commandListGaps || command == commandListSources
}

// Arguments is the one argument of every command; commands about the whole workspace may do without. Unknown
// fields are ignored.
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
	Fresh    bool                 `json:"fresh,omitempty"`    // ask the models again although their replies are cached
	Override bool                 `json:"override,omitempty"` // the answer that is there was given the wrong way; remember that
}

// maxQuery limits the bytes of a query: it may come from anywhere.
const maxQuery = 1000

// Execute runs a command, by the name that [Client.CanonicalCommand] gives it, and returns what it wants done to
// the note that the arguments name. Arguments are checked again, since any client may send them. An error says
// why nothing could be done, in words for the user.
func Execute(ctx context.Context, services Services, command string, args []json.RawMessage) (Outcome, protocol.DocumentURI, error) {
	if !slices.Contains(commands, command) {
		return Outcome{}, "", lsp.InvalidParams("%q is no command of Lacuna", command)
	}
	ofWorkspace := command == commandGaps || command == commandSetUp || command == commandForget || ReadOnly(command)
	var a Arguments
	if len(args) > 0 || !ofWorkspace {
		var err error
		if a, err = argumentsOf(command, args); err != nil {
			return Outcome{}, "", err
		}
	}
	outcome, err := execute(ctx, services, command, a)
	return outcome, a.URI, err
}

func execute(ctx context.Context, services Services, command string, a Arguments) (Outcome, error) {
	switch command {
	case commandGaps:
		return showGaps(ctx, services, a.URI)
	case commandSetUp:
		return setUpSources(ctx, services, a)
	case commandForget:
		return succeed(ForgetConsent{}, Show{messages.Message{Level: messages.Info, Text: messages.ConsentForgotten}})
	case commandStatus, commandListGaps, commandListSources:
		return view(ctx, services, command)
	}
	s, open := services.Snapshot(a.URI)
	if !open {
		return Outcome{}, lsp.Failed("%s", messages.NoteNotOpen)
	}
	c := call{Snapshot: s, services: services, arguments: a}
	if command == commandAnswerAll {
		return c.answerAll(ctx)
	}
	q, found := s.Note.Find(a.Question)
	if !found {
		return Outcome{}, lsp.Failed("%s", messages.QuestionGone)
	}
	switch command {
	case commandAnswer:
		return c.answerOne(ctx, q)
	case commandWith:
		return c.answerWith(ctx, q)
	case commandPreview:
		return c.preview(ctx, q)
	case commandRemove:
		return c.remove(q)
	case commandStub:
		return c.startPage(q)
	case commandAccept:
		return c.accept(q)
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
	services  Services
	arguments Arguments
}

// remove takes an answer out. Where there is none, as after an editor has made the edit of the code
// action by itself, it does nothing.
func (c call) remove(q note.Question) (Outcome, error) {
	return Outcome{Edit: &NoteEdit{
		Label: messages.LabelRemove,
		Make: func(now Snapshot) ([]Edit, []Answered) {
			if q, found := now.Note.Find(q.ID); found && q.Answer >= 0 {
				return []Edit{{Edit: now.Note.Remove(q)}}, nil
			}
			return nil, nil
		},
		Conclude: func(w Written) (Outcome, error) {
			switch {
			case w.Err != nil:
				return Outcome{}, w.Err
			case !w.Done && w.Reason != "": // without a reason it is out already
				return Outcome{}, lsp.Failed("%s", messages.NotRemoved(w.Reason))
			}
			return Outcome{Reply: Reply{Done: w.Done}}, nil
		},
	}}, nil
}

// dismiss dismisses a gap or restores it.
func (c call) dismiss(q note.Question, dismissed bool) (Outcome, error) {
	g, found := c.gapOf(q)
	if !found {
		return Outcome{}, lsp.Failed("%s", messages.GapGone)
	}
	return succeed(Dismiss{Question: q, Gap: g.ID, Dismissed: dismissed})
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
