package workspace

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/vecmath/regular"
)

const (
	auditFile = "audit.jsonl"
	// auditTime bounds the wait for other processes that write to the same audit, and the writing.
	auditTime = 2 * time.Second
)

// AuditRecord is one line of the audit: a request that was sent. Each holds the hash of the line before
// it, so that a changed, removed or inserted line shows, and that of the last line is kept in another folder, so that
// lost last lines show. Rewriting both files does not show.
type AuditRecord struct {
	Time       time.Time `json:"time"`
	Workspace  string    `json:"workspace"`
	Host       string    `json:"host"`
	Local      bool      `json:"local,omitempty"` // the host is this machine
	Model      string    `json:"model"`
	Role       llm.Role  `json:"role"`
	Stage      string    `json:"stage,omitempty"`
	Status     int       `json:"status"` // of HTTP; 0 when no response came
	Failure    string    `json:"failure,omitempty"`
	Bytes      int       `json:"bytes"` // of the body
	Prompt     int       `json:"prompt_tokens"`
	Completion int       `json:"completion_tokens"`
	Redacted   string    `json:"redacted,omitempty"` // what was replaced, by class
	SHA256     string    `json:"sha256"`             // of the body
	Body       string    `json:"body,omitempty"`     // as it was sent, where the user wants that
	Torn       int       `json:"torn,omitempty"`     // bytes of the line before, where it was cut off while it was written
	Previous   string    `json:"previous"`           // SHA-256 of the line before, without its line feed; empty in the first
}

// audit appends to the file of what was sent. It is safe for concurrent use.
type audit struct {
	file      string
	tail      string // the file that holds the hash of its last line
	workspace string // its name, for people
	bodies    bool
	most      int64 // bytes from which on the file is rotated; 0 means never
	log       *slog.Logger
}

// mostAudit is about thirty thousand requests without their bodies.
const mostAudit = 16 << 20

// parts returns the older files of the audit, the oldest first: what was audit.jsonl until it was full.
func (a *audit) parts() ([]string, error) {
	folder, name := filepath.Split(a.file)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var parts []string
	for _, entry := range entries {
		if base, is := strings.CutPrefix(entry.Name(), strings.TrimSuffix(name, ".jsonl")+"-"); is && len(base) == len("000001.jsonl") && strings.HasSuffix(base, ".jsonl") {
			parts = append(parts, filepath.Join(folder, entry.Name()))
		}
	}
	return parts, nil // in the order of their numbers
}

// rotate begins a new file where the old one is full. A reader that has it open may keep it from that, on Windows; then the next
// request does.
func (a *audit) rotate(ctx context.Context) {
	if info, err := os.Lstat(a.file); a.most == 0 || err != nil || info.Size() < a.most {
		return
	}
	parts, err := a.parts()
	if err == nil {
		next := fmt.Sprintf("%s-%06d.jsonl", strings.TrimSuffix(a.file, ".jsonl"), len(parts)+1)
		err = knowledge.Rotate(ctx, a.file, a.most, next)
	}
	if err != nil {
		a.log.Warn("the audit goes on in a file that is full", "err", err)
	}
}

// lastOfParts returns the last line of the newest older file, nil without one.
func (a *audit) lastOfParts() ([]byte, error) {
	parts, err := a.parts()
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	content, err := regular.ReadFile(parts[len(parts)-1])
	content = bytes.TrimSuffix(content, []byte("\n"))
	return content[bytes.LastIndexByte(content, '\n')+1:], err
}

// turns holds a lock for each audit of this process, by its file. Concurrent calls wait here in order, as long as it takes;
// at the lock between processes, which is tried again and again, a call may wait until its time is over while others
// pass it.
var turns sync.Map

// turn waits until no other call of this process writes to the audit.
func (a *audit) turn() (done func()) {
	lock, _ := turns.LoadOrStore(a.file, make(chan struct{}, 1))
	lock.(chan struct{}) <- struct{}{}
	return func() { <-lock.(chan struct{}) }
}

