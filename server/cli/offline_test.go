package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestNothingIsDialled runs every command that answers anything, first with no endpoint and then
// with endpoints and a proxy that listen and count. Nothing may be looked up, dialled or accepted.
func TestNothingIsDialled(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "answer.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)

	var attempts atomic.Int32
	dial := func(context.Context, string, string) (net.Conn, error) {
		attempts.Add(1)
		return nil, errors.New("no network here")
	}
	resolver, transport := net.DefaultResolver, http.DefaultTransport
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dial}
	http.DefaultTransport = &http.Transport{DialContext: dial}
	t.Cleanup(func() { net.DefaultResolver, http.DefaultTransport = resolver, transport })

	runAll := func(t *testing.T) {
		for _, typed := range []string{
			"index", "search metformin", "ask When is metformin avoided?", "answer note.md", "check note.md",
			"sources", "config", "doctor", "version", "eval gaps --queries queries.tsv",
		} {
			if _, stderr, code := runTyped(t, typed); code == exitFailed {
				t.Errorf("lacuna %s failed: %s", typed, stderr)
			}
		}
		if n := attempts.Load(); n > 0 {
			t.Errorf("%d connections were attempted", n)
		}
	}
	t.Run("no endpoint", runAll)
	t.Run("endpoints", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Skip("cannot listen here:", err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				attempts.Add(1)
				conn.Close()
			}
		}()
		address := "http://" + listener.Addr().String()
		for _, v := range variables {
			t.Setenv(v, address)
		}
		runAll(t)
		listener.Close()
		<-done
		if n := attempts.Load(); n > 0 {
			t.Errorf("%d connections were made", n)
		}
		shown, _, _ := runTyped(t, "config")
		if !strings.Contains(shown, address) {
			t.Error("the endpoints were not taken from the environment, so the test shows nothing")
		}
	})
}

// variables are those by which an endpoint or a proxy can be set.
var variables = []string{
	"LACUNA_MODEL_BASE_URL", "LACUNA_EMBEDDING_BASE_URL", "LACUNA_RERANK_BASE_URL",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
}
