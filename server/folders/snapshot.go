package folders

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
)

// Snapshot captures a note of the folder with what is known of its questions. A note without a file has an
// empty path. What is known is looked up when it is first asked for and stays the same for this snapshot.
func (f *Folder) Snapshot(uri protocol.DocumentURI, path string, version int32, n *note.Note) handlers.Snapshot {
	name, library, stored := NameOf(uri, path), f.Library(), f.ledger()
	finding := lookUpOnce(func(ref ledger.QuestionRef) (answer.Result, bool) { return f.finding(library, stored, ref) })
	part := lookUpOnce(f.findings.part)
	type gapRef struct {
		question ledger.QuestionRef
		gap      string
	}
	dismissed := lookUpOnce(func(g gapRef) (bool, bool) { return stored.IsDismissed(g.question, g.gap), true })
	return handlers.Snapshot{
		URI:      uri,
		Path:     path,
		Version:  version,
		Note:     n.Reading(f.Settings().Diagnostics.Questions),
		Library:  library,
		Settings: f.Settings(),
		Client:   f.editor.Client(),
		Models:   f.models(),
		Engines:  f.engines(),
		Pages:    f.now.Load().pages,
		Today:    f.options.Now(),
		Finding:  func(q note.Question) (answer.Result, bool) { return finding(handlers.RefOf(name, n, q)) },
		Claim:    func(sentence note.Sentence) (claims.Finding, bool) { return f.claims.Find(path, sentence) },
		Part:     func(q note.Question) (answer.Result, bool) { return part(query.Of(n, q)) },
		Dismissed: func(q note.Question, gapID string) bool {
			is, _ := dismissed(gapRef{handlers.RefOf(name, n, q), gapID})
			return is
		},
		Accepted:  lookUpOnce(f.accepted),
		WikiLinks: f.now.Load().wikiLinks,
	}
}

// lookUpOnce returns a function that looks up each key once. It is safe for concurrent use.
func lookUpOnce[K comparable, V any](lookUp func(K) (V, bool)) func(K) (V, bool) {
	type found struct {
		value V
		ok    bool
	}
	var mu sync.Mutex
	seen := make(map[K]found)
	return func(key K) (V, bool) {
		mu.Lock()
		defer mu.Unlock()
		f, had := seen[key]
		if !had {
			f.value, f.ok = lookUp(key)
			seen[key] = f
		}
		return f.value, f.ok
	}
}

// ClosedNotes returns snapshots of the notes that are not open and have known gaps, by path. What isOpen
// reports of a path decides whether it is left out.
func (f *Folder) ClosedNotes(ctx context.Context, isOpen func(path string) bool) map[string]handlers.Snapshot {
	closed := make(map[string]handlers.Snapshot)
	for _, listed := range f.OpenGaps(ctx) {
		path := listed.Ref.Note
		if _, done := closed[path]; done || ctx.Err() != nil || !f.MayBeNote(path) || isOpen(path) {
			continue
		}
		if n, err := f.cache.note(path); err == nil && note.Known("", path) {
			closed[path] = f.closedNote(path, n)
		}
	}
	return closed
}

// closedNote captures a note on disk, with what is known of its questions.
func (f *Folder) closedNote(path string, n *note.Note) handlers.Snapshot {
	s := f.Snapshot(lsp.URI(path), path, 0, n)
	library, stored := s.Library, f.ledger()
	s.Finding = func(q note.Question) (answer.Result, bool) {
		if gaps, judged := stored.Gaps(library, handlers.RefOf(path, n, q)); judged {
			return answer.Result{Gaps: gaps}, true
		}
		found, known := f.findings.get(handlers.RefOf(path, n, q), library)
		return answer.Result{Gaps: found.Gaps}, known
	}
	s.Claim, s.Part, s.Accepted, s.Models = nil, nil, nil, handlers.Models{}
	return s
}

// overview returns what a view of the folder shows.
func (f *Folder) overview() handlers.Folder {
	now, library, doing := f.now.Load(), f.Library(), f.activity.Load()
	o := handlers.Folder{
		Path: f.path, Name: cmp.Or(f.name, filepath.Base(f.path)), Percent: 100,
		State: doing.state, Message: doing.message,
		Gate: now.settings.Gate.Policy, Models: f.models(),
		Library: library, Sources: now.sources, Gaps: f.listGaps(), Open: f.notes.In(f), Asked: f.listAsked,
	}
	o.Decision, _ = f.decision.Load().(string)
	switch {
	case doing.state == handlers.Indexing:
		o.Percent = doing.percent
	case doing.state != "":
	default:
		o.State, o.Message = handlers.Ready, f.standing()
		if state, _ := handlers.StateOfSources(now.sources, library); state != handlers.SourcesReady && len(f.engines()) == 0 {
			o.State = handlers.NoSources
		}
	}
	return o
}

// standing says what the folder can do, or why it can do nothing.
func (f *Folder) standing() string {
	library := f.Library()
	if _, why := handlers.StateOfSources(f.Sources(), library); why != "" && len(f.engines()) == 0 {
		return why
	}
	return messages.LibraryStatus(library.Status())
}
