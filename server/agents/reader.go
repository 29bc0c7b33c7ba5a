package agents

import (
	"encoding/json"
	"time"

	"lacuna/knowledge"
	"lacuna/server/workspace"
)

// Reader is a workspace as an agent's language client reads it: without what is private, and nothing of it before the user has allowed the
// agent. It implements folders.Reader.
type Reader struct {
	*workspace.Workspace
	agent   string
	program string
	now     func() time.Time
}

// NewReader returns the workspace as the agent with this name reads it. The user calls the program by program.
func NewReader(w *workspace.Workspace, name, program string, now func() time.Time) *Reader {
	return &Reader{w, workspace.Agent(name), program, now}
}

// Library returns the newest snapshot without what is private.
func (r *Reader) Library() *knowledge.Library { return r.Public() }

// Allowed returns nil if the user has allowed the agent, else an error that says how they do.
func (r *Reader) Allowed() error {
	if r.AgentAllowed(r.agent) {
		return nil
	}
	return refusal(r.Workspace, r.agent, r.program)
}

// Give replaces in place what identifies people in texts, and records that the agent was given them.
func (r *Reader) Give(texts []*string) error {
	if err := r.Allowed(); err != nil {
		return err
	}
	details, err := r.Redact(texts)
	if err != nil {
		return err
	}
	body, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	r.RecordGiven(r.agent, "diagnostics", details, body, r.now())
	return nil
}
