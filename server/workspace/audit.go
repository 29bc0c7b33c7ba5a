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
	"path/filepath"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/regular"
)

const (
	auditFile = "audit.jsonl"
	// auditTime bounds the wait for other processes that write to the same audit.
	auditTime = 2 * time.Second
)

// Audited is one line of the audit: a request that was sent. Each holds the hash of the line before
// it, so that a line which somebody changed, took out or put in shows; somebody who writes the whole
// file anew does not.
type Audited struct {
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
	Previous   string    `json:"previous"`           // SHA-256 of the line before, without its line feed; empty in the first
}

// audit appends to the file of what was sent. It is safe for concurrent use.
type audit struct {
	file      string
	workspace string // its name, for people
	bodies    bool
	log       *slog.Logger
}

func (a *audit) record(s llm.Sent) {
	sum := sha256.Sum256(s.Body)
	line := Audited{
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
	ctx, cancel := context.WithTimeout(context.Background(), auditTime)
	defer cancel()
	err := knowledge.AppendLine(ctx, a.file, func(last []byte) ([]byte, error) {
		line.Previous = chained(last)
		return json.Marshal(line)
	})
	if err != nil {
		a.log.Error("a request was sent and is not in the audit", "host", s.Host, "err", err)
	}
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

// AuditFile is the path of this workspace's audit, which need not exist.
func (w *Workspace) AuditFile() string { return w.audit.file }

// ErrChain says that an audit is not as it was written.
var ErrChain = errors.New("the audit was changed after it was written")

// Audit calls each with every line of the audit, oldest first. Its error is an [ErrChain], naming the
// line, where a line does not follow from the one before it; each has then been called with those
// before.
func (w *Workspace) Audit(each func(Audited) error) error {
	file, err := regular.Open(w.audit.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	return readAudit(file, filepath.Base(w.audit.file), each)
}

func readAudit(from io.Reader, name string, each func(Audited) error) error {
	lines := bufio.NewReader(from)
	var before []byte
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		var entry Audited
		if err := json.Unmarshal(line, &entry); err != nil {
			return fmt.Errorf("%w: %s:%d is no line of an audit", ErrChain, name, number)
		}
		if entry.Previous != chained(before) {
			return fmt.Errorf("%w: %s:%d does not follow from the line before it", ErrChain, name, number)
		}
		if err := each(entry); err != nil {
			return err
		}
		before = line
	}
}
