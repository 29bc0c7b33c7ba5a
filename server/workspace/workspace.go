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
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
)

// Request says which workspace to open, and how.
type Request struct {
	Root     string            // absolute; empty when no folder is open, then only the user's own sources serve
	UserFile string            // the user's settings file, absolute; empty means the usual one
	Editor   []json.RawMessage // settings an editor sent, weakest first
	Flags    map[string]string // settings from the command line, by dotted key
	// Consent asks the user whether text of the workspace may be sent to another machine, before the
	// first request to it; out is that request. A yes is remembered for this workspace, a no is not:
	// who asks remembers it for as long as the person means it. It is called for one request to a
	// host at a time, for several hosts concurrently. Nil refuses.
	Consent func(ctx context.Context, out llm.Outbound) (send bool, err error)
	Log     *slog.Logger // nil discards
}

// Workspace is an open workspace. It is safe for concurrent use; Close it once nobody uses it.
type Workspace struct {
	request  Request
	loaded   settings.Loaded
	indexDir string
	// temporary holds indexDir where the system names no cache folder; else nil.
	temporary *knowledge.TempDir
	index     *knowledge.Index
	offline   *extract.Offline
	consent   *consent
	audit     *audit
	config    llm.Config  // what the settings name, also when they forbid it
	client    *llm.Client // nil: nothing is set up or allowed
	bench     systems.Environment
	gates     gates
	history   *history.Store
	sources   []ingest.Source // of the settings, and the accepted answers where they are harvested

	mu     sync.Mutex
	report func(knowledge.Event) // guarded by mu; where the running refresh reports to
}

// Open opens a workspace. It is quick: it reads settings and what the index folder holds, and
// leaves the sources to [Workspace.Refresh]. A folder without sources is a workspace without
// passages, not an error.
func Open(ctx context.Context, r Request) (*Workspace, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	w := &Workspace{request: r}
	w.loaded = settings.Load(settings.Request{
		Root: r.Root, UserFile: r.UserFile, Editor: r.Editor, Flags: r.Flags,
	})
	set := w.loaded.Settings
	RememberSecrets(w.loaded.Settings)
	dir, err := w.folder()
	if err != nil {
		return nil, err
	}
	w.indexDir = dir
	w.openHistory()
	w.index, err = knowledge.Open(knowledge.Options{
		Sources:    w.sources,
		Limits:     set.Limits.Reading(),
		Dir:        dir,
		Spare:      temporaryParents(),
		Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}},
		Remote:     w.embedder(),
		Report:     w.pass,
	})
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	w.offline = &extract.Offline{Judge: gap.NewJudge(), Amount: extract.Amount(set.Answer.Sentences)}
	w.consent = newConsent(dir, r)
	w.audit = &audit{
		file: filepath.Join(cmp.Or(set.Privacy.AuditDir, dir), auditFile), workspace: filepath.Base(dir),
		bodies: set.Privacy.AuditBodies, log: r.Log,
	}
	w.connect()
	return w, nil
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

// Sources are the sources that are read, in order; the accepted answers come last.
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
	return errors.Join(w.index.Close(), w.temporary.Close())
}

// folder is the folder of the index: below that of the settings or in the user's cache, and in a
// temporary one where there is neither.
func (w *Workspace) folder() (string, error) {
	base := w.loaded.Settings.Index.Dir
	dir, err := IndexDir(base, w.request.Root, w.request.UserFile)
	if err == nil {
		return dir, nil
	}
	if w.temporary, err = knowledge.NewTempDir(temporaryParents()...); err != nil {
		return "", fmt.Errorf("the system names no cache folder for this user, and there is none for temporary files: %w; set LACUNA_CACHE_DIR", err)
	}
	w.problem("index.dir", errors.New("the system names no cache folder for this user, so nothing is kept when this ends; set LACUNA_CACHE_DIR"))
	return IndexDir(w.temporary.Dir(), w.request.Root, w.request.UserFile)
}

// temporaryParents are the folders for what cannot be kept, those in memory first: the runtime folder of
// the user's session, the system's shared memory, and the system's folder for temporary files.
func temporaryParents() []string {
	var parents []string
	if runtime.GOOS == "linux" {
		if session := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(session) {
			parents = append(parents, session)
		}
		parents = append(parents, "/dev/shm")
	}
	return append(parents, os.TempDir())
}
