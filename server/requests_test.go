package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/server/dispatch"
	"lacuna/server/editortest"
	"lacuna/server/stream"
)

// FuzzRequests asks everything that takes a position, anywhere in and beyond any text, and sends
// commands with any argument. Nothing may panic, and every result has to be JSON.
func FuzzRequests(f *testing.F) {
	f.Add("What is gout?\n\n<!-- lacuna:answer 1 -->\n- \"x\" [1]\n\n1. [a](b#L1) <!-- lacuna:cite 0 -->\n<!-- lacuna:end -->\n", uint32(3), uint32(4), uint32(9), uint32(0), `{"v":1}`)
	f.Add("- 漢字？\r\nQ: 😀?\r", uint32(1), uint32(1<<31), uint32(1<<32-1), uint32(2), `null`)
	f.Add("", uint32(0), uint32(1), uint32(0), uint32(0), `{"v":1,"uri":"file:///n.md","question":"x","code":"missing-topic"}`)
	f.Fuzz(func(t *testing.T, text string, line, column, endLine, endColumn uint32, argument string) {
		log := slog.New(slog.DiscardHandler)
		for _, encodings := range []string{`[]`, `["utf-8"]`, `["utf-32"]`} {
			ours, theirs := net.Pipe()
			go refuse(theirs)
			s := newSession(dispatch.New(stream.New(ours, log), log), Options{Log: log})
			defer s.conn.Close()
			s.conn.Start(s)
			if _, err := s.initialize(json.RawMessage(`{"rootUri":"file:///w","capabilities":{"general":{"positionEncodings":` + encodings + `}}}`)); err != nil {
				t.Fatal(err)
			}
			const uri = protocol.DocumentURI("file:///n.md")
			s.didOpen(protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{URI: uri, LanguageID: "markdown", Text: text}})
			snapshot, doc := s.notes.Capture(uri)
			for _, q := range snapshot.Note.Questions {
				s.folders.All()[0].Learn(handlers.RefOf(doc.Name(), snapshot.Note, q), answer.Result{
					State: answer.Nothing, System: answer.OfflineID,
					Gaps: []gap.Gap{{ID: gap.IDOf(gap.MissingTopic, ""), Code: gap.MissingTopic, Text: q.Text, Query: q.Text, Probability: 0.99}},
				})
			}
			at := protocol.Position{Line: line, Character: column}
			whole := protocol.Range{Start: at, End: protocol.Position{Line: endLine, Character: endColumn}}
			params := map[string]any{
				"textDocument": map[string]any{"uri": uri}, "position": at, "range": whole,
				"context": map[string]any{"diagnostics": []any{map[string]any{"range": whole, "message": "", "source": "lacuna", "code": "missing-topic"}}},
			}
			for _, method := range []string{
				protocol.MethodTextDocumentHover, protocol.MethodTextDocumentDefinition,
				protocol.MethodTextDocumentCodeAction, protocol.MethodTextDocumentCodeLens, protocol.MethodTextDocumentReferences,
				protocol.MethodTextDocumentDocumentLink, protocol.MethodTextDocumentDocumentSymbol, protocol.MethodTextDocumentFoldingRange,
			} {
				ask(t, s, method, params)
			}
			s.notes.Publish(doc)
			if json.Valid([]byte(argument)) {
				for _, command := range s.capabilities().ExecuteCommandProvider.Commands {
					ask(t, s, protocol.MethodWorkspaceExecuteCommand, map[string]any{"command": command, "arguments": []any{json.RawMessage(argument)}})
				}
			}
		}
	})
}

// refuse reads what a server writes and answers each of its requests with an error, as an editor does in
// which nobody is asked anything.
func refuse(conn net.Conn) {
	in := bufio.NewReader(conn)
	for {
		m, err := editortest.ReadMessage(in)
		if err != nil {
			return
		}
		if m.ID != nil && m.Method != "" {
			_, _ = conn.Write([]byte(editortest.Frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID))))
		}
	}
}

// ask prepares and runs a request, past the place where a panic would be contained.
func ask(t *testing.T, s *session, method string, params any) {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	work, err := s.Prepare(method, raw)
	if err != nil || work.Run == nil {
		return
	}
	result, err := work.Run(t.Context())
	if err != nil {
		return // said in words
	}
	if _, err := json.Marshal(result); err != nil {
		t.Errorf("%s: result: %v", method, err)
	}
}
