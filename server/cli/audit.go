package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"lacuna/server/workspace"
)

// auditOptions are the flags of lacuna audit.
type auditOptions struct{ json, verify bool }

func auditCommand() command {
	var o auditOptions
	return command{
		name:    "audit",
		summary: "show what was sent to models",
		details: `
Prints every request of this workspace to a model, oldest first: when, where,
for which stage, how much, and the hash of what was sent. Each line of the audit
holds the hash of the line before it. With --verify nothing is printed but
whether the lines follow from one another; the exit code is 1 when one does not.
That shows a line which somebody changed or took out; it does not show a file
that was written anew as a whole, or that lost its last lines.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.json, "json", false, "print one JSON object a line")
			f.BoolVar(&o.verify, "verify", false, "only check that the lines follow from one another")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			if err := noArguments("audit", args); err != nil {
				return err
			}
			return p.audit(ctx, o)
		},
	}
}

func (p *program) audit(ctx context.Context, o auditOptions) error {
	w, err := p.open(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
	lines := 0
	torn, err := w.Audit(func(a workspace.Audited) error {
		lines++
		switch {
		case o.verify:
			return nil
		case o.json:
			return p.printJSON(a)
		}
		p.printAudited(a)
		return nil
	})
	if torn > 0 {
		p.warn("%s in %s was cut off while it was written, as by a loss of power; the request of it is not in the list", count(torn, "line"), w.AuditFile())
	}
	if errors.Is(err, workspace.ErrChain) {
		p.warn("%v", err)
		return errNo
	}
	if err == nil && !o.json && (o.verify || lines == 0) {
		fmt.Fprintf(p.out, "%s in %s\n", count(lines, "request"), w.AuditFile())
	}
	return err
}

func (p *program) printAudited(a workspace.Audited) {
	outcome := fmt.Sprint(a.Status)
	if a.Failure != "" {
		outcome += " " + a.Failure
	}
	redacted := ""
	if a.Redacted != "" {
		redacted = ", replaced: " + printable(a.Redacted)
	}
	fmt.Fprintf(p.out, "%s  %s  %s  %s %s  %s, %d + %d tokens, %s%s\n", a.Time.Local().Format("2006-01-02 15:04:05"),
		printable(a.Host), printable(a.Model), a.Role, a.Stage, count(a.Bytes, "byte"), a.Prompt, a.Completion, outcome, redacted)
}
