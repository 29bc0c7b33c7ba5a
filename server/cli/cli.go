// Package cli has the commands of the lacuna program: the language server, and the same engine
// from a shell.
//
// Results go to standard output and everything else to standard error. The exit code is 0 when a
// command did what it was asked; 1 when it did and the answer is "no"; 2 for wrong usage or
// configuration; 3 when it failed. Begin with [Run] and [commands].
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers/settings"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/sanitise"
	"lacuna/server/cli/usage"
)

// collectAt is the heap growth, in percent, at which the garbage collector runs. Most of the heap is texts
// and vectors that stay; 40 instead of 100 lowers the peak of building an index by a fifth for 4 % more time
// (measured).
const collectAt = 40

// Main runs the command that args name, on the process's own streams, and returns the exit code.
func Main(args []string) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // the terminal is closed: end in order, too
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	return Run(ctx, args, Streams{os.Stdin, os.Stdout, os.Stderr})
}

// Run runs the command that args name and returns the exit code.
func Run(ctx context.Context, args []string, s Streams) int { return runAt(ctx, time.Now, args, s) }

// runAt is Run with a clock.
func runAt(ctx context.Context, now func() time.Time, args []string, s Streams) int {
	results := sanitise.NewWriter(s.Out)
	p := &program{Streams: s, out: bufio.NewWriter(results), results: results, console: s.Err, now: now}
	p.Err = sanitise.NewMessageWriter(s.Err)
	err := p.run(ctx, args)
	if flushed := p.flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write results: %w", flushed)
	}
	return p.conclude(err)
}

// run finds the command and runs it. Global flags may stand before the command's name.
func (p *program) run(ctx context.Context, args []string) error {
	f := newFlagSet("lacuna")
	f.SetInterspersed(false)
	p.globals.bind(f)
	version := f.Bool("version", false, "")
	f.Bool("stdio", false, "") // what some editors add; the only way the server talks anyway
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return p.help(nil)
	case err != nil:
		return usagef("%w\n%s", err, hint(""))
	}
	rest := f.Args()
	switch {
	case *version:
		rest = []string{"version"}
	case len(rest) == 0:
		rest = []string{"serve"}
	case rest[0] == "help":
		return p.help(rest[1:])
	}
	c, rest, err := find(rest)
	if err != nil {
		return err
	}
	return p.runCommand(ctx, c, rest)
}

func (p *program) runCommand(ctx context.Context, c command, args []string) error {
	f := newFlagSet(c.name)
	p.globals.bind(f)
	c.flags(f)
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		c.printHelp(p.out)
		return nil
	case err != nil:
		return usagef("%s: %w\nknown flags: %s\n%s", c.name, err, flagNames(f), hint(c.name))
	}
	if p.globals.config != "" {
		path, err := filepath.Abs(p.globals.config)
		if err != nil {
			return err
		}
		if _, err := os.Stat(path); err != nil {
			return usageError{fmt.Errorf("--config: %w", err)}
		}
		p.globals.config = path
	}
	if c.arguments == "" {
		if err := noArguments(c.name, f.Args()); err != nil {
			return err
		}
	}
	for _, flag := range []*pflag.Flag{f.Lookup("json"), f.Lookup("format")} {
		p.asJSON = p.asJSON || flag != nil && (flag.Value.String() == "true" || flag.Value.String() == "json")
	}
	err := c.run(ctx, p, f.Args())
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}

// conclude prints what went wrong, on one line if possible, and returns the exit code.
func (p *program) conclude(err error) int {
	var usage usageError
	var code exitCode
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo):
		return exitNo
	case errors.As(err, &code):
		return int(code)
	}
	if errors.As(err, new(usageLines)) {
		fmt.Fprintf(p.Err, "lacuna: %v\n", err)
	} else {
		p.warn("%v", err)
	}
	if errors.As(err, &usage) {
		return exitUsage
	}
	if slices.ContainsFunc(refusals, func(refusal error) bool { return errors.Is(err, refusal) }) {
		return exitRefused
	}
	return exitFailed
}

// commands lists the commands in the order in which the help shows them.
func commands() []command {
	return []command{
		initCommand(),
		demoCommand(),
		serveCommand(),
		mcpCommand(),
		askCommand(),
		answerCommand(),
		checkCommand(),
		explainCommand(),
		gapsCommand(),
		tuiCommand(),
		searchCommand(),
		indexCommand(),
		sourcesCommand(),
		pushCommand(),
		pullCommand(),
		remoteCommand(),
		systemsCommand(),
		evalCommand(),
		gateCommand(),
		historyCommand(),
		configCommand(),
		consentCommand(),
		auditCommand(),
		forgetCommand(),
		doctorCommand(),
		completionCommand(),
		versionCommand(),
	}
}

