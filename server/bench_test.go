package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/server/dispatch"
	"lacuna/server/stream"
)

// nowhere is a client that reads everything and says nothing.
type nowhere struct{}

func (nowhere) Read([]byte) (int, error)    { select {} }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }

var _ io.ReadWriteCloser = nowhere{}

// longNote has ten thousand lines with a question in every twentieth.
func longNote() string {
	var b strings.Builder
	for line := range 10_000 {
		switch {
		case line%100 == 0:
			fmt.Fprintf(&b, "## Part %d\n", line/100)
		case line%20 == 10:
			fmt.Fprintf(&b, "- What is the dose of medicine %d when the kidneys fail?\n", line)
		case line%2 == 1:
			b.WriteString("\n")
		default:
			b.WriteString("She takes metformin 1 g twice a day, and her *blood pressure* is still above target; see [the letter](letter.md).\n")
		}
	}
	return b.String()
}

// benchSession is a session with the long note open.
func benchSession(b *testing.B) (*session, protocol.DocumentURI) {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	s := newSession(dispatch.New(stream.New(nowhere{}, log), log), Options{Log: log})
	if _, err := s.initialize(json.RawMessage(`{"capabilities":{"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}}`)); err != nil {
		b.Fatal(err)
	}
	const uri = protocol.DocumentURI("file:///notes/long.md")
	s.didOpen(protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: uri, LanguageID: "markdown", Version: 1, Text: longNote(),
	}})
	b.Cleanup(func() { s.conn.Close() })
	return s, uri
}

// quantiles times one call after the other and reports the median and the 99th percentile.
func quantiles(b *testing.B, call func(i int)) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		call(i)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkDidChange is one keystroke with its reparse, all that happens on the reading goroutine.
func BenchmarkDidChange(b *testing.B) {
	s, uri := benchSession(b)
	quantiles(b, func(i int) {
		params := fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"range":{"start":{"line":5004,"character":%d},"end":{"line":5004,"character":%d}},"text":"x"}]}`,
			uri, i+2, i%40, i%40)
		if err := s.Notify(protocol.MethodTextDocumentDidChange, json.RawMessage(params)); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkCodeAction is the list of actions on a question in the middle of the note.
func BenchmarkCodeAction(b *testing.B) {
	s, uri := benchSession(b)
	params := json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"range":{"start":{"line":5010,"character":4},"end":{"line":5010,"character":4}},"context":{"diagnostics":[]}}`, uri))
	quantiles(b, func(int) { mustRun(b, s, protocol.MethodTextDocumentCodeAction, params) })
}

// BenchmarkHover is a hover on that question.
func BenchmarkHover(b *testing.B) {
	s, uri := benchSession(b)
	params := json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":5010,"character":4}}`, uri))
	quantiles(b, func(int) { mustRun(b, s, protocol.MethodTextDocumentHover, params) })
}

func mustRun(b *testing.B, s *session, method string, params json.RawMessage) {
	b.Helper()
	work, err := s.Prepare(method, params)
	if err != nil {
		b.Fatal(err)
	}
	result, err := work.Run(context.Background())
	if err == nil {
		_, err = json.Marshal(result)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkInitialize is the handshake of a client with everything.
func BenchmarkInitialize(b *testing.B) {
	log := slog.New(slog.DiscardHandler)
	quantiles(b, func(int) {
		s := newSession(dispatch.New(stream.New(nowhere{}, log), log), Options{Log: log})
		if _, err := s.initialize(json.RawMessage(`{"processId":1,"rootUri":"file:///home/someone","capabilities":{}}`)); err != nil {
			b.Fatal(err)
		}
		s.conn.Close()
	})
}
