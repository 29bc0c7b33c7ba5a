package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/llm"
)

func sent(stage string) llm.Sent {
	return llm.Sent{
		Outbound: llm.Outbound{Host: "a.example:443", Model: "m", Role: llm.Reader, Stage: stage, Body: []byte(`{"q":"` + stage + `"}`), Details: "1 NAME"},
		Time:     time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Status: 200, Usage: llm.Usage{Prompt: 7, Completion: 3},
	}
}

// written records requests, some at once and from two processes' worth of audits, and returns the file.
func written(t *testing.T, bodies bool) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), auditFile)
	var all sync.WaitGroup
	for range 2 {
		a := &audit{file: file, workspace: "notes", bodies: bodies, log: discard}
		for _, stage := range []string{"draft", "judge", "read", "vote"} {
			all.Go(func() { a.record(sent(stage)) })
		}
	}
	all.Wait()
	return file
}

func verify(t *testing.T, content []byte) (lines []Audited, err error) {
	t.Helper()
	err = readAudit(bytes.NewReader(content), auditFile, func(a Audited) error {
		lines = append(lines, a)
		return nil
	})
	return lines, err
}

func TestEveryLineOfTheAuditFollowsFromTheOneBefore(t *testing.T) {
	content, err := os.ReadFile(written(t, false))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := verify(t, content)
	if err != nil || len(lines) != 8 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for _, l := range lines {
		if l.Host != "a.example:443" || l.Prompt != 7 || l.Completion != 3 || l.Redacted != "1 NAME" || l.Body != "" || len(l.SHA256) != 64 {
			t.Errorf("line %+v", l)
		}
	}
	rows := bytes.SplitAfter(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
	join := func(rows ...[]byte) []byte { return bytes.Join(rows, nil) }
	for name, changed := range map[string][]byte{
		"a changed line":         bytes.Replace(content, []byte(`"status":200`), []byte(`"status":201`), 1),
		"a line taken out":       join(append(append([][]byte{}, rows[:3]...), rows[4:]...)...),
		"the first taken out":    join(rows[1:]...),
		"two lines swapped":      join(rows[0], rows[2], rows[1]),
		"a line put in":          join(rows[0], rows[0], rows[1]),
		"a line that is no JSON": join(rows[0], []byte("x\n"), rows[1]),
	} {
		if _, err := verify(t, changed); !errors.Is(err, ErrChain) || !strings.Contains(err.Error(), auditFile+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheAuditHoldsBodiesOnlyOnDemand(t *testing.T) {
	content, err := os.ReadFile(written(t, true))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := verify(t, content)
	if err != nil || len(lines) != 8 || !strings.HasPrefix(lines[0].Body, `{"q":"`) {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// TestAnAuditGoesOnAfterACrash has a line that was cut off while it was written.
func TestAnAuditGoesOnAfterACrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), auditFile)
	a := &audit{file: file, workspace: "notes", log: discard}
	a.record(sent("draft"))
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(content, `{"time":"20`...), 0o600); err != nil {
		t.Fatal(err)
	}
	a.record(sent("judge"))
	content, err = os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	var last Audited
	if len(rows) != 3 || json.Unmarshal([]byte(rows[2]), &last) != nil || last.Stage != "judge" || last.Previous != chained([]byte(rows[1])) {
		t.Errorf("%q", rows)
	}
	if _, err := verify(t, content); !errors.Is(err, ErrChain) {
		t.Errorf("a line that was cut off is not told of: %v", err)
	}
}
