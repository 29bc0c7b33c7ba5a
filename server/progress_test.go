package server_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/server/editortest"
)

func TestIndexingShowsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		w.refresh = func(ctx context.Context, report func(knowledge.Event)) error {
			for i, stage := range []knowledge.Stage{knowledge.Reading, knowledge.Damaged, knowledge.Indexing, knowledge.Training, knowledge.SearchOnly, knowledge.Fitting} {
				for _, percent := range []int{0, 50, 100} {
					report(knowledge.Event{Stage: stage, Percent: percent, Overall: (100*i + percent) / 6, Files: 312, TotalFiles: 1480, Passages: 20112, Left: 2 * time.Minute})
					time.Sleep(time.Second)
				}
			}
			return nil
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Hour)
		synctest.Wait()
		reports := e.Progress()
		if len(reports) < 3 || reports[0].Value.Kind != "begin" || !reports[0].Value.Cancellable || reports[0].Value.Percentage == nil ||
			reports[len(reports)-1].Value.Kind != "end" {
			t.Fatalf("progress %+v", reports)
		}
		if said := reports[1].Value.Message; said != "read 312 of 1,480 files, 20,112 passages, about 2 min left" {
			t.Errorf("the first report says %q", said)
		}
		last := uint32(0)
		for _, r := range reports[:len(reports)-1] {
			if r.Value.Percentage == nil || *r.Value.Percentage < last || *r.Value.Percentage > 100 {
				t.Errorf("percentage goes from %d to %v", last, r.Value.Percentage)
				continue
			}
			last = *r.Value.Percentage
		}
		if last != 100 {
			t.Errorf("the bar ends at %d", last)
		}
	})
}

func TestIndexingIsCancelledFromTheProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		w.refresh = func(ctx context.Context, _ func(knowledge.Event)) error {
			<-ctx.Done()
			return ctx.Err()
		}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		synctest.Wait()
		e.Notify("window/workDoneProgress/cancel", map[string]any{"token": e.Progress()[0].Token})
		synctest.Wait()
		reports := e.Progress()
		if last := reports[len(reports)-1]; last.Value.Kind != "end" {
			t.Errorf("progress after the cancel: %+v", last)
		}
		if n := count(e, "window/showMessage"); n != 0 {
			t.Errorf("%d messages about what the user asked for", n)
		}
	})
}

func TestARefreshThatPanicsEndsItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		w.root = filepath.FromSlash("/notes")
		w.refresh = func(context.Context, func(knowledge.Event)) error { panic("a hostile file") }
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Minute)
		watched(e, "file:///notes/.lacuna.toml") // the workspace still lives
		time.Sleep(time.Minute)
		synctest.Wait()
		var kinds []string
		for _, p := range e.Progress() {
			kinds = append(kinds, p.Value.Kind)
		}
		if got := strings.Join(kinds, " "); got != "begin end begin end" {
			t.Errorf("progress %q", got)
		}
		if n := count(e, "window/showMessage"); n != 1 {
			t.Errorf("%d messages, want one", n)
		}
	})
}

func TestAPoorClientIsAskedNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := serve(t, new(asked).workspace(), editortest.Options{})
		e.Start("/notes")
		e.Open(noteURI, "markdown", "What is gout?\n")
		time.Sleep(time.Hour)
		synctest.Wait()
		for _, seen := range e.Seen() {
			if seen != published && !strings.HasPrefix(seen, "reply") {
				t.Errorf("sent %s to a client that can do nothing", seen)
			}
		}
	})
}

func TestTheEndOfTheSessionEndsItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		ended := false
		w.refresh = func(ctx context.Context, _ func(knowledge.Event)) error {
			<-ctx.Done()
			ended = true
			return ctx.Err()
		}
		e, code := serve(t, w, editortest.Rich())
		e.Start("/notes")
		synctest.Wait()
		e.Close() // as an editor that dies
		if <-code != 1 || !ended || !w.closed {
			t.Errorf("work ended: %v, workspace closed: %v", ended, w.closed)
		}
	})
}

// TestAQuestionWaitsForTheFirstSources asks when nothing has been read yet: it is answered as soon as something can be
// searched, and told so if that takes too long.
func TestAQuestionWaitsForTheFirstSources(t *testing.T) {
	for name, readable := range map[string]time.Duration{"soon": 6 * time.Second, "not for an hour": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := new(asked).workspace()
				w.library = knowledge.Pending()
				w.ask = func(_ context.Context, q answer.Question) (answer.Result, error) {
					if len(w.Library().Passages()) == 0 {
						t.Error("an empty library was asked")
					}
					return unknown(q), nil
				}
				w.refresh = func(ctx context.Context, _ func(knowledge.Event)) error {
					select {
					case <-time.After(readable):
						w.publish(onePage)
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				e, _ := serve(t, w, editortest.Rich())
				e.Start("/notes")
				e.Open(noteURI, "markdown", question)
				began := time.Now()
				err := ask(e, nil).Wait(nil)
				took := time.Since(began)
				if soon := readable < time.Minute; (err == nil) != soon || took > 30*time.Second {
					t.Errorf("after %v: %v", took, err)
				}
				if err != nil && !strings.Contains(err.Error(), "still being read") {
					t.Errorf("said %v", err)
				}
			})
		})
	}
}
