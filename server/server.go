// Package server is the language server: it owns the process, the wire and time. What is asked
// over the wire is answered by package handlers; what the user's sources say, by a [Workspace].
//
// Begin with [Serve]. The session it runs keeps the open notes, judges their questions in the
// background when the user pauses, and runs commands. Three rules hold everywhere: nothing on the
// reading goroutine waits, a request works on the snapshot captured when it arrived, and nothing
// a client or a file contains ends the session.
package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/server/dispatch"
	"lacuna/server/stream"
)

// Workspace is an opened folder with its settings and its index.
type Workspace interface {
	Root() string
	Settings() settings.Settings
	// UserFile is the settings file of the user's own, whether it is there or not; "" for none.
	UserFile() string
	// Problems are what was wrong with the settings, each a line that names file and key.
	Problems() []settings.Problem
	Sources() []ingest.Source
	IndexDir() string
	// Library returns the newest snapshot; it stays usable after Close.
	Library() *knowledge.Library
	// Refresh brings the index up to date with the sources. It may take long and honours ctx.
	Refresh(ctx context.Context, report func(knowledge.Event)) error
	// Intact reports whether the files of the index are as they were written, as far as can be told
	// quickly; if not, it is time for a refresh.
	Intact() bool
	// Check compares every byte of the index with its checksums; what differs is the error, and the
	// index is not intact then. It takes long and honours ctx.
	Check(ctx context.Context) error
	Subscribe(f func(*knowledge.Library)) (cancel func())
	// Strategy returns an answering system; the empty name is the one the settings choose.
	Strategy(way answer.Request) (answer.Strategy, error)
	// Models says which models may be asked. It reads nothing and must be quick.
	Models() handlers.Models
	// Preview returns what answering in that way would send to other machines first; it sends
	// nothing to them.
	Preview(ctx context.Context, library *knowledge.Library, q answer.Question, way answer.Request) ([]llm.Outbound, error)
	// Forget takes back that text may be sent to a host; "" means all hosts.
	Forget(ctx context.Context, host string) error
	// History is what the user made of answers.
	History() *history.Store
	Close() error
}

// OpenRequest says which workspace to open and what the editor set. The settings are layers,
// weakest first, as the client wrote them.
type OpenRequest struct {
	Folder string // absolute; empty when the editor has no folder open
	Editor []json.RawMessage
	// Consent asks the user whether this may be sent to another machine. It takes as long as a
	// person does, ends with ctx, and refuses when ctx is not that of a command the user started.
	// An error says why nobody was asked.
	Consent func(ctx context.Context, out llm.Outbound) (send bool, err error)
}

// Options configure a server.
type Options struct {
	Version string
	Log     *slog.Logger // nil discards
	// Home returns the workspace that the files of a folder belong to, so that a note in a
	// workspace below the folder that the editor has open is answered from its own sources. It is
	// called when a note is opened and must be quick; nil finds none.
	Home func(dir string) (folder string, found bool)
	// Open opens a workspace; it neither reads sources nor builds anything.
	Open func(ctx context.Context, r OpenRequest) (Workspace, error)
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
	s.closeBases()
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
