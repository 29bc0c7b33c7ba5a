// Package agents lets agents ask the sources of a workspace: a server of the Model Context Protocol on standard input and output.
//
// Begin with [Serve]. The tools are in tools.go and gaps.go, the resources in resources.go; all only read, and all go through give in server.go. An agent counts as another machine: it is given nothing before the
// user has allowed it by name, never what is private, identifiers replaced as for any model, and the audit says what it was
// given. [Reader] is the same for an agent that reads the marks of the language server. Texts of documents are data: they are returned in fields of their own, and the instructions to the agent say so.
package agents

import (
	"cmp"
	"context"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lacuna/handlers/messages"
)

var quiet = slog.New(slog.DiscardHandler)

// Serve serves one agent until it closes its end or the context ends. It returns nil when the agent has left.
func Serve(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	if o.Log == nil {
		o.Log = quiet
	}
	whole := &output{WriteCloser: out}
	return newServer(o).Run(ctx, &mcp.IOTransport{Reader: messagesOf(in, whole), Writer: whole})
}

func newServer(o Options) *mcp.Server {
	s := &server{Options: o}
	s.Program = cmp.Or(s.Program, "lacuna")
	s.found.turn = make(chan struct{}, 1)
	m := mcp.NewServer(&mcp.Implementation{Name: "lacuna", Title: "Lacuna", Version: o.Version}, &mcp.ServerOptions{
		Instructions: messages.AgentInstructions, Capabilities: &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}}, // no logging
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	s.addResources(m)
	add(s, m, "ask", messages.ToolAsk, s.ask)
	add(s, m, "search_sources", messages.ToolSearchSources, s.search)
	add(s, m, "verify_quote", messages.ToolVerifyQuote, s.verifyQuote)
	add(s, m, "verify_text", messages.ToolVerifyText, s.verifyText)
	add(s, m, "gaps", messages.ToolGaps, s.gaps)
	add(s, m, "sources", messages.ToolSources, s.sources)
	return m
}
