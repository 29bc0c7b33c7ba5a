package lsp

import "go.lsp.dev/protocol"

// Inlay hints, of version 3.17 of the protocol.
const (
	MethodInlayHint        = "textDocument/inlayHint"
	MethodInlayHintRefresh = "workspace/inlayHint/refresh"
)

// InlayHintParams ask for the hints of a part of a document.
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
