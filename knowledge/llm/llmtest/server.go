// Package llmtest is test support and no part of the product: a model server that says what a script
// tells it to say. It speaks real HTTP on this machine: chat completions in one piece and as server-sent
// events, embeddings, and reranking in both shapes in use. It can fail in every way that such servers do.
//
// Begin with [New] and [Obliging], break something with [Break], and look at [Server.Calls]. [Strict]
// adds the chat template of a family of models ([Templates]) and the words in which a server passes on
// what it refuses ([Manners]); [Strangers] are models that answer in forms they were not asked for.
package llmtest

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// maxBody bounds the bytes read of a request.
const maxBody = 64 << 20

// Server is a running model server. It is safe for concurrent use.
type Server struct {
	http   *httptest.Server
	closed chan struct{} // ends the replies that never end by themselves

	mu       sync.Mutex
	script   Script                      // guarded by mu
	calls    []*Call                     // in order of arrival; guarded by mu
	inFlight int                         // guarded by mu
	conns    map[net.Conn]http.ConnState // open ones; guarded by mu
}

// New starts a server that lives as long as the test.
func New(t testing.TB, script Script) *Server {
	t.Helper()
	s := Start(nil, script)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server on a listener, or on a free port of this machine if it is nil. The caller must
// call Close.
func Start(at net.Listener, script Script) *Server {
	s := &Server{script: script, closed: make(chan struct{}), conns: map[net.Conn]http.ConnState{}}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	if at != nil {
		_ = s.http.Listener.Close() // no client knows its port yet
		s.http.Listener = at
	}
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // broken connections are what it is for
	s.http.Config.ConnState = s.connected
	s.http.Start()
	return s
}

// Close ends all replies and connections. It may be called twice.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL returns the base address with its version, such as http://127.0.0.1:41234/v1.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Root returns the base address without a version.
func (s *Server) Root() string { return s.http.URL }

// Host returns host and port.
func (s *Server) Host() string { return s.http.Listener.Addr().String() }

// Script replaces the script from the next call on.
func (s *Server) Script(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
}

// Calls returns the calls so far, in order of arrival. Fields about the end of a running call are zero.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := make([]Call, len(s.calls))
	for i, c := range s.calls {
		calls[i] = *c
	}
	return calls
}

// Templates returns the template names of all chat calls so far, in order of arrival.
func (s *Server) Templates() []string {
	var names []string
	for _, c := range s.Calls() {
		if c.Kind == Chat {
			names = append(names, c.Template)
		}
	}
	return names
}

// Forget drops all calls from the list, running ones included.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}

// InFlight returns the number of calls being answered now.
func (s *Server) InFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inFlight
}

// Conns returns the number of open connections, and how many of them carry a call.
func (s *Server) Conns() (open, active int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range s.conns {
		if state == http.StateActive {
			active++
		}
	}
	return len(s.conns), active
}

func (s *Server) connected(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(s.conns, conn)
		return
	}
	s.conns[conn] = state
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client went away while it was asking
	}
	call, script := s.begin(r, body)
	out := &writer{ResponseWriter: w, gone: r.Context().Done(), closed: s.closed}
	defer func() {
		s.end(call, r.Context().Err() != nil || out.broken)
	}()
	if call.Kind == Unknown {
		http.Error(w, `{"error":{"message":"no such path: `+r.URL.Path+`"}}`, http.StatusNotFound)
		return
	}
	out.reply(*call, script(*call))
}

// begin records a call that has arrived.
func (s *Server) begin(r *http.Request, body []byte) (*Call, Script) {
	call := read(r, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	call.N = len(s.calls)
	s.inFlight++
	call.InFlight = s.inFlight
	s.calls = append(s.calls, call)
	return call, s.script
}

// end records how a call ended.
func (s *Server) end(call *Call, gone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	call.Gone = gone
}
