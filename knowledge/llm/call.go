package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// call is one call of a model with all its attempts.
type call struct {
	*wire
	chat         chat
	sampling     resolvedSampling
	entry        *accountEntry
	filter       streamFilter
	initial      capabilities // at the first attempt
	capabilities capabilities // at the current attempt
	cut          bool         // a reply broke off once
	hostFailing  bool         // recent calls at the host failed after all retries
	// text and reasoning are the reply before redacted texts were restored.
	text, reasoning string
}

// rawReply is a reply as read from the endpoint.
type rawReply struct {
	Reply
	usage *openai.Usage // as the endpoint counted; nil if it did not
}

// ranOutThinking reports whether the tokens ran out before the reasoning ended.
func (h rawReply) ranOutThinking() bool {
	return h.RanOut() && strings.TrimSpace(h.Text) == "" && h.Reasoning != ""
}

// run makes attempts until there is a reply or nothing more to try.
func (t *call) run(ctx context.Context) (Reply, error) {
	defer t.entry.close()
	account, host := t.entry.account, t.to.host
	if t.hostFailing = account.hostFailing(host); t.hostFailing {
		t.retries = 0
	}
	began := time.Now()
	t.initial = t.to.memory.get()
	t.capabilities = t.initial
	for {
		request := t.capabilities.request(t.model, t.chat, t.sampling, t.filter.delta != nil)
		reply, err := t.attemptOnce(ctx, request)
		switch {
		case err == nil:
			again := reply.ranOutThinking() && !t.capabilities.thinks
			t.capabilities.thinks = t.capabilities.thinks || again
			t.to.memory.learn(t.capabilities, rolesOf(request))
			if !again {
				account.recordOutcome(host, "")
				return t.withCost(reply.Reply, began), nil
			}
		case ctx.Err() != nil:
			return Reply{}, ctx.Err()
		case !t.adjust(err, request):
			var failed *Error
			if !errors.As(err, &failed) { // go-openai knows the model and would not ask it
				failed = t.to.newError(Refused, "model", rootCause(err))
			}
			account.recordOutcome(host, failed.Fault)
			return Reply{}, failed
		}
	}
}

// adjust changes the form of a failed request, and reports whether another attempt is worthwhile. It
// changes whatever the endpoint names, whatever the status: servers report a refusal of their chat
// template as 400, 404, 422 or 500, some in the first event of a stream. If the endpoint names nothing,
// adjust guesses.
func (t *call) adjust(err error, request openai.ChatCompletionRequest) bool {
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
	t.to.memory.learnWindow(said)
	r := refusal{said: said, request: request, chat: t.chat, took: t.to.memory.rolesTaken()}
	other, changed := t.capabilities, false
	switch failed.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		if t.to.memory.isFutile(said) {
			return false
		}
		if other, changed = t.capabilities.without(r); !changed && failed.Fault == Refused {
			other, changed = t.capabilities.guessWithout(r, t.initial, true)
		}
		if !changed {
			t.to.memory.markFutile(said)
		}
	case http.StatusInternalServerError:
		if aboutForm(said) || aboutRoles(said) {
			other, changed = t.capabilities.without(r)
		} else if !t.hostFailing { // some servers say no more of an exception than this
			other, changed = t.capabilities.guessWithout(r, t.initial, false)
		}
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests, 0:
		return false
	default:
		if aboutRoles(said) {
			other, changed = t.capabilities.withoutRole(r)
		}
	}
	t.capabilities = other
	return changed
}

// rolesOf returns the roles in a request.
func rolesOf(r openai.ChatCompletionRequest) rolesTaken {
	var s rolesTaken
	for _, m := range r.Messages {
		s.system = s.system || m.Role == openai.ChatMessageRoleSystem
		s.assistant = s.assistant || m.Role == openai.ChatMessageRoleAssistant
	}
	return s
}

// withCost adds to a reply what it cost.
func (t *call) withCost(r Reply, began time.Time) Reply {
	r.Seed, r.Attempts, r.Duration, r.Usage = t.sampling.Seed, t.attempts, time.Since(began), t.entry.spent()
	if !t.filter.first.IsZero() {
		r.First = t.filter.first.Sub(began)
	}
	return r
}

// attemptOnce sends a request and reads the reply to its end.
func (t *call) attemptOnce(ctx context.Context, request openai.ChatCompletionRequest) (rawReply, error) {
	t.filter.reset()
	events, err := t.open(ctx, request)
	if err != nil {
		return rawReply{}, err
	}
	t.entry.prompt(t.chat.messages)
	reply, err := t.listen(events)
	if err == nil {
		t.body.drain()
	}
	if closed := events.Close(); err == nil && closed != nil {
		err = closed
	}
	usage := t.entry.settle(reply.usage)
	t.record(usage, err)
	return reply, err
}

