// Package sanitise makes untrusted texts (from sources, models, endpoints, file names, a folder's settings)
// safe for the place they go to. It is the only package that decides what is dangerous:
//
//	[Line], [Text]           a terminal, a log, a message of an editor
//	[Visible]                what is shown word for word: quotes, names
//	[Quotable]               a sentence of a source, shown as it stands or not at all
//	[Plain], [Words]         what a model wrote, reduced to words
//	[Markdown]               a line of a hover or a report
//	[NoteMarkdown]           a line of a note that Markdown, Quarto, R Markdown, MDX or Obsidian renders
//	[Prompt], [PromptData]   what a model reads
//	[Redact]                 any output, for the keys of endpoints
//
// The other languages of notes have grammars of their own; their escapes are in package note. All
// functions are safe for concurrent use.
package sanitise

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// class describes what a character does apart from being visible.
type class int

const (
	visible  class = iota
	lineEnd        // ends a line, and is not a line feed
	control        // commands a terminal
	hidden         // changes the meaning of a text without being seen: directions, tags, fillers
	joiner         // invisible too, but some words and emoji need it
	personal       // a private-use character, whose meaning depends on the font
)

func classOf(r rune) class {
	switch {
	case ' ' <= r && r < 0x7F, r == '\n', r == '\t':
		return visible
	case r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
		return lineEnd
	case unicode.Is(unicode.Cc, r):
		return control
	case r == 0xAD, r == 0x200C, r == 0x200D, 0x180B <= r && r <= 0x180F, 0xFE00 <= r && r <= 0xFE0F:
		return joiner
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // seen, though a format character
		return visible
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point),
		0xFFF0 <= r && r <= 0xFFFB, 0xE0000 <= r && r <= 0xE0FFF:
		return hidden
	case unicode.Is(unicode.Co, r):
		return personal
	}
	return visible
}

// maxJoined limits consecutive joiners; a run of them can spell out a hidden text.
const maxJoined = 2

// Visible replaces with its code point what can change the meaning of a text without being seen. White
// space stays, and so do joiners that words need.
func Visible(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if strings.IndexFunc(text, func(r rune) bool { return classOf(r) != visible }) < 0 {
		return text
	}
	var b strings.Builder
	joined := 0
	for _, r := range text {
		kind := classOf(r)
		if kind != joiner {
			joined = 0
		} else if joined++; joined > maxJoined {
			kind = hidden
		}
		if kind == control || kind == hidden {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Clean reports whether [Text] would leave a text as it is, except for line ends.
func Clean(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	if secrets.Load() != nil && hasKey(string(text)) {
		return false
	}
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c < 0x7F || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if kind := classOf(r); kind == control || kind == hidden || kind == joiner {
			return false
		}
		i += size
	}
	return true
}

// Line returns a text on one line for a terminal, a log or a message: nothing in it acts or hides, and
// it contains no endpoint's key.
func Line(text string) string { return Redact(plaintext.OneLine(Visible(text))) }

// Text is [Line] for a text of several lines, which end with line feeds.
func Text(text string) string {
	return Redact(Visible(strings.Map(func(r rune) rune {
		if classOf(r) == lineEnd {
			return '\n'
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))))
}

// Bare drops everything invisible from a text, joiners included. Line ends become line feeds.
func Bare(text string) string { return strings.Map(dropInvisible, strings.ToValidUTF8(text, "")) }

// dropInvisible drops invisible characters. Line ends become line feeds.
func dropInvisible(r rune) rune {
	switch classOf(r) {
	case lineEnd:
		return '\n'
	case visible:
		return r
	}
	return -1
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// Writer writes to a terminal: it passes text on line by line, without the keys of [Redact] and without
// anything that a terminal would act on or that hides something. JSON passes unchanged if such
// characters are escaped, as by [JSON]. It is not safe for concurrent use, unless created by
// [NewMessageWriter].
type Writer struct {
	mu   sync.Mutex // held while a message passes
	out  io.Writer
	rest []byte // an incomplete line
	each bool   // pass on each write by itself
}

// NewWriter returns a writer that holds back an incomplete line until it ends or [Writer.Flush] is
// called.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// NewMessageWriter returns a writer of whole messages: each write passes immediately. It is safe for
// concurrent use.
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

// Flush passes on the incomplete line.
func (w *Writer) Flush() error {
	whole := string(w.rest)
	w.rest = w.rest[:0]
	if whole == "" {
		return nil
	}
	_, err := io.WriteString(w.out, terminal(whole))
	return err
}

// terminal returns lines as a terminal may get them. Characters that would end a line elsewhere, or
// move the cursor, become spaces.
func terminal(text string) string {
	return Redact(Visible(strings.Map(func(r rune) rune {
		if classOf(r) == lineEnd {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))))
}

// JSON escapes, within the strings of a JSON text, what a terminal would act on or what is invisible.
// The text keeps its meaning, except for the keys of [Redact].
func JSON(text []byte) []byte {
	return []byte(Redact(escapeJSON(string(text))))
}

func escapeJSON(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r != '\r' && classOf(r) != visible && classOf(r) != personal }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch kind := classOf(r); {
		case r == '\r', kind == visible, kind == personal:
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
