package llm

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lacuna/knowledge/llm/llmtest"
)

// remote makes a client believe that the server is another machine: every connection is led to the
// server, whatever the name. It returns what the permission was asked for.
func remote(t *testing.T, srv *llmtest.Server, change ...func(*Config)) (*local, *[]Outbound) {
	t.Helper()
	var mu sync.Mutex
	var outs []Outbound
	client := connect(t, srv, append([]func(*Config){
		every(func(e *Endpoint) { e.BaseURL = "http://models.example/v1" }),
		func(c *Config) {
			c.Permit = func(_ context.Context, out Outbound) error {
				mu.Lock()
				defer mu.Unlock()
				outs = append(outs, out)
				return nil
			}
		},
	}, change...)...)
	for _, transport := range client.transports {
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, srv.Host())
		}
	}
	return client, &outs
}

func TestOnThisMachine(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true, "::ffff:127.0.0.1": true,
		"localhost.example": false, "localhost.": false, "models.localhost": false, "0.0.0.0": false, "10.0.0.1": false,
		"::": false, "127.0.0.1.example": false, "2130706433": false, "0x7f.1": false, "": false,
	} {
		if got := OnThisMachine(host); got != want {
			t.Errorf("%q is this machine: %t", host, got)
		}
	}
}

func TestNothingLeavesWithoutPermission(t *testing.T) {
	refusal := errors.New("not today")
	for name, permit := range map[string]func(context.Context, Outbound) error{
		"nobody to ask": nil,
		"refused":       func(context.Context, Outbound) error { return refusal },
	} {
		srv := llmtest.New(t, llmtest.Obliging())
		client, _ := remote(t, srv, func(c *Config) { c.Permit = permit })
		if client.Local() || len(client.Hosts()) != 1 || client.Hosts()[0] != "models.example:80" {
			t.Errorf("local %t, hosts %v", client.Local(), client.Hosts())
		}
		_, err := client.Chat(t.Context(), hello(Reader))
		failed := failedWith(t, err, NotPermitted, "")
		if permit != nil && !errors.Is(failed, refusal) {
			t.Errorf("%s: error %v", name, failed)
		}
		_, err = client.Embed(t.Context(), []string{"garlic"})
		failedWith(t, err, NotPermitted, "")
		_, err = client.Rerank(t.Context(), "garlic", "", []string{"a", "b"})
		failedWith(t, err, NotPermitted, "")
		if open, _ := srv.Conns(); open > 0 || len(srv.Calls()) > 0 || len(client.sent) > 0 {
			t.Errorf("%s: %d connections, %d calls, %d records", name, open, len(srv.Calls()), len(client.sent))
		}
	}
}

