package prompts

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
)

// Path says how far the parser had to go to understand a reply.
type Path string

const (
	Bare     Path = "bare"     // JSON and nothing else, or text where text was asked for
	Fenced   Path = "fenced"   // in a fenced block
	Embedded Path = "embedded" // balanced JSON inside other text, such as "Dict{…}"
	Closed   Path = "closed"   // cut off; open strings and brackets were closed
	Repaired Path = "repaired" // quotes, commas, literals or comments were mended
	Lines    Path = "lines"    // labelled lines instead of JSON
	Unparsed Path = "unparsed"
)

// What a judge may name, as the Misknow-RAG paper's second retrieval can use it, and how long a
// line of it and an explanation may be, in characters.
const (
	mostGaps    = 4
	longestItem = 200
	longestText = 4000
)

// largestReply is how much of a reply is read, in bytes: more than any model is allowed to write.
const largestReply = 1 << 18

var (
	errEmpty     = errors.New("the reply is empty")
	errThinking  = errors.New("the reply ended while the model was still thinking")
	errNoSense   = errors.New("the reply is not in the form asked for")
	errRunaway   = errors.New("the reply repeats one character without end")
	errNoChoice  = errors.New("the reply does not choose exactly one of the options")
	errRefusal   = errors.New("the reply is a refusal")
	errNoContent = errors.New("nothing of the reply is left once headings and announcements are taken out")
)

// decode finds in a reply what understand understands. It tries, in this order and each from the
// outermost bracket inwards: the reply as it is; the last fenced block, then the others, then the
// whole text, each strictly and then leniently; the text with its quotes unescaped; and lines
// labelled with the names of fields.
func decode[T any](reply string, fields []field, understand func(value any) (T, bool)) (T, Path, error) {
	var understood T
	try := func(value any) (ok bool) {
		understood, ok = understand(value)
		return ok
	}
	text, err := spoken(reply)
	if err != nil {
		return understood, Unparsed, err
	}
	if path := find(text, fields, try, 2); path != Unparsed {
		return understood, path, nil
	}
	var none T
	return none, Unparsed, errNoSense
}

// endToken is what a server that is set up wrongly leaves at the end of a reply.
var endToken = regexp.MustCompile(`(?:\s*(?:<\|[a-z_]{1,30}\|>|</s>|<end_of_turn>))+$`)

// spoken is what a reply says, without its reasoning.
func spoken(reply string) (string, error) {
	if len(reply) > largestReply {
		reply = reply[:largestReply]
	}
	_, text, closed := SplitReasoning(strings.ToValidUTF8(reply, "\uFFFD"))
	text = strings.TrimSpace(strings.Trim(text, "\uFEFF"))
	text = strings.TrimSpace(endToken.ReplaceAllString(text, ""))
	switch {
	case !closed:
		return "", errThinking
	case text == "":
		return "", errEmpty
	case runaway(text):
		return "", errRunaway
	}
	return text, nil
}

// find looks for a value that try takes, in text that may be encoded so many times.
func find(text string, fields []field, try func(any) bool, encoded int) Path {
	var whole any
	if json.Unmarshal([]byte(text), &whole) == nil {
		if inner, ok := whole.(string); ok && encoded > 0 {
			if find(inner, fields, try, encoded-1) != Unparsed {
				return Repaired
			}
		} else if try(whole) {
			return Bare
		}
	}
	blocks := fences(text)
	for i := len(blocks) - 1; i >= 0; i-- {
		if path := scan(blocks[i], Fenced, try); path != Unparsed {
			return path
		}
	}
	if path := scan(text, Embedded, try); path != Unparsed {
		return path
	}
	if strings.Contains(text, `\"`) {
		if path := scan(strings.ReplaceAll(text, `\"`, `"`), Repaired, try); path != Unparsed {
			return path
		}
	}
	if lines := labelled(text, fields); len(lines) > 0 && try(lines) {
		return Lines
	}
	return Unparsed
}

// fences returns what stands in the fenced blocks of a text; the last may be open.
func fences(text string) []string {
	var blocks []string
	for i, piece := range strings.Split(strings.ReplaceAll(text, "~~~", "```"), "```") {
		if i%2 == 1 {
			blocks = append(blocks, piece)
		}
	}
	return blocks
}

// scan tries the JSON values in a text, the outer ones before what is in them. Strictly is how a
// value is found that needs no mending.
func scan(text string, strictly Path, try func(any) bool) Path {
	// Openings that close nowhere are each read to the end; a text has few of them unless it is made
	// to cost time.
	budget := 4*len(text) + 1<<12
	for at := 0; budget > 0; {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			break
		}
		at += next
		value, read, err := readStrictly(text[at:])
		if err == nil {
			if try(value) {
				return strictly
			}
			at += read
			continue
		}
		budget -= read
		value, read, path := leniently(text[at:])
		budget -= read
		switch {
		case path == Unparsed:
			at++
		case try(value):
			return path
		default: // what is in it belongs to it, and is no reply by itself
			at += read
		}
	}
	return Unparsed
}

// readStrictly reads the JSON value that a text begins with, and returns how many bytes it has read.
func readStrictly(text string) (value any, read int, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	err = decoder.Decode(&value)
	var wrong *json.SyntaxError
	switch {
	case err == nil:
		return value, int(decoder.InputOffset()), nil
	case errors.As(err, &wrong):
		return nil, int(wrong.Offset), err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, len(text), err
	}
	return nil, len(text), err
}

// runaway reports whether most of a text is one character repeated: a generation that ran away.
func runaway(text string) bool {
	const long = 64
	repeated, run := 0, 0
	var before rune
	for _, r := range text {
		if r == before {
			run++
		} else {
			before, run = r, 1
		}
		if run == long {
			repeated += long
		} else if run > long {
			repeated++
		}
	}
	return 2*repeated > len([]rune(text))
}
