package server

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/knowledge/gap/ledger"
	"lacuna/server/dispatch"
)

// Files that are renamed and deleted in the editor. Before a rename the editor is told what to edit, so
// that citations lead to where their files will be; after it, what is remembered of a note is remembered
// under its new name. An editor that tells of neither loses the second only: citations find their
// passages by what these say.

// fileOperations asks for those operations of which the client tells, of files and folders.
func (s *session) fileOperations() *protocol.ServerCapabilitiesWorkspaceFileOperations {
	all := func(wanted bool) *protocol.FileOperationRegistrationOptions {
		if !wanted {
			return nil
		}
		return &protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{{
			Scheme: "file", Pattern: protocol.FileOperationPattern{Glob: "**"},
		}}}
	}
	return &protocol.ServerCapabilitiesWorkspaceFileOperations{
		WillRename: all(s.client.WillRename), DidRename: all(s.client.DidRename), DidDelete: all(s.client.DidDelete),
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
	s.mu.Lock()
	bases := slices.Clone(s.bases)
	versions := make(map[string]int32)
	for key, doc := range s.documents {
		versions[key] = doc.version
	}
	s.mu.Unlock()
	return dispatch.Work{Lane: dispatch.Brisk, Run: func(ctx context.Context) (any, error) {
		var all []handlers.PageEdit
		seen := make(map[string]bool)
		for _, b := range bases {
			found, err := handlers.Relocations(ctx, renames, b.library(), b.now.Load().sources, b.pages()(ctx))
			if err != nil {
				return nil, err
			}
			for _, edit := range found {
				if key := lsp.Key(edit.Page.URI); !seen[key] {
					seen[key] = true
					all = append(all, edit)
				}
			}
		}
		if len(all) == 0 {
			return nil, nil
		}
		return s.workspaceEdit(all, versions), nil
	}}, nil
}

// workspaceEdit is what the edits of pages are for the client. An edit of an open page names the version
// it is for.
func (s *session) workspaceEdit(all []handlers.PageEdit, versions map[string]int32) lsp.WorkspaceEdit {
	whole := lsp.WorkspaceEdit{}
	for _, page := range all {
		edits := s.textEdits(page)
		if s.client.DocumentChanges {
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

func (s *session) textEdits(page handlers.PageEdit) []lsp.TextEdit {
	edits := make([]lsp.TextEdit, len(page.Edits))
	for i, edit := range page.Edits {
		edits[i].TextEdit = protocol.TextEdit{Range: handlers.SpanRange(page.Page.Note.Lines, edit.Span, s.client.Encoding), NewText: edit.NewText}
	}
	return edits
}

// didRenameFiles remembers under the new names what was remembered of notes, and reads sources again.
func (s *session) didRenameFiles(p protocol.RenameFilesParams) {
	renames := renamesOf(p)
	s.follow(renames)
	for _, rename := range renames {
		s.pathChanged(rename.From)
		s.pathChanged(rename.To)
	}
	s.mu.Lock()
	bases := slices.Clone(s.bases)
	s.mu.Unlock()
	go func() {
		defer s.contain("rename")
		ctx := s.conn.Context()
		for _, b := range bases {
			b.findings.rename(renames.Apply)
			if err := b.ledger().Rename(ctx, renames.Apply); err != nil {
				s.log.Warn("remembered gaps do not follow their notes", "err", err)
			}
			if w := b.now.Load().workspace; w != nil {
				if err := w.History().Rename(ctx, renames.Apply); err != nil {
					s.log.Warn("accepted answers do not follow their notes", "err", err)
				}
				wake(b.stale) // they serve under another name
			}
			s.judgeAll(b, 0)
		}
	}()
}

// didDeleteFiles forgets what was remembered of notes that are gone, and reads sources again.
func (s *session) didDeleteFiles(p protocol.DeleteFilesParams) {
	var gone []string
	for _, file := range p.Files {
		if path, ok := lsp.Path(protocol.DocumentURI(file.URI)); ok {
			gone = append(gone, path)
			s.pathChanged(path)
		}
	}
	s.mu.Lock()
	bases := slices.Clone(s.bases)
	s.mu.Unlock()
	go func() {
		defer s.contain("delete")
		for _, b := range bases {
			err := b.ledger().Retain(s.conn.Context(), func(a ledger.QuestionRef) bool {
				return !slices.ContainsFunc(gone, func(path string) bool { return within(a.Note, path) })
			})
			if err != nil {
				s.log.Warn("remembered gaps of deleted notes stay", "err", err)
			}
		}
		s.statusChanged()
	}()
}

// pathChanged wakes the bases that have sources at a path, in it or around it.
func (s *session) pathChanged(path string) {
	s.fileChanged(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bases {
		for _, source := range b.now.Load().sources {
			if within(source.Path, path) { // a folder above the source
				wake(b.stale)
			}
		}
	}
}
