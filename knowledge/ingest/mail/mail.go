// Package mail reads e-mails, one (EML) or many in a file (MBOX).
//
//	mail.go     a file → its messages → blocks
//	entity.go   headers and the parts of a message
//	encoding.go a part → characters, with the line of each
//	plain.go    text without markup → paragraphs, quotations and signatures
//
// Places are lines of the file. Begin with [Read] and [ReadMailbox].
package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/web"
	"lacuna/knowledge/passage"
)

// Limits of a file.
const (
	maxDepth = 32   // of parts in parts
	maxParts = 1000 // of a message
	maxNamed = 50   // attachments that are named
)

// ErrNotMail says that a file does not begin as a message does.
var ErrNotMail = errors.New("not an e-mail")

// Read reads one message. Its subject is the title.
func Read(_ context.Context, content []byte) (document.Document, error) {
	text := characters(content)
	r := reader{}
	line := 1
	if first, rest, found := strings.Cut(text, "\n"); found && separator.MatchString(first) { // of a mailbox
		text, line = rest, 2
	}
	e := parse(text, line)
	if len(e.headers) == 0 {
		return document.Document{}, ErrNotMail
	}
	r.b.Title = e.word("Subject")
	if err := r.message(e, 0); err != nil {
		return document.Document{}, err
	}
	return r.finish(e), nil
}

// separator is the line before each message of a mailbox.
var separator = regexp.MustCompile(`^From (?:\S+|.*\S) +.*(?:\d\d:\d\d|\b\d{4}\b)`)

// ReadMailbox reads many messages. The subject of each is a heading.
func ReadMailbox(ctx context.Context, content []byte) (document.Document, error) {
	text := characters(content)
	r := reader{}
	var last entity
	found := 0
	for line, rest := 1, text; rest != ""; {
		first, body, more := strings.Cut(rest, "\n")
		if !separator.MatchString(first) {
			if found == 0 && strings.TrimSpace(first) != "" {
				return Read(ctx, content) // one message, without the line before it
			}
			rest = body
			line++
			if !more {
				break
			}
			continue
		}
		end := nextMessage(body)
		e := parse(body[:end], line+1)
		if e.isMessage() {
			found++
			last = e
			if err := r.section(e, 1); err != nil {
				return document.Document{}, err
			}
		}
		line += 1 + strings.Count(body[:end], "\n")
		rest = body[end:]
	}
	if found == 0 {
		return document.Document{}, ErrNotMail
	}
	if found == 1 {
		r.b.Title = last.word("Subject")
		return r.finish(last), nil
	}
	return r.b.Finish(), nil
}

// nextMessage returns where the next message of a mailbox begins, or the end.
func nextMessage(text string) int {
	at := 0
	blank := true
	for line := range strings.Lines(text) {
		if blank && strings.HasPrefix(line, "From ") && separator.MatchString(strings.TrimRight(line, "\n")) {
			return at
		}
		blank = strings.TrimSpace(line) == ""
		at += len(line)
	}
	return at
}

// reader writes messages.
type reader struct {
	b     document.Builder
	parts int
	named int
}

// finish returns the document of one message.
func (r *reader) finish(e entity) document.Document {
	d := r.b.Finish()
	d.Date = e.word("Date")
	d.About.Page = strings.Trim(e.word("Message-Id"), "<>")
	if from := sender(e.word("From")); from != "" {
		d.About.Authors = []string{from}
	}
	d.Keywords = append(d.Keywords, e.word("Keywords"), e.word("X-Keywords"))
	if e.has("X-Lacuna") {
		d.Keywords = append(d.Keywords, "lacuna: "+e.word("X-Lacuna"))
	}
	return d
}

// sender returns the name in an address, or the address if there is none.
func sender(from string) string {
	name, address, found := strings.Cut(from, "<")
	if name = strings.Trim(name, " \"'\t"); name != "" {
		return name
	}
	if found {
		address, _, _ = strings.Cut(address, ">")
		return address
	}
	return ""
}

// section writes a message below its subject.
func (r *reader) section(e entity, level int) error {
	subject := e.word("Subject")
	if subject == "" {
		subject = "(no subject)"
	}
	r.b.Begin(passage.Heading, level)
	if err := r.b.Words(subject, e.lineOf("Subject")); err != nil {
		return err
	}
	return r.message(e, level)
}

// message writes the head and the text of a message. level is that of the heading above it.
func (r *reader) message(e entity, level int) error {
	r.parts = 0
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if value := e.word(name); value != "" {
			r.b.Begin(passage.Property, 0)
			if err := r.b.Words(name+": "+value, e.lineOf(name)); err != nil {
				return err
			}
		}
	}
	return r.part(e, level, 0)
}

