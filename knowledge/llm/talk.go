package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
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
	first    habits // in which it was asked first
	habits   habits // in which it is asked at present
	cut      bool   // a reply broke in the middle once
	hopeless bool   // calls at the host have just failed for good
}

// run asks until there is a reply or nothing more to try.
func (t *talk) run(ctx context.Context) (Reply, error) {
	defer t.entry.close()
	account, host := t.entry.account, t.to.host
	if t.hopeless = account.hopeless(host); t.hopeless {
		t.retries = 0
	}
	began := time.Now()
	t.first = t.to.manners.get()
	t.habits = t.first
	for {
		request := t.habits.request(t.model, t.chat, t.sampling, t.teller.delta != nil)
		reply, err := t.ask(ctx, request)
		switch {
		case err == nil:
			again := reply.starved() && !t.habits.thinks
			t.habits.thinks = t.habits.thinks || again
			t.to.manners.learn(t.habits, rolesOf(request))
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
// What the endpoint names is changed whatever the status is: servers report a refusal of their chat
// template as 400, 404, 422 or 500, and some in the first event of a stream. Where it names nothing,
// a refusal of a form is guessed at.
func (t *talk) mended(err error, request openai.ChatCompletionRequest) bool {
	var failed *Error
	if !errors.As(err, &failed) {
		return false
	}
	if failed.Status == http.StatusOK && failed.Fault != ServerFault {
		first := !t.cut
		t.cut = t.cut || failed.Fault == CutOff
		return first && t.cut
	}
	said := strings.ToLower(failed.said)
	r := refusal{said: said, request: request, chat: t.chat, took: t.to.manners.took()}
	other, changed := t.habits, false
	switch failed.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		if t.to.manners.inVain(said) {
			return false
		}
		if other, changed = t.habits.without(r); !changed && failed.Fault == Refused {
			other, changed = t.habits.guess(r, t.first, true)
		}
		if !changed {
			t.to.manners.giveUp(said)
		}
	case http.StatusInternalServerError:
		if aboutForm(said) || aboutRoles(said) {
			other, changed = t.habits.without(r)
		} else if !t.hopeless { // some servers say no more of an exception than this
			other, changed = t.habits.guess(r, t.first, false)
		}
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests, 0:
		return false
	default:
		if aboutRoles(said) {
			other, changed = t.habits.withoutRole(r)
		}
	}
	t.habits = other
	return changed
}

// rolesOf are the roles in a request.
func rolesOf(r openai.ChatCompletionRequest) spoken {
	var s spoken
	for _, m := range r.Messages {
		s.system = s.system || m.Role == openai.ChatMessageRoleSystem
		s.assistant = s.assistant || m.Role == openai.ChatMessageRoleAssistant
	}
	return s
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
