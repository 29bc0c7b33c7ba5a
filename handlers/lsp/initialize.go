package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// InitializeParams holds the parameters of the first request that we use. Others are not decoded, so that
// an odd value in an unknown capability does no harm.
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

// ClientCapabilities holds the capabilities of a client that change what we send.
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
	Workspace        WorkspaceCapabilities    `json:"workspace"`
	TextDocument     TextDocumentCapabilities `json:"textDocument"`
	NotebookDocument struct {
		Synchronization *struct{} `json:"synchronization"`
	} `json:"notebookDocument"`
	// Experimental holds capabilities that only clients made for Lacuna have.
	Experimental struct {
		Lacuna struct {
			Status bool `json:"status"` // takes the notification lacuna/status
			// Closed says that pulling for the workspace does not keep it from pulling for each open note.
			Closed bool `json:"workspaceDiagnostics"`
			// CommandPrefix replaces "lacuna." in the names of commands, for editors in which two servers
			// must not offer commands with the same name.
			CommandPrefix string `json:"commandPrefix"`
		} `json:"lacuna"`
	} `json:"experimental"`
}

// WorkspaceCapabilities holds a client's capabilities for files and settings.
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
	// Diagnostic is some clients' spelling of Diagnostics.
	Diagnostic struct {
		RefreshSupport bool `json:"refreshSupport"`
	} `json:"diagnostic"`
	Symbol *struct{} `json:"symbol"`
	// TextDocumentContent is of version 3.18: that it asks for the content of documents that are no files.
	TextDocumentContent *struct{} `json:"textDocumentContent"`
}

// TextDocumentCapabilities holds a client's capabilities inside a document.
type TextDocumentCapabilities struct {
	Hover struct {
		ContentFormat []string `json:"contentFormat"`
	} `json:"hover"`
	Definition struct {
		LinkSupport bool `json:"linkSupport"`
	} `json:"definition"`
	References *struct{} `json:"references"`
	Rename     struct {
		PrepareSupport bool `json:"prepareSupport"`
	} `json:"rename"`
	DocumentLink *struct {
		TooltipSupport bool `json:"tooltipSupport"`
	} `json:"documentLink"`
	DocumentSymbol *struct {
		HierarchicalDocumentSymbolSupport bool `json:"hierarchicalDocumentSymbolSupport"`
	} `json:"documentSymbol"`
	FoldingRange *struct {
		RangeLimit int `json:"rangeLimit"`
	} `json:"foldingRange"`
	Completion *struct{} `json:"completion"`
	InlayHint  *struct{} `json:"inlayHint"`
	// InlineCompletion is of version 3.18.
	InlineCompletion *struct{}                   `json:"inlineCompletion"`
	SemanticTokens   *SemanticTokensCapabilities `json:"semanticTokens"`
	CodeAction       struct {
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

// DiagnosticCapabilities says what a client does with a diagnostic.
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
	Workspace              *WorkspaceOptions      `json:"workspace,omitempty"`
	PositionEncoding       string                 `json:"positionEncoding,omitempty"`
	ExecuteCommandProvider *ExecuteCommandOptions `json:"executeCommandProvider,omitempty"`
	DiagnosticProvider     *DiagnosticOptions     `json:"diagnosticProvider,omitempty"`
	InlayHintProvider      bool                   `json:"inlayHintProvider,omitempty"`
	// InlineCompletionProvider is of version 3.18.
	InlineCompletionProvider bool                   `json:"inlineCompletionProvider,omitempty"`
	SemanticTokensProvider   *SemanticTokensOptions `json:"semanticTokensProvider,omitempty"`
	NotebookDocumentSync     *NotebookSyncOptions   `json:"notebookDocumentSync,omitempty"`
}

// WorkspaceOptions adds what the library's type lacks.
type WorkspaceOptions struct {
	protocol.ServerCapabilitiesWorkspace
	TextDocumentContent *TextDocumentContentOptions `json:"textDocumentContent,omitempty"`
}

// ExecuteCommandOptions says that commands report progress, which makes clients send a token.
type ExecuteCommandOptions struct {
	Commands         []string `json:"commands"`
	WorkDoneProgress bool     `json:"workDoneProgress"`
}
