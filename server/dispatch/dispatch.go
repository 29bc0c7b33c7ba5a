// Package dispatch runs the messages of one connection in the order and with the concurrency that
// a language server needs.
//
// Notifications and cancellations are handled on the reading goroutine, in order. A request is
// prepared there too, which is where it captures the state it will work on, and then runs in a
// goroutine of its own, in a lane that bounds how many of its kind run concurrently. So an edit is
// never behind a slow answer, and a request sees exactly the edits that came before it.
//
// The handlers of the protocol library are not used: they start a request only when the one
// before has been answered, ignore cancellations by number, and end the process on some errors.
package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/knowledge/par"
)

// Lane bounds how many requests of a kind run concurrently.
type Lane int

const (
	Interactive Lane = iota // what an editor asks while the user types or points
	Brief                   // commands that end soon, and walks through the notes on disk
	Answering               // commands that answer questions
	Held                    // requests that stay open until the client cancels them
)

// laneWidths keep slow work from starving fast work.
var laneWidths = [...]int{Interactive: 8, Brief: 4, Answering: 4, Held: 4}

// Work is a prepared request. Run is called at most once, in its own goroutine, and should return
// soon after ctx ends; its client has its answer by then. Without Run, Result is the reply, sent
// before the next message is read.
type Work struct {
	Lane   Lane
	Run    func(ctx context.Context) (any, error)
	Result any
}

// Handler handles the connection's messages. Admit, Prepare and Notify are called on the reading goroutine,
// one at a time and in order; they must not block.
type Handler interface {
	// Admit decides whether a request may be handled in the present state of the session.
	Admit(method string) error
	// Prepare captures what the request needs. An error is its reply.
	Prepare(method string, params json.RawMessage) (Work, error)
	// Notify handles a notification. Its error is only logged, since a notification has no reply.
	Notify(method string, params json.RawMessage) error
	// Replied takes in that a request was answered. It is called from any goroutine and must not block.
	Replied(method string, took time.Duration, err error)
}

// Dispatcher serves one connection.
type Dispatcher struct {
	conn    jsonrpc2.Conn
	handler Handler
	log     *slog.Logger
	ctx     context.Context // ends with the connection
	cancel  context.CancelFunc
	lanes   [len(laneWidths)]chan struct{}
	number  atomic.Int64 // of the last request, for the log

	mu      sync.Mutex
	running map[jsonrpc2.ID]*request // guarded by mu
}

// New makes a dispatcher on a stream. Nothing is read before Start.
func New(stream jsonrpc2.Stream, log *slog.Logger) *Dispatcher {
	d := &Dispatcher{
		conn:    jsonrpc2.NewConn(numbered{stream}),
		log:     log,
		running: make(map[jsonrpc2.ID]*request),
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	for lane, width := range laneWidths {
		d.lanes[lane] = make(chan struct{}, width)
	}
	return d
}

// Start begins reading. It is called once.
func (d *Dispatcher) Start(h Handler) {
	d.handler = h
	d.conn.Go(d.ctx, d.handle)
	go func() {
		<-d.conn.Done()
		d.cancel()
	}()
}

// Context ends when the connection does, and with it everything that was asked over it.
func (d *Dispatcher) Context() context.Context { return d.ctx }

// Done is closed when the client's stream has ended.
func (d *Dispatcher) Done() <-chan struct{} { return d.conn.Done() }

// Close ends the connection and cancels all work.
func (d *Dispatcher) Close() {
	d.cancel()
	_ = d.conn.Close() // the stream is going away in any case
}

// handle never returns an error: the library would close the stream for it.
func (d *Dispatcher) handle(_ context.Context, reply jsonrpc2.Replier, message jsonrpc2.Request) error {
	params := json.RawMessage(message.Params())
	if string(params) == "null" {
		params = nil
	}
	if call, ok := message.(*jsonrpc2.Call); ok {
		d.call(call, params, reply)
		return nil
	}
	defer d.contain(message.Method())
	if message.Method() == protocol.MethodCancelRequest {
		d.cancelRequest(params)
		return nil
	}
	if err := d.handler.Notify(message.Method(), params); err != nil {
		d.log.Warn("notification not handled", "method", message.Method(), "err", err)
	}
	return nil
}

// contain keeps a panic in one notification from ending the session.
func (d *Dispatcher) contain(method string) {
	if cause := recover(); cause != nil {
		d.log.Error("notification panicked", "method", method, "cause", cause, "stack", string(par.Stack(cause)))
	}
}

func (d *Dispatcher) cancelRequest(params json.RawMessage) {
	var p struct {
		ID jsonrpc2.ID `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		d.log.Warn("cancel without a usable id", "err", err)
		return
	}
	d.mu.Lock()
	r := d.running[p.ID]
	d.mu.Unlock()
	if r != nil {
		r.cancel()
	}
}

func (d *Dispatcher) call(call *jsonrpc2.Call, params json.RawMessage, reply jsonrpc2.Replier) {
	r := d.begin(call, reply)
	if r == nil {
		return
	}
	defer r.contain()
	if err := d.handler.Admit(call.Method()); err != nil {
		r.finish(nil, err)
		return
	}
	work, err := d.handler.Prepare(call.Method(), params)
	if err != nil {
		r.finish(nil, err)
		return
	}
	if work.Run == nil {
		r.finish(work.Result, nil)
		return
	}
	go r.run(work)
}

// Call sends the client a request and waits for the reply, at most for timeout (0 means no limit), or until
// the connection or ctx ends; then it cancels the request. Result may be nil. It must not be used on the
// reading goroutine, which would have to read the reply.
func (d *Dispatcher) Call(ctx context.Context, timeout time.Duration, method string, params, result any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	defer context.AfterFunc(d.ctx, cancel)()
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var reply json.RawMessage
	id, err := d.conn.Call(ctx, method, json.RawMessage(raw), &reply)
	if err != nil {
		if ctx.Err() != nil && d.ctx.Err() == nil {
			id = clientID(id)
			d.Notify(protocol.MethodCancelRequest, map[string]any{"id": &id})
		}
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil || len(reply) == 0 {
		return nil
	}
	if err := json.Unmarshal(reply, result); err != nil {
		return fmt.Errorf("%s: reply: %w", method, err)
	}
	return nil
}

// Notify tells the client something. It never blocks; a failure means the connection is ending.
func (d *Dispatcher) Notify(method string, params any) {
	raw, err := json.Marshal(params)
	if err == nil {
		err = d.conn.Notify(context.Background(), method, json.RawMessage(raw))
	}
	if err != nil {
		d.log.Warn("notification not sent", "method", method, "err", err)
	}
}
