package server_test

import (
	"testing"
	"testing/synctest"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/outgoing"
	"lacuna/knowledge/llm"
	"lacuna/server/editortest"
)

// withPages is an editor that asks for the contents of documents that are no files.
func withPages() editortest.Options {
	o := editortest.Rich()
	o.Capabilities["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{"dynamicRegistration": true}
	return o
}

func TestPageIsNoFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, outcomes := consenting(t, withPages(), 1)
		pending := ask(e, nil)
		e.Choose("Show what would be sent")
		e.Choose("Send")
		if err := pending.Wait(nil); err != nil {
			t.Fatal(err)
		}
		shown := e.Shown()
		if len(shown) != 1 || shown[0] != "lacuna:/What%20would%20be%20sent%20to%20model.example%20443.md" || (*outcomes)[0] != "true <nil>" {
			t.Fatalf("shown %v, outcomes %q", shown, *outcomes)
		}
		content := func(uri string) string {
			t.Helper()
			var result lsp.TextDocumentContentResult
			e.MustCall(lsp.MethodTextDocumentContent, map[string]any{"uri": uri}, &result)
			return result.Text
		}
		want := "# What would be sent to " + outward.Host + "\n\n" + outgoing.Page([]llm.Outbound{outward}) + "\n"
		for _, spelling := range []string{string(shown[0]), "lacuna:///What%20would%20be%20sent%20to%20model%2Eexample%20443.md"} {
			if got := content(spelling); got != want {
				t.Errorf("%s is %q, want %q", spelling, got, want)
			}
		}
		if got := content("lacuna:/Another.md"); got != messages.PageGone {
			t.Errorf("a page that was never shown is %q", got)
		}
		if err := e.Call(lsp.MethodTextDocumentContent, map[string]any{"uri": "file:///etc/passwd"}, nil); err == nil {
			t.Error("a file was read")
		}
		e.Open(shown[0], "markdown", "What is asthma?\n") // as an editor does that shows it
		rest()
		if n := len(e.Diagnostics(shown[0]).Diagnostics); n > 0 {
			t.Errorf("the page has %d diagnostics", n)
		}
	})
}
