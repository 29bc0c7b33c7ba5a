package server

import (
	"context"
	"maps"
	"slices"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/vecmath/mapped"
)

// The gaps of a workspace are those of all its notes. Notes that nobody has opened are read from disk
// and judged in the background, one question at a time between those of open notes.

// notesEvery is how often the notes on disk are looked at again when nobody tells of a change.
const notesEvery = time.Minute

// judgeClosed judges the notes on disk whenever they or the library may have changed, until ctx ends.
func (b *base) judgeClosed(ctx context.Context, _ Workspace) {
	mapped.Guard() // the index is memory-mapped, and its files may be truncated
	every := notesEvery
	for ctx.Err() == nil {
		began := time.Now()
		b.readNotes(ctx)
		b.judgeNotes(ctx)
		every = max(notesEvery, pollShare*time.Since(began))
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-b.notesStale:
			wait(ctx, settle)
		}
		timer.Stop()
	}
}

// readNotes reads the notes on disk, those that are open among them: they may be closed next.
func (b *base) readNotes(ctx context.Context) {
	found := make(map[string]*note.Note)
	if b.settings().Diagnostics.Enabled {
		w := walk{base: b, seen: make(map[string]kept), yield: func(p handlers.Page) bool {
			found[p.Path] = p.Note
			return true
		}}
		w.run(ctx)
	}
	if ctx.Err() != nil {
		return
	}
	if before := b.closed.Swap(&found); before == nil || !maps.Equal(*before, found) {
		b.findings.touch()
		b.announce()
	}
}

// judgeNotes judges what no open note asks and nobody has judged with the newest library.
func (b *base) judgeNotes(ctx context.Context) {
	library := b.library()
	if status := library.Status(); status.Passages+status.Pairs == 0 {
		return // news of the library follows
	}
	strategy, err := b.strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		return
	}
	open, notes := b.s.openNotes(b), *b.closed.Load()
	told, untold := time.Now(), false
	for _, path := range slices.Sorted(maps.Keys(notes)) {
		if open[path] != nil || notes[path].Private {
			continue
		}
		for _, q := range notes[path].Questions {
			if b.findings.fresh(q, library.Generation()) {
				continue
			}
			if !b.s.inTurn(ctx, func() { b.judgeQuestion(ctx, strategy, library, q) }) || b.library() != library {
				return
			}
			untold = true
			if time.Since(told) >= publishEvery {
				b.announce()
				told, untold = time.Now(), false
			}
		}
	}
	if untold {
		b.announce()
	}
}

// announce has the views of gaps asked for again.
func (b *base) announce() {
	b.s.viewsChanged()
	b.s.statusChanged()
}

// notes returns every note that is known of: the open ones as they are, and the others as they are on
// disk.
func (b *base) notes() map[string]*note.Note {
	all := make(map[string]*note.Note)
	if closed := b.closed.Load(); closed != nil {
		maps.Copy(all, *closed)
	}
	maps.Copy(all, b.s.openNotes(b))
	return all
}
