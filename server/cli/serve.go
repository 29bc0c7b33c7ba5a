package cli

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/gap/ledger"
	"lacuna/server"
	"lacuna/server/agents"
	"lacuna/server/folders"
	"lacuna/server/workspace"
)

func serveCommand() command {
	var agent string
	return command{
		name:    "serve",
		summary: "run as a language server on standard input and output",
		details: `
Speaks the Language Server Protocol on standard input and output; so does lacuna
without a command. Editors start it; there is nothing to type. The folder that
the editor opens, or its nearest parent with a .lacuna.toml, is the workspace.
With --agent NAME it marks gaps and does nothing else, and only after "lacuna
consent allow agent:NAME", because an agent gives what it reads to its model.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&agent, "agent", "", "serve an agent of this `name`: gaps as diagnostics, and nothing else")
			f.Bool("stdio", true, "talk on standard input and output; the only way there is")
		},
		run: func(ctx context.Context, p *program, _ []string) error { return p.serve(ctx, agent) },
	}
}

func mcpCommand() command {
	var offline bool
	return command{
		name:    "mcp",
		summary: "let an agent ask the sources, by the Model Context Protocol",
		details: `
Speaks the Model Context Protocol on standard input and output; an agent starts
it. Its tools answer questions, find passages, verify quotes and drafts, and say
what the sources lack; none changes anything. What an agent is given goes to the
machine of its model: it is given nothing before "lacuna consent allow
agent:NAME", never what is private, identifiers replaced as privacy.redact says,
and "lacuna audit" lists it. See docs/agents.md.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&offline, "offline-only", false, "ask no model, whatever the settings say")
		},
		run: func(ctx context.Context, p *program, _ []string) error { return p.mcp(ctx, offline) },
	}
}

func (p *program) mcp(ctx context.Context, offline bool) error {
	root, err := p.root("")
	if err != nil {
		return err
	}
	request := p.request(root)
	request.Consent = nil // nobody is there to be asked
	w, err := p.openRequest(ctx, request)
	if err != nil {
		return err
	}
	defer w.Close()
	log, closeLog, err := p.openLog(w.Loaded())
	if err != nil {
		return err
	}
	defer closeLog()
	options := agents.Options{Version: Version, Program: invocation(), Workspace: w, Offline: offline || p.globals.offline, Log: log, Now: p.now}
	options.Gaps = func(ctx context.Context, library *knowledge.Library, progress func(done, total int)) ([]ledger.Item, error) {
		return p.gapsForAgents(ctx, w, library, progress)
	}
	return agents.Serve(ctx, options, io.NopCloser(p.In), writeCloser{p.Out})
}

// writeCloser is standard output, which is not closed.
type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }

// invocation returns how a user calls this program in a shell: by its name where the shell finds it, else by its path.
func invocation() string {
	own, err := os.Executable()
	if err != nil {
		return "lacuna"
	}
	if found, err := exec.LookPath("lacuna"); err == nil && sameFile(found, own) {
		return "lacuna"
	}
	if strings.ContainsAny(own, " '\"$&()") {
		return strconv.Quote(own)
	}
	return own
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

func (p *program) serve(ctx context.Context, agent string) error {
	own := settings.Load(settings.Request{UserFile: p.globals.config, Flags: p.globals.settings()})
	if err := flagProblem(own.Problems); err != nil {
		return err
	}
	log, closeLog, err := p.openLog(own)
	if err != nil {
		return err
	}
	defer closeLog()
	if file, ok := p.In.(*os.File); ok && isTerminal(file) {
		p.warn("this is a language server for editors, waiting for one on standard input; for commands see lacuna help")
	}
	open := func(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) {
		w, err := p.openFor(ctx, r, log)
		switch {
		case err != nil:
			return nil, err // not a nil *Workspace in an interface
		case agent != "":
			return agents.NewReader(w, agent, invocation(), p.now), nil
		}
		return w, nil
	}
	options := server.Options{Version: Version, Log: log, Open: open, Now: p.now, Agent: agent != ""}
	if p.globals.workspace == "" {
		options.Home = workspace.RootOf
	}
	code := server.ServeStdio(ctx, options)
	if code != exitDone {
		return exitCode(code)
	}
	return nil
}

// openFor opens a workspace for the language server.
func (p *program) openFor(ctx context.Context, r folders.OpenRequest, log *slog.Logger) (*workspace.Workspace, error) {
	request := workspace.Request{
		Root: r.Folder, UserFile: p.globals.config, Editor: r.Editor, Flags: p.globals.settings(),
		Consent: r.Consent, Log: log,
	}
	if p.globals.workspace != "" {
		root, err := p.root("")
		if err != nil {
			return nil, err
		}
		request.Root = root
	} else if root, found := workspace.Find(r.Folder); found && r.Folder != "" {
		request.Root = root
	}
	return workspace.Open(ctx, request)
}
