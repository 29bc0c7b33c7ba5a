package weaviate

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate/wire"
	"lacuna/knowledge/sanitise"
)

const (
	dialTime = 2 * time.Second
	// maxReply bounds a reply by gRPC. 10,000 objects of 6 KB fit; a cluster's own bound is 100 MB unless it is set.
	maxReply = 64 << 20
	// maxText bounds a reply by REST. An object of 1 MB fits, and the nodes of a cluster with 100,000 shards.
	maxText = 32 << 20
)

// errStray is a redirect.
var errStray = errors.New("it redirects, which is not followed")

// New returns the cluster of options. It fails if they are no good and connects to nothing: a cluster that is away is
// found out by the first call.
func New(o Options) (*Cluster, error) {
	if len(o.Nodes) == 0 {
		return nil, errors.New("no address of a cluster")
	}
	sanitise.Secret(o.APIKey)
	c := &Cluster{key: o.APIKey, patient: ordinary}
	for _, address := range o.Nodes {
		n, err := o.connect(address)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.nodes = append(c.nodes, n)
	}
	c.first.Store(rand.Int32N(int32(len(c.nodes)))) // so that the machines of a team do not all begin with the same
	return c, nil
}

// Close implements [engine.Engine].
func (c *Cluster) Close() error {
	var errs []error
	for _, n := range c.nodes {
		n.http.CloseIdleConnections()
		errs = append(errs, n.conn.Close())
	}
	return errors.Join(errs...)
}

// connect prepares the connections to a node.
func (o Options) connect(a Address) (*node, error) {
	for _, address := range []string{a.GRPC, a.REST} {
		host, port, err := net.SplitHostPort(address)
		if err != nil || host == "" || port == "" || strings.ContainsAny(address, "/@ ") {
			return nil, fmt.Errorf("%q is no address such as engine.example.org:50051", address)
		}
		if !o.TLS && !loopback(host) {
			return nil, fmt.Errorf("%s: TLS is required, so that nobody on the way sees what you ask", address)
		}
	}
	secure := &tls.Config{RootCAs: o.CA, MinVersion: tls.VersionTLS12}
	transport := &http.Transport{
		DialContext:           o.dial("tcp"),
		TLSClientConfig:       secure.Clone(),
		TLSHandshakeTimeout:   dialTime,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       time.Minute,
		ResponseHeaderTimeout: schemaTime,
		Proxy:                 nil, // as for models: no variable of the environment redirects what is asked
	}
	n := &node{address: a, base: "http://" + a.REST + "/v1/", http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errStray },
	}}
	guard := insecure.NewCredentials()
	if o.TLS {
		guard = credentials.NewTLS(secure)
		n.base = "https://" + a.REST + "/v1/"
	}
	dial := o.dial("tcp")
	var err error
	n.conn, err = grpc.NewClient("passthrough:///"+a.GRPC,
		grpc.WithTransportCredentials(guard),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) { return dial(ctx, "tcp", address) }),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithUserAgent("lacuna"),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: .2, MaxDelay: 5 * time.Second},
			MinConnectTimeout: dialTime,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 5 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReply), grpc.MaxCallSendMsgSize(maxReply)),
	)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.GRPC, err)
	}
	n.grpc = wire.NewWeaviateClient(n.conn)
	return n, nil
}

// dial connects. Without TLS what answers must be this machine, whatever a name resolves to.
func (o Options) dial(string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		dialer := net.Dialer{Timeout: dialTime}
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil || o.TLS {
			return conn, err
		}
		if tcp, is := conn.RemoteAddr().(*net.TCPAddr); is && tcp.IP.IsLoopback() {
			return conn, nil
		}
		return nil, errors.Join(fmt.Errorf("%s is not this machine", address), conn.Close())
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// authorized returns ctx with the key, for gRPC.
func (c *Cluster) authorized(ctx context.Context) context.Context {
	if c.key == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.key)
}

// rest makes a request of a node and decodes its reply, unless into is nil. consistency says whose schema is read.
func (c *Cluster) rest(ctx context.Context, n *node, method, path string, body, into any, from reader) error {
	return c.restWithKey(ctx, n, method, path, body, into, from, c.key)
}

// reader says who answers what the schema is.
type reader string

const (
	leader reader = "true"  // what the cluster agreed on; it waits as long as there is no leader
	local  reader = "false" // what this node knows
)

func (c *Cluster) restWithKey(ctx context.Context, n *node, method, path string, body, into any, from reader, key string) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, n.base+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "lacuna")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("consistency", string(from))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	reply, err := n.http.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %s: %s", engine.ErrAway, n.address.REST, cause(err))
	}
	defer reply.Body.Close() // nothing is written
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxText+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s: %s", engine.ErrAway, n.address.REST, cause(err))
	case len(text) > maxText:
		return fmt.Errorf("%w: %s: its reply is larger than %d MB", errBroken, n.address.REST, maxText>>20)
	case reply.StatusCode >= 300:
		return n.status(reply.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %s: %s", errBroken, n.address.REST, cause(err))
	}
	return nil
}