func (a *audit) record(s llm.Sent) {
	sum := sha256.Sum256(s.Body)
	line := AuditRecord{
		Time: s.Time.UTC(), Workspace: a.workspace, Host: s.Host, Local: s.Local, Model: s.Model, Role: s.Role,
		Stage: s.Stage, Status: s.Status, Bytes: len(s.Body), Prompt: s.Usage.Prompt, Completion: s.Usage.Completion,
		Redacted: s.Details, SHA256: hex.EncodeToString(sum[:]),
	}
	if s.Err != nil {
		line.Failure = failureOf(s.Err)
	}
	if a.bodies {
		line.Body = string(s.Body)
	}
	defer a.turn()()
	ctx, cancel := context.WithTimeout(context.Background(), auditTime)
	defer cancel()
	var written []byte
	err := knowledge.AppendLine(ctx, a.file, func(last []byte) (added []byte, err error) {
		if last == nil { // the file before ends with the line before
			if last, err = a.lastOfParts(); err != nil {
				return nil, err
			}
		}
		line.Torn, line.Previous = 0, chained(last)
		if !json.Valid(last) { // it stays where it is, and this line vouches for it
			line.Torn = len(last)
		}
		written, err = json.Marshal(line)
		return written, err
	})
	if err != nil {
		a.log.Error("a request was sent and is not in the audit", "host", s.Host, "err", err)
		return
	}
	// Another process may write a later line and its hash before this one; then an earlier line stands for the last.
	err = knowledge.UpdateFile(ctx, a.tail, func([]byte) ([]byte, error) { return []byte(chained(written)), nil })
	if err != nil {
		a.log.Warn("lines that are taken off the end of the audit would not be noticed", "err", err)
	}
	a.rotate(ctx)
}

// tailOf is the file with the hash of the last line of an audit, in a folder apart from it, below that of all indexes.
func tailOf(file, indexes string) string {
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(indexes, tailFolder, hex.EncodeToString(sum[:6]))
}

// tailFolder holds the hashes of the last lines of all audits.
const tailFolder = "audit-tails"

// auditLine is more than a line of the audit takes besides the body.
const auditLine = 4 << 10

// ready is an error where a request could not be written down; then it is not sent.
func (a *audit) ready(out llm.Outbound) error {
	size := auditLine
	if a.bodies {
		size += 2 * len(out.Body) // as JSON within JSON
	}
	defer a.turn()()
	ctx, cancel := context.WithTimeout(context.Background(), auditTime)
	defer cancel()
	if err := knowledge.CanAppend(ctx, a.file, size); err != nil {
		return fmt.Errorf("%w: %w", messages.ErrNotAudited, err)
	}
	return nil
}

// failureOf names a failure without texts that the endpoint chose.
func failureOf(err error) string {
	var failed *llm.Error
	if errors.As(err, &failed) {
		return string(failed.Fault)
	}
	if errors.Is(err, context.Canceled) {
		return "cancelled"
	}
	return "failed"
}

// chained is the hash of a line; nil is the beginning of a file.
func chained(line []byte) string {
	if line == nil {
		return ""
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// ErrChain says that an audit is not as it was written.
var ErrChain = errors.New("the audit was changed after it was written")

// readAudit reads an audit whose last line had the hash tail when it was written, if that is known.
func readAudit(from io.Reader, name, tail string, each func(AuditRecord) error) (torn int, err error) {
	lines := bufio.NewReader(from)
	seen := tail == ""
	var before []byte
	unread := 0 // the number of the line before, if it could not be read
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) == 0 {
			if unread > 0 { // it has a line end, but no later line confirms it
				return torn, fmt.Errorf("%w: %s:%d is no line of an audit", ErrChain, name, unread)
			}
			if !seen {
				return torn, fmt.Errorf("%w: the last lines of %s are gone", ErrChain, name)
			}
			return torn, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return torn, err
		}
		ended := err == nil
		line = bytes.TrimSuffix(line, []byte("\n"))
		seen = seen || chained(line) == tail
		var entry AuditRecord
		if json.Unmarshal(line, &entry) != nil {
			switch {
			case unread > 0:
				return torn, fmt.Errorf("%w: %s:%d is no line of an audit", ErrChain, name, unread)
			case !ended: // the last one; the next request goes on behind it
				return torn + 1, nil
			}
			before, unread = line, number
			continue
		}
		switch {
		case entry.Previous == chained(before) && unread > 0:
			torn++
		case unread > 0:
			return torn, fmt.Errorf("%w: %s:%d is no line of an audit", ErrChain, name, unread)
		case entry.Previous != chained(before):
			return torn, fmt.Errorf("%w: %s:%d does not follow from the line before it", ErrChain, name, number)
		}
		if err := each(entry); err != nil {
			return torn, err
		}
		before, unread = line, 0
	}
}
