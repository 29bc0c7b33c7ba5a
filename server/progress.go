package server

import (
	"context"
	"strconv"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/knowledge"
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

// reportEvery is how often a client hears of the progress of one piece of work.
const reportEvery = 100 * time.Millisecond

// progress is the visible progress of one piece of work. It is safe for concurrent use.
type progress struct {
	s     *session
	token lsp.ProgressToken // empty: nothing is shown

	mu      sync.Mutex
	percent int                   // the bar never goes back; guarded by mu
	waiting *lsp.WorkDoneProgress // the newest report, while it is too early to send it; guarded by mu
	timer   *time.Timer           // runs from one report until the next may be sent; guarded by mu
	ended   bool                  // guarded by mu
}

// beginProgress shows that work has begun, under the client's token or, where the client can, a
// new one of ours. The user's cancel button calls cancel. End has to be called in every case.
func (s *session) beginProgress(ctx context.Context, cancel context.CancelFunc, token lsp.ProgressToken, title string) *progress {
	if token == "" {
		if !s.client.Progress {
			return &progress{}
		}
		token = s.progress.fresh()
		params := map[string]any{"token": token}
		if err := s.conn.Call(ctx, replyTime, protocol.MethodWorkDoneProgressCreate, params, nil); err != nil {
			s.log.Debug("progress not shown", "err", err)
			return &progress{}
		}
	}
	s.progress.add(token, cancel)
	p := &progress{s: s, token: token}
	p.send(lsp.WorkDoneProgress{Kind: "begin", Title: title, Cancellable: true, Percentage: new(uint32)})
	return p
}

// report names the stage; percent is 0..100. Of reports that come faster than reportEvery the last
// one is sent when its time has come.
func (p *progress) report(message string, percent int) {
	if p.token == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.percent = min(max(percent, p.percent), 100)
	done := uint32(p.percent)
	p.waiting = &lsp.WorkDoneProgress{Kind: "report", Cancellable: true, Message: message, Percentage: &done}
	if p.timer == nil {
		p.next()
	}
}

// due reports whether a report would be sent at once.
func (p *progress) due() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token != "" && !p.ended && p.timer == nil
}

// next sends the newest report and starts the time until the one after it. The caller holds mu.
func (p *progress) next() {
	p.timer = nil
	if p.ended || p.waiting == nil {
		return
	}
	p.send(*p.waiting)
	p.waiting = nil
	p.timer = time.AfterFunc(reportEvery, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.next()
	})
}

func (p *progress) end(message string) {
	if p.token == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.ended = true
	p.s.progress.remove(p.token)
	p.send(lsp.WorkDoneProgress{Kind: "end", Message: message})
}

func (p *progress) send(value lsp.WorkDoneProgress) {
	p.s.conn.Notify(protocol.MethodProgress, lsp.ProgressParams{Token: p.token, Value: value})
}

// stageShare is the part of a refresh, in percent, that each stage takes up to, so that the bar
// only ever grows.
var stageShare = map[knowledge.Stage][2]int{
	knowledge.Reading:  {0, 25},
	knowledge.Indexing: {25, 45},
	knowledge.Training: {45, 85},
	knowledge.Fitting:  {85, 100},
	knowledge.Ready:    {100, 100},
}

func overall(e knowledge.Event) int {
	share := stageShare[e.Stage]
	return share[0] + (share[1]-share[0])*min(max(e.Percent, 0), 100)/100
}
