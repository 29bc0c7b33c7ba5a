package sanitise

import "regexp"

// Editors obey some lines of the files that they open: Vim and Neovim the mode lines among the first and the
// last five, Emacs the local variables at the end and the first line, Kate its variables in ten lines of either
// end. An answer at the end of a note stands there, and must not hold one.
var modeLine = regexp.MustCompile(`((?:^|\s)(?:vi|[vV]im)(?:[<=>]?\d+)?|(?i:Local Variables)|\b(?i:kate)(?:-[^:\s]*)?):|((?:^|\s)ex):(\s*(?:set?\s|[a-z]+[=:]))|-\*-`)

// WithoutModeLine returns a text that no editor takes for an order when it is a part of a file.
func WithoutModeLine(text string) string {
	return modeLine.ReplaceAllStringFunc(text, func(found string) string {
		if found == "-*-" {
			return "- * -"
		}
		return modeLine.ReplaceAllString(found, "$1$2 :$3")
	})
}
