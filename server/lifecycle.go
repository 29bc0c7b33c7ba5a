package server

import (
	"encoding/json"
	"errors"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
)

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

// initialize only reads its parameters: no disk, no network, so that the editor has its answer
// immediately, whatever the folder holds.
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
	if s.options.Agent {
		p.Capabilities = agentCapabilities(p.Capabilities)
	}
	s.editor.Connect(p.Capabilities)
	s.trace.Store(p.Trace)
	s.folders.Initialize(p.InitializationOptions)
	s.watchParent(p.ProcessID) // a client may end before it goes on
	s.reportsSettings = p.Capabilities.Workspace.DidChangeConfiguration.DynamicRegistration
	for _, folder := range foldersOf(p) {
		s.folders.Add(folder.path, folder.name)
	}
	s.life.to(running)
	s.log.Info("client connected", "client", p.ClientInfo.Name, "version", p.ClientInfo.Version,
		"encoding", s.editor.Client().Encoding, "folders", len(s.folders.All()))
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

// capabilities returns what the server offers to this client.
func (s *session) capabilities() lsp.ServerCapabilities {
	client := s.editor.Client()
	if s.options.Agent {
		return agentServer(client)
	}
	c := lsp.ServerCapabilities{
		PositionEncoding: string(client.Encoding),
		ServerCapabilities: protocol.ServerCapabilities{
			TextDocumentSync: &protocol.TextDocumentSyncOptions{
				OpenClose: true,
				Change:    protocol.TextDocumentSyncKindIncremental,
				Save:      &protocol.SaveOptions{},
			},
			HoverProvider:      true,
			DefinitionProvider: true,
			ReferencesProvider: true, // Helix asks for them and does not say so
			// Clients that do not know these do not ask.
			DocumentHighlightProvider: true,
			SelectionRangeProvider:    true,
			// What else only leads somewhere is offered to a client that says what it does with it.
			DocumentSymbolProvider:  client.DocumentSymbols,
			WorkspaceSymbolProvider: client.WorkspaceSymbols,
			FoldingRangeProvider:    client.Folding,
			CodeActionProvider:      &protocol.CodeActionOptions{CodeActionKinds: handlers.CodeActionKinds(), ResolveProvider: client.ResolveEdit},
			CodeLensProvider:        &protocol.CodeLensOptions{},
		},
		Workspace: &lsp.WorkspaceOptions{ServerCapabilitiesWorkspace: protocol.ServerCapabilitiesWorkspace{
			WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{
				Supported:           true,
				ChangeNotifications: true,
			},
		}},
		ExecuteCommandProvider: &lsp.ExecuteCommandOptions{
			Commands:         client.Commands(),
			WorkDoneProgress: true,
		},
	}
	c.Workspace.FileOperations = fileOperations(client)
	if client.Pages {
		c.Workspace.TextDocumentContent = &lsp.TextDocumentContentOptions{Schemes: []string{lsp.PageScheme}}
	}
	c.InlayHintProvider = client.InlayHints
	c.InlineCompletionProvider = client.InlineCompletion
	if client.SemanticTokens {
		c.SemanticTokensProvider = &lsp.SemanticTokensOptions{Legend: handlers.TokenLegend(), Range: true}
		c.SemanticTokensProvider.Full.Delta = true
	}
	if client.Completion {
		c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: []string{"["}}
	}
	if client.PullDiagnostics {
		// If it is offered diagnostics of closed notes, Neovim 0.12 ignores the request to pull open ones again.
		c.DiagnosticProvider = &lsp.DiagnosticOptions{Identifier: "lacuna", WorkspaceDiagnostics: client.PullClosed}
	}
	if client.Notebooks {
		c.NotebookDocumentSync = notebookSync
	}
	if client.ResourceRename {
		c.RenameProvider = &protocol.RenameOptions{PrepareProvider: client.PrepareRename}
	}
	if client.DocumentLinks {
		c.DocumentLinkProvider = &protocol.DocumentLinkOptions{}
	}
	return c
}

// shutdown ends all commands; only exit is awaited then.
func (s *session) shutdown(json.RawMessage) (dispatch.Work, error) {
	s.life.to(shutDown)
	s.stop()
	return dispatch.Work{}, nil
}

func (s *session) setTrace(p struct {
	Value string `json:"value"`
}) {
	s.trace.Store(p.Value)
}

// Replied implements dispatch.Handler: it reports a request to the log and, if the user asked for it, to the client.
func (s *session) Replied(method string, took time.Duration, err error) {
	s.log.Debug("request", "method", method, "took", took, "err", err)
	if level := s.trace.Load(); level == lsp.TraceMessages || level == lsp.TraceVerbose {
		entry := map[string]string{"message": method + " took " + took.Round(time.Microsecond).String()}
		if err != nil && level == lsp.TraceVerbose {
			entry["verbose"] = err.Error()
		}
		s.conn.Notify(protocol.MethodLogTrace, entry)
	}
}
