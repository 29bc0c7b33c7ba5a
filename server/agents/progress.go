package agents

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress tells an agent that asked for it how far a call is.
type progress struct {
	session *mcp.ServerSession
	token   any
	mu      sync.Mutex
	last    float64 // guarded by mu
}

type progressKey struct{}

// withProgress returns a context whose work is reported to a session, if the call has a token for it.
func withProgress(ctx context.Context, session *mcp.ServerSession, params interface{ GetProgressToken() any }) context.Context {
	token := params.GetProgressToken()
	if token == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, &progress{session: session, token: token})
}

// The stages of a call.
const (
	reading = iota // the sources
	working
	stages
)

// leastStep is the part of a stage that is worth a report.
const leastStep = .01

// report reports that done of total of a stage are done.
func report(ctx context.Context, stage, done, total int) {
	p, wanted := ctx.Value(progressKey{}).(*progress)
	if !wanted || total == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := float64(stage) + float64(done)/float64(total); now >= p.last+leastStep { // it must grow
		p.last = now
		_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: now, Total: stages}) // an agent that has left needs none
	}
}
