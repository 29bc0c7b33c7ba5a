package llm

import (
	"context"
	"encoding/json"
	"time"

	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// Tape records the calls of a client, or stands in for its endpoints. It must be safe for concurrent use.
type Tape interface {
	// Before is called before a call is made. If it reports true, it has filled in the outcome of the call,
	// and nothing is sent.
	Before(x *Exchange) (outcome bool)
	// After is called with the outcome of a call that was made, also of one that failed.
	After(x *Exchange)
}

// Exchange is one call: what was sent, redacted and without keys, and what came back. Of the fields of the
// outcome only those that the kind of call has are set.
type Exchange struct {
	Question string // the name that [WithQuestion] gave; may be empty
	Role     Role   // or "embedding", "rerank", "entailment"
	Stage    string // of the answering system; [WindowStage] is not a call
	Model    string

	// A chat.
	Template, Version string // of the prompt, as in [prompts.Chat]
	Messages          []prompts.Message
	Schema            json.RawMessage
	Thinks            bool
	Temperature, TopP float64
	MaxTokens, Seed   int
	// Texts to encode; a query and its documents to rerank; or premises, each with its hypothesis.
	Texts []string

	Began      time.Time
	Duration   time.Duration
	Reply      Reply // its texts as they came, before redacted texts were restored; the usage also of a failed call
	Vectors    [][]float32
	Scores     []float64
	Inferences []Inference
	Excess     int
	Err        error // an [*Error], or that of a context
}

// WindowStage is the stage of an exchange that asks nothing: by how much a chat exceeds the window of the
// model. What the client knows of the window may come from the server, so it belongs to a recording.
const WindowStage = "window"

// questionKey is the key of a context under which the name of a question is.
type questionKey struct{}

// WithQuestion names the question for which calls are made, for a [Tape]: equal calls for several questions
// are told apart by it.
func WithQuestion(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, questionKey{}, name)
}

// QuestionOf returns the name that [WithQuestion] gave, or "".
func QuestionOf(ctx context.Context) string {
	name, _ := ctx.Value(questionKey{}).(string)
	return name
}

// exchange begins an exchange with an endpoint.
func (c *Client) exchange(ctx context.Context, to *endpoint, stage string) *Exchange {
	return &Exchange{Question: QuestionOf(ctx), Role: to.role, Stage: stage, Model: to.Model, Began: time.Now()}
}

// chatExchange begins the exchange of a chat.
func (c *Client) chatExchange(ctx context.Context, to *endpoint, stage string, sent chat, s resolvedSampling) *Exchange {
	x := c.exchange(ctx, to, stage)
	x.Template, x.Version, x.Messages, x.Schema, x.Thinks = sent.template, sent.version, sent.messages, sent.schema, sent.thinks
	x.Temperature, x.TopP, x.MaxTokens, x.Seed = s.Temperature, s.TopP, s.MaxTokens, s.Seed
	return x
}

// taped makes a call, unless the tape has its outcome, and lets the tape record it. call fills in the rest
// of x and returns its error.
func (c *Client) taped(x *Exchange, call func() error) error {
	tape := c.config.Tape
	if tape == nil {
		return call()
	}
	if tape.Before(x) {
		return x.Err
	}
	x.Err = call()
	x.Duration = time.Since(x.Began)
	tape.After(x)
	return x.Err
}

// replayed returns the outcome that a tape had for a chat.
func replayed(r Request, sent chat, x *Exchange) (Reply, error) {
	if r.Account != nil {
		r.Account.add(x.Reply.Usage)
	}
	if x.Err != nil {
		return Reply{}, x.Err
	}
	reply := x.Reply
	reply.Text, reply.Reasoning = sanitise.Redact(reply.Text), sanitise.Redact(reply.Reasoning)
	if sent.restore != nil {
		reply.Text, reply.Reasoning = sent.restore(reply.Text), sent.restore(reply.Reasoning)
	}
	if r.Delta != nil && reply.Text != "" {
		r.Delta(reply.Text)
	}
	return reply, nil
}

// tapeCached lets the tape record a reply from the cache. The cache has it with redacted texts restored,
// so they are redacted again.
func (c *Client) tapeCached(ctx context.Context, to *endpoint, r Request, s resolvedSampling, reply Reply) error {
	if c.config.Tape == nil {
		return nil
	}
	sent, err := c.redactChat(to, r.Chat, reply.Text, reply.Reasoning)
	if err != nil {
		return err
	}
	x := c.chatExchange(ctx, to, r.Stage, sent, s)
	_ = c.taped(x, func() error {
		x.Reply = reply
		x.Reply.Text, x.Reply.Reasoning = sent.also[0], sent.also[1]
		return nil
	})
	return nil
}
