package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
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
		fmt.Fprintln(p.out, "no text of this workspace may be sent to another machine")
	}
	return nil
}

// auditOptions holds the flags of lacuna audit.
type auditOptions struct{ json, csv, verify bool }

func auditCommand() command {
	var o auditOptions
	return command{
		name:    "audit",
		summary: "show what was sent to models",
		details: `
Prints every request of this workspace to a model, oldest first: when, where,
for which stage, how much, and the hash of what was sent. Each line of the audit
holds the hash of the line before it, and that of the last line is kept in
another folder. --verify only checks these hashes; the exit code is 1 if one
does not match. This detects a line that was changed or removed, also the last,
but not that both files were rewritten.

--json and --csv export the audit, an object or a row for each request, for
whoever must be shown what left this machine.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.json, "json", false, "print one JSON object a line")
			f.BoolVar(&o.csv, "csv", false, "print a table, divided by commas")
			f.BoolVar(&o.verify, "verify", false, "only check the hashes")
		},
		run: func(ctx context.Context, p *program, _ []string) error { return p.audit(ctx, o) },
	}
}

func (p *program) audit(ctx context.Context, o auditOptions) error {
	w, err := p.open(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
	lines := 0
	table := csv.NewWriter(p.out)
	if o.csv {
		if err := table.Write([]string{"time", "workspace", "host", "model", "role", "stage", "status", "failure", "bytes", "prompt_tokens", "completion_tokens", "redacted", "sha256"}); err != nil {
			return err
		}
	}
	torn, err := w.Audit(func(a workspace.AuditRecord) error {
		lines++
		switch {
		case o.verify:
			return nil
		case o.csv:
			row := []string{
				a.Time.Format(time.RFC3339), a.Workspace, a.Host, a.Model, string(a.Role), a.Stage, strconv.Itoa(a.Status), a.Failure,
				strconv.Itoa(a.Bytes), strconv.Itoa(a.Prompt), strconv.Itoa(a.Completion), a.Redacted, a.SHA256,
			}
			for i := range row {
				row[i] = printable(row[i])
			}
			return table.Write(row)
		case o.json:
			return p.printJSON(a)
		}
		p.printAuditRecord(a)
		return nil
	})
	table.Flush()
	if torn > 0 {
		p.warn("%s in %s was cut off while it was written, as by a power failure; its request is not listed", count(torn, "line"), w.AuditFile())
	}
	if errors.Is(err, workspace.ErrChain) {
		p.warn("%v", err)
		return errNo
	}
	if err == nil && !o.json && !o.csv && (o.verify || lines == 0) {
		fmt.Fprintf(p.out, "%s in %s\n", count(lines, "request"), w.AuditFile())
	}
	return err
}

func (p *program) printAuditRecord(a workspace.AuditRecord) {
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

// forgetOptions holds the flags of lacuna forget.
type forgetOptions struct{ all, yes bool }

func forgetCommand() command {
	var o forgetOptions
	return command{
		name:    "forget",
		summary: "remove everything that is stored about this workspace, or about all",
		details: `
Removes what Lacuna has stored about this workspace: the index, the audit,
cached replies, consent, gaps, accepted answers and labels. With --all it does
so for every workspace, and removes the text of scanned pages, temporary indexes
that were left behind and the log as well. Then it looks again, and says whether
anything is left.

Without --yes it only lists what would be removed. Your notes, your sources and
your settings stay. Close your editors first: a server that is running stores
again what it knows.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.all, "all", false, "forget all workspaces")
			f.BoolVar(&o.yes, "yes", false, "remove it")
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			w, err := p.open(ctx, "")
			if err != nil {
				return err
			}
			return errors.Join(p.forget(w, o), w.Close())
		},
	}
}

func (p *program) forget(w *workspace.Workspace, o forgetOptions) error {
	traces, err := w.Traces(o.all)
	if err != nil {
		return err
	}
	for _, t := range traces {
		fmt.Fprintf(p.out, "%s  %s\n", printable(t.Path), count(t.Files, "file"))
	}
	if !o.yes {
		fmt.Fprintln(p.out, "nothing was removed; with --yes all of this is")
		return nil
	}
	left, err := w.ForgetTraces(o.all)
	for _, t := range left {
		p.warn("%s is still there", t.Path)
	}
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return errNo
	}
	fmt.Fprintln(p.out, "removed; nothing of it is left. Your notes, sources and settings are as they were; so are copies that an editor, a backup or a model's server keeps")
	return nil
}
