// Package lsp holds the parts of the Language Server Protocol that go.lsp.dev/protocol v0.12.0
// lacks or encodes wrongly; for everything else use that library's types. Its own version of the
// protocol is 3.16, and some of its fields drop values that matter (a version or a percentage of
// zero, a change without a range).
//
// Values of this package are for encoding/json. Slices that the protocol requires are encoded as
// arrays, never as null, when they were made by the constructors here.
package lsp

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/knowledge/sanitise"
)

// Error codes of the protocol that the library does not name, or names elsewhere.
const (
	CodeRequestCancelled jsonrpc2.Code = -32800 // the client cancelled
	CodeContentModified  jsonrpc2.Code = -32801 // the document moved and the result would be wrong
	CodeServerCancelled  jsonrpc2.Code = -32802 // superseded by work of our own
	CodeRequestFailed    jsonrpc2.Code = -32803 // a clean failure with a message for the user
)

// ErrContentModified is returned by a request whose document changed under it.
var ErrContentModified = jsonrpc2.NewError(CodeContentModified, "the document has changed")

// Failed returns an error with a text for the user: the request was understood but cannot be done.
func Failed(format string, args ...any) error {
	return jsonrpc2.NewError(CodeRequestFailed, sanitise.Notice(fmt.Sprintf(format, args...)))
}

// InvalidParams returns the error for arguments that cannot be used.
func InvalidParams(format string, args ...any) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, format, args...)
}

// Values of the trace setting. The library spells the second one "message".
const (
	TraceOff      = "off"
	TraceMessages = "messages"
	TraceVerbose  = "verbose"
)

// CodeActionTriggerAutomatic is the trigger kind of a request that the editor sent by itself, for instance
// on saving or moving the cursor; CodeActionTriggerInvoked is the user's.
const (
	CodeActionTriggerInvoked   = 1
	CodeActionTriggerAutomatic = 2
)

// CodeActionParams adds the trigger kind to the library's type.
type CodeActionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
	Context      CodeActionContext               `json:"context"`
}

// CodeActionContext says why code actions are requested.
type CodeActionContext struct {
	protocol.CodeActionContext
	TriggerKind int `json:"triggerKind,omitempty"` // 0 when the client does not say
}

// MethodCodeActionResolve asks for the edit of a code action.
const MethodCodeActionResolve = "codeAction/resolve"

// CodeAction is a code action whose edit may create files and carry annotations.
type CodeAction struct {
	protocol.CodeAction
	Edit *WorkspaceEdit `json:"edit,omitempty"`
}

// WorkspaceEdit is a change to several files. DocumentChanges holds TextDocumentEdit and CreateFile values,
// in the order in which to apply them.
type WorkspaceEdit struct {
	Changes           map[protocol.DocumentURI][]TextEdit  `json:"changes,omitempty"`
	DocumentChanges   []any                                `json:"documentChanges,omitempty"`
	ChangeAnnotations map[string]protocol.ChangeAnnotation `json:"changeAnnotations,omitempty"`
}

// TextEdit is an edit that may have an annotation of its [WorkspaceEdit].
type TextEdit struct {
	protocol.TextEdit
	AnnotationID string `json:"annotationId,omitempty"`
}

// TextDocumentEdit is a set of edits of one version of a document.
type TextDocumentEdit struct {
	TextDocument protocol.OptionalVersionedTextDocumentIdentifier `json:"textDocument"`
	Edits        []TextEdit                                       `json:"edits"`
}

// NewTextDocumentEdit returns an edit of a version of a document; version is nil if it is not open.
func NewTextDocumentEdit(uri protocol.DocumentURI, version *int32, edits []TextEdit) TextDocumentEdit {
	return TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri},
			Version:                version,
		},
		Edits: edits,
	}
}

// CreateFile creates an empty file.
type CreateFile struct {
	Kind    string                      `json:"kind"` // "create"
	URI     protocol.DocumentURI        `json:"uri"`
	Options *protocol.CreateFileOptions `json:"options,omitempty"`
}

// NewCreateFile returns the operation that creates a file unless it exists.
func NewCreateFile(uri protocol.DocumentURI) CreateFile {
	return CreateFile{Kind: "create", URI: uri, Options: &protocol.CreateFileOptions{IgnoreIfExists: true}}
}

