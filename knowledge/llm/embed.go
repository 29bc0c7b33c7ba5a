package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Embed returns one vector per text, in order, all of one length. Requests hold 32 texts each and run
// concurrently, within the limit of the endpoint.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if c.embedding == nil {
		return nil, &Error{Fault: Unset, Role: embeddingRole, Setting: "embedding.base_url"}
	}
	vectors := make([][]float32, len(texts))
	batches := (len(texts) + embeddingBatch - 1) / embeddingBatch
	err := parallel(ctx, batches, cap(c.embedding.slots), func(ctx context.Context, batch int) error {
		start := batch * embeddingBatch
		end := min(start+embeddingBatch, len(texts))
		return c.embed(ctx, texts[start:end], vectors[start:end])
	})
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, c.embedding.newError(Malformed, "model", fmt.Errorf("vector %d has %d numbers, the first has %d", i, len(v), len(vectors[0])))
		}
	}
	return vectors, nil
}

// embed fills in the vectors of one batch.
func (c *Client) embed(ctx context.Context, texts []string, vectors [][]float32) error {
	w := c.wire(c.embedding, "")
	redaction, err := c.redact(w.to, texts)
	if err != nil {
		return err
	}
	w.details = redaction.Details
	x := c.exchange(ctx, c.embedding, "")
	x.Texts, x.Vectors = redaction.Messages, vectors
	return c.taped(x, func() error { return w.embed(ctx, redaction.Messages, vectors) })
}

// embed sends one request.
func (w *wire) embed(ctx context.Context, texts []string, vectors [][]float32) error {
	response, err := w.api(w).CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{
		Input: texts, Model: openai.EmbeddingModel(w.model), EncodingFormat: openai.EmbeddingEncodingFormatFloat,
	})
	if err == nil {
		err = arrange(response.Data, vectors)
	}
	err = w.wrapError(ctx, err)
	w.record(Usage{Calls: 1, Prompt: response.Usage.PromptTokens}, err)
	return err
}

// TryEmbedding is [Client.Try] for the encoder. It returns the length of its vectors.
func (c *Client) TryEmbedding(ctx context.Context) (took time.Duration, dimensions int, err error) {
	began := time.Now()
	vectors, err := c.Embed(ctx, []string{"ready"})
	if err != nil {
		return 0, 0, err
	}
	return time.Since(began), len(vectors[0]), nil
}

// embeddingBatch is the number of texts per request: the default limit of text-embeddings-inference.
// Other servers allow more and gain little by it.
const embeddingBatch = 32

// parallel calls do(0) to do(n-1), up to limit of them concurrently, until one fails. It returns the
// first error.
func parallel(ctx context.Context, n, limit int, do func(ctx context.Context, i int) error) error {
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, limit) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	if caller.Err() != nil {
		return caller.Err()
	}
	return context.Cause(ctx)
}

// arrange puts vectors in the order of their texts.
func arrange(data []openai.Embedding, vectors [][]float32) error {
	if len(data) != len(vectors) {
		return fmt.Errorf("%d vectors for %d texts", len(data), len(vectors))
	}
	counted := slices.ContainsFunc(data, func(e openai.Embedding) bool { return e.Index != 0 })
	for i, e := range data {
		if counted {
			i = e.Index
		}
		if i < 0 || i >= len(vectors) || vectors[i] != nil {
			return fmt.Errorf("an unexpected vector for text %d of %d", i, len(vectors))
		}
		if err := checkVector(e.Embedding); err != nil {
			return err
		}
		vectors[i] = e.Embedding
	}
	return nil
}

// checkVector refuses a vector without direction. JSON has no NaN: some servers write null, which is
// read as zero.
func checkVector(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return errors.New("a vector is zero or not a number")
	}
	return nil
}

// wrapError returns an [*Error], or ctx's error, for whatever went wrong with a reply.
func (w *wire) wrapError(ctx context.Context, err error) error {
	var failed *Error
	switch {
	case err == nil || errors.As(err, &failed):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return w.to.newError(Malformed, "base_url", rootCause(err))
}
