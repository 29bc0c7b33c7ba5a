package editor

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/knowledge/sanitise"
)

// reportEvery is the minimum interval between progress reports of one task.
const reportEvery = 100 * time.Millisecond

// Progress is the visible progress of one piece of work; the zero value shows nothing. It is safe for
// concurrent use.
type Progress struct {
	e     *Editor
	token lsp.ProgressToken // empty: nothing is shown

	mu      sync.Mutex
	percent int                   // the bar never goes back; guarded by mu
	waiting *lsp.WorkDoneProgress // the newest report, while it is too early to send it; guarded by mu
	timer   *time.Timer           // runs from one report until the next may be sent; guarded by mu
	ended   bool                  // guarded by mu
}

// BeginProgress shows that work has begun, under the given token or, if that is empty and the editor can
// show progress, under a new one of ours. The user's cancel button calls cancel. The caller must call
// [Progress.End] in every case.
func (e *Editor) BeginProgress(ctx context.Context, cancel context.CancelFunc, token lsp.ProgressToken, title string) *Progress {
	if token == "" {
		if !e.declared.Progress {
			return &Progress{}
		}
		token = e.progress.next()
		params := map[string]any{"token": token}
		if err := e.conn.Call(ctx, ReplyTime, protocol.MethodWorkDoneProgressCreate, params, nil); err != nil {
			e.log.Debug("progress not shown", "err", err)
			return &Progress{}
		}
	}
	e.progress.add(token, cancel)
	p := &Progress{e: e, token: token}
	p.send(lsp.WorkDoneProgress{Kind: "begin", Title: title, Cancellable: true, Percentage: new(uint32)})
	return p
}

// Report names the stage; percent is 0..100. If reports come faster than reportEvery, only the newest is
// sent, when its time has come.
func (p *Progress) Report(message string, percent int) {
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

// IsDue reports whether a report would be sent immediately.
func (p *Progress) IsDue() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token != "" && !p.ended && p.timer == nil
}

// next sends the newest report and starts the time until the one after it. The caller must hold mu.
func (p *Progress) next() {
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

// End removes the progress from sight, with a last message that may be empty.
func (p *Progress) End(message string) {
	if p.token == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.ended = true
	p.e.progress.remove(p.token)
	p.send(lsp.WorkDoneProgress{Kind: "end", Message: message})
}

func (p *Progress) send(value lsp.WorkDoneProgress) {
	value.Message = sanitise.Notice(value.Message)
	p.e.conn.Notify(protocol.MethodProgress, lsp.ProgressParams{Token: p.token, Value: value})
}
