// Package handlers turns what the knowledge side finds into what an editor can show: one file per
// thing an editor asks, each a plain function from an immutable snapshot to protocol values.
package handlers

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/history"
	"lacuna/knowledge/llm"
)

// Client says what the connected editor can do; the zero value is the poorest one.
type Client struct {
	Encoding           position.Encoding // never empty
	ApplyEdit          bool              // makes edits that it is asked for; true until it is known that it does not
	DocumentChanges    bool              // versioned edits
	ResourceCreate     bool              // edits may create files
	ChangeAnnotations  bool
	HoverMarkdown      bool
	CodeActionLiterals bool
	IsPreferred        bool
	Disabled           bool
	RelatedInformation bool
	CodeDescription    bool
	DiagnosticData     bool
	DiagnosticVersion  bool
	PullDiagnostics    bool // asks for diagnostics, and asks again when told to
	Progress           bool // server-created work-done progress
	ShowDocument       bool
	LocationLinks      bool // definition may answer with links
	WatchDynamic       bool
	WatchRelative      bool
	ConfigurationPull  bool
	CodeLensRefresh    bool
	ShowMessageActions bool // can ask the person; true until it is known that it does not
	DocumentLinks      bool
	LinkTooltips       bool
	DocumentSymbols    bool
	SymbolTree         bool // symbols of a document may stand inside one another
	WorkspaceSymbols   bool
	Folding            bool
	FoldLimit          int // of the ranges of one document; 0 is none
	Completion         bool
	InlayHints         bool
	InlayHintRefresh   bool
	SemanticTokens     bool
	ResolveEdit        bool // asks for the edit of a code action once it is chosen
	WillRename         bool // asks what to edit before files are renamed
	DidRename          bool
	DidDelete          bool
	Status             bool   // takes lacuna/status
	PullClosed         bool   // pulls diagnostics of notes that are not open, beside those of open ones
	CommandPrefix      string // in the place of "lacuna." in the names of commands, if not empty
}

// Snapshot is what a request works on, captured in arrival order and never changed.
type Snapshot struct {
	URI      protocol.DocumentURI // exactly as the client wrote it
	Path     string               // of the file; empty for untitled and other pathless documents
	Version  int32
	Note     *note.Note
	Library  *knowledge.Library // never nil
	Settings settings.Settings
	Client   Client
	Models   Models
	// Pages is the folder of the pages that explain diagnostics, each named after its code, with the
	// ending .md; empty when there is none.
	Pages string
	// Finding returns what is already known about a question of this note: its newest answer, or
	// the offline one computed in the background, and its gaps with their states. It never computes
	// anything.
	Finding func(q note.Question) (answer.Result, bool)
	// Part returns the evidence and the gaps that an answer under way has found so far; false when
	// none is under way. It may be nil.
	Part func(q note.Question) (answer.Result, bool)
	// Dismissed says whether the user marked the gap with this [gap.Gap.ID] as not needed.
	Dismissed func(q note.Question, gapID string) bool
	// Accepted returns what a stored question of [history.SourceName] was accepted from, by its record;
	// false when nobody knows. It may be nil.
	Accepted func(record string) (history.Pair, bool)
}

// Models says which language models may be asked. The zero value is none.
type Models struct {
	Configured bool
	Reader     string // the model that answers, as the settings name it
	Host       string // that the reader runs on, for people
	Remote     bool   // a model runs on another machine
}

