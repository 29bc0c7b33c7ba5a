//go:build weaviate && linux

package cluster

import (
	"net"
	"sync"
	"testing"
)

// Line is a way to a node that can be cut.
type Line struct {
	mu    sync.Mutex
	left  int64                 // bytes until it is cut; guarded by mu
	conns map[net.Conn]struct{} // guarded by mu
}

// uncut is how many bytes a line carries before somebody cuts it.
const uncut = 1 << 60

// Line opens a way to a node, for both of its ports.
func (c *Cluster) Line(i int) (*Line, Address) {
	l := &Line{left: uncut, conns: make(map[net.Conn]struct{})}
	at := c.Address(i)
	return l, Address{GRPC: l.open(c.t, at.GRPC), REST: l.open(c.t, at.REST)}
}

// Cut cuts the line when it has carried some more bytes: then all connections break, and none is made.
func (l *Line) Cut(after int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = after
}

// Mend ends a [Line.Cut].
func (l *Line) Mend() { l.Cut(uncut) }

// WasCut reports whether a cut has come into effect.
func (l *Line) WasCut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left <= 0
}

func (l *Line) open(t testing.TB, to string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close(); l.Cut(0); l.carry(1) })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil || !l.carry(0) {
				near.Close()
				if err == nil {
					far.Close()
				}
				continue
			}
			l.mu.Lock()
			l.conns[near], l.conns[far] = struct{}{}, struct{}{}
			l.mu.Unlock()
			go l.copy(near, far)
			go l.copy(far, near)
		}
	}()
	return listener.Addr().String()
}

func (l *Line) copy(to, from net.Conn) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if err != nil || !l.carry(int64(n)) {
			break
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			break
		}
	}
	to.Close()
	from.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, to)
	delete(l.conns, from)
}

// carry counts bytes and reports whether they arrive. What comes when the line is cut breaks all connections.
func (l *Line) carry(bytes int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left -= bytes; l.left > 0 {
		return true
	}
	for conn := range l.conns {
		if tcp, is := conn.(*net.TCPConn); is {
			_ = tcp.SetLinger(0) // as a cable that is pulled: what was under way is lost
		}
		conn.Close()
	}
	return false
}
