package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/quotation"
	"lacuna/server/workspace"
)

// Options says what is served. Log may be nil.
type Options struct {
	Version   string
	Program   string // how the user calls the program in a shell; empty means lacuna
	Workspace *workspace.Workspace
	Offline   bool // no model is asked, whatever the settings say
	Log       *slog.Logger
	Now       func() time.Time
	// Gaps returns the open gaps of all notes that an agent may know, judged by a library; progress is called with how many of the
	// notes are read. Nil if there are no notes.
	Gaps func(ctx context.Context, library *knowledge.Library, progress func(done, total int)) ([]ledger.Item, error)
}

type server struct {
	Options
	mu        sync.Mutex
	refreshed time.Time // guarded by mu
	quotes    struct {
		mu    sync.Mutex
		of    []*passage.Passage
		index *quotation.Index
	}
	found struct { // see workspaceGaps
		turn chan struct{} // holds one value while somebody seeks them; guards the others
		of   []*passage.Passage
		at   time.Time
		gaps []ledger.Item
	}
}

const (
	upToDate     = 3 * time.Second  // how long an index counts as up to date
	gapsUpToDate = 30 * time.Second // how long the gaps of the notes do
)

// library returns what an agent may be given of the sources as they are now.
func (s *server) library(ctx context.Context) (*knowledge.Library, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Now().Sub(s.refreshed) >= upToDate {
		if err := s.Workspace.Refresh(ctx, func(e knowledge.Event) { report(ctx, reading, e.Overall, 100) }); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s.Log.Error("refresh failed", "err", err) // the index as it was serves
		}
		s.refreshed = s.Now()
	}
	return s.Workspace.Public(), nil
}

// reply is what a tool returns. texts are those in it that come from documents; if it has a method withhold, that is called when what
// identifies people has been replaced in them.
type reply interface{ texts() []text }

// text is a text in parts, none of which has a line feed.
type text []*string

// add adds a tool.
func add[In any, Out reply](s *server, m *mcp.Server, name, description string, run func(ctx context.Context, in In) (Out, error)) {
	no := false
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, OpenWorldHint: &no}}
	mcp.AddTool(m, tool, func(ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, _, err := give(withProgress(ctx, request.Session, request.Params), s, request.ClientInfo(), name, func(ctx context.Context) (Out, error) { return run(ctx, in) })
		return nil, out, err
	})
}

// agentOf returns what a client is called where consent is given.
func agentOf(client *mcp.Implementation) string {
	if client == nil {
		return workspace.Agent("")
	}
	return workspace.Agent(client.Name)
}

// refusal says how the user allows an agent, in the folder of a workspace.
func refusal(w *workspace.Workspace, agent, program string) error {
	text := fmt.Sprintf(messages.AgentNotAllowed, agent, program, agent, w.Root())
	if len(w.Sources()) == 0 {
		text += fmt.Sprintf(messages.AgentNoSources, program)
	}
	return errors.New(text)
}

// give returns what run returns, and the same as JSON, for an agent that the user has allowed: redacted and recorded. It keeps a panic
// from ending the session.
func give[Out reply](ctx context.Context, s *server, client *mcp.Implementation, name string, run func(context.Context) (Out, error)) (out Out, body []byte, err error) {
	var none Out
	defer func() {
		if problem := recover(); problem != nil {
			s.Log.Error("a tool failed", "tool", name, "panic", problem, "stack", string(debug.Stack()))
			out, body, err = none, nil, fmt.Errorf(messages.AgentToolFailed, name)
		}
	}()
	agent := agentOf(client)
	if !s.Workspace.AgentAllowed(agent) {
		return none, nil, refusal(s.Workspace, agent, s.Program)
	}
	if out, err = run(ctx); err != nil {
		return none, nil, err
	}
	details, err := s.redact(out.texts())
	if err != nil {
		return none, nil, err
	}
	if more, has := any(out).(interface{ withhold() }); has {
		more.withhold()
	}
	if body, err = json.Marshal(out); err != nil {
		return none, nil, err
	}
	s.Workspace.RecordGiven(agent, name, details, body, s.Now())
	return out, body, nil
}

// redact replaces in place what identifies people.
func (s *server) redact(texts []text) (details string, err error) {
	joined := make([]*string, len(texts))
	for i, t := range texts {
		parts := make([]string, len(t))
		for k, part := range t {
			parts[k] = strings.ReplaceAll(*part, "\n", " ")
		}
		whole := strings.Join(parts, "\n")
		joined[i] = &whole
	}
	if details, err = s.Workspace.Redact(joined); err != nil {
		return "", err
	}
	for i, t := range texts {
		parts := strings.Split(*joined[i], "\n")
		for k := range t {
			*t[k] = ""
			if len(parts) == len(t) {
				*t[k] = parts[k]
			}
		}
		if len(parts) != len(t) { // an identifier reached over two of them
			*t[len(t)-1] = *joined[i]
		}
	}
	return details, nil
}
