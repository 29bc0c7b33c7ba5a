package passage

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// typed brings characters that differ by typesetting alone together.
var typed = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-")

// Folded returns a text as quotations are compared: compatibility forms of characters made one,
// without case, with straight quotation marks, plain dashes and single spaces.
func Folded(text string) string {
	return strings.Join(strings.Fields(typed.Replace(strings.ToLower(norm.NFKC.String(text)))), " ")
}
