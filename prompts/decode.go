package prompts

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

// maxReplyBytes limits how much of a reply is read; no model may write more.
const maxReplyBytes = 1 << 18

var (
	// ErrEmpty says that a reply has no text to read.
	ErrEmpty         = errors.New("the reply is empty")
	errStillThinking = errors.New("the reply ended while the model was still thinking")
	errUnreadable    = errors.New("the reply is not in the form asked for")
	errRunaway       = errors.New("the reply repeats one character without end")
	errNoChoice      = errors.New("the reply does not choose exactly one of the options")
	errRefusal       = errors.New("the reply is a refusal")
	errNoContent     = errors.New("nothing is left of the reply without headings and announcements")
)

// decode returns the value in a reply that understand accepts. It tries, in this order and each from
// the outermost bracket inwards: the reply as it is; the last fenced block, then the others, then the
// whole text, each strictly and then leniently; the text with its quotes unescaped; and lines labelled
// with field names.
func decode[T any](reply string, fields []field, understand func(value any) (T, bool)) (T, Path, error) {
	value, found, err := decodeAt(reply, fields, understand, false)
	return value, found.path, err
}

// place is where a value was found in [replyText], in bytes.
type place struct {
	path       Path
	start, end int
}

// decodeAt is [decode] and returns where the value stands in [replyText]. If last is set, the last
// complete value counts: a model that reasons in text may write down another one on the way.
func decodeAt[T any](reply string, fields []field, understand func(value any) (T, bool), last bool) (T, place, error) {
	var understood T
	try := func(value any) bool {
		v, ok := understand(value)
		if ok {
			understood = v
		}
		return ok
	}
	text, err := replyText(reply)
	if err != nil {
		return understood, place{path: Unparsed}, err
	}
	if found := (finder{fields, try, last}).find(text, 2); found.path != Unparsed {
		return understood, found, nil
	}
	return understood, place{path: Unparsed}, errUnreadable
}

// endToken matches tokens that a misconfigured server leaves at the end of a reply.
var endToken = regexp.MustCompile(`(?:\s*(?:<\|[a-z_]{1,30}\|>|</s>|<end_of_turn>))+$`)

// replyText returns a reply without its reasoning.
func replyText(reply string) (string, error) {
	if len(reply) > maxReplyBytes {
		reply = reply[:maxReplyBytes]
	}
	_, text, closed := SplitReasoning(strings.ToValidUTF8(reply, "\uFFFD"))
	text = strings.TrimSpace(strings.Trim(text, "\uFEFF"))
	text = strings.TrimSpace(endToken.ReplaceAllString(text, ""))
	switch {
	case !closed:
		return "", errStillThinking
	case text == "":
		return "", ErrEmpty
	case runaway(text):
		return "", errRunaway
	}
	return text, nil
}

// finder looks for a value that try accepts.
type finder struct {
	fields []field
	try    func(any) bool
	last   bool // the last value instead of the first
}

// find searches a text that may be encoded as a JSON string up to encoded times.
func (f finder) find(text string, encoded int) place {
	var whole any
	if json.Unmarshal([]byte(text), &whole) == nil {
		if inner, ok := whole.(string); ok && encoded > 0 {
			if f.find(inner, encoded-1).path != Unparsed {
				return place{Repaired, 0, len(text)}
			}
		} else if f.try(whole) {
			return place{Bare, 0, len(text)}
		}
	}
	for _, block := range slices.Backward(fencedBlocks(text)) {
		if found := f.scan(block.text, 0, place{path: Unparsed}, Fenced); found.path != Unparsed {
			found.start, found.end = block.start, block.end
			if f.last {
				found = f.scan(text, found.end, found, Embedded)
			}
			return found
		}
	}
	if found := f.scan(text, 0, place{path: Unparsed}, Embedded); found.path != Unparsed {
		return found
	}
	if strings.Contains(text, `\"`) {
		plain := strings.ReplaceAll(text, `\"`, `"`)
		if found := f.scan(plain, 0, place{path: Unparsed}, Repaired); found.path != Unparsed {
			return place{found.path, encodedOffset(text, found.start), encodedOffset(text, found.end)}
		}
	}
	if lines, start := labelledLines(text, f.fields); len(lines) > 0 && f.try(lines) {
		return place{Lines, start, len(text)}
	}
	return place{path: Unparsed}
}

// encodedOffset maps an offset in a text with unescaped quotes to the text itself.
func encodedOffset(text string, at int) int {
	i := 0
	for ; i < len(text) && at > 0; i, at = i+1, at-1 {
		if strings.HasPrefix(text[i:], `\"`) {
			i++
		}
	}
	return i
}

// fencedBlock is a fenced block: its content, and its place including the marks.
type fencedBlock struct {
	text       string
	start, end int
}

// fencedBlocks returns the fenced blocks of a text; the last may be open.
func fencedBlocks(text string) []fencedBlock {
	var blocks []fencedBlock
	at := 0
	for i, piece := range strings.Split(strings.ReplaceAll(text, "~~~", "```"), "```") {
		if i%2 == 1 {
			blocks = append(blocks, fencedBlock{piece, at - len("```"), min(at+len(piece)+len("```"), len(text))})
		}
		at += len(piece) + len("```")
	}
	return blocks
}

// scan tries the JSON values in a text from an offset on, outer ones before the values inside them.
// strictly is the path of a value that needs no repair; found is returned if there is none.
func (f finder) scan(text string, from int, found place, strictly Path) place {
	// Openings that close nowhere are each read to the end; a text has few of them unless it is made
	// to cost time.
	budget := 4*len(text) + 1<<12
	for at := from; budget > 0; {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			break
		}
		at += next
		value, read, err := readStrict(text[at:])
		if err == nil {
			if f.try(value) {
				found = place{strictly, at, at + read}
				if !f.last {
					return found
				}
			}
			at += read
			continue
		}
		budget -= read
		value, read, path := readLenient(text[at:])
		budget -= read
		switch {
		case path == Unparsed:
			at++
		case f.last && path == Closed && found.path != Unparsed: // cut off behind one that is whole
			return found
		case f.try(value):
			found = place{path, at, at + read}
			if !f.last {
				return found
			}
			at += read
		default: // what is in it belongs to it, and is no reply by itself
			at += read
		}
	}
	return found
}

// readStrict reads the JSON value at the beginning of a text, and returns how many bytes it has read.
func readStrict(text string) (value any, read int, err error) {
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

// runaway reports whether most of a text repeats one character, because the generation ran away.
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