// Editor is what a command needs of the session that runs it.
type Editor interface {
	// Snapshot returns the document as it is now.
	Snapshot(uri protocol.DocumentURI) (Snapshot, bool)
	// Strategy returns the system that answers in that way, or an error a user can act on.
	Strategy(way answer.Request) (answer.Strategy, error)
	// Turn waits until no other command edits the document or remembers what it wrote; end lets the next
	// one. It fails only when ctx ends.
	Turn(ctx context.Context, uri protocol.DocumentURI) (end func(), err error)
	// ApplyEdit asks the editor to change the document, if it is still at that version, and returns
	// once the editor has told of the change or is not expected to any more. Applied is false with a
	// reason when the editor refused or the document has moved. Not every editor says when an edit was
	// not made because the document has moved. Who edits has the turn.
	ApplyEdit(ctx context.Context, label string, edit DocumentEdit) (applied bool, reason string, err error)
	// CreateFile asks the editor to create a file with this text and to show it.
	CreateFile(ctx context.Context, path, text string) error
	// AddSource makes a folder or file of the workspace of this document, or of the first one, one of its
	// sources and returns its path; the empty path is a folder kb, which is made. The error is for the
	// user.
	AddSource(ctx context.Context, uri protocol.DocumentURI, path string) (made string, err error)
	// NameSources opens the settings file of that workspace. The error is for the user.
	NameSources(ctx context.Context, uri protocol.DocumentURI) error
	// Show says something to the user; only in reply to something the user asked for.
	Show(ctx context.Context, m messages.Message)
	// Offer shows what has no place in a note, in a document of its own or, in an editor that opens
	// none, as a message without markup.
	Offer(ctx context.Context, title, markdown, plain string)
	// Report names the stage of the running command; percent is 0..100.
	Report(stage string, percent int)
	// Dismiss remembers that the gap of a question with this [gap.Gap.ID] is not needed, or forgets it.
	Dismiss(uri protocol.DocumentURI, q note.Question, gapID string, dismissed bool)
	// Learn replaces what is known about a question and publishes diagnostics again.
	Learn(uri protocol.DocumentURI, q note.Question, r answer.Result)
	// Choose lets the user choose one of the items. Chosen is its index; ok is false when they chose
	// none, or when Client.ShowMessageActions says that they cannot be asked.
	Choose(ctx context.Context, message string, items []string) (chosen int, ok bool)
	// Wrote says that an answer has been written below a question. Who says so has the turn.
	Wrote(uri protocol.DocumentURI, q note.Question, r answer.Result)
	// Overrule remembers that the user had a question that was answered by the model alone or from the
	// sources answered the other way.
	Overrule(uri protocol.DocumentURI, q note.Question, first, second answer.Result)
	// Accept keeps the answer that stands below a question as a stored question, or says why it cannot
	// be kept. An answer that a command is just writing is waited for.
	Accept(ctx context.Context, uri protocol.DocumentURI, q note.Question) error
	// OpenGaps are the open gaps that are known of in the workspace of this document, those of notes
	// that are not open among them, in groups as [ledger.Clusters] makes them. Without a document they
	// are those of the first workspace.
	OpenGaps(ctx context.Context, uri protocol.DocumentURI) ([]ledger.Cluster, error)
	// Overview is what is known of every folder that is open.
	Overview(ctx context.Context) Overview
	// Preview returns what answering in that way would send to other machines first, without
	// sending it; none when it would send nothing.
	Preview(ctx context.Context, uri protocol.DocumentURI, question answer.Question, way answer.Request) ([]llm.Outbound, error)
	// ForgetConsent takes back every permission to send text of the workspace of this document, or of
	// the first one, to other machines.
	ForgetConsent(ctx context.Context, uri protocol.DocumentURI) error
}

// DocumentEdit is a set of edits of one version of one document.
type DocumentEdit struct {
	URI     protocol.DocumentURI
	Version int32
	Edits   []Edit
}

// Changes reports whether the edits leave anything other than it is in the note.
func (e DocumentEdit) Changes(n *note.Note) bool {
	return slices.ContainsFunc(e.Edits, func(one Edit) bool { return n.Text[one.Span.Start:one.Span.End] != one.NewText })
}

// Made reports whether the edits of a note are in it as it is now.
func (e DocumentEdit) Made(before, now *note.Note) bool {
	if !e.Changes(before) || before.Text == now.Text {
		return false
	}
	after := before.Text
	for _, one := range slices.Backward(slices.SortedStableFunc(slices.Values(e.Edits), func(a, b Edit) int { return a.Span.Start - b.Span.Start })) {
		after = after[:one.Span.Start] + one.NewText + after[one.Span.End:]
	}
	if now.Text == after {
		return true
	}
	return !slices.ContainsFunc(e.Edits, func(one Edit) bool { // something else has been typed as well
		return one.NewText == "" || strings.Contains(before.Text, one.NewText) || !strings.Contains(now.Text, one.NewText)
	})
}

// Edit is an edit of a note with where its words are from.
type Edit struct {
	note.Edit
	Origin Origin
}

// Origin says where the words of an edit are from; it is empty where something is only taken out.
type Origin string

const (
	Sources Origin = "sources"
	Model   Origin = "model"
)
