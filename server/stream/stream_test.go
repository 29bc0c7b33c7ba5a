package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"lacuna/handlers/lsp"
)

// pipe is a connection whose input is fixed and whose output is kept, one entry a write.
type pipe struct {
	io.Reader
	mu     sync.Mutex
	writes []string
	block  chan struct{} // when not nil, writes wait for it
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.block != nil {
		<-p.block
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes = append(p.writes, string(b))
	return len(b), nil
}

func (p *pipe) Close() error { return nil }

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

const probe = `{"jsonrpc":"2.0","method":"probe"}`

// readAll reads a stream to its end and returns the methods received and what was written.
func readAll(t *testing.T, input io.Reader) (methods []string, writes []string) {
	t.Helper()
	p := &pipe{Reader: input}
	s := New(p, slog.New(slog.DiscardHandler))
	for {
		message, _, err := s.Read(context.Background())
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("Read: %v", err)
			}
			break
		}
		if request, ok := message.(jsonrpc2.Request); ok {
			methods = append(methods, request.Method())
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("Flush: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	return methods, p.writes
}

// refused returns the code and id of the one refusal that was written.
func refused(t *testing.T, writes []string) (jsonrpc2.Code, string) {
	t.Helper()
	if len(writes) != 1 {
		t.Fatalf("written: %q, want one refusal", writes)
	}
	header, body, _ := strings.Cut(writes[0], "\r\n\r\n")
	if want := fmt.Sprintf("Content-Length: %d", len(body)); header != want {
		t.Errorf("header %q, want %q", header, want)
	}
	var reply struct {
		ID    json.RawMessage
		Error jsonrpc2.Error
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		t.Fatalf("refusal %q: %v", body, err)
	}
	return reply.Error.Code, string(reply.ID)
}

func TestHeadersAreRead(t *testing.T) {
	n := len(probe)
	inputs := map[string]string{
		"plain":           framed(probe),
		"line feeds only": fmt.Sprintf("Content-Length: %d\n\n%s", n, probe),
		"any case":        fmt.Sprintf("content-LENGTH:%d\r\n\r\n%s", n, probe),
		"other fields":    fmt.Sprintf("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nX-A: b\r\nContent-Length: %d\r\n\r\n%s", n, probe),
		"empty lines":     "\r\n\n" + framed(probe),
		"overlong field":  fmt.Sprintf("X: %s\r\nContent-Length: %d\r\n\r\n%s", strings.Repeat("x", 3*headerLine), n, probe),
	}
	for name, input := range inputs {
		t.Run(name, func(t *testing.T) {
			methods, writes := readAll(t, strings.NewReader(input))
			if len(methods) != 1 || len(writes) != 0 {
				t.Errorf("read %q and wrote %q", methods, writes)
			}
		})
	}
}

func TestBadMessagesAreAnsweredAndTheSessionGoesOn(t *testing.T) {
	tests := []struct {
		name, input string
		code        jsonrpc2.Code
		id          string
	}{
		{"not JSON", framed(`{"jsonrpc":`), jsonrpc2.ParseError, "null"},
		{"empty body", framed(""), jsonrpc2.ParseError, "null"},
		{"batch", framed(`[` + probe + `]`), jsonrpc2.InvalidRequest, "null"},
		{"not an object", framed(`7`), jsonrpc2.InvalidRequest, "null"},
		{"wrong version", framed(`{"jsonrpc":"1.0","id":4,"method":"x"}`), jsonrpc2.InvalidRequest, "4"},
		{"no version", framed(`{"id":"a","method":"x"}`), jsonrpc2.InvalidRequest, `"a"`},
		{"null id", framed(`{"jsonrpc":"2.0","id":null,"method":"x"}`), jsonrpc2.InvalidRequest, "null"},
		{"empty id", framed(`{"jsonrpc":"2.0","id":"","method":"x"}`), jsonrpc2.InvalidRequest, `""`},
		{"huge id", framed(`{"jsonrpc":"2.0","id":4294967296,"method":"x"}`), jsonrpc2.InvalidRequest, "4294967296"},
		{"fractional id", framed(`{"jsonrpc":"2.0","id":1.5,"method":"x"}`), jsonrpc2.InvalidRequest, "1.5"},
		{"object id", framed(`{"jsonrpc":"2.0","id":{"a":1},"method":"x"}`), jsonrpc2.InvalidRequest, "null"},
		{"method is a number", framed(`{"jsonrpc":"2.0","id":1,"method":2}`), jsonrpc2.InvalidRequest, "1"},
		{"neither request nor response", framed(`{"jsonrpc":"2.0"}`), jsonrpc2.InvalidRequest, "null"},
		{"negative length", "Content-Length: -5\r\n\r\n", jsonrpc2.ParseError, "null"},
		{"length is a word", "Content-Length: five\r\n\r\n", jsonrpc2.ParseError, "null"},
		{"no length", "Content-Type: x\r\n\r\n", jsonrpc2.ParseError, "null"},
		{"garbage", "hello?\r\nare you there\r\n\r\n", jsonrpc2.ParseError, "null"},
		{"deep", framed(`{"jsonrpc":"2.0","method":"x","params":` + strings.Repeat("[", 1e6) + strings.Repeat("]", 1e6) + `}`), jsonrpc2.InvalidRequest, "null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			methods, writes := readAll(t, strings.NewReader(tt.input+framed(probe)))
			if len(methods) != 1 || methods[0] != "probe" {
				t.Errorf("methods after it: %q, want the probe", methods)
			}
			if code, id := refused(t, writes); code != tt.code || id != tt.id {
				t.Errorf("refused with %d for id %s, want %d for %s", code, id, tt.code, tt.id)
			}
		})
	}
}

func TestBodyWithoutHeaderIsSkipped(t *testing.T) {
	methods, writes := readAll(t, strings.NewReader("Content-Length: x\r\n\r\n"+probe+framed(probe)))
	if len(methods) != 1 || len(writes) != 1 {
		t.Errorf("read %q and wrote %d refusals, want to be back in step at the second message", methods, len(writes))
	}
}

// zeros is a body that never was in memory.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	z.left -= n
	return int(n), nil
}

