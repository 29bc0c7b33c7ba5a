package handlers

import (
	"cmp"
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/llm"
)

// Services offers a running command what it needs of the session. No method changes a note or a setting:
// a command returns its changes as its [Outcome].
type Services interface {
	// Snapshot returns the document as it is now.
	Snapshot(uri protocol.DocumentURI) (Snapshot, bool)
	// AwaitSources waits while the first reading of the sources has nothing to search yet, and returns the document
	// with the library that there is then. It gives up after a while.
	AwaitSources(ctx context.Context, n Snapshot) Snapshot
	// Answer has a question of a note answered as r says and remembers what was found. The error is for
	// the user.
	Answer(ctx context.Context, n Snapshot, q note.Question, as answer.Question, r answer.Request) (answer.Result, error)
	// Preview returns what answering in that way would send to other machines first, without
	// sending it; none when it would send nothing.
	Preview(ctx context.Context, uri protocol.DocumentURI, as answer.Question, r answer.Request) ([]llm.Outbound, error)
	// OpenGaps returns the known open gaps in the workspace of this document, including closed notes'
	// gaps, grouped by [ledger.Clusters]. Without a document it takes the first workspace.
	OpenGaps(ctx context.Context, uri protocol.DocumentURI) ([]ledger.Cluster, error)
	// StaleNotes judges the notes of all folders again, open or not, and returns those in which something is no
	// longer true, and how many it looked at.
	StaleNotes(ctx context.Context) (stale []StaleNote, notes int, err error)
	// Overview returns what is known of every folder that is open.
	Overview(ctx context.Context) Overview
	// Report names the stage of the running command; percent is 0..100.
	Report(stage string, percent int)
	// Show says something to the user; only in reply to something the user asked for.
	Show(m messages.Message)
	// Choose lets the user choose one of the items. Chosen is its index; ok is false when they chose
	// none, or when Client.ShowMessageActions says that they cannot be asked.
	Choose(ctx context.Context, message string, items []string) (chosen int, ok bool)
}

// Outcome holds a command's effects, its edit and its reply. The session carries out the effects in order,
// then makes the edit. It stops at the first error, which becomes the command's.
type Outcome struct {
	Effects []Effect
	Edit    *NoteEdit // nil for none
	Reply   any       // to the client, if there is no edit; else Edit.Conclude has it
}

// NoteEdit is an edit of the note that a command is about. The session makes it while no other command edits
// the note, and makes it again if the note changes before the editor has applied it.
type NoteEdit struct {
	Label string
	// Make returns the edits for the note as it is now, none if there is nothing to do, and the answers
	// that they write.
	Make func(now Snapshot) ([]Edit, []Answered)
	// Conclude says what follows. It is not called when the command has been cancelled.
	Conclude func(Written) (Outcome, error)
}

// Written reports the result of a [NoteEdit].
type Written struct {
	Done   bool
	Reason string // why it was not made; empty if there was nothing to do
	Err    error
}

// Answered is a question with its answer.
type Answered struct {
	Question note.Question // as it was when it was asked
	Result   answer.Result
}

// Effect is something that a command wants done besides the edit of its note.
type Effect interface{ effect() }

type (
	// Show shows a message.
	Show struct{ messages.Message }
	// Offer shows a text that does not belong in a note: in a separate document or, if the editor cannot
	// open one, as a message without markup.
	Offer struct{ Title, Markdown, Plain string }
	// Dismiss dismisses the gap with this [gap.Gap.ID], or restores it.
	Dismiss struct {
		Note      *note.Note // as it was when the command was given
		Question  note.Question
		Gap       string
		Dismissed bool
	}
	// Overrule remembers that the user had a question that was answered by the model alone or from the
	// sources answered the other way.
	Overrule struct {
		Question      note.Question
		First, Second answer.Result
	}
	// Accept saves the answer below a question as a stored question. It waits for an answer that is being
	// written.
	Accept struct{ Question note.Question }
	// StorePair stores the answer to a question, which stands in the document itself, as a stored question.
	StorePair struct {
		Question note.Question
		Result   answer.Result
	}
	// OpenPlace shows a place of a file in the editor.
	OpenPlace struct{ protocol.Location }
	// CreateFile creates a file and shows it.
	CreateFile struct{ Path, Text string }
	// AddSource makes a folder or file of the workspace one of its sources and tells the user; the empty
	// path stands for a folder kb, which is made.
	AddSource struct{ Path string }
	// OpenSettings opens the settings file of the workspace.
	OpenSettings struct{}
	// ForgetConsent takes back every permission to send text of the workspace to other machines.
	ForgetConsent struct{}
)

