package agents

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/server/workspace"
)

// client speaks the protocol byte by byte.
type client struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Scanner
	done chan error
}

func serve(t *testing.T, o Options) *client {
	t.Helper()
	reader, in := io.Pipe()
	out, ours := io.Pipe()
	c := &client{t, in, bufio.NewScanner(out), make(chan error, 1)}
	c.out.Buffer(nil, 1<<20)
	o.Version, o.Offline, o.Now = "test", true, time.Now
	go func() {
		c.done <- Serve(t.Context(), o, reader, ours)
		ours.Close()
	}()
	return c
}

func (c *client) send(line string) { fmt.Fprintln(c.in, line) }

// message is what a server sends.
type message struct {
	ID     any
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (c *client) next() message {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the session has ended: %v", c.out.Err())
	}
	var m message
	if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
		c.t.Fatalf("%s: %v", c.out.Bytes(), err)
	}
	return m
}

// call sends a line and returns the reply, passing over notifications.
func (c *client) call(line string) message {
	c.t.Helper()
	c.send(line)
	for {
		if m := c.next(); m.Method == "" {
			return m
		}
	}
}

func (c *client) close() {
	c.t.Helper()
	c.in.Close()
	if err := <-c.done; err != nil {
		c.t.Errorf("the session ends with %v", err)
	}
}

// dialect is how a revision of the protocol begins a session and names the client in a request.
type dialect struct{ revision, hello, meta string }

var dialects = []dialect{
	{"2024-11-05", `{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"old","version":"1"}}`, ""},
	{"2025-03-26", `{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"old","version":"1"}}`, ""},
	{"2025-06-18", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"old","version":"1"}}`, ""},
	{"2025-11-25", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"}}`, ""},
	{"2026-07-28", "", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"old","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`},
}

