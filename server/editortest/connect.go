package editortest

import (
	"bufio"
	"io"
	"slices"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
)

// Connect starts an editor on a stream. It does not yet say anything.
func Connect(t testing.TB, rwc io.ReadWriteCloser, o Options) *Editor {
	if o.Encoding == "" {
		o.Encoding = position.UTF16
	}
	e := &Editor{
		t: t, rwc: rwc, options: o,
		pending:  make(map[string]chan Message),
		buffers:  make(map[protocol.DocumentURI]*Buffer),
		findings: make(map[protocol.DocumentURI]lsp.PublishDiagnosticsParams),
		pulls:    make(map[protocol.DocumentURI]*pulled),
	}
	e.changed = sync.NewCond(&e.mu)
	go e.read()
	return e
}

func (e *Editor) read() {
	in := bufio.NewReader(e.rwc)
	for {
		m, err := ReadMessage(in)
		if err != nil {
			e.mu.Lock()
			e.closed = true
			e.changed.Broadcast()
			e.mu.Unlock()
			return
		}
		e.receive(m)
	}
}

func (e *Editor) receive(m Message) {
	if m.Method == "" {
		e.mu.Lock()
		e.seen = append(e.seen, "reply "+string(m.ID))
		reply := e.pending[string(m.ID)]
		e.changed.Broadcast()
		e.mu.Unlock()
		if reply != nil {
			reply <- m
		}
		return
	}
	if m.ID == nil {
		e.told(m)
		return
	}
	e.mu.Lock()
	e.seen = append(e.seen, m.Method)
	e.changed.Broadcast()
	e.mu.Unlock()
	if among(e.options.Unsupported, m.Method) {
		e.send(map[string]any{"id": m.ID, "error": Failure{Code: -32601, Message: m.Method + " is not supported"}})
		return
	}
	if among(e.options.Ignored, m.Method) {
		return
	}
	if m.Method == "window/showMessageRequest" {
		e.askPerson(m) // who answers when they like
		return
	}
	if m.Method == "workspace/applyEdit" {
		defer e.tellLater() // unless it was told before the reply
	}
	result, err := e.asked(m)
	if among(e.options.Unanswered, m.Method) {
		return
	}
	if err != nil {
		e.send(map[string]any{"id": m.ID, "error": Failure{Code: -32601, Message: err.Error()}})
	} else {
		e.send(map[string]any{"id": m.ID, "result": result})
	}
}

// among reports whether a request is one of those.
func among(methods []string, method string) bool {
	return slices.Contains(methods, method) || slices.Contains(methods, "*")
}
