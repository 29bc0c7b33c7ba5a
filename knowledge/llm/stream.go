package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	openai "github.com/sashabaranov/go-openai"

	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// bytesPerToken bounds the size of a reply by its token limit. Tokens are rarely longer, except for
// runs of spaces.
const bytesPerToken = 32

// event is one piece of a streamed reply, or the whole reply of an endpoint that does not stream:
// go-openai's type with the variants of other servers.
type event struct {
	Model   string `json:"model"`
	Choices []struct {
		Delta        piece  `json:"delta"`
		Message      piece  `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *openai.Usage   `json:"usage"`
	Error json.RawMessage `json:"error"`
	// Some servers report an error with status 200 as such an object.
	Object  string          `json:"object"`
	Message json.RawMessage `json:"message"`
}

// fault returns the error that an event reports, or "".
func (e event) fault() string {
	if e.Object == "error" && len(e.Choices) == 0 {
		return messageText(e.Message)
	}
	return messageText(e.Error)
}

// piece is a piece of a message. Reasoning has several names.
type piece struct {
	Content          content       `json:"content"`
	ReasoningContent reasoningText `json:"reasoning_content"`
	Reasoning        reasoningText `json:"reasoning"`
	Thinking         reasoningText `json:"thinking"`
}

func (p piece) reasoning() string {
	for _, a := range []reasoningText{p.ReasoningContent, p.Reasoning, p.Thinking} {
		if a != "" {
			return string(a)
		}
	}
	return p.Content.thinking
}

// reasoningText is text next to a reply. If it is neither text nor a list of parts, it is ignored.
type reasoningText string

// UnmarshalJSON implements [json.Unmarshaler].
func (a *reasoningText) UnmarshalJSON(data []byte) error {
	var said content
	var object struct{ Text, Content, Summary string }
	switch {
	case said.UnmarshalJSON(data) == nil:
		*a = reasoningText(said.thinking + said.text)
	case json.Unmarshal(data, &object) == nil:
		*a = reasoningText(object.Text + object.Content + object.Summary)
	}
	return nil
}

// content is text, or parts of which some are text and some are reasoning.
type content struct{ text, thinking string }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return json.Unmarshal(data, &c.text)
	}
	var parts []struct {
		Type      string        `json:"type"`
		Text      string        `json:"text"`
		Thinking  content       `json:"thinking"`
		Reasoning reasoningText `json:"reasoning"`
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

// events reads the pieces of a reply from go-openai: each is JSON, and io.EOF ends them.
type events interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// wholeReply is a reply in one piece.
type wholeReply struct {
	body io.ReadCloser
	read bool
}

// RecvRaw implements [events].
func (o *wholeReply) RecvRaw() ([]byte, error) {
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
func (o *wholeReply) Close() error { return o.body.Close() }

// streamWire is a [wire] for replies as events.
type streamWire struct{ *wire }

// Do turns the reply of an endpoint that does not stream into a stream of one event.
func (s streamWire) Do(r *http.Request) (*http.Response, error) {
	response, err := s.wire.Do(r)
	if err != nil || strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response, err
	}
	body := response.Body
	buffered := bufio.NewReader(body)
	whole, err := firstNonSpace(buffered)
	switch {
	case err != nil:
	case whole == '<':
		err = s.to.newError(Malformed, "base_url", errWebPage)
	case whole == '{':
		response.Body, err = singleEvent(buffered, body)
	default:
		response.Body = readCloser{buffered, body}
	}
	if errors.Is(err, errNoJSON) {
		err = s.to.newError(Malformed, "base_url", err)
	}
	if err != nil {
		_ = body.Close() // the error says more
		s.record(Usage{}, err)
		return nil, err
	}
	return response, nil
}

// readCloser reads from one place and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// firstNonSpace returns the first byte that is not a space, without consuming it; 0 if there is none.
func firstNonSpace(r *bufio.Reader) (byte, error) {
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

var errWebPage = errors.New("the reply is a web page")

// notAReply returns the error for something that is not a reply.
func notAReply(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<")) {
		return errWebPage
	}
	return errors.New("the reply is not a chat completion")
}

// singleEvent reads a JSON object and returns a stream with it as the only event.
func singleEvent(from io.Reader, closer io.Closer) (io.ReadCloser, error) {
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
	return readCloser{&line, closer}, nil
}

// maxPlaceholder is the length of the longest redaction placeholder, in bytes.
const maxPlaceholder = 64

// streamFilter passes a reply on while it is written: without reasoning, with redacted texts restored,
// and without repetition if the reply begins again.
type streamFilter struct {
	delta   func(string)        // nil if the caller does not listen
	restore func(string) string // nil if nothing was replaced
	first   time.Time           // when the first piece came

	shown    string // everything passed on so far
	restored strings.Builder
	used     int  // bytes of the reply in restored
	replying bool // reasoning has ended, or there was none
	start    int  // where the reply begins in the text
}

// reset prepares for a reply that begins again.
func (t *streamFilter) reset() {
	t.restored.Reset()
	t.used, t.start, t.replying = 0, 0, false
}

// push handles the next piece of a reply. whole is its text so far, including the piece.
func (t *streamFilter) push(reasoning, piece string, whole *strings.Builder) {
	if reasoning+piece == "" {
		return
	}
	if t.first.IsZero() {
		t.first = time.Now()
	}
	if t.delta == nil || piece == "" {
		return
	}
	if reply, has := t.reply(piece, whole.String()); has {
		t.emit(reply)
	}
}

// reply returns the text written so far without its reasoning. It agrees with [prompts.SplitReasoning]
// but does not read the whole text again for each piece.
func (t *streamFilter) reply(piece, text string) (string, bool) {
	if !t.replying && !prompts.MayThink(text) {
		t.replying = true
	}
	if !t.replying && strings.ContainsAny(piece, ">]▷") {
		t.start = prompts.ReasoningEnd(text)
		t.replying = t.start > 0
	}
	if t.start == 0 {
		return text, t.replying
	}
	return strings.TrimLeftFunc(text[t.start:], unicode.IsSpace), true
}

// emit passes on the new part of a reply, except a placeholder that may be incomplete.
func (t *streamFilter) emit(reply string) {
	if t.restore == nil {
		t.passOn(reply)
		return
	}
	end := len(reply)
	if open := strings.LastIndexByte(reply, '['); open >= 0 && end-open < maxPlaceholder && !strings.Contains(reply[open:], "]") {
		end = open
	}
	if end <= t.used {
		return
	}
	t.restored.WriteString(t.restore(reply[t.used:end]))
	t.used = end
	t.passOn(t.restored.String())
}

// passOn passes on what extends the text shown; what contradicts it is dropped.
func (t *streamFilter) passOn(reply string) {
	reply = sanitise.RedactPart(reply)
	if more, goesOn := strings.CutPrefix(reply, t.shown); goesOn && more != "" {
		t.shown = reply
		t.delta(more)
	}
}

// finish passes on the rest of a finished reply.
func (t *streamFilter) finish(reply string) {
	if t.delta != nil {
		t.passOn(reply)
	}
}
