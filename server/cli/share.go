package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers/messages"
	"lacuna/handlers/settings"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/remote"
	"lacuna/knowledge/share"
	"lacuna/knowledge/share/web"
	"lacuna/server/workspace"
)

// shareAuthorization is the variable with the header that a web server asks for.
const shareAuthorization = "LACUNA_SHARE_AUTHORIZATION"

// pushOptions holds the flags of lacuna push.
type pushOptions struct {
	to, key, publisher   string
	dry, replace, asJSON bool
	engine               engineOptions
}

func pushCommand() command {
	var o pushOptions
	return command{
		name:      "push",
		arguments: "SOURCE --to PLACE",
		summary:   "publish a source, signed, for others to mirror",
		details: `
Publishes the files of a source that are searched into a folder, as on a file
share, or onto a web server that takes PUT. Private files are withheld. What is
there already is not sent again, and those who read see the last publication
until this one is whole. A folder may be copied to any web server: the file
"head" last.

With --grpc the source goes into an engine on one or several servers, for
collections that are too large or too sensitive for every machine: what is asked
goes there, and answers are those of your index. Its API key is taken from
LACUNA_ENGINE_KEY.

The publication is signed with the key in publisher.key beside your settings,
which the first push makes. Keep a copy of that file: others accept no other
key. "lacuna pull" mirrors a publication; docs/teams.md describes both.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.to, "to", "", "publish into the folder or at the https address `PLACE`")
			f.BoolVar(&o.dry, "dry-run", false, "only list the files that would be published")
			f.StringVar(&o.key, "key", "", "sign with the key in `FILE` (default: publisher.key beside your settings)")
			f.StringVar(&o.publisher, "publisher", "lacuna", "call a key that is made `NAME`")
			f.BoolVar(&o.replace, "replace", false, "publish over what another key signed or another source, and send all of it again: what is there may be damaged")
			o.engine.flags(f)
			f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.push(ctx, o, args) },
	}
}

// pushJSON is the output of push --json.
type pushJSON struct {
	Source    string   `json:"source"`
	Place     string   `json:"place"`
	Number    int      `json:"number,omitempty"`
	Key       string   `json:"key,omitempty"`
	Files     int      `json:"files"`
	Bytes     int64    `json:"bytes,omitempty"`
	Unchanged bool     `json:"unchanged,omitempty"`
	Pieces    int      `json:"new_pieces"`
	Sent      int64    `json:"new_bytes"`
	Withheld  []string `json:"withheld,omitempty"`
}

func (p *program) push(ctx context.Context, o pushOptions, args []string) error {
	if len(args) != 1 || o.to == "" {
		return usagef("push: give one source, and --to\n%s", hint("push"))
	}
	w, _, err := p.openFresh(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
	publication, withheld, err := w.Publication(args[0])
	if err != nil {
		return usageError{fmt.Errorf("push: %w", err)}
	}
	if len(o.engine.grpc) > 0 && !o.dry {
		key, err := p.publisherKey(w, o)
		if err != nil {
			return err
		}
		return p.pushIntoEngine(ctx, w, o, key, args[0])
	}
	place, done, err := sharePlace(w, o.to)
	if err != nil {
		return usageError{fmt.Errorf("push: %w", err)}
	}
	defer done()
	if len(withheld) > 0 && !o.asJSON {
		p.warn("%s", messages.PublicationWithheld(withheld))
	}
	if o.dry {
		for _, file := range publication.Files {
			fmt.Fprintln(p.out, printable(file.Name))
		}
		p.warn("%s", messages.PublicationPlan(publication.Source.Name, place.String(), len(publication.Files)))
		return nil
	}
	if len(publication.Files) == 0 {
		return fmt.Errorf("nothing was published: no file of %q can be", args[0])
	}
	key, err := p.publisherKey(w, o)
	if err != nil {
		return err
	}
	publication.Now, publication.Replace = p.now(), o.replace
	meter := p.newMeter("published")
	publication.Progress = func(read int64) { meter.show(read, 0) }
	published, err := share.Publish(ctx, place, publication, key)
	meter.end()
	if err != nil {
		return fmt.Errorf("nothing was published: %w", err)
	}
	if !published.Unchanged {
		w.RecordPublished(place.String(), published, p.now())
	}
	return p.printPublished(o, place, key, published, withheld)
}

// publisherKey returns the key that signs, which the first push makes.
func (p *program) publisherKey(w *workspace.Workspace, o pushOptions) (*share.Key, error) {
	file := cmp.Or(o.key, filepath.Join(filepath.Dir(w.UserFile()), "publisher.key"))
	key, made, err := share.OpenKey(file, o.publisher)
	if made {
		p.warn("%s was made, and signs what you publish: keep a copy of it, and show it to nobody", file)
	}
	return key, err
}

func (p *program) printPublished(o pushOptions, place share.Place, key *share.Key, done share.Published, withheld []string) error {
	if o.asJSON {
		return p.printJSON(pushJSON{
			Source: done.Head.Source, Place: place.String(), Number: done.Head.Number, Key: key.Public, Files: done.Card.Files,
			Bytes: done.Card.Bytes, Unchanged: done.Unchanged, Pieces: done.Sent, Sent: done.SentBytes, Withheld: withheld,
		})
	}
	if done.Unchanged {
		fmt.Fprintln(p.out, printable(messages.PublicationUnchanged(done.Head.Source, place.String(), done.Head.Number)))
	} else {
		fmt.Fprintln(p.out, printable(messages.PublicationDone(done.Head.Source, place.String(), done.Head.Number, done.Card.Files, done.Card.Bytes, done.Sent, done.SentBytes)))
	}
	fmt.Fprintf(p.out, "others mirror it by:\n  lacuna pull %s --into FOLDER --key %s\n", shellWord(place.String()), key.Public)
	return nil
}

// shellWord returns a text as one word of a command line.
func shellWord(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("/:._-+~", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) {
		return `"` + printable(text) + `"`
	}
	return text
}

// pullOptions holds the flags of lacuna pull.
type pullOptions struct {
	into, key     string
	check, asJSON bool
}

func pullCommand() command {
	var o pullOptions
	return command{
		name:      "pull",
		arguments: "[PLACE --into FOLDER --key KEY]",
		summary:   "mirror what others published, or bring mirrors up to date",
		details: `
Mirrors a publication of "lacuna push" into a folder of its own. The files are
then on this machine: name FOLDER/files as the path of a source, as it says at
the end. Every byte is compared with what KEY signed, before anything changes.
What was fetched stays if the command is interrupted, and the files change all
together.

Without arguments it brings all mirrors up to date that the sources of the
workspace are from; a publication that is older than the mirror, or signed by
another key, is refused. Nothing but this command asks a place for anything. If
a web server wants a header Authorization, set LACUNA_SHARE_AUTHORIZATION.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.into, "into", "", "mirror into `FOLDER`, which is made, or update the mirror there")
			f.StringVar(&o.key, "key", "", "accept what `KEY` signed, as \"lacuna push\" prints it; needed once")
			f.BoolVar(&o.check, "check", false, "compare every file with what was signed, and repair it")
			f.BoolVar(&o.asJSON, "json", false, "print one JSON object for each mirror")
		},
		run: func(ctx context.Context, p *program, args []string) error { return p.pull(ctx, o, args) },
	}
}

