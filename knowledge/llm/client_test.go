package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// local is a client with every role at the server, and what it sent.
type local struct {
	*Client
	mu     sync.Mutex
	sent   []Sent          // guarded by mu
	pauses []time.Duration // guarded by mu
}

// connect returns a client of a server. Its pauses take no time.
func connect(t *testing.T, srv *llmtest.Server, change ...func(*Config)) *local {
	t.Helper()
	l := &local{}
	config := Config{Roles: map[Role]Endpoint{}, Record: l.record}
	for _, role := range Roles() {
		config.Roles[role] = Endpoint{BaseURL: srv.URL(), Model: "m", Setting: "model"}
	}
	config.Embedding = &Endpoint{BaseURL: srv.URL(), Model: "e", Setting: "embedding"}
	config.Rerank = &Endpoint{BaseURL: srv.URL(), Model: "r", Setting: "rerank"}
	for _, c := range change {
		c(&config)
	}
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	client.pause = l.pass
	l.Client = client
	return l
}

func (l *local) record(s Sent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, s)
}

func (l *local) pass(ctx context.Context, d time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pauses = append(l.pauses, d)
	return ctx.Err()
}

// ofRole changes the endpoint of one role.
func ofRole(role Role, change func(*Endpoint)) func(*Config) {
	return func(c *Config) {
		e := c.Roles[role]
		change(&e)
		c.Roles[role] = e
	}
}

// every changes all endpoints.
func every(change func(*Endpoint)) func(*Config) {
	return func(c *Config) {
		for role := range c.Roles {
			ofRole(role, change)(c)
		}
		change(c.Embedding)
		change(c.Rerank)
	}
}

// hello is a small request.
func hello(role Role) Request {
	return Request{Role: role, Stage: "draft", Chat: prompts.Chat{Template: "answer_direct", Messages: []prompts.Message{
		{Role: "system", Text: "Answer."}, {Role: "user", Text: "When is garlic planted?"},
	}}}
}

// structured is a small request for JSON.
func structured(role Role) Request {
	r := hello(role)
	r.Chat.Template, r.Chat.Schema = "judge_gaps", []byte(`{"type":"object"}`)
	return r
}

// listening is a request whose reply is streamed.
func listening(r Request) Request {
	r.Delta = func(string) {}
	return r
}

func saying(text string) llmtest.Script { return llmtest.Always(llmtest.Reply{Text: text}) }

// failedWith checks that an error is of a fault and names the setting.
func failedWith(t *testing.T, err error, fault Fault, setting string) *Error {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) || failed.Fault != fault || failed.Setting != setting {
		t.Fatalf("error %v (%+v), want %s at %s", err, failed, fault, setting)
	}
	return failed
}

func TestChat(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "In autumn, mostly. 秋天。", Reasoning: "Cold helps.", Model: "m-7b"}))
	client := connect(t, srv)
	request := hello(Reader)
	var pieces []string
	request.Delta = func(text string) { pieces = append(pieces, text) }
	request.Account = NewAccount(0)
	reply, err := client.Chat(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Text != "In autumn, mostly. 秋天。" || reply.Reasoning != "Cold helps." || reply.Model != "m-7b" ||
		reply.Finish != "stop" || reply.Seed != 42 || reply.Attempts != 1 || reply.First <= 0 || reply.Duration < reply.First {
		t.Errorf("reply %+v", reply)
	}
	if len(pieces) < 2 || strings.Join(pieces, "") != reply.Text {
		t.Errorf("pieces %q", pieces)
	}
	want := Usage{Calls: 1, Prompt: 8, Completion: 10, Reasoning: 3}
	if reply.Usage != want || request.Account.Usage() != want {
		t.Errorf("usage %+v, account %+v", reply.Usage, request.Account.Usage())
	}
	if len(client.sent) != 1 || client.sent[0].Usage != want || client.sent[0].Status != http.StatusOK || !client.sent[0].Local {
		t.Errorf("records %+v", client.sent)
	}
}

