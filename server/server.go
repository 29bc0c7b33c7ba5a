// Package server is the language server: it owns the process, the wire and time. Package handlers answers
// what is asked over the wire, a [folders.Workspace] what the user's sources say.
//
// Begin with [Serve]. The session it runs is thin: it routes messages to the open notes (package notes) and to
// the folders (package folders), and runs commands. Three rules hold everywhere: the reading goroutine holds
// no lock while it looks at the disk, a request works on the snapshot captured when it arrived, and nothing
// a client or a file contains ends the session.
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/server/dispatch"
	"lacuna/server/editor"
	"lacuna/server/folders"
	"lacuna/server/notes"
	"lacuna/server/stream"
)

// flushTime bounds how long the last replies may take to leave.
const flushTime = time.Second

// Serve talks to one client over rwc until it says exit, its stream ends, its process goes away
// or ctx ends, and returns the exit code of the process: 0 after an orderly shutdown, else 1. It
// may leave a goroutine reading rwc when closing that does not end a read.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) int {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	wire := stream.New(rwc, o.Log)
	s := newSession(dispatch.New(wire, o.Log), o)
	s.conn.Start(s)
	code := s.wait(ctx)
	flushing, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := wire.Flush(flushing); err != nil {
		o.Log.Debug("last messages not sent", "err", err)
	}
	s.conn.Close()
	s.folders.Close(flushTime)
	o.Log.Info("session over", "code", code)
	return code
}

// wait returns the exit code once there is a reason to stop.
func (s *session) wait(ctx context.Context) int {
	select {
	case code := <-s.exit:
		return code
	case <-s.conn.Done():
		s.log.Info("client's stream ended")
		select {
		case code := <-s.exit: // exit came just before the end of the stream
			return code
		default:
		}
	case <-s.orphaned:
		s.log.Info("client's process is gone")
	case <-ctx.Done():
		s.log.Info("asked to stop")
	}
	return s.exitCode()
}

// stdio is the process's own standard input and output as one stream.
type stdio struct{ in, out *os.File }

func (s stdio) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s stdio) Write(p []byte) (int, error) { return s.out.Write(p) }
func (s stdio) Close() error                { return errors.Join(s.in.Close(), s.out.Close()) }

// ServeStdio serves a client on standard input and output and returns the exit code; the caller
// should exit with it, since a read of standard input may never end. From here on the process's
// standard output belongs to the protocol: os.Stdout points at standard error, so that a stray
// print cannot break the stream.
func ServeStdio(ctx context.Context, o Options) int {
	wire := stdio{in: os.Stdin, out: os.Stdout}
	os.Stdout = os.Stderr
	ignoreBrokenPipe() // a write to a client that is gone then fails, and ends the session in order
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Serve(ctx, wire, o)
}

func newSession(conn *dispatch.Dispatcher, o Options) *session {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &session{options: o, log: o.Log, conn: conn, exit: make(chan int, 1), orphaned: make(chan struct{})}
	s.editor = editor.New(conn, o.Log, func() handlers.StatusView { return handlers.ViewStatus(s.overview()) })
	if o.Agent {
		s.editor.Mute()
	}
	s.notes = notes.New(s.editor, o.Log, o.Agent)
	s.folders = folders.New(s.editor, o.Log, s.notes, folders.Options{Home: o.Home, Open: o.Open, Now: o.Now, Agent: o.Agent})
	s.serving, s.stop = context.WithCancel(conn.Context())
	s.trace.Store(lsp.TraceOff)
	return s
}
