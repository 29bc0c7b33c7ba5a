package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/pflag"

	"lacuna/handlers/settings"
	"lacuna/knowledge/sanitise"
	"lacuna/regular"
	"lacuna/server"
	"lacuna/server/workspace"
)

func serveCommand() command {
	return command{
		name:    "serve",
		summary: "run as a language server on standard input and output",
		details: `
Speaks the Language Server Protocol on standard input and output; so does lacuna
without a command. Editors start it; there is nothing to type. The folder that
the editor opens, or its nearest parent with a .lacuna.toml, is the workspace.`,
		flags: func(f *pflag.FlagSet) {
			f.Bool("stdio", true, "talk on standard input and output; the only way there is")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			if err := noArguments("serve", args); err != nil {
				return err
			}
			return p.serve(ctx)
		},
	}
}

func (p *program) serve(ctx context.Context) error {
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
	open := func(ctx context.Context, r server.OpenRequest) (server.Workspace, error) {
		return p.openFor(ctx, r, log)
	}
	options := server.Options{Version: Version, Log: log, Open: open}
	if p.globals.workspace == "" {
		options.Home = workspace.Of
	}
	code := server.ServeStdio(ctx, options)
	if code != exitDone {
		return exitCode(code)
	}
	return nil
}

// openFor opens a workspace for the language server.
func (p *program) openFor(ctx context.Context, r server.OpenRequest, log *slog.Logger) (server.Workspace, error) {
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
	w, err := workspace.Open(ctx, request)
	if err != nil {
		return nil, err // not a nil *Workspace in an interface
	}
	return w, nil
}

// openLog opens the log that the settings name. Editors show standard error as errors, so it gets a log
// only from somebody who asked for one. A log file that cannot be written is an error where a flag names
// it, and is done without where a settings file does.
func (p *program) openLog(loaded settings.Loaded) (log *slog.Logger, closeLog func() error, err error) {
	l := loaded.Settings.Log
	fallback := io.Discard
	if _, asked := loaded.Origins["log.level"]; asked {
		fallback = p.Err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, nil, fmt.Errorf("log level: %w", err)
	}
	options := &slog.HandlerOptions{Level: level}
	if l.File == "" {
		return slog.New(slog.NewTextHandler(fallback, options)), func() error { return nil }, nil
	}
	file, err := os.OpenFile(l.File, os.O_CREATE|os.O_APPEND|os.O_WRONLY|regular.NonBlocking, 0o600)
	if err != nil && loaded.Origins["log.file"].Layer == settings.Flags {
		return nil, nil, usageError{fmt.Errorf("log file: %w", err)}
	}
	if err != nil {
		p.warn("the log file cannot be written (%v); nothing is logged. Correct log.file", err)
		return slog.New(slog.DiscardHandler), func() error { return nil }, nil
	}
	return slog.New(slog.NewTextHandler(sanitise.NewMessageWriter(file), options)), file.Close, nil
}
