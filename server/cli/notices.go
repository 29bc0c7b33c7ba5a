package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// notices is a log for the person at the terminal: what the workspace has to say, a line each, without
// time and level.
type notices struct {
	p     *program
	attrs string
}

// Enabled implements [slog.Handler].
func (notices) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements [slog.Handler]. An error comes last, behind a colon.
func (n notices) Handle(_ context.Context, r slog.Record) error {
	details, cause := n.attrs, ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" {
			cause = ": " + a.Value.String()
		} else {
			details += ", " + a.String()
		}
		return true
	})
	if details = strings.TrimPrefix(details, ", "); details != "" {
		details = " (" + details + ")"
	}
	n.p.warn("%s%s%s", r.Message, details, cause)
	return nil
}

// WithAttrs implements [slog.Handler].
func (n notices) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		n.attrs += fmt.Sprintf(", %s", a)
	}
	return n
}

// WithGroup implements [slog.Handler]. Nobody at a terminal asks for groups.
func (n notices) WithGroup(string) slog.Handler { return n }
