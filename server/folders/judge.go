package folders

import (
	"context"
	"maps"
	"slices"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/server/editor"
	"lacuna/vecmath/mapped"
)

// A workspace's gaps come from all its notes. Notes that are not open are read from disk and judged in the
// background, one question at a time between the questions of open notes.

const (
	// notesEvery is the interval between scans of the notes on disk if no change is reported.
	notesEvery = time.Minute
	// publishEvery is the interval between publications of diagnostics while many questions are judged.
	publishEvery = time.Second
	// progressFrom is the number of closed notes whose judging is shown.
	progressFrom = 20
	// restShare is how many times as long as the renewal of a note took its rest is: a third of one core at most.
	restShare = 2
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
			found[p.Path] = p.Note.Reading(f.Settings().Diagnostics.Questions)
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

// forget forgets the notes at paths or below them, whose files are gone. What is read from the disk later has the last word: it may
// take long, while many notes are judged.
func (f *Folder) forget(paths ...string) {
	isGone := func(note string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return within(note, path) })
	}
	for {
		before := f.closed.Load()
		if before == nil {
			break
		}
		left := maps.Clone(*before)
		maps.DeleteFunc(left, func(path string, _ *note.Note) bool { return isGone(path) })
		if len(left) == len(*before) {
			break
		}
		if f.closed.CompareAndSwap(before, &left) {
			f.findings.touch()
			break
		}
	}
	f.changed() // also of a note that was not read: its marks are stored
	if slices.ContainsFunc(paths, func(path string) bool { return within(path, f.path) }) {
		f.NotesChanged()
	}
}

// judgeNotes judges the questions that no open note asks and that have not been judged with the newest
// library: first those of which nothing is known, with progress; then it renews what is known, and rests in
// between, because every note that is saved in a vault makes a new library.
func (f *Folder) judgeNotes(ctx context.Context) {
	library := f.Library()
	if status := library.Status(); status.Passages+status.Pairs == 0 {
		return // it is called again when the library has something
	}
	strategy, err := f.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		return
	}
	unknown, renewed := f.waiting(library)
	f.judgeUnknown(ctx, strategy, library, unknown)
	shown, unshown := time.Now(), false
	for _, path := range renewed {
		began := time.Now()
		if !f.judgeClosedNote(ctx, strategy, library, path, nil) {
			break
		}
		unshown = true
		if time.Since(shown) >= publishEvery {
			f.changed()
			shown, unshown = time.Now(), false
		}
		wait(ctx, restShare*time.Since(began))
	}
	if unshown {
		f.changed()
	}
}

// waiting returns the paths of the closed notes with questions that have not been judged with a library, in order:
// those with questions that have never been judged, and the others.
func (f *Folder) waiting(library *knowledge.Library) (unknown, renewed []string) {
	open, notes := f.notes.In(f), *f.closed.Load()
	for _, path := range slices.Sorted(maps.Keys(notes)) {
		if _, isOpen := open[path]; isOpen || notes[path].Private {
			continue
		}
		stale, never := false, false
		for _, q := range notes[path].Questions {
			if q.Settled() {
				continue
			}
			k := f.findings.key(path, query.Asked(notes[path], q))
			stale = stale || !f.findings.fresh(k, library.Generation())
			never = never || !f.findings.known(k)
		}
		switch {
		case never:
			unknown = append(unknown, path)
		case stale:
			renewed = append(renewed, path)
		}
	}
	return unknown, renewed
}

// judgeUnknown judges notes of which nothing is known, and shows how far it is if they are many. The user may
// cancel it: the rest is judged when a note or a source changes.
func (f *Folder) judgeUnknown(ctx context.Context, strategy answer.Strategy, library *knowledge.Library, paths []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	published, judged := time.Now(), 0
	shown := &editor.Progress{}
	if len(paths) >= progressFrom {
		shown = f.editor.BeginProgress(ctx, cancel, "", messages.TitleJudging)
	}
	for i, path := range paths {
		more := f.judgeClosedNote(ctx, strategy, library, path, func() {
			judged++
			shown.Report(messages.JudgingNotes(i, len(paths)), 100*i/len(paths))
			if time.Since(published) >= publishEvery {
				f.changed()
				published = time.Now()
			}
		})
		if !more {
			break
		}
	}
	if judged > 0 {
		f.changed()
	}
	shown.End(messages.JudgedQuestions(judged))
}

// judgeClosedNote judges the questions of a closed note, one at a time between those of open notes, and calls
// done after each. It reports whether to go on: not if ctx has ended or there is a newer library.
func (f *Folder) judgeClosedNote(ctx context.Context, strategy answer.Strategy, library *knowledge.Library, path string, done func()) bool {
	n := (*f.closed.Load())[path]
	if n == nil {
		return true // it has gone
	}
	beside := library.Beside(path)
	for _, q := range n.Questions {
		k := f.findings.key(path, query.Asked(n, q))
		if q.Settled() || f.findings.fresh(k, library.Generation()) {
			continue
		}
		if !f.Exclusively(ctx, func() { f.judgeQuestion(ctx, strategy, beside, k, n, q) }) || f.Library() != library {
			return false
		}
		if done != nil {
			done()
		}
	}
	return true
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
	library := snapshot.Library.Beside(snapshot.Path)
	generation, name := library.Generation(), NameOf(snapshot.URI, snapshot.Path)
	var open []note.Question
	for _, q := range snapshot.Note.Questions {
		if !q.Settled() && !f.findings.fresh(f.findings.key(name, query.Asked(snapshot.Note, q)), generation) {
			open = append(open, q)
		}
	}
	if known := len(snapshot.Note.Questions) - len(open); known > 0 && len(open) > 1 {
		publish() // what is known moves along with the typing and does not wait for all the rest
	}
	published := time.Now()
	for _, q := range open {
		k := f.findings.key(name, query.Asked(snapshot.Note, q))
		if f.findings.fresh(k, generation) { // it was asked twice
			continue
		}
		f.judgeQuestion(ctx, strategy, library, k, snapshot.Note, q)
		if ctx.Err() != nil {
			return
		}
		if time.Since(published) >= publishEvery {
			publish()
			published = time.Now()
		}
	}
}

