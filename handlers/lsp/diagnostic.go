package lsp

import "go.lsp.dev/protocol"

// Pull diagnostics, of version 3.17 of the protocol.
const (
	MethodDiagnostic          = "textDocument/diagnostic"
	MethodWorkspaceDiagnostic = "workspace/diagnostic"
	MethodDiagnosticRefresh   = "workspace/diagnostic/refresh"
)

// DiagnosticOptions say how diagnostics are pulled.
type DiagnosticOptions struct {
	Identifier string `json:"identifier,omitempty"`
	// InterFileDependencies makes clients pull for every open document when one is edited.
	InterFileDependencies bool `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool `json:"workspaceDiagnostics"`
}

// DocumentDiagnosticParams ask for the diagnostics of a document.
type DocumentDiagnosticParams struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                          `json:"previousResultId,omitempty"`
}

// DocumentDiagnosticReport has the diagnostics of a document. Items of nil say that they are those
// of the result that the client has.
type DocumentDiagnosticReport struct {
	Kind     string                `json:"kind"` // full or unchanged
	ResultID string                `json:"resultId,omitempty"`
	Items    []protocol.Diagnostic `json:"items,omitzero"`
}

// NewDiagnosticReport makes the report for a client that has the result with the id previous.
func NewDiagnosticReport(items []protocol.Diagnostic, id, previous string) DocumentDiagnosticReport {
	if id != "" && id == previous {
		return DocumentDiagnosticReport{Kind: "unchanged", ResultID: id}
	}
	if items == nil {
		items = []protocol.Diagnostic{}
	}
	return DocumentDiagnosticReport{Kind: "full", ResultID: id, Items: items}
}

// WorkspaceDiagnosticParams ask for the diagnostics of documents that are not open.
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

// WorkspaceDocumentReport has the diagnostics of one document, of which no version is known.
type WorkspaceDocumentReport struct {
	DocumentDiagnosticReport
	URI     protocol.DocumentURI `json:"uri"`
	Version *int32               `json:"version"`
}
