package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/handlers/settings"
	"lacuna/server/workspace"
)

// configJSON is the output of config --json.
type configJSON struct {
	Workspace     string             `json:"workspace"`
	UserFile      string             `json:"user_file"`
	WorkspaceFile string             `json:"workspace_file"`
	Settings      []settings.Entry   `json:"settings"`
	Problems      []settings.Problem `json:"problems"`
}

func configCommand() command {
	var asJSON bool
	return command{
		name:    "config",
		summary: "show the effective configuration and where each value came from",
		details: `
Prints every setting with its value and the layer that set it, and what was
wrong with the configuration. Layers, later ones stronger: defaults, your own
settings file, environment (LACUNA_…), the workspace's .lacuna.toml, flags. Keys
and headers are never shown. The exit code is 2 when something was wrong.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object") },
		run:   func(_ context.Context, p *program, _ []string) error { return p.config(asJSON) },
	}
}

func (p *program) config(asJSON bool) error {
	root, err := p.root("")
	if err != nil {
		return err
	}
	loaded := settings.Load(settings.Request{Root: root, UserFile: p.globals.config, Flags: p.globals.settings()})
	workspace.RememberSecrets(loaded.Settings)
	userFile := p.globals.config
	if userFile == "" {
		userFile = settings.UserFilePath()
	}
	shown := configJSON{
		Workspace: root, UserFile: userFile, WorkspaceFile: filepath.Join(root, settings.File),
		Settings: loaded.Entries(), Problems: append([]settings.Problem{}, loaded.Problems...),
	}
	if asJSON {
		err = p.printJSON(shown)
	} else {
		printConfig(p, shown)
	}
	if err == nil && len(loaded.Problems) > 0 {
		return exitCode(exitUsage)
	}
	return err
}

func printConfig(p *program, c configJSON) {
	fmt.Fprintf(p.out, "workspace       %s\nuser file       %s\nworkspace file  %s\n\n", printable(c.Workspace), printable(c.UserFile), printable(c.WorkspaceFile))
	for _, e := range c.Settings {
		if e.Value == "" && e.Origin.Layer == settings.Defaults {
			continue // not set, and nothing by default
		}
		fmt.Fprintf(p.out, "%s = %s  # %s\n", printable(e.Key), printable(fmt.Sprint(e.Value)), printable(e.Origin.String()))
	}
	if len(c.Problems) > 0 {
		fmt.Fprintln(p.out, "\nproblems:")
	}
	for _, problem := range c.Problems {
		fmt.Fprintf(p.out, "  %s\n", strings.TrimSpace(printable(problem.String())))
	}
}
