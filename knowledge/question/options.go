package question

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"lacuna/prompts"
)

// Option is an answer to choose from.
type Option = prompts.Option

// Bounds of what is taken for options.
const (
	mostOptions = 10
	longestText = 600 // bytes of one option
)

// optionMark matches the letter before an option, alone or in emphasis, with the sign behind it. A colon is none: it
// stands behind who speaks in a dialogue.
var optionMark = regexp.MustCompile(`^(?:\*\*|__|\*|_)?([(（\[]?)([A-Ja-j])([.)\]．。、）])(?:\*\*|__|\*|_)?(?:[ \t]+|$)|^(?:\*\*)?([(（]?)([A-J])([．。、）])(?:\*\*)?`)

// optionStart is how one option begins. The letters of a choice are all in one case.
type optionStart struct {
	letter byte // in upper case
	lower  bool
	text   string
}

// startOfOption reads the beginning of a line that may list an option.
func startOfOption(line string) (optionStart, bool) {
	found := optionMark.FindStringSubmatch(line)
	if found == nil {
		return optionStart{}, false
	}
	open, letter, shut := found[1]+found[4], found[2]+found[5], found[3]+found[6]
	if (open == "(" || open == "（" || open == "[") != (shut == ")" && open != "" || shut == "）" && open != "" || shut == "]") {
		return optionStart{}, false
	}
	return optionStart{strings.ToUpper(letter)[0], letter[0] >= 'a', strings.TrimSpace(line[len(found[0]):])}, true
}

// OptionReader reads options from lines that follow a question.
type OptionReader struct {
	lines  []optionStart
	single bool // each line has one option, whatever letters stand in it
}

// Add reads a line without a list marker. It reports whether the line lists the next option, and no line after one
// that does not is to be read.
func (r *OptionReader) Add(line string) bool {
	start, ok := startOfOption(line)
	switch {
	case !ok, len(r.lines) == mostOptions, len(r.lines) > 0 && start.lower != r.lines[0].lower:
		return false
	case start.letter == byte('A'+r.count()):
	case start.letter == byte('A'+len(r.lines)):
		r.single = true
	default:
		return false
	}
	r.lines = append(r.lines, start)
	return true
}

// Continue adds a line to the text of the last option.
func (r *OptionReader) Continue(line string) {
	last := &r.lines[len(r.lines)-1]
	last.text = strings.TrimSpace(last.text + " " + line)
}

// count returns how many options the lines list; a line may have several beside each other.
func (r *OptionReader) count() int {
	n := 0
	for _, line := range r.lines {
		n += len(r.beside(line))
	}
	return n
}

// ticks mark the right option in people's notes; they are no part of it.
const ticks = " \t✓✔✅☑️"

// Options returns what was read; nil if it is not a choice: fewer than two options, one without text, or questions of
// their own.
func (r *OptionReader) Options() []Option {
	var options []Option
	asking := 0
	for _, line := range r.lines {
		for _, start := range r.beside(line) {
			text := strings.TrimRight(strings.TrimSpace(start.text), ticks)
			if text == "" || len(text) > longestText || !utf8.ValidString(text) {
				return nil
			}
			if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
				asking++
			}
			options = append(options, Option{Letter: string(rune(start.letter)), Text: text})
		}
	}
	if len(options) < 2 || len(options) > mostOptions || 2*asking > len(options) {
		return nil
	}
	return options
}

// gap is what stands before a further option on the same line.
var gap = regexp.MustCompile(`[ \t　]+|[；;，,][ \t]*`)

// beside returns the options of one line: its own, and those beside it with the letters that follow.
func (r *OptionReader) beside(line optionStart) []optionStart {
	all := []optionStart{line}
	for !r.single {
		last := &all[len(all)-1]
		split := false
		for _, at := range gap.FindAllStringIndex(last.text, -1) {
			next, ok := startOfOption(last.text[at[1]:])
			if ok && at[0] > 0 && !next.lower && !line.lower && next.letter == last.letter+1 && next.text != "" {
				text := last.text
				last.text = text[:at[0]]
				all = append(all, next)
				split = true
				break
			}
		}
		if !split {
			break
		}
	}
	return all
}

// SplitOptions splits a text into a question and the options in the lines after it; none if it has none.
func SplitOptions(text string) (asked string, options []Option) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if start, ok := startOfOption(withoutBullet(line)); i == 0 || !ok || start.letter != 'A' {
			continue
		}
		var r OptionReader
		for _, option := range lines[i:] {
			option = withoutBullet(option)
			switch {
			case option == "":
			case r.Add(option):
			case len(r.lines) > 0 && r.count() >= 2:
				r.Continue(option)
			default:
				r = OptionReader{}
			}
		}
		if options := r.Options(); options != nil {
			return strings.TrimSpace(strings.Join(lines[:i], "\n")), options
		}
	}
	return text, nil
}

// withoutBullet returns a line without white space around it and without the marker of a list.
func withoutBullet(line string) string {
	line = strings.TrimSpace(line)
	for _, marker := range []string{"- ", "* ", "+ ", "• "} {
		line = strings.TrimSpace(strings.TrimPrefix(line, marker))
	}
	return line
}
