package llm

import (
	"context"
	"time"

	"lacuna/prompts"
)

// Tried is how a model did with a small prompt of the shape that all prompts have.
type Tried struct {
	Took   time.Duration
	Joined bool // the endpoint has no role for the system; the user's message begins with what it says
	Heeds  bool // the model does what the system says
	Reads  bool // the model reads the data of the user's message
}

// trialTokens is room for the reply to [prompts.Trial].
const trialTokens = 32

// Try sends one small request in a role, without retries. Only what the endpoint refuses of its form is
// put otherwise, as in [Client.Chat]. Nothing of a note or a source is in it.
func (c *Client) Try(ctx context.Context, role Role) (Tried, error) {
	to := c.roles[role]
	if to == nil {
		return Tried{}, &Error{Fault: Unset, Role: role, Setting: "model.base_url"}
	}
	w := c.wire(to, "try")
	w.retries = 0
	entry, _ := NewAccount(0).open() // without a limit it is always open
	chosen := samplingOf(to, Request{Sampling: Sampling{MaxTokens: trialTokens}})
	trial := prompts.Trial()
	t := &talk{wire: w, chat: chat{template: trial.Template, messages: trial.Messages}, sampling: chosen, entry: entry}
	reply, err := t.run(ctx)
	tried := Tried{Took: reply.Duration, Joined: t.habits.noSystem}
	tried.Heeds, tried.Reads = prompts.ParseTrial(reply.Text)
	return tried, err
}

// TryEmbedding does as [Client.Try] with the encoder, and returns the length of its vectors.
func (c *Client) TryEmbedding(ctx context.Context) (took time.Duration, dimensions int, err error) {
	began := time.Now()
	vectors, err := c.Embed(ctx, []string{"ready"})
	if err != nil {
		return 0, 0, err
	}
	return time.Since(began), len(vectors[0]), nil
}

// TryRerank does as [Client.Try] with the reranker, also with one that is left alone for a while.
func (c *Client) TryRerank(ctx context.Context) (time.Duration, error) {
	if c.rerank != nil {
		c.rerank.reranker.rests.Store(nil)
	}
	began := time.Now()
	_, err := c.Rerank(ctx, "ready", "", []string{"ready", "not yet"})
	return time.Since(began), err
}