func TestEveryFault(t *testing.T) {
	want := map[string]Fault{
		"silent": TimedOut, "stalled": TimedOut, "slow": "", "cut stream": CutOff, "short stream": CutOff, "hangup": CutOff,
		"Bad Request": Refused, "Unauthorized": Unauthorised, "Forbidden": Unauthorised, "Not Found": NotFound,
		"Too Many Requests": RateLimited, "Internal Server Error": ServerFault, "Service Unavailable": ServerFault,
		"html page": Malformed, "html error": ServerFault, "no json": Malformed, "other json": Malformed, "no choices": Malformed,
		"wrong types": Malformed, "null": Malformed, "error in a good reply": ServerFault, "error in a stream": ServerFault,
		"empty stream": Malformed, "garbled stream": Malformed, "unframed stream": Malformed, "bytes": Malformed,
		"endless": TooLong, "endless line": TooLong,
	}
	// What can go wrong with a stream only is something else in one piece.
	inOnePiece := map[string]Fault{"short stream": Malformed, "error in a stream": Malformed}
	for _, f := range llmtest.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			everyFault(t, f, want[f.Name], listening(hello(Reader)))
		})
		t.Run(f.Name+" in one piece", func(t *testing.T) {
			fault, other := inOnePiece[f.Name]
			if !other {
				fault = want[f.Name]
			}
			everyFault(t, f, fault, hello(Reader))
		})
		if _, known := want[f.Name]; !known {
			t.Errorf("the fault %q has no expectation", f.Name)
		}
	}
}

// everyFault sends a request to a server with a fault.
func everyFault(t *testing.T, f llmtest.Fault, fault Fault, request Request) {
	t.Helper()
	srv := llmtest.New(t, llmtest.Break(saying("In autumn, some weeks before the frost."), f))
	client := connect(t, srv, every(func(e *Endpoint) {
		if f.Hangs {
			e.Timeout = 100 * time.Millisecond
		}
	}))
	_, err := client.Chat(t.Context(), request)
	defer settled(t, srv, client)
	if fault == "" {
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	setting := map[Fault]string{TimedOut: "timeout", Refused: "model", Unauthorised: "api_key", RateLimited: "parallel", TooLong: "max_tokens"}[fault]
	if setting == "" {
		setting = "base_url"
	}
	failed := failedWith(t, err, fault, "model."+setting)
	if failed.Host != srv.Host() || failed.Model != "m" || failed.Role != Reader || strings.ContainsAny(failed.Error(), "\n<") {
		t.Errorf("error %q of %+v", failed.Error(), failed)
	}
}

// settled checks that nothing is left of the calls of a client.
func settled(t *testing.T, srv *llmtest.Server, client *local) {
	t.Helper()
	client.Close()
	until := time.Now().Add(5 * time.Minute)
	for {
		open, _ := srv.Conns()
		busy := 0
		for _, e := range client.endpoints() {
			busy += len(e.slots)
		}
		left := connectionGoroutines()
		if open == 0 && busy == 0 && left == 0 && srv.InFlight() == 0 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d connections open, %d places taken, %d calls running, %d goroutines", open, busy, srv.InFlight(), left)
		}
		time.Sleep(time.Millisecond)
	}
}

// connectionGoroutines counts the goroutines that serve connections of clients.
func connectionGoroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return bytes.Count(stacks, []byte("net/http.(*persistConn)"))
}

func TestTransientFaultsPass(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  llmtest.Fault
		times  int
		pauses []time.Duration
	}{
		{"server fault", llmtest.Status(500), 2, []time.Duration{500 * time.Millisecond, 2 * time.Second}},
		{"rate limit", llmtest.Limited("7"), 1, []time.Duration{7 * time.Second}},
		{"hangup", llmtest.Named("hangup"), 1, []time.Duration{500 * time.Millisecond}},
		{"cut stream", llmtest.Named("cut stream"), 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := llmtest.New(t, llmtest.First(saying("In autumn, some weeks before the frost."), c.times, c.fault))
			client := connect(t, srv)
			request := hello(Reader)
			var told strings.Builder
			request.Delta = func(text string) { told.WriteString(text) }
			reply, err := client.Chat(t.Context(), request)
			if err != nil || reply.Attempts != c.times+1 || told.String() != reply.Text || reply.Usage.Calls != 1 {
				t.Fatalf("reply %+v, told %q, error %v", reply, told.String(), err)
			}
			if len(client.pauses) != len(c.pauses) || len(client.sent) != c.times+1 {
				t.Fatalf("pauses %v, sent %d", client.pauses, len(client.sent))
			}
			for i, want := range c.pauses {
				if client.pauses[i] != want {
					t.Errorf("pauses %v, want %v", client.pauses, c.pauses)
				}
			}
		})
	}
}