// pullJSON is the output of pull --json for a mirror.
type pullJSON struct {
	Source    string    `json:"source"`
	Place     string    `json:"place"`
	Path      string    `json:"path"` // for the settings
	Key       string    `json:"key"`
	Number    int       `json:"number"`
	Published time.Time `json:"published"`
	Files     int       `json:"files"`
	Unchanged bool      `json:"unchanged,omitempty"`
	Written   int       `json:"written"`
	Removed   int       `json:"removed"`
	Pieces    int       `json:"fetched_pieces"`
	Fetched   int64     `json:"fetched_bytes"`
}

func (p *program) pull(ctx context.Context, o pullOptions, args []string) error {
	if len(args) > 1 || len(args) == 1 && o.into == "" || o.into == "" && o.key != "" {
		return usagef("pull: give a place with --into and --key, or --into alone, or nothing\n%s", hint("pull"))
	}
	w, err := p.look(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	if o.into == "" {
		mirrors := w.Mirrors()
		if len(mirrors) == 0 {
			return usagef("pull: no source of this workspace is a mirror\n%s", hint("pull"))
		}
		var failed error
		for _, m := range mirrors {
			failed = errors.Join(failed, p.pullInto(ctx, w, m, o))
		}
		return failed
	}
	m, err := p.mirror(ctx, w, o, args)
	if err != nil {
		return err
	}
	return p.pullInto(ctx, w, m, o)
}

// look opens the workspace without bringing its index up to date.
func (p *program) look(ctx context.Context) (*workspace.Workspace, error) { return p.open(ctx, "") }

// mirror returns the mirror of the folder that --into names, which may be new.
func (p *program) mirror(ctx context.Context, w *workspace.Workspace, o pullOptions, args []string) (*share.Mirror, error) {
	folder, err := filepath.Abs(o.into)
	if err != nil {
		return nil, err
	}
	m, err := share.Open(folder)
	if len(args) == 0 {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("pull: %s is no mirror yet: name the place to mirror\n%s", folder, hint("pull"))
		}
		return m, err
	}
	from := args[0]
	if !web.Is(from) {
		if from, err = filepath.Abs(from); err != nil {
			return nil, err
		}
	}
	from = strings.TrimRight(from, "/")
	place, done, err := sharePlace(w, from)
	if err != nil {
		return nil, usageError{fmt.Errorf("pull: %w", err)}
	}
	defer done()
	key := o.key
	if key == "" && m != nil {
		key = m.Pin.Key
	}
	if key == "" {
		offer, err := share.Look(ctx, place)
		if err != nil {
			return nil, p.unreached(from, &share.Mirror{}, err)
		}
		return nil, usageError{usageLines{errors.New(printable(messages.MirrorNeedsKey(from, offer.Publisher)))}}
	}
	return share.Create(folder, share.Pin{From: from, Key: key})
}

