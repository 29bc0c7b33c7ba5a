package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"lacuna/knowledge/plaintext"
)

// MaxTime bounds the time for reading one file.
const MaxTime = 30 * time.Second

// Limits of the child process.
const (
	maxMemory = 1 << 30   // bytes
	maxReply  = 160 << 20 // of JSON
)

// childVariable is the environment variable that makes a process a child; it holds the time limit.
const childVariable = "LACUNA_READS_PDF"

// program is the path of the running program once [Child] was called, and "" before.
var program string

// Exit codes that tell the parent what went wrong.
const (
	exitFailure = iota + 3
	exitTimeout
	exitMemory
)

// init does the work of a child that [Read] started and ends the process. Go initialises packages in
// the order of their paths once their imports are ready, so this runs before most of the program,
// whose own initialisation takes longer than reading most files. Of this program, the package may import
// plaintext only: with what passage and sanitise compile at their start, reading took half as long again.
func init() {
	limit, err := time.ParseDuration(os.Getenv(childVariable))
	if err != nil {
		return
	}
	go watch(limit)
	out, exit := readInChild(os.Stdin)
	_, _ = os.Stdout.Write(out)
	os.Exit(exit)
}

// Child allows [Read] to start the running program as its child. Call it first in main, and in
// TestMain of tests that read PDFs.
func Child() {
	if name, err := os.Executable(); err == nil {
		program = name
	}
}

// readInChild reads a file and returns its document as JSON, or an error message and the exit code.
func readInChild(in io.Reader) (out []byte, exit int) {
	defer func() {
		if p := recover(); p != nil {
			out, exit = fmt.Append(nil, p), exitFailure
		}
	}()
	content, err := io.ReadAll(in)
	if err != nil {
		return []byte(err.Error()), exitFailure
	}
	document, err := parse(content)
	if err != nil {
		return []byte(err.Error()), exitFailure
	}
	if out, err = json.Marshal(document); err != nil {
		return []byte(err.Error()), exitFailure
	}
	return out, 0
}

// watch ends the process if it exceeds its time or memory, even if its parent is gone.
func watch(limit time.Duration) {
	var memory runtime.MemStats // runtime/metrics would be initialised after most of the program
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		runtime.ReadMemStats(&memory)
		switch {
		case memory.Sys > maxMemory:
			os.Exit(exitMemory)
		case time.Since(begun) > limit:
			os.Exit(exitTimeout)
		}
	}
}

// TimeoutError says that reading a file took more than After.
type TimeoutError struct{ After time.Duration }

func (e TimeoutError) Error() string { return fmt.Sprintf("%s%s", timeoutPrefix, e.After) }

const timeoutPrefix = "reading it takes more than "

// LostTime returns the time that a [TimeoutError] with this message took, or 0 for other messages.
func LostTime(message string) time.Duration {
	rest, ok := strings.CutPrefix(message, timeoutPrefix)
	rest, _, _ = strings.Cut(rest, ";")
	if lost, err := time.ParseDuration(rest); ok && err == nil {
		return lost
	}
	return 0
}

// Read reads a file's content in a child process. If that takes longer than limit, it returns a
// [TimeoutError]; if ctx ends, it returns ctx.Err(). Other errors tell the user what is wrong with the
// file. Read is safe for concurrent use.
func Read(ctx context.Context, content []byte, limit time.Duration) (Document, error) {
	if program == "" {
		return Document{}, errors.New("this program cannot read PDF files")
	}
	limited, cancel := context.WithTimeout(ctx, limit+5*time.Second)
	defer cancel()
	child := exec.CommandContext(limited, program)
	limit = limit.Truncate(100 * time.Millisecond)
	// Collect garbage rarely: little is freed before the child ends.
	child.Env = []string{childVariable + "=" + limit.String(), "GOGC=400", fmt.Sprint("GOMEMLIMIT=", maxMemory/2)}
	if runtime.GOOS == "windows" {
		child.Env = append(child.Env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	}
	if race := os.Getenv("GORACE"); race != "" { // how long a child that the race detector watches sleeps when it ends
		child.Env = append(child.Env, "GORACE="+race)
	}
	child.Stdin = bytes.NewReader(content)
	var out limitedBuffer
	child.Stdout = &out
	err := child.Run()
	if ctx.Err() != nil {
		return Document{}, ctx.Err()
	}
	if err != nil {
		return Document{}, explainExit(child.ProcessState, out.all.String(), err, limit)
	}
	var document Document
	if err := json.Unmarshal(out.all.Bytes(), &document); err != nil {
		return Document{}, errors.New("the PDF reader failed")
	}
	return document, nil
}

// explainExit returns the reason why a child returned no document.
func explainExit(ended *os.ProcessState, said string, err error, limit time.Duration) error {
	if ended == nil {
		return fmt.Errorf("the PDF reader did not start: %w", err)
	}
	switch ended.ExitCode() {
	case exitTimeout:
		return TimeoutError{limit}
	case exitMemory:
		return errors.New("reading it takes more than 1 GiB of memory")
	case exitFailure:
		for _, known := range []error{ErrEncrypted, ErrNoText, ErrNoMap} {
			if said == known.Error() {
				return known
			}
		}
		return errors.New(oneLine(said))
	}
	return errors.New("the PDF reader failed")
}

func oneLine(s string) string {
	s = plaintext.OneLine(s)
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

// limitedBuffer collects the output of a child up to maxReply bytes. It does not embed its buffer, whose
// ReadFrom io.Copy would call instead of Write.
type limitedBuffer struct{ all bytes.Buffer }

func (c *limitedBuffer) Write(p []byte) (int, error) {
	if c.all.Len()+len(p) > maxReply {
		return 0, errors.New("the reply is too long")
	}
	return c.all.Write(p)
}
