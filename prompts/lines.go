package prompts

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// labelled reads lines such as "Thought: …", "- Knowledge 1: …", "## Queries" and "查询：…" into an
// object, whose values are texts. What follows a label belongs to it up to the next one. start is where
// the first label stands.
func labelled(text string, fields []field) (values object, start int) {
	values = object{}
	label := ""
	at := 0
	for line := range strings.Lines(text) {
		begin := at
		at += len(line)
		line = strings.TrimSpace(line)
		name, value, is := splitLabel(line, fields)
		switch {
		case is:
			if label == "" {
				start = begin
			}
			label = name
		case label == "":
			continue
		default:
			value = line
		}
		before, _ := values[label].(string)
		if before != "" && value != "" {
			before += "\n"
		}
		values[label] = before + value
	}
	return values, start
}

var heading = regexp.MustCompile(`^(?:#+\s*.+|\*\*[^*]+\*\*)$`)

// longestLabel is how long a label may be, in bytes.
const longestLabel = 60

// splitLabel takes the label off a line, and returns the name of the field that it labels.
func splitLabel(line string, fields []field) (name, value string, is bool) {
	label, rest := line, ""
	if colon := strings.IndexAny(line, ":：="); colon >= 0 {
		_, size := utf8.DecodeRuneInString(line[colon:])
		label, rest = line[:colon], strings.TrimLeft(line[colon+size:], " \t*")
	} else if !heading.MatchString(line) {
		return "", "", false
	}
	if len(label) > longestLabel {
		return "", "", false
	}
	wanted := strings.TrimRight(folded(withoutBullet(label)), "0123456789_")
	for _, f := range fields {
		for _, known := range f {
			if wanted == known {
				return f[0], rest, true
			}
		}
	}
	return "", "", false
}
