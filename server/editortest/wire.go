package editortest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Message is any JSON-RPC message, as it came.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Failure        `json:"error,omitempty"`
}

// Failure is the error of a response.
type Failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *Failure) Error() string { return fmt.Sprintf("%d %s", f.Code, f.Message) }

// Frame puts the header before a message's text.
func Frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// ReadMessage reads one message. It is strict where the server's own reader is tolerant: what a
// server writes has to be exact.
func ReadMessage(in *bufio.Reader) (Message, error) {
	header, err := in.ReadString('\n')
	if err != nil {
		return Message{}, err
	}
	value, ok := strings.CutPrefix(header, "Content-Length: ")
	if !ok || !strings.HasSuffix(value, "\r\n") {
		return Message{}, fmt.Errorf("header %q", header)
	}
	length, err := strconv.Atoi(strings.TrimSuffix(value, "\r\n"))
	if err != nil {
		return Message{}, fmt.Errorf("header %q: %w", header, err)
	}
	if blank, err := in.ReadString('\n'); err != nil || blank != "\r\n" {
		return Message{}, fmt.Errorf("header ends in %q: %v", blank, err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return Message{}, err
	}
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		return Message{}, fmt.Errorf("body %q: %w", body, err)
	}
	if m.Version != "2.0" {
		return Message{}, fmt.Errorf("body %q has no version", body)
	}
	return m, nil
}
