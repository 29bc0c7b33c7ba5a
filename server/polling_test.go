package server_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/server/editortest"
)

// TestSourcesAreLookedAtWhereNobodyWatches counts the refreshes after each change on disk, of which
// the client says nothing.
func TestSourcesAreLookedAtWhereNobodyWatches(t *testing.T) {
	tests := map[string]struct {
		client  editortest.Options
		inside  int // refreshes after a change of a source in the folder
		outside int // and of one elsewhere
	}{
		"a client that cannot watch": {editortest.Options{}, 2, 3},
		"a client that watches":      {editortest.Rich(), 1, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			folder, elsewhere := t.TempDir(), t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWorkspace{root: folder, sources: []ingest.Source{
					{Name: "kb", Path: filepath.Join(folder, "kb")}, {Name: "elsewhere", Path: elsewhere},
				}}
				e, _ := serve(t, w, tt.client)
				e.Start(folder)
				time.Sleep(time.Minute + time.Second) // never at the moment of a look
				for _, change := range []struct {
					do   func() error
					want int
				}{
					{func() error {
						return errors.Join(os.Mkdir(filepath.Join(folder, "kb"), 0o700), write(folder, "kb/iron.md"))
					}, tt.inside},
					{func() error { return write(elsewhere, "zinc.md") }, tt.outside},
					{func() error { return nil }, tt.outside},
					{func() error {
						return os.Rename(filepath.Join(elsewhere, "zinc.md"), filepath.Join(elsewhere, "tin.md"))
					}, tt.outside + 1},
					{func() error { return os.Remove(filepath.Join(elsewhere, "tin.md")) }, tt.outside + 2},
				} {
					if err := change.do(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					if n := w.refreshed(); n != change.want {
						t.Errorf("%d refreshes, want %d", n, change.want)
					}
				}
			})
		})
	}
}

func write(folder, name string) error {
	return os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), []byte("# Iron\n"), 0o600)
}

// TestTheUsersOwnSettingsAreLookedAt changes them while a client is connected that watches everything it
// is asked to watch: no client watches what lies in no workspace for sure.
func TestTheUsersOwnSettingsAreLookedAt(t *testing.T) {
	home := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o := &opening{make: func() *fakeWorkspace { return &fakeWorkspace{userFile: filepath.Join(home, "config.toml")} }}
		e, _ := serveOpen(t, o.open, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Minute + time.Second)
		if o.count() != 1 {
			t.Fatalf("%d openings although nothing has changed", o.count())
		}
		if err := write(home, "config.toml"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if o.count() != 2 {
			t.Errorf("%d openings, want a second with the new settings", o.count())
		}
	})
}

func TestSettingsAreLookedAtWhereNobodyWatches(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o := &opening{make: func() *fakeWorkspace { return &fakeWorkspace{} }}
		e, _ := serveOpen(t, o.open, editortest.Options{})
		e.Start(folder)
		time.Sleep(time.Minute + time.Second)
		if err := write(folder, ".lacuna.toml"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if o.count() != 2 {
			t.Errorf("%d openings, want a second with the new settings", o.count())
		}
	})
}

// TestABitThatIsLostIsNoticed changes a file of the index in use that keeps its length.
func TestABitThatIsLostIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost atomic.Bool
		w := &fakeWorkspace{check: func() error {
			if lost.Load() {
				return errors.New("passage/vectors has changed on the disk")
			}
			return nil
		}}
		w.refresh = func(_ context.Context, report func(knowledge.Event)) error {
			if lost.Swap(false) {
				report(knowledge.Event{Stage: knowledge.Damaged, Note: "passage/vectors has changed on the disk"})
			}
			return nil
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		time.Sleep(3 * time.Hour)
		if w.refreshed() != 1 {
			t.Errorf("%d refreshes although nothing is wrong", w.refreshed())
		}
		lost.Store(true)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if w.refreshed() != 2 || count(e, "window/showMessage") != 1 || !e.Told("passage/vectors") {
			t.Errorf("%d refreshes, %d messages", w.refreshed(), count(e, "window/showMessage"))
		}
	})
}

// TestADamagedIndexIsRebuiltAndSaid damages an index in use: it is noticed without a question, built
// anew, and said in one message; damage that stays is not tried again and again.
func TestADamagedIndexIsRebuiltAndSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWorkspace{}
		w.refresh = func(_ context.Context, report func(knowledge.Event)) error {
			if w.damaged.Load() {
				report(knowledge.Event{Stage: knowledge.Damaged, Note: "passage/vectors has 0 bytes instead of 8192"})
			}
			return nil
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Minute)
		w.damaged.Store(true)
		time.Sleep(time.Hour)
		synctest.Wait()
		if w.refreshed() != 2 || count(e, "window/showMessage") != 1 || !e.Told("is being rebuilt") || !e.Told("passage/vectors") {
			t.Errorf("%d refreshes, %d messages", w.refreshed(), count(e, "window/showMessage"))
		}
	})
}
