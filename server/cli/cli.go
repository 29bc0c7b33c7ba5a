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
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"lacuna/knowledge/sanitise"
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
	return exitFailed
}

// commands lists the commands in the order in which the help shows them.
func commands() []command {
	return []command{
		initCommand(), demoCommand(), serveCommand(), mcpCommand(), askCommand(), answerCommand(), checkCommand(), explainCommand(), gapsCommand(), searchCommand(), indexCommand(), sourcesCommand(),
		systemsCommand(), evalCommand(), gateCommand(), historyCommand(), configCommand(), consentCommand(), auditCommand(), forgetCommand(), doctorCommand(), versionCommand(),
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
	fmt.Fprint(p.out, `Lacuna answers the questions in your notes from your own sources, with verbatim
citations, and shows what the sources do not know.

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
"no"; 2 wrong usage or configuration; 3 failed.
`)
	return nil
}
