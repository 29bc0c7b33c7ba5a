package server

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"

	"lacuna/handlers"
)

// ability is something that the client may do for the server. What a client declares is not the whole
// truth: Kate and ALE make edits and declare nothing. So it is asked for in any case, until the session
// has learned that it is not done.
type ability struct {
	declared bool
	lacking  atomic.Bool
}

// usable reports whether it is worth asking for.
func (a *ability) usable() bool { return !a.lacking.Load() }

// patience is how long the client may take: a person may have to act, but of a client that declared
// nothing it is not even known that it answers.
func (a *ability) patience(declared, undeclared time.Duration) time.Duration {
	if a.declared {
		return declared
	}
	return undeclared
}

// learn takes in how the client answered. It was asked under ctx.
func (a *ability) learn(ctx context.Context, err error) {
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused) && refused.Code == jsonrpc2.MethodNotFound:
		a.lacking.Store(true)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && !a.declared:
		a.lacking.Store(true)
	}
}

// clientNow is what the client can do as far as is known by now.
func (s *session) clientNow() handlers.Client {
	client := s.client
	client.ApplyEdit = s.edits.usable()
	client.ShowMessageActions = s.questions.usable()
	return client
}
