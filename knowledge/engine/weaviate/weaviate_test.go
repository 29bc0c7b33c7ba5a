package weaviate

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate/wire"
)

func TestNew(t *testing.T) {
	node := func(grpc, rest string) Options { return Options{Nodes: []Address{{grpc, rest}}} }
	secure := func(o Options) Options { o.TLS = true; return o }
	for _, test := range []struct {
		name string
		o    Options
		want string // in the error; "" for none
	}{
		{"no address", Options{}, "no address"},
		{"this machine", node("127.0.0.1:1", "127.0.0.1:2"), ""},
		{"this machine by name", node("localhost:1", "[::1]:2"), ""},
		{"another without TLS", node("10.0.0.1:1", "10.0.0.1:2"), "TLS is required"},
		{"one of two ports without TLS", node("127.0.0.1:1", "engine.example.org:2"), "TLS is required"},
		{"another with TLS", secure(node("engine.example.org:1", "engine.example.org:2")), ""},
		{"no port", secure(node("engine.example.org", "engine.example.org:2")), "no address such as"},
		{"no host", secure(node(":1", "engine.example.org:2")), "no address such as"},
		{"a path", secure(node("engine.example.org:1/x", "engine.example.org:2")), "no address such as"},
		{"a user", secure(node("engine.example.org:1", "me@engine.example.org:2")), "no address such as"},
		{"all interfaces", node("0.0.0.0:1", "0.0.0.0:2"), "TLS is required"},
		{"a name that begins as this machine", node("localhost.example.org:1", "127.0.0.1:2"), "TLS is required"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := New(test.o)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			if c != nil {
				c.Close()
			}
		})
	}
}

// calls has every call of an engine.
var calls = map[string]func(context.Context, engine.Engine) error{
	"create": func(ctx context.Context, e engine.Engine) error { return e.Create(ctx, "c", engine.Layout{Dim: 2}) },
	"put":    func(ctx context.Context, e engine.Engine) error { return e.Put(ctx, "c", []engine.Object{{}}) },
	"get":    func(ctx context.Context, e engine.Engine) error { _, err := e.Get(ctx, "c", engine.ID{}); return err },
	"search": func(ctx context.Context, e engine.Engine) error {
		_, err := e.Search(ctx, "c", engine.Query{Terms: []string{"x"}, Limit: 10})
		return err
	},
	"delete": func(ctx context.Context, e engine.Engine) error { return e.Delete(ctx, "c", []engine.ID{{}}) },
	"count":  func(ctx context.Context, e engine.Engine) error { _, err := e.Count(ctx, "c"); return err },
	"drop":   func(ctx context.Context, e engine.Engine) error { return e.Drop(ctx, "c") },
	"status": func(ctx context.Context, e engine.Engine) error { _, err := e.Status(ctx); return err },
}

