// Package agents lets agents ask the sources of a workspace: a server of the Model Context Protocol on standard input and output.
//
// Begin with [Serve]. The tools are in tools.go; all only read. An agent counts as another machine: it is given nothing before the
// user has allowed it by name, never what is private, identifiers replaced as for any model, and the audit says what it was
// given. Texts of documents are data: they are returned in fields of their own, and the instructions to the agent say so.
package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/quotation"
	"lacuna/server/workspace"
)

// Options says what is served. Log may be nil.
type Options struct {
	Version   string
	Workspace *workspace.Workspace
	Offline   bool // no model is asked, whatever the settings say
	Log       *slog.Logger
	Now       func() time.Time
}

var quiet = slog.New(slog.DiscardHandler)

// Serve serves one agent until it closes its end or the context ends. It returns nil when the agent has left.
func Serve(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	if o.Log == nil {
		o.Log = quiet
	}
	return newServer(o).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

func newServer(o Options) *mcp.Server {
	s := &server{Options: o}
	m := mcp.NewServer(&mcp.Implementation{Name: "lacuna", Title: "Lacuna", Version: o.Version}, &mcp.ServerOptions{
		Instructions: messages.AgentInstructions, Capabilities: &mcp.ServerCapabilities{}, // no logging
	})
	add(s, m, "ask", messages.ToolAsk, s.ask)
	add(s, m, "search_sources", messages.ToolSearchSources, s.search)
	add(s, m, "verify_quote", messages.ToolVerifyQuote, s.verifyQuote)
	add(s, m, "verify_text", messages.ToolVerifyText, s.verifyText)
	add(s, m, "gaps", messages.ToolGaps, s.gaps)
	add(s, m, "sources", messages.ToolSources, s.sources)
	return m
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
}

// upToDate is how long an index counts as up to date.
const upToDate = 3 * time.Second

// library returns what an agent may be given of the sources as they are now.
func (s *server) library(ctx context.Context) (*knowledge.Library, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Now().Sub(s.refreshed) >= upToDate {
		if err := s.Workspace.Refresh(ctx, func(knowledge.Event) {}); err != nil {
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

// add adds a tool: it asks for consent, keeps a panic from ending the session, redacts what is given and records it.
func add[In any, Out reply](s *server, m *mcp.Server, name, description string, run func(ctx context.Context, in In) (Out, error)) {
	no := false
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, OpenWorldHint: &no}}
	mcp.AddTool(m, tool, func(ctx context.Context, request *mcp.CallToolRequest, in In) (_ *mcp.CallToolResult, out Out, err error) {
		defer func() {
			if problem := recover(); problem != nil {
				s.Log.Error("a tool failed", "tool", name, "panic", problem, "stack", string(debug.Stack()))
				err = fmt.Errorf(messages.AgentToolFailed, name)
			}
		}()
		client := ""
		if p := request.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
			client = p.ClientInfo.Name
		}
		agent := workspace.Agent(client)
		if !s.Workspace.AgentAllowed(agent) {
			return nil, out, fmt.Errorf(messages.AgentNotAllowed, agent, agent, s.Workspace.Root())
		}
		if out, err = run(ctx, in); err != nil {
			return nil, out, err
		}
		var none Out
		details, err := s.redact(out.texts())
		if err != nil {
			return nil, none, err
		}
		if more, has := any(out).(interface{ withhold() }); has {
			more.withhold()
		}
		body, err := json.Marshal(out)
		if err != nil {
			return nil, none, err
		}
		s.Workspace.RecordGiven(agent, name, details, body, s.Now())
		return nil, out, nil
	})
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
