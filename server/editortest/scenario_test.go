package editortest_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"lacuna/handlers/lsp"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/server"
	"lacuna/server/agents"
	"lacuna/server/editortest"
	"lacuna/server/folders"
	"lacuna/server/workspace"
)

var update = flag.Bool("update", false, "write the transcripts anew")

// TestScenarios runs every file of testdata: a sentence of purpose, the files of a workspace (on
// top of an example, if the section "example" names one), what the editor is like ("client"), the
// steps, and what a person at the editor then sees. README.md next to them has the steps.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for i, file := range files {
		if i%everyScenario != 0 && os.Getenv("LACUNA_LONG") == "" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runFile(t, file) })
	}
}

// scenario is one running file.
type scenario struct {
	t         *testing.T
	folder    string
	client    string // words about the editor
	editor    *editortest.Editor
	stop      func() // ends the session as an editor that dies does
	gate      *gate
	model     *llmtest.Server               // nil where the section "model" is missing
	published *published                    // nil where the section "engine" is missing
	coloured  map[string]lsp.SemanticTokens // tokens by file
	heard     int                           // calls of the model that have been printed
	wanted    map[int]string                // the transcript's parts, by step
	begun     *editortest.Pending
	astray    bool // a step did not come out as wanted
	read      int  // refreshes of the index that the scenario has waited for
}

func runFile(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := make(map[string]string)
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	s := &scenario{t: t, folder: workspaceOf(t, archive, sections["example"]), gate: newGate(), client: sections["client"]}
	if words, ok := sections["model"]; ok {
		s.startModel(words)
	}
	if words, ok := sections["engine"]; ok {
		s.startEngine(words)
		s.gate.engine = s.published.connect
	}
	s.connect()
	steps := strings.Split(strings.TrimSpace(sections["steps"]), "\n")
	s.wanted = partsOf(sections["transcript"])
	var transcript strings.Builder
	for i, step := range steps {
		fmt.Fprintf(&transcript, "> %s\n%s", step, s.step(i, step))
	}
	if transcript.String() == sections["transcript"] {
		return
	}
	if !*update {
		t.Errorf("transcript differs (-want +got); run with -update and read the difference:\n%s",
			cmp.Diff(sections["transcript"], transcript.String()))
		return
	}
	for i, f := range archive.Files {
		if f.Name == "transcript" {
			archive.Files[i].Data = []byte(transcript.String())
		}
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// scratch is where all scenarios run, one after the other, each in the same folder, so that an
// example needs to be indexed once only.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "lacuna-scenarios-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch) // the system's temporary folder
	os.Exit(code)
}

// scratchFolder is a folder of its own that goes with all the others, and not with its test: a session
// does not wait at its end for what it still writes, such as what it remembers of a closed note.
func scratchFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp(scratch, "")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// workspaceOf writes the files of a scenario into the folder, with the index that the example
// alone would have.
func workspaceOf(t *testing.T, archive *txtar.Archive, example string) string {
	t.Helper()
	folder, cache := filepath.Join(scratch, "workspace"), scratchFolder(t)
	t.Setenv("LACUNA_CACHE_DIR", cache)
	t.Setenv("XDG_CONFIG_HOME", scratchFolder(t))
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.RemoveAll(folder))
	check(os.RemoveAll(filepath.Join(scratch, "outside"))) // for notes that are not in the open folder
	check(os.MkdirAll(folder, 0o755))
	if example = strings.TrimSpace(example); example != "" {
		check(os.CopyFS(folder, os.DirFS(filepath.Join("../../examples", example))))
		indexed := filepath.Join(scratch, "index of "+example)
		if _, err := os.Stat(indexed); err != nil {
			w, err := workspace.Open(t.Context(), workspace.Request{Root: folder})
			check(err)
			check(w.Refresh(t.Context(), nil))
			check(w.Close())
			check(os.CopyFS(indexed, os.DirFS(cache)))
		} else {
			check(os.CopyFS(cache, os.DirFS(indexed)))
		}
	}
	for _, f := range archive.Files {
		switch f.Name {
		case "example", "client", "model", "engine", "steps", "transcript":
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, f.Data, 0o644))
	}
	return folder
}

// partsOf splits a transcript into what is printed at each step.
func partsOf(transcript string) map[int]string {
	parts := make(map[int]string)
	step := -1
	for line := range strings.Lines(transcript) {
		if strings.HasPrefix(line, "> ") {
			step++
			continue
		}
		parts[step] += line
	}
	return parts
}

