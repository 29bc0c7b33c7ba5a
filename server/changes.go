package server

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/server/dispatch"
	"lacuna/server/folders"
)

// What the client reports of documents, files, folders and settings.

// initialized begins everything that initialize must not: reading, indexing, watching.
func (s *session) initialized() {
	if first := s.folders.Start(); first && s.reportsSettings {
		s.editor.Register("lacuna-settings", protocol.MethodWorkspaceDidChangeConfiguration, map[string]any{"section": "lacuna"})
	}
}

func (s *session) didOpen(p protocol.DidOpenTextDocumentParams) {
	item := p.TextDocument
	path, ok := lsp.Path(item.URI)
	if !ok { // a client that does not know of notebooks may open their cells as documents
		path, _ = lsp.CellPath(item.URI)
	}
	if _, page := lsp.Page(item.URI); page || !note.Known(string(item.LanguageID), path) || s.folders.IsScratch(path) { // it is some other server's, or ours
		return
	}
	parsed := note.Parse(item.Text, note.LanguageOf(string(item.LanguageID), path))
	s.notes.Open(item, path, parsed, s.folders.For(path))
}

func (s *session) didClose(p protocol.DidCloseTextDocumentParams) { s.notes.Close(p.TextDocument.URI) }

func (s *session) didSave(p protocol.DidSaveTextDocumentParams) {
	if path, ok := lsp.Path(p.TextDocument.URI); ok {
		s.folders.FileChanged(path)
	}
	if doc := s.notes.Find(p.TextDocument.URI); doc != nil {
		s.notes.Saved(doc)
	}
}

// didChangeConfiguration opens every workspace again. Settings of null mean that the client wants
// to be asked; a client that cannot be asked has then said nothing, and what it said stays.
func (s *session) didChangeConfiguration(p struct {
	Settings json.RawMessage `json:"settings"`
}) {
	if len(p.Settings) > 0 && string(p.Settings) != "null" {
		s.folders.SettingsChanged(p.Settings)
	} else if s.editor.Client().ConfigurationPull {
		s.folders.SettingsChanged(nil)
	}
}

// didChangeWorkspaceFolders opens and closes folders. Documents move to the folder they now belong to.
func (s *session) didChangeWorkspaceFolders(p protocol.DidChangeWorkspaceFoldersParams) {
	for _, folder := range p.Event.Removed {
		if path, ok := lsp.Path(protocol.DocumentURI(folder.URI)); ok {
			s.folders.Remove(path)
		}
	}
	for _, folder := range p.Event.Added {
		if path, ok := lsp.Path(protocol.DocumentURI(folder.URI)); ok {
			s.folders.Add(path, folder.Name)
		}
	}
	s.editor.StatusChanged()
	s.notes.Rehome(s.folders.For)
}

func (s *session) didChangeWatchedFiles(p protocol.DidChangeWatchedFilesParams) {
	for _, change := range p.Changes {
		if change == nil {
			continue
		}
		path, ok := lsp.Path(change.URI)
		switch {
		case ok && change.Type == protocol.FileChangeTypeDeleted:
			s.folders.FileGone(path)
		case ok:
			s.folders.FileChanged(path)
		}
	}
}

// Renames and deletions in the editor. Before a rename the editor gets edits that adapt citations to the new
// name; after it, the session's data on the note moves to the new name. An editor that reports neither loses
// only the latter: citations find their passages by their text.

// fileOperations asks for the operations on files and folders that the client reports.
func fileOperations(client handlers.Client) *protocol.ServerCapabilitiesWorkspaceFileOperations {
	all := func(wanted bool) *protocol.FileOperationRegistrationOptions {
		if !wanted {
			return nil
		}
		return &protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{{
			Scheme: "file", Pattern: protocol.FileOperationPattern{Glob: "**"},
		}}}
	}
	return &protocol.ServerCapabilitiesWorkspaceFileOperations{
		WillRename: all(client.WillRename), DidRename: all(client.DidRename), DidDelete: all(client.DidDelete),
	}
}

// renamesOf reads what of a request has paths.
func renamesOf(p protocol.RenameFilesParams) handlers.Renames {
	var renames handlers.Renames
	for _, file := range p.Files {
		from, ok := lsp.Path(protocol.DocumentURI(file.OldURI))
		to, fine := lsp.Path(protocol.DocumentURI(file.NewURI))
		if ok && fine && from != to {
			renames = append(renames, handlers.Rename{From: from, To: to})
		}
	}
	return renames
}

