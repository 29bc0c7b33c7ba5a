package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/knowledge/llm/recording"
	"lacuna/knowledge/remote"
	"lacuna/knowledge/sanitise"
	"lacuna/knowledge/share"
)

// Exit codes.
const (
	exitDone   = 0
	exitNo     = 1
	exitUsage  = 2
	exitFailed = 3
	// exitRefused says that what others published is not to be trusted: trying again does not help.
	exitRefused = 4
)

// refusals are the errors that end a command with exitRefused.
var refusals = []error{share.ErrNoKey, share.ErrSignature, share.ErrOlder, share.ErrAltered, remote.ErrAltered}

// errNo ends a command that worked and whose answer is "no".
var errNo = errors.New("the answer is no")

// usageError is a mistake in the arguments or the configuration.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// usageLines is a message of our own that may have several lines.
type usageLines struct{ error }

func usagef(format string, args ...any) error {
	return usageError{usageLines{fmt.Errorf(format, inert(args)...)}}
}

// inert returns args with every text and error sanitised to one line.
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

// inertError is an error whose message is sanitised for a terminal.
type inertError struct{ error }

func (e inertError) Error() string { return sanitise.Line(e.error.Error()) }

func (e inertError) Unwrap() error { return e.error }

// exitCode is an error that ends a command with this code and no message.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Streams holds the streams of a command.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// program is one run of the program.
type program struct {
	Streams                  // of which Err is made safe for a terminal
	out     *bufio.Writer    // to results; commands write here
	results *sanitise.Writer // makes Streams.Out safe for a terminal
	console io.Writer        // standard error as it is, for what moves the cursor
	asJSON  bool             // the command prints JSON
	// now is the clock by which dates are judged, such as reviews of sources that are due.
	now func() time.Time
	// globals holds the flags that every command has.
	globals globals
	// What records the calls of models or stands in for the endpoints; each may be nil.
	recorder *recording.Recorder
	player   *recording.Player
}

// globals holds the flags of every command.
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

// settings returns the global flags as settings by dotted key.
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

// tape holds the flags of commands whose calls of models can be recorded and replayed.
type tape struct{ record, replay string }

func (t *tape) bind(f *pflag.FlagSet) {
	f.StringVar(&t.record, "record", "", "append every call of a model to `FILE`, for --replay")
	f.StringVar(&t.replay, "replay", "", "ask no model; take all replies from `FILE`, which --record wrote")
}

// use opens the file that the flags name; workspaces that are opened then record or replay. finish ends that,
// reports on it, and returns err, or why the recording or the replay is not complete.
func (t tape) use(p *program) (finish func(err error) error, err error) {
	switch {
	case t.record != "" && t.replay != "":
		return nil, usagef("give --record or --replay, not both")
	case t.record != "":
		if p.recorder, err = recording.Create(t.record, Version); err != nil {
			return nil, usageError{fmt.Errorf("--record: %w", err)}
		}
		return func(err error) error {
			if closed := p.recorder.Close(); closed != nil {
				return errors.Join(err, closed)
			}
			p.warn("%s recorded in %s", count(p.recorder.Calls(), "call"), t.record)
			return err
		}, nil
	case t.replay != "":
		if p.player, err = recording.Open(t.replay); err != nil {
			return nil, usageError{fmt.Errorf("--replay: %w", err)}
		}
		return func(err error) error {
			if replayed := p.reportReplay(); err == nil {
				err = replayed
			}
			return err
		}, nil
	}
	return func(err error) error { return err }, nil
}

// reportReplay says how a replay went. It returns an error if something was not recorded.
func (p *program) reportReplay() error {
	s := p.player.Summary()
	if s.Questions > 0 {
		p.warn("%s replayed for %s", count(s.Calls, "call"), count(s.Questions, "question"))
	} else {
		p.warn("%s replayed", count(s.Calls, "call"))
	}
	if n := p.player.Torn(); n > 0 {
		p.warn("%s of the recording left out: not whole", count(n, "line"))
	}
	if s.OtherSources {
		p.warn("the sources are not those of the recording")
	}
	for _, u := range s.Unused {
		p.warn("question %s: recorded calls that were not made again: %s", u.Question, strings.Join(u.Names, ", "))
	}
	missed := 0
	for _, m := range s.Missed {
		what := "has changed since the recording"
		if !m.Changed {
			what = "is given something else than in the recording"
		}
		p.warn("%s %s: %s cannot be replayed", m.Name, what, count(len(m.Questions), "question"))
		missed += len(m.Questions)
	}
	if missed > 0 {
		return fmt.Errorf("%s not replayed", count(missed, "question"))
	}
	return nil
}

func (p *program) flush() error { return errors.Join(p.out.Flush(), p.results.Flush()) }

// document prints the user's own text: sanitised on a terminal, unchanged elsewhere.
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

// warn prints one line to standard error; its arguments may be untrusted.
func (p *program) warn(format string, args ...any) {
	fmt.Fprintf(p.Err, "lacuna: %s\n", fmt.Sprintf(format, inert(args)...))
}

// printJSON prints value on one line and flushes it, so that a pipe can read as we go.
func (p *program) printJSON(value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	if _, err := p.out.Write(sanitise.JSON(text.Bytes())); err != nil {
		return err
	}
	return p.out.Flush()
}

// convert applies f to each element of list. The result is not nil, so that JSON has an empty list.
func convert[T, U any](list []T, f func(T) U) []U {
	converted := make([]U, 0, len(list))
	for _, x := range list {
		converted = append(converted, f(x))
	}
	return converted
}

// display returns path relative to the workspace, with forward slashes, if it lies inside, or path.
func display(root, path string) string {
	if relative, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return path
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// printable returns an untrusted text on one line, safe for a terminal.
func printable(text string) string { return sanitise.Line(text) }

// isTerminal reports whether a stream is a character device.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// command describes one command. A command without arguments accepts none.
type command struct {
	name      string
	arguments string // as the usage line shows them
	summary   string // one line for the list of commands
	details   string // paragraphs for the command's own help
	flags     func(*pflag.FlagSet)
	run       func(ctx context.Context, p *program, args []string) error
}

func (c command) printHelp(w io.Writer) {
	own := newFlagSet(c.name)
	c.flags(own)
	usage := "lacuna " + c.name
	if own.HasFlags() {
		usage += " [flags]"
	}
	if c.arguments != "" {
		usage += " " + c.arguments
	}
	fmt.Fprintf(w, "Usage:\n  %s\n\n%s\n", usage, strings.TrimSpace(c.details))
	if own.HasFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", own.FlagUsagesWrapped(helpWidth))
	}
	fmt.Fprintf(w, "\nFlags of every command:\n%s", globalUsages())
}

// helpWidth is the width of help texts in columns.
const helpWidth = 80

func globalUsages() string {
	f := newFlagSet("")
	new(globals).bind(f)
	return f.FlagUsagesWrapped(helpWidth)
}

// noArguments returns an error if args is not empty.
func noArguments(name string, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, found %q\n%s", name, args[0], hint(name))
	}
	return nil
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
