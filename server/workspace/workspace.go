// Package workspace opens a workspace: it finds the root, loads the settings, opens the index of
// its sources, guards what leaves the machine and makes the systems that answer. The language
// server and the commands share it, so both see the same sources with the same rules.
//
// Begin with [Open].
package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/recording"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// Request says which workspace to open, and how.
type Request struct {
	Root     string            // absolute; empty when no folder is open, then only the user's own sources serve
	UserFile string            // the user's settings file, absolute; empty means the usual one
	Editor   []json.RawMessage // settings an editor sent, weakest first
	Flags    map[string]string // settings from the command line, by dotted key
	// Consent asks the user whether text of the workspace may be sent to another machine, before the
	// first request to it; out is that request. A yes is remembered for this workspace, a no is not:
	// the asker remembers it for as long as the user means it. It is called for one request to a
	// host at a time, for several hosts concurrently. Nil refuses.
	Consent func(ctx context.Context, out llm.Outbound) (send bool, err error)
	Log     *slog.Logger // nil discards
	// Recorder, if set, records every call of a model. Its owner closes it.
	Recorder *recording.Recorder
	// Player, if set, stands in for all endpoints: nothing is sent, and the settings that decide what would be
	// are those of the recording.
	Player *recording.Player
	// Connect connects to the engine of a source; nil means [Cluster].
	Connect func(context.Context, settings.EngineSource) (engine.Engine, error)
}

// Workspace is an open workspace. It is safe for concurrent use; Close it when it is no longer used.
type Workspace struct {
	request  Request
	loaded   settings.Loaded
	indexDir string
	// temporary holds indexDir where the system names no cache folder; else nil.
	temporary   *knowledge.TempDir
	index       *knowledge.Index
	offline     *extract.Offline
	consent     *consent
	words       sourceWords
	audit       *audit
	config      llm.Config  // what the settings name, also when they forbid it
	client      *llm.Client // nil: nothing is set up or allowed
	environment systems.Environment
	gates       gates
	history     *history.Store
	sources     []ingest.Source // of the settings, and the accepted answers where they are harvested
	engines     []*engineSource

	cited struct { // passages of engines; see published.go
		mu   sync.Mutex
		list []*passage.Passage
	}

	public struct { // see Public
		mu          sync.Mutex
		of, library *knowledge.Library
	}

	mu     sync.Mutex
	report func(knowledge.Event) // guarded by mu; where the running refresh reports to
}

// Root is the workspace's folder, or "".
func (w *Workspace) Root() string { return w.request.Root }

// Settings returns the effective settings.
func (w *Workspace) Settings() settings.Settings { return w.loaded.Settings }

// UserFile is the settings file of the user's own, whether it is there or not; "" where there is no
// place for one.
func (w *Workspace) UserFile() string { return cmp.Or(w.request.UserFile, settings.UserFilePath()) }

// Loaded returns the settings with the origin of every value.
func (w *Workspace) Loaded() settings.Loaded { return w.loaded }

// Problems lists what was wrong with the configuration.
func (w *Workspace) Problems() []settings.Problem { return w.loaded.Problems }

// Sources returns the sources to read, in order; the accepted answers come last.
func (w *Workspace) Sources() []ingest.Source { return w.sources }

// IndexDir is the folder of this workspace's index.
func (w *Workspace) IndexDir() string { return w.indexDir }

// Library returns the newest library; never nil.
func (w *Workspace) Library() *knowledge.Library { return w.index.Library() }

// Refresh brings the index up to date with the sources; see [knowledge.Index.Refresh]. report may
// be nil. Of refreshes that overlap, the last one to begin gets the reports.
func (w *Workspace) Refresh(ctx context.Context, report func(knowledge.Event)) error {
	w.mu.Lock()
	w.report = report
	w.mu.Unlock()
	return w.refresh(ctx)
}

func (w *Workspace) pass(e knowledge.Event) {
	w.mu.Lock()
	report := w.report
	w.mu.Unlock()
	if report != nil {
		report(e)
	}
}

// Intact reports whether the files of the index are where they were; see [knowledge.Index.Intact].
func (w *Workspace) Intact() bool { return w.index.Intact() }

// Writable is an error where nothing can be kept in the folder of the index.
func (w *Workspace) Writable() error { return knowledge.Writable(w.indexDir) }

// Check compares every byte of the index with its checksums; see [knowledge.Index.Scrub].
func (w *Workspace) Check(ctx context.Context) error { return w.index.Scrub(ctx) }

// Subscribe calls f with each newly published library until the returned function is called.
func (w *Workspace) Subscribe(f func(*knowledge.Library)) (cancel func()) {
	return w.index.Subscribe(f)
}

// Close ends background work, idle connections included, and releases the index.
func (w *Workspace) Close() error {
	if w.client != nil {
		w.client.Close()
	}
	return errors.Join(w.closeEngines(), w.index.Close(), w.temporary.Close())
}

