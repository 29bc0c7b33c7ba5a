package editor

import (
	"slices"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
)

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
		ResourceRename:     edit.DocumentChanges && slices.Contains(edit.ResourceOperations, "rename"),
		PrepareRename:      doc.Rename.PrepareSupport,
		Notebooks:          c.NotebookDocument.Synchronization != nil,
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
		Pages:              c.Workspace.TextDocumentContent != nil,
		WorkspaceSymbols:   c.Workspace.Symbol != nil,
		ResolveEdit:        action.CodeActionLiteralSupport != nil && action.DataSupport && slices.Contains(action.ResolveSupport.Properties, "edit"),
		WillRename:         c.Workspace.FileOperations.WillRename,
		DidRename:          c.Workspace.FileOperations.DidRename,
		DidDelete:          c.Workspace.FileOperations.DidDelete,
		Completion:         doc.Completion != nil,
		InlayHints:         doc.InlayHint != nil,
		InlineCompletion:   doc.InlineCompletion != nil,
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
