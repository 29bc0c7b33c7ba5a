package server_test

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/server/editortest"
)

// TestClosedNotesAreOfferedOnRequest: Neovim says that it pulls, and would do without open notes for them.
func TestClosedNotesAreOfferedOnRequest(t *testing.T) {
	options := editortest.Rich().Pulling()
	delete(options.Capabilities, "experimental")
	e, _ := serve(t, &fakeWorkspace{}, options)
	if got := e.Start().Capabilities.DiagnosticProvider; got == nil || got.WorkspaceDiagnostics {
		t.Errorf("diagnosticProvider %+v", got)
	}
}

func TestDiagnosticsArePulled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(asked).workspace()
		e, _ := serve(t, w, editortest.Rich().Pulling())
		if got := e.Start("/notes").Capabilities.DiagnosticProvider; got == nil || got.InterFileDependencies || !got.WorkspaceDiagnostics {
			t.Errorf("diagnosticProvider %+v", got)
		}
		rest := func() {
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		e.Open(noteURI, "markdown", "What is gout?\n")
		rest()
		if d := e.Diagnostics(noteURI).Diagnostics; len(d) != 1 || d[0].Range.Start.Line != 0 {
			t.Fatalf("after judging: %+v", d)
		}
		refreshes := count(e, lsp.MethodDiagnosticRefresh)
		w.publish(onePage) // judged again, with the same outcome
		rest()
		if n := count(e, lsp.MethodDiagnosticRefresh); n != refreshes {
			t.Errorf("%d requests to pull what has not changed", n-refreshes)
		}
		e.Change(noteURI, lsp.ContentChange{Range: &protocol.Range{}, Text: "\n"})
		rest()
		if d := e.Diagnostics(noteURI).Diagnostics; len(d) != 1 || d[0].Range.Start.Line != 1 {
			t.Errorf("after an edit above: %+v", d)
		}
		if n := count(e, lsp.MethodDiagnosticRefresh); n != refreshes {
			t.Errorf("%d requests to pull after an edit, which the client pulls for by itself", n-refreshes)
		}
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{}})
		_, before := e.Pulls(noteURI)
		e.Change(noteURI, lsp.ContentChange{Range: &protocol.Range{Start: at(2, 0), End: at(2, 0)}, Text: "Text below.\n"})
		rest()
		if _, unchanged := e.Pulls(noteURI); unchanged != before+1 {
			t.Errorf("%d answers say that nothing has changed, want 1", unchanged-before)
		}
		e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": noteURI}})
		rest()
		if n := count(e, published); n != 0 {
			t.Errorf("%d diagnostics were pushed as well", n)
		}
	})
}

// TestMarksGoWithTheFile deletes, in the editor, the file of a note that stays open for a while.
func TestMarksGoWithTheFile(t *testing.T) {
	for name, client := range map[string]editortest.Options{"pulls": editortest.Rich().Pulling(), "is sent them": editortest.Rich()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, _ := serve(t, new(asked).workspace(), client)
				e.Start("/notes")
				marks := func(when string, want int) {
					t.Helper()
					time.Sleep(2 * time.Second)
					synctest.Wait()
					if d := e.Diagnostics(noteURI).Diagnostics; len(d) != want {
						t.Errorf("%s: %+v", when, d)
					}
				}
				e.Open(noteURI, "markdown", "What is gout?\n")
				marks("at first", 1)
				deleted := func(uri protocol.DocumentURI) {
					e.Notify("workspace/didDeleteFiles", map[string]any{"files": []any{map[string]any{"uri": uri}}})
				}
				deleted("file:///notes/other.md")
				marks("after another was deleted", 1)
				deleted("file:///notes")
				marks("after its folder was deleted", 0)
				e.Change(noteURI, lsp.ContentChange{Range: &protocol.Range{}, Text: "\n"})
				marks("after an edit", 1)
				deleted(noteURI)
				marks("after it was deleted", 0)
				e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": noteURI}})
				marks("after it was saved", 1)
			})
		})
	}
}

// TestDiagnosticsArePushedToTheOthers has clients that could pull once, but would not hear of news.
func TestDiagnosticsArePushedToTheOthers(t *testing.T) {
	document, workspace := map[string]any{"diagnostic": map[string]any{}}, map[string]any{"diagnostics": map[string]any{"refreshSupport": true}}
	tests := map[string]map[string]any{
		"cannot be told to pull again": {"textDocument": document},
		"cannot pull":                  {"workspace": workspace},
	}
	for name, capabilities := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, _ := serve(t, new(asked).workspace(), editortest.Options{Capabilities: maps.Clone(capabilities)})
				if got := e.Start("/notes").Capabilities.DiagnosticProvider; got != nil {
					t.Errorf("diagnosticProvider %+v", got)
				}
				e.Open(noteURI, "markdown", "What is gout?\n")
				time.Sleep(time.Minute)
				synctest.Wait()
				if len(e.Diagnostics(noteURI).Diagnostics) != 1 {
					t.Error("nothing was pushed")
				}
				var report lsp.DocumentDiagnosticReport
				e.MustCall(lsp.MethodDiagnostic, map[string]any{"textDocument": map[string]any{"uri": noteURI}}, &report)
				if report.Kind != "full" || len(report.Items) != 0 {
					t.Errorf("who asks all the same gets them twice: %+v", report)
				}
			})
		})
	}
}

func TestPullForWhatIsNoNote(t *testing.T) {
	e, _ := serve(t, new(asked).workspace(), editortest.Rich().Pulling())
	e.Start("/notes")
	var report lsp.DocumentDiagnosticReport
	e.MustCall(lsp.MethodDiagnostic, map[string]any{"textDocument": map[string]any{"uri": "file:///x.go"}}, &report)
	if report.Kind != "full" || report.Items == nil || report.ResultID != "" {
		t.Errorf("report %+v", report)
	}
}