func TestPermissionIsAskedForExactlyWhatIsSent(t *testing.T) {
	srv := llmtest.New(t, llmtest.First(llmtest.Obliging(), 1, llmtest.Status(http.StatusServiceUnavailable)))
	client, outs := remote(t, srv)
	if _, err := client.Chat(t.Context(), structured(Reasoner)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Embed(t.Context(), []string{"garlic"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Rerank(t.Context(), "garlic", "", []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	calls := srv.Calls()
	if len(*outs) != 3 || len(calls) != 4 || len(client.sent) != 4 {
		t.Fatalf("asked %d times for %d requests, %d records", len(*outs), len(calls), len(client.sent))
	}
	for i, role := range []Role{Reasoner, Reasoner, embeddingRole, rerankRole} {
		out := (*outs)[max(0, i-1)]
		sent := client.sent[i]
		if string(out.Body) != string(calls[i].Body) || string(sent.Body) != string(out.Body) || out.Role != role || out.Local {
			t.Errorf("asked for %s %s, sent %s", out.Role, out.Body, calls[i].Body)
		}
	}
	if failed := (*Error)(nil); !errors.As(client.sent[0].Err, &failed) || client.sent[0].Status != 503 || client.sent[1].Err != nil {
		t.Errorf("records %+v", client.sent)
	}
}

func TestPermissionIsAskedOnceForARequestThatIsRepeated(t *testing.T) {
	srv := llmtest.New(t, llmtest.First(saying("In autumn, some weeks before"), 1, llmtest.Named("cut stream")))
	client, outs := remote(t, srv)
	if _, err := client.Chat(t.Context(), hello(Reader)); err != nil || len(srv.Calls()) != 2 || len(*outs) != 1 {
		t.Errorf("asked %d times for %d requests, error %v", len(*outs), len(srv.Calls()), err)
	}
}

func TestThisMachineNeedsNoPermission(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	asked := false
	client := connect(t, srv, func(c *Config) {
		c.Permit = func(context.Context, Outbound) error {
			asked = true
			return nil
		}
	})
	if _, err := client.Chat(t.Context(), hello(Reader)); err != nil || asked || !client.Local() {
		t.Errorf("asked %t, local %t, error %v", asked, client.Local(), err)
	}
}

func TestLocalhostIsDialled(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	conn, err := dial(t.Context(), "tcp", net.JoinHostPort("localhost", port))
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

func TestKeyAndHeadersGoToTheirHostOnly(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: status, Body: "moved", Header: http.Header{"Location": {other.URL + "/v1/chat/completions"}}}))
		client := connect(t, srv, ofRole(Reader, func(e *Endpoint) {
			e.Key = func(context.Context) (string, error) { return "secret", nil }
			e.Headers = map[string]string{"X-Team": "garden"}
		}))
		_, err := client.Chat(t.Context(), hello(Reader))
		failed := failedWith(t, err, NotFound, "model.base_url")
		if !strings.Contains(failed.Error(), "redirects to") || elsewhere.Load() > 0 {
			t.Errorf("%d: error %v, %d requests elsewhere", status, failed, elsewhere.Load())
		}
		call := srv.Calls()[0]
		if call.Header.Get("Authorization") != "Bearer secret" || call.Header.Get("X-Team") != "garden" {
			t.Errorf("headers %v", call.Header)
		}
		if len(client.sent) != 1 || strings.Contains(string(client.sent[0].Body), "secret") {
			t.Errorf("records %+v", client.sent)
		}
	}
}

func TestRedirectAtTheSameHostIsFollowed(t *testing.T) {
	var paths []string
	srv := llmtest.New(t, nil)
	srv.Script(func(c llmtest.Call) llmtest.Reply {
		paths = append(paths, c.Path)
		if len(paths) == 1 {
			return llmtest.Reply{Status: http.StatusTemporaryRedirect, Body: "there", Header: http.Header{"Location": {srv.URL() + "/chat/completions?again"}}}
		}
		return llmtest.Reply{Text: "In autumn."}
	})
	reply, err := connect(t, srv).Chat(t.Context(), hello(Reader))
	if err != nil || reply.Text != "In autumn." || len(paths) != 2 {
		t.Errorf("reply %+v, error %v, paths %v", reply, err, paths)
	}
}

func TestGuardRefusesOtherHosts(t *testing.T) {
	base, _ := url.Parse("https://models.example/v1")
	passed := 0
	client := guardedClient(base, roundTrip(func(*http.Request) (*http.Response, error) {
		passed++
		return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
	}))
	for address, want := range map[string]bool{
		"https://models.example/v1/x": true, "https://models.example:443/": true, "https://MODELS.example/": true,
		"http://models.example/v1/x": false, "https://models.example:444/": false, "https://evil.example/": false,
		"https://models.example.evil.example/": false, "https://evil.example/models.example": false,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		before := passed
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		if got := passed > before; got != want || (err == nil) != want {
			t.Errorf("%s passed: %t, error %v", address, got, err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	var proxied atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		proxied.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	srv := llmtest.New(t, saying("x"))
	client, _ := remote(t, srv)
	if _, err := client.Chat(t.Context(), hello(Reader)); err != nil || proxied.Load() > 0 {
		t.Errorf("error %v, %d requests through the proxy", err, proxied.Load())
	}
	for _, transport := range client.transports {
		if transport.Proxy != nil {
			t.Error("a transport has a proxy that nobody configured")
		}
	}
}

func TestConfiguredProxyIsUsed(t *testing.T) {
	var asked atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.String())
		w.WriteHeader(http.StatusForbidden)
	}))
	defer proxy.Close()
	srv := llmtest.New(t, saying("x"))
	client := connect(t, srv, every(func(e *Endpoint) { e.BaseURL, e.Proxy = "http://models.example/v1", proxy.URL }),
		func(c *Config) { c.Permit = func(context.Context, Outbound) error { return nil } })
	_, err := client.Chat(t.Context(), hello(Reader))
	failedWith(t, err, Unauthorised, "model.api_key")
	if asked.Load() != "http://models.example/v1/chat/completions" {
		t.Errorf("the proxy was asked for %v", asked.Load())
	}
	client = connect(t, srv, every(func(e *Endpoint) { e.Proxy = "http://proxy.example:3128" }))
	if client.Local() {
		t.Error("what goes through another machine counts as this machine")
	}
}

