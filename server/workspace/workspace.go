// Package workspace opens a workspace: it finds the root, loads the settings, opens the index of
// its sources and makes the systems that answer from it. The language server and the commands
// share it, so both see the same sources with the same rules.
//
// Begin with [Open].
package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"lacuna/handlers"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
)

// Request says which workspace to open, and how.
type Request struct {
	Root     string            // absolute; empty when no folder is open, then only the user's own sources serve
	UserFile string            // the user's settings file, absolute; empty means the usual one
	Editor   []json.RawMessage // settings an editor sent, weakest first
	Flags    map[string]string // settings from the command line, by dotted key
	// Consent asks the user whether this may be sent to another machine; nil refuses.
	Consent func(ctx context.Context, out llm.Outbound) (send bool, err error)
}

// Workspace is an open workspace. It is safe for concurrent use; Close it once nobody uses it.
type Workspace struct {
	root     string
	loaded   settings.Loaded
	indexDir string
	index    *knowledge.Index
	offline  *answer.Offline

	mu     sync.Mutex
	report func(knowledge.Event) // guarded by mu; where the running refresh reports to
}

// Open opens a workspace. It is quick: it reads settings and what the index folder holds, and
// leaves the sources to [Workspace.Refresh]. A folder without sources is a workspace without
// passages, not an error.
func Open(ctx context.Context, r Request) (*Workspace, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &Workspace{root: r.Root}
	w.loaded = settings.Load(settings.Request{
		Root: r.Root, UserFile: r.UserFile, Editor: r.Editor, Flags: r.Flags,
	})
	set := w.loaded.Settings
	dir, err := IndexDir(set.Index.Dir, r.Root, r.UserFile)
	if err != nil {
		return nil, err
	}
	w.indexDir = dir
	w.index, err = knowledge.Open(knowledge.Options{
		Sources:    set.Sources,
		Dir:        dir,
		Companions: []knowledge.Companion{gap.Companion(), answer.Kinds{}},
		Report:     w.pass,
	})
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	w.offline = &answer.Offline{Judge: gap.NewJudge(), Amount: answer.Amount(set.Answer.Sentences)}
	return w, nil
}

// Root is the workspace's folder, or "".
func (w *Workspace) Root() string { return w.root }

// Settings returns the effective settings.
func (w *Workspace) Settings() settings.Settings { return w.loaded.Settings }

// Loaded returns the settings with the origin of every value.
func (w *Workspace) Loaded() settings.Loaded { return w.loaded }

// Problems lists what was wrong with the configuration.
func (w *Workspace) Problems() []settings.Problem { return w.loaded.Problems }

// Sources are the sources that are read, in order.
func (w *Workspace) Sources() []ingest.Source { return w.loaded.Settings.Sources }

// IndexDir is the folder of this workspace's index.
func (w *Workspace) IndexDir() string { return w.indexDir }

// Library returns the newest library; never nil.
func (w *Workspace) Library() *knowledge.Library { return w.index.Library() }

// Refresh brings the index up to date with the sources; see [knowledge.Index.Refresh]. report may
// be nil. Of refreshes that overlap, the last one to begin gets the reports.
func (w *Workspace) Refresh(ctx context.Context, report func(knowledge.Event)) error {
	w.mu.Lock()
	w.report = report
	w.mu.Unlock()
	return w.index.Refresh(ctx)
}

func (w *Workspace) pass(e knowledge.Event) {
	w.mu.Lock()
	report := w.report
	w.mu.Unlock()
	if report != nil {
		report(e)
	}
}

// Subscribe calls f with each newly published library until the returned function is called.
func (w *Workspace) Subscribe(f func(*knowledge.Library)) (cancel func()) {
	return w.index.Subscribe(f)
}

// Strategy returns the system that answers in that way; an empty name means the one of the settings.
// The error tells a user what to do.
func (w *Workspace) Strategy(way answer.Way) (answer.Strategy, error) {
	name := way.System
	if name == "" {
		name = w.loaded.Settings.Answer.System
	}
	switch name {
	case "auto", "offline":
		return w.offline, nil
	}
	return nil, fmt.Errorf("answering system %q needs a model, which this version does not run yet; known: auto, offline", name)
}

// Models says which models may be asked.
func (w *Workspace) Models() handlers.Models { return handlers.Models{} }

// Preview returns what answering in that way would send to other machines.
func (w *Workspace) Preview(context.Context, *knowledge.Library, answer.Question, answer.Way) ([]llm.Outbound, error) {
	return nil, nil
}

// ForgetConsent takes back what the user allowed to be sent.
func (w *Workspace) ForgetConsent() error { return nil }

// Close ends background work and releases the index.
func (w *Workspace) Close() error { return w.index.Close() }
