package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
	"lacuna/server/editortest"
)

// This file holds every trap of go.lsp.dev/protocol v0.12.0, jsonrpc2 v0.10.0 and uri v0.3.0 that
// was measured, as a test of our own server. Each comment says what the stock helper does. Whoever
// simplifies the server to a stock helper, or upgrades, learns here what comes back.

// The three versions fit together; protocol v0.12.0 does not compile with jsonrpc2 v1.
func TestTrapVersionsArePinned(t *testing.T) {
	want := map[string]string{
		"go.lsp.dev/protocol": "v0.12.0",
		"go.lsp.dev/jsonrpc2": "v0.10.0",
		"go.lsp.dev/uri":      "v0.3.0",
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if v := want[module.Path]; v != "" && v != module.Version {
				t.Errorf("built with %s %s, want %s", module.Path, module.Version, v)
			}
		}
	}
	file, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for path, version := range want {
		if !strings.Contains(string(file), path+" "+version) {
			t.Errorf("go.mod does not pin %s %s", path, version)
		}
	}
}

// ---- Dispatch, order, cancellation.

// AsyncHandler starts a request only when the one before has been answered: total order and no
// concurrency. Behind a hanging request nothing is answered.
func TestTrapRequestsRunBesideEachOther(t *testing.T) {
	p := &probe{}
	e, _ := connectProbe(t, p)
	e.Notify("set", "old")
	hanging := e.Begin("hang", nil)
	<-p.begun
	before := e.Begin("text", nil)
	e.Notify("set", "new")
	after := e.Begin("text", nil)
	var text string
	if err := before.Wait(&text); err != nil || text != "old" {
		t.Errorf("read before the edit: %q, %v", text, err)
	}
	if err := after.Wait(&text); err != nil || text != "new" {
		t.Errorf("read after the edit: %q, %v", text, err)
	}
	if hanging.Done() {
		t.Error("the hanging request was answered")
	}
	close(p.release)
	if err := hanging.Wait(&text); err != nil || text != "old" {
		t.Errorf("the hanging request: %q, %v; want the text of its time", text, err)
	}
}

// With the stock chain slow requests would use up everything; here they have a lane of their own.
func TestTrapSlowRequestsDoNotStarveFastOnes(t *testing.T) {
	p := &probe{}
	e, _ := connectProbe(t, p)
	for range 20 {
		e.Begin("hang", nil)
	}
	if err := e.Call("text", nil, nil); err != nil {
		t.Error(err)
	}
	close(p.release)
}

// CancelHandler ignores numeric ids, which is what editors send, and a request whose handler
// returns ctx.Err() is answered with code 0. A queued request is answered late.
func TestTrapCancelIsAnsweredAtOnce(t *testing.T) {
	for _, method := range []string{"hang", "deaf"} {
		t.Run(method, func(t *testing.T) {
			p := &probe{}
			e, _ := connectProbe(t, p)
			pending := e.Begin(method, nil)
			<-p.begun
			e.Cancel(pending)
			wantCode(t, pending.Wait(nil), lsp.CodeRequestCancelled)
			if err := e.Call("text", nil, nil); err != nil {
				t.Errorf("after the cancel: %v", err)
			}
			close(p.release)
		})
	}
	t.Run("queued", func(t *testing.T) {
		p := &probe{}
		e, _ := connectProbe(t, p)
		e.Begin("deaf", nil)
		e.Begin("deaf", nil) // the slow lane is full
		<-p.begun
		<-p.begun
		queued := e.Begin("deaf", nil)
		e.Cancel(queued)
		wantCode(t, queued.Wait(nil), lsp.CodeRequestCancelled)
		close(p.release)
	})
}

// String ids work in CancelHandler; they have to go on working.
func TestTrapCancelByString(t *testing.T) {
	p := &probe{}
	replies := rawProbe(t, p)
	replies.send(`{"jsonrpc":"2.0","id":"a-1","method":"hang"}`)
	<-p.begun
	replies.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a-1"}}`)
	m := replies.next()
	if string(m.ID) != `"a-1"` || m.Error == nil || m.Error.Code != int(lsp.CodeRequestCancelled) {
		t.Errorf("reply %s %v", m.ID, m.Error)
	}
}

