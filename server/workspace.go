package server

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
)

// initialized begins everything that initialize must not: reading, indexing, watching.
func (s *session) initialized() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return
	}
	s.started = true
	if s.settingsRegistered {
		go s.request(protocol.MethodClientRegisterCapability, protocol.RegistrationParams{
			Registrations: []protocol.Registration{{
				ID:              "lacuna-settings",
				Method:          protocol.MethodWorkspaceDidChangeConfiguration,
				RegisterOptions: map[string]any{"section": "lacuna"},
			}},
		})
	}
	for _, b := range s.bases {
		b.start()
	}
}

// pullConfiguration asks the client for its settings of a folder, or returns nil.
func (s *session) pullConfiguration(ctx context.Context, b *base) json.RawMessage {
	if !s.client.ConfigurationPull {
		return nil
	}
	item := lsp.ConfigurationItem{Section: "lacuna"}
	if b.folder != "" {
		item.ScopeURI = lsp.URI(b.folder)
	}
	var reply []json.RawMessage
	params := lsp.ConfigurationParams{Items: []lsp.ConfigurationItem{item}}
	if err := s.conn.Call(ctx, replyTime, protocol.MethodWorkspaceConfiguration, params, &reply); err != nil {
		s.log.Warn("client's settings not read", "err", err)
		return nil
	}
	if len(reply) == 0 || string(reply[0]) == "null" {
		return nil
	}
	return reply[0]
}

// didChangeConfiguration opens every workspace anew. Settings of null mean that the client wants
// to be asked; a client that cannot be asked has then said nothing, and what it said stays.
func (s *session) didChangeConfiguration(p struct {
	Settings json.RawMessage `json:"settings"`
}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(p.Settings) > 0 && string(p.Settings) != "null" {
		s.changed = p.Settings
	} else if !s.client.ConfigurationPull {
		return
	}
	for _, b := range s.bases {
		wake(b.reopen)
	}
}

// didChangeWorkspaceFolders opens and closes bases. Documents move to the base they now belong to.
func (s *session) didChangeWorkspaceFolders(p protocol.DidChangeWorkspaceFoldersParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, folder := range p.Event.Removed {
		path, ok := lsp.Path(protocol.DocumentURI(folder.URI))
		if !ok {
			continue
		}
		s.bases = slices.DeleteFunc(s.bases, func(b *base) bool {
			gone := lsp.SamePath(b.folder, path) || lsp.SamePath(b.inside, path)
			if gone && b.stop != nil {
				b.stop()
			}
			return gone
		})
	}
	for _, folder := range p.Event.Added {
		if path, ok := lsp.Path(protocol.DocumentURI(folder.URI)); ok {
			s.addBase(path).name = folder.Name
		}
	}
	s.statusChanged()
	for _, doc := range s.documents {
		if b := s.baseFor(doc.path); b != doc.base {
			doc.base = b
			doc.pause.Reset(0)
		}
	}
}

// watchNumber makes the ids of registrations distinct.
var watchNumber atomic.Int64

// watch asks the client to report changes of the workspace's settings and sources, and returns
// what takes that back. A client that cannot is served by saves.
func (s *session) watch(b *base, w Workspace) (unwatch func()) {
	if !s.client.WatchDynamic {
		return func() {}
	}
	id := "lacuna-watch-" + strconv.FormatInt(watchNumber.Add(1), 10)
	watchers := []lsp.FileSystemWatcher{}
	if root := w.Root(); root != "" {
		watchers = append(watchers, s.watcher(root, settings.File))
	}
	for _, source := range w.Sources() {
		watchers = append(watchers,
			s.watcher(source.Path, "**/*"),
			s.watcher(filepath.Dir(source.Path), filepath.Base(source.Path)))
	}
	go s.request(protocol.MethodClientRegisterCapability, protocol.RegistrationParams{
		Registrations: []protocol.Registration{{
			ID:              id,
			Method:          protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: lsp.WatchOptions{Watchers: watchers},
		}},
	})
	return func() {
		go s.request(protocol.MethodClientUnregisterCapability, protocol.UnregistrationParams{
			Unregisterations: []protocol.Unregistration{{ID: id, Method: protocol.MethodWorkspaceDidChangeWatchedFiles}},
		})
	}
}

func (s *session) watcher(folder, pattern string) lsp.FileSystemWatcher {
	if s.client.WatchRelative {
		return lsp.FileSystemWatcher{GlobPattern: lsp.RelativePattern{BaseURI: lsp.URI(folder), Pattern: pattern}}
	}
	return lsp.FileSystemWatcher{GlobPattern: filepath.ToSlash(folder) + "/" + pattern}
}

// request asks the client something of which only failure matters, and only to the log.
func (s *session) request(method string, params any) {
	if err := s.conn.Call(s.conn.Context(), replyTime, method, params, nil); err != nil {
		s.log.Debug("client refused", "method", method, "err", err)
	}
}

func (s *session) didChangeWatchedFiles(p protocol.DidChangeWatchedFilesParams) {
	for _, change := range p.Changes {
		if change == nil {
			continue
		}
		if path, ok := lsp.Path(change.URI); ok {
			s.fileChanged(path)
		}
	}
}

func (s *session) didSave(p protocol.DidSaveTextDocumentParams) {
	if path, ok := lsp.Path(p.TextDocument.URI); ok {
		s.fileChanged(path)
	}
	if doc := s.document(p.TextDocument.URI); doc != nil {
		go s.prune(s.conn.Context(), doc)
		s.observe(doc, s.noteOf(doc))
	}
}

// fileChanged wakes the bases that a file matters to.
func (s *session) fileChanged(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bases {
		w := b.now.Load().workspace
		switch {
		case w == nil:
		case filepath.Base(path) == settings.File && within(w.Root(), filepath.Dir(path)):
			wake(b.reopen)
		case b.holds(path):
			wake(b.stale)
		case note.Known("", path) && within(path, b.folder):
			wake(b.notesStale)
		}
	}
}