// ApplyWorkspaceEditParams asks the client to apply an edit.
type ApplyWorkspaceEditParams struct {
	Label string        `json:"label,omitempty"`
	Edit  WorkspaceEdit `json:"edit"`
}

// RenameFile renames a file, and fails if there is one with the new name.
type RenameFile struct {
	Kind   string               `json:"kind"` // "rename"
	OldURI protocol.DocumentURI `json:"oldUri"`
	NewURI protocol.DocumentURI `json:"newUri"`
}

// NewRenameFile returns the operation that renames a file.
func NewRenameFile(from, to protocol.DocumentURI) RenameFile {
	return RenameFile{Kind: "rename", OldURI: from, NewURI: to}
}

// PrepareRenameResult says what a rename at a position changes. The library's result has no placeholder.
type PrepareRenameResult struct {
	Range       protocol.Range `json:"range"`
	Placeholder string         `json:"placeholder"`
}

// PublishDiagnosticsParams carries a version that may be zero; the library drops that one.
type PublishDiagnosticsParams struct {
	URI         protocol.DocumentURI  `json:"uri"`
	Version     *int32                `json:"version,omitempty"`
	Diagnostics []protocol.Diagnostic `json:"diagnostics"`
}

// ContentChange is one change of a document. A nil Range replaces the whole text; the library's
// type has no pointer there and makes that change look like an insertion at 0:0.
type ContentChange struct {
	Range *protocol.Range `json:"range,omitempty"`
	Text  string          `json:"text"`
}

// DidChangeParams holds the changes of a document, each relative to the result of the previous one.
type DidChangeParams struct {
	TextDocument   protocol.VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []ContentChange                          `json:"contentChanges"`
}

// ExecuteCommandParams keeps the arguments undecoded.
type ExecuteCommandParams struct {
	WorkDoneToken *ProgressToken    `json:"workDoneToken,omitempty"`
	Command       string            `json:"command"`
	Arguments     []json.RawMessage `json:"arguments,omitempty"`
}

// ProgressToken is the JSON text of a number or a string, so that every token goes back as it came
// and equal tokens are equal values. The library's token cannot hold an empty string and is
// encoded as {} when passed by value.
type ProgressToken string

// NewProgressToken returns a token with a name of ours.
func NewProgressToken(name string) ProgressToken {
	text, _ := json.Marshal(name) // a string always encodes
	return ProgressToken(text)
}

// MarshalJSON writes the token as it was read.
func (t ProgressToken) MarshalJSON() ([]byte, error) {
	if t == "" {
		return nil, fmt.Errorf("progress token is empty")
	}
	return []byte(t), nil
}

// UnmarshalJSON accepts a number or a string.
func (t *ProgressToken) UnmarshalJSON(data []byte) error {
	switch c := data[0]; {
	case c == '"':
		var name string
		if err := json.Unmarshal(data, &name); err != nil {
			return err
		}
		*t = NewProgressToken(name)
	case c == '-' || '0' <= c && c <= '9':
		*t = ProgressToken(data)
	default:
		return fmt.Errorf("progress token %.40s is neither a number nor a string", data)
	}
	return nil
}

// ProgressParams reports progress under a token.
type ProgressParams struct {
	Token ProgressToken `json:"token"`
	Value any           `json:"value"`
}

// WorkDoneProgress is the value of a progress report of any kind ("begin", "report", "end"). A
// percentage of zero is sent, which is what makes editors draw a bar from the beginning.
type WorkDoneProgress struct {
	Kind        string  `json:"kind"`
	Title       string  `json:"title,omitempty"`
	Cancellable bool    `json:"cancellable,omitempty"`
	Message     string  `json:"message,omitempty"`
	Percentage  *uint32 `json:"percentage,omitempty"`
}

// FileSystemWatcher watches a glob: a string, or a RelativePattern where the client supports it.
type FileSystemWatcher struct {
	GlobPattern any `json:"globPattern"`
}

// RelativePattern is a glob under a folder.
type RelativePattern struct {
	BaseURI protocol.DocumentURI `json:"baseUri"`
	Pattern string               `json:"pattern"`
}

// WatchOptions holds the options of a registration for watched files.
type WatchOptions struct {
	Watchers []FileSystemWatcher `json:"watchers"`
}

