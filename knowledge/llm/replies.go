package llm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
)

// Replies keeps what the endpoints replied, failures too, while one answer is worked out. So an answer that is worked
// out several times, each time with more of the sources, costs the calls of one time. It is safe for concurrent use.
type Replies struct {
	answer context.Context // of all times: a call outlives the time that began it, because the next one needs its reply

	mu    sync.Mutex
	calls map[string][]keptCall // by everything that decides the reply, in the order of equal calls; guarded by mu
}

// keptCall is the outcome of a call.
type keptCall struct {
	value any
	err   error
}

// NewReplies keeps the replies of an answer until ctx ends.
func NewReplies(ctx context.Context) *Replies {
	return &Replies{answer: ctx, calls: make(map[string][]keptCall)}
}

// Within returns the context for working an answer out once, whose calls are kept. ready, which may be called
// concurrently, is called before a call is made; its error is returned instead of a reply and not kept.
func (r *Replies) Within(ctx context.Context, ready func() error) context.Context {
	return context.WithValue(ctx, repliesKey{}, &occasion{replies: r, ready: ready, made: make(map[string]int)})
}

type repliesKey struct{}

// occasion is one time that an answer is worked out.
type occasion struct {
	replies *Replies
	ready   func() error
	made    map[string]int // equal calls so far; guarded by mu of replies
}

// next returns what the next of equal calls returned when the answer was worked out before.
func (o *occasion) next(key string) (keptCall, bool) {
	o.replies.mu.Lock()
	defer o.replies.mu.Unlock()
	n := o.made[key]
	if n >= len(o.replies.calls[key]) {
		return keptCall{}, false
	}
	o.made[key]++
	return o.replies.calls[key][n], true
}

// add keeps the outcome of a call, unless the answer is given up.
func (o *occasion) add(key string, call keptCall) {
	o.replies.mu.Lock()
	defer o.replies.mu.Unlock()
	if o.replies.answer.Err() == nil {
		o.replies.calls[key] = append(o.replies.calls[key], call)
		o.made[key]++
	}
}

// keep makes a call, or returns what it returned the last time, each of equal calls its own. Without [Replies] in ctx it only makes it. parts are
// all that decides the reply.
func keep[T any](ctx context.Context, call func(ctx context.Context) (T, error), parts ...any) (value T, again bool, err error) {
	o, within := ctx.Value(repliesKey{}).(*occasion)
	if !within {
		value, err = call(ctx)
		return value, false, err
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return value, false, err
	}
	sum := sha256.Sum256(text)
	key := string(sum[:])
	if kept, has := o.next(key); has {
		value, _ = kept.value.(T)
		return value, true, kept.err
	}
	if err := o.ready(); err != nil {
		return value, false, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(o.replies.answer, cancel)()
	value, err = call(ctx)
	o.add(key, keptCall{value, err})
	return value, false, err
}

// repeat shows and counts a kept reply as if it came now.
func (r Request) repeat(to *endpoint, reply Reply, err error) {
	if r.Account != nil {
		r.Account.add(reply.Usage)
		if failed := (*Error)(nil); errors.As(err, &failed) {
			r.Account.recordOutcome(to.host, failed.Fault)
		}
	}
	if err == nil && r.Delta != nil && reply.Text != "" {
		r.Delta(reply.Text)
	}
}
