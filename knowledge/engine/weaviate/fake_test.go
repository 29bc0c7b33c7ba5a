package weaviate

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"lacuna/knowledge/engine/weaviate/wire"
)

// fake is a node that a test speaks for. What is nil is answered as an empty cluster would.
type fake struct {
	wire.UnimplementedWeaviateServer
	search func(context.Context, *wire.SearchRequest) (*wire.SearchReply, error)
	batch  func(context.Context, *wire.BatchObjectsRequest) (*wire.BatchObjectsReply, error)
	rest   http.HandlerFunc

	address Address
	mu      sync.Mutex
	keys    map[string]int // how often each came, by gRPC and REST
}

func (f *fake) Search(ctx context.Context, r *wire.SearchRequest) (*wire.SearchReply, error) {
	f.saw(metadata.ValueFromIncomingContext(ctx, "authorization"))
	if f.search == nil {
		return &wire.SearchReply{}, nil
	}
	return f.search(ctx, r)
}

func (f *fake) BatchObjects(ctx context.Context, r *wire.BatchObjectsRequest) (*wire.BatchObjectsReply, error) {
	f.saw(metadata.ValueFromIncomingContext(ctx, "authorization"))
	if f.batch == nil {
		return &wire.BatchObjectsReply{}, nil
	}
	return f.batch(ctx, r)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.saw(r.Header.Values("Authorization"))
	switch {
	case f.rest != nil:
		f.rest(w, r)
	case strings.HasPrefix(r.URL.Path, "/v1/nodes"):
		w.Write([]byte(`{"nodes":[{"name":"node1","status":"HEALTHY","version":"1.35.2"}]}`))
	default:
		w.Write([]byte(`{}`))
	}
}

func (f *fake) saw(headers []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys[strings.Join(headers, "|")]++
}

// serve starts a node on loopback, with TLS if there is a certificate.
func serve(t *testing.T, f *fake, certificates ...tls.Certificate) *fake {
	t.Helper()
	f.keys = make(map[string]int)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	options := []grpc.ServerOption{grpc.MaxSendMsgSize(1 << 30), grpc.MaxRecvMsgSize(1 << 30)}
	web := httptest.NewUnstartedServer(f)
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	if len(certificates) > 0 {
		web.TLS = &tls.Config{Certificates: certificates}
		web.StartTLS()
		options = append(options, grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: certificates})))
	} else {
		web.Start()
	}
	s := grpc.NewServer(options...)
	wire.RegisterWeaviateServer(s, f)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	t.Cleanup(web.Close)
	f.address = Address{l.Addr().String(), web.Listener.Addr().String()}
	return f
}

// short are deadlines for what never answers.
var short = deadlines{search: 100 * time.Millisecond, schema: 100 * time.Millisecond, batch: 200 * time.Millisecond, hedge: 20 * time.Millisecond}

// long are deadlines that nothing in these tests reaches.
var long = deadlines{search: time.Minute, schema: time.Minute, batch: time.Minute, hedge: 20 * time.Second}

// reach returns the cluster of fakes, which begins with the first.
func reach(t *testing.T, d deadlines, fakes ...*fake) *Cluster {
	t.Helper()
	o := Options{APIKey: testKey}
	for _, f := range fakes {
		o.Nodes = append(o.Nodes, f.address)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.patient = d
	c.first.Store(0)
	return c
}

const testKey = "k7-Qm2vXw9-this-is-no-key"

// forever waits until the caller gives up.
func forever(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}
