package mail

import (
	"io"
	"mime"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/ingest/web"
)

// entity is a message or a part of one.
type entity struct {
	headers  []header
	body     string
	bodyLine int // the line of the file on which the body begins
}

type header struct {
	name, value string // value with its line feeds
	line        int
}

// characters returns the bytes of a file, or its characters if it is UTF-16.
func characters(content []byte) string {
	text := string(content)
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		text = web.Decode(content)
	}
	return lineFeeds(text)
}

// lineFeeds makes each line end one line feed.
func lineFeeds(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

var headerName = regexp.MustCompile(`^[!-9;-~]{1,80}[ \t]*$`)

// parse reads the headers of an entity that begins on a line.
func parse(text string, line int) entity {
	e := entity{}
	text = strings.TrimPrefix(text, "\uFEFF")
	for text != "" {
		first, rest, _ := strings.Cut(text, "\n")
		if strings.TrimSpace(first) == "" {
			e.body, e.bodyLine = rest, line+1
			return e
		}
		name, value, found := strings.Cut(first, ":")
		switch {
		case (first[0] == ' ' || first[0] == '\t') && len(e.headers) > 0:
			last := &e.headers[len(e.headers)-1]
			if len(last.value) < 1<<16 {
				last.value += "\n" + first
			}
		case found && headerName.MatchString(name):
			e.headers = append(e.headers, header{strings.TrimRight(name, " \t"), value, line})
		default: // no header: the body has begun without a blank line
			e.body, e.bodyLine = text, line
			return e
		}
		text = rest
		line++
	}
	e.bodyLine = line
	return e
}

// isMessage reports whether the headers are those of a message.
func (e *entity) isMessage() bool {
	known := 0
	for _, name := range []string{"From", "To", "Subject", "Date", "Received", "Message-Id", "Return-Path", "Mime-Version", "Content-Type", "Sender", "Delivered-To"} {
		if e.has(name) {
			known++
		}
	}
	return known >= 2 || known == 1 && e.has("Subject") || known == 1 && e.has("From")
}

func (e *entity) has(name string) bool { return e.find(name) != nil }

func (e *entity) find(name string) *header {
	for i := range e.headers {
		if strings.EqualFold(e.headers[i].name, name) {
			return &e.headers[i]
		}
	}
	return nil
}

// lineOf returns the line of a header, or of the body.
func (e *entity) lineOf(name string) int {
	if h := e.find(name); h != nil {
		return h.line
	}
	return e.bodyLine
}

// word returns the value of a header as it is shown.
func (e *entity) word(name string) string {
	if h := e.find(name); h != nil {
		return strings.Join(strings.Fields(words(strings.ReplaceAll(h.value, "\n", ""))), " ")
	}
	return ""
}

var decoder = mime.WordDecoder{CharsetReader: func(charset string, input io.Reader) (io.Reader, error) {
	content, err := io.ReadAll(io.LimitReader(input, 1<<20))
	return strings.NewReader(web.DecodeAs(charset, content)), err
}}

// words decodes the words of a header that are encoded, and removes what is not seen.
func words(value string) string {
	if !utf8.ValidString(value) {
		value = web.DecodeAs("", []byte(value))
	}
	if decoded, err := decoder.DecodeHeader(value); err == nil {
		value = decoded
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' || r == 0xAD || r == 0xFEFF {
			return -1
		}
		return r
	}, value)
}

// contentType returns the kind of an entity in lower case, and its parameters.
func (e *entity) contentType() (string, map[string]string) {
	h := e.find("Content-Type")
	if h == nil {
		return "text/plain", nil
	}
	return media(h.value)
}

// disposition returns how an entity is to be shown.
func (e *entity) disposition() (string, map[string]string) {
	h := e.find("Content-Disposition")
	if h == nil {
		return "", nil
	}
	return media(h.value)
}

// media reads a value with parameters, however badly it is written.
func media(value string) (string, map[string]string) {
	value = strings.Join(strings.Fields(value), " ")
	kind, parameters, err := mime.ParseMediaType(value)
	if err == nil {
		return kind, parameters
	}
	parts := strings.Split(value, ";")
	parameters = map[string]string{}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		parameters[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	return strings.ToLower(strings.TrimSpace(parts[0])), parameters
}

// divide returns the parts of an entity between its boundaries.
func (e *entity) divide(boundary string) []entity {
	if boundary == "" {
		return nil
	}
	var parts []entity
	start, startLine := -1, 0
	at, line := 0, e.bodyLine
	end := func(to int) {
		if start >= 0 && len(parts) <= maxParts {
			parts = append(parts, parse(e.body[start:max(start, to)], startLine))
		}
	}
	for text := range strings.Lines(e.body) {
		if strings.HasPrefix(text, "--") && strings.HasPrefix(text[2:], boundary) {
			switch rest := strings.TrimSpace(text[2+len(boundary):]); rest {
			case "":
				end(at - 1)
				start, startLine = at+len(text), line+1
			case "--":
				end(at - 1)
				return parts
			}
		}
		at += len(text)
		line++
	}
	end(at)
	return parts
}