// subCommands lists the commands whose names are two words.
func subCommands() []command { return evalCommands() }

// find returns the command that the first arguments name, one or two of them, and the others.
func find(args []string) (c command, rest []string, err error) {
	var known []string
	if len(args) > 1 {
		for _, c := range subCommands() {
			if c.name == args[0]+" "+args[1] {
				return c, args[2:], nil
			}
		}
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c, args[1:], nil
		}
		known = append(known, c.name)
	}
	return command{}, nil, usagef("unknown command %q; known: %s\n%s", args[0], strings.Join(known, ", "), hint(""))
}

// purpose says what the program is for.
const purpose = `Lacuna answers the questions in your notes from your own sources, with verbatim
citations, and shows what the sources do not know.`

// Usage describes the program as its help does, for shells and manuals.
func Usage() usage.Program {
	described := usage.Program{Name: "lacuna", Version: Version, Summary: strings.ReplaceAll(purpose, "\n", " "), Flags: newFlagSet("lacuna"), Values: valuesOf}
	new(globals).bind(described.Flags)
	for _, c := range slices.Concat(commands(), subCommands()) {
		own := newFlagSet(c.name)
		c.flags(own)
		described.Commands = append(described.Commands, usage.Command{Name: c.name, Arguments: c.arguments, Summary: c.summary, Details: c.details, Flags: own})
	}
	return described
}

// valuesOf returns the systems and the names of sources for the flags that take them.
func valuesOf(flag string, given map[string]string) []string {
	switch flag {
	case "system":
		return convert(systems.All(), func(s systems.System) string { return s.ID })
	case "source":
		p := program{globals: globals{workspace: given["workspace"], config: given["config"]}}
		root, err := p.root("")
		if err != nil {
			return nil
		}
		loaded := settings.Load(settings.Request{Root: root, UserFile: p.globals.config})
		return convert(loaded.Settings.Sources, func(s ingest.Source) string { return s.Name })
	}
	return nil
}

func completionCommand() command {
	return command{
		name:      "completion",
		arguments: strings.Join(usage.Shells, "|") + " [-- WORD…]",
		summary:   "print what makes a shell complete this program's command lines",
		details: `
Prints a script that makes a shell complete commands, flags, their values and
files when you press Tab. How to set it up stands at its beginning; for bash,
zsh, fish and PowerShell:

  lacuna completion bash > ~/.local/share/bash-completion/completions/lacuna
  lacuna completion zsh > "${fpath[1]}/_lacuna"
  lacuna completion fish > ~/.config/fish/completions/lacuna.fish
  lacuna completion powershell | Out-String | Invoke-Expression

With the words of a command line behind "--" it prints how the last of them may
go on. That is what the script asks for, so that it is never out of date.`,
		flags: func(*pflag.FlagSet) {},
		run: func(_ context.Context, p *program, args []string) error {
			if len(args) == 0 {
				return usagef("completion: give a shell; known: %s\n%s", strings.Join(usage.Shells, ", "), hint("completion"))
			}
			script, err := usage.Script(args[0])
			if err != nil {
				return usageError{fmt.Errorf("completion: %w", err)}
			}
			if len(args) == 1 {
				_, err := p.out.Write(script)
				return err
			}
			for _, line := range Usage().Lines(args[0], args[1:]) {
				fmt.Fprintln(p.out, line)
			}
			return nil
		},
	}
}

// help prints the help of the program or of one command.
func (p *program) help(args []string) error {
	if len(args) > 0 {
		c, _, err := find(args)
		if err != nil {
			return err
		}
		c.printHelp(p.out)
		return nil
	}
	fmt.Fprint(p.out, purpose+`

Usage:
  lacuna [flags]               run as a language server; editors do this
  lacuna COMMAND [flags] …     run one command

Commands:
`)
	for _, c := range commands() {
		fmt.Fprintf(p.out, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(p.out, "\nFlags of every command:\n%s", globalUsages())
	fmt.Fprint(p.out, `
"lacuna help COMMAND" says more. Exit codes: 0 done; 1 done, and the answer is
"no"; 2 wrong usage or configuration; 3 failed; 4 what was fetched is not what
its publisher signed, and was refused.
`)
	return nil
}
