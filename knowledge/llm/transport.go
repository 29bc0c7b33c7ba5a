package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	dialTimeout    = 10 * time.Second
	idleTimeout    = 90 * time.Second
	maxHeaderBytes = 64 << 10
	maxRedirects   = 3
)

// hostGuard lets requests through to one host only. It stands below everything else, so neither a
// redirect nor a bug above can send text or a key elsewhere.
type hostGuard struct {
	scheme, host string // required of all requests; the host includes its port
	next         http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (g *hostGuard) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.allows(r.URL) {
		if r.Body != nil {
			_ = r.Body.Close() // nothing of it was read
		}
		return nil, &strayError{to: r.URL}
	}
	return g.next.RoundTrip(r)
}

func (g *hostGuard) allows(to *url.URL) bool {
	return to.Scheme == g.scheme && hostOf(to.String()) == g.host
}

// follow follows a redirect that stays on the host and repeats the request unchanged.
func (g *hostGuard) follow(r *http.Request, via []*http.Request) error {
	if !g.allows(r.URL) || r.Method != via[0].Method || len(via) > maxRedirects {
		return &strayError{to: r.URL}
	}
	return nil
}

// guardedClient returns the HTTP client for an address.
func guardedClient(base *url.URL, next http.RoundTripper) *http.Client {
	g := &hostGuard{scheme: base.Scheme, host: hostOf(base.String()), next: next}
	return &http.Client{Transport: g, CheckRedirect: g.follow}
}

// strayError is a request that would have left the host.
type strayError struct{ to *url.URL }

func (e *strayError) Error() string {
	return fmt.Sprintf("the address redirects to %s://%s%s, which is not followed", e.to.Scheme, e.to.Host, e.to.EscapedPath())
}

// dial connects. A name that counts as this machine must resolve to this machine.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	name, _, err := net.SplitHostPort(address)
	if err != nil || !OnThisMachine(name) {
		return conn, err
	}
	if tcp, is := conn.RemoteAddr().(*net.TCPAddr); is && tcp.IP.IsLoopback() {
		return conn, nil
	}
	return nil, errors.Join(fmt.Errorf("%s is not this machine", name), conn.Close())
}

// slots bounds the concurrent calls to a host. Waiting calls enter in order of arrival, because a
// channel serves its waiters so.
type slots chan struct{}

// acquire waits for a slot, or returns the error of ctx.
func (p slots) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release returns a slot.
func (p slots) release() { <-p }
