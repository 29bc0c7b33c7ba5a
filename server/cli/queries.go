package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"lacuna/handlers/messages"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/par"
	"lacuna/knowledge/question"
)

// line is a question that a command reads, or what is wrong with the line in its place.
type line[Q any] struct {
	question Q
	err      error
}

// queries returns the questions of a command: each of the file as soon as its line is there, or the one on
// the command line. The channel ends with the questions or with ctx.
func (p *program) queries(ctx context.Context, command, file string, args []string) (<-chan line[eval.Query], error) {
	one := func(text string) eval.Query {
		asked, options := question.SplitOptions(text)
		return eval.Query{ID: "1", Text: asked, Options: options}
	}
	return questions(ctx, p, command, file, args, one, func(in io.Reader, send func(eval.Query, error) error) error {
		for reader := eval.NewQueryReader(in); ; {
			q, err := reader.Next()
			if err == io.EOF {
				return nil
			}
			var unreadable *eval.LineError
			if err != nil && !errors.As(err, &unreadable) {
				return err
			}
			if err := send(q, err); err != nil {
				return err
			}
		}
	})
}

// questions returns the questions that read sends of file, or the one on the command line. read sends a
// question or what is wrong with its line; what read itself returns is sent last.
func questions[Q any](ctx context.Context, p *program, command, file string, args []string, one func(text string) Q, read func(in io.Reader, send func(Q, error) error) error) (<-chan line[Q], error) {
	help := hint(strings.Fields(command)[0])
	question := strings.TrimSpace(strings.Join(args, " "))
	switch {
	case file != "" && question != "":
		return nil, usagef("%s: give --queries or a question, not both\n%s", command, help)
	case file == "" && question == "":
		return nil, usagef("%s: give a question or --queries FILE\n%s", command, help)
	case file == "":
		only := make(chan line[Q], 1)
		only <- line[Q]{question: one(question)}
		close(only)
		return only, nil
	}
	in, name, err := p.input("--queries", file)
	if err != nil {
		return nil, err
	}
	lines := make(chan line[Q])
	send := func(q Q, err error) error {
		if err != nil {
			err = fmt.Errorf("--queries: %s: %w", name, err)
		}
		select {
		case lines <- line[Q]{q, err}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() {
		defer close(lines)
		defer in.Close()
		if err := read(in, send); err != nil && ctx.Err() == nil {
			_ = send(*new(Q), err)
		}
	}()
	return lines, nil
}

// input opens the file that a flag names and returns its name for messages; "-" is standard input, which
// then cannot be used for anything else, such as asking for consent.
func (p *program) input(flag, file string) (in io.ReadCloser, name string, err error) {
	if file == "-" {
		in, p.In = io.NopCloser(p.In), strings.NewReader("")
		return in, "standard input", nil
	}
	if in, err = os.Open(file); err != nil {
		return nil, "", usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	return in, file, nil
}

// readFile reads the whole file that a flag names. It stops waiting for standard input when ctx ends.
func readFile[T any](ctx context.Context, p *program, flag, file string, read func(io.Reader) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var none T
	in, name, err := p.input(flag, file)
	if err != nil {
		return none, err
	}
	done := make(chan outcome, 1)
	go func() {
		defer in.Close()
		value, err := read(in)
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return none, usageError{fmt.Errorf("%s: %s: %w", flag, name, o.err)}
		}
		return o.value, nil
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// replies does the work for several questions concurrently and emits the results in the order of the
// questions. A line that is not a question, or a question whose work fails, goes to fail in its place and
// ends nothing; the error at the end says how many there were.
func replies[Q, T any](ctx context.Context, lines <-chan line[Q], work func(ctx context.Context, question Q) (T, error), emit func(question Q, result T) error, fail func(question Q, err error) error) error {
	type reply struct {
		line[Q]
		result T
		err    error
	}
	unread, failed := 0, 0
	err := par.Stream(ctx, lines, func(ctx context.Context, l line[Q]) (reply, error) {
		r := reply{line: l}
		if l.err == nil {
			r.result, r.err = work(ctx, l.question)
		}
		return r, ctx.Err()
	}, func(r reply) error {
		switch {
		case r.line.err != nil:
			unread++
			return fail(r.question, r.line.err)
		case r.err != nil:
			failed++
			return fail(r.question, r.err)
		}
		return emit(r.question, r.result)
	})
	switch {
	case err != nil:
		return err
	case failed > 0:
		return fmt.Errorf("%s failed", count(failed, "question"))
	case unread > 0:
		return usagef("%s of --queries could not be read", count(unread, "line"))
	}
	return nil
}

// failedJSON replaces, in --json, the result of a question that could not be read or answered.
type failedJSON struct {
	QID      string `json:"qid"`
	Question string `json:"question,omitempty"`
	Line     int    `json:"line,omitempty"` // of the file, from 1, where it is no question
	Error    string `json:"error"`
}

// printFailed reports a line of --queries that is not a question, or a question that failed.
func (p *program) printFailed(id, question string, err error, asJSON bool) error {
	if !asJSON {
		if id != "" {
			p.warn("question %s: %s", printable(id), faultText(err))
		} else {
			p.warn("%s", printable(err.Error()))
		}
		return nil
	}
	failed := failedJSON{QID: id, Question: question, Error: faultText(err)}
	var unreadable *eval.LineError
	if errors.As(err, &unreadable) {
		failed.Line, failed.Error = unreadable.Line, printable(unreadable.Err.Error())
	}
	return p.printJSON(failed)
}

// faultText says what failed and what to do about it.
func faultText(err error) string {
	text, known := messages.ModelFault(err)
	if !known {
		text = err.Error()
	}
	return printable(text)
}
