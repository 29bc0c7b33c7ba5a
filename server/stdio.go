package server

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

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
