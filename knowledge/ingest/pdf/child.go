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

// MaxTime limits the time for reading one file.
const MaxTime = 30 * time.Second

// Limits of the child that reads one file.
const (
	maxMemory = 1 << 30   // bytes
	maxReply  = 160 << 20 // of JSON
)

// childVariable in the environment of a child says how long it may take.
const childVariable = "LACUNA_READS_PDF"

// program is the running program, once [Child] has confirmed that it can be its own child.
var program string

// Exit codes of a child by which its parent tells what went wrong.
const (
	exitFailure = iota + 3
	exitTimeout
	exitMemory
)

// init does the work of a child that [Read] started and ends the process. Go initialises packages whose
// imports are ready in the order of their paths, so this runs before most of the program, whose own
// initialisation takes longer than reading most files does.
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

// Child confirms that the running program can be its own child. It must be called first in main, and in
// TestMain of tests that read PDFs.
func Child() {
	if name, err := os.Executable(); err == nil {
		program = name
	}
}

// answer reads a file and returns the reply for the parent.
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

// watch ends the process if it takes too long or too much memory, even if its parent is gone.
func watch(limit time.Duration) {
	var memory runtime.MemStats // package runtime/metrics would be initialised later than most of the program
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

// TimeoutError says that reading a file was given up.
type TimeoutError struct{ After time.Duration }

func (e TimeoutError) Error() string { return fmt.Sprintf("%s%s", timeoutPrefix, e.After) }

const timeoutPrefix = "reading it takes more than "

// LostTime returns how long was spent on a file that was given up, by its error message; 0 if it was not.
func LostTime(message string) time.Duration {
	rest, ok := strings.CutPrefix(message, timeoutPrefix)
	rest, _, _ = strings.Cut(rest, ";")
	if lost, err := time.ParseDuration(rest); ok && err == nil {
		return lost
	}
	return 0
}

// Read takes the text from a file's content in a child process, which it gives up after longest with a
// [TimeoutError]. Errors tell the user what is wrong with the file; if ctx ends, its error is returned.
// Read is safe for concurrent use.
func Read(ctx context.Context, content []byte, limit time.Duration) (Document, error) {
	if program == "" {
		return Document{}, errors.New("this program cannot read PDF files")
	}
	limited, cancel := context.WithTimeout(ctx, limit+5*time.Second)
	defer cancel()
	child := exec.CommandContext(limited, program)
	limit = limit.Truncate(100 * time.Millisecond)
	// The runtime collects late, because little becomes garbage before the child ends.
	child.Env = []string{childVariable + "=" + limit.String(), "GOGC=400", fmt.Sprint("GOMEMLIMIT=", maxMemory/2)}
	if runtime.GOOS == "windows" {
		child.Env = append(child.Env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	}
	child.Stdin = bytes.NewReader(content)
	var out limitedBuffer
	child.Stdout = &out
	err := child.Run()
	if ctx.Err() != nil {
		return Document{}, ctx.Err()
	}
	if err != nil {
		return Document{}, explainExit(child.ProcessState, out.String(), err, limit)
	}
	var document Document
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		return Document{}, errors.New("the PDF reader failed")
	}
	return document, nil
}

// fault explains why a child returned no text.
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
		for _, known := range []error{ErrEncrypted, ErrNoText} {
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

// capped collects the output of a child, up to a limit.
type limitedBuffer struct{ bytes.Buffer }

func (c *limitedBuffer) Write(p []byte) (int, error) {
	if c.Len()+len(p) > maxReply {
		return 0, errors.New("the reply is too long")
	}
	return c.Buffer.Write(p)
}