func TestLastingFaultsAreNotRepeated(t *testing.T) {
	for _, f := range []llmtest.Fault{llmtest.Status(400), llmtest.Status(401), llmtest.Status(404), llmtest.Limited("3600")} {
		srv := llmtest.New(t, llmtest.Break(saying("x"), f))
		client := connect(t, srv)
		want := 1
		if f.Name == "Bad Request" { // it says nothing, and may mean the role of the system; the next call does not ask again
			want = 2
		}
		for ; want <= 3; want++ {
			if _, err := client.Chat(t.Context(), hello(Reader)); err == nil || len(srv.Calls()) != want {
				t.Errorf("%s: %d calls, error %v", f.Name, len(srv.Calls()), err)
			}
		}
	}
}

func TestAnAnswerDoesNotWaitTwiceInVain(t *testing.T) {
	srv := llmtest.New(t, llmtest.First(saying("In autumn."), 5, llmtest.Status(http.StatusServiceUnavailable)))
	client := connect(t, srv)
	request := hello(Reader)
	request.Account = NewAccount(0)
	for i, calls := range []int{3, 4, 5, 6} { // three attempts, one, one, and one that succeeds
		_, err := client.Chat(t.Context(), request)
		if (err == nil) != (i == 3) || len(srv.Calls()) != calls {
			t.Fatalf("question %d: %d calls in all, error %v", i, len(srv.Calls()), err)
		}
	}
	srv.Script(llmtest.First(saying("In autumn."), 1, llmtest.Status(http.StatusServiceUnavailable)))
	if _, err := client.Chat(t.Context(), request); err != nil {
		t.Errorf("the endpoint is not trusted again: %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	client := connect(t, srv)
	srv.Close()
	_, err := client.Chat(t.Context(), hello(Reader))
	failedWith(t, err, Unreachable, "model.base_url")
	if len(client.pauses) != 2 {
		t.Errorf("pauses %v", client.pauses)
	}
}

func TestWhatIsNoServerOfHTTP(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	garbage, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer garbage.Close()
	go func() {
		for {
			conn, err := garbage.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 64<<10))
			_, _ = conn.Write([]byte("220 mail.example ESMTP\r\n")) // the client goes away as it likes
			_ = conn.Close()
		}
	}()
	plainly := llmtest.New(t, saying("x"))
	for _, c := range []struct {
		name, base string
		fault      Fault
	}{
		{"a certificate that nobody knows", secure.URL, Untrusted},
		{"a secure server asked openly", "http://" + secure.Listener.Addr().String(), NotFound},
		{"an open server asked securely", "https://" + plainly.Host(), Untrusted},
		{"a mail server", "http://" + garbage.Addr().String(), Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := connect(t, plainly, ofRole(Reader, func(e *Endpoint) { e.BaseURL = c.base }),
				func(config *Config) { config.Permit = func(context.Context, Outbound) error { return nil } })
			_, err := client.Chat(t.Context(), hello(Reader))
			var failed *Error
			if !errors.As(err, &failed) || failed.Fault != c.fault || failed.Setting != "model.base_url" || strings.Contains(failed.Error(), "Post ") {
				t.Errorf("error %v, want %s", err, c.fault)
			}
		})
	}
}

func TestNameThatIsUnknown(t *testing.T) {
	to := connect(t, llmtest.New(t, saying("x"))).roles[Reader]
	for _, passes := range []bool{true, false} {
		err := to.brokenError(t.Context(), t.Context(), &net.OpError{Op: "dial", Err: &net.DNSError{Name: "models.example", IsTemporary: passes}})
		failed := failedWith(t, unwrapAttempt(err), Unreachable, "model.base_url")
		if f := (*attemptError)(nil); !errors.As(err, &f) || f.transient != passes || !strings.Contains(failed.Error(), "host models.example not found") {
			t.Errorf("error %v", err)
		}
	}
}

func TestCancelClosesTheRequest(t *testing.T) {
	for _, name := range []string{"silent", "stalled", "endless"} {
		srv := llmtest.New(t, llmtest.Break(llmtest.Always(llmtest.Reply{Text: "In autumn, some weeks before the frost.", Pace: time.Millisecond}), llmtest.Named(name)))
		client := connect(t, srv)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := client.Chat(ctx, listening(hello(Reader)))
			done <- err
		}()
		for srv.InFlight() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		settled(t, srv, client)
		if calls := srv.Calls(); !calls[0].Gone {
			t.Errorf("%s: the server was not left", name)
		}
	}
}

func TestUnsetRole(t *testing.T) {
	client, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Chat(t.Context(), hello(Reader))
	failedWith(t, err, Unset, "model.base_url")
	if client.Has(Reader) || client.CanRerank() || !client.Local() {
		t.Error("an empty configuration has something")
	}
}
