// Package web keeps publications behind a web server, as a place of package share: any server that hands out files will do
// for mirroring, one that takes PUT for publishing. It connects to the one host of its address, and only when its methods are
// called.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"lacuna/knowledge/share"
)

// How long a server may take: to begin its reply, and for all of it.
const (
	headerTime  = 20 * time.Second
	requestTime = 5 * time.Minute
	attempts    = 4
	maxRedirect = 3
)

// pause is the time before the second attempt; it doubles with each.
var pause = 500 * time.Millisecond

// Place is a publication behind a web server. It is safe for concurrent use.
type Place struct {
	base          *url.URL
	authorization string
	client        *http.Client
}

var _ share.Place = (*Place)(nil)

// errStray is a redirect to another host.
var errStray = errors.New("it redirects to another host, which is not followed")

// New returns the place of an address. It must be https, unless it is this machine's. authorization, which may be
// empty, is sent as the header of that name, to that host alone.
func New(address, authorization string) (*Place, error) {
	base, err := url.Parse(strings.TrimRight(address, "/") + "/")
	switch {
	case err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("%q is no address such as https://share.example.org/guidelines", address)
	case base.Scheme == "https", base.Scheme == "http" && loopback(base.Hostname()):
	default:
		return nil, fmt.Errorf("%q: only https, so that nobody on the way sees what you read; take an https address", address)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // as for models: no variable of the environment redirects what is asked
	transport.ResponseHeaderTimeout = headerTime
	transport.MaxIdleConnsPerHost = 16
	p := &Place{base: base, authorization: authorization}
	p.client = &http.Client{Transport: transport, Timeout: requestTime, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != base.Scheme || r.URL.Host != base.Host || len(via) > maxRedirect {
			return errStray
		}
		return nil
	}}
	return p, nil
}

// Is reports whether a text is the address of a web server rather than a folder.
func Is(place string) bool {
	return strings.HasPrefix(place, "https://") || strings.HasPrefix(place, "http://")
}

func loopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

func (p *Place) String() string { return strings.TrimSuffix(p.base.String(), "/") }

// Host is the host it connects to.
func (p *Place) Host() string { return p.base.Host }

// Close closes connections that are idle.
func (p *Place) Close() { p.client.CloseIdleConnections() }

// Get implements [share.Place].
func (p *Place) Get(ctx context.Context, name string, most int64) (content []byte, err error) {
	err = p.try(ctx, http.MethodGet, name, nil, func(r *http.Response) error {
		if content, err = io.ReadAll(io.LimitReader(r.Body, most+1)); err != nil {
			return again{err}
		}
		if int64(len(content)) > most {
			return fmt.Errorf("%s: %w", name, share.ErrAltered)
		}
		return nil
	})
	return content, err
}

// Has implements [share.Place].
func (p *Place) Has(ctx context.Context, name string) (bool, error) {
	err := p.try(ctx, http.MethodHead, name, nil, func(*http.Response) error { return nil })
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Put implements [share.Place].
func (p *Place) Put(ctx context.Context, name string, content []byte) error {
	err := p.try(ctx, http.MethodPut, name, content, func(*http.Response) error { return nil })
	if refused := new(status); errors.As(err, refused) && (*refused == http.StatusMethodNotAllowed || *refused == http.StatusNotImplemented) {
		return fmt.Errorf("%s takes no files (PUT): publish into a folder, and copy that to the server, the file %q last: %w", p, "head", err)
	}
	return err
}

// again marks what may go well the next time.
type again struct{ error }

func (a again) Unwrap() error { return a.error }

// status is what a server replied instead of what was asked.
type status int

func (s status) Error() string {
	return fmt.Sprintf("the server replied %d %s", int(s), http.StatusText(int(s)))
}

// try makes a request until it goes well, at most four times.
func (p *Place) try(ctx context.Context, method, name string, body []byte, use func(*http.Response) error) error {
	wait := pause
	for attempt := 1; ; attempt++ {
		err := p.once(ctx, method, name, body, use)
		if err == nil || attempt == attempts || !errors.As(err, new(again)) || ctx.Err() != nil {
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%s: %w", p, err)
			}
			return err
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *Place) once(ctx context.Context, method, name string, body []byte, use func(*http.Response) error) error {
	r, err := http.NewRequestWithContext(ctx, method, p.base.JoinPath(name).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("User-Agent", "lacuna")
	r.Header.Set("Accept-Encoding", "identity") // pieces are compressed already
	if p.authorization != "" {
		r.Header.Set("Authorization", p.authorization)
	}
	reply, err := p.client.Do(r)
	if errors.Is(err, errStray) {
		return errStray
	}
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // without the name of the piece, which says nothing
		}
		return again{err}
	}
	defer reply.Body.Close()
	switch code := reply.StatusCode; {
	case code >= 200 && code < 300:
		return use(reply)
	case code == http.StatusNotFound, code == http.StatusGone:
		return fmt.Errorf("%s/%s: %w", p, name, fs.ErrNotExist)
	case code == http.StatusTooManyRequests, code >= 500 && code != http.StatusNotImplemented:
		return again{status(code)}
	default:
		return status(code)
	}
}
