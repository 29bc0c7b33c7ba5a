// Package stream carries JSON-RPC messages over a byte stream in the framing of the Language
// Server Protocol.
//
// It exists because the stock stream of jsonrpc2 ends the connection at the first message it does
// not like and allocates whatever size a header claims. This one answers what it cannot accept
// and reads on: nothing a client sends ends the session but the end of its stream.
package stream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

const (
	maxBody = 64 << 20 // bytes of one message
	// maxQueued bounds the bytes that wait for a client that does not read; beyond it the client is given up.
	maxQueued = 64 << 20
)

// Stream implements jsonrpc2.Stream. Reads may run concurrently with writes; a write never blocks.
type Stream struct {
	rwc io.ReadWriteCloser
	in  *bufio.Reader
	out *queue
	log *slog.Logger

	mu      sync.Mutex
	waiting map[string]bool // ids of our own calls that have no response yet; guarded by mu
}

// New starts a stream on rwc. It owns rwc until Close. The log gets a line for everything refused.
func New(rwc io.ReadWriteCloser, log *slog.Logger) *Stream {
	s := &Stream{
		rwc:     rwc,
		in:      bufio.NewReaderSize(rwc, headerLine),
		out:     newQueue(maxQueued),
		log:     log,
		waiting: make(map[string]bool),
	}
	go func() {
		if err := s.out.drain(rwc); err != nil {
			log.Warn("writing to the client failed", "err", err)
			_ = rwc.Close() // the reader has to learn of it
		}
	}()
	return s
}

// Read returns the next acceptable message and the bytes it took. Whatever is not acceptable is
// answered here. It fails only when the underlying stream does.
func (s *Stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		length, err := readHeader(s.in)
		var bad *refusal
		if errors.As(err, &bad) {
			s.refuse(bad)
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read header: %w", err)
		}
		if length > maxBody {
			s.refuse(refuse(jsonrpc2.InvalidRequest, nil, "a message of %d bytes is too large, the limit is %d", length, maxBody))
			if _, err := io.CopyN(io.Discard, s.in, length); err != nil {
				return nil, 0, fmt.Errorf("skip body: %w", err)
			}
			continue
		}
		// The buffer grows with what arrives, not with what the header claims.
		var body bytes.Buffer
		if _, err := io.CopyN(&body, s.in, length); err != nil {
			return nil, 0, fmt.Errorf("read body: %w", err)
		}
		message, bad := decode(body.Bytes())
		if bad != nil {
			s.refuse(bad)
			continue
		}
		if response, ok := message.(*jsonrpc2.Response); ok && !s.expects(response.ID()) {
			s.log.Warn("response to no call of ours", "id", fmt.Sprint(response.ID()))
			continue
		}
		return message, length, nil
	}
}

// expects reports whether a call of ours waits for this response, and forgets the call. Without
// it a client that answers twice could fill the connection's one-place buffer and stop its reader.
func (s *Stream) expects(id jsonrpc2.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprint(id) // a number and the string of its digits are the same
	known := s.waiting[name]
	delete(s.waiting, name)
	return known
}

// Write queues a message. It ignores the context: a reply to a cancelled request must still go
// out. It fails once the stream is closed or its client has stopped reading.
func (s *Stream) Write(_ context.Context, message jsonrpc2.Message) (int64, error) {
	encoder, ok := message.(json.Marshaler)
	if !ok {
		return 0, fmt.Errorf("message %T cannot be encoded", message)
	}
	body, err := encoder.MarshalJSON()
	if err != nil {
		return 0, fmt.Errorf("encode message: %w", err)
	}
	if call, ok := message.(*jsonrpc2.Call); ok {
		s.mu.Lock()
		s.waiting[fmt.Sprint(call.ID())] = true
		s.mu.Unlock()
	}
	body = presentable(body)
	if err := s.out.put(frame(body), replaceKey(message)); err != nil {
		return 0, err
	}
	return int64(len(body)), nil
}

// frame puts the header before a body, so that both leave in one write.
func frame(body []byte) []byte {
	return append(fmt.Appendf(make([]byte, 0, len(body)+32), "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// refuse answers a message that cannot be handed on.
func (s *Stream) refuse(r *refusal) {
	s.log.Warn("message refused", "reason", r.message)
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      id,
		"error":   jsonrpc2.NewError(r.code, r.message),
	})
	if err == nil {
		err = s.out.put(frame(presentable(body)), "")
	}
	if err != nil {
		s.log.Warn("refusal not sent", "err", err)
	}
}

// Flush waits until everything queued so far has been written, or ctx ends.
func (s *Stream) Flush(ctx context.Context) error { return s.out.flush(ctx) }

// Close drops what is queued and closes the underlying stream.
func (s *Stream) Close() error {
	s.out.close()
	return s.rwc.Close()
}
