// Package usage tells shells and manuals what the program's own help tells people: how a command line may go on, and a page
// for each command. It has no list of commands or flags; it is given the one that the help is made from.
//
// Begin with [Program], then [Program.Complete] or [Program.Pages].
package usage

import (
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// Program is a program with commands.
type Program struct {
	Name, Version string
	Summary       string // what it is for, in a sentence
	Commands      []Command
	Flags         *pflag.FlagSet // of every command
	// Values returns values of a flag that its help does not list, and nil for others. given holds the values of the flags
	// that stand before it.
	Values func(flag string, given map[string]string) []string
}

// Command is a command as its help describes it.
type Command struct {
	Name      string // one word, or two
	Arguments string // as the line of usage shows them
	Summary   string // one line
	Details   string // paragraphs; those with indented lines are kept as they are
	Flags     *pflag.FlagSet
}

// visible returns the flags that the help shows.
func visible(f *pflag.FlagSet) []*pflag.Flag {
	var all []*pflag.Flag
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Usage != "" && !flag.Hidden {
			all = append(all, flag)
		}
	})
	return all
}

// takesValue reports whether the next word is the flag's value.
func takesValue(f *pflag.Flag) bool { return f.NoOptDefVal == "" }

// repeats reports whether a flag may be given more than once.
func repeats(f *pflag.Flag) bool {
	kind := f.Value.Type()
	return strings.HasSuffix(kind, "Slice") || strings.HasSuffix(kind, "Array")
}

var (
	aside   = regexp.MustCompile(` \([^)]*\)`)
	choices = regexp.MustCompile(`: ([a-z0-9-]+(?:, [a-z0-9-]+)* or [a-z0-9-]+)$`)
)

// listed returns the values of a flag that its help lists, as in "log from LEVEL on: debug, info, warn or error".
func listed(f *pflag.Flag) []string {
	_, text := pflag.UnquoteUsage(f)
	found := choices.FindStringSubmatch(aside.ReplaceAllString(text, ""))
	if found == nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(found[1], " or ", ", "), ", ")
}
