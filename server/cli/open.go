package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/sanitise"
	"lacuna/server/workspace"
	"lacuna/vecmath/regular"
)

// open opens the workspace that the flags name, or that contains the file a command is about. It warns of
// problems in the configuration; only a wrong flag, or a name in sources that the workspace lacks, is an
// error.
func (p *program) open(ctx context.Context, file string, sources ...string) (*workspace.Workspace, error) {
	root, err := p.root(file)
	if err != nil {
		return nil, err
	}
	return p.openRequest(ctx, p.request(root), sources...)
}

func (p *program) openRequest(ctx context.Context, r workspace.Request, sources ...string) (*workspace.Workspace, error) {
	w, err := workspace.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	err = p.reportProblems(w.Problems())
	if err == nil {
		err = checkSources(w, sources)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// openFresh opens a workspace as open does and brings its index up to date. The caller closes the workspace.
func (p *program) openFresh(ctx context.Context, file string, sources ...string) (*workspace.Workspace, *knowledge.Library, error) {
	w, err := p.open(ctx, file, sources...)
	if err != nil {
		return nil, nil, err
	}
	return p.refreshed(ctx, w)
}

// lookWith is open with settings of the command line by dotted key.
func (p *program) lookWith(ctx context.Context, flags map[string]string, sources ...string) (*workspace.Workspace, error) {
	root, err := p.root("")
	if err != nil {
		return nil, err
	}
	request := p.request(root)
	request.Flags = flags
	return p.openRequest(ctx, request, sources...)
}

// openWith is openFresh with settings of the command line by dotted key.
func (p *program) openWith(ctx context.Context, flags map[string]string, sources ...string) (*workspace.Workspace, *knowledge.Library, error) {
	w, err := p.lookWith(ctx, flags, sources...)
	if err != nil {
		return nil, nil, err
	}
	return p.refreshed(ctx, w)
}

// refreshed brings the index of a workspace up to date, or closes it.
func (p *program) refreshed(ctx context.Context, w *workspace.Workspace) (*workspace.Workspace, *knowledge.Library, error) {
	library, err := p.refresh(ctx, w)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, library, nil
}

// request returns the request for a workspace at root.
func (p *program) request(root string) workspace.Request {
	return workspace.Request{
		Root: root, UserFile: p.globals.config, Flags: p.globals.settings(),
		Consent: p.consentAsker(), Log: slog.New(notices{p: p}), Recorder: p.recorder, Player: p.player,
	}
}

// reportProblems warns of what is wrong with the configuration.
func (p *program) reportProblems(problems []settings.Problem) error {
	if err := flagProblem(problems); err != nil {
		return err
	}
	for _, problem := range problems {
		p.warn("%s", problem)
	}
	return nil
}

// flagProblem returns the error for a flag with a wrong value, or nil.
func flagProblem(problems []settings.Problem) error {
	for _, problem := range problems {
		if problem.Layer == settings.Flags {
			return usagef("--%s: %s", strings.ReplaceAll(problem.Key, ".", "-"), problem.Text)
		}
	}
	return nil
}

// root chooses the workspace. The file that a command is about takes precedence over the current folder, so
// that a note of another workspace is answered from that workspace's sources.
func (p *program) root(file string) (string, error) {
	if dir := p.globals.workspace; dir != "" {
		info, err := os.Stat(dir)
		if err != nil {
			return "", usageError{fmt.Errorf("--workspace: %w", err)}
		}
		if !info.IsDir() {
			return "", usagef("--workspace: %s is not a folder", dir)
		}
		return filepath.Abs(dir)
	}
	current, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if file != "" {
		path, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		if root, found := workspace.RootOf(filepath.Dir(path)); found {
			return root, nil
		}
	}
	if root, found := workspace.Find(current); found {
		return root, nil
	}
	return current, nil
}

// refresh brings the index of a workspace up to date and returns its library. It reports progress on
// standard error if that takes long.
func (p *program) refresh(ctx context.Context, w *workspace.Workspace) (*knowledge.Library, error) {
	if len(w.Sources())+len(w.Engines()) == 0 {
		p.warn("there are no sources; put files into %s or name a [[source]] in %s",
			filepath.Join(w.Root(), "kb"), filepath.Join(w.Root(), settings.File))
	}
	for _, source := range w.Sources() {
		if _, err := os.Stat(source.Path); err != nil {
			p.warn("the source %q cannot be read: %v", source.Name, err)
		}
	}
	log, closeLog, err := p.openLog(w.Loaded())
	if err != nil {
		return nil, err
	}
	defer closeLog()
	progress := p.newProgress()
	began := time.Now()
	err = refreshIndex(ctx, w, func(e knowledge.Event) {
		progress.report(e)
		log.Debug("refresh", "stage", e.Stage, "percent", e.Percent, "note", e.Note)
	})
	progress.end()
	if err != nil {
		log.Error("refresh failed", "index", w.IndexDir(), "err", err)
		return nil, fmt.Errorf("bring the index up to date: %w", err)
	}
	status := w.Library().Status()
	log.Info("index up to date", "index", w.IndexDir(), "passages", status.Passages, "pairs", status.Pairs,
		"encoder", status.Encoder, "calibrated", status.Calibrated, "took", time.Since(began))
	if state, why := stateOf(w); state == handlers.SourcesEmpty || state == handlers.SourcesUnreadable {
		p.warn("%s", printable(why))
	}
	return w.Library(), nil
}

// stateOf reports whether a workspace has anything to answer from, and if not, why.
func stateOf(w *workspace.Workspace) (handlers.SourcesState, string) {
	return handlers.StateOfSources(w.Sources(), w.Library())
}

// errNothing returns the error of a command that did nothing because there is nothing on this machine to answer from.
// The reason has been printed already.
func errNothing(w *workspace.Workspace, done string) error {
	if state, _ := stateOf(w); state != handlers.SourcesReady {
		return fmt.Errorf("nothing was %s: there is nothing to answer from", done)
	}
	return nil
}

// writerCheck is the interval at which a command checks whether another process has written an index.
const writerCheck = 200 * time.Millisecond

// refreshIndex refreshes a workspace. While another process writes its first index it waits, because there
// is nothing to search yet.
func refreshIndex(ctx context.Context, w *workspace.Workspace, report func(knowledge.Event)) error {
	for told := false; ; {
		searchOnly := false
		err := w.Refresh(ctx, func(e knowledge.Event) {
			if searchOnly = e.Stage == knowledge.SearchOnly; !searchOnly || !told {
				report(e)
			}
		})
		if err != nil || !searchOnly || w.Library().Generation() != "" {
			return err
		}
		told = true
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(writerCheck):
		}
	}
}

// checkSources returns an error if the workspace lacks one of the sources called names.
func checkSources(w *workspace.Workspace, names []string) error {
	var known []string
	for _, s := range w.Sources() {
		known = append(known, s.Name)
	}
	known = append(known, w.Engines()...)
	for _, name := range names {
		if !slices.Contains(known, name) {
			if len(known) == 0 {
				return usagef("--source: no source %q; there are none", name)
			}
			return usagef("--source: no source %q; known: %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// openLog opens the log that the settings name. Editors show standard error as errors, so the log goes there
// only if a level was set. A log file that cannot be written is an error if a flag names it, and a warning
// if the settings do.
func (p *program) openLog(loaded settings.Loaded) (log *slog.Logger, closeLog func() error, err error) {
	l := loaded.Settings.Log
	fallback := io.Discard
	if _, asked := loaded.Origins["log.level"]; asked {
		fallback = p.Err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, nil, fmt.Errorf("log level: %w", err)
	}
	options := &slog.HandlerOptions{Level: level}
	if l.File == "" {
		return slog.New(slog.NewTextHandler(fallback, options)), func() error { return nil }, nil
	}
	file, err := os.OpenFile(l.File, os.O_CREATE|os.O_APPEND|os.O_WRONLY|regular.NonBlocking, 0o600)
	if err != nil && loaded.Origins["log.file"].Layer == settings.Flags {
		return nil, nil, usageError{fmt.Errorf("log file: %w", err)}
	}
	if err != nil {
		p.warn("the log file cannot be written (%v); nothing is logged. Correct log.file", err)
		return slog.New(slog.DiscardHandler), func() error { return nil }, nil
	}
	return slog.New(slog.NewTextHandler(sanitise.NewMessageWriter(file), options)), file.Close, nil
}
