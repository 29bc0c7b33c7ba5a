package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// bytesPerToken bounds a reply: for each token that was allowed it may have so many bytes. Tokens are
// rarely longer, except for runs of spaces.
const bytesPerToken = 32

// heard is a reply as it was read.
type heard struct {
	Reply
	counted *openai.Usage // by the endpoint; nil if it did not
}

// starved reports whether the model was still thinking when its tokens ran out.
func (h heard) starved() bool {
	return h.RanOut() && strings.TrimSpace(h.Text) == "" && h.Reasoning != ""
}

// event is one piece of a streamed reply, or the whole reply of an endpoint that does not stream.
// It is what go-openai has for it, with the forms that other servers use.
type event struct {
	Model   string `json:"model"`
	Choices []struct {
		Delta        piece  `json:"delta"`
		Message      piece  `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *openai.Usage   `json:"usage"`
	Error json.RawMessage `json:"error"`
	// Some servers report an error with status 200 as an object of this name.
	Object  string          `json:"object"`
	Message json.RawMessage `json:"message"`
}

// fault is what an event says of an error; "" where it reports none.
func (e event) fault() string {
	if e.Object == "error" && len(e.Choices) == 0 {
		return textIn(e.Message)
	}
	return textIn(e.Error)
}

// piece is a piece of a message. Reasoning has several names.
type piece struct {
	Content          content `json:"content"`
	ReasoningContent aside   `json:"reasoning_content"`
	Reasoning        aside   `json:"reasoning"`
	Thinking         aside   `json:"thinking"`
}

func (p piece) reasoning() string {
	for _, a := range []aside{p.ReasoningContent, p.Reasoning, p.Thinking} {
		if a != "" {
			return string(a)
		}
	}
	return p.Content.thinking
}

// aside is text beside a reply. Where it has another form than a text or a list of parts, the reply is
// read without it.
type aside string

// UnmarshalJSON implements [json.Unmarshaler].
func (a *aside) UnmarshalJSON(data []byte) error {
	var said content
	var object struct{ Text, Content, Summary string }
	switch {
	case said.UnmarshalJSON(data) == nil:
		*a = aside(said.thinking + said.text)
	case json.Unmarshal(data, &object) == nil:
		*a = aside(object.Text + object.Content + object.Summary)
	}
	return nil
}

// content is text, or parts of which some are text and some are thoughts.
type content struct{ text, thinking string }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return json.Unmarshal(data, &c.text)
	}
	var parts []struct {
		Type      string  `json:"type"`
		Text      string  `json:"text"`
		Thinking  content `json:"thinking"`
		Reasoning aside   `json:"reasoning"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		switch p.Type {
		case "thinking":
			c.thinking += p.Thinking.text
		case "reasoning":
			c.thinking += string(p.Reasoning) + p.Text
		default:
			c.text += p.Text
		}
	}
	return nil
}

// events are the pieces of a reply, as go-openai gives them: each is JSON, and io.EOF is the end.
type events interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// onePiece is a reply that comes in one piece.
type onePiece struct {
	body io.ReadCloser
	read bool
}

// RecvRaw implements [events].
func (o *onePiece) RecvRaw() ([]byte, error) {
	if o.read {
		return nil, io.EOF
	}
	o.read = true
	text, err := io.ReadAll(o.body)
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = io.EOF
	}
	return text, err
}

// Close implements [events].
func (o *onePiece) Close() error { return o.body.Close() }

// limit is how many bytes a reply may have.
func (t *talk) limit() int { return (t.sampling.MaxTokens + thinkingTokens) * bytesPerToken }