// A cancel that names nothing, and cancels without a usable id, are ignored.
func TestTrapCancelOfNothing(t *testing.T) {
	e, _ := connectProbe(t, &probe{})
	for _, id := range []any{99, "x", nil, 1.5, []int{1}, map[string]int{}} {
		e.Notify("$/cancelRequest", map[string]any{"id": id})
	}
	e.Notify("$/cancelRequest", nil)
	if err := e.Call("text", nil, nil); err != nil {
		t.Error(err)
	}
}

// ReplyHandler panics when a request is answered twice or never, and a handler error closes the
// stream; a second failure with another error type kills the process inside atomic.Value.
func TestTrapErrorsAreRepliesAndNothingElse(t *testing.T) {
	wrapped := fmt.Errorf("open note: %w", jsonrpc2.NewError(jsonrpc2.InvalidParams, "no such note"))
	tests := []struct {
		err     error
		code    jsonrpc2.Code
		message string
	}{
		{errors.New("plain"), jsonrpc2.InternalError, "plain"},       // stock: code 0
		{wrapped, jsonrpc2.InvalidParams, "open note: no such note"}, // stock: loses the outer message
		{context.Canceled, lsp.CodeRequestCancelled, "cancelled"},    // stock: code 0 "context canceled"
		{context.DeadlineExceeded, lsp.CodeRequestFailed, "took too long: context deadline exceeded"},
		{lsp.ErrContentModified, lsp.CodeContentModified, "the document has changed"},
		{fmt.Errorf("%w", io.EOF), jsonrpc2.InternalError, "EOF"},
	}
	p := &probe{replies: map[string]func(context.Context) (any, error){}}
	for i, tt := range tests {
		p.replies[fmt.Sprint(i)] = func(context.Context) (any, error) { return nil, tt.err }
	}
	e, _ := connectProbe(t, p)
	for i, tt := range tests {
		err := e.Call(fmt.Sprint(i), nil, nil)
		wantCode(t, err, tt.code)
		if failure := new(editortest.Failure); errors.As(err, &failure) && failure.Message != tt.message {
			t.Errorf("message %q, want %q", failure.Message, tt.message)
		}
	}
}

// A panic in a stock handler ends the process.
func TestTrapPanicsAreContained(t *testing.T) {
	p := &probe{replies: map[string]func(context.Context) (any, error){
		"panic": func(context.Context) (any, error) { panic("worked badly") },
		"nan":   func(context.Context) (any, error) { return func() {}, nil }, // cannot be encoded
	}}
	e, _ := connectProbe(t, p)
	e.Notify("panic", nil)
	for _, method := range []string{"panic", "panic while preparing", "nan"} {
		wantCode(t, e.Call(method, nil, nil), jsonrpc2.InternalError)
	}
	if err := e.Call("text", nil, nil); err != nil {
		t.Errorf("after the panics: %v", err)
	}
}

// Exactly one reply, whichever of cancel, result and panic comes first.
func TestTrapEveryRequestHasExactlyOneReply(t *testing.T) {
	p := &probe{}
	e, _ := connectProbe(t, p)
	var all []*editortest.Pending
	for range 50 {
		pending := e.Begin("hang", nil)
		e.Cancel(pending)
		all = append(all, pending)
	}
	close(p.release)
	for _, pending := range all {
		if err := pending.Wait(nil); err != nil {
			wantCode(t, err, lsp.CodeRequestCancelled)
		}
	}
	e.MustCall("text", nil, nil)
	replies := 0
	for _, what := range e.Seen() {
		if strings.HasPrefix(what, "reply") {
			replies++
		}
	}
	if replies != len(all)+1 {
		t.Errorf("%d replies to %d requests", replies, len(all)+1)
	}
}

