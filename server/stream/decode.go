package stream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

const (
	headerLine = 16 << 10 // bytes of one header line; longer ones are skipped
	maxDepth   = 512      // nesting of one message; the protocol's own stay below 30
)

// refusal is a message we answer instead of handing it on.
type refusal struct {
	code    jsonrpc2.Code
	id      json.RawMessage // as the client wrote it; nil for null
	message string
}

func (r *refusal) Error() string { return r.message }

func refuse(code jsonrpc2.Code, id json.RawMessage, format string, args ...any) *refusal {
	return &refusal{code: code, id: id, message: fmt.Sprintf(format, args...)}
}

const lengthField = "content-length:"

// readHeader reads up to the empty line and returns the length of the body. A block without a
// usable length gives a *refusal; what follows it is then read as the next header, and because
// the field is found anywhere in a line, the reader is back in step at the next whole message.
func readHeader(in *bufio.Reader) (int64, error) {
	length, seen := int64(-1), false
	for {
		line, err := in.ReadSlice('\n')
		overlong := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !overlong {
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if !seen {
				continue // stray empty lines between messages
			}
			if length < 0 {
				return 0, refuse(jsonrpc2.ParseError, nil, "header without a usable Content-Length")
			}
			return length, nil
		}
		seen = true
		if i := strings.LastIndex(lowerASCII(text), lengthField); i >= 0 && !overlong {
			value := strings.TrimSpace(text[i+len(lengthField):])
			if n, err := strconv.ParseUint(value, 10, 62); err == nil {
				length = int64(n)
			} else {
				length = -1
			}
		}
	}
}

// lowerASCII keeps the length of a text in bytes, which strings.ToLower does not when the text is
// not UTF-8.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// envelope is the outside of every message. Members stay raw until their kind is known.
type envelope struct {
	Version json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// decode reads one message. It never recurses deeper than maxDepth: the library's own decoder
// overflows the stack on deep nesting, which no recover can catch.
func decode(body []byte) (jsonrpc2.Message, *refusal) {
	if depthOf(body) > maxDepth {
		return nil, refuse(jsonrpc2.InvalidRequest, nil, "message nested deeper than %d", maxDepth)
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		var mistyped *json.UnmarshalTypeError
		switch {
		case errors.As(err, &mistyped) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
			return nil, refuse(jsonrpc2.InvalidRequest, nil, "batches are not part of this protocol")
		case errors.As(err, &mistyped):
			return nil, refuse(jsonrpc2.InvalidRequest, nil, "a message has to be an object")
		}
		return nil, refuse(jsonrpc2.ParseError, nil, "message is not JSON: %v", err)
	}
	var id jsonrpc2.ID
	var echo json.RawMessage
	if e.ID != nil && scalar(e.ID) {
		echo = e.ID
	}
	if !bytes.Equal(e.Version, []byte(`"2.0"`)) {
		return nil, refuse(jsonrpc2.InvalidRequest, echo, `message lacks "jsonrpc": "2.0"`)
	}
	if e.ID != nil {
		var ok bool
		if id, ok = parseID(e.ID); !ok {
			return nil, refuse(jsonrpc2.InvalidRequest, echo, "id %.80s is neither a 32-bit whole number nor a non-empty string", e.ID)
		}
	}
	if e.Method == nil {
		return decodeResponse(e, id)
	}
	return decodeRequest(e, id, echo)
}

func decodeRequest(e envelope, id jsonrpc2.ID, echo json.RawMessage) (jsonrpc2.Message, *refusal) {
	var method string
	if err := json.Unmarshal(e.Method, &method); err != nil || method == "" {
		return nil, refuse(jsonrpc2.InvalidRequest, echo, "method has to be a non-empty string")
	}
	var params any
	if e.Params != nil {
		params = e.Params
	}
	var message jsonrpc2.Message
	var err error
	if e.ID == nil {
		message, err = jsonrpc2.NewNotification(method, params)
	} else {
		message, err = jsonrpc2.NewCall(id, method, params)
	}
	if err != nil {
		return nil, refuse(jsonrpc2.InvalidRequest, echo, "params cannot be read: %v", err)
	}
	return message, nil
}

// decodeResponse reads the answer to a call of ours. A missing result counts as null: languages
// whose tables cannot hold a null leave it out.
func decodeResponse(e envelope, id jsonrpc2.ID) (jsonrpc2.Message, *refusal) {
	if e.ID == nil {
		return nil, refuse(jsonrpc2.InvalidRequest, nil, "message is neither a request nor a response")
	}
	var failure error
	if e.Error != nil && string(e.Error) != "null" {
		wire := new(jsonrpc2.Error)
		if err := json.Unmarshal(e.Error, wire); err != nil {
			wire = jsonrpc2.NewError(jsonrpc2.UnknownError, "the client answered with an unreadable error")
		}
		failure = wire
	}
	response, err := jsonrpc2.NewResponse(id, e.Result, failure)
	if err != nil {
		return nil, refuse(jsonrpc2.InvalidRequest, nil, "result cannot be read: %v", err)
	}
	return response, nil
}

// parseID reads an id that the library can hold: it has room for 32 bits, and takes an empty
// string for the number 0.
func parseID(raw json.RawMessage) (jsonrpc2.ID, bool) {
	var number int32
	var decimal float64 // as some languages write whole numbers
	var name string
	switch {
	case string(raw) == "null":
		return jsonrpc2.ID{}, false
	case json.Unmarshal(raw, &number) == nil:
		return jsonrpc2.NewNumberID(number), true
	case json.Unmarshal(raw, &decimal) == nil && decimal == float64(int32(decimal)):
		return jsonrpc2.NewNumberID(int32(decimal)), true
	case json.Unmarshal(raw, &name) == nil && name != "":
		return jsonrpc2.NewStringID(name), true
	}
	return jsonrpc2.ID{}, false
}

// scalar reports whether an id may be echoed as it stands.
func scalar(raw json.RawMessage) bool { return raw[0] != '{' && raw[0] != '[' }

// depthOf is the deepest nesting of arrays and objects in a text that may not be JSON.
func depthOf(body []byte) int {
	depth, deepest := 0, 0
	quoted := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
