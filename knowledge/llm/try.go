package llm

import (
	"context"
	"time"

	"lacuna/prompts"
)

// Try sends one small request in a role, without retries, and says how long it took. Nothing of a
// note or a source is in it. The reply does not matter: a model that answers can be used.
func (c *Client) Try(ctx context.Context, role Role) (time.Duration, error) {
	to := c.roles[role]
	if to == nil {
		return 0, &Error{Fault: Unset, Role: role, Setting: "model.base_url"}
	}
	w := c.wire(to, "try")
	w.retries = 0
	entry, _ := NewAccount(0).open() // without a limit it is always open
	chosen := samplingOf(to, Request{Sampling: Sampling{MaxTokens: 16}})
	hello := chat{messages: []prompts.Message{{Role: "user", Text: "Reply with the word: ready"}}}
	reply, err := (&talk{wire: w, chat: hello, sampling: chosen, entry: entry}).run(ctx)
	return reply.Duration, err
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
