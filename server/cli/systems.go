package cli

import (
	"context"
	"fmt"
	"strconv"

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
}

func systemsCommand() command {
	var asJSON bool
	return command{
		name:    "systems",
		summary: "list the ways of answering",
		details: `
Lists the systems that --system and the setting answer.system name, with the
calls of models that one question costs at most. Also, auto takes misknow/merged
if a model is set up and offline otherwise, and thorough takes the system that
the setting answer.thorough names. Systems marked with a gate decide by what
"lacuna gate train --policy NAME" has learnt.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object a line") },
		run:   func(_ context.Context, p *program, _ []string) error { return p.systems(asJSON) },
	}
}

func (p *program) systems(asJSON bool) error {
	wide, paper := 0, ""
	for _, s := range systems.All() {
		wide = max(wide, len(s.ID))
	}
	for _, s := range systems.All() {
		if asJSON {
			if err := p.printJSON(systemJSON{s.ID, s.Name, s.Paper, s.Models, s.Calls, s.Gate}); err != nil {
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