// JudgeQuestion answers a question of a snapshot if it has not been answered with its library yet.
func (f *Folder) JudgeQuestion(ctx context.Context, snapshot handlers.Snapshot, q note.Question) {
	library := snapshot.Library.Beside(snapshot.Path)
	k := f.findings.key(NameOf(snapshot.URI, snapshot.Path), query.Asked(snapshot.Note, q))
	if f.findings.fresh(k, library.Generation()) {
		return
	}
	strategy, err := f.Strategy(answer.Request{System: answer.OfflineID}) // no model and no network: the user has not asked
	if err != nil {
		f.log.Debug("nothing to judge with", "err", err)
		return
	}
	f.judgeQuestion(ctx, strategy, library, k, snapshot.Note, q)
}

// JudgeClaims compares the sentences of a snapshot with the passages that they cite, those that have changed since
// or that were not compared with its library yet. It calls publish before it compares anything, because that takes a
// while, and while much is still to be done.
func (f *Folder) JudgeClaims(ctx context.Context, snapshot handlers.Snapshot, publish func()) {
	library := snapshot.Library.Beside(snapshot.Path)
	generation := library.Generation()
	var published time.Time
	changed := false
	for _, sentence := range handlers.Sentences(snapshot) {
		if f.claims.IsFresh(snapshot.Path, sentence, generation) {
			continue
		}
		if published.IsZero() && !f.claims.IsQuick(library, snapshot.Path, sentence) {
			publish() // what is known moves along with the typing
			published = time.Now()
		}
		changed = f.checkSentence(ctx, f.claims, library, snapshot.Path, sentence) || changed
		if ctx.Err() != nil {
			return
		}
		if changed && time.Since(published) >= publishEvery {
			publish()
			published, changed = time.Now(), false
		}
	}
}

// JudgeNotes judges what may no longer be true in the notes of the folder, the open ones and those on disk, and passes
// each to done, except private ones and those in seen, by [lsp.PathKey], to which it adds. What was judged before with
// the same sources and the same words is not judged again.
func (f *Folder) JudgeNotes(ctx context.Context, seen map[string]bool, done func(handlers.Snapshot)) error {
	library := f.Library()
	if _, nothing := handlers.StateOfSources(f.Sources(), library); nothing != "" {
		return ctx.Err()
	}
	strategy, err := f.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		return err
	}
	var live []handlers.Snapshot
	for page := range f.Pages()(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if key := lsp.PathKey(page.Path); page.Path != "" {
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		if page.Note.Private {
			continue
		}
		n := f.Snapshot(page.URI, page.Path, 0, page.Note)
		n.Library, n.Part = library, nil
		n.Claim = func(s note.Sentence) (claims.Finding, bool) { return f.listed.Find(n.Path, s) }
		beside, name := library.Beside(n.Path), NameOf(n.URI, n.Path)
		for _, q := range handlers.Undecided(n.Note) {
			if k := f.findings.key(name, query.Asked(n.Note, q)); !f.findings.fresh(k, library.Generation()) {
				f.Exclusively(ctx, func() { f.judgeQuestion(ctx, strategy, beside, k, n.Note, q) })
			}
		}
		for _, s := range handlers.Sentences(n) {
			if ctx.Err() == nil && !f.listed.IsFresh(n.Path, s, library.Generation()) {
				f.checkSentence(ctx, f.listed, beside, n.Path, s)
			}
		}
		live = append(live, n)
		done(n)
	}
	f.listed.Retain(func(yield func(string, note.Sentence) bool) {
		for _, n := range live {
			for _, s := range handlers.Sentences(n) {
				if !yield(n.Path, s) {
					return
				}
			}
		}
	})
	return ctx.Err()
}

// checkSentence compares a sentence with what it cites and reports whether something else is known of it now.
func (f *Folder) checkSentence(ctx context.Context, with *claims.Checker, library *knowledge.Library, path string, s note.Sentence) (changed bool) {
	if library.Status().Partial {
		return false // what it cites may not have been read yet
	}
	err := f.editor.Safely("claim", func() error {
		changed = with.Check(ctx, library, path, s)
		return nil
	})
	if err != nil {
		f.log.Warn("sentence not judged", "err", err)
	}
	return changed
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
func (f *Folder) judgeQuestion(ctx context.Context, strategy answer.Strategy, library *knowledge.Library, k judgedKey, n *note.Note, q note.Question) {
	result, err := strategy.Answer(ctx, library, answer.Question{Text: query.Of(n, q), Options: q.Options})
	switch {
	case err == nil && library.Status().Partial && result.MissingProbability >= gap.MissingFrom:
		// What has not been read yet may have it. The next library asks again.
	case err == nil: // also if ctx has ended since: whoever ended it asks for what is not known yet
		f.findings.judge(k, result, library.Generation())
	case ctx.Err() == nil:
		f.log.Warn("question not judged", "err", err)
	}
}
