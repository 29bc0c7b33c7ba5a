package cli

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/txtar"
)

// commandsThatAnswer holds all that might want a model.
var commandsThatAnswer = []string{
	"index", "search metformin", "ask When is metformin avoided?", "answer note.md", "check note.md", "gaps",
	"sources", "systems", "config", "consent", "audit", "doctor", "version", "eval gaps --queries queries.tsv",
}

// TestNothingIsDialled runs every command that answers anything, first with no endpoint, then with
// endpoints elsewhere that are not allowed, then with endpoints on this machine while offline.
// Nothing may be looked up, dialled or accepted.
func TestNothingIsDialled(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "answer.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)

	var attempts atomic.Int32
	resolver := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		attempts.Add(1)
		return nil, errors.New("no network here")
	}}
	t.Cleanup(func() { net.DefaultResolver = resolver })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("cannot listen here:", err)
	}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			attempts.Add(1)
			conn.Close()
		}
	}()
	here := "http://" + listener.Addr().String()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, here)
	}

	runAll := func(t *testing.T, flags, shown string) {
		for _, typed := range commandsThatAnswer {
			if _, stderr, code := runTyped(t, typed+flags); code == exitFailed {
				t.Errorf("lacuna %s failed: %s", typed, stderr)
			}
		}
		if n := attempts.Load(); n > 0 {
			t.Errorf("%d connections were attempted", n)
		}
		if config, _, _ := runTyped(t, "config"+flags); !strings.Contains(config, shown) {
			t.Errorf("%q is not in force, so the test shows nothing", shown)
		}
	}
	t.Run("no endpoint", func(t *testing.T) { runAll(t, "", "workspace") })
	t.Run("endpoints elsewhere that nobody allowed", func(t *testing.T) {
		setEndpoints(t, "http://models.example:8443")
		runAll(t, "", "models.example")
	})
	t.Run("endpoints here while offline", func(t *testing.T) {
		setEndpoints(t, here)
		runAll(t, " --offline", here)
	})
	listener.Close()
	<-accepting
	if n := attempts.Load(); n > 0 {
		t.Errorf("%d connections were made", n)
	}
}

// setEndpoints puts all endpoints that the environment can name at one address.
func setEndpoints(t *testing.T, address string) {
	for _, name := range []string{"MODEL", "EMBEDDING", "RERANK", "ENTAILMENT"} {
		t.Setenv("LACUNA_"+name+"_BASE_URL", address)
	}
	for _, name := range []string{"LACUNA_MODEL", "LACUNA_EMBEDDING_MODEL", "LACUNA_RERANK_MODEL"} {
		t.Setenv(name, "m")
	}
}