// open sends a request and returns the pieces of the reply.
func (t *call) open(ctx context.Context, request openai.ChatCompletionRequest) (events, error) {
	if request.Stream {
		return t.api(streamWire{t.wire}).CreateChatCompletionStream(ctx, request)
	}
	// go-openai would decode the reply too, but it drops the reasoning of some servers.
	response, err := t.post(ctx, t.to.base+"/chat/completions", request)
	if err != nil {
		return nil, err
	}
	t.body.left = t.limit() * 2 // JSON is longer than what it says, but not by so much
	return &wholeReply{body: response.Body}, nil
}

// limit returns the maximum number of bytes of a reply.
func (t *call) limit() int { return (t.sampling.MaxTokens + thinkingTokens) * bytesPerToken }

// listen reads a reply to its end. A reply is complete if it says how it finished; the end of a stream
// proves nothing, because proxies end it properly when the server behind them breaks.
func (t *call) listen(pieces events) (rawReply, error) {
	var reply rawReply
	var text, reasoning strings.Builder
	count := 0
	for {
		raw, err := pieces.RecvRaw()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return reply, t.fault(err)
		}
		var e event
		if err := json.Unmarshal(raw, &e); err != nil {
			return reply, t.to.newError(Malformed, "base_url", notAReply(raw))
		}
		if said := e.fault(); said != "" {
			return reply, t.faulty(said)
		}
		count++
		if e.Model != "" {
			reply.Model = sanitise.Line(e.Model)
		}
		if e.Usage != nil && e.Usage.PromptTokens+e.Usage.CompletionTokens > 0 {
			reply.usage = e.Usage
		}
		if len(e.Choices) == 0 {
			continue
		}
		choice := e.Choices[0]
		for _, p := range []piece{choice.Delta, choice.Message} {
			reasoning.WriteString(p.reasoning())
			text.WriteString(p.Content.text)
			t.entry.completion(p.reasoning() + p.Content.text)
			t.filter.push(p.reasoning(), p.Content.text, &text)
		}
		if choice.FinishReason != "" {
			reply.Finish = choice.FinishReason
		}
		if text.Len()+reasoning.Len() > t.limit() {
			return reply, t.to.newError(TooLong, "max_tokens", errTooLong)
		}
	}
	if err := t.whole(&reply, count, text.Len()+reasoning.Len()); err != nil {
		return reply, err
	}
	t.finish(&reply, text.String(), reasoning.String())
	return reply, nil
}

// whole returns what is wrong with a stream that ended without saying how the reply finished.
func (t *call) whole(reply *rawReply, count, bytes int) error {
	switch {
	case reply.Finish != "":
		return nil
	case count == 0:
		return t.to.newError(Malformed, "base_url", errors.New("the reply is not a chat completion"))
	case bytes == 0:
		return t.to.newError(Malformed, "base_url", errors.New("the reply is empty"))
	}
	failed := t.to.newError(CutOff, "base_url", errors.New("the reply ended in the middle"))
	failed.Status = http.StatusOK
	return failed
}

// finish separates reasoning and reply and restores redacted texts.
func (t *call) finish(reply *rawReply, text, reasoning string) {
	thought, said, _ := prompts.SplitReasoning(text)
	if thought != "" && reasoning != "" {
		reasoning += "\n"
	}
	reply.Text, reply.Reasoning = sanitise.Redact(said), sanitise.Redact(reasoning+thought)
	t.text, t.reasoning = reply.Text, reply.Reasoning
	if restore := t.chat.restore; restore != nil {
		reply.Text, reply.Reasoning = restore(reply.Text), restore(reply.Reasoning)
	}
	if reply.Model == "" {
		reply.Model = t.model
	}
	t.filter.finish(reply.Text)
}

// fault returns the error of a stream that broke.
func (t *call) fault(err error) error {
	var failed *Error
	var said *openai.APIError
	switch {
	case errors.As(err, &failed):
		if failed.Fault == CutOff {
			failed.Status = http.StatusOK // the reply had begun
		}
		return failed
	case errors.As(err, &said):
		return t.faulty(said.Message)
	}
	return t.to.newError(Malformed, "base_url", rootCause(err))
}

// faulty returns the error of an endpoint that reports one inside a successful response.
func (t *call) faulty(said string) error {
	failed := t.to.newError(ServerFault, "base_url", errors.New(oneLine(said)))
	failed.Status, failed.said = http.StatusOK, said
	return failed
}
