package usage

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Shells are those that completion is for.
var Shells = []string{"bash", "zsh", "fish", "powershell"}

//go:embed scripts
var scripts embed.FS

// Script returns what a shell has to read to complete the program's command line. It asks the program, by
// "completion SHELL -- WORD…", whose answer is [Program.Lines].
func Script(shell string) ([]byte, error) {
	if !slices.Contains(Shells, shell) {
		return nil, fmt.Errorf("no completion for %q; known: %s", shell, strings.Join(Shells, ", "))
	}
	return scripts.ReadFile("scripts/lacuna." + shell)
}

// Candidate is a word that may stand next.
type Candidate struct{ Word, About string }

// Paths says whether a path may stand next.
type Paths int

const (
	NoPaths Paths = iota
	Files
	Folders
)

// Complete returns how the last of words may go on. words are those behind the program's name; the last is what
// is typed so far, and may be empty.
func (p Program) Complete(words []string) ([]Candidate, Paths) {
	if len(words) == 0 {
		words = []string{""}
	}
	line, last := p.read(words[:len(words)-1]), words[len(words)-1]
	all, paths := line.next(last)
	return slices.DeleteFunc(all, func(c Candidate) bool {
		return !strings.HasPrefix(c.Word, last) || !harmless.MatchString(c.Word)
	}), paths
}

// harmless matches the words that mean themselves in every shell: some come from settings of a folder, and nobody looks
// twice at what a shell has put into a command.
var harmless = regexp.MustCompile(`^[\p{L}\p{N}_./=-]+$`)

// line is the part of a command line before the word that is completed.
type line struct {
	program   Program
	command   *Command // nil before its name
	help      bool     // the names of commands follow
	arguments int
	waiting   *pflag.Flag // for its value
	ended     bool        // by "--": no flag may follow
	given     map[string]string
}

func (p Program) read(words []string) line {
	l := line{program: p, given: map[string]string{}}
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case l.waiting != nil:
			l.given[l.waiting.Name], l.waiting = word, nil
		case l.ended:
			l.arguments++
		case word == "--":
			l.ended = true
		case strings.HasPrefix(word, "--"):
			name, value, joined := strings.Cut(word[2:], "=")
			l.given[name] = value
			if f := l.flag(name); f != nil && !joined && takesValue(f) {
				l.waiting = f
			}
		case l.help:
			l.arguments++
		case l.command == nil:
			l.help = word == "help"
			l.command = p.command(word)
		case l.arguments == 0 && p.command(l.command.Name+" "+word) != nil:
			l.command = p.command(l.command.Name + " " + word)
		default:
			l.arguments++
		}
	}
	return l
}

func (p Program) command(name string) *Command {
	for i := range p.Commands {
		if p.Commands[i].Name == name {
			return &p.Commands[i]
		}
	}
	return nil
}

// flag returns the flag of this name that may stand on the line, or nil.
func (l line) flag(name string) *pflag.Flag {
	if l.command != nil {
		if f := l.command.Flags.Lookup(name); f != nil {
			return f
		}
	}
	return l.program.Flags.Lookup(name)
}

// next returns what may stand next; words that do not go on from last are among it.
func (l line) next(last string) ([]Candidate, Paths) {
	switch {
	case l.waiting != nil:
		return l.values(l.waiting, "")
	case !l.ended && strings.HasPrefix(last, "--") && strings.Contains(last, "="):
		name, _, _ := strings.Cut(last[2:], "=")
		if f := l.flag(name); f != nil && takesValue(f) {
			return l.values(f, "--"+name+"=")
		}
		return nil, NoPaths
	case !l.ended && strings.HasPrefix(last, "-"):
		return l.flags(), NoPaths
	case l.help || l.command == nil:
		return l.commands(), NoPaths
	}
	return l.words()
}

// flags returns the flags that may stand on the line and do not yet.
func (l line) flags() []Candidate {
	var all []Candidate
	add := func(f *pflag.FlagSet) {
		for _, flag := range visible(f) {
			if _, given := l.given[flag.Name]; !given || repeats(flag) {
				_, about := pflag.UnquoteUsage(flag)
				all = append(all, Candidate{"--" + flag.Name, about})
			}
		}
	}
	if l.command != nil {
		add(l.command.Flags)
	}
	add(l.program.Flags)
	return append(all, Candidate{"--help", "say what may stand here"})
}

