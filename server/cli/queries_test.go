package cli

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestResultsComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 200
		var got []int
		work := func(_ context.Context, i int) (int, error) {
			time.Sleep(time.Duration(n-i) * time.Second) // the later, the faster
			return i, nil
		}
		err := inOrder(t.Context(), n, work, func(i, result int) error {
			if i != result {
				t.Errorf("result %d at place %d", result, i)
			}
			got = append(got, result)
			return nil
		})
		if err != nil || len(got) != n || !slices.IsSorted(got) {
			t.Errorf("%v, %v", got, err)
		}
	})
}

func TestTheFirstErrorStopsTheWork(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name       string
		work, emit int // at which place each fails
		want       int // results handed on
	}{
		{"work", 5, -1, 5},
		{"emit", -1, 3, 3},
		{"the first of all", 0, -1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			handed := 0
			work := func(ctx context.Context, i int) (int, error) {
				if i == test.work {
					return 0, broken
				}
				return i, nil
			}
			err := inOrder(t.Context(), 1000, work, func(i, _ int) error {
				if i == test.emit {
					return broken
				}
				handed++
				return nil
			})
			if !errors.Is(err, broken) || handed != test.want {
				t.Errorf("%d results, error %v; want %d and broken", handed, err, test.want)
			}
		})
	}
}

func TestAnEndedContextStopsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	work := func(ctx context.Context, i int) (int, error) {
		if i == 10 {
			cancel()
		}
		return i, ctx.Err()
	}
	err := inOrder(ctx, 1_000_000, work, func(int, int) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := inOrder(t.Context(), 0, work, func(int, int) error { return nil }); err != nil {
		t.Errorf("no work: %v", err)
	}
}
