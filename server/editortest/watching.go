package editortest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"lacuna/handlers/lsp"
)

// configuration answers workspace/configuration.
func (e *Editor) configuration(params json.RawMessage) []any {
	var p lsp.ConfigurationParams
	e.decode(params, &p)
	var all []any
	for _, item := range p.Items {
		if e.options.Scoped != nil {
			all = append(all, e.options.Scoped(item.ScopeURI))
		} else {
			all = append(all, e.options.Configuration)
		}
	}
	return all
}

// register keeps what the server wants to be told of.
func (e *Editor) register(params json.RawMessage) {
	var p struct {
		Registrations []struct {
			ID              string
			RegisterOptions lsp.WatchOptions
		}
	}
	e.decode(params, &p)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range p.Registrations {
		if e.watched == nil {
			e.watched = make(map[string][]lsp.FileSystemWatcher)
		}
		if _, twice := e.watched[r.ID]; twice {
			e.t.Errorf("registration %q twice", r.ID)
		}
		e.watched[r.ID] = r.RegisterOptions.Watchers
	}
	e.changed.Broadcast()
}

func (e *Editor) unregister(params json.RawMessage) {
	var p struct {
		Unregisterations []struct{ ID string } // as the protocol spells it
	}
	e.decode(params, &p)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range p.Unregisterations {
		if _, known := e.watched[r.ID]; !known {
			e.t.Errorf("registration %q is taken back and was never made", r.ID)
		}
		delete(e.watched, r.ID)
	}
	e.changed.Broadcast()
}

// Watching lists what the editor watches for the server, sorted: globs, and relative patterns as
// "folder pattern".
func (e *Editor) Watching() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []string
	for _, watchers := range maps.All(e.watched) {
		for _, w := range watchers {
			if relative, ok := w.GlobPattern.(map[string]any); ok {
				list = append(list, fmt.Sprint(relative["baseUri"], " ", relative["pattern"]))
			} else {
				list = append(list, fmt.Sprint(w.GlobPattern))
			}
		}
	}
	slices.Sort(list)
	return list
}
