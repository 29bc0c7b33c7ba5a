package server

import (
	"slices"
	"sync"

	"lacuna/handlers/messages"
)

// mostPages bounds the pages of a session whose texts are remembered.
const mostPages = 50

// pages holds the texts of documents that are no files, by their names. They end with the session.
type pages struct {
	mu    sync.Mutex
	texts map[string]string // guarded by mu
	order []string          // the names, the oldest first; guarded by mu
}

// put stores a text and reports whether there was one of that name.
func (p *pages) put(name, text string) (had bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.texts == nil {
		p.texts = make(map[string]string)
	}
	_, had = p.texts[name]
	p.texts[name] = text
	p.order = append(slices.DeleteFunc(p.order, func(n string) bool { return n == name }), name)
	if len(p.order) > mostPages {
		delete(p.texts, p.order[0])
		p.order = p.order[1:]
	}
	return had
}

func (p *pages) text(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text, there := p.texts[name]; there {
		return text
	}
	return messages.PageGone
}
