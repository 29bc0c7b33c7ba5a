package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers"
	"lacuna/knowledge"
	"lacuna/server/editortest"
	"lacuna/server/folders"
)

func TestStatusIsToldWhenItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		w.refresh = func(_ context.Context, report func(knowledge.Event)) error {
			for percent := range 100 { // faster than anybody reads
				report(knowledge.Event{Stage: knowledge.Indexing, Percent: percent, Overall: percent})
			}
			time.Sleep(time.Second)
			return nil
		}
		w.library = &knowledge.Library{}
		e, _ := serve(t, w, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Second / 2)
		synctest.Wait()
		during := e.Status()
		if n := count(e, "lacuna/status"); n != 1 {
			t.Errorf("%d notifications of what came at once", n)
		}
		if len(during.Folders) != 1 || during.Folders[0].State != handlers.Indexing || during.Folders[0].Percent == 0 || during.Folders[0].Name != "test" {
			t.Errorf("while indexing: %+v", during)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if after := e.Status(); after.Folders[0].State != handlers.NoSources || after.Folders[0].Percent != 100 {
			t.Errorf("at rest, with nothing to answer from: %+v", after)
		}
		told := count(e, "lacuna/status")
		e.Open("file:///notes/empty.md", "markdown", "Nothing is asked here.\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := count(e, "lacuna/status"); n != told {
			t.Errorf("%d notifications although nothing changed", n-told)
		}
	})
}

func TestStatusNamesTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := serveOpen(t, func(context.Context, folders.OpenRequest) (folders.Workspace, error) {
			return nil, errors.New("the disk is full")
		}, editortest.Rich())
		e.Start("/notes")
		time.Sleep(time.Minute)
		synctest.Wait()
		if f := e.Status().Folders; len(f) != 1 || f[0].State != handlers.Trouble || f[0].Message == "" {
			t.Errorf("status %+v", f)
		}
	})
}

func TestStatusIsToldOnlyToWhoTakesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := serve(t, new(asked).workspace(), editortest.Options{})
		e.Start("/notes")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := count(e, "lacuna/status"); n != 0 {
			t.Errorf("%d notifications", n)
		}
		var view handlers.StatusView
		e.MustCall("workspace/executeCommand", map[string]any{"command": "lacuna.status"}, &view)
		if view.Version != 1 || len(view.Folders) != 1 {
			t.Errorf("asked without an argument: %+v", view)
		}
	})
}
