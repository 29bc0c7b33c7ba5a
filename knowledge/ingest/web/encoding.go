package web

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// headBytes is how far a page is searched for its encoding. Browsers read 1,024 bytes; scripts and
// comments of real pages push the statement further down.
const headBytes = 8192

var stated = regexp.MustCompile(`(?i)<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w:.-]+)|<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w:.-]+)`)

// Decode returns the characters of a page as a browser would: by its byte order mark, by the encoding
// that it states, else as UTF-8, or as windows-1252 if it is not UTF-8. Bytes that the encoding does not
// know stay as they are, so that whoever reads the text can see that it is damaged. Lines end with
// line feeds.
func Decode(content []byte) string {
	return lineFeeds(decode(content))
}

func decode(content []byte) string {
	switch {
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		return string(content[3:])
	case bytes.HasPrefix(content, []byte("\xfe\xff")):
		return decoded(unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM), content)
	case bytes.HasPrefix(content, []byte("\xff\xfe")):
		return decoded(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), content)
	case bytes.HasPrefix(content, []byte("<\x00")):
		return decoded(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), content)
	case bytes.HasPrefix(content, []byte("\x00<")):
		return decoded(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), content)
	}
	name := ""
	if at := stated.FindSubmatch(content[:min(len(content), headBytes)]); at != nil {
		name = string(at[1]) + string(at[2])
	}
	return DecodeAs(name, content)
}

// DecodeAs returns the characters of bytes in a named encoding, or what [Decode] takes without a name if
// no encoding has that name.
func DecodeAs(name string, content []byte) string {
	valid := utf8.Valid(content)
	if e, err := htmlindex.Get(strings.TrimSpace(name)); name != "" && err == nil {
		label, _ := htmlindex.Name(e)
		switch {
		case label == "utf-8", label == "utf-16le", label == "utf-16be": // a page that can be read this far is not UTF-16
			if valid || multibyte(content) {
				return string(content)
			}
		case valid && multibyte(content): // it was converted, and says otherwise
			return string(content)
		case label != "replacement" && label != "x-user-defined":
			return decoded(e, content)
		}
	}
	if valid {
		return string(content)
	}
	return decoded(charmap.Windows1252, content)
}

// multibyte reports whether bytes hold characters of UTF-8 beyond ASCII, and more of them than bytes that
// are not UTF-8.
func multibyte(content []byte) bool {
	good, bad := 0, 0
	for len(content) > 0 {
		at := bytes.IndexFunc(content, func(r rune) bool { return r >= utf8.RuneSelf })
		if at < 0 {
			break
		}
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		content = content[at+size:]
	}
	return good > bad
}

func decoded(e encoding.Encoding, content []byte) string {
	text, err := e.NewDecoder().Bytes(content)
	if err != nil {
		return string(content)
	}
	return strings.TrimPrefix(string(text), "\uFEFF")
}

// lineFeeds makes each line end one line feed.
func lineFeeds(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
