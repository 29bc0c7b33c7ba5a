package editor

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
)

const (
	// refreshEvery is how long changes are gathered before the editor is told to ask again.
	refreshEvery = 100 * time.Millisecond
	// statusEvery is how long changes of the status are gathered.
	statusEvery = 150 * time.Millisecond

	methodStatus = "lacuna/status"
)

// refresher tells the editor to ask again for what it shows.
type refresher struct {
	mu    sync.Mutex
	timer *time.Timer     // runs from the first change until the editor is told; guarded by mu
	due   map[string]bool // methods; guarded by mu
}

// Refresh soon calls methods that have the editor ask again. It may be called with any lock held.
func (e *Editor) Refresh(methods ...string) {
	r := &e.refresher
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.due == nil {
		r.due = make(map[string]bool)
	}
	for _, method := range methods {
		r.due[method] = true
	}
	if r.timer == nil && len(r.due) > 0 {
		r.timer = time.AfterFunc(refreshEvery, e.refreshNow)
	}
}

func (e *Editor) refreshNow() {
	r := &e.refresher
	r.mu.Lock()
	due := r.due
	r.due, r.timer = nil, nil
	r.mu.Unlock()
	for method := range due {
		go e.request(method, nil)
	}
}

// ViewsChanged has the editor ask again for what it shows of questions besides diagnostics.
func (e *Editor) ViewsChanged() {
	if e.declared.CodeLensRefresh {
		e.Refresh("workspace/codeLens/refresh")
	}
	if e.declared.InlayHintRefresh {
		e.Refresh(lsp.MethodInlayHintRefresh)
	}
}

// announcer tells the editor the status when it has changed, and wakes who waits for any change.
type announcer struct {
	status func() handlers.StatusView

	mu    sync.Mutex
	timer *time.Timer   // runs from a change until it is looked at; guarded by mu
	dirty chan struct{} // closed by the next change; nil while nobody waits; guarded by mu

	telling sync.Mutex // held from the look to the telling, so that the newest look has the last word
	last    []byte     // what was told last; guarded by telling
}

// Changed returns a channel that the next [Editor.StatusChanged] closes.
func (e *Editor) Changed() <-chan struct{} {
	a := &e.announcer
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dirty == nil {
		a.dirty = make(chan struct{})
	}
	return a.dirty
}

// StatusChanged has the editor told soon. It may be called with any lock held and at any time.
func (e *Editor) StatusChanged() {
	a := &e.announcer
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dirty != nil {
		close(a.dirty)
		a.dirty = nil
	}
	if e.declared.Status && a.timer == nil {
		a.timer = time.AfterFunc(statusEvery, e.announce)
	}
}

func (e *Editor) announce() {
	defer e.Contain("status")
	a := &e.announcer
	a.telling.Lock()
	defer a.telling.Unlock()
	a.mu.Lock()
	a.timer = nil
	a.mu.Unlock()
	if e.Context().Err() != nil {
		return
	}
	status, err := json.Marshal(a.status())
	if err != nil {
		e.log.Error("status not sent", "err", err)
		return
	}
	if !bytes.Equal(status, a.last) {
		a.last = status
		e.conn.Notify(methodStatus, json.RawMessage(status))
	}
}
