package stream

import (
	"bytes"
	"encoding/json"
	"strings"

	"lacuna/knowledge/sanitise"
)

// Each message passes here before it leaves, so that no way to the client can be forgotten: names of
// files and folders, words of endpoints and whatever else a stranger wrote reach it without what acts
// on a terminal or hides something, and no key of an endpoint reaches it at all.

// exact holds the fields whose strings must arrive unchanged, because they are written into documents, name
// files, or are sent back. Keys are removed from them all the same, except from addresses.
var exact = map[string]bool{
	"newText": true, "insertText": true, "arguments": true, "data": true, "token": true, "pattern": true, "globPattern": true, "id": true,
}

// presentable returns a body as it may leave. Nearly all leave as they are.
func presentable(body []byte) []byte {
	if !suspicious(body) {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var message map[string]any
	if decoder.Decode(&message) != nil {
		return body // it is our own JSON
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(cleaned("", message, false)) != nil {
		return body
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// suspicious reports whether a body may hold something that must be examined. A numeric escape of JSON may
// be any character, except for the three that Go always escapes.
func suspicious(body []byte) bool {
	for rest := body; ; {
		at := bytes.IndexByte(rest, '\\')
		if at < 0 || at+1 >= len(rest) {
			return !sanitise.Clean(body)
		}
		switch rest = rest[at+1:]; rest[0] {
		case 'b', 'f':
			return true
		case 'u':
			if len(rest) < 5 || !harmlessNumber[string(rest[1:5])] {
				return true
			}
		}
		rest = rest[1:]
	}
}

var harmlessNumber = map[string]bool{"003c": true, "003e": true, "0026": true}

// cleaned is a value of a field; as is whether it has to arrive as it is.
func cleaned(field string, value any, as bool) any {
	address := strings.HasSuffix(strings.ToLower(field), "uri")
	as = as || exact[field] || address
	switch v := value.(type) {
	case string:
		switch {
		case address:
			return v
		case as:
			return sanitise.Redact(v)
		}
		return sanitise.Text(v)
	case []any:
		for i, one := range v {
			v[i] = cleaned(field, one, as)
		}
	case map[string]any:
		for name, one := range v {
			v[name] = cleaned(name, one, as && !address)
		}
	}
	return value
}
