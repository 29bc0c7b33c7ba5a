package archive

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// MaxDepth bounds the nesting of elements.
const MaxDepth = 512

// ErrTooDeep says that elements are nested deeper than [MaxDepth].
var ErrTooDeep = errors.New("elements nested too deeply")

// A TokenReader is called with each token of an XML text and with the line on which the token begins,
// from 1. The token's bytes are valid during the call only. An error ends the reading.
type TokenReader func(token xml.Token, line int) error

// Tokens reads XML to its end and passes its tokens to read, within [MaxDepth]. Text in UTF-16 and in the
// encodings that browsers know is converted. The entities of HTML are known; others, such as those that
// the text declares itself, are errors, and nothing outside the text is read.
func Tokens(text io.Reader, read TokenReader) error {
	decoder := xml.NewDecoder(decoded(text))
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = charset
	for depth := 0; ; {
		line, _ := decoder.InputPos()
		token, err := decoder.Token()
		if err == io.EOF && depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > MaxDepth {
				return ErrTooDeep
			}
		case xml.EndElement:
			depth--
		}
		if err := read(token, line); err != nil {
			return err
		}
	}
}

// Attribute returns the value of an element's attribute by its local name; "" if there is none.
func Attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// decoded returns text in UTF-8 if a byte order mark, or a "<" of two bytes, says that it is UTF-16.
func decoded(text io.Reader) io.Reader {
	buffered := bufio.NewReader(text)
	order := unicode.BigEndian
	switch start, _ := buffered.Peek(2); string(start) {
	case "\xff\xfe", "<\x00":
		order = unicode.LittleEndian
	case "\xfe\xff", "\x00<":
	case "\xef\xbb":
		if start, _ := buffered.Peek(3); string(start) == "\xef\xbb\xbf" {
			_, _ = buffered.Discard(3) // which were peeked
		}
		return buffered
	default:
		return buffered
	}
	return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(buffered)
}

// charset returns text in UTF-8 from the encoding that its declaration names.
func charset(label string, text io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") || strings.EqualFold(label, "ucs-2") {
		return text, nil // converted by its first bytes
	}
	encoding, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("unknown encoding %q", label)
	}
	return encoding.NewDecoder().Reader(text), nil
}
