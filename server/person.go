package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/messages"
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
	defer e.await()()
	var reply *protocol.MessageActionItem
	err := e.conn.Call(ctx, e.questions.patience(0, askTime), protocol.MethodWindowShowMessageRequest, params, &reply)
	e.questions.learn(ctx, err)
	if err != nil || reply == nil {
		return 0, false
	}
	chosen = slices.Index(items, reply.Title)
	return max(chosen, 0), chosen >= 0
}

// await tells the session that the command waits for a person, who may never answer, and so answers
// nothing meanwhile. What it returns ends that.
func (e *editor) await() (resume func()) {
	if !e.answers {
		return func() {}
	}
	count := func(waiting int) {
		e.at.Lock()
		before := e.waiting
		e.waiting += waiting
		changed := (before == 0) != (e.waiting == 0)
		e.at.Unlock()
		if changed {
			e.answering.Add(int64(-waiting))
			e.statusChanged()
		}
	}
	count(1)
	return func() { count(-1) }
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
		return false, errors.New(messages.NotRequested)
	}
	if !e.questions.usable() {
		return false, fmt.Errorf(messages.CannotAsk, messages.ErrNotAllowed)
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
		return false, fmt.Errorf(messages.CannotAsk, messages.ErrNotAllowed)
	}
	e.decide(out.Host, send)
	return send, nil
}

// mayLeave asks whether out may be sent, with reading it first as the default. Who has read it is asked
// again in fewer words, which an editor can show beside the text.
func (e *editor) mayLeave(ctx context.Context, out llm.Outbound) bool {
	chosen, ok := e.choose(ctx, protocol.MessageTypeWarning, messages.MaySend(out), []string{messages.ChoiceShowBody, messages.ChoiceSend, messages.ChoiceNotNow})
	if !ok || chosen != 0 {
		return ok && chosen == 1
	}
	if !e.offer(ctx, ".json", string(out.Body)) {
		e.showMessage(messages.Message{Level: messages.Info, Text: string(out.Body)})
	}
	chosen, ok = e.Choose(ctx, messages.MaySendShown(out), []string{messages.ChoiceNotNow, messages.ChoiceSend})
	return ok && chosen == 1
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