func TestRedaction(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "[NAME-1] plants [garlic] for [NAME-2], says [NAME-1].", Reasoning: "[NAME-1]?", Runes: 3}))
	client, outs := remote(t, srv, func(c *Config) {
		c.Redact = func(messages, _ []string) (Redaction, error) {
			hide := strings.NewReplacer("garlic", "[NAME-1]")
			var hidden []string
			for _, m := range messages {
				hidden = append(hidden, hide.Replace(m))
			}
			return Redaction{Messages: hidden, Details: "1 name", Restore: strings.NewReplacer("[NAME-1]", "Ada").Replace}, nil
		}
	})
	request := hello(Reader)
	var told strings.Builder
	request.Delta = func(text string) { told.WriteString(text) }
	reply, err := client.Chat(t.Context(), request)
	want := "Ada plants [garlic] for [NAME-2], says Ada."
	if err != nil || reply.Text != want || reply.Reasoning != "Ada?" || told.String() != want {
		t.Errorf("told %q, reply %+v, error %v", told.String(), reply, err)
	}
	if sent := srv.Calls()[0]; strings.Contains(string(sent.Body), "garlic") || (*outs)[0].Details != "1 name" || client.sent[0].Details != "1 name" {
		t.Errorf("sent %s, asked for %+v", sent.Body, (*outs)[0])
	}
	if request.Chat.Messages[1].Text != "When is garlic planted?" {
		t.Error("the request of the caller was changed")
	}
	if _, err := client.Embed(t.Context(), []string{"garlic"}); err != nil || strings.Contains(string(srv.Calls()[1].Body), "garlic") {
		t.Errorf("error %v, sent %s", err, srv.Calls()[1].Body)
	}
	if _, err := client.Rerank(t.Context(), "garlic", "", []string{"garlic"}); err != nil || strings.Contains(string(srv.Calls()[2].Body), "garlic") {
		t.Errorf("error %v, sent %s", err, srv.Calls()[2].Body)
	}
}

func TestRefusedRedactionSendsNothing(t *testing.T) {
	for _, redact := range []func(_, _ []string) (Redaction, error){
		func(_, _ []string) (Redaction, error) { return Redaction{}, errors.New("a record number") },
		func(_, _ []string) (Redaction, error) { return Redaction{Messages: []string{"one"}}, nil },
	} {
		srv := llmtest.New(t, saying("x"))
		client, _ := remote(t, srv, func(c *Config) { c.Redact = redact })
		_, err := client.Chat(t.Context(), hello(Reader))
		failedWith(t, err, NotPermitted, "")
		if len(srv.Calls()) > 0 {
			t.Error("something was sent")
		}
	}
}

func TestKeys(t *testing.T) {
	srv := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		if c.Header.Get("Authorization") != "Bearer new" {
			return llmtest.Reply{Status: http.StatusUnauthorized}
		}
		return llmtest.Reply{Text: "x"}
	})
	fetched := 0
	client := connect(t, srv, ofRole(Reader, func(e *Endpoint) {
		e.Key = func(context.Context) (string, error) {
			fetched++
			if fetched == 1 {
				return "old", nil
			}
			return "new", nil
		}
	}))
	for range 3 {
		if _, err := client.Chat(t.Context(), hello(Reader)); err != nil {
			t.Fatal(err)
		}
	}
	if fetched != 2 {
		t.Errorf("the key was fetched %d times", fetched)
	}
}

func TestKeyThatCannotBeHad(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	locked := errors.New("the keychain is locked")
	client := connect(t, srv, ofRole(Reader, func(e *Endpoint) {
		e.Key = func(context.Context) (string, error) { return "", locked }
		e.SettingOf = func(key string) string { return "model." + key + "_command" }
	}))
	_, err := client.Chat(t.Context(), hello(Reader))
	if failed := failedWith(t, err, Unauthorised, "model.api_key_command"); !errors.Is(failed, locked) || len(srv.Calls()) > 0 {
		t.Errorf("error %v, %d calls", failed, len(srv.Calls()))
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	for _, c := range []struct {
		endpoint Endpoint
		want     string
	}{
		{Endpoint{BaseURL: "127.0.0.1:11434", Model: "m"}, "model.base_url"},
		{Endpoint{BaseURL: "ftp://models.example", Model: "m"}, "model.base_url"},
		{Endpoint{BaseURL: "http://", Model: "m"}, "model.base_url"},
		{Endpoint{BaseURL: "http://ada:pw@models.example/v1", Model: "m"}, "model.base_url"},
		{Endpoint{BaseURL: "http://models.example/v1?key=1", Model: "m"}, "model.base_url"},
		{Endpoint{BaseURL: "http://models.example/v1"}, "model.model"},
		{Endpoint{BaseURL: "http://models.example/v1", Model: "m", Proxy: "::"}, "model.proxy"},
		{Endpoint{BaseURL: "http://models.example/v1", Model: "m", Headers: map[string]string{"A": "b\r\nC: d"}}, "model.headers"},
		{Endpoint{BaseURL: "http://models.example/v1", Model: "m", Parallel: -1}, "model.parallel"},
		{Endpoint{BaseURL: "http://models.example/v1", Model: "m", Timeout: -1}, "model.timeout"},
	} {
		c.endpoint.Setting = "model"
		_, err := New(Config{Roles: map[Role]Endpoint{Reader: c.endpoint}})
		if err == nil || !strings.HasPrefix(err.Error(), c.want+":") || strings.Contains(err.Error(), "pw") {
			t.Errorf("%+v: error %v", c.endpoint, err)
		}
	}
	if _, err := New(Config{Roles: map[Role]Endpoint{"oracle": {}}}); err == nil {
		t.Error("an unknown role was taken")
	}
}
