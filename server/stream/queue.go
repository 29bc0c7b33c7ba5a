package stream

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// errClosed is returned by writes after the stream was closed.
var errClosed = errors.New("stream is closed")

// errNotRead is returned when a client has left so much unread that it cannot be alive.
var errNotRead = errors.New("client has stopped reading")

// queue holds framed messages until the client takes them, so that a write never waits.
// A message with a key takes the place of one with the same key that still waits: an editor that
// reads slowly gets the newest diagnostics of a document, and not all of them.
type queue struct {
	limit int // bytes

	mu     sync.Mutex // guards the fields below
	ready  *sync.Cond // frames or err changed
	frames []*queued
	byKey  map[string]*queued
	size   int // bytes waiting
	err    error
}

type queued struct {
	data []byte
	key  string
	done chan struct{} // of a flush, closed when reached
}

func newQueue(limit int) *queue {
	q := &queue{limit: limit, byKey: make(map[string]*queued)}
	q.ready = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(data []byte, key string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return q.err
	}
	if old := q.byKey[key]; key != "" && old != nil {
		q.size += len(data) - len(old.data)
		old.data = data
		return nil
	}
	if q.size += len(data); q.size > q.limit {
		q.err = errNotRead
		q.ready.Broadcast()
		return q.err
	}
	waiting := &queued{data: data, key: key}
	if key != "" {
		q.byKey[key] = waiting
	}
	q.frames = append(q.frames, waiting)
	q.ready.Broadcast()
	return nil
}

// drain writes frames until the queue is closed or a write fails. Exactly one goroutine runs it.
func (q *queue) drain(w io.Writer) error {
	for {
		next, err := q.take()
		if err != nil {
			if errors.Is(err, errClosed) {
				return nil
			}
			return err
		}
		if next.done != nil {
			close(next.done)
			continue
		}
		if _, err := w.Write(next.data); err != nil {
			q.mu.Lock()
			closed := q.err != nil
			q.err = errClosed
			q.mu.Unlock()
			if closed {
				return nil
			}
			return err
		}
	}
}

func (q *queue) take() (*queued, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.frames) == 0 && q.err == nil {
		q.ready.Wait()
	}
	if q.err != nil {
		return nil, q.err
	}
	next := q.frames[0]
	q.frames[0], q.frames = nil, q.frames[1:]
	q.size -= len(next.data)
	delete(q.byKey, next.key)
	return next, nil
}

func (q *queue) flush(ctx context.Context) error {
	mark := &queued{done: make(chan struct{})}
	q.mu.Lock()
	if q.err != nil {
		q.mu.Unlock()
		return q.err
	}
	q.frames = append(q.frames, mark)
	q.ready.Broadcast()
	q.mu.Unlock()
	select {
	case <-mark.done:
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = errClosed
	}
	for _, waiting := range q.frames {
		if waiting.done != nil {
			close(waiting.done)
		}
	}
	q.frames, q.byKey, q.size = nil, nil, 0
	q.ready.Broadcast()
}

// replaceKey names the messages of which only the newest matters: the diagnostics of a document,
// and reports of progress between begin and end.
func replaceKey(message jsonrpc2.Message) string {
	note, ok := message.(*jsonrpc2.Notification)
	if !ok {
		return ""
	}
	switch note.Method() {
	case protocol.MethodTextDocumentPublishDiagnostics:
		var p struct{ URI string }
		if json.Unmarshal(note.Params(), &p) == nil {
			return note.Method() + " " + p.URI
		}
	case protocol.MethodProgress:
		var p struct {
			Token json.RawMessage
			Value struct{ Kind string }
		}
		if json.Unmarshal(note.Params(), &p) == nil && p.Value.Kind == "report" {
			return note.Method() + " " + string(p.Token)
		}
	}
	return ""
}
