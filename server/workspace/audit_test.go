package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers/messages"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

func sent(stage string) llm.Sent {
	return llm.Sent{
		Outbound: llm.Outbound{Host: "a.example:443", Model: "m", Role: llm.Reader, Stage: stage, Body: []byte(`{"q":"` + stage + `"}`), Details: "1 NAME"},
		Time:     time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Status: 200, Usage: llm.Usage{Prompt: 7, Completion: 3},
	}
}

// written records requests, some concurrently and from two processes' worth of audits, and returns the file.
func written(t *testing.T, bodies bool) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), auditFile)
	var all sync.WaitGroup
	for range 2 {
		a := &audit{file: file, tail: file + ".tail", workspace: "notes", bodies: bodies, log: discard}
		for _, stage := range []string{"draft", "judge", "read", "vote"} {
			all.Go(func() { a.record(sent(stage)) })
		}
	}
	all.Wait()
	return file
}

func verify(t *testing.T, content []byte) (lines []AuditRecord, err error) {
	t.Helper()
	_, err = readAudit(bytes.NewReader(content), auditFile, "", func(a AuditRecord) error {
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
	a := &audit{file: file, tail: file + ".tail", workspace: "notes", log: discard}
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
	var last AuditRecord
	if len(rows) != 3 || json.Unmarshal([]byte(rows[2]), &last) != nil || last.Stage != "judge" || last.Previous != chained([]byte(rows[1])) {
		t.Errorf("%q", rows)
	}
	if last.Torn != len(rows[1]) {
		t.Errorf("the line vouches for %d bytes", last.Torn)
	}
	for name, test := range map[string]struct {
		content string
		lines   int
		torn    int
		broken  bool
	}{
		"gone on behind it":            {string(content), 2, 1, false},
		"nothing behind it":            {rows[0] + "\n" + rows[1], 1, 1, false},
		"another in its place":         {rows[0] + "\n{\"time\":\"21\n" + rows[2] + "\n", 1, 0, true},
		"taken out":                    {rows[0] + "\n" + rows[2] + "\n", 1, 0, true},
		"ended, and nobody after":      {rows[0] + "\n" + rows[1] + "\n", 1, 0, true},
		"two of them":                  {rows[0] + "\nx\n" + rows[1] + "\n" + rows[2] + "\n", 1, 0, true},
		"room that was not given back": {string(content) + "    ", 2, 1, false},
	} {
		lines := 0
		torn, err := readAudit(strings.NewReader(test.content), auditFile, "", func(AuditRecord) error { lines++; return nil })
		if lines != test.lines || torn != test.torn || errors.Is(err, ErrChain) != test.broken {
			t.Errorf("%s: %d lines, %d torn, %v", name, lines, torn, err)
		}
	}
}

// Where a request cannot be written down it is not sent, to no host; a person learns why and what helps.
func TestNothingIsSentThatCannotBeWrittenDown(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	model := "[model]\nbase_url = \"" + server.URL() + "\"\nmodel = \"m\"\n"
	w := opened(t, model, nil)
	if err := os.MkdirAll(filepath.Join(w.IndexDir(), auditFile), 0o700); err != nil { // a folder in its place
		t.Fatal(err)
	}
	r := ask(t, w, answer.Request{}, "What lowers a fever?")
	said, _ := messages.ModelFault(r.Failure)
	if len(server.Calls()) > 0 || len(r.Citations) == 0 || !strings.Contains(said, "Nothing was sent") || !strings.Contains(said, "privacy.audit_dir") {
		t.Errorf("%d requests, %d citations, %q", len(server.Calls()), len(r.Citations), said)
	}
	if err := os.Remove(filepath.Join(w.IndexDir(), auditFile)); err != nil {
		t.Fatal(err)
	}
	if r := ask(t, w, answer.Request{}, "What lowers a fever?"); r.Failure != nil || len(server.Calls()) == 0 {
		t.Errorf("%d requests, %v", len(server.Calls()), r.Failure)
	}
	lines := 0
	if torn, err := w.Audit(func(AuditRecord) error { lines++; return nil }); err != nil || torn > 0 || lines != len(server.Calls()) {
		t.Errorf("%d lines of %d requests, %d torn, %v", lines, len(server.Calls()), torn, err)
	}
}

// TestConcurrentCallsWaitForTheirTurn has calls of several workspaces wait for one of the same process longer than they wait
// for another process, as those of a run that asks many models concurrently.
func TestConcurrentCallsWaitForTheirTurn(t *testing.T) {
	file := filepath.Join(t.TempDir(), auditFile)
	const calls = 20
	synctest.Test(t, func(t *testing.T) {
		done := (&audit{file: file, tail: file + ".tail", log: discard}).turn()
		var all sync.WaitGroup
		for range calls {
			a := &audit{file: file, tail: file + ".tail", workspace: "notes", log: discard} // each workspace has its own
			all.Go(func() {
				if err := a.ready(sent("draft").Outbound); err != nil {
					t.Error(err)
				}
				a.record(sent("draft"))
			})
		}
		time.Sleep(10 * auditTime)
		done()
		all.Wait()
	})
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := verify(t, content); err != nil || len(lines) != calls {
		t.Errorf("%d lines of %d, %v", len(lines), calls, err)
	}
}

// TestLostLastLinesShow: the hash of the last line is kept apart from the audit.
func TestLostLastLinesShow(t *testing.T) {
	file := filepath.Join(t.TempDir(), auditFile)
	a := &audit{file: file, tail: filepath.Join(t.TempDir(), "tail"), workspace: "notes", log: discard}
	for _, stage := range []string{"draft", "judge", "read"} {
		a.record(sent(stage))
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tail, err := os.ReadFile(a.tail)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	for name, test := range map[string]struct {
		audit, tail string
		whole       bool
	}{
		"as it was written":      {string(content), string(tail), true},
		"the last line is gone":  {strings.Join(lines[:2], ""), string(tail), false},
		"all lines are gone":     {"", string(tail), false},
		"there was no tail then": {strings.Join(lines[:2], ""), "", true},
		"a later line is there":  {string(content), chained([]byte(strings.TrimSpace(lines[1]))), true},
	} {
		_, err := readAudit(strings.NewReader(test.audit), auditFile, test.tail, func(AuditRecord) error { return nil })
		if whole := err == nil; whole != test.whole || !whole && !errors.Is(err, ErrChain) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTheAuditHoldsWhateverTheClockSays has the clock jump between lines, which are one chain in the order of writing.
func TestTheAuditHoldsWhateverTheClockSays(t *testing.T) {
	a := &audit{file: filepath.Join(t.TempDir(), auditFile), tail: filepath.Join(t.TempDir(), "tail"), workspace: "notes", log: discard, most: 1500}
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	times := []time.Time{now, now.Add(-3 * time.Hour), time.Unix(0, 0), now.AddDate(70, 0, 0), {}, now.In(time.FixedZone("", -11*3600)), now.Add(time.Second), time.Unix(-1, 0), now}
	for _, at := range times {
		a.record(llm.Sent{Outbound: llm.Outbound{Host: "host:1", Model: "m"}, Time: at})
	}
	var read []time.Time
	_, err := (&Workspace{audit: a}).Audit(func(r AuditRecord) error {
		read = append(read, r.Time)
		return nil
	})
	if err != nil || !slices.EqualFunc(read, times, time.Time.Equal) {
		t.Errorf("read %v, %v", read, err)
	}
}

// TestAFullAuditGoesOnInAnotherFile has files of some lines each, which are one chain.
func TestAFullAuditGoesOnInAnotherFile(t *testing.T) {
	dir := t.TempDir()
	a := &audit{file: filepath.Join(dir, auditFile), tail: filepath.Join(t.TempDir(), "tail"), workspace: "notes", log: discard, most: 1500}
	w := &Workspace{audit: a}
	const sent = 20
	for i := range sent {
		a.record(llm.Sent{Outbound: llm.Outbound{Host: "host:1", Model: "m", Body: []byte{byte(i)}}, Time: time.Unix(int64(i), 0)})
	}
	parts, err := a.parts()
	if err != nil || len(parts) < 3 || filepath.Base(parts[0]) != "audit-000001.jsonl" {
		t.Fatalf("%q, %v", parts, err)
	}
	read := func() (lines int, err error) {
		_, err = w.Audit(func(r AuditRecord) error {
			if r.Time.Unix() == int64(lines) {
				lines++
			}
			return nil
		})
		return lines, err
	}
	if n, err := read(); n != sent || err != nil {
		t.Fatalf("%d of %d lines in order, %v", n, sent, err)
	}
	w.indexDir = dir
	if left, err := w.ForgetTraces(false); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	for i := range sent {
		a.record(llm.Sent{Outbound: llm.Outbound{Host: "host:1", Model: "m"}, Time: time.Unix(int64(i), 0)})
	}
	parts, _ = a.parts()
	for _, damage := range []func() error{
		func() error { return os.Remove(parts[1]) },
		func() error { return os.Remove(a.file) },
	} {
		if err := damage(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if _, err := read(); !errors.Is(err, ErrChain) {
			t.Errorf("a file of the audit is gone: %v", err)
		}
	}
}
