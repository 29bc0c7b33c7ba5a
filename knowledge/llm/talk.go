package llm

import (
	"context"
	"errors"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// talk is one call of a model with everything that is tried for a reply.
type talk struct {
	*wire
	chat     chat
	sampling sampling
	entry    *entry
	teller   teller
	habits   habits // in which it is asked at present
	cut      bool   // a reply broke in the middle once
}

// run asks until there is a reply or nothing more to try.
func (t *talk) run(ctx context.Context) (Reply, error) {
	defer t.entry.close()
	account, host := t.entry.account, t.to.host
	if account.hopeless(host) {
		t.retries = 0
	}
	began := time.Now()
	t.habits = t.to.manners.get()
	for {
		request := t.habits.request(t.model, t.chat, t.sampling, t.teller.delta != nil)
		reply, err := t.ask(ctx, request)
		switch {
		case err == nil:
			again := reply.starved() && !t.habits.thinks
			t.habits.thinks = t.habits.thinks || again
			t.to.manners.learn(t.habits)
			if !again {
				account.learn(host, "")
				return t.booked(reply.Reply, began), nil
			}
		case ctx.Err() != nil:
			return Reply{}, ctx.Err()
		case !t.mended(err, request):
			var failed *Error
			if !errors.As(err, &failed) { // go-openai knows the model and would not ask it
				failed = t.to.fail(Refused, "model", plain(err))
			}
			account.learn(host, failed.Fault)
			return Reply{}, failed
		}
	}
}

// mended changes how a request that failed is put, and reports whether it is worth another attempt.
func (t *talk) mended(err error, request openai.ChatCompletionRequest) bool {
	var failed *Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Status {
	case http.StatusOK:
		first := !t.cut
		t.cut = t.cut || failed.Fault == CutOff
		return first && t.cut
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		other, changed := t.habits.without(failed.Error(), request)
		t.habits = other
		return changed
	case http.StatusInternalServerError:
		other, changed := t.habits.without(failed.Error(), request)
		if changed = changed && aboutForm(failed.Error()); changed {
			t.habits = other
		}
		return changed
	}
	return false
}

// booked adds to a reply what it took.
func (t *talk) booked(r Reply, began time.Time) Reply {
	r.Seed, r.Attempts, r.Duration, r.Usage = t.sampling.Seed, t.attempts, time.Since(began), t.entry.spent()
	if !t.teller.first.IsZero() {
		r.First = t.teller.first.Sub(began)
	}
	return r
}

// ask sends a request and reads the reply to its end.
func (t *talk) ask(ctx context.Context, request openai.ChatCompletionRequest) (heard, error) {
	t.teller.begin()
	events, err := t.open(ctx, request)
	if err != nil {
		return heard{}, err
	}
	t.entry.prompt(t.chat.messages)
	reply, err := t.listen(events)
	if err == nil {
		t.body.drain()
	}
	if closed := events.Close(); err == nil && closed != nil {
		err = closed
	}
	usage := t.entry.settle(reply.counted)
	t.settle(usage, err)
	return reply, err
}

// open sends a request and returns the pieces of the reply.
func (t *talk) open(ctx context.Context, request openai.ChatCompletionRequest) (events, error) {
	if request.Stream {
		return t.api(streamed{t.wire}).CreateChatCompletionStream(ctx, request)
	}
	// go-openai would decode the reply too, but it drops the reasoning of some servers.
	response, err := t.post(ctx, t.to.base+"/chat/completions", request)
	if err != nil {
		return nil, err
	}
	t.body.left = t.limit() * 2 // JSON is longer than what it says, but not by so much
	return &onePiece{body: response.Body}, nil
}
