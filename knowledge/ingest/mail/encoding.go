package mail

import (
	"encoding/base64"
	"strings"

	"lacuna/knowledge/ingest/web"
)

// joint stands in decoded text where a line of the file ends and the line of the text goes on. It stands
// between words, or between tags.
const joint = "\v"

// decoded is the text of a part.
type decoded struct {
	text   string
	joined bool // it may hold joints, each of which is a line of the file
	fixed  bool // its lines are not those of the file
}

// isEncoded reports whether the body is not its text.
func (e *entity) isEncoded() bool {
	switch e.encoding() {
	case "quoted-printable", "base64", "x-uuencode", "uuencode":
		return true
	}
	return false
}

func (e *entity) encoding() string {
	return strings.ToLower(strings.Trim(e.word("Content-Transfer-Encoding"), ` "`))
}

// decode returns the text of a part. In a page, joints stand between tags and words only.
func (e *entity) decode(page bool) decoded {
	_, parameters := e.contentType()
	content := []byte(e.body)
	d := decoded{}
	switch e.encoding() {
	case "quoted-printable":
		content = unquoted(e.body, page)
		d.joined = true
	case "base64":
		content = unpacked(e.body)
		d.fixed = true
	}
	if charset := parameters["charset"]; charset != "" {
		d.text = web.DecodeAs(charset, content)
	} else if page {
		d.text = web.Decode(content)
	} else {
		d.text = web.DecodeAs("", content)
	}
	d.text = lineFeeds(d.text)
	return d
}

// unquoted decodes quoted-printable text. Wrong escapes stay as they are.
func unquoted(body string, page bool) []byte {
	out := make([]byte, 0, len(body))
	due := 0       // joints
	inTag := false // of a page
	flush := func() {
		for ; due > 0; due-- {
			out = append(out, joint...)
		}
	}
	put := func(c byte) {
		switch {
		case c == '\v':
			return
		case c == '\n':
			flush()
		case page && c == '<':
			inTag = true
		case page && c == '>' && inTag:
			inTag = false
			out = append(out, c)
			flush()
			return
		case c == ' ' && !inTag:
			flush()
		}
		out = append(out, c)
	}
	for line := range strings.Lines(body) {
		text := strings.TrimRight(line, " \t\n")
		soft := strings.HasSuffix(text, "=")
		if soft {
			text = text[:len(text)-1]
		} else if !strings.HasSuffix(line, "\n") {
			text = line
		}
		for i := 0; i < len(text); i++ {
			if text[i] == '=' && i+2 < len(text) && hex(text[i+1]) >= 0 && hex(text[i+2]) >= 0 {
				put(byte(hex(text[i+1])<<4 | hex(text[i+2])))
				i += 2
				continue
			}
			put(text[i])
		}
		switch {
		case soft:
			due++
		case strings.HasSuffix(line, "\n"):
			flush()
			out = append(out, '\n')
		}
	}
	return out
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// unpacked decodes base64, as far as it goes.
func unpacked(body string) []byte {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		}
		return -1
	}, body)
	content := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, _ := base64.RawStdEncoding.Decode(content, []byte(clean)) // a cut one gives what it has
	return content[:n]
}
