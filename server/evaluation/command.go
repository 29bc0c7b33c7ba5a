// Package evaluation has the sub-commands of `lacuna eval` that run experiments: systems on sets of questions, the
// papers' tables, recorded replies, comparisons of settings, and a user's own tests.
//
// Each command is one file. [Commands] lists them; package cli gives them a [Session].
package evaluation

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/server/workspace"
)

// Command is a sub-command of lacuna eval.
type Command struct {
	Name      string // such as run
	Arguments string // as the usage line shows them
	Summary   string // one line
	Details   string // paragraphs of at most 80 columns
	Asks      bool   // it asks models: its calls can be recorded and replayed
	Flags     func(*pflag.FlagSet)
	Run       func(ctx context.Context, s *Session, args []string) error
}

// Session is what a command works with: the streams of the program, made safe for a terminal, and its workspace.
type Session struct {
	In  io.Reader
	Out io.Writer
	// Status prints one line that the next one replaces; it does nothing where nobody looks at a terminal. An empty
	// line ends it.
	Status func(line string)
	Warn   func(format string, args ...any) // one line; the arguments may be untrusted
	JSON   func(value any) error            // prints a value on one line
	// Open opens the workspace with settings by dotted key on top of the user's, as flags have them, and brings its
	// index up to date. The caller closes it.
	Open func(ctx context.Context, flags map[string]string, sources ...string) (*workspace.Workspace, *knowledge.Library, error)
	// OpenAs is Open with another file in place of the user's settings.
	OpenAs func(ctx context.Context, config string, sources ...string) (*workspace.Workspace, *knowledge.Library, error)
	// Look opens the workspace as Open does, with its index as it is. The caller closes it.
	Look    func(ctx context.Context, flags map[string]string) (*workspace.Workspace, error)
	Build   any // of lacuna version --json: what a run's provenance says of the program
	Failure func(err error) string
	Replays bool // a recording stands in for the models
}

// UsageError is a mistake in the arguments or in a file that they name.
type UsageError struct{ error }

// Unwrap returns what is wrong.
func (u UsageError) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// ErrNo ends a command that did what it was asked and whose answer is "no".
var ErrNo = errors.New("the answer is no")

// ErrNothingMeasured ends a command all of whose questions failed.
var ErrNothingMeasured = errors.New("nothing could be measured")
