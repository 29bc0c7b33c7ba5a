package server

import (
	"context"
	"strconv"
	"sync"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

// progressTable finds the work behind a token, for the cancel button of the client.
type progressTable struct {
	mu      sync.Mutex
	cancels map[lsp.ProgressToken]context.CancelFunc // guarded by mu
	number  int                                      // of the last token of ours; guarded by mu
}

// cancelled handles window/workDoneProgress/cancel.
func (t *progressTable) cancelled(p struct {
	Token lsp.ProgressToken `json:"token"`
}) {
	t.mu.Lock()
	cancel := t.cancels[p.Token]
	t.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (t *progressTable) add(token lsp.ProgressToken, cancel context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancels == nil {
		t.cancels = make(map[lsp.ProgressToken]context.CancelFunc)
	}
	t.cancels[token] = cancel
}

func (t *progressTable) remove(token lsp.ProgressToken) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.cancels, token)
}

func (t *progressTable) fresh() lsp.ProgressToken {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.number++
	return lsp.NewProgressToken("lacuna-" + strconv.Itoa(t.number))
}

// progress is the visible progress of one piece of work. The zero token shows nothing.
type progress struct {
	s     *session
	token lsp.ProgressToken
}

// beginProgress shows that work has begun, under the client's token or, where the client can, a
// new one of ours. The user's cancel button calls cancel. End has to be called in every case.
func (s *session) beginProgress(ctx context.Context, cancel context.CancelFunc, token lsp.ProgressToken, title string) progress {
	if token == "" {
		if !s.client.Progress {
			return progress{}
		}
		token = s.progress.fresh()
		params := map[string]any{"token": token}
		if err := s.conn.Call(ctx, replyTime, protocol.MethodWorkDoneProgressCreate, params, nil); err != nil {
			s.log.Debug("progress not shown", "err", err)
			return progress{}
		}
	}
	s.progress.add(token, cancel)
	p := progress{s: s, token: token}
	p.send(lsp.WorkDoneProgress{Kind: "begin", Title: title, Cancellable: true, Percentage: new(uint32)})
	return p
}

// report names the stage; percent is 0..100.
func (p progress) report(message string, percent int) {
	done := uint32(min(max(percent, 0), 100))
	p.send(lsp.WorkDoneProgress{Kind: "report", Cancellable: true, Message: message, Percentage: &done})
}

func (p progress) end(message string) {
	if p.token == "" {
		return
	}
	p.s.progress.remove(p.token)
	p.send(lsp.WorkDoneProgress{Kind: "end", Message: message})
}

func (p progress) send(value lsp.WorkDoneProgress) {
	if p.token != "" {
		p.s.conn.Notify(protocol.MethodProgress, lsp.ProgressParams{Token: p.token, Value: value})
	}
}
