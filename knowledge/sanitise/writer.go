package sanitise

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Writer is the way out to a terminal: what is written to it is passed on line by line with the keys of
// [Redact] left out and nothing in it that a terminal would act on or that hides something. JSON
// passes unchanged where it has such characters by number, as [JSON] writes them. It is not safe for
// concurrent use, unless it is one of whole messages.
type Writer struct {
	mu   sync.Mutex // held while a message passes
	out  io.Writer
	rest []byte // a line that has not ended
	each bool   // pass on each write by itself
}

// NewWriter returns a writer that holds back the last line until it ends or [Writer.Flush] is called.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// NewMessageWriter returns a writer of whole messages: each write passes at once, and one at a time.
func NewMessageWriter(out io.Writer) *Writer { return &Writer{out: out, each: true} }

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	if w.each {
		w.mu.Lock()
		defer w.mu.Unlock()
		_, err := io.WriteString(w.out, terminal(string(p)))
		return len(p), err
	}
	w.rest = append(w.rest, p...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	whole := string(w.rest[:end])
	w.rest = append(w.rest[:0], w.rest[end:]...)
	_, err := io.WriteString(w.out, terminal(whole))
	return len(p), err
}

// Flush passes on what is held back.
func (w *Writer) Flush() error {
	whole := string(w.rest)
	w.rest = w.rest[:0]
	if whole == "" {
		return nil
	}
	_, err := io.WriteString(w.out, terminal(whole))
	return err
}

// terminal is what may be written of some lines. What would end a line elsewhere, or move the cursor, is
// a space.
func terminal(text string) string {
	return Redact(Visible(strings.Map(func(r rune) rune {
		if classOf(r) == lineEnd {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))))
}

// JSON writes by number, within the strings of a JSON text, what a terminal would act on or what is not
// seen. The text means the same as before, but for the keys of [Redact].
func JSON(text []byte) []byte {
	return []byte(Redact(escapeJSON(string(text))))
}

func escapeJSON(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r != '\r' && classOf(r) != shown && classOf(r) != personal }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch kind := classOf(r); {
		case r == '\r', kind == shown, kind == personal:
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := surrogates(r)
			writeUnit(&b, high)
			writeUnit(&b, low)
		default:
			writeUnit(&b, r)
		}
	}
	return b.String()
}

func surrogates(r rune) (high, low rune) {
	r -= 0x10000
	return 0xD800 + r>>10, 0xDC00 + r&0x3FF
}

func writeUnit(b *strings.Builder, unit rune) {
	const digits = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(digits[unit>>shift&0xF])
	}
}
