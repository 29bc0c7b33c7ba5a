package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// chat is a conversation as it goes out: redacted if it must be.
type chat struct {
	template string
	messages []prompts.Message
	schema   json.RawMessage
	thinks   bool // in text, before what the schema describes
	details  string
	restore  func(string) string // nil: nothing was replaced
}

// Chat sends a request and waits for the reply, which is streamed where Delta is set or where it may
// be long. Endpoints that do not stream are understood too.
//
// What may pass by itself is tried again: a refused or broken connection, 429 and 5xx twice, after
// .5 s and 2 s or what Retry-After says, unless that is more than 30 s; a stream that breaks once, at
// once. What an endpoint refuses to know, such as a way to ask for JSON or the role of the system, is put
// otherwise and remembered for the model at that address.
// A model that had no room left after thinking gets more, once.
//
// The connection is closed when ctx ends. Errors are [*Error], or that of ctx.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	to := c.roles[r.Role]
	if to == nil {
		return Reply{}, &Error{Fault: Unset, Role: r.Role, Setting: "model.base_url"}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	chosen := samplingOf(to, r)
	key := ""
	if c.config.Replies != nil {
		key = replyKey(to, r, chosen)
		if reply, has := c.kept(key, r); has {
			return reply, nil
		}
	}
	redacted, err := c.redacted(to, r.Chat)
	if err != nil {
		return Reply{}, err
	}
	entry, ok := r.Account.open()
	if !ok {
		return Reply{}, &Error{Fault: OverBudget, Role: r.Role, Model: to.Model, Err: fmt.Errorf("the %d tokens of this answer are spent", r.Account.limit)}
	}
	w := c.wire(to, r.Stage)
	w.details = redacted.details
	t := &talk{wire: w, chat: redacted, sampling: chosen, entry: entry, teller: teller{delta: r.Delta, restore: redacted.restore}}
	reply, err := t.run(ctx)
	if err != nil {
		return Reply{}, err
	}
	if c.config.Replies != nil && complete(reply) {
		reply.Kept = time.Now()
		c.config.Replies.Put(key, reply)
		reply.Kept = time.Time{}
	}
	return reply, nil
}

// kept returns a kept reply to a request.
func (c *Client) kept(key string, r Request) (Reply, bool) {
	if r.Fresh {
		return Reply{}, false
	}
	reply, has := c.config.Replies.Get(key)
	if !has || reply.Kept.IsZero() {
		return Reply{}, false
	}
	reply.Text, reply.Reasoning = sanitise.Redact(reply.Text), sanitise.Redact(reply.Reasoning) // it may be of an older version
	reply.Usage, reply.Attempts, reply.Duration, reply.First = Usage{}, 0, 0, 0
	if r.Delta != nil && reply.Text != "" {
		r.Delta(reply.Text)
	}
	return reply, true
}

// complete reports whether a reply is worth keeping: it ended by itself and says something.
func complete(r Reply) bool {
	return !r.RanOut() && r.Finish != "content_filter" && r.Text != ""
}

// redacted is a chat as the endpoint may see it. Empty messages are left out: go-openai would send
// them without their content, which endpoints refuse.
func (c *Client) redacted(to *endpoint, from prompts.Chat) (chat, error) {
	out := chat{template: from.Template, schema: from.Schema, thinks: from.Thinks}
	var texts []string
	for _, m := range from.Messages {
		if m.Text != "" {
			out.messages = append(out.messages, m)
			texts = append(texts, m.Text)
		}
	}
	redaction, err := c.redact(to, texts)
	if err != nil {
		return chat{}, err
	}
	for i, text := range redaction.Messages {
		out.messages[i].Text = text
	}
	out.details, out.restore = redaction.Details, redaction.Restore
	return out, nil
}
