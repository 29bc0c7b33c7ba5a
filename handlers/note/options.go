package note

import (
	"regexp"
	"strings"
)

// Options of a question stand on the lines below it: items of a list or lines that begin with A., A), (A), or what the
// language has for that. They belong to the question, so that its answer goes below them. A single letter, or letters
// that do not begin with A, are text like any other.

// optionKind says what a line can be in a list of options.
type optionKind int

const (
	optionText    optionKind = iota // an option, or what goes on with one
	aroundOptions                   // what stands around the list, such as the beginning of an environment
	endOfOptions                    // what closes it
)

// letters gives the options of a list letters where the language numbers them itself.
type letters struct {
	open bool // in such a list
	next byte
}

// mark puts the next letter before the text of an option.
func (l *letters) mark(text string) string {
	if l.next == 0 {
		l.next = 'A'
	}
	marked := string(rune(l.next)) + ". " + text
	l.next++
	return marked
}

var optionItem = regexp.MustCompile(`^[-*+•‣][ \t]+(?:\[[ xX]\][ \t]+)?`)

// plainOption reads a line that may list an option: an item of a list, or a line by itself.
func plainOption(text string, _ *letters) (string, optionKind) {
	return strings.TrimSuffix(text[len(optionItem.FindString(text)):], `\`), optionText
}

var (
	latexOption   = regexp.MustCompile(`^\\item[ \t]*\[\(?([A-Ja-j])[.):]?\][ \t]*`)
	latexChoice   = regexp.MustCompile(`^\\(?:[cC]orrect)?[cC]hoice\b[ \t]*`)
	latexAnyItem  = regexp.MustCompile(`^\\item\b[ \t]*`)
	latexLettered = regexp.MustCompile(`^\\begin\{(?:choices|oneparchoices|checkboxes)\}|^\\begin\{enumerate\}\[.*(?:\\[aA]lph|[Aa]\)|[Aa]\.)`)
	latexListing  = regexp.MustCompile(`^\\begin\{(?:choices|oneparchoices|checkboxes|enumerate|itemize|description|tasks)\}`)
	latexListed   = regexp.MustCompile(`^\\end\{(?:choices|oneparchoices|checkboxes|enumerate|itemize|description|tasks)\}`)
)

// latexOptionOf reads a line of a list: its environment, or an item with its letter, which the environment may give.
func latexOptionOf(text string, l *letters) (string, optionKind) {
	switch {
	case latexListing.MatchString(text):
		l.open = latexLettered.MatchString(text)
		return text, aroundOptions
	case latexListed.MatchString(text):
		return text, endOfOptions
	}
	if found := latexOption.FindStringSubmatch(text); found != nil {
		return found[1] + ". " + text[len(found[0]):], optionText
	}
	if choice := latexChoice.FindString(text); choice != "" {
		return l.mark(text[len(choice):]), optionText
	}
	if item := latexAnyItem.FindString(text); item != "" {
		if text = text[len(item):]; l.open {
			text = l.mark(text)
		}
		return text, optionText
	}
	return strings.TrimSpace(strings.TrimSuffix(text, `\\`)), optionText
}

// asciidocOption knows the lists that the language itself letters.
func asciidocOption(text string, l *letters) (string, optionKind) {
	if text == "[upperalpha]" || text == "[loweralpha]" {
		l.open = true
		return text, aroundOptions
	}
	if item, ok := strings.CutPrefix(text, ". "); ok && l.open {
		return l.mark(item), optionText
	}
	return strings.TrimSuffix(strings.TrimLeft(text, "* \t"), " +"), optionText
}
