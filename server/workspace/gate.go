package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/llm"
)

// gateFolder lies in the folder of the index and holds the trained gate, of which gateFile is the
// part that is replaced last.
const (
	gateFolder = "gate"
	gateFile   = "gate.json"
)

// closed is the system that answers from the model alone.
const closed = "direct"

// GateDir is the folder of this workspace's trained gate; it need not exist.
func (w *Workspace) GateDir() string { return filepath.Join(w.indexDir, gateFolder) }

// Gate returns the policy that decides whether the sources are searched, or nil where the settings
// have them searched for every question. Where the policy of the settings cannot serve, one that
// always retrieves comes with the error that says why and what to do.
func (w *Workspace) Gate() (gate.Policy, error) {
	name := w.loaded.Settings.Gate.Policy
	if name == settings.AlwaysSearch {
		return nil, nil
	}
	learner, err := gate.Find(name, w.loaded.Settings.Gate.Price)
	switch {
	case err != nil:
		return gate.Always, err
	case learner.Rule:
		return learner.Fit(context.Background(), nil, nil, 0)
	}
	trained, err := w.gates.open(w.GateDir(), w.Library())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gate.Always, fmt.Errorf("gate.policy is %q, and no gate has been trained: every question is answered from the sources; train one with lacuna gate train", name)
	case err != nil:
		return gate.Always, err
	case trained.Policy.Name() != name:
		return gate.Always, fmt.Errorf("gate.policy is %q, and the trained gate is %q: every question is answered from the sources; train it with lacuna gate train --policy %s", name, trained.Policy.Name(), name)
	}
	return trained.Policy, nil
}

// gated puts the gate of the settings before the strategy that searches; a policy that is a way of
// answering as well, and decides by what the model says while it answers, takes its place. A gate that
// cannot serve is told of in the log, once for each reason.
func (w *Workspace) gated(bench *answer.Bench, open answer.Strategy) (answer.Strategy, error) {
	policy, err := w.Gate()
	if err != nil && w.gates.isNews(err) {
		w.request.Log.Warn("the gate does not serve", "err", err)
	}
	if policy == nil || err != nil {
		return open, nil
	}
	if system, known := answer.Lookup(policy.Name()); known {
		decides, err := bench.Strategy(system.ID)
		return gate.Deciding{Policy: policy, System: decides, Open: open}, err
	}
	alone, err := bench.Strategy(closed)
	if err != nil {
		return nil, err
	}
	return gate.Gated{Policy: policy, Model: w.config.Roles[llm.Reader].Model, Closed: alone, Open: open}, nil
}

// gates opens the trained gate when it or the encoder has changed. It is safe for concurrent use.
type gates struct {
	mu      sync.Mutex
	library *knowledge.Library // whose encoder serves; guarded by mu
	file    os.FileInfo        // of the gate, as it was opened; guarded by mu
	gate    *gate.Gate         // guarded by mu
	err     error              // of opening it; guarded by mu
	told    string             // the last error that was told; guarded by mu
}

func (g *gates) open(dir string, library *knowledge.Library) (*gate.Gate, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	file, err := os.Stat(filepath.Join(dir, gateFile))
	if err != nil {
		return gate.Open(dir, nil)
	}
	same := g.file != nil && g.file.Size() == file.Size() && g.file.ModTime().Equal(file.ModTime())
	if !same || g.library != library {
		g.gate, g.err = gate.Open(dir, gate.LibraryEncoder(library))
		g.library, g.file = library, file
	}
	return g.gate, g.err
}

// isNews reports whether an error is another one than the last.
func (g *gates) isNews(err error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	news := g.told != err.Error()
	g.told = err.Error()
	return news
}
