package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// command is one command of the program.
type command struct {
	name      string
	arguments string // as the usage line shows them
	summary   string // one line for the list of commands
	details   string // paragraphs for the command's own help
	flags     func(*pflag.FlagSet)
	run       func(ctx context.Context, p *program, args []string) error
}

// commands lists the commands in the order in which the help shows them.
func commands() []command {
	return []command{
		serveCommand(), askCommand(), answerCommand(), checkCommand(), explainCommand(), gapsCommand(), searchCommand(), indexCommand(), sourcesCommand(),
		systemsCommand(), evalCommand(), gateCommand(), historyCommand(), configCommand(), consentCommand(), auditCommand(), doctorCommand(), versionCommand(),
	}
}

// find returns the command of that name.
func find(name string) (command, error) {
	var known []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		known = append(known, c.name)
	}
	return command{}, usagef("unknown command %q; known: %s\n%s", name, strings.Join(known, ", "), hint(""))
}

// noArguments refuses arguments of a command that takes none.
func noArguments(name string, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, found %q\n%s", name, args[0], hint(name))
	}
	return nil
}

// help prints the help of the program or of one command.
func (p *program) help(args []string) error {
	if len(args) > 0 {
		c, err := find(args[0])
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
  lacuna COMMAND [flags] …     do one thing

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