// History returns the store of the user's reactions to answers. Its pairs serve only if the settings have
// answers harvested.
func (w *Workspace) History() *history.Store { return w.history }

// refresh brings the index up to date and lets only those accepted answers serve whose citations
// stand. They are checked before as well, so that none serves on what has just been taken away.
func (w *Workspace) refresh(ctx context.Context) error {
	if !w.loaded.Settings.History.Harvest {
		return w.index.Refresh(ctx)
	}
	if w.Library().Generation() != "" {
		w.publish(ctx)
	}
	if err := w.index.Refresh(ctx); err != nil {
		return err
	}
	if w.publish(ctx) {
		return w.index.Refresh(ctx)
	}
	return nil
}

// publish checks the accepted answers and reports whether others serve than before. The index does not
// wait for a history that cannot be read.
func (w *Workspace) publish(ctx context.Context) (changed bool) {
	changed, err := w.history.Publish(ctx, w.Library())
	if err != nil && ctx.Err() == nil {
		w.request.Log.Warn("accepted answers not checked", "err", err)
	}
	return changed
}

// AuditFile is the path of this workspace's audit, which need not exist.
func (w *Workspace) AuditFile() string { return w.audit.file }

// Audit calls each with every line of the audit, oldest first. A line that was cut off while it was
// written is passed over: the one behind it vouches for it. The number of such lines is torn; the last
// one counts. The error is an [ErrChain], naming the line, where a line does not follow from the one
// before it, or says that the last lines are gone; each has then been called with those before. Lines are counted through all files
// of the audit.
func (w *Workspace) Audit(each func(AuditRecord) error) (torn int, err error) {
	name := filepath.Base(w.audit.file)
	tail, err := regular.ReadFile(w.audit.tail)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	parts, err := w.audit.parts()
	if err != nil {
		return 0, err
	}
	var all []io.Reader
	for _, part := range append(parts, w.audit.file) {
		file, err := regular.Open(part)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		defer file.Close()
		all = append(all, file)
	}
	return readAudit(io.MultiReader(all...), name, string(tail), each)
}

// Consents lists the hosts that text of this workspace may be sent to, by name.
func (w *Workspace) Consents() []Consent {
	allowed := w.consent.read()
	var all []Consent
	for _, host := range slices.Sorted(maps.Keys(allowed)) {
		all = append(all, Consent{Host: host, Since: allowed[host]})
	}
	return all
}

// Allow lets text of this workspace be sent to a host of the settings, named with or without its
// port, and returns its full name.
func (w *Workspace) Allow(ctx context.Context, name string) (host string, err error) {
	if agent, is := strings.CutPrefix(name, agentPrefix); is {
		return Agent(agent), w.consent.allow(ctx, Agent(agent))
	}
	var hosts []string
	if w.client != nil {
		hosts = w.client.Hosts()
	}
	for _, e := range w.engines {
		hosts = append(hosts, e.host)
	}
	var fitting []string
	for _, h := range hosts {
		if bare := h[:strings.LastIndexByte(h, ':')]; strings.EqualFold(h, name) || strings.EqualFold(bare, name) {
			fitting = append(fitting, h)
		}
	}
	switch {
	case len(hosts) == 0:
		return "", errors.New("no model on another machine is set that may be asked, so there is nothing to allow; lacuna doctor says what is wrong with one that is set")
	case len(fitting) != 1:
		return "", fmt.Errorf("name one of the hosts in the settings, found %q; they are: %s", name, strings.Join(hosts, ", "))
	}
	return fitting[0], w.consent.allow(ctx, fitting[0])
}

// Forget takes back that text may be sent to a host; "" means all hosts. They are asked about again.
func (w *Workspace) Forget(ctx context.Context, host string) error {
	return w.consent.forget(ctx, host)
}

// namedSetting matches the setting that a problem begins with.
var namedSetting = regexp.MustCompile(`^([a-z_]+(?:\.[a-z0-9_]+)+): `)

// problem adds what is wrong with a setting, a line of err each: once, also if several roles share it. A line that begins with a
// setting is about that one.
func (w *Workspace) problem(key string, err error) {
	for line := range strings.Lines(err.Error()) {
		of, text := key, strings.TrimSpace(line)
		if named := namedSetting.FindStringSubmatch(text); named != nil {
			of, text = named[1], text[len(named[0]):]
		}
		p := settings.Problem{Origin: w.loaded.Origins[of], Key: of, Text: text}
		if !slices.Contains(w.loaded.Problems, p) {
			w.loaded.Problems = append(w.loaded.Problems, p)
		}
	}
}

// gates opens trained gates when they or the encoder have changed. It is safe for concurrent use.
type gates struct {
	mu     sync.Mutex
	opened map[string]openGate // by folder; guarded by mu
	logged string              // the last error that was logged; guarded by mu
}
