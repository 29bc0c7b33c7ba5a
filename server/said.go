package server

import (
	"fmt"
	"lacuna/handlers/messages"
	"lacuna/knowledge/par"
	"sync"

	"go.lsp.dev/protocol"
)

// told remembers what was said, so that no message is shown twice in one session.
type told struct {
	mu   sync.Mutex
	said map[string]bool // guarded by mu
}

func (t *told) first(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said == nil {
		t.said = make(map[string]bool)
	}
	if t.said[text] {
		return false
	}
	t.said[text] = true
	return true
}

// tell shows a message that the user did not ask for, once.
func (s *session) tell(m messages.Message) {
	if s.told.first(m.Text) {
		s.showMessage(m)
	}
}

func (s *session) showMessage(m messages.Message) {
	kind := protocol.MessageTypeInfo
	switch m.Level {
	case messages.Warning:
		kind = protocol.MessageTypeWarning
	case messages.Error:
		kind = protocol.MessageTypeError
	}
	s.conn.Notify(protocol.MethodWindowShowMessage, protocol.ShowMessageParams{Type: kind, Message: m.Text})
}

// contain ends a panic of background work; the session goes on without that piece of it.
func (s *session) contain(what string) {
	if cause := recover(); cause != nil {
		_ = s.recovered(what, cause)
	}
}

// safely makes an error of a panic in work.
func (s *session) safely(what string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = s.recovered(what, cause)
		}
	}()
	return work()
}

// recovered logs a panic and makes an error of it.
func (s *session) recovered(what string, cause any) error {
	s.log.Error("panic contained", "in", what, "cause", cause, "stack", string(par.Stack(cause)))
	return fmt.Errorf("internal error in the %s; the log has the details", what)
}