func (Show) effect()          {}
func (Offer) effect()         {}
func (Dismiss) effect()       {}
func (Overrule) effect()      {}
func (Accept) effect()        {}
func (StorePair) effect()     {}
func (OpenPlace) effect()     {}
func (CreateFile) effect()    {}
func (AddSource) effect()     {}
func (OpenSettings) effect()  {}
func (ForgetConsent) effect() {}

// Reply is the reply of a command.
type Reply struct {
	Done bool `json:"done"` // false when nothing was changed
	// Reason says why an answer was not written into the note, and Text holds that answer then.
	Reason string `json:"reason,omitempty"`
	Text   string `json:"text,omitempty"`
}

// succeed returns the outcome of a command that succeeds with these effects.
func succeed(effects ...Effect) (Outcome, error) {
	return Outcome{Effects: effects, Reply: Reply{Done: true}}, nil
}

// Edit is an edit of a note, and where its words are from.
type Edit struct {
	note.Edit
	Origin Origin
}

// Origin says where the words of an edit are from; it is empty for a removal.
type Origin string

const (
	Sources Origin = "sources"
	Model   Origin = "model"
)

// call is one running command, and the document as it was when it began.
type call struct {
	Snapshot
	services  Services
	arguments Arguments
}

// The commands. Their names and arguments are stable, because users bind keys to them.
const (
	commandAnswer    = "lacuna.answerQuestion"
	commandAnswerAll = "lacuna.answerAll"
	commandRemove    = "lacuna.removeAnswer"
	commandShorten   = "lacuna.shortenAnswers"
	commandStub      = "lacuna.startPage"
	commandDismiss   = "lacuna.dismissGap"
	commandRestore   = "lacuna.restoreGap"
	commandWith      = "lacuna.answerWith"
	commandGaps      = "lacuna.showGaps"
	commandPreview   = "lacuna.previewRequest"
	commandForget    = "lacuna.forgetConsent"
	commandAccept    = "lacuna.acceptAnswer"
	commandSection   = "lacuna.storeSection"
	commandSetUp     = "lacuna.setUpSources"
	commandTake      = "lacuna.takePlace"
	commandOpen      = "lacuna.openPlace"
	commandNoPlace   = "lacuna.dismissPlaces"
	commandCite      = "lacuna.citePassage"
	commandWords     = "lacuna.takeWords"
	commandOpinion   = "lacuna.markOpinion"

	commandStatus      = "lacuna.status"
	commandListGaps    = "lacuna.listGaps"
	commandListSources = "lacuna.listSources"
	commandListStale   = "lacuna.listStale"
	commandShowStale   = "lacuna.showStale"
	commandListChanges = "lacuna.listChanges"
	commandListTopics  = "lacuna.listTopics"
)

// commandPrefix begins the names of commands, unless the client wants another prefix.
const commandPrefix = "lacuna."

func (c Client) named(command string) string {
	return cmp.Or(c.CommandPrefix, commandPrefix) + strings.TrimPrefix(command, commandPrefix)
}

// argumentsVersion is raised when the meaning of Arguments changes.
const argumentsVersion = 1

// Arguments is the single argument of every command, optional for commands about the whole workspace.
// Unknown fields are ignored.
type Arguments struct {
	V        int                  `json:"v"`
	Version  int                  `json:"version,omitempty"` // another name of V
	URI      protocol.DocumentURI `json:"uri"`
	Question note.QuestionID      `json:"question,omitempty"` // all commands about one question
	Gap      string               `json:"gap,omitempty"`      // [gap.Gap.ID]
	Code     gap.Code             `json:"code,omitempty"`     // names a gap where Gap does not
	Query    string               `json:"query,omitempty"`    // of a gap; the commands that answer search for it as well
	Place    int                  `json:"place,omitempty"`    // number of a nearest place, from 1
	Passage  string               `json:"passage,omitempty"`  // its passage, if it must be that one
	Sentence string               `json:"sentence,omitempty"` // of the note, as its fixes name it
	System   string               `json:"system,omitempty"`   // to answer with, see [answer.Request]
	Path     string               `json:"path,omitempty"`     // of a source, for the command that sets one up
	Fresh    bool                 `json:"fresh,omitempty"`    // ask the models again although their replies are cached
	Override bool                 `json:"override,omitempty"` // the gate decided wrongly for the present answer; remember that
}
