package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"lacuna/knowledge/llm"
	"lacuna/vecmath/regular"
)

// Recorder writes calls to a file. It implements [llm.Tape] and is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex
	file    *os.File                // guarded by mu
	counts  map[string]int          // of equal calls, by question and content; guarded by mu
	lines   map[*llm.Exchange]*Line // of running calls; guarded by mu
	began   time.Time
	program string
	digests map[string]bool // recorded; guarded by mu
	calls   int             // recorded; guarded by mu
	err     error           // the first failed write; guarded by mu
}

// Create opens a file for recording, readable by the user alone. If it has a recording, the calls are
// appended; a file with anything else is an error, and so is one for gzip, which cannot be appended to.
// program is the version of the program.
func Create(path, program string) (*Recorder, error) {
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		return nil, fmt.Errorf("%s: a recording is written as plain lines; compress it afterwards", path)
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: not a regular file", path)
		}
		if info.Size() > 0 {
			if err := check(path); err != nil {
				return nil, err
			}
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	r := &Recorder{file: file, began: time.Now().UTC(), program: program, counts: map[string]int{}, digests: map[string]bool{}, lines: map[*llm.Exchange]*Line{}}
	if err := errors.Join(file.Chmod(0o600), r.endLine()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// check returns an error unless a file begins like a recording.
func check(path string) error {
	file, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, len(beginning))
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !strings.HasPrefix(beginning, string(head[:n])) {
		return fmt.Errorf("%s: holds something else than a recording; name another file", path)
	}
	return nil
}

// beginning begins a recording.
const beginning = `{"recording":`

// endLine ends a line that an earlier program left unfinished.
func (r *Recorder) endLine() error {
	info, err := r.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := r.file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = r.file.WriteString("\n")
	return err
}

// Begin writes the first line of a run, or of a part of it with other settings.
func (r *Recorder) Begin(run Run) {
	run.Format, run.Program = format, r.program
	run.Time, run.Session = time.Now().UTC(), r.began.Format(time.RFC3339Nano)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(run)
}

// Remark records a remark about a question, such as how long its answer took. [Player.Remark] returns it.
func (r *Recorder) Remark(question string, remark any) {
	text, err := json.Marshal(remark)
	if err != nil {
		text = []byte("null")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(Line{Question: question, Remark: text})
}

// Searched records a hash of the passages that are searched.
func (r *Recorder) Searched(digest string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.digests[digest] {
		return
	}
	r.digests[digest] = true
	r.write(Line{Digest: digest})
}

// Before implements [llm.Tape].
func (r *Recorder) Before(x *llm.Exchange) bool {
	l := lineOf(x)
	key := l.Question + "\n" + l.content()
	r.mu.Lock()
	defer r.mu.Unlock()
	l.N = r.counts[key]
	r.counts[key]++
	r.lines[x] = l
	return false
}

// After implements [llm.Tape].
func (r *Recorder) After(x *llm.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[x]
	delete(r.lines, x)
	if l == nil || x.Stage == llm.WindowStage && x.Excess == 0 {
		return // that a prompt fits is what a replay takes for granted
	}
	l.finish(x)
	if x.Stage != llm.WindowStage {
		r.calls++
	}
	r.write(l)
}

// write appends a line. It requires mu.
func (r *Recorder) write(value any) {
	if r.err != nil {
		return
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if r.err = encoder.Encode(value); r.err == nil {
		_, r.err = r.file.Write(text.Bytes())
	}
}

// Calls returns how many calls have been recorded.
func (r *Recorder) Calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

// Close ends the recording. The error says that it is not complete.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := errors.Join(r.err, r.file.Sync(), r.file.Close())
	name := r.file.Name()
	r.file = nil
	if err != nil {
		return fmt.Errorf("the recording %s is not complete: %w", name, err)
	}
	return nil
}
