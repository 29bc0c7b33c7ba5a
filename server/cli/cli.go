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
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"lacuna/knowledge/sanitise"
)

// Exit codes.
const (
	exitDone   = 0
	exitNo     = 1
	exitUsage  = 2
	exitFailed = 3
)

// errNo ends a command that worked and whose answer is "no".
var errNo = errors.New("the answer is no")

// usageError is a mistake in how a command was called or configured.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// usageLines is a message that may have several lines, none of them a stranger's.
type usageLines struct{ error }

func usagef(format string, args ...any) error {
	return usageError{usageLines{fmt.Errorf(format, inert(args)...)}}
}

// inert has each text among arguments on one line that does nothing, and errors in such words.
func inert(args []any) []any {
	args = slices.Clone(args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = sanitise.Line(arg)
		case error:
			args[i] = inertError{arg}
		case fmt.Stringer:
			args[i] = sanitise.Line(arg.String())
		}
	}
	return args
}

// inertError is an error in words that a terminal does nothing with.
type inertError struct{ error }

func (e inertError) Error() string { return sanitise.Line(e.error.Error()) }
func (e inertError) Unwrap() error { return e.error }

// exitCode ends a command with a code of its own and without a message.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Streams are what a command reads and writes.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// collectAt is the growth of the heap, in percent, at which the garbage collector runs. Most of
// what is held are texts and vectors that stay; collecting at 40 instead of 100 lowers the peak of
// building an index by a fifth for 4 % more time (measured).
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
func Run(ctx context.Context, args []string, s Streams) int {
	results := sanitise.NewWriter(s.Out)
	p := &program{Streams: s, out: bufio.NewWriter(results), results: results, console: s.Err}
	p.Err = sanitise.NewMessageWriter(s.Err)
	err := p.run(ctx, args)
	if flushed := p.flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write results: %w", flushed)
	}
	return p.conclude(err)
}

// program is one run of the program.
type program struct {
	Streams                  // of which Err is made safe for a terminal
	out     *bufio.Writer    // to results; commands write here
	results *sanitise.Writer // makes Streams.Out safe for a terminal
	console io.Writer        // standard error as it is, for what moves the cursor
	globals globals
}

// flush passes on all results.
func (p *program) flush() error { return errors.Join(p.out.Flush(), p.results.Flush()) }

// document prints a text of the user's own as it is, unless a person looks at it.
func (p *program) document(text string) error {
	if isTerminal(p.Out) {
		_, err := p.out.WriteString(text)
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	_, err := io.WriteString(p.Out, text)
	return err
}

// globals are the flags of every command.
type globals struct {
	workspace, config, logFile, logLevel string
	offline                              bool
}

func (g *globals) bind(f *pflag.FlagSet) {
	f.StringVar(&g.workspace, "workspace", g.workspace, "the workspace's `DIR` (default: this folder or its nearest parent with a .lacuna.toml, else this folder)")
	f.StringVar(&g.config, "config", g.config, "read `FILE` instead of your own settings file")
	f.BoolVar(&g.offline, "offline", g.offline, "make no network connection")
	f.StringVar(&g.logFile, "log-file", g.logFile, "append the log to `FILE` instead of standard error")
	f.StringVar(&g.logLevel, "log-level", g.logLevel, "log from `LEVEL` on: debug, info, warn or error")
}

// settings are the global flags as settings by dotted key.
func (g *globals) settings() map[string]string {
	set := map[string]string{}
	if g.offline {
		set["offline"] = "true"
	}
	if g.logFile != "" {
		set["log.file"] = g.logFile
	}
	if g.logLevel != "" {
		set["log.level"] = g.logLevel
	}
	return set
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
	c, err := find(rest[0])
	if err != nil {
		return err
	}
	return p.runCommand(ctx, c, rest[1:])
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
	err := c.run(ctx, p, f.Args())
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}

// conclude says what went wrong, in one line where that is possible, and chooses the exit code.
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

// warn writes one line to standard error. What it is about may hold anything.
func (p *program) warn(format string, args ...any) {
	fmt.Fprintf(p.Err, "lacuna: %s\n", fmt.Sprintf(format, inert(args)...))
}

func newFlagSet(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.SortFlags = false
	f.Usage = func() {}
	return f
}

func flagNames(f *pflag.FlagSet) string {
	var names []string
	f.VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
	return strings.Join(names, " ")
}

func hint(command string) string {
	if command == "" {
		return "see lacuna help"
	}
	return "see lacuna help " + command
}
