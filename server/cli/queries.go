package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"lacuna/knowledge/eval"
)

// queries returns the questions of a command: the file's, or the one on the command line.
func (p *program) queries(command, file string, args []string) ([]eval.Query, error) {
	question := strings.TrimSpace(strings.Join(args, " "))
	switch {
	case file != "" && question != "":
		return nil, usagef("%s: give --queries or a question, not both\n%s", command, hint(command))
	case file != "":
		return p.readQueries(file)
	case question == "":
		return nil, usagef("%s: give a question or --queries FILE\n%s", command, hint(command))
	}
	return []eval.Query{{ID: "1", Text: question}}, nil
}

// readQueries reads a query file; "-" is standard input.
func (p *program) readQueries(file string) ([]eval.Query, error) {
	if file == "-" {
		queries, err := eval.ReadQueries(p.In)
		if err != nil {
			return nil, usageError{fmt.Errorf("queries on standard input: %w", err)}
		}
		return queries, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, usageError{fmt.Errorf("--queries: %w", err)}
	}
	defer f.Close()
	queries, err := eval.ReadQueries(f)
	if err != nil {
		return nil, usageError{fmt.Errorf("--queries: %s: %w", file, err)}
	}
	return queries, nil
}

// inOrder does n pieces of work side by side and hands the results on in order, each as soon as
// those before it are there. It stops at the first error.
func inOrder[T any](ctx context.Context, n int, work func(ctx context.Context, i int) (T, error), emit func(i int, result T) error) error {
	type outcome struct {
		result T
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := min(n, runtime.GOMAXPROCS(0))
	const lookahead = 64 // results that may wait for one before them
	outcomes := make(chan chan outcome, lookahead)
	jobs := make(chan func())
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for job := range jobs {
				job()
			}
		})
	}
	running.Go(func() {
		defer close(jobs)
		defer close(outcomes)
		for i := range n {
			done := make(chan outcome, 1)
			job := func() {
				result, err := work(ctx, i)
				done <- outcome{result, err}
			}
			select {
			case outcomes <- done:
			case <-ctx.Done():
				return
			}
			jobs <- job
		}
	})
	defer running.Wait()
	i := 0
	for done := range outcomes {
		o := <-done
		if o.err == nil {
			o.err = emit(i, o.result)
		}
		if o.err != nil {
			cancel()
			for range outcomes { // let the feeder see that ctx has ended
			}
			return o.err
		}
		i++
	}
	return ctx.Err()
}
