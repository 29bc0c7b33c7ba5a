package experiment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/par"
)

// Ask has a cell's system answer a question. It is called concurrently. What could not be answered because something
// failed has Failed set; an error ends the run.
type Ask func(ctx context.Context, c Cell, q eval.Query) (Answered, error)

// Options say how a plan is run.
type Options struct {
	// Parallel is how many questions are asked concurrently, from 1. The endpoints have limits of their own below it.
	Parallel int
	Again    bool // ask those again that failed
	// FailuresInRow ends the run early once so many questions one after another are [Answered.Gone], so that an endpoint
	// that is gone is not asked a thousand times; 0 never does.
	FailuresInRow int
	Progress      func(Progress) // may be nil; called by one goroutine at a time
}

// Progress says how far a run has come.
type Progress struct {
	Done, Total int // questions of all cells; Done counts those of earlier runs too
	Failed      int // in this run
	Cell        Cell
	Left        time.Duration // estimated from this run; 0 while nothing is known
}

// ErrFailing ends a run because an endpoint is gone.
var ErrFailing = errors.New("questions failed one after another")

// Run asks all questions of a plan that the folder has no answer to. What was answered stays answered if it ends with
// an error or ctx does; run it again to go on. The last questions of such a run, which failed because an endpoint was
// gone, are then asked as if they had never been.
func Run(ctx context.Context, plan Plan, sets []Set, folder *Folder, ask Ask, o Options) error {
	type task struct {
		cell Cell
		q    eval.Query
	}
	var tasks []task
	p := Progress{}
	for _, cell := range plan.Cells(sets) {
		for _, q := range setOf(sets, cell).Questions {
			p.Total++
			if a, done := folder.Done(cell, q.ID); done && (!a.incomplete() || !o.Again) {
				p.Done++
			} else {
				tasks = append(tasks, task{cell, q})
			}
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	began, before := time.Now(), p.Done
	var mu sync.Mutex
	var gone []Answered // the last ones, while the endpoint may be gone
	keep := func(all ...Answered) error {
		for _, a := range all {
			if err := folder.add(a); err != nil {
				return fmt.Errorf("keep an answer: %w", err)
			}
		}
		return nil
	}
	take := func(t task, a Answered) error {
		mu.Lock()
		defer mu.Unlock()
		p.Done, p.Cell = p.Done+1, t.cell
		if a.Failed != "" {
			p.Failed++
		}
		if gone = append(gone, a); !a.Gone {
			if err := keep(gone...); err != nil {
				return err
			}
			gone = nil
		} else if o.FailuresInRow > 0 && len(gone) >= o.FailuresInRow {
			return fmt.Errorf("%d %w: %s", len(gone), ErrFailing, a.Failed)
		}
		p.Left = time.Since(began) / time.Duration(p.Done-before) * time.Duration(p.Total-p.Done)
		if o.Progress != nil {
			o.Progress(p)
		}
		return nil
	}
	var next int
	workers := min(max(o.Parallel, 1), max(len(tasks), 1))
	par.Each(workers, func(int) {
		for {
			mu.Lock()
			i := next
			next++
			mu.Unlock()
			if i >= len(tasks) || ctx.Err() != nil {
				return
			}
			t := tasks[i]
			a, err := ask(ctx, t.cell, t.q)
			if err == nil && ctx.Err() == nil {
				a.Cell, a.QID = t.cell.ID(), t.q.ID
				err = take(t, a)
			}
			if err != nil {
				stop(err)
				return
			}
		}
	})
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return keep(gone...)
}
