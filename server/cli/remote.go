package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers/messages"
	"lacuna/handlers/settings"
	"lacuna/knowledge/remote"
	"lacuna/knowledge/share"
	"lacuna/server/workspace"
)

// engineKey is the variable with the key of an engine that a source is pushed into.
const engineKey = "LACUNA_ENGINE_KEY"

func remoteCommand() command {
	var asJSON bool
	return command{
		name:      "remote",
		arguments: "status",
		summary:   "say how the engines of your sources are",
		details: `
Asks each engine that keeps a source of yours for its nodes, for what is current
of the source, and how many passages its replicas count, and says what its
administrator should change. Nothing of any note is sent. docs/teams.md has how
a source comes into an engine. The exit code is 1 if one cannot be asked, or its
replicas do not have all.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object for each source") },
		run: func(ctx context.Context, p *program, args []string) error {
			if len(args) != 1 || args[0] != "status" {
				return usagef("remote: give status\n%s", hint("remote"))
			}
			w, err := p.look(ctx)
			if err != nil {
				return err
			}
			defer w.Close()
			return p.remoteStatus(ctx, w, asJSON)
		},
	}
}

// remoteJSON is the output of remote status --json for a source.
type remoteJSON struct {
	Source    string      `json:"source"`
	Host      string      `json:"host"`
	Version   string      `json:"version,omitempty"`
	Number    int         `json:"number,omitempty"`
	Published *time.Time  `json:"published,omitempty"`
	Passages  int         `json:"passages,omitempty"`
	Complete  bool        `json:"complete"` // every replica has everything
	Nodes     []nodeJSON  `json:"nodes,omitempty"`
	Replicas  []countJSON `json:"collections,omitempty"`
	Warnings  []string    `json:"warnings,omitempty"`
	Error     string      `json:"error,omitempty"`
}

type nodeJSON struct {
	Name    string `json:"name"`
	Healthy bool   `json:"healthy"`
	Objects int    `json:"objects"`
}

type countJSON struct {
	Collection string `json:"collection"`
	Least      int    `json:"least"`
	Most       int    `json:"most"`
	Replicas   int    `json:"replicas"`
}

func remoteOf(s workspace.EngineState) remoteJSON {
	line := remoteJSON{Source: s.Source, Host: s.Host, Version: s.Status.Version, Warnings: s.Status.Warnings}
	if s.Card != nil {
		published := s.Card.Head().Published
		line.Number, line.Published, line.Passages = s.Card.Head().Number, &published, s.Card.Len()
	}
	for _, n := range s.Status.Nodes {
		line.Nodes = append(line.Nodes, nodeJSON(n))
	}
	least, most := 0, 0
	for _, name := range slices.Sorted(maps.Keys(s.Counts)) {
		c := s.Counts[name]
		least, most = least+c.Least, most+c.Most
		line.Replicas = append(line.Replicas, countJSON{name, c.Least, c.Most, c.Replicas})
	}
	line.Complete = s.Err == nil && s.Card != nil && least == s.Card.Len() && most == least
	if s.Err != nil {
		line.Error = messages.Sanitise(s.Err.Error(), nil)
	}
	return line
}

func (p *program) remoteStatus(ctx context.Context, w *workspace.Workspace, asJSON bool) error {
	states := w.EngineStates(ctx)
	if len(states) == 0 {
		return usagef("remote: no source of your settings is kept by an engine\n%s", hint("remote"))
	}
	whole := true
	for _, s := range states {
		line := remoteOf(s)
		whole = whole && line.Complete
		if asJSON {
			if err := p.printJSON(line); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(p.out, "%s in %s", printable(line.Source), printable(line.Host))
		if line.Version != "" {
			fmt.Fprintf(p.out, " (%s)", printable(line.Version))
		}
		fmt.Fprintln(p.out)
		if s.Card != nil {
			fmt.Fprintf(p.out, "  %s\n", printable(messages.EngineCard(line.Source, line.Number, *line.Published, line.Passages)))
		}
		for _, n := range line.Nodes {
			state := "healthy"
			if !n.Healthy {
				state = "NOT healthy"
			}
			fmt.Fprintf(p.out, "  node %s: %s, %d objects\n", printable(n.Name), state, n.Objects)
		}
		for _, c := range line.Replicas {
			fmt.Fprintf(p.out, "  %s: %d to %d passages on %d replicas\n", printable(c.Collection), c.Least, c.Most, c.Replicas)
		}
		for _, warning := range line.Warnings {
			fmt.Fprintf(p.out, "  warning: %s\n", printable(warning))
		}
		if line.Error != "" {
			fmt.Fprintf(p.out, "  could not be asked: %s\n", printable(line.Error))
		}
	}
	if !whole {
		return errNo
	}
	return nil
}

// engineOptions holds the flags of lacuna push that are for engines.
type engineOptions struct {
	grpc             []string
	shards, replicas int
	check            int
}

func (o *engineOptions) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.grpc, "grpc", nil, "push into the engine whose gRPC interface is at `HOST:PORT`, and whose REST interface --to names")
	f.IntVar(&o.shards, "shards", 0, "divide each collection of an engine into `N` shards (default: its choice)")
	f.IntVar(&o.replicas, "replicas", 0, "keep `N` replicas of each shard (default: its choice)")
	f.IntVar(&o.check, "check", 200, "make it current only if the first ten hits of `N` searches are those of the index")
}

// pushIntoEngine pushes a source into an engine and prints the table for those who ask it.
func (p *program) pushIntoEngine(ctx context.Context, w *workspace.Workspace, o pushOptions, key *share.Key, name string) error {
	if w.Settings().Offline {
		return usageError{errors.New("push: an engine needs a connection, and the setting offline forbids all")}
	}
	setting := settings.EngineSource{Name: name, Engine: "weaviate", Address: strings.Split(o.to, ","), GRPC: o.engine.grpc, Publisher: key.Public}
	if len(setting.Address) != len(setting.GRPC) {
		return usagef("push: --to names %d REST interfaces and --grpc %d; each node has both\n%s", len(setting.Address), len(setting.GRPC), hint("push"))
	}
	if os.Getenv(engineKey) != "" {
		setting.KeyEnv = engineKey
	}
	cluster, err := workspace.Cluster(ctx, setting)
	if err != nil {
		return usageError{fmt.Errorf("push: %w", err)}
	}
	defer cluster.Close()
	source, err := w.Pushable(ctx, name, nil)
	if err != nil {
		return err
	}
	defer source.Close()
	if len(source.Withheld) > 0 && !o.asJSON {
		p.warn("%s", messages.PublicationWithheld(source.Withheld))
	}
	compared := 0
	pushed, err := source.Push(ctx, cluster, remote.Options{
		Key: key, Now: p.now(), Shards: o.engine.shards, Replicas: o.engine.replicas,
		Check: func(ctx context.Context, g *remote.Generation) (err error) {
			compared, err = workspace.CheckPushed(ctx, source.Library, g, o.engine.check)
			return err
		},
		Progress: p.newCounter("pushed"),
	})
	if err != nil {
		return fmt.Errorf("nothing was made current: %w", err)
	}
	if !pushed.Unchanged {
		w.RecordPushed(setting.GRPC[0], pushed, p.now())
	}
	if o.asJSON {
		return p.printJSON(enginePushJSON{name, o.to, pushed.Head.Number, key.Public, pushed.Objects, pushed.Unchanged, compared, source.Withheld})
	}
	fmt.Fprintln(p.out, printable(messages.EnginePushed(name, o.to, pushed, compared)))
	fmt.Fprintf(p.out, "others ask it with this in their own settings file:\n\n%s", settings.EngineTable(setting))
	return nil
}

// enginePushJSON is the output of push --json into an engine.
type enginePushJSON struct {
	Source    string   `json:"source"`
	Engine    string   `json:"engine"`
	Number    int      `json:"number"`
	Key       string   `json:"key"`
	Passages  int      `json:"passages"`
	Unchanged bool     `json:"unchanged,omitempty"`
	Compared  int      `json:"compared"`
	Withheld  []string `json:"withheld,omitempty"`
}

// newCounter returns what shows on a terminal how many of all have been done.
func (p *program) newCounter(what string) func(done, total int) {
	began, at := time.Now(), time.Time{}
	return func(done, total int) {
		now := time.Now()
		if isTerminal(p.console) && now.Sub(began) > patience && now.Sub(at) > time.Second/4 {
			at = now
			fmt.Fprintf(p.console, "\r\x1b[Klacuna: %s %d of %d", what, done, total)
		}
		if done == total && !at.IsZero() {
			fmt.Fprint(p.console, "\r\x1b[K")
		}
	}
}

// remotes checks the engines of the sources.
func (d *doctor) remotes(ctx context.Context, w *workspace.Workspace) {
	for _, s := range w.EngineStates(ctx) {
		line := remoteOf(s)
		switch {
		case line.Error != "":
			d.add("engine", faulty, "%s in %s: %s", line.Source, line.Host, line.Error)
		case !line.Complete:
			d.add("engine", faulty, "%s in %s: the replicas do not have all of its %d passages", line.Source, line.Host, line.Passages)
		default:
			d.add("engine", healthy, "%s in %s: number %d, %d passages on every replica", line.Source, line.Host, line.Number, line.Passages)
		}
		for _, warning := range line.Warnings {
			d.add("engine", noted, "%s: %s", line.Host, warning)
		}
	}
}
