package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/knowledge/llm"
)

// askTime bounds a question to a person in a client of which it is not known that it shows them any.
const askTime = time.Minute

// Choose asks with buttons. A person may take their time: only the end of the command or of the
// session ends the question.
func (e *editor) Choose(ctx context.Context, message string, items []string) (chosen int, ok bool) {
	return e.choose(ctx, protocol.MessageTypeInfo, message, items)
}

func (e *editor) choose(ctx context.Context, kind protocol.MessageType, message string, items []string) (chosen int, ok bool) {
	if !e.questions.usable() || len(items) == 0 {
		return 0, false
	}
	params := protocol.ShowMessageRequestParams{Type: kind, Message: message}
	for _, item := range items {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: item})
	}
	var reply *protocol.MessageActionItem
	err := e.conn.Call(ctx, e.questions.patience(0, askTime), protocol.MethodWindowShowMessageRequest, params, &reply)
	e.questions.learn(ctx, err)
	if err != nil || reply == nil {
		return 0, false
	}
	chosen = slices.Index(items, reply.Title)
	return max(chosen, 0), chosen >= 0
}

// commandKey finds the running command in a context.
type commandKey struct{}

func withCommand(ctx context.Context, e *editor) context.Context {
	return context.WithValue(ctx, commandKey{}, e)
}

// consent asks the user whether text may be sent to another machine. It does so only for a command
// that the user started, so that no background work can ask; and at most once for a command and a
// host. An error is a reason to say instead.
func (s *session) consent(ctx context.Context, out llm.Outbound) (send bool, err error) {
	e, ok := ctx.Value(commandKey{}).(*editor)
	if !ok {
		return false, errors.New(textNobodyAsked)
	}
	if !e.questions.usable() {
		return false, fmt.Errorf(textCannotAsk, handlers.ErrNotAllowed)
	}
	leave, err := s.hosts.enter(ctx, out.Host)
	if err != nil {
		return false, err
	}
	defer leave()
	if send, decided := e.decision(out.Host); decided {
		return send, nil
	}
	send = e.mayLeave(ctx, out)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case !send && !e.questions.usable(): // nobody was asked
		return false, fmt.Errorf(textCannotAsk, handlers.ErrNotAllowed)
	}
	e.decide(out.Host, send)
	return send, nil
}

// mayLeave asks until the answer is yes or no.
func (e *editor) mayLeave(ctx context.Context, out llm.Outbound) bool {
	for {
		chosen, ok := e.choose(ctx, protocol.MessageTypeWarning, mayBeSent(out), []string{textSend, textShowBody, textNotNow})
		switch {
		case !ok:
			return false
		case chosen == 0:
			return true
		case chosen == 1:
			if !e.offer(ctx, ".json", string(out.Body)) {
				e.showMessage(handlers.Message{Level: handlers.Info, Text: string(out.Body)})
			}
		default:
			return false
		}
	}
}

func (e *editor) decision(host string) (send, decided bool) {
	e.at.Lock()
	defer e.at.Unlock()
	send, decided = e.decided[host]
	return send, decided
}

func (e *editor) decide(host string, send bool) {
	e.at.Lock()
	defer e.at.Unlock()
	if e.decided == nil {
		e.decided = make(map[string]bool)
	}
	e.decided[host] = send
}

// doors let one at a time through to each name.
type doors struct {
	mu     sync.Mutex
	behind map[string]chan struct{} // hold a token while somebody is inside; guarded by mu
}

// enter waits for its turn, or until ctx ends.
func (d *doors) enter(ctx context.Context, name string) (leave func(), err error) {
	d.mu.Lock()
	if d.behind == nil {
		d.behind = make(map[string]chan struct{})
	}
	door := d.behind[name]
	if door == nil {
		door = make(chan struct{}, 1)
		d.behind[name] = door
	}
	d.mu.Unlock()
	select {
	case door <- struct{}{}:
		return func() { <-door }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