// willRenameFiles answers with the edits of notes that have to be made with a rename.
func (s *session) willRenameFiles(params json.RawMessage) (dispatch.Work, error) {
	var p protocol.RenameFilesParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	renames := renamesOf(p)
	if len(renames) == 0 {
		return dispatch.Work{}, nil
	}
	all, versions := s.folders.All(), s.notes.Versions()
	return dispatch.Work{Lane: dispatch.Brief, Run: func(ctx context.Context) (any, error) {
		edits, err := relocations(ctx, renames, all)
		if err != nil || len(edits) == 0 {
			return nil, err
		}
		return workspaceEdit(s.editor.Client(), edits, versions), nil
	}}, nil
}

// rename answers with the edit that renames the source cited at a position, and with it what cites it in the notes.
func (s *session) rename(params json.RawMessage) (dispatch.Work, error) {
	var p protocol.RenameParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	snapshot, doc := s.notes.Capture(p.TextDocument.URI)
	if doc == nil {
		return dispatch.Work{}, nil
	}
	all, versions := s.folders.All(), s.notes.Versions()
	return dispatch.Work{Lane: dispatch.Brief, Run: func(ctx context.Context) (any, error) {
		if !snapshot.Client.ResourceRename {
			return nil, lsp.Failed("%s", messages.NoRenameFiles)
		}
		renamed, err := handlers.SourceRename(ctx, snapshot, p.Position, p.NewName)
		if err != nil || renamed.From == renamed.To {
			return nil, err
		}
		edits, err := relocations(ctx, handlers.Renames{renamed}, all)
		if err != nil {
			return nil, err
		}
		edit := workspaceEdit(snapshot.Client, edits, versions)
		edit.DocumentChanges = append(edit.DocumentChanges, lsp.NewRenameFile(lsp.URI(renamed.From), lsp.URI(renamed.To)))
		return edit, nil
	}}, nil
}

// relocations returns the edits of the notes of all folders that have to be made with renames, of each note once.
func relocations(ctx context.Context, renames handlers.Renames, all []*folders.Folder) ([]handlers.PageEdit, error) {
	var edits []handlers.PageEdit
	seen := make(map[string]bool)
	for _, f := range all {
		found, err := handlers.Relocations(ctx, renames, f.Library(), f.Sources(), f.Pages()(ctx))
		if err != nil {
			return nil, err
		}
		for _, edit := range found {
			if key := lsp.Key(edit.Page.URI); !seen[key] {
				seen[key] = true
				edits = append(edits, edit)
			}
		}
	}
	return edits, nil
}

// workspaceEdit returns the edits of pages in the client's form. An edit of an open page names the version it
// is for.
func workspaceEdit(client handlers.Client, all []handlers.PageEdit, versions map[string]int32) lsp.WorkspaceEdit {
	whole := lsp.WorkspaceEdit{}
	for _, page := range all {
		edits := make([]lsp.TextEdit, len(page.Edits))
		for i, edit := range page.Edits {
			edits[i].TextEdit = protocol.TextEdit{Range: handlers.SpanRange(page.Page.Note.Lines, edit.Span, client.Encoding), NewText: edit.NewText}
		}
		if client.DocumentChanges {
			var version *int32
			if v, open := versions[lsp.Key(page.Page.URI)]; open {
				version = &v
			}
			whole.DocumentChanges = append(whole.DocumentChanges, lsp.NewTextDocumentEdit(page.Page.URI, version, edits))
			continue
		}
		if whole.Changes == nil {
			whole.Changes = make(map[protocol.DocumentURI][]lsp.TextEdit)
		}
		whole.Changes[page.Page.URI] = edits
	}
	return whole
}

// didRenameFiles remembers under the new names what was remembered of notes, and reads sources again.
func (s *session) didRenameFiles(p protocol.RenameFilesParams) {
	renames := renamesOf(p)
	s.notes.Rename(renames)
	s.folders.Renamed(renames)
}

// didDeleteFiles forgets what was remembered of notes that are gone, and reads sources again.
func (s *session) didDeleteFiles(p protocol.DeleteFilesParams) {
	var gone []string
	for _, file := range p.Files {
		if path, ok := lsp.Path(protocol.DocumentURI(file.URI)); ok {
			gone = append(gone, path)
		}
	}
	s.notes.Deleted(gone)
	s.folders.Deleted(gone)
}
