package server

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
)

// An agent that has language servers gives what they say to the model it works for, on another machine. So its session is narrow: the
// gaps of open notes as diagnostics, pushed, and nothing that holds the text of a source. What else it may know it asks by the tools of
// "lacuna mcp".

// forAgents names the requests that an agent may make.
var forAgents = map[string]bool{protocol.MethodInitialize: true, protocol.MethodShutdown: true}

// agentCapabilities returns of an agent's capabilities those that bring it no text of a source: how it counts columns, and how it reports
// settings and files.
func agentCapabilities(c lsp.ClientCapabilities) lsp.ClientCapabilities {
	var narrow lsp.ClientCapabilities
	narrow.General = c.General
	narrow.TextDocument.PublishDiagnostics.VersionSupport = c.TextDocument.PublishDiagnostics.VersionSupport
	narrow.Workspace.Configuration = c.Workspace.Configuration
	narrow.Workspace.DidChangeConfiguration = c.Workspace.DidChangeConfiguration
	narrow.Workspace.DidChangeWatchedFiles = c.Workspace.DidChangeWatchedFiles
	return narrow
}

// agentServer returns what the server offers an agent.
func agentServer(client handlers.Client) lsp.ServerCapabilities {
	return lsp.ServerCapabilities{
		PositionEncoding: string(client.Encoding),
		ServerCapabilities: protocol.ServerCapabilities{
			TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: true, Change: protocol.TextDocumentSyncKindIncremental, Save: &protocol.SaveOptions{}},
		},
		Workspace: &lsp.WorkspaceOptions{ServerCapabilitiesWorkspace: protocol.ServerCapabilitiesWorkspace{
			WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{Supported: true, ChangeNotifications: true},
		}},
	}
}