// connect starts the server and an editor with the words of the section "client".
func (s *scenario) connect() {
	options := editortest.Rich()
	for _, word := range strings.Fields(s.client) {
		switch word {
		case "rich":
		case "poor":
			options = editortest.Options{FullSync: true, Unsupported: []string{"*"}}
		case "undeclared": // does everything, and says nothing of what it does for the server
			options = options.Without("workspace", "applyEdit")
			options = options.Without("window", "showMessage")
		case "unresolved": // does not ask for the edits of code actions
			options = options.Without("textDocument", "codeAction", "resolveSupport")
		case "no-edits": // makes no edits for the server, and says so when it is asked to
			options.Unsupported = append(options.Unsupported, "workspace/applyEdit")
		case "no-replies": // answers nothing, whatever it does
			options.Unanswered = append(options.Unanswered, "*")
		case "change-before-reply":
			options.ChangeBeforeReply = true
		case "pulls":
			options = options.Pulling()
		case "saves-edits":
			options.SaveEdits = true
		case "refuses-edits":
			options.RefuseEdits = true
		case "agent": // is no person's editor
			s.gate.agent = true
		case "index-held":
			s.gate.hold(refreshing)
		case "index-interrupted":
			interruptFirstReading(s.t, s.folder)
			s.gate.hold(refreshing)
		default:
			s.t.Fatalf("unknown word %q about the client", word)
		}
	}
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Serve(context.Background(), ours, server.Options{Log: logTo(s.t), Open: s.gate.open, Home: workspace.RootOf, Agent: s.gate.agent})
	}()
	editor := editortest.Connect(s.t, theirs, options)
	s.editor, s.stop = editor, func() {
		s.gate.release()
		editor.Close()
		<-ended
		s.gate.closed()
	}
	s.t.Cleanup(s.stop)
	s.editor.Start(s.folder)
}

// interruptFirstReading leaves the index of a folder as a first reading leaves it that ended before the last file.
func interruptFirstReading(t *testing.T, folder string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var last string
	check(filepath.WalkDir(filepath.Join(folder, "kb"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			last = path
		}
		return err
	}))
	away := filepath.Join(t.TempDir(), filepath.Base(last))
	check(os.Rename(last, away))
	w, err := workspace.Open(t.Context(), workspace.Request{Root: folder})
	check(err)
	check(w.Refresh(t.Context(), nil))
	files := len(w.Library().Files())
	dir := w.IndexDir()
	check(w.Close())
	check(os.Rename(away, last))

	pointer, err := os.ReadFile(filepath.Join(dir, "CURRENT"))
	check(err)
	words := strings.Fields(string(pointer)) // lacuna-index, version, generation, sum
	manifest := filepath.Join(dir, words[2], "manifest.json")
	content, err := os.ReadFile(manifest)
	check(err)
	content = []byte(strings.Replace(string(content), "{", fmt.Sprintf("{\"found\":%d,", files+1), 1))
	check(os.WriteFile(manifest, content, 0o600))
	sum := sha256.Sum256(content)
	check(os.WriteFile(filepath.Join(dir, "CURRENT"), fmt.Appendf(nil, "%s %s\n%s %x\n", words[0], words[1], words[2], sum), 0o600))
}

// logTo discards, or with LACUNA_TEST_LOG set shows what the server logs.
func logTo(t *testing.T) *slog.Logger {
	if os.Getenv("LACUNA_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// gate opens real workspaces and can hold their slow work, so that a scenario can do something
// else meanwhile.
type gate struct {
	mu        sync.Mutex
	changed   *sync.Cond
	held      string               // refreshing or answering; guarded by mu
	waiting   string               // what has come and is held; guarded by mu
	refreshed int                  // refreshes that have ended; guarded by mu
	newest    *workspace.Workspace // guarded by mu
	opened    int                  // workspaces that are not closed yet; guarded by mu
	agent     bool                 // the client is an agent; set before it connects
	// engine connects to the engines of sources; set before the client connects; nil connects by the network.
	engine func(context.Context, settings.EngineSource) (engine.Engine, error)
}

const (
	refreshing = "refreshing"
	answering  = "answering"
)

func newGate() *gate {
	g := &gate{}
	g.changed = sync.NewCond(&g.mu)
	return g
}

func (g *gate) hold(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held, g.waiting = what, ""
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = ""
	g.changed.Broadcast()
}

// pass waits while what is held, or until ctx ends.
func (g *gate) pass(ctx context.Context, what string) error {
	defer context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.changed.Broadcast()
	})()
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.held == what && ctx.Err() == nil {
		g.waiting = what
		g.changed.Broadcast()
		g.changed.Wait()
	}
	return ctx.Err()
}

// count is the number of refreshes that have ended.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refreshed
}

// await waits until a condition on the gate holds.
func (g *gate) await(holds func() bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !holds() {
		g.changed.Wait()
	}
}

func (g *gate) open(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) {
	w, err := workspace.Open(ctx, workspace.Request{Root: r.Folder, Editor: r.Editor, Consent: r.Consent, Connect: g.engine})
	if err != nil {
		return nil, err
	}
	if g.agent {
		return read{g.guard(w), agents.NewReader(w, agentName, "lacuna", time.Now)}, nil
	}
	return g.guard(w), nil
}

func (g *gate) guard(w *workspace.Workspace) gated {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.newest = w
	g.opened++
	return gated{w, g}
}

