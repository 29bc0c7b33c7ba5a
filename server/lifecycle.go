package server

import (
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
	"lacuna/server/dispatch"
)

// phase is where a session is in its life.
type phase int32

const (
	fresh    phase = iota // before initialize
	running               // from the reply to initialize
	shutDown              // after shutdown; only exit is awaited
)

// lifecycle holds the phase; it is changed on the reading goroutine only.
type lifecycle struct{ phase atomic.Int32 }

func (l *lifecycle) now() phase  { return phase(l.phase.Load()) }
func (l *lifecycle) to(p phase)  { l.phase.Store(int32(p)) }
func (l *lifecycle) alive() bool { return l.now() == running }

// Admit implements dispatch.Handler. A second shutdown is answered like the first: editors that
// are stopped and then closed send two.
func (s *session) Admit(method string) error {
	switch s.life.now() {
	case fresh:
		if method != protocol.MethodInitialize {
			return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "initialize has to come first")
		}
	case running:
		if method == protocol.MethodInitialize {
			return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the session is initialized already")
		}
	case shutDown:
		if method != protocol.MethodShutdown {
			return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the session is shut down")
		}
	}
	return nil
}

// exitCode is the process's code if it ends now.
func (s *session) exitCode() int {
	if s.life.now() == shutDown {
		return 0
	}
	return 1
}

// initialize only reads its parameters: no disk, no network, so that the editor has its answer
// at once whatever the folder holds.
func (s *session) initialize(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.InitializeParams
	if err := json.Unmarshal(params, &p); err != nil {
		// A value of an unexpected type costs that value; the rest has been decoded.
		var mistyped *json.UnmarshalTypeError
		if !errors.As(err, &mistyped) {
			return dispatch.Work{}, lsp.InvalidParams("initialize: %v", err)
		}
		s.log.Warn("client sent an odd initialize", "err", err)
	}
	s.client = clientOf(p.Capabilities)
	s.edits.declared = p.Capabilities.Workspace.ApplyEdit
	s.questions.declared = p.Capabilities.Window.ShowMessage.MessageActionItem != nil
	s.trace.Store(p.Trace)
	s.initOptions = p.InitializationOptions
	s.watchParent(p.ProcessID) // a client may end before it goes on
	s.settingsRegistered = p.Capabilities.Workspace.DidChangeConfiguration.DynamicRegistration
	for _, folder := range foldersOf(p) {
		s.addBase(folder.path).name = folder.name
	}
	s.life.to(running)
	s.log.Info("client connected", "client", p.ClientInfo.Name, "version", p.ClientInfo.Version,
		"encoding", s.client.Encoding, "folders", len(s.bases))
	return dispatch.Work{Result: lsp.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   &protocol.ServerInfo{Name: "lacuna", Version: s.options.Version},
	}}, nil
}

// clientFolder is a folder the client has open.
type clientFolder struct{ path, name string }

func foldersOf(p lsp.InitializeParams) []clientFolder {
	var folders []clientFolder
	for _, f := range p.WorkspaceFolders {
		if path, ok := lsp.Path(protocol.DocumentURI(f.URI)); ok {
			folders = append(folders, clientFolder{path, f.Name})
		}
	}
	if len(folders) > 0 {
		return folders
	}
	if path, ok := lsp.Path(p.RootURI); ok {
		return []clientFolder{{path: path}}
	}
	if p.RootPath != "" {
		return []clientFolder{{path: p.RootPath}}
	}
	return nil
}

func (s *session) capabilities() lsp.ServerCapabilities {
	c := lsp.ServerCapabilities{
		PositionEncoding: string(s.client.Encoding),
		ServerCapabilities: protocol.ServerCapabilities{
			TextDocumentSync: &protocol.TextDocumentSyncOptions{
				OpenClose: true,
				Change:    protocol.TextDocumentSyncKindIncremental,
				Save:      &protocol.SaveOptions{},
			},
			HoverProvider:      true,
			DefinitionProvider: true,
			ReferencesProvider: true, // Helix asks for them and does not say so
			// What else only leads somewhere is offered to a client that says what it does with it.
			DocumentSymbolProvider:  s.client.DocumentSymbols,
			WorkspaceSymbolProvider: s.client.WorkspaceSymbols,
			FoldingRangeProvider:    s.client.Folding,
			CodeActionProvider:      &protocol.CodeActionOptions{CodeActionKinds: handlers.CodeActionKinds(), ResolveProvider: s.client.ResolveEdit},
			CodeLensProvider:        &protocol.CodeLensOptions{},
			Workspace: &protocol.ServerCapabilitiesWorkspace{
				WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{
					Supported:           true,
					ChangeNotifications: true,
				},
			},
		},
		ExecuteCommandProvider: &lsp.ExecuteCommandOptions{
			Commands:         s.client.Commands(),
			WorkDoneProgress: true,
		},
	}
	c.Workspace.FileOperations = s.fileOperations()
	c.InlayHintProvider = s.client.InlayHints
	if s.client.SemanticTokens {
		c.SemanticTokensProvider = &lsp.SemanticTokensOptions{Legend: handlers.TokenLegend(), Range: true}
		c.SemanticTokensProvider.Full.Delta = true
	}
	if s.client.Completion {
		c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: []string{"["}}
	}
	if s.client.PullDiagnostics {
		// Where it is offered notes that are not open, Neovim 0.12 does not pull open ones anew when it is told to.
		c.DiagnosticProvider = &lsp.DiagnosticOptions{Identifier: "lacuna", WorkspaceDiagnostics: s.client.PullClosed}
	}
	if s.client.DocumentLinks {
		c.DocumentLinkProvider = &protocol.DocumentLinkOptions{}
	}
	return c
}