// TestFaults holds that each call names what went wrong and keeps the key to itself.
func TestFaults(t *testing.T) {
	reply := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			w.Write([]byte(body))
		}
	}
	echo := fmt.Sprintf(`{"error":[{"message":"no: Bearer %s \u001b[31m%s"}]}`, testKey, strings.Repeat("long ", 200))
	broken := func(reason codes.Code) *fake {
		err := status.Error(reason, "no: Bearer "+testKey+" \x1b[31m"+strings.Repeat("long ", 200))
		return &fake{
			search: func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) { return nil, err },
			batch:  func(context.Context, *wire.BatchObjectsRequest) (*wire.BatchObjectsReply, error) { return nil, err },
		}
	}
	hang := &fake{
		search: func(ctx context.Context, _ *wire.SearchRequest) (*wire.SearchReply, error) { return nil, forever(ctx) },
		batch: func(ctx context.Context, _ *wire.BatchObjectsRequest) (*wire.BatchObjectsReply, error) {
			return nil, forever(ctx)
		},
		rest: func(_ http.ResponseWriter, r *http.Request) { forever(r.Context()) },
	}
	with := func(f *fake, rest http.HandlerFunc) *fake { f.rest = rest; return f }
	for _, test := range []struct {
		name string
		node *fake
		want error
		only string // the calls concerned, "" for all
	}{
		{"nothing answers", hang, engine.ErrAway, ""},
		{"not ready", with(broken(codes.Unavailable), reply(503, echo)), engine.ErrAway, ""},
		{"rate limited", with(broken(codes.ResourceExhausted), reply(429, echo)), engine.ErrAway, ""},
		{"a fault of its own", with(broken(codes.Unknown), reply(500, echo)), engine.ErrAway, ""},
		{"no key", with(broken(codes.Unauthenticated), reply(401, echo)), engine.ErrRefused, ""},
		{"not allowed", with(broken(codes.PermissionDenied), reply(403, echo)), engine.ErrRefused, ""},
		{"no such thing", with(broken(codes.NotFound), reply(404, echo)), engine.ErrNotFound, "put get search count"},
		{"redirect", with(broken(codes.Unavailable), func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 302) }), engine.ErrAway, ""},
		{"no JSON", with(broken(codes.Internal), reply(200, "<html>")), engine.ErrAway, "create put get search count status"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := reach(t, short, serve(t, test.node))
			for name, call := range calls {
				if test.only != "" && !strings.Contains(test.only, name) {
					continue
				}
				err := call(t.Context(), c)
				if !errors.Is(err, test.want) {
					t.Errorf("%s: %v, want %v", name, err, test.want)
					continue
				}
				if text := err.Error(); strings.Contains(text, testKey) || strings.ContainsAny(text, "\x1b\n") || len(text) > 700 {
					t.Errorf("%s: the error is %q", name, text)
				}
			}
		})
	}
}

func TestAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	c := reach(t, short, &fake{address: Address{address, address}})
	for name, call := range calls {
		if err := call(t.Context(), c); !errors.Is(err, engine.ErrAway) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKey holds that the key goes with every call to its host, and nowhere else.
func TestKey(t *testing.T) {
	f := serve(t, &fake{})
	c := reach(t, long, f)
	for _, call := range calls {
		call(t.Context(), c) // whatever comes of it
	}
	for header := range f.keys {
		if header != "Bearer "+testKey && header != "" { // Status asks once without it
			t.Errorf("header %q", header)
		}
	}
	if f.keys["Bearer "+testKey] < len(calls) || f.keys[""] != 1 {
		t.Errorf("with the key %d times, without %d", f.keys["Bearer "+testKey], f.keys[""])
	}

	other := serve(t, &fake{})
	f.rest = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+other.address.REST+r.URL.Path, 307)
	}
	for _, call := range calls {
		call(t.Context(), c)
	}
	if len(other.keys) > 0 {
		t.Errorf("a redirect was followed: %v", other.keys)
	}
}

// TestTLS holds that nothing is asked of a node that is not who it says.
func TestTLS(t *testing.T) {
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	certificate, trusted := web.TLS.Certificates[0], x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	web.Close()
	f := serve(t, &fake{}, certificate)
	o := Options{Nodes: []Address{f.address}, APIKey: testKey, TLS: true}
	for name, test := range map[string]struct {
		change func(*Options)
		ok     bool
	}{
		"trusted":     {func(o *Options) { o.CA = trusted }, true},
		"not trusted": {func(*Options) {}, false},
		"nobody":      {func(o *Options) { o.CA = x509.NewCertPool() }, false},
		"without TLS": {func(o *Options) { o.TLS = false }, false},
	} {
		t.Run(name, func(t *testing.T) {
			clear(f.keys)
			options := o
			test.change(&options)
			c, err := New(options)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			c.patient = long
			for _, call := range []string{"put", "search", "drop"} {
				if err := calls[call](t.Context(), c); (err == nil) != test.ok {
					t.Errorf("%s: %v", call, err)
				}
			}
			if (len(f.keys) > 0) != test.ok {
				t.Errorf("the node saw %v", f.keys)
			}
		})
	}
}

