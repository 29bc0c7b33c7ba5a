package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// InitializeParams are the parameters of the first request, as far as we use them. Only what is
// read here is decoded, so that an odd value in a capability we do not know costs nothing.
type InitializeParams struct {
	ProcessID             int64                      `json:"processId"` // 0 when the client says null
	ClientInfo            protocol.ClientInfo        `json:"clientInfo"`
	RootPath              string                     `json:"rootPath"`
	RootURI               protocol.DocumentURI       `json:"rootUri"`
	InitializationOptions json.RawMessage            `json:"initializationOptions"`
	Capabilities          ClientCapabilities         `json:"capabilities"`
	Trace                 string                     `json:"trace"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
}

// ClientCapabilities are those capabilities of a client that change what we send.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
		ShowMessage struct {
			MessageActionItem *struct{} `json:"messageActionItem"`
		} `json:"showMessage"`
	} `json:"window"`
	Workspace    WorkspaceCapabilities    `json:"workspace"`
	TextDocument TextDocumentCapabilities `json:"textDocument"`
	// Experimental holds what a client that knows Lacuna says of itself.
	Experimental struct {
		Lacuna struct {
			Status bool `json:"status"` // takes the notification lacuna/status
			// Closed says that pulling for the workspace does not keep it from pulling for each open note.
			Closed bool `json:"workspaceDiagnostics"`
			// CommandPrefix stands in the place of "lacuna." in the names of commands, for editors in which
			// two servers may not offer commands of one name.
			CommandPrefix string `json:"commandPrefix"`
		} `json:"lacuna"`
	} `json:"experimental"`
}

// WorkspaceCapabilities are a client's abilities with files and settings.
type WorkspaceCapabilities struct {
	ApplyEdit     bool `json:"applyEdit"`
	Configuration bool `json:"configuration"`
	WorkspaceEdit struct {
		DocumentChanges         bool      `json:"documentChanges"`
		ResourceOperations      []string  `json:"resourceOperations"`
		ChangeAnnotationSupport *struct{} `json:"changeAnnotationSupport"`
	} `json:"workspaceEdit"`
	DidChangeConfiguration struct {
		DynamicRegistration bool `json:"dynamicRegistration"`
	} `json:"didChangeConfiguration"`
	DidChangeWatchedFiles struct {
		DynamicRegistration    bool `json:"dynamicRegistration"`
		RelativePatternSupport bool `json:"relativePatternSupport"`
	} `json:"didChangeWatchedFiles"`
	FileOperations struct {
		WillRename bool `json:"willRename"`
		DidRename  bool `json:"didRename"`
		DidDelete  bool `json:"didDelete"`
	} `json:"fileOperations"`
	CodeLens struct {
		RefreshSupport bool `json:"refreshSupport"`
	} `json:"codeLens"`
	InlayHint struct {
		RefreshSupport bool `json:"refreshSupport"`
	} `json:"inlayHint"`
	Diagnostics struct {
		RefreshSupport bool `json:"refreshSupport"`
	} `json:"diagnostics"`
	// Diagnostic is how some clients spell Diagnostics.
	Diagnostic struct {
		RefreshSupport bool `json:"refreshSupport"`
	} `json:"diagnostic"`
	Symbol *struct{} `json:"symbol"`
}

// TextDocumentCapabilities are a client's abilities inside a document.
type TextDocumentCapabilities struct {
	Hover struct {
		ContentFormat []string `json:"contentFormat"`
	} `json:"hover"`
	Definition struct {
		LinkSupport bool `json:"linkSupport"`
	} `json:"definition"`
	References   *struct{} `json:"references"`
	DocumentLink *struct {
		TooltipSupport bool `json:"tooltipSupport"`
	} `json:"documentLink"`
	DocumentSymbol *struct {
		HierarchicalDocumentSymbolSupport bool `json:"hierarchicalDocumentSymbolSupport"`
	} `json:"documentSymbol"`
	FoldingRange *struct {
		RangeLimit int `json:"rangeLimit"`
	} `json:"foldingRange"`
	Completion     *struct{}                   `json:"completion"`
	InlayHint      *struct{}                   `json:"inlayHint"`
	SemanticTokens *SemanticTokensCapabilities `json:"semanticTokens"`
	CodeAction     struct {
		CodeActionLiteralSupport *struct{} `json:"codeActionLiteralSupport"`
		IsPreferredSupport       bool      `json:"isPreferredSupport"`
		DisabledSupport          bool      `json:"disabledSupport"`
		DataSupport              bool      `json:"dataSupport"`
		ResolveSupport           struct {
			Properties []string `json:"properties"`
		} `json:"resolveSupport"`
	} `json:"codeAction"`
	PublishDiagnostics DiagnosticCapabilities  `json:"publishDiagnostics"`
	Diagnostic         *DiagnosticCapabilities `json:"diagnostic"` // that it pulls
}

// DiagnosticCapabilities are what a client makes of a diagnostic.
type DiagnosticCapabilities struct {
	RelatedInformation     bool `json:"relatedInformation"`
	VersionSupport         bool `json:"versionSupport"`
	CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
	DataSupport            bool `json:"dataSupport"`
}

// InitializeResult is the reply to the first request.
type InitializeResult struct {
	Capabilities ServerCapabilities   `json:"capabilities"`
	ServerInfo   *protocol.ServerInfo `json:"serverInfo,omitempty"`
}

// ServerCapabilities adds what the library's type lacks.
type ServerCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding       string                 `json:"positionEncoding,omitempty"`
	ExecuteCommandProvider *ExecuteCommandOptions `json:"executeCommandProvider,omitempty"`
	DiagnosticProvider     *DiagnosticOptions     `json:"diagnosticProvider,omitempty"`
	InlayHintProvider      bool                   `json:"inlayHintProvider,omitempty"`
	SemanticTokensProvider *SemanticTokensOptions `json:"semanticTokensProvider,omitempty"`
}

// ExecuteCommandOptions say that commands report progress, which makes clients send a token.
type ExecuteCommandOptions struct {
	Commands         []string `json:"commands"`
	WorkDoneProgress bool     `json:"workDoneProgress"`
}
