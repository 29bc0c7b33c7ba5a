package dataset

import (
	"fmt"
	"strings"
)

// Fault says what is wrong with a data set, and where.
type Fault struct {
	File  string
	Line  int    // from 1; 0 means the whole file
	Field string // empty if it is about the row
	Why   string
	Form  string // what the file was read as; empty if it has no known form
}

// Error implements error.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	b.WriteString(": ")
	if f.Field != "" {
		fmt.Fprintf(&b, "the field %q: ", f.Field)
	}
	b.WriteString(f.Why)
	if f.Form != "" {
		fmt.Fprintf(&b, " (read as %s)", f.Form)
	}
	return b.String()
}