// TestProxy holds that the environment redirects nothing.
func TestProxy(t *testing.T) {
	stranger := serve(t, &fake{})
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "grpc_proxy"} {
		t.Setenv(name, "http://"+stranger.address.REST)
	}
	t.Setenv("NO_PROXY", "")
	f := serve(t, &fake{})
	c := reach(t, long, f)
	for _, call := range calls {
		call(t.Context(), c)
	}
	if len(stranger.keys) > 0 || len(f.keys) == 0 {
		t.Errorf("the proxy saw %v, the node %v", stranger.keys, f.keys)
	}
}

func TestTooLarge(t *testing.T) {
	large := strings.Repeat("x", 16<<20)
	f := serve(t, &fake{
		search: func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) {
			reply := &wire.SearchReply{}
			for range 5 {
				reply.Results = append(reply.Results, hit("x", large))
			}
			return reply, nil
		},
		rest: func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				w.Write([]byte(large))
			}
		},
	})
	c := reach(t, long, f)
	for _, name := range []string{"search", "count"} {
		if err := calls[name](t.Context(), c); !errors.Is(err, engine.ErrAway) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// hit is a result of a search.
func hit(id, body string) *wire.SearchResult {
	return &wire.SearchResult{
		Metadata: &wire.MetadataResult{Id: id},
		Properties: &wire.PropertiesResult{NonRefProps: &wire.Properties{Fields: map[string]*wire.Value{
			bodyProperty: {Kind: &wire.Value_BlobValue{BlobValue: body}},
		}}},
	}
}

func good(n byte) *wire.SearchResult {
	o := engine.Object{ID: engine.ID{n}, Content: []byte{n}}
	return hit(uuid(o.ID), base64.StdEncoding.EncodeToString(pack(o)))
}

// TestBroken holds that a reply is read whole or not at all, and that another node is asked then.
func TestBroken(t *testing.T) {
	body := base64.StdEncoding.EncodeToString(pack(engine.Object{Content: []byte("content")}))
	for name, results := range map[string][]*wire.SearchResult{
		"no identity":       {hit("", body)},
		"half an identity":  {hit("00000000-0000-0000-0000-00000000000", body)},
		"another identity":  {hit("00000000x0000-0000-0000-000000000000", body)},
		"no content":        {hit(uuid(engine.ID{1}), "")},
		"no base64":         {hit(uuid(engine.ID{1}), "§")},
		"content cut off":   {hit(uuid(engine.ID{1}), body[:4])},
		"no properties":     {{Metadata: &wire.MetadataResult{Id: uuid(engine.ID{1})}}},
		"nothing at all":    {{}},
		"more than asked":   {good(1), good(2), good(3)},
		"one of two broken": {good(1), hit(uuid(engine.ID{2}), "§")},
	} {
		t.Run(name, func(t *testing.T) {
			bad := serve(t, &fake{search: func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) {
				return &wire.SearchReply{Results: results}, nil
			}})
			q := engine.Query{Terms: []string{"x"}, Limit: 2}
			if got, err := reach(t, long, bad).Search(t.Context(), "c", q); !errors.Is(err, engine.ErrAway) || got != nil {
				t.Errorf("%v, %v", got, err)
			}
			fine := serve(t, &fake{search: func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) {
				return &wire.SearchReply{Results: []*wire.SearchResult{good(7)}}, nil
			}})
			got, err := reach(t, long, bad, fine).Search(t.Context(), "c", q)
			if err != nil || len(got) != 1 || got[0].ID != (engine.ID{7}) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestNextNode holds that a search goes on to another node when one is away, hangs or fails, and stays there.
func TestNextNode(t *testing.T) {
	results := func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) {
		return &wire.SearchReply{Results: []*wire.SearchResult{good(1)}}, nil
	}
	hedged := long
	hedged.hedge = 1
	for name, test := range map[string]struct {
		d      deadlines
		search func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error)
	}{
		"hangs": {hedged, func(ctx context.Context, _ *wire.SearchRequest) (*wire.SearchReply, error) { return nil, forever(ctx) }},
		"fails": {long, func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) {
			return nil, errors.New("no shard")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := reach(t, test.d, serve(t, &fake{search: test.search}), serve(t, &fake{search: test.search}), serve(t, &fake{search: results}))
			if got, err := c.Search(t.Context(), "c", engine.Query{Terms: []string{"x"}, Limit: 2}); err != nil || len(got) != 1 {
				t.Errorf("%v, %v", got, err)
			}
			if c.first.Load() != 2 {
				t.Errorf("the next search begins with node %d", c.first.Load())
			}
		})
	}
	t.Run("refuses", func(t *testing.T) {
		never := func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) {
			t.Error("another node was asked for what one refused")
			return nil, nil
		}
		c := reach(t, long, serve(t, &fake{search: func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error) {
			return nil, status.Error(codes.Unauthenticated, "no")
		}}), serve(t, &fake{search: never}))
		if _, err := c.Search(t.Context(), "c", engine.Query{Terms: []string{"x"}, Limit: 2}); !errors.Is(err, engine.ErrRefused) {
			t.Error(err)
		}
	})
}