// values returns the values of a flag, each behind a prefix.
func (l line) values(f *pflag.Flag, prefix string) ([]Candidate, Paths) {
	var all []Candidate
	for _, value := range listed(f) {
		all = append(all, Candidate{prefix + value, ""})
	}
	if l.program.Values != nil {
		for _, value := range l.program.Values(f.Name, l.given) {
			all = append(all, Candidate{prefix + value, ""})
		}
	}
	kind, _ := pflag.UnquoteUsage(f)
	return all, pathsIn(kind)
}

// commands returns the names of commands that are one word, and "help" where it may stand.
func (l line) commands() []Candidate {
	var all []Candidate
	for _, c := range l.program.Commands {
		if !strings.Contains(c.Name, " ") && l.arguments == 0 {
			all = append(all, Candidate{c.Name, c.Summary})
		}
	}
	if !l.help {
		all = append(all, Candidate{"help", "say what the program or a command does"})
	}
	return all
}

// literal matches a word of a line of usage that stands as it is.
var literal = regexp.MustCompile(`^[a-z][a-z-]*$`)

// words returns the arguments that the command's line of usage names.
func (l line) words() ([]Candidate, Paths) {
	var all []Candidate
	if l.arguments == 0 {
		for _, word := range strings.FieldsFunc(l.command.Arguments, func(r rune) bool { return strings.ContainsRune(" |[]…", r) }) {
			candidate := Candidate{Word: word}
			if literal.MatchString(word) && !slices.Contains(all, candidate) {
				all = append(all, candidate)
			}
		}
		for _, c := range l.program.Commands {
			if word, below := strings.CutPrefix(c.Name, l.command.Name+" "); below {
				all = append(all, Candidate{word, c.Summary})
			}
		}
	}
	return all, pathsIn(l.command.Arguments)
}

// pathsIn returns which paths the placeholders of a line of usage, or of a flag, stand for.
func pathsIn(placeholders string) Paths {
	switch {
	case strings.Contains(placeholders, "FILE"), strings.Contains(placeholders, ".toml"):
		return Files
	case strings.Contains(placeholders, "DIR"), strings.Contains(placeholders, "FOLDER"):
		return Folders
	}
	return NoPaths
}

// Lines is what the script of a shell is told: a candidate a line, with a tab and what it is for unless the shell is bash; then
// ":files" or ":folders" where the shell's own paths may stand.
func (p Program) Lines(shell string, words []string) []string {
	behind := ""
	switch last := len(words) - 1; shell {
	case "bash":
		words, behind = joined(words)
	case "powershell": // older ones drop an empty argument, so that the last has a sign in front
		if last >= 0 {
			words = append(slices.Clone(words[:last]), strings.TrimPrefix(words[last], "="))
		}
	}
	candidates, paths := p.Complete(words)
	var lines []string
	for _, c := range candidates {
		text := strings.TrimPrefix(c.Word, behind)
		if shell != "bash" && c.About != "" {
			text += "\t" + c.About
		}
		lines = append(lines, text)
	}
	switch paths {
	case Files:
		lines = append(lines, ":files")
	case Folders:
		lines = append(lines, ":folders")
	}
	return lines
}

// joined undoes that bash divides words at "=": "--style", "=", "no" is one word. bash puts candidates in place of the last of
// them, so that they have to come without what stands before it, which is returned as behind.
func joined(words []string) (whole []string, behind string) {
	for i := 0; i < len(words); i++ {
		divided := i+1 < len(words) && words[i+1] == "=" && strings.HasPrefix(words[i], "--")
		if !divided {
			whole, behind = append(whole, words[i]), ""
			continue
		}
		behind = words[i] + "="
		word := behind
		if i++; i+1 < len(words) {
			i++
			word += words[i]
		}
		whole = append(whole, word)
	}
	return whole, behind
}
