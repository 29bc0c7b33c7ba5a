package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"lacuna/server/workspace"
)

func consentCommand() command {
	var asJSON bool
	return command{
		name:      "consent",
		arguments: "[list | allow HOST | forget [HOST]]",
		summary:   "say which hosts may be sent text of this workspace",
		details: `
Before text of a workspace is sent to another machine for the first time, Lacuna
asks. This lists what was answered, allows a host of the settings beforehand,
and takes back what was allowed, for one host or for all. Models on this machine
need no consent.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "list as one JSON object a line") },
		run: func(ctx context.Context, p *program, args []string) error {
			w, err := p.open(ctx, "")
			if err != nil {
				return err
			}
			defer w.Close()
			return p.consent(ctx, w, asJSON, args)
		},
	}
}

func (p *program) consent(ctx context.Context, w *workspace.Workspace, asJSON bool, args []string) error {
	verb, host := "list", ""
	if len(args) > 0 {
		verb = args[0]
	}
	if len(args) > 1 {
		host = args[1]
	}
	switch {
	case len(args) > 2, verb == "list" && host != "", verb == "allow" && host == "":
		return usagef("consent: give list, allow HOST, forget or forget HOST\n%s", hint("consent"))
	case verb == "list":
		return p.listConsents(w, asJSON)
	case verb == "allow":
		allowed, err := w.Allow(ctx, host)
		if err != nil {
			return usageError{fmt.Errorf("consent: %w", err)}
		}
		fmt.Fprintf(p.out, "text of %s may be sent to %s\n", w.Root(), allowed)
		return nil
	case verb == "forget":
		return w.Forget(ctx, host)
	}
	return usagef("consent: unknown %q; known: list, allow, forget\n%s", verb, hint("consent"))
}

func (p *program) listConsents(w *workspace.Workspace, asJSON bool) error {
	consents := w.Consents()
	for _, c := range consents {
		if asJSON {
			if err := p.printJSON(c); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(p.out, "%s  since %s\n", printable(c.Host), c.Since.Local().Format(time.DateOnly))
	}
	if len(consents) == 0 && !asJSON {
		fmt.Fprintln(p.out, "text of this workspace may be sent to no other machine")
	}
	return nil
}