// TestPut holds what is sent, in which batches, and what is tried again.
func TestPut(t *testing.T) {
	objects := func(n, size int) (all []engine.Object) {
		for i := range n {
			all = append(all, engine.Object{ID: engine.ID{byte(i >> 8), byte(i)}, Terms: []string{"a b", "c"}, Vector: []float32{1, 0}, Content: make([]byte, size)})
		}
		return all
	}
	fail := func(index int32, text string) *wire.BatchObjectsReply {
		return &wire.BatchObjectsReply{Errors: []*wire.BatchObjectsReply_BatchError{{Index: index, Error: text}}}
	}
	for _, test := range []struct {
		name    string
		objects []engine.Object
		replies []*wire.BatchObjectsReply // after them all goes well
		batches []int
		want    error
	}{
		{"none", nil, nil, nil, nil},
		{"one", objects(1, 10), nil, []int{1}, nil},
		{"many", objects(1200, 10), nil, []int{500, 500, 200}, nil},
		{"large ones", objects(20, 2<<20), nil, []int{3, 3, 3, 3, 3, 3, 2}, nil},
		{"one of them fails for a while", objects(5, 10), []*wire.BatchObjectsReply{fail(3, "cannot reach enough replicas"), fail(0, "timeout")}, []int{5, 1, 1}, nil},
		{"one is refused", objects(5, 10), []*wire.BatchObjectsReply{fail(3, "vector lengths do not match")}, []int{5}, engine.ErrRefused},
		{"a failure of none", objects(5, 10), []*wire.BatchObjectsReply{fail(9, "?"), fail(-1, "?")}, []int{5, 5, 5}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var batches []int
			replies := test.replies
			c := reach(t, long, serve(t, &fake{batch: func(_ context.Context, r *wire.BatchObjectsRequest) (*wire.BatchObjectsReply, error) {
				batches = append(batches, len(r.Objects))
				if r.GetConsistencyLevel() != wire.ConsistencyLevel_CONSISTENCY_LEVEL_QUORUM {
					t.Errorf("a write at %s", r.GetConsistencyLevel())
				}
				if o := r.Objects[0]; o.Properties.NonRefProperties.Fields[termsProperty].GetStringValue() != "a%20b c" || len(o.VectorBytes) != 8 {
					t.Errorf("it sends %v", o)
				}
				if len(replies) == 0 {
					return &wire.BatchObjectsReply{}, nil
				}
				reply := replies[0]
				replies = replies[1:]
				return reply, nil
			}}))
			if err := c.Put(t.Context(), "c", test.objects); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
			if fmt.Sprint(batches) != fmt.Sprint(test.batches) {
				t.Errorf("batches of %v, want %v", batches, test.batches)
			}
		})
	}
}