// closed waits until every workspace is closed. A session that ends does not wait that long for slow
// work; the folder of its index can be taken away only afterwards.
func (g *gate) closed() { g.await(func() bool { return g.opened == 0 }) }

// workspace is the one that was opened last.
func (g *gate) workspace() *workspace.Workspace {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.newest
}

type gated struct {
	*workspace.Workspace
	gate *gate
}

func (w gated) Close() error {
	err := w.Workspace.Close()
	w.gate.mu.Lock()
	defer w.gate.mu.Unlock()
	w.gate.opened--
	w.gate.changed.Broadcast()
	return err
}

func (w gated) Refresh(ctx context.Context, report func(knowledge.Event)) error {
	if err := w.gate.pass(ctx, refreshing); err != nil {
		return err
	}
	err := w.Workspace.Refresh(ctx, report)
	w.gate.mu.Lock()
	defer w.gate.mu.Unlock()
	w.gate.refreshed++
	w.gate.changed.Broadcast()
	return err
}

// Strategy holds the answers of commands, which watch them, and lets the background's pass.
func (w gated) Strategy(way answer.Request) (answer.Strategy, error) {
	inner, err := w.Workspace.Strategy(way)
	if err != nil || way.Watch == nil {
		return inner, err
	}
	return strategy(func(ctx context.Context, l *knowledge.Library, q answer.Question) (answer.Result, error) {
		if err := w.gate.pass(ctx, answering); err != nil {
			return answer.Result{}, err
		}
		return inner.Answer(ctx, l, q)
	}), nil
}

type strategy func(context.Context, *knowledge.Library, answer.Question) (answer.Result, error)

func (s strategy) Answer(ctx context.Context, l *knowledge.Library, q answer.Question) (answer.Result, error) {
	return s(ctx, l, q)
}

// eventually returns what look sees once it is what the transcript wants, or after a while what
// it sees then. With -update it waits until nothing changes any more, and so it does once a step
// has not come out as wanted.
func (s *scenario) eventually(step int, look func() string) string {
	const patience, stuck, settled = 5 * time.Minute, time.Minute, time.Second
	begun := time.Now()
	seen, since := look(), begun
	for {
		calm := *update || s.astray
		switch {
		case !calm && seen == s.wanted[step], calm && time.Since(since) > settled:
			return seen
		case time.Since(begun) > patience, time.Since(since) > stuck:
			s.astray = true
			return seen
		}
		time.Sleep(20 * time.Millisecond)
		if now := look(); now != seen {
			seen, since = now, time.Now()
		}
	}
}

// uri returns the URI of a file of the workspace, or of the cell of a notebook, which is written "FILE#NAME".
func (s *scenario) uri(file string) protocol.DocumentURI {
	if notebook, name, isCell := strings.Cut(file, "#"); isCell {
		return editortest.CellURI(s.uri(notebook), name)
	}
	return lsp.URI(filepath.Join(s.folder, filepath.FromSlash(file)))
}

// duration is how long a model took.
var duration = regexp.MustCompile(`\b\d+\.\d s\b`)

// Names that depend on where the scenario runs: of an accepted answer, and of the file of all of them.
var (
	acceptedName = regexp.MustCompile(`(accepted answers/)[0-9a-f]{12}`)
	acceptedFile = regexp.MustCompile(`\([^()]*/accepted/answers\.jsonl`)
	acceptedCite = regexp.MustCompile(`(/accepted/answers\.jsonl#L\d+\) <!-- lacuna:cite )[0-9a-f]{32}`)
)

// tidy makes text the same on every machine.
func (s *scenario) tidy(text string) string {
	text = duration.ReplaceAllString(text, "N s")
	for _, now := range []time.Time{time.Now(), time.Now().UTC()} {
		text = strings.ReplaceAll(text, now.Format("2 January 2006"), "TODAY")
		text = strings.ReplaceAll(text, now.Format(time.DateOnly), "TODAY")
	}
	text = acceptedName.ReplaceAllString(text, "${1}ID")
	text = acceptedCite.ReplaceAllString(text, "${1}ID")
	text = acceptedFile.ReplaceAllString(text, "($$INDEX/accepted/answers.jsonl")
	if s.published != nil {
		text = s.tidyPublished(text)
	}
	if s.model != nil {
		text = strings.ReplaceAll(text, s.model.Host(), "$MODEL")
	}
	text = strings.ReplaceAll(text, string(lsp.URI(s.folder)), "$WS")
	text = strings.ReplaceAll(text, filepath.ToSlash(s.folder), "$WS")
	text = strings.ReplaceAll(text, string(lsp.URI(scratch)), "$OUT")
	return strings.ReplaceAll(text, filepath.ToSlash(scratch), "$OUT")
}

// failure prints an error reply.
func failure(err error) string {
	var f *editortest.Failure
	if errors.As(err, &f) {
		return fmt.Sprintf("error %d: %s\n", f.Code, f.Message)
	}
	return fmt.Sprintf("error: %v\n", err)
}
