package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge/answer/systems"
)

// systemJSON is one answering system of systems --json.
type systemJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Paper  string `json:"paper"`          // title; empty for the offline system
	Models bool   `json:"models"`         // it needs a model
	Calls  int    `json:"calls"`          // of models for one question, at most
	Gate   string `json:"gate,omitempty"` // the policy that lacuna gate train has to learn first
	// AsPublished lists what answer.as_published changes; only with NAME.
	AsPublished []differenceInPaper `json:"as_published,omitempty"`
}

// differenceInPaper is something that the product does otherwise than the paper of the system.
type differenceInPaper struct {
	What      string `json:"what"`
	Product   string `json:"product"`
	Published string `json:"published"`
}

func systemsCommand() command {
	var asJSON bool
	return command{
		name:      "systems",
		arguments: "[NAME]",
		summary:   "list the ways of answering, or describe one",
		details: `
Lists the systems that --system and the setting answer.system name, with the
calls of models that one question costs at most. Also, auto takes misknow/merged
if a model is set up and offline otherwise, and thorough takes the system that
the setting answer.thorough names. Systems marked with a gate decide by what
"lacuna gate train --policy NAME" has learnt.

With NAME, says how that system runs as published, that is with --as-published
or answer.as_published, where the product decides otherwise.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object a line") },
		run:   func(_ context.Context, p *program, args []string) error { return p.systems(asJSON, args) },
	}
}

func (p *program) systems(asJSON bool, args []string) error {
	switch {
	case len(args) > 1:
		return usagef("systems: expected one name, got %d\n%s", len(args), hint("systems"))
	case len(args) == 1:
		return p.describeSystem(args[0], asJSON)
	}
	wide, paper := 0, ""
	for _, s := range systems.All() {
		wide = max(wide, len(s.ID))
	}
	for _, s := range systems.All() {
		if asJSON {
			if err := p.printJSON(systemJSON{ID: s.ID, Name: s.Name, Paper: s.Paper, Models: s.Models, Calls: s.Calls, Gate: s.Gate}); err != nil {
				return err
			}
			continue
		}
		if s.Paper != paper {
			paper = s.Paper
			fmt.Fprintf(p.out, "\n%s\n", paper)
		}
		calls := "no model"
		if s.Models {
			calls = "calls: " + strconv.Itoa(s.Calls)
		}
		name := s.Name
		if s.Gate != "" {
			name += " (gate)"
		}
		fmt.Fprintf(p.out, "%-*s  %-10s %s\n", wide, s.ID, calls, name)
	}
	return nil
}

// describeSystem prints one system, and how its paper runs it.
func (p *program) describeSystem(id string, asJSON bool) error {
	s, known := systems.Lookup(id)
	if !known {
		return usagef("systems: no system is called %q\n%s", id, hint("systems"))
	}
	if asJSON {
		line := systemJSON{ID: s.ID, Name: s.Name, Paper: s.Paper, Models: s.Models, Calls: s.Calls, Gate: s.Gate}
		for _, d := range s.Differences() {
			line.AsPublished = append(line.AsPublished, differenceInPaper{d.What, plain(d.Product), plain(d.Published)})
		}
		return p.printJSON(line)
	}
	fmt.Fprintf(p.out, "%s: %s\n", s.ID, s.Name)
	if !s.Models {
		fmt.Fprintln(p.out, "asks no model; it is from no paper")
		return nil
	}
	fmt.Fprintf(p.out, "%s\ncalls of a model: %d at most\n", s.Paper, s.Calls)
	if s.Gate != "" {
		fmt.Fprintf(p.out, "decides by what lacuna gate train --policy %s has learnt\n", s.Gate)
	}
	fmt.Fprintln(p.out, "\nWith --as-published, instead of what stands first:")
	for _, d := range s.Differences() {
		fmt.Fprintf(p.out, "  %s: %s\n    as published: %s\n", d.What, plain(d.Product), plain(d.Published))
	}
	return nil
}

// plain removes the quotation marks of code.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }
