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
	"io"
	"log/slog"
	"time"

	"lacuna/server/dispatch"
	"lacuna/server/folders"
	"lacuna/server/stream"
)

// Options configure a server.
type Options struct {
	Version string
	Log     *slog.Logger                                                                // nil discards
	Home    func(dir string) (folder string, found bool)                                // see [folders.Options]
	Open    func(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) // see [folders.Options]
}

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
