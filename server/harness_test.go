package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/server"
	"lacuna/server/dispatch"
	"lacuna/server/editortest"
	"lacuna/server/folders"
	"lacuna/server/stream"
)

// probe is a handler whose requests do what the test says. Every request with the method "text"
// replies with the text that the notifications before it left.
type probe struct {
	text    string // reading goroutine only
	release chan struct{}
	begun   chan string
	replies map[string]func(ctx context.Context) (any, error)
}

func (p *probe) Admit(string) error { return nil }

func (p *probe) Prepare(method string, _ json.RawMessage) (dispatch.Work, error) {
	captured := p.text
	if reply := p.replies[method]; reply != nil {
		return dispatch.Work{Lane: dispatch.Answering, Run: reply}, nil
	}
	switch method {
	case "text":
		return dispatch.Work{Run: func(context.Context) (any, error) { return captured, nil }}, nil
	case "hang": // until released or cancelled
		return dispatch.Work{Lane: dispatch.Answering, Run: func(ctx context.Context) (any, error) {
			p.began(method)
			select {
			case <-p.release:
				return captured, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}, nil
	case "deaf": // until released, whatever is cancelled
		return dispatch.Work{Lane: dispatch.Answering, Run: func(context.Context) (any, error) {
			p.began(method)
			<-p.release
			return captured, nil
		}}, nil
	case "panic while preparing":
		panic("prepared badly")
	}
	return dispatch.Work{}, errors.New("no such request")
}

// began tells a test that waits for it.
func (p *probe) began(method string) {
	select {
	case p.begun <- method:
	default:
	}
}

func (p *probe) Replied(string, time.Duration, error) {}

func (p *probe) Notify(method string, params json.RawMessage) error {
	switch method {
	case "set":
		return json.Unmarshal(params, &p.text)
	case "panic":
		panic("notified badly")
	}
	return errors.New("no such notification")
}

// connectProbe returns an editor that talks to a dispatcher with a probe behind it.
func connectProbe(t *testing.T, p *probe) (*editortest.Editor, *dispatch.Dispatcher) {
	t.Helper()
	p.release, p.begun = make(chan struct{}), make(chan string, 8)
	ours, theirs := net.Pipe()
	d := dispatch.New(stream.New(ours, logTo(t)), logTo(t))
	e := editortest.Connect(t, theirs, editortest.Options{})
	d.Start(p)
	t.Cleanup(func() {
		e.Close()
		d.Close()
		<-d.Done()
	})
	return e, d
}

// logTo discards, or with LACUNA_TEST_LOG set shows what the server logs.
func logTo(t testing.TB) *slog.Logger {
	if os.Getenv("LACUNA_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// fakeWorkspace is a workspace without files.
type fakeWorkspace struct {
	root     string
	userFile string
	indexDir string
	settings settings.Settings
	problems []settings.Problem
	sources  []ingest.Source
	ask      func(ctx context.Context, q answer.Question) (answer.Result, error)
	refresh  func(ctx context.Context, report func(knowledge.Event)) error
	models   handlers.Models
	damaged  atomic.Bool
	check    func() error   // says what Check finds; nil finds nothing
	outbound []llm.Outbound // what Preview shows
	// answerWay, if set, answers instead of ask what is not asked of the offline system.
	answerWay func(ctx context.Context, q answer.Question, way answer.Request) (answer.Result, error)

	mu          sync.Mutex
	library     *knowledge.Library
	subscribers []func(*knowledge.Library)
	refreshes   int
	closed      bool
	forgotten   bool
}

func (w *fakeWorkspace) Root() string                 { return w.root }
func (w *fakeWorkspace) Engines() []string            { return nil }
func (w *fakeWorkspace) UserFile() string             { return w.userFile }
func (w *fakeWorkspace) Settings() settings.Settings  { return w.settings }
func (w *fakeWorkspace) Problems() []settings.Problem { return w.problems }
func (w *fakeWorkspace) Sources() []ingest.Source     { return w.sources }
func (w *fakeWorkspace) IndexDir() string             { return w.indexDir }
func (w *fakeWorkspace) Intact() bool                 { return !w.damaged.Load() }

func (w *fakeWorkspace) Check(context.Context) error {
	if w.check == nil {
		return nil
	}
	return w.check()
}

func (w *fakeWorkspace) Library() *knowledge.Library {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.library
}

func (w *fakeWorkspace) Refresh(ctx context.Context, report func(knowledge.Event)) error {
	w.mu.Lock()
	w.refreshes++
	w.mu.Unlock()
	if w.refresh == nil {
		return nil
	}
	return w.refresh(ctx, report)
}

// refreshed counts the refreshes so far.
func (w *fakeWorkspace) refreshed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refreshes
}

func (w *fakeWorkspace) Subscribe(f func(*knowledge.Library)) (cancel func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribers = append(w.subscribers, f)
	return func() {}
}

func (w *fakeWorkspace) Strategy(way answer.Request) (answer.Strategy, error) {
	if w.answerWay == nil || way.System == answer.OfflineID {
		return w, nil
	}
	return strategy(func(ctx context.Context, _ *knowledge.Library, q answer.Question) (answer.Result, error) {
		return w.answerWay(ctx, q, way)
	}), nil
}

type strategy func(context.Context, *knowledge.Library, answer.Question) (answer.Result, error)

func (s strategy) Answer(ctx context.Context, l *knowledge.Library, q answer.Question) (answer.Result, error) {
	return s(ctx, l, q)
}

func (w *fakeWorkspace) Answer(ctx context.Context, _ *knowledge.Library, q answer.Question) (answer.Result, error) {
	if w.ask == nil {
		return unknown(q), nil
	}
	return w.ask(ctx, q)
}

func (w *fakeWorkspace) Models() handlers.Models { return w.models }

func (w *fakeWorkspace) Preview(context.Context, *knowledge.Library, answer.Question, answer.Request) ([]llm.Outbound, error) {
	return w.outbound, nil
}

func (w *fakeWorkspace) History() *history.Store { return history.In(w.indexDir) }

func (w *fakeWorkspace) Forget(context.Context, string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgotten = true
	return nil
}

// publish has the session told of a newer library.
func (w *fakeWorkspace) publish(library *knowledge.Library) {
	w.mu.Lock()
	w.library = library
	subscribers := w.subscribers
	w.mu.Unlock()
	for _, f := range subscribers {
		f(library)
	}
}

func (w *fakeWorkspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return nil
}

// unknown is the answer of a base that knows nothing about a question.
func unknown(q answer.Question) answer.Result {
	return answer.Result{
		Question: q, System: "offline", State: answer.Nothing, Reason: answer.NoTopic, MissingProbability: 0.97,
		Gaps: []gap.Gap{{ID: gap.IDOf(gap.MissingTopic, ""), Code: gap.MissingTopic, Text: q.Text, Query: q.Text, Status: gap.Open, Probability: 0.97}},
	}
}

// serve starts a server on a fake workspace and connects an editor to it. The returned channel
// gives the exit code.
func serve(t testing.TB, w *fakeWorkspace, o editortest.Options) (*editortest.Editor, <-chan int) {
	t.Helper()
	if w.library == nil { // one that has something to answer from
		w.library = onePage
	}
	if w.settings.Answer.System == "" {
		w.settings = settings.Default()
	}
	return serveOpen(t, func(context.Context, folders.OpenRequest) (folders.Workspace, error) { return w, nil }, o)
}

func serveOpen(t testing.TB, open func(context.Context, folders.OpenRequest) (folders.Workspace, error), o editortest.Options) (*editortest.Editor, <-chan int) {
	t.Helper()
	return serveWith(t, server.Options{Version: "test", Log: logTo(t), Open: open}, o)
}

// serveWith is serveOpen with every option the test's own.
func serveWith(t testing.TB, options server.Options, o editortest.Options) (*editortest.Editor, <-chan int) {
	t.Helper()
	ours, theirs := net.Pipe()
	e := editortest.Connect(t, theirs, o)
	code := make(chan int, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		code <- server.Serve(context.Background(), ours, options)
	}()
	t.Cleanup(func() {
		e.Close()
		<-ended
	})
	return e, code
}

// rawConn is a connection on which the test writes bytes.
type rawConn struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// rawProbe is connectProbe for a test that writes the bytes itself.
func rawProbe(t *testing.T, p *probe) rawConn {
	t.Helper()
	p.release, p.begun = make(chan struct{}), make(chan string, 8)
	ours, theirs := net.Pipe()
	d := dispatch.New(pipeStream(ours), logTo(t))
	d.Start(p)
	t.Cleanup(func() {
		_ = theirs.Close()
		d.Close()
		<-d.Done()
	})
	return rawConn{t, theirs, bufio.NewReader(theirs)}
}

func pipeStream(conn net.Conn) *stream.Stream { return stream.New(conn, slog.New(slog.DiscardHandler)) }

func (r rawConn) send(body string) { r.write(editortest.Frame(body)) }

func (r rawConn) write(bytes string) {
	r.t.Helper()
	if _, err := r.conn.Write([]byte(bytes)); err != nil {
		r.t.Fatal(err)
	}
}

func (r rawConn) next() editortest.Message {
	r.t.Helper()
	m, err := editortest.ReadMessage(r.in)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// onePage is a library that has something to answer from, for tests that do not care what.
var onePage *knowledge.Library

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lacuna-server-")
	if err != nil {
		panic(err)
	}
	onePage, err = knowledge.Build(context.Background(), []*passage.Passage{{
		ID: passage.IDOf("Rest helps."), Source: "kb", Record: "0", Document: "0", Kind: passage.Text, Format: passage.Plain, Text: "Rest helps.",
	}}, dir)
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // the system's temporary folder
	os.Exit(code)
}