// ConfigurationItem asks for one section of the client's configuration.
type ConfigurationItem struct {
	ScopeURI protocol.DocumentURI `json:"scopeUri,omitempty"`
	Section  string               `json:"section"`
}

// ConfigurationParams asks for several sections.
type ConfigurationParams struct {
	Items []ConfigurationItem `json:"items"`
}

// Pull diagnostics, of version 3.17 of the protocol.
const (
	MethodDiagnostic          = "textDocument/diagnostic"
	MethodWorkspaceDiagnostic = "workspace/diagnostic"
	MethodDiagnosticRefresh   = "workspace/diagnostic/refresh"
)

// DiagnosticOptions says how diagnostics are pulled.
type DiagnosticOptions struct {
	Identifier string `json:"identifier,omitempty"`
	// InterFileDependencies makes clients pull for every open document when one is edited.
	InterFileDependencies bool `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool `json:"workspaceDiagnostics"`
}

// DocumentDiagnosticParams asks for the diagnostics of a document.
type DocumentDiagnosticParams struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                          `json:"previousResultId,omitempty"`
}

// DocumentDiagnosticReport has the diagnostics of a document. If Items is nil, they are unchanged since the
// result that the client has.
type DocumentDiagnosticReport struct {
	Kind     string                `json:"kind"` // full or unchanged
	ResultID string                `json:"resultId,omitempty"`
	Items    []protocol.Diagnostic `json:"items,omitzero"`
}

// NewDiagnosticReport returns the report for a client that has the result with the id previous.
func NewDiagnosticReport(items []protocol.Diagnostic, id, previous string) DocumentDiagnosticReport {
	if id != "" && id == previous {
		return DocumentDiagnosticReport{Kind: "unchanged", ResultID: id}
	}
	if items == nil {
		items = []protocol.Diagnostic{}
	}
	return DocumentDiagnosticReport{Kind: "full", ResultID: id, Items: items}
}

// WorkspaceDiagnosticParams asks for the diagnostics of documents that are not open.
type WorkspaceDiagnosticParams struct {
	PreviousResultIDs []struct {
		URI   protocol.DocumentURI `json:"uri"`
		Value string               `json:"value"`
	} `json:"previousResultIds"`
	PartialResultToken ProgressToken `json:"partialResultToken"`
}

// WorkspaceDiagnosticReport is the result, or a part of it.
type WorkspaceDiagnosticReport struct {
	Items []WorkspaceDocumentReport `json:"items"`
}

// WorkspaceDocumentReport has the diagnostics of one document without a known version.
type WorkspaceDocumentReport struct {
	DocumentDiagnosticReport
	URI     protocol.DocumentURI `json:"uri"`
	Version *int32               `json:"version"`
}

// MethodSelectionRange asks what to select around positions.
const MethodSelectionRange = "textDocument/selectionRange"

// SelectionRangeParams has the positions; the result has a range for each.
type SelectionRangeParams struct {
	Positions []protocol.Position `json:"positions"`
}

// MethodInlineCompletion is of version 3.18 of the protocol.
const MethodInlineCompletion = "textDocument/inlineCompletion"

// InlineCompletionParams asks what could stand at a place, to be shown there before it is taken.
type InlineCompletionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Position     protocol.Position               `json:"position"`
}

// InlineCompletionList holds what could stand there.
type InlineCompletionList struct {
	Items []InlineCompletionItem `json:"items"`
}

// InlineCompletionItem is a text that takes the place of a range once the user takes it.
type InlineCompletionItem struct {
	InsertText string         `json:"insertText"`
	Range      protocol.Range `json:"range"`
}

// Inlay hints, of version 3.17 of the protocol.
const (
	MethodInlayHint        = "textDocument/inlayHint"
	MethodInlayHintRefresh = "workspace/inlayHint/refresh"
)

// InlayHintParams asks for the hints of a part of a document.
type InlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

// InlayHint is a text that is shown in a document without being part of it.
type InlayHint struct {
	Position    protocol.Position `json:"position"`
	Label       string            `json:"label"`
	Tooltip     string            `json:"tooltip,omitempty"`
	PaddingLeft bool              `json:"paddingLeft,omitempty"`
}
