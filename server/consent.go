package server

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"lacuna/handlers/messages"
	"lacuna/handlers/outgoing"
	"lacuna/knowledge/llm"
)

// permit asks the user whether text may be sent to another machine, at most once for a command and a host. An
// error says why the user was not asked.
func (c *command) permit(ctx context.Context, out llm.Outbound) (send bool, err error) {
	if !c.editor.Client().ShowMessageActions {
		return false, fmt.Errorf(messages.CannotAsk, messages.ErrNotAllowed)
	}
	leave, err := c.hosts.enter(ctx, out.Host)
	if err != nil {
		return false, err
	}
	defer leave()
	if send, decided := c.decision(out.Host); decided {
		return send, nil
	}
	send = c.mayLeave(ctx, out)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case !send && !c.editor.Client().ShowMessageActions: // the user was not asked
		return false, fmt.Errorf(messages.CannotAsk, messages.ErrNotAllowed)
	}
	c.decide(out.Host, send)
	return send, nil
}

// mayLeave asks whether out may be sent, with reading it first as the default. A user who has read it is
// asked again in fewer words, which an editor can show next to the text.
func (c *command) mayLeave(ctx context.Context, out llm.Outbound) bool {
	about := outgoing.Summary(out)
	chosen, ok := c.choose(ctx, protocol.MessageTypeWarning, messages.MaySend(out, about), []string{messages.ChoiceShowBody, messages.ChoiceSend, messages.ChoiceNotNow})
	if !ok || chosen != 0 {
		return ok && chosen == 1
	}
	requests := []llm.Outbound{out}
	if !c.openPage(ctx, messages.OutgoingTitle(out), outgoing.Page(requests)) {
		c.editor.Show(messages.Message{Level: messages.Info, Text: outgoing.Plain(requests)})
	}
	chosen, ok = c.Choose(ctx, messages.MaySendShown(out), []string{messages.ChoiceNotNow, messages.ChoiceSend})
	return ok && chosen == 1
}

func (c *command) decision(host string) (send, decided bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	send, decided = c.decided[host]
	return send, decided
}

func (c *command) decide(host string, send bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.decided == nil {
		c.decided = make(map[string]bool)
	}
	c.decided[host] = send
}