// The stock connection runs handlers on the read loop, where a call to the client deadlocks, and a
// call that is pending when the client goes away never returns.
func TestTrapCallsToTheClientEnd(t *testing.T) {
	t.Run("answered while a request runs", func(t *testing.T) {
		var d *dispatch.Dispatcher
		p := &probe{replies: map[string]func(context.Context) (any, error){
			"ask": func(ctx context.Context) (any, error) {
				var shown protocol.ShowDocumentResult
				err := d.Call(ctx, time.Minute, "window/showDocument", map[string]any{"uri": "file:///x"}, &shown)
				return shown.Success, err
			},
		}}
		var e *editortest.Editor
		e, d = connectProbe(t, p)
		var success bool
		if err := e.Call("ask", nil, &success); err != nil || !success {
			t.Errorf("%v, %v", success, err)
		}
	})
	t.Run("client gone", func(t *testing.T) {
		ours, theirs := net.Pipe()
		d := dispatch.New(pipeStream(ours), logTo(t))
		d.Start(&probe{})
		failed := make(chan error)
		go func() { failed <- d.Call(context.Background(), time.Hour, "ask", nil, nil) }()
		go func() {
			_, _ = theirs.Read(make([]byte, 10)) // the call is on its way
			_ = theirs.Close()
		}()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Call = %v", err)
		}
		if d.Context().Err() == nil { // stock: handlers' contexts go on after the disconnect
			t.Error("work goes on after the client is gone")
		}
	})
	t.Run("client silent", func(t *testing.T) {
		ours, theirs := net.Pipe()
		d := dispatch.New(pipeStream(ours), logTo(t))
		d.Start(&probe{})
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		err := d.Call(context.Background(), time.Millisecond, "ask", nil, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Call = %v", err)
		}
		d.Close()
	})
}

// The stock connection numbers its requests from 1, as clients do. One that has one space of ids for both
// directions takes such a request for the reply to its own of that number.
func TestTrapIdsOfBothDirections(t *testing.T) {
	for name, reply := range map[string]string{"a number": `%s`, "a string": `"%s"`, "a decimal": `%s.0`} {
		t.Run("given back as "+name, func(t *testing.T) {
			var d *dispatch.Dispatcher
			ours, theirs := net.Pipe()
			d = dispatch.New(pipeStream(ours), logTo(t))
			d.Start(&probe{})
			raw := rawConn{t, theirs, bufio.NewReader(theirs)}
			t.Cleanup(func() { _ = theirs.Close(); d.Close(); <-d.Done() })
			for range 3 {
				done := make(chan error, 1)
				var got string
				go func() { done <- d.Call(context.Background(), time.Minute, "ask", nil, &got) }()
				m := raw.next()
				var id int32
				if err := json.Unmarshal(m.ID, &id); err != nil || id < 1<<30 {
					t.Fatalf("id %s: %v", m.ID, err)
				}
				raw.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":`+reply+`,"result":"yes"}`, m.ID))
				if err := <-done; err != nil || got != "yes" {
					t.Errorf("%q, %v", got, err)
				}
			}
		})
	}
	t.Run("cancelled by the same id", func(t *testing.T) {
		ours, theirs := net.Pipe()
		d := dispatch.New(pipeStream(ours), logTo(t))
		d.Start(&probe{})
		raw := rawConn{t, theirs, bufio.NewReader(theirs)}
		t.Cleanup(func() { _ = theirs.Close(); d.Close(); <-d.Done() })
		go func() { _ = d.Call(context.Background(), time.Millisecond, "ask", nil, nil) }()
		call, cancel := raw.next(), raw.next()
		if want := fmt.Sprintf(`{"id":%s}`, call.ID); cancel.Method != protocol.MethodCancelRequest || string(cancel.Params) != want {
			t.Errorf("%s %s, want %s", cancel.Method, cancel.Params, want)
		}
	})
}

// If a client used an id twice at the same time, the first request's cancel would be lost.
func TestTrapIdInUse(t *testing.T) {
	p := &probe{}
	raw := rawProbe(t, p)
	raw.send(`{"jsonrpc":"2.0","id":7,"method":"hang"}`)
	<-p.begun
	raw.send(`{"jsonrpc":"2.0","id":7,"method":"text"}`)
	if m := raw.next(); m.Error == nil || m.Error.Code != int(jsonrpc2.InvalidRequest) {
		t.Errorf("second request: %+v", m)
	}
	close(p.release)
	if m := raw.next(); m.Error != nil || string(m.Result) != `""` {
		t.Errorf("first request: %+v", m)
	}
}