// listen reads a reply to its end. It is whole when it says how it finished; that a stream ends tells
// nothing, because proxies end it in good order when the server behind them breaks.
func (t *talk) listen(pieces events) (heard, error) {
	var reply heard
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
			return reply, t.to.fail(Malformed, "base_url", notAReply(raw))
		}
		if said := e.fault(); said != "" {
			return reply, t.faulty(said)
		}
		count++
		if e.Model != "" {
			reply.Model = sanitise.Line(e.Model)
		}
		if e.Usage != nil && e.Usage.PromptTokens+e.Usage.CompletionTokens > 0 {
			reply.counted = e.Usage
		}
		if len(e.Choices) == 0 {
			continue
		}
		choice := e.Choices[0]
		for _, p := range []piece{choice.Delta, choice.Message} {
			reasoning.WriteString(p.reasoning())
			text.WriteString(p.Content.text)
			t.entry.completion(p.reasoning() + p.Content.text)
			t.teller.tell(p.reasoning(), p.Content.text, &text)
		}
		if choice.FinishReason != "" {
			reply.Finish = choice.FinishReason
		}
		if text.Len()+reasoning.Len() > t.limit() {
			return reply, t.to.fail(TooLong, "max_tokens", errTooLong)
		}
	}
	if err := t.whole(&reply, count, text.Len()+reasoning.Len()); err != nil {
		return reply, err
	}
	t.finish(&reply, text.String(), reasoning.String())
	return reply, nil
}

// notAReply says what came in place of a reply.
func notAReply(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<")) {
		return errWebPage
	}
	return errors.New("the reply is not JSON of a chat")
}

var errWebPage = errors.New("the reply is a web page")

// whole says what is wrong with a stream that ended without saying how the reply finished.
func (t *talk) whole(reply *heard, count, bytes int) error {
	switch {
	case reply.Finish != "":
		return nil
	case count == 0:
		return t.to.fail(Malformed, "base_url", errors.New("the reply is not that of a model"))
	case bytes == 0:
		return t.to.fail(Malformed, "base_url", errors.New("the reply is empty"))
	}
	failed := t.to.fail(CutOff, "base_url", errors.New("the reply ended in the middle"))
	failed.Status = http.StatusOK
	return failed
}

// finish takes a reply apart and puts back what redaction took out.
func (t *talk) finish(reply *heard, text, reasoning string) {
	thought, said, _ := prompts.SplitReasoning(text)
	if thought != "" && reasoning != "" {
		reasoning += "\n"
	}
	reply.Text, reply.Reasoning = sanitise.Redact(said), sanitise.Redact(reasoning+thought)
	if restore := t.chat.restore; restore != nil {
		reply.Text, reply.Reasoning = restore(reply.Text), restore(reply.Reasoning)
	}
	if reply.Model == "" {
		reply.Model = t.model
	}
	t.teller.rest(reply.Text)
}

// fault makes the error of a stream that could not be read on.
func (t *talk) fault(err error) error {
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
	return t.to.fail(Malformed, "base_url", plain(err))
}

// faulty is the error of an endpoint that reports one inside a response that began well.
func (t *talk) faulty(said string) error {
	failed := t.to.fail(ServerFault, "base_url", errors.New(oneLine(said)))
	failed.Status, failed.said = http.StatusOK, said
	return failed
}

// streamed is a [wire] for replies that are to come as events.
type streamed struct{ *wire }

// Do makes a stream of one event of the reply of an endpoint that does not stream.
func (s streamed) Do(r *http.Request) (*http.Response, error) {
	response, err := s.wire.Do(r)
	if err != nil || strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response, err
	}
	body := response.Body
	buffered := bufio.NewReader(body)
	whole, err := firstByte(buffered)
	switch {
	case err != nil:
	case whole == '<':
		err = s.to.fail(Malformed, "base_url", errWebPage)
	case whole == '{':
		response.Body, err = oneEvent(buffered, body)
	default:
		response.Body = reading{buffered, body}
	}
	if errors.Is(err, errNoJSON) {
		err = s.to.fail(Malformed, "base_url", err)
	}
	if err != nil {
		_ = body.Close() // the error says more
		s.settle(Usage{}, err)
		return nil, err
	}
	return response, nil
}

// reading reads from one place and closes another.
type reading struct {
	io.Reader
	io.Closer
}

// firstByte looks at the first byte that is no space; 0 if there is none.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		next, err := r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		case next != ' ' && next != '\n' && next != '\r' && next != '\t':
			return next, r.UnreadByte()
		}
	}
}

var errNoJSON = errors.New("the reply is not JSON")

// oneEvent reads a whole JSON object and makes the only event of a stream of it.
func oneEvent(from io.Reader, closer io.Closer) (io.ReadCloser, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	line.WriteString("data: ")
	if err := json.Compact(&line, text); err != nil {
		return nil, errNoJSON
	}
	line.WriteString("\n\n")
	return reading{&line, closer}, nil
}
