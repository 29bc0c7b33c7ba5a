package workspace

import (
	"context"
	"errors"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/llm"
)

// embedder is the endpoint of [embedding] as the index asks it.
type embedder struct {
	w   *Workspace
	set settings.Embedding
}

// embedder returns the endpoint of [embedding], or nil where there is none or it is forbidden.
func (w *Workspace) embedder() knowledge.RemoteEncoder {
	set := w.loaded.Settings
	if set.Embedding.BaseURL == "" || set.Offline {
		return nil
	}
	return embedder{w, set.Embedding}
}

// Embeds reports whether an endpoint is to encode passages and queries.
func (w *Workspace) Embeds() bool { return w.embedder() != nil }

// Name implements [knowledge.RemoteEncoder].
func (e embedder) Name() string {
	return e.set.BaseURL + "\n" + e.set.Model + "\n" + e.set.PassagePrefix
}

// Passages implements [knowledge.RemoteEncoder].
func (e embedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	if e.w.client == nil {
		return nil, errNoClient
	}
	return e.w.client.Embed(ctx, prefixed(e.set.PassagePrefix, texts))
}

// Query implements [knowledge.RemoteEncoder].
func (e embedder) Query(ctx context.Context, text string) ([]float32, error) {
	if e.w.client == nil {
		return nil, errNoClient
	}
	vectors, err := e.w.client.Embed(ctx, prefixed(e.set.QueryPrefix, []string{text}))
	if err != nil {
		e.w.request.Log.Warn("the endpoint of [embedding] has not encoded a query; the built-in encoder searches", "err", err)
		return nil, err
	}
	return vectors[0], nil
}

// errNoClient is said where the settings of the models cannot be used; their problems say why.
var errNoClient = errors.New("the settings of the models cannot be used")

func prefixed(prefix string, texts []string) []string {
	if prefix == "" {
		return texts
	}
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = prefix + text
	}
	return all
}

// previewQuery has a client that refuses to send anything encode a question, so that what would be
// sent is seen.
func (w *Workspace) previewQuery(ctx context.Context, client *llm.Client, question string) {
	if w.environment.Options.Endpoint {
		_, _ = client.Embed(ctx, prefixed(w.loaded.Settings.Embedding.QueryPrefix, []string{question}))
	}
}
