package llm

import "context"

// pool bounds how many calls a host is sent at once. Who waits enters in the order of coming: a
// channel serves those who wait for it so.
type pool chan struct{}

// enter waits for a place, or returns the error of ctx.
func (p pool) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives a place back.
func (p pool) leave() { <-p }
