package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/llm"
)

// gateFolder lies in the folder of the index and holds the trained gate, of which gateFile is the
// part that is replaced last.
const (
	gateFolder = "gate"
	gateFile   = "gate.json"
)

// closedBook is the system that answers from the model alone.
const closedBook = "direct"

// GateDir is the folder of this workspace's gate that was trained last; it need not exist. What was
// trained for each policy lies in a folder of that name in it.
func (w *Workspace) GateDir() string { return filepath.Join(w.indexDir, gateFolder) }

// KeepGate stores a trained gate as the latest one and as its policy's.
func (w *Workspace) KeepGate(ctx context.Context, p gate.Policy, about gate.About) error {
	return errors.Join(
		gate.Save(ctx, filepath.Join(w.GateDir(), p.Name()), p, about),
		gate.Save(ctx, w.GateDir(), p, about),
	)
}

// GateDirOf returns the folder of a policy's gate: the policy's own if it has been trained, else the folder
// of the gate that was trained last.
func (w *Workspace) GateDirOf(policy string) string {
	own := filepath.Join(w.GateDir(), policy)
	if _, err := os.Stat(filepath.Join(own, gateFile)); policy != "" && err == nil {
		return own
	}
	return w.GateDir()
}

// Gate returns the policy that decides whether the sources are searched, or nil where the settings
// have them searched for every question. Where the policy of the settings cannot serve, one that
// always retrieves comes with the error that says why and what to do.
func (w *Workspace) Gate() (gate.Policy, error) {
	name := w.loaded.Settings.Gate.Policy
	if name == settings.AlwaysSearch {
		return nil, nil
	}
	policy, err := w.policy(name)
	if err != nil {
		return gate.Always, fmt.Errorf("gate.policy is %q, and %w", name, err)
	}
	return policy, nil
}

// policy is the one of that name: a rule, or what has been trained. The error says what to do, and that
// every question is answered from the sources.
func (w *Workspace) policy(name string) (gate.Policy, error) {
	learner, err := gate.Find(name, w.loaded.Settings.Gate.Price)
	switch {
	case err != nil:
		return nil, err
	case learner.Rule:
		return learner.Fit(context.Background(), nil, nil, 0)
	}
	const instead = "every question is answered from the sources"
	trained, err := w.gates.open(w.GateDirOf(name), w.Library())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no gate has been trained: %s; train one with lacuna gate train --policy %s", instead, name)
	case err != nil:
		return nil, fmt.Errorf("the gate cannot serve: %s: %w", instead, err)
	case trained.Policy.Name() != name:
		return nil, fmt.Errorf("the trained gate is %q: %s; train it with lacuna gate train --policy %s", trained.Policy.Name(), instead, name)
	}
	return trained.Policy, nil
}

// decider returns the trained gate of a policy, for the system with the policy's name.
func (w *Workspace) decider(policy string) (systems.Decider, error) {
	p, err := w.policy(policy)
	if err != nil {
		return nil, err
	}
	return gate.NewDecider(p, w.config.Roles[llm.Reader].Model), nil
}

// gated puts the gate of the settings before the strategy that searches; a policy that is a way of
// answering as well, and decides by what the model says while it answers, takes its place. A gate that
// cannot serve is logged, once for each reason.
func (w *Workspace) gated(environment *systems.Environment, open answer.Strategy) (answer.Strategy, error) {
	policy, err := w.Gate()
	if err != nil && w.gates.isNews(err) {
		w.request.Log.Warn("the gate does not serve", "err", err)
	}
	switch {
	case err != nil:
		return ungated{open}, nil
	case policy == nil:
		return open, nil
	}
	if system, known := systems.Lookup(policy.Name()); known && system.Gate == "" {
		decides, err := environment.Strategy(system.ID)
		return gate.SelfDeciding{Policy: policy, System: decides, Open: open}, err
	}
	alone, err := environment.Strategy(closedBook)
	if err != nil {
		return nil, err
	}
	return gate.Gated{Policy: policy, Model: w.config.Roles[llm.Reader].Model, Closed: alone, Open: open}, nil
}

// ungated answers where a gate was to decide and cannot serve, and says so.
type ungated struct{ answer.Strategy }

// Answer implements [answer.Strategy].
func (u ungated) Answer(ctx context.Context, library *knowledge.Library, question answer.Question) (answer.Result, error) {
	r, err := u.Strategy.Answer(ctx, library, question)
	if err == nil {
		r.Lacks = append(r.Lacks, answer.NoGate)
	}
	return r, err
}

// openGate is a gate as it was opened.
type openGate struct {
	library *knowledge.Library // whose encoder serves
	file    os.FileInfo
	gate    *gate.Gate
	err     error
}

func (g *gates) open(dir string, library *knowledge.Library) (*gate.Gate, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	file, err := os.Stat(filepath.Join(dir, gateFile))
	if err != nil {
		return gate.Open(dir, nil)
	}
	o := g.opened[dir]
	same := o.file != nil && os.SameFile(o.file, file) && o.file.Size() == file.Size() && o.file.ModTime().Equal(file.ModTime())
	if !same || o.library != library {
		o = openGate{library: library, file: file}
		o.gate, o.err = gate.Open(dir, gate.LibraryEncoder(library))
		if g.opened == nil {
			g.opened = make(map[string]openGate)
		}
		g.opened[dir] = o
	}
	return o.gate, o.err
}

// isNews reports whether an error is another one than the last.
func (g *gates) isNews(err error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	news := g.logged != err.Error()
	g.logged = err.Error()
	return news
}