// part writes a part of a message.
func (r *reader) part(e entity, level, depth int) error {
	if r.parts++; r.parts > maxParts || depth > maxDepth {
		if r.parts == maxParts+1 || depth > maxDepth {
			r.b.Lose("parts of a message beyond the limit", 0)
		}
		return nil
	}
	kind, parameters := e.contentType()
	disposition, given := e.disposition()
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		parts := e.divide(parameters["boundary"])
		if len(parts) == 0 {
			return r.text(e, "text/plain", parameters, level)
		}
		switch kind {
		case "multipart/alternative":
			parts = []entity{best(parts)}
		case "multipart/signed":
			for range parts[1:] {
				r.b.Omit("signatures", 0)
			}
			parts = parts[:1]
		}
		for _, part := range parts {
			if err := r.part(part, level, depth+1); err != nil {
				return err
			}
		}
		return nil
	case disposition == "attachment" && kind != "message/rfc822":
		r.attachment(cmp.Or(given["filename"], parameters["name"]))
		return nil
	case kind == "message/rfc822" || kind == "message/global":
		inner := parse(e.body, e.bodyLine)
		if e.isEncoded() {
			inner = parse(strings.ReplaceAll(e.decode(false).text, joint, ""), e.bodyLine)
		}
		if !inner.isMessage() {
			return nil
		}
		return r.sectionAt(inner, level+1, depth+1)
	case kind == "text/plain", kind == "text/html", kind == "application/xhtml+xml", kind == "":
		return r.text(e, kind, parameters, level)
	case kind == "text/enriched", kind == "text/richtext", kind == "text/markdown", kind == "text/x-markdown":
		return r.text(e, "text/plain", parameters, level)
	case strings.HasPrefix(kind, "image/"):
		r.b.Omit("pictures", 0)
	case strings.HasSuffix(kind, "-signature"):
		r.b.Omit("signatures", 0)
	default:
		r.attachment(cmp.Or(given["filename"], parameters["name"]))
	}
	return nil
}

// sectionAt writes a message inside another.
func (r *reader) sectionAt(e entity, level, depth int) error {
	subject := e.word("Subject")
	if subject == "" {
		subject = "(no subject)"
	}
	r.b.Begin(passage.Heading, min(level, 9))
	if err := r.b.Words(subject, e.lineOf("Subject")); err != nil {
		return err
	}
	for _, name := range []string{"From", "To", "Date"} {
		if value := e.word(name); value != "" {
			r.b.Begin(passage.Property, 0)
			if err := r.b.Words(name+": "+value, e.lineOf(name)); err != nil {
				return err
			}
		}
	}
	return r.part(e, level, depth)
}

// attachment counts a part that is not read.
func (r *reader) attachment(name string) {
	name = strings.Join(strings.Fields(words(name)), " ")
	if r.named++; name == "" || len(name) > 80 || r.named > maxNamed {
		r.b.Omit("attachments", 0)
		return
	}
	r.b.Omit(fmt.Sprintf("attachment %s", name), 0)
}

// best returns the alternative to read: the text without markup, unless it lacks most of what the page says.
func best(parts []entity) entity {
	var plain, page, other *entity
	for i := range parts {
		switch kind, _ := parts[i].contentType(); {
		case kind == "text/plain" && plain == nil:
			plain = &parts[i]
		case kind == "text/html" && page == nil:
			page = &parts[i]
		case strings.HasPrefix(kind, "multipart/"):
			other = &parts[i]
		}
	}
	switch {
	case plain != nil && page == nil && other == nil:
		return *plain
	case plain != nil && (page == nil || len(strings.Fields(plain.decode(false).text))*2 >= len(strings.Fields(tags.ReplaceAllString(page.decode(false).text, " ")))):
		if words := len(strings.Fields(plain.decode(false).text)); words > 5 || page == nil && other == nil {
			return *plain
		}
		fallthrough
	case page != nil:
		if page == nil {
			return *other
		}
		return *page
	case other != nil:
		return *other
	}
	return parts[0]
}

var tags = regexp.MustCompile(`(?s)<style\b.*?</style>|<!--.*?-->|<[^>]*>`)

// text writes a part that is text.
func (r *reader) text(e entity, kind string, parameters map[string]string, level int) error {
	page := kind == "text/html" || kind == "application/xhtml+xml"
	d := e.decode(page)
	if page {
		_, err := web.Write(&r.b, web.Part{
			Text:   d.text,
			Joined: d.joined,
			Level:  level,
			Place: func(line int) int {
				if d.fixed {
					return e.bodyLine
				}
				return e.bodyLine + line - 1
			},
		})
		return err
	}
	p := plain{b: &r.b, flowed: strings.EqualFold(parameters["format"], "flowed"), tight: strings.EqualFold(parameters["delsp"], "yes")}
	return p.write(d, e.bodyLine)
}