// unreached returns the error of a place that gave nothing.
func (p *program) unreached(from string, m *share.Mirror, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s holds no publication, or not all of it", from)
	}
	return toldError{err, messages.MirrorAway(from, m.Head.Source, m.Head.Published, err)}
}

// toldError is an error in words of the catalogue.
type toldError struct {
	error
	text string
}

func (e toldError) Error() string { return e.text }

func (e toldError) Unwrap() error { return e.error }

func (p *program) pullInto(ctx context.Context, w *workspace.Workspace, m *share.Mirror, o pullOptions) error {
	place, closePlace, err := sharePlace(w, m.Pin.From)
	if err != nil {
		return usageError{fmt.Errorf("pull: %w", err)}
	}
	defer closePlace()
	meter := p.newMeter("mirrored")
	done, err := m.Pull(ctx, place, share.Options{Check: o.check, Progress: meter.show})
	meter.end()
	if err != nil {
		return p.unreached(m.Pin.From, m, err)
	}
	path := m.Files()
	if done.Card.Source.File != "" {
		path = filepath.Join(path, done.Card.Source.File)
	}
	switch source := done.Head.Source; {
	case o.asJSON:
		return p.printJSON(pullJSON{
			Source: source, Place: m.Pin.From, Path: path, Key: m.Pin.Key, Number: done.Head.Number, Published: done.Head.Published,
			Files: done.Card.Files, Unchanged: done.Unchanged, Written: done.Written, Removed: done.Removed, Pieces: done.Fetched, Fetched: done.FetchedBytes,
		})
	case done.Unchanged:
		fmt.Fprintln(p.out, printable(messages.MirrorUnchanged(source, done.Head.Published, done.Head.Number)))
	default:
		fmt.Fprintln(p.out, printable(messages.MirrorDone(source, m.Folder, done.Head.Published, done.Head.Number, done.Card.Files, done.Written, done.Removed, done.FetchedBytes)))
	}
	for _, mirror := range w.Mirrors() {
		if mirror.Folder == m.Folder {
			return nil
		}
	}
	fmt.Fprintf(p.out, "to search it, add to %s:\n\n%s", w.UserFile(), settings.SourceTable(ingest.Source{
		Name: done.Card.Source.Name, Kind: done.Card.Source.Kind, Path: path, Fields: done.Card.Source.Fields, Chunker: done.Card.Source.Chunks,
	}))
	return nil
}

// sharePlace returns the place that a text names: a folder, or a web server, where the settings allow connections.
func sharePlace(w *workspace.Workspace, text string) (place share.Place, done func(), err error) {
	if !web.Is(text) {
		folder, err := filepath.Abs(text)
		return share.Folder(folder), func() {}, err
	}
	if w.Settings().Offline {
		return nil, nil, fmt.Errorf("%s needs a connection, and the setting offline forbids all", text)
	}
	server, err := web.New(text, os.Getenv(shareAuthorization))
	if err != nil {
		return nil, nil, err
	}
	return server, server.Close, nil
}

// meter shows on a terminal how much is done.
type meter struct {
	p     *program
	what  string
	began time.Time
	at    time.Time
	open  bool
}

func (p *program) newMeter(what string) *meter { return &meter{p: p, what: what, began: time.Now()} }

func (m *meter) show(done, total int64) {
	if now := time.Now(); isTerminal(m.p.console) && now.Sub(m.began) > patience && now.Sub(m.at) > time.Second/4 {
		m.at, m.open = now, true
		text := messages.Size(done)
		if total > 0 {
			text += " of " + messages.Size(total)
		}
		fmt.Fprintf(m.p.console, "\r\x1b[Klacuna: %s %s", m.what, text)
	}
}

func (m *meter) end() {
	if m.open {
		fmt.Fprint(m.p.console, "\r\x1b[K")
	}
}

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
	Seen       int    `json:"seen"` // by any search, at least
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
		line.Replicas = append(line.Replicas, countJSON{name, c.Least, c.Most, c.Seen, c.Replicas})
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
			fmt.Fprintf(p.out, "  %s: %s\n", printable(c.Collection), messages.EngineReplicas(c.Least, c.Most, c.Seen, c.Replicas))
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
		Waiting:  p.newWaiting(),
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

// newWaiting returns what says once, after some patience, that a push waits for replicas.
func (p *program) newWaiting() func(replicas int) {
	var began time.Time
	said := false
	return func(replicas int) {
		if began.IsZero() {
			began = time.Now()
		}
		if !said && time.Since(began) > patience {
			said = true
			p.warn("%s", messages.EngineWaiting(replicas))
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
