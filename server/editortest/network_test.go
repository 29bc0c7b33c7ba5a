package editortest_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
)

// TestNoConnection does the whole main job in a process whose dialer fails and counts. Together
// with the layering test at the root, by which no package of ours imports net or net/http, it
// says that without an endpoint nothing leaves the machine.
func TestNoConnection(t *testing.T) {
	var attempts atomic.Int64
	refuse := func(context.Context, string, string) (net.Conn, error) {
		attempts.Add(1)
		return nil, errors.New("no network in this test")
	}
	transport, resolver := http.DefaultTransport, net.DefaultResolver
	t.Cleanup(func() { http.DefaultTransport, net.DefaultResolver = transport, resolver })
	http.DefaultTransport = &http.Transport{DialContext: refuse, Proxy: func(*http.Request) (*url.URL, error) {
		attempts.Add(1)
		return nil, errors.New("no proxy in this test")
	}}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: refuse}

	if response, err := http.Get("http://an.example/"); err == nil || attempts.Swap(0) == 0 {
		t.Fatalf("the hooks do not see a request: %v", response)
	}
	runFile(t, "testdata/main-job.txt")
	if n := attempts.Load(); n != 0 {
		t.Errorf("%d attempts to connect", n)
	}
}
