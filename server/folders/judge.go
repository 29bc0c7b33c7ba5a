package folders

import (
	"context"
	"maps"
	"slices"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/vecmath/mapped"
)

// A workspace's gaps come from all its notes. Notes that are not open are read from disk and judged in the
// background, one question at a time between the questions of open notes.

const (
	// notesEvery is the interval between scans of the notes on disk if no change is reported.
	notesEvery = time.Minute
	// publishEvery is the interval between publications of diagnostics while many questions are judged.
	publishEvery = time.Second
)

// judgeClosed judges the notes on disk whenever they or the library may have changed, until ctx ends.
func (f *Folder) judgeClosed(ctx context.Context, _ Workspace) {
	mapped.Guard() // the index is memory-mapped, and its files may be truncated
	every := notesEvery
	for ctx.Err() == nil {
		began := time.Now()
		f.readNotes(ctx)
		f.judgeNotes(ctx)
		every = max(notesEvery, pollShare*time.Since(began))
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-f.notesStale:
			wait(ctx, settleTime)
		}
		timer.Stop()
	}
}

// readNotes reads the notes on disk, including open ones: they may be closed next.
func (f *Folder) readNotes(ctx context.Context) {
	found := make(map[string]*note.Note)
	if f.Settings().Diagnostics.Enabled {
		w := walk{folder: f, seen: make(map[string]cachedNote), yield: func(p handlers.Page) bool {
			found[p.Path] = p.Note
			return true
		}}
		w.run(ctx)
	}
	if ctx.Err() != nil {
		return
	}
	if before := f.closed.Swap(&found); before == nil || !maps.Equal(*before, found) {
		f.findings.touch()
		f.changed()
	}
}

// judgeNotes judges the questions that no open note asks and that have not been judged with the newest
// library.
func (f *Folder) judgeNotes(ctx context.Context) {
	library := f.Library()
	if status := library.Status(); status.Passages+status.Pairs == 0 {
		return // it is called again when the library has something
	}
	strategy, err := f.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		return
	}
	open, notes := f.notes.In(f), *f.closed.Load()
	shown, unshown := time.Now(), false
	for _, path := range slices.Sorted(maps.Keys(notes)) {
		if _, isOpen := open[path]; isOpen || notes[path].Private {
			continue
		}
		for _, q := range notes[path].Questions {
			if f.findings.fresh(q, library.Generation()) {
				continue
			}
			if !f.Exclusively(ctx, func() { f.judgeQuestion(ctx, strategy, library, q) }) || f.Library() != library {
				return
			}
			unshown = true
			if time.Since(shown) >= publishEvery {
				f.changed()
				shown, unshown = time.Now(), false
			}
		}
	}
	if unshown {
		f.changed()
	}
}

// Exclusively does a piece of judging when no other is under way, in any folder. It reports whether it was
// done: not if ctx ends before.
func (f *Folder) Exclusively(ctx context.Context, work func()) bool {
	select {
	case f.judging <- struct{}{}:
		defer func() { <-f.judging }()
		work()
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// JudgeNote answers the questions of a snapshot that have not been answered with its library yet. It calls
// publish when something is known and much is still to be done.
func (f *Folder) JudgeNote(ctx context.Context, snapshot handlers.Snapshot, publish func()) {
	// No model and no network: the user has not asked for anything yet.
	strategy, err := f.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		f.log.Debug("nothing to judge with", "err", err)
		return
	}
	generation := snapshot.Library.Generation()
	var open []note.Question
	for _, q := range snapshot.Note.Questions {
		if !f.findings.fresh(q, generation) {
			open = append(open, q)
		}
	}
	if known := len(snapshot.Note.Questions) - len(open); known > 0 && len(open) > 1 {
		publish() // what is known moves along with the typing and does not wait for all the rest
	}
	published := time.Now()
	for _, q := range open {
		if f.findings.fresh(q, generation) { // it was asked twice
			continue
		}
		f.judgeQuestion(ctx, strategy, snapshot.Library, q)
		if ctx.Err() != nil {
			return
		}
		if time.Since(published) >= publishEvery {
			publish()
			published = time.Now()
		}
	}
}

// JudgeClaims compares the sentences of a snapshot with the passages that they cite, those that have changed since
// or that were not compared with its library yet. It calls publish before it compares anything, because that takes a
// while, and while much is still to be done.
func (f *Folder) JudgeClaims(ctx context.Context, snapshot handlers.Snapshot, publish func()) {
	generation := snapshot.Library.Generation()
	var published time.Time
	changed := false
	for _, sentence := range handlers.Sentences(snapshot) {
		if f.claims.IsFresh(snapshot.Path, sentence, generation) {
			continue
		}
		if published.IsZero() && !f.claims.IsQuick(snapshot.Library, snapshot.Path, sentence) {
			publish() // what is known moves along with the typing
			published = time.Now()
		}
		err := f.editor.Safely("claim", func() error {
			changed = f.claims.Check(ctx, snapshot.Library, snapshot.Path, sentence) || changed
			return nil
		})
		if err != nil {
			f.log.Warn("sentence not judged", "err", err)
		}
		if ctx.Err() != nil {
			return
		}
		if changed && time.Since(published) >= publishEvery {
			publish()
			published, changed = time.Now(), false
		}
	}
}

// NotesChanged has the notes on disk looked at again soon.
func (f *Folder) NotesChanged() { wake(f.notesStale) }

// Retain forgets what was found out about questions and sentences that are in no note any more.
func (f *Folder) Retain() {
	f.findings.retain(f.allNotes())
	f.claims.Retain(func(yield func(string, note.Sentence) bool) {
		uncited := f.Settings().Claims.Check == settings.CheckAll
		for _, page := range f.notes.In(f) {
			for _, sentence := range page.Note.Sentences(uncited) {
				if !yield(page.Path, sentence) {
					return
				}
			}
		}
	})
}

// judgeQuestion stores what the offline judge finds, unless ctx ends before.
func (f *Folder) judgeQuestion(ctx context.Context, strategy answer.Strategy, library *knowledge.Library, q note.Question) {
	result, err := strategy.Answer(ctx, library, answer.Question{Text: q.Text, Options: q.Options})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		f.log.Warn("question not judged", "err", err)
	default:
		f.findings.judge(q, result, library.Generation())
	}
}