func (d dialect) begin(c *client) {
	c.t.Helper()
	if d.hello == "" {
		return
	}
	hello := c.call(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":` + d.hello + `}`)
	if !strings.Contains(string(hello.Result), `"protocolVersion":"`+d.revision+`"`) {
		c.t.Fatalf("%s: %+v", d.revision, hello)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// request returns a request; params are without braces.
func (d dialect) request(id int, method, params string) string {
	if params == "" && d.meta != "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, d.meta[1:])
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, id, method, params, d.meta)
}

// allowed is the site, at which the agents are allowed.
func allowed(t *testing.T, agents ...string) *workspace.Workspace {
	t.Helper()
	w := site(t)
	for _, name := range agents {
		if _, err := w.Allow(t.Context(), workspace.Agent(name)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestRevisions(t *testing.T) {
	w := allowed(t, "old")
	for _, d := range dialects {
		t.Run(d.revision, func(t *testing.T) {
			c := serve(t, Options{Workspace: w, Gaps: someGaps})
			d.begin(c)
			for i, step := range []struct{ method, params, want string }{
				{"tools/list", "", `"verify_quote"`},
				{"tools/call", `"name":"verify_quote","arguments":{"quote":"The east kiln is fired at 980 degrees"}`, `verbatim`},
				{"tools/call", `"name":"ask","arguments":{"question":"At how many degrees is the east kiln fired?"}`, `980 degrees`},
				{"tools/call", `"name":"gaps","arguments":{}`, `Nothing on porcelain`},
				{"resources/list", "", `"name":"kb/kiln.md"`},
				{"resources/templates/list", "", `lacuna://gap/{id}`},
				{"resources/read", `"uri":"lacuna://file/kb/kiln.md"`, `fired at 980 degrees`},
			} {
				if m := c.call(d.request(i, step.method, step.params)); m.Error != nil || !strings.Contains(string(m.Result), step.want) {
					t.Errorf("%s %s: %+v %s", step.method, step.params, m.Error, m.Result)
				}
			}
			c.close()
		})
	}
}

// TestBrokenMessages sends what is no request; each gets an error, and none ends the session.
func TestBrokenMessages(t *testing.T) {
	w := allowed(t, "old")
	c := serve(t, Options{Workspace: w})
	d := dialects[2]
	d.begin(c)
	for _, line := range []string{
		`{`, `hello`, `null`, `7`, `[]`, `""`, `{}`, "\xff\xfe", `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"} {"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":2,"method":"no/such/method"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"delete_everything"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[1,2]}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask","arguments":7}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ask","arguments":{"question":7}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"ask","arguments":{"question":"x","unknown":true}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"lacuna://document/../../etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":11,"method":"resources/read"}`,
		`{"jsonrpc":"2.0","id":12,"method":"resources/list","params":{"cursor":"zzz"}}`,
		`{"jsonrpc":"2.0","id":13,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		strings.Repeat(`[`, 20_000),
		`{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"verify_quote","arguments":{"quote":"` + strings.Repeat("a", longestLine) + `"}}}`,
	} {
		m := c.call(line)
		if m.Error == nil && !strings.Contains(string(m.Result), `"isError":true`) {
			t.Errorf("%.90s: %s", line, m.Result)
		}
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never sent"}}`)
	c.send(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	c.send("")
	both := c.call(`[{"jsonrpc":"2.0","id":20,"method":"ping"},{"jsonrpc":"2.0","id":21,"method":"ping"}]`)
	if more := c.next(); both.Error != nil || more.Error != nil {
		t.Errorf("two messages in one line: %+v, %+v", both, more)
	}
	if m := c.call(d.request(30, "tools/call", `"name":"sources","arguments":{}`)); m.Error != nil {
		t.Errorf("afterwards: %+v", m.Error)
	}
	c.close()
}

// someGaps returns a gap of a note.
func someGaps(ctx context.Context, _ *knowledge.Library, progress func(done, total int)) ([]ledger.Item, error) {
	var all []ledger.Item
	for i := range 120 {
		progress(i+1, 120)
		ref := ledger.QuestionRef{Note: "/notes/a.md", Question: fmt.Sprint(i), Text: fmt.Sprintf("What is the price of porcelain no. %d?", i)}
		all = append(all, ledger.Item{Ref: ref, Gap: gap.Gap{ID: "missing", Code: gap.MissingKnowledge, Text: fmt.Sprintf("Nothing on porcelain no. %d", i), Query: "price of porcelain", Status: gap.Open, Probability: .9}})
	}
	return all, ctx.Err()
}

func TestCancelledCall(t *testing.T) {
	w := allowed(t, "old")
	for _, d := range []dialect{dialects[0], dialects[len(dialects)-1]} {
		begun, ended := make(chan struct{}), make(chan struct{})
		c := serve(t, Options{Workspace: w, Gaps: func(ctx context.Context, _ *knowledge.Library, _ func(done, total int)) ([]ledger.Item, error) {
			close(begun)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		}})
		d.begin(c)
		c.send(d.request(1, "tools/call", `"name":"gaps","arguments":{}`))
		<-begun
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1` + d.meta + `}}`)
		<-ended
		for {
			m := c.call(d.request(2, "tools/call", `"name":"sources","arguments":{}`))
			if m.ID == float64(1) { // the reply of the cancelled call, which a client drops
				m = c.next()
			}
			if m.Error != nil || m.ID != float64(2) {
				t.Errorf("%s: after a cancelled call: %+v", d.revision, m)
			}
			break
		}
		c.close()
	}
}

func TestProgressOfACall(t *testing.T) {
	w := allowed(t, "old")
	c := serve(t, Options{Workspace: w, Gaps: someGaps})
	dialects[1].begin(c)
	for _, tool := range []string{
		`{"name":"gaps","arguments":{},"_meta":{"progressToken":"first"}}`,
		`{"name":"verify_text","arguments":{"text":"The east kiln is fired at 980 degrees. It cools for two days."},"_meta":{"progressToken":7}}`,
	} {
		c.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":` + tool + `}`)
		last, reports := -1.0, 0
		for m := c.next(); m.Method != ""; m = c.next() {
			var p struct {
				ProgressToken   any
				Progress, Total float64
			}
			if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "notifications/progress" || p.ProgressToken != "first" && p.ProgressToken != 7.0 || p.Progress <= last || p.Progress > p.Total {
				t.Errorf("%s: %s %s", tool, m.Method, m.Params)
			}
			last, reports = p.Progress, reports+1
		}
		if reports < 2 || last != stages {
			t.Errorf("%s: %d reports, the last of %v", tool, reports, last)
		}
	}
	c.close()
}

// TestManyCalls makes 300 calls at a time, 100 in short tests.
func TestManyCalls(t *testing.T) {
	w := allowed(t, "busy")
	s := connect(t, w, "busy")
	n := 300
	if testing.Short() {
		n = 100
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			want := map[bool]string{true: "verbatim", false: "altered"}[i == 0]
			if reply, failed := call(t, s, "verify_quote", map[string]any{"quote": fmt.Sprintf("The east kiln is fired at %d degrees for eleven hours", 980+i)}); failed || !strings.Contains(reply, want) {
				t.Errorf("call %d: %s", i, reply)
			}
		})
	}
	all.Wait()
}