// ---- Framing and envelopes. The stock stream closes the connection on each of these without a
// word; package stream's own tests have more.
func TestTrapFramesThatEndTheStockSession(t *testing.T) {
	tests := map[string]string{
		"lower-case header":  "content-length: 49\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"text","params":1}`[:49],
		"malformed JSON":     editortest.Frame(`{"jsonrpc":"2.0","id":`),
		"wrong version":      editortest.Frame(`{"jsonrpc":"3.0","id":1,"method":"text"}`),
		"batch":              editortest.Frame(`[{"jsonrpc":"2.0","id":1,"method":"text"}]`),
		"id beyond int32":    editortest.Frame(`{"jsonrpc":"2.0","id":3000000000,"method":"text"}`),
		"fractional id":      editortest.Frame(`{"jsonrpc":"2.0","id":1.5,"method":"text"}`),
		"id null":            editortest.Frame(`{"jsonrpc":"2.0","id":null,"method":"text"}`), // stock: no reply
		"id empty":           editortest.Frame(`{"jsonrpc":"2.0","id":"","method":"text"}`),   // stock: replies to id 0
		"no version":         editortest.Frame(`{"id":1,"method":"text"}`),                    // stock: accepted
		"header of nonsense": "GET / HTTP/1.1\r\n\r\n",
	}
	for name, frame := range tests {
		t.Run(name, func(t *testing.T) {
			raw := rawProbe(t, &probe{})
			raw.write(frame)
			if m := raw.next(); m.Error == nil {
				t.Errorf("reply %+v, want a refusal", m)
			}
			raw.send(`{"jsonrpc":"2.0","id":2,"method":"text"}`)
			if m := raw.next(); string(m.ID) != "2" || m.Error != nil {
				t.Errorf("after it: %+v", m)
			}
		})
	}
}

// DecodeMessage overflows the stack on ten million brackets, which nothing can recover from, and
// Unmarshal takes seconds on sixteen thousand.
func TestTrapDeepNesting(t *testing.T) {
	raw := rawProbe(t, &probe{})
	for _, depth := range []int{16_000, 10_000_000} {
		raw.send(`{"jsonrpc":"2.0","id":1,"method":"text","params":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`)
		if m := raw.next(); m.Error == nil || m.Error.Code != int(jsonrpc2.InvalidRequest) {
			t.Errorf("depth %d: %+v", depth, m)
		}
	}
}

// ---- Types that lose values.

func TestTrapValuesThatTheLibraryDrops(t *testing.T) {
	zero, version := uint32(0), int32(0)
	tests := []struct {
		value any
		want  string
	}{
		// Version uint32,omitempty: version 0, with which Neovim starts, vanishes. Nil slices are null.
		{lsp.PublishDiagnosticsParams{URI: "x", Version: &version, Diagnostics: []protocol.Diagnostic{}},
			`{"uri":"x","version":0,"diagnostics":[]}`},
		// Percentage uint32,omitempty: 0 is dropped and editors draw no bar.
		{lsp.WorkDoneProgress{Kind: "begin", Title: "t", Percentage: &zero},
			`{"kind":"begin","title":"t","percentage":0}`},
		// ProgressToken marshals by pointer: a value sends {}; an empty string becomes 0.
		{lsp.ProgressParams{Token: lsp.NewProgressToken("")}, `{"token":"","value":null}`},
		{lsp.ProgressParams{Token: lsp.NewProgressToken("t")}, `{"token":"t","value":null}`},
		// ServerCapabilities have no positionEncoding.
		{lsp.ServerCapabilities{PositionEncoding: "utf-8"}, `{"positionEncoding":"utf-8"}`},
	}
	for _, tt := range tests {
		if got, err := json.Marshal(tt.value); err != nil || string(got) != tt.want {
			t.Errorf("%T = %s, %v, want %s", tt.value, got, err, tt.want)
		}
	}
}

// TextDocumentContentChangeEvent.Range is no pointer: a full change looks like an insertion at 0:0.
func TestTrapFullChangeAndInsertionDiffer(t *testing.T) {
	var full, insertion lsp.ContentChange
	mustDecode(t, `{"text":"a"}`, &full)
	mustDecode(t, `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"a"}`, &insertion)
	if full.Range != nil || insertion.Range == nil {
		t.Errorf("full %+v, insertion %+v", full, insertion)
	}
}

// URI.Filename panics on these, and forgets the host of a share; uri.New makes paths of some.
func TestTrapUrisWithoutAPath(t *testing.T) {
	for _, uri := range []protocol.DocumentURI{"untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#x", "", "file:///%zz", "git:/a"} {
		if path, ok := lsp.Path(uri); ok {
			t.Errorf("%q has the path %q", uri, path)
		}
	}
	if lsp.Key("file:///a%20b") != lsp.Key("file:///a b") { // uri.New: not equal
		t.Error("two spellings of one file differ")
	}
}

func mustDecode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code jsonrpc2.Code) {
	t.Helper()
	var failure *editortest.Failure
	if !errors.As(err, &failure) || failure.Code != int(code) {
		t.Errorf("error %v, want code %d", err, code)
	}
}