func TestLargeBodyIsAnsweredNotAllocated(t *testing.T) {
	const claimed = maxBody + 1
	input := io.MultiReader(
		strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", claimed)),
		&zeros{left: claimed},
		strings.NewReader(framed(probe)))
	methods, writes := readAll(t, input)
	if code, _ := refused(t, writes); code != jsonrpc2.InvalidRequest || len(methods) != 1 {
		t.Errorf("refused with %d and then read %q", code, methods)
	}
}

func TestClaimedLengthIsNotAllocated(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	methods, _ := readAll(t, strings.NewReader("Content-Length: 60000000\r\n\r\n0123456789"))
	runtime.ReadMemStats(&after)
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 1<<20 || len(methods) != 0 {
		t.Errorf("a claimed length cost %d bytes", cost)
	}
}

func note(t *testing.T, method string, params any) jsonrpc2.Message {
	t.Helper()
	n, err := jsonrpc2.NewNotification(method, params)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSlowReaderGetsTheNewest(t *testing.T) {
	p := &pipe{Reader: strings.NewReader(""), block: make(chan struct{})}
	s := New(p, slog.New(slog.DiscardHandler))
	write := func(m jsonrpc2.Message) {
		t.Helper()
		if _, err := s.Write(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	write(note(t, "first", nil)) // is being written, and blocks
	for version := range 100 {
		v := int32(version)
		write(note(t, "textDocument/publishDiagnostics", map[string]any{"uri": "file:///a", "version": v}))
		write(note(t, "textDocument/publishDiagnostics", map[string]any{"uri": "file:///b", "version": v}))
		percentage := uint32(version)
		write(note(t, "$/progress", lsp.ProgressParams{Token: "1", Value: lsp.WorkDoneProgress{Kind: "report", Percentage: &percentage}}))
	}
	write(note(t, "$/progress", lsp.ProgressParams{Token: "1", Value: lsp.WorkDoneProgress{Kind: "end"}}))
	close(p.block)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The first message may or may not have left the queue before the others came; everything
	// else has exactly one survivor.
	all := strings.Join(p.writes, "\n")
	if len(p.writes) != 5 || strings.Count(all, `"version":99`) != 2 || !strings.Contains(all, `"percentage":99`) ||
		!strings.Contains(p.writes[4], `"end"`) {
		t.Errorf("written:\n%s", all)
	}
}

func TestClientThatStopsReadingIsGivenUp(t *testing.T) {
	p := &pipe{Reader: strings.NewReader(""), block: make(chan struct{})}
	s := New(p, slog.New(slog.DiscardHandler))
	text := strings.Repeat("x", 8<<20)
	var err error
	for range 2 + maxQueued/len(text) {
		_, err = s.Write(t.Context(), note(t, "window/logMessage", text))
	}
	if !errors.Is(err, errNotRead) {
		t.Errorf("Write = %v, want %v", err, errNotRead)
	}
	close(p.block)
}

func TestWriteOutlivesItsContext(t *testing.T) {
	p := &pipe{Reader: strings.NewReader("")}
	s := New(p, slog.New(slog.DiscardHandler))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Write(ended, note(t, "x", nil)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil || len(p.writes) != 1 {
		t.Errorf("written %q, %v", p.writes, err)
	}
}

func TestResponseNobodyWaitsForIsDropped(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":1,"result":true}`
	p := &pipe{Reader: strings.NewReader(framed(answer) + framed(answer) + framed(answer) + framed(probe))}
	s := New(p, slog.New(slog.DiscardHandler))
	call, err := jsonrpc2.NewCall(jsonrpc2.NewNumberID(1), "ask", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for range 2 {
		message, _, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, fmt.Sprintf("%T", message))
	}
	if want := "*jsonrpc2.Response *jsonrpc2.Notification"; strings.Join(kinds, " ") != want {
		t.Errorf("read %q, want %q", kinds, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(framed(probe)))
	f.Add([]byte("Content-Length: 2\n\n[]" + framed(`{"jsonrpc":"2.0","id":"x","method":"y","params":[1]}`)))
	f.Add([]byte("content-length: 99999999999999999999\r\n\r\n"))
	f.Add([]byte(framed(`{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`)))
	f.Fuzz(func(t *testing.T, input []byte) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			// Whatever came before, a whole message at the end is understood, unless what came
			// before announced a body that swallows it.
			methods, _ := readAll(t, io.MultiReader(bytes.NewReader(input), strings.NewReader("\r\n\r\n"+framed(probe))))
			swallowed := bytes.Contains(bytes.ToLower(input), []byte(lengthField))
			if !swallowed && (len(methods) == 0 || methods[len(methods)-1] != "probe") {
				t.Errorf("methods %q after %q", methods, input)
			}
		}()
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Fatalf("stuck on %q", input)
		}
	})
}
