package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"lacuna/handlers/lsp"
	"lacuna/knowledge/par"
	"lacuna/vecmath/mapped"
)

// request is a call of the client's that has not been answered yet.
type request struct {
	d       *Dispatcher
	call    *jsonrpc2.Call
	reply   jsonrpc2.Replier
	number  int64
	started time.Time
	ctx     context.Context
	cancel  context.CancelFunc
	once    sync.Once
}

// begin registers a request. A client that reuses the id of a running request gets an error and the first
// request goes on.
func (d *Dispatcher) begin(call *jsonrpc2.Call, reply jsonrpc2.Replier) *request {
	r := &request{d: d, call: call, reply: reply, number: d.number.Add(1), started: time.Now()}
	r.ctx, r.cancel = context.WithCancel(d.ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[call.ID()] != nil {
		r.cancel()
		r.send(nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "request id %v is in use", call.ID()))
		return nil
	}
	d.running[call.ID()] = r
	return r
}

// run does the work when its lane has room. A cancellation is answered immediately, whether or not
// the work has noticed it yet.
func (r *request) run(work Work) {
	defer r.contain()
	mapped.Guard() // the index is memory-mapped, and its files may be truncated
	stop := context.AfterFunc(r.ctx, func() { r.finish(nil, context.Canceled) })
	defer stop()
	lane := r.d.lanes[work.Lane]
	select {
	case lane <- struct{}{}:
		defer func() { <-lane }()
	case <-r.ctx.Done():
		r.finish(nil, context.Canceled) // stop may win over the function above
		return
	}
	r.finish(work.Run(r.ctx))
}

// contain turns a panic into this request's reply. The person sees one line; the log the stack.
func (r *request) contain() {
	if cause := recover(); cause != nil {
		r.d.log.Error("request panicked", "request", r.number, "method", r.call.Method(),
			"cause", cause, "stack", string(par.Stack(cause)))
		r.finish(nil, fmt.Errorf("internal error in request %d (%s); the log has the details", r.number, r.call.Method()))
	}
}

// finish replies, the first time it is called, and forgets the request.
func (r *request) finish(result any, err error) {
	r.once.Do(func() {
		r.d.mu.Lock()
		delete(r.d.running, r.call.ID())
		r.d.mu.Unlock()
		r.cancel()
		r.send(result, err)
		r.d.handler.Replied(r.call.Method(), time.Since(r.started), err)
	})
}

func (r *request) send(result any, err error) {
	raw := json.RawMessage("null")
	if err == nil {
		raw, err = json.Marshal(result)
	}
	log := r.d.log.With("request", r.number, "method", r.call.Method())
	var wire error // stays an untyped nil without an error
	if err != nil {
		wire = wireError(err)
		log.Debug("request failed", "err", err)
	}
	// The reply goes out on a context that cannot be cancelled: the client waits for it.
	if err := r.reply(context.Background(), raw, wire); err != nil {
		log.Warn("reply not sent", "err", err)
	}
}

// wireError maps an error to the one that travels. It is the only place that does.
func wireError(err error) *jsonrpc2.Error {
	var wire *jsonrpc2.Error
	switch {
	case errors.As(err, &wire):
		return &jsonrpc2.Error{Code: wire.Code, Message: err.Error(), Data: wire.Data}
	case errors.Is(err, context.Canceled):
		return jsonrpc2.NewError(lsp.CodeRequestCancelled, "cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return jsonrpc2.NewError(lsp.CodeRequestFailed, "took too long: "+err.Error())
	}
	return jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
}
