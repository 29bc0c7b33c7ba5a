// Package handlers turns what package knowledge finds into what an editor can show. Each request of an
// editor has a plain function from an immutable [Snapshot] to protocol values: [Hover], [CodeActions],
// [Diagnostics] and so on. A command, run by [Execute], returns what it wants done as an [Outcome]. The
// package keeps no state and does not talk to the client.
//
// Begin with [Snapshot]; then read hover.go for a request, and answer.go for a command.
package handlers

import (
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/knowledge/passage"
)

// Client holds the capabilities of the connected editor; the zero value has none.
type Client struct {
	Encoding           position.Encoding // never empty
	ApplyEdit          bool              // applies workspace/applyEdit; true until it has failed to
	DocumentChanges    bool              // versioned edits
	ResourceCreate     bool              // edits may create files
	ResourceRename     bool              // edits may rename files
	PrepareRename      bool              // asks what a rename would change
	Notebooks          bool              // reports notebooks with their cells
	ChangeAnnotations  bool
	HoverMarkdown      bool
	CodeActionLiterals bool
	IsPreferred        bool
	Disabled           bool
	RelatedInformation bool
	CodeDescription    bool
	DiagnosticData     bool
	DiagnosticVersion  bool
	PullDiagnostics    bool // pulls diagnostics, and pulls again on request
	Progress           bool // server-created work-done progress
	ShowDocument       bool
	Pages              bool // asks for the content of documents that are no files
	LocationLinks      bool // a definition may be a list of links
	WatchDynamic       bool
	WatchRelative      bool
	ConfigurationPull  bool
	CodeLensRefresh    bool
	ShowMessageActions bool // can ask the user; true until it has failed to
	DocumentLinks      bool
	LinkTooltips       bool
	DocumentSymbols    bool
	SymbolTree         bool // symbols of a document may be nested
	WorkspaceSymbols   bool
	Folding            bool
	FoldLimit          int // of the ranges of one document; 0 is none
	Completion         bool
	InlayHints         bool
	InlineCompletion   bool
	InlayHintRefresh   bool
	SemanticTokens     bool
	ResolveEdit        bool // resolves the edit of a code action once it is chosen
	WillRename         bool // asks for edits before files are renamed
	DidRename          bool
	DidDelete          bool
	Status             bool   // takes lacuna/status
	PullClosed         bool   // pulls diagnostics of notes that are not open, too
	CommandPrefix      string // replaces "lacuna." in the names of commands, if not empty
}

// Snapshot holds everything a request works on. It is captured in arrival order and never changed.
type Snapshot struct {
	URI      protocol.DocumentURI // exactly as the client wrote it
	Path     string               // of the file; empty for untitled and other pathless documents
	Version  int32
	Note     *note.Note
	Library  *knowledge.Library // never nil
	Settings settings.Settings
	Client   Client
	Models   Models
	// Engines names the sources that engines keep. They are asked when an answer is asked for, and only then.
	Engines []string
	// Pages is the folder of the pages that explain diagnostics, CODE.md each; empty if there is none.
	Pages string
	// Finding returns what is already known about a question of this note: its newest answer, or
	// the offline one computed in the background, and its gaps with their states. It never computes
	// anything.
	Finding func(q note.Question) (answer.Result, bool)
	// Claim returns what is already known of a sentence of this note; false if it was not compared with
	// anything. It never computes anything and may be nil.
	Claim func(s note.Sentence) (claims.Finding, bool)
	// Today is the day by which reviews of sources are due.
	Today time.Time
	// Part returns the evidence and the gaps that a running answer has found so far; false if none is
	// running. It may be nil.
	Part func(q note.Question) (answer.Result, bool)
	// Dismissed reports whether the user dismissed the gap with this [gap.Gap.ID].
	Dismissed func(q note.Question, gapID string) bool
	// Accepted returns the accepted answer that a stored question of [history.SourceName] came from, by its
	// record; false if it is not known. It may be nil.
	Accepted func(record string) (history.Pair, bool)
	// WikiLinks reports whether the notes of the folder link as wikis do; see [Form]. It may be nil.
	WikiLinks func() bool
}

// Models says which language models may be asked. The zero value is none.
type Models struct {
	Configured bool
	Reader     string // the model that answers, as the settings name it
	Host       string // that the reader runs on, as shown
	Remote     bool   // a model runs on another machine
}

// Inside, a place is a span of bytes. The functions below are the only ones that convert spans to ranges
// and positions to offsets.

// SpanRange converts a span of the text that lines was made from.
func SpanRange(lines *position.Lines, span passage.Span, e position.Encoding) protocol.Range {
	return protocol.Range{
		Start: offsetPosition(lines, span.Start, e),
		End:   offsetPosition(lines, span.End, e),
	}
}

func offsetPosition(lines *position.Lines, offset int, e position.Encoding) protocol.Position {
	at := lines.Position(offset, e)
	return protocol.Position{Line: at.Line, Character: at.Column}
}

// rangeOf converts a span of the note.
func (s Snapshot) rangeOf(span passage.Span) protocol.Range {
	return SpanRange(s.Note.Lines, span, s.Client.Encoding)
}

// offsetOf converts a position in the note; it clamps one outside.
func (s Snapshot) offsetOf(at protocol.Position) int {
	return s.Note.Lines.Offset(position.Position{Line: at.Line, Column: at.Character}, s.Client.Encoding)
}

// outside reports whether a position is below the last line. Clamped, it would mean the last line.
func (s Snapshot) outside(at protocol.Position) bool {
	return uint64(at.Line) >= uint64(s.Note.Lines.Count())
}

// lineLocation returns the beginning of a line of a file; the first line is 1. It does not read the file.
func lineLocation(file string, line int) protocol.Location {
	at := protocol.Position{Line: uint32(max(line, 1) - 1)}
	return protocol.Location{URI: lsp.URI(file), Range: protocol.Range{Start: at, End: at}}
}
