// Package handlers turns what the knowledge side finds into what an editor can show: one file per
// thing an editor asks, each a plain function from an immutable snapshot to protocol values.
package handlers

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/knowledge/passage"
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

// Inside, a place is a span of bytes. This file alone makes ranges and positions of spans, and
// offsets of positions.

// SpanRange converts a span of the text that the lines are of.
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

// offsetOf converts a position in the note; one outside is clamped.
func (s Snapshot) offsetOf(at protocol.Position) int {
	return s.Note.Lines.Offset(position.Position{Line: at.Line, Column: at.Character}, s.Client.Encoding)
}

// outside reports whether a position lies below the last line. Clamped, it would mean that line.
func (s Snapshot) outside(at protocol.Position) bool {
	return uint64(at.Line) >= uint64(s.Note.Lines.Count())
}

// lineLocation is the beginning of a line of a file; the first line is 1. It needs no text.
func lineLocation(file string, line int) protocol.Location {
	at := protocol.Position{Line: uint32(max(line, 1) - 1)}
	return protocol.Location{URI: lsp.URI(file), Range: protocol.Range{Start: at, End: at}}
}
