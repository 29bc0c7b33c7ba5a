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
)

// query is one question of a command, or what is wrong with the line in its place.
type query struct {
	eval.Query
	err error
}

// queries returns the questions of a command: those of the file, each as soon as its line is there, or
// the one on the command line. The channel ends with the questions or with ctx.
func (p *program) queries(ctx context.Context, command, file string, args []string) (<-chan query, error) {
	question := strings.TrimSpace(strings.Join(args, " "))
	switch {
	case file != "" && question != "":
		return nil, usagef("%s: give --queries or a question, not both\n%s", command, hint(command))
	case file != "":
		return p.fileQueries(ctx, file)
	case question == "":
		return nil, usagef("%s: give a question or --queries FILE\n%s", command, hint(command))
	}
	one := make(chan query, 1)
	one <- query{Query: eval.Query{ID: "1", Text: question}}
	close(one)
	return one, nil
}

// input opens the file that a flag names, with its name for people; "-" is standard input, which then
// serves for nothing else, such as a person's consent.
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

// readFile reads all of the file that a flag names. It waits for standard input no longer than ctx.
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

// fileQueries are those of a file.
func (p *program) fileQueries(ctx context.Context, file string) (<-chan query, error) {
	in, name, err := p.input("--queries", file)
	if err != nil {
		return nil, err
	}
	queries := make(chan query)
	go func() {
		defer close(queries)
		defer in.Close()
		for reader := eval.NewQueryReader(in); ; {
			q, err := reader.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				err = fmt.Errorf("--queries: %s: %w", name, err)
			}
			select {
			case queries <- query{q, err}:
			case <-ctx.Done():
				return
			}
			var line *eval.LineError
			if err != nil && !errors.As(err, &line) {
				return
			}
		}
	}()
	return queries, nil
}

// replies does the work for each question as it comes, several at once, and hands on the results in the
// order of the questions. What is wrong with a line, and what fails for one question, is handed to fail
// in its place and ends nothing; the error in the end then says how many there were.
func replies[T any](ctx context.Context, queries <-chan query, work func(ctx context.Context, q eval.Query) (T, error), emit func(q eval.Query, result T) error, fail func(q query) error) error {
	unread, failed := 0, 0
	err := par.Stream(ctx, queries, func(ctx context.Context, q query) (answered[T], error) {
		a := answered[T]{query: q}
		if q.err == nil {
			a.result, a.err = work(ctx, q.Query)
		}
		return a, ctx.Err()
	}, func(a answered[T]) error {
		switch {
		case a.query.err != nil:
			unread++
			return fail(a.query)
		case a.err != nil:
			failed++
			return fail(query{a.Query, a.err})
		}
		return emit(a.Query, a.result)
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

// answered is a question with what came of it.
type answered[T any] struct {
	query
	result T
	err    error
}

// failedJSON stands in --json in the place of a question that could not be read or answered.
type failedJSON struct {
	QID      string `json:"qid"`
	Question string `json:"question,omitempty"`
	Line     int    `json:"line,omitempty"` // of the file, from 1, where it is no question
	Error    string `json:"error"`
}

// printFailed says what is wrong with a line of --queries, or what failed for a question.
func (p *program) printFailed(q query, asJSON bool) error {
	if !asJSON {
		if q.ID != "" {
			p.warn("question %s: %s", printable(q.ID), faultText(q.err))
		} else {
			p.warn("%s", printable(q.err.Error()))
		}
		return nil
	}
	failed := failedJSON{QID: q.ID, Question: q.Text, Error: faultText(q.err)}
	var line *eval.LineError
	if errors.As(q.err, &line) {
		failed.Line, failed.Error = line.Line, printable(line.Err.Error())
	}
	return p.printJSON(failed)
}

// faultText says what failed, and what to do about it.
func faultText(err error) string {
	text, known := messages.ModelFault(err)
	if !known {
		text = err.Error()
	}
	return printable(text)
}