// clientOf keeps of a client's capabilities what changes our behaviour.
func clientOf(c lsp.ClientCapabilities) handlers.Client {
	edit, doc := c.Workspace.WorkspaceEdit, c.TextDocument
	diagnostics, action := doc.PublishDiagnostics, doc.CodeAction
	pull := doc.Diagnostic != nil && (c.Workspace.Diagnostics.RefreshSupport || c.Workspace.Diagnostic.RefreshSupport)
	if pull { // what is said of pulled ones holds, too; not every client says it twice
		diagnostics.RelatedInformation = diagnostics.RelatedInformation || doc.Diagnostic.RelatedInformation
		diagnostics.CodeDescriptionSupport = diagnostics.CodeDescriptionSupport || doc.Diagnostic.CodeDescriptionSupport
		diagnostics.DataSupport = diagnostics.DataSupport || doc.Diagnostic.DataSupport
	}
	client := handlers.Client{
		Encoding:           position.Choose(c.General.PositionEncodings),
		DocumentChanges:    edit.DocumentChanges,
		ResourceCreate:     slices.Contains(edit.ResourceOperations, "create"), // Neovim says so and of documentChanges nothing
		ChangeAnnotations:  edit.ChangeAnnotationSupport != nil,
		HoverMarkdown:      prefersMarkdown(doc.Hover.ContentFormat),
		CodeActionLiterals: action.CodeActionLiteralSupport != nil,
		IsPreferred:        action.IsPreferredSupport,
		Disabled:           action.DisabledSupport,
		RelatedInformation: diagnostics.RelatedInformation,
		CodeDescription:    diagnostics.CodeDescriptionSupport,
		DiagnosticData:     diagnostics.DataSupport,
		DiagnosticVersion:  diagnostics.VersionSupport,
		PullDiagnostics:    pull,
		Progress:           c.Window.WorkDoneProgress,
		ShowDocument:       c.Window.ShowDocument.Support,
		LocationLinks:      doc.Definition.LinkSupport,
		WatchDynamic:       c.Workspace.DidChangeWatchedFiles.DynamicRegistration,
		WatchRelative:      c.Workspace.DidChangeWatchedFiles.RelativePatternSupport,
		ConfigurationPull:  c.Workspace.Configuration,
		CodeLensRefresh:    c.Workspace.CodeLens.RefreshSupport,
		WorkspaceSymbols:   c.Workspace.Symbol != nil,
		ResolveEdit:        action.CodeActionLiteralSupport != nil && action.DataSupport && slices.Contains(action.ResolveSupport.Properties, "edit"),
		WillRename:         c.Workspace.FileOperations.WillRename,
		DidRename:          c.Workspace.FileOperations.DidRename,
		DidDelete:          c.Workspace.FileOperations.DidDelete,
		Completion:         doc.Completion != nil,
		InlayHints:         doc.InlayHint != nil,
		InlayHintRefresh:   doc.InlayHint != nil && c.Workspace.InlayHint.RefreshSupport,
		SemanticTokens:     doc.SemanticTokens != nil && slices.Contains(doc.SemanticTokens.Formats, "relative"),
		Status:             c.Experimental.Lacuna.Status,
		PullClosed:         pull && c.Experimental.Lacuna.Closed,
		CommandPrefix:      c.Experimental.Lacuna.CommandPrefix,
	}
	if links := doc.DocumentLink; links != nil {
		client.DocumentLinks, client.LinkTooltips = true, links.TooltipSupport
	}
	if symbols := doc.DocumentSymbol; symbols != nil {
		client.DocumentSymbols, client.SymbolTree = true, symbols.HierarchicalDocumentSymbolSupport
	}
	if folding := doc.FoldingRange; folding != nil {
		client.Folding, client.FoldLimit = true, folding.RangeLimit
	}
	return client
}

// prefersMarkdown reads the client's order of preference; without one, plain text is safe.
func prefersMarkdown(formats []string) bool {
	markdown, plain := slices.Index(formats, "markdown"), slices.Index(formats, "plaintext")
	return markdown >= 0 && (plain < 0 || markdown < plain)
}
