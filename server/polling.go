package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"lacuna/handlers/settings"
	"lacuna/knowledge/ingest"
)

const (
	// pollEvery is how often a session looks by itself for what nobody tells it about.
	pollEvery = 5 * time.Second
	// pollShare bounds what looking costs: after a look that took long, the next is so many times as
	// long away.
	pollShare = 100
	// checkEvery is how often the index is compared with its checksums; opening it does so as well.
	checkEvery = time.Hour
)

// poll looks now and then for what the client does not tell of: changes of sources and settings that
// it does not watch, and damage to the index. It returns when ctx ends.
func (b *base) poll(ctx context.Context, w Workspace) {
	unwatched := b.s.unwatched(w)
	configuration := b.s.unwatchedSettings(w)
	seen, _ := ingest.FingerprintOf(ctx, unwatched) // an error is ctx's, which ends the loop
	set := stampsOf(configuration)
	lost, damaged := "", false // the generation that is damaged, if any is
	every := pollEvery
	for {
		if wait(ctx, every); ctx.Err() != nil {
			return
		}
		began := time.Now()
		now, err := ingest.FingerprintOf(ctx, unwatched)
		if err != nil {
			return
		}
		if now != seen {
			seen = now
			wake(b.stale)
		}
		if now := stampsOf(configuration); !slices.Equal(now, set) {
			set = now
			wake(b.reopen)
		}
		intact, generation := w.Intact(), w.Library().Generation()
		// Once for each generation: what cannot be mended would have the index refreshed for ever.
		if !intact && !(damaged && generation == lost) {
			wake(b.stale)
		}
		lost, damaged = generation, !intact
		every = max(pollEvery, pollShare*time.Since(began))
	}
}

// check compares the index with its checksums now and then, for a session may last for weeks. What it
// finds has the index refreshed, which says it to the user. It returns when ctx ends.
func (b *base) check(ctx context.Context, w Workspace) {
	for {
		if wait(ctx, checkEvery); ctx.Err() != nil {
			return
		}
		if err := w.Check(ctx); err != nil && ctx.Err() == nil {
			b.s.log.Warn("the index is not as it was written", "err", err)
			wake(b.stale)
		}
	}
}

// unwatched are the sources whose changes the client does not report: all of them, where it cannot
// watch, and in any case those outside the workspace, for which not every client keeps its word.
func (s *session) unwatched(w Workspace) []ingest.Source {
	var list []ingest.Source
	for _, source := range w.Sources() {
		if !s.client.WatchDynamic || !within(source.Path, w.Root()) {
			list = append(list, source)
		}
	}
	return list
}

// unwatchedSettings are the files with settings whose changes the client does not report: the user's own,
// those of the folders around the workspace, and that of the workspace where the client cannot watch.
func (s *session) unwatchedSettings(w Workspace) []string {
	var files []string
	if file := w.UserFile(); file != "" {
		files = append(files, file)
	}
	if w.Root() == "" {
		return files
	}
	places := settings.Files(w.Root())
	if s.client.WatchDynamic {
		places = places[:len(places)-1]
	}
	return append(files, places...)
}

func stampsOf(paths []string) []stamp {
	stamps := make([]stamp, len(paths))
	for i, path := range paths {
		stamps[i] = stampOf(path)
	}
	return stamps
}

// stamp tells the states of a small file apart; zero where there is none.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}
	}
	if err != nil {
		return stamp{size: -1}
	}
	return stamp{info.Size(), info.ModTime()}
}
