package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/messages"
)

// activity is what a base is doing.
type activity struct {
	state   handlers.FolderState // Indexing, SearchingOnly, Trouble or, at rest, empty
	message string
	percent int
}

// doing makes an activity known.
func (b *base) doing(state handlers.FolderState, message string, percent int) {
	b.activity.Store(&activity{state, message, percent})
	b.s.statusChanged()
}

// overview is what the session knows of every folder. It computes nothing about questions.
func (s *session) overview() handlers.Overview {
	s.mu.Lock()
	bases := make([]*base, len(s.bases))
	copy(bases, s.bases)
	s.mu.Unlock()
	o := handlers.Overview{Answering: int(s.answering.Load()), Client: s.clientNow()}
	for _, b := range bases {
		o.Folders = append(o.Folders, b.overview())
	}
	return o
}

func (b *base) overview() handlers.Folder {
	now, library, doing := b.now.Load(), b.library(), b.activity.Load()
	f := handlers.Folder{
		Path: b.folder, Name: cmp.Or(b.name, filepath.Base(b.folder)), Percent: 100,
		State: doing.state, Message: doing.message,
		Gate: now.settings.Gate.Policy, Models: b.models(),
		Library: library, Sources: now.sources, Gaps: b.s.listGaps(b), Open: b.openPages(),
	}
	f.Decision, _ = b.decision.Load().(string)
	switch {
	case doing.state == handlers.Indexing:
		f.Percent = doing.percent
	case doing.state != "":
	default:
		f.State, f.Message = handlers.Ready, b.standing()
		if state, _ := handlers.StateOfSources(now.sources, library); state != handlers.SourcesReady {
			f.State = handlers.NoSources
		}
	}
	return f
}

// standing says what the base can do, or why it can do nothing.
func (b *base) standing() string {
	library := b.library()
	if _, why := handlers.StateOfSources(b.now.Load().sources, library); why != "" {
		return why
	}
	return messages.LibraryStatus(library.Status())
}

// openPages are the open notes of a base by the names under which they are remembered.
func (b *base) openPages() map[string]handlers.Page {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	pages := make(map[string]handlers.Page)
	for _, doc := range b.s.documents {
		if doc.base == b {
			pages[doc.name()] = handlers.Page{URI: doc.uri, Path: doc.path, Note: doc.note}
		}
	}
	return pages
}

// Overview brings what is remembered up to date before it is listed.
func (e *editor) Overview(ctx context.Context) handlers.Overview {
	e.mu.Lock()
	bases := append([]*base(nil), e.bases...)
	e.mu.Unlock()
	for _, b := range bases {
		b.review(ctx)
	}
	return e.overview()
}

const (
	methodStatus = "lacuna/status"
	// statusEvery is how long changes of the status are gathered.
	statusEvery = 150 * time.Millisecond
)

// announcer tells the client of the status when it has changed.
type announcer struct {
	mu    sync.Mutex
	timer *time.Timer // runs from a change until it is looked at; guarded by mu

	telling sync.Mutex // held from the look to the telling, so that the newest look has the last word
	last    []byte     // what was told last; guarded by telling
}

// statusChanged has the client told soon. It may be called with any lock held and at any time.
func (s *session) statusChanged() {
	s.unseen.tell()
	if !s.client.Status {
		return
	}
	s.announcer.mu.Lock()
	defer s.announcer.mu.Unlock()
	if s.announcer.timer == nil {
		s.announcer.timer = time.AfterFunc(statusEvery, s.announce)
	}
}

func (s *session) announce() {
	defer s.contain("status")
	a := &s.announcer
	a.telling.Lock()
	defer a.telling.Unlock()
	a.mu.Lock()
	a.timer = nil
	a.mu.Unlock()
	if s.conn.Context().Err() != nil {
		return
	}
	news, err := json.Marshal(handlers.ViewStatus(s.overview()))
	if err != nil {
		s.log.Error("status not told", "err", err)
		return
	}
	if !bytes.Equal(news, a.last) {
		a.last = news
		s.conn.Notify(methodStatus, json.RawMessage(news))
	}
}
