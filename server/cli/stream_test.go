package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// dialogue is a command that is asked through a pipe.
type dialogue struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	errs strings.Builder
	code chan int
}

// patienceInTests is how long a test waits for what has to come, on a slow machine.
const patienceInTests = time.Minute

// speak starts a command in the workspace of a script.
func speak(t *testing.T, script string, args ...string) *dialogue {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", script))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	in, questions := io.Pipe()
	answers, out := io.Pipe()
	d := &dialogue{t: t, in: questions, out: bufio.NewReader(answers), code: make(chan int, 1)}
	ctx, cancel := context.WithTimeout(t.Context(), patienceInTests)
	t.Cleanup(func() {
		questions.Close()
		answers.Close()
		cancel()
	})
	go func() {
		d.code <- Run(ctx, args, Streams{In: in, Out: out, Err: &d.errs})
		out.Close()
	}()
	return d
}

// say writes lines and leaves the pipe open.
func (d *dialogue) say(text string) {
	d.t.Helper()
	if _, err := io.WriteString(d.in, text); err != nil {
		d.t.Fatal(err)
	}
}

// hears reads one line.
func (d *dialogue) hears() string {
	d.t.Helper()
	line, err := d.out.ReadString('\n')
	if err != nil {
		d.t.Fatalf("%v after %q, %s", err, line, d.errs.String())
	}
	return line
}

// ends closes the questions and returns the exit code with what was still said.
func (d *dialogue) ends() (code int, rest string) {
	d.t.Helper()
	d.in.Close()
	left, err := io.ReadAll(d.out)
	if err != nil {
		d.t.Fatal(err)
	}
	return <-d.code, string(left)
}

// TestAPipeIsAnsweredLineByLine asks the next question only when the one before has been answered, with
// lines between that are no questions.
func TestAPipeIsAnsweredLineByLine(t *testing.T) {
	d := speak(t, "ask.txtar", "ask", "--json", "--queries", "-")
	for _, exchange := range []struct{ said, want string }{
		{"1\tWhen is metformin avoided?\n", `"qid":"1"`},
		{"no question\n", `{"qid":"","line":2,"error":"expected a JSON object with qid and question, or qid, a tab and the question"}`},
		{`{"qid": "3", "question": "What opens the airways?"}` + "\n", `"qid":"3"`},
		{"\n" + `{"qid": "5"` + "\n", `{"qid":"","line":5,"error":"unexpected end of JSON input"}`},
		{"6\tbad \xff byte\n", `{"qid":"","line":6,"error":"not UTF-8"}`},
		{strings.Repeat("x", 17<<20) + "\n", `{"qid":"","line":7,"error":"longer than 16 MB"}`},
		{"8\tWho wrote Faust?\n", `"qid":"8"`},
	} {
		d.say(exchange.said)
		line := d.hears()
		if !strings.Contains(line, exchange.want) || !json.Valid([]byte(line)) {
			t.Errorf("got %s, want %s", line, exchange.want)
		}
	}
	if code, rest := d.ends(); code != exitUsage || rest != "" || !strings.Contains(d.errs.String(), "4 lines of --queries could not be read") {
		t.Errorf("exit %d, %q, %s", code, rest, d.errs.String())
	}
}

// TestAPipeIsAnsweredInWords does the same for people, without the errors, which go to standard error.
func TestAPipeIsAnsweredInWords(t *testing.T) {
	d := speak(t, "ask.txtar", "ask", "--queries", "-")
	for _, id := range []string{"a", "b"} {
		d.say("nothing\n" + id + "\tWhen is metformin avoided?\n")
		for _, want := range []string{id + " When is metformin avoided?", "Answered from 1 source", "Metformin is avoided", "[1]", ""} {
			if line := d.hears(); !strings.Contains(line, want) {
				t.Errorf("%q, want %q", line, want)
			}
		}
	}
	if code, rest := d.ends(); code != exitUsage || rest != "" {
		t.Errorf("exit %d, %q", code, rest)
	}
	if errs := d.errs.String(); !strings.Contains(errs, "standard input: line 1: ") || !strings.Contains(errs, "standard input: line 3: ") {
		t.Errorf("%s", errs)
	}
}

// TestSearchAndPredictAnswerLineByLine holds the same of the other commands that take questions.
func TestSearchAndPredictAnswerLineByLine(t *testing.T) {
	for _, c := range []struct{ args, broken string }{
		{"search --format json --queries -", `"line":1`},
		{"gate predict --policy never --json --queries -", "line 1: "},
	} {
		t.Run(c.args, func(t *testing.T) {
			d := speak(t, "ask.txtar", words(c.args)...)
			d.say("{\n")
			if line := d.hears(); !strings.Contains(line, c.broken) || !json.Valid([]byte(line)) {
				t.Errorf("%s", line)
			}
			for range 2 {
				d.say(`{"id": "x", "question": "When is metformin avoided?"}` + "\n")
				if line := d.hears(); !strings.Contains(line, "When is metformin avoided?") {
					t.Errorf("%s", line)
				}
			}
			if code, rest := d.ends(); code != exitUsage || rest != "" {
				t.Errorf("exit %d, %q, %s", code, rest, d.errs.String())
			}
		})
	}
}

// TestNobodyReadsAnyMore closes the reading end after one answer: the command ends, though its questions
// have not.
func TestNobodyReadsAnyMore(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "ask.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	in, questions := io.Pipe()
	answers, out := io.Pipe()
	defer questions.Close()
	code := make(chan int, 1)
	go func() {
		code <- Run(t.Context(), []string{"ask", "--json", "--queries", "-"}, Streams{in, out, io.Discard})
	}()
	go func() {
		for {
			if _, err := io.WriteString(questions, "1\tWhen is metformin avoided?\n"); err != nil {
				return
			}
		}
	}()
	if _, err := bufio.NewReader(answers).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	answers.CloseWithError(errors.New("broken pipe"))
	if got := <-code; got != exitFailed {
		t.Errorf("exit %d", got)
	}
}

// TestWaitingForQuestionsCanBeInterrupted ends commands that wait for standard input.
func TestWaitingForQuestionsCanBeInterrupted(t *testing.T) {
	for _, args := range []string{
		"ask --queries -", "search --queries -", "eval answers --queries -", "gate predict --policy never --queries -", "gate train --history -",
	} {
		t.Run(args, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "ask.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			workspaceOf(t, archive)
			in, questions := io.Pipe()
			defer questions.Close()
			ctx, interrupt := context.WithCancel(t.Context())
			code := make(chan int, 1)
			go func() { code <- Run(ctx, words(args), Streams{in, io.Discard, io.Discard}) }()
			if _, err := io.WriteString(questions, "\n"); err != nil { // it reads by now
				t.Fatal(err)
			}
			interrupt()
			if got := <-code; got != exitFailed {
				t.Errorf("exit %d", got)
			}
		})
	}
}
