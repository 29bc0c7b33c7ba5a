package knowledge

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// The store keeps what was read of every file, so that an unchanged file is not read again. Its
// format is written down in FORMAT.md.

const storeMagic = "LACPASS\x01"

// Flags of a stored passage.
const (
	flagQA = 1 << iota
	flagMarkdown
	flagPrivate
)

// writeStore writes files with their passages.
func writeStore(path string, files []ingest.File) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := &storeWriter{w: bufio.NewWriterSize(f, 1<<16), numbers: map[string]uint64{}}
	w.raw(storeMagic)
	w.number(uint64(len(files)))
	for i := range files {
		w.file(&files[i])
	}
	return errors.Join(w.w.Flush(), f.Close())
}

// storeWriter writes values one after the other. bufio keeps the first error until Flush.
type storeWriter struct {
	w       *bufio.Writer
	numbers map[string]uint64 // of shared strings already written
	scratch []byte
}

func (w *storeWriter) raw(s string) { _, _ = w.w.WriteString(s) }

func (w *storeWriter) bytes(b []byte) { _, _ = w.w.Write(b) }

func (w *storeWriter) number(n uint64) {
	w.scratch = binary.AppendUvarint(w.scratch[:0], n)
	w.bytes(w.scratch)
}

func (w *storeWriter) text(s string) {
	w.number(uint64(len(s)))
	w.raw(s)
}

// shared writes a string that many passages have: the first time its number and itself, then only
// the number. Numbers count from 0 in order of appearance.
func (w *storeWriter) shared(s string) {
	n, known := w.numbers[s]
	if !known {
		n = uint64(len(w.numbers))
		w.numbers[s] = n
	}
	w.number(n)
	if !known {
		w.text(s)
	}
}

func (w *storeWriter) file(f *ingest.File) {
	w.shared(f.Source)
	w.shared(f.File)
	w.shared(string(f.State))
	w.shared(f.Reason)
	w.number(uint64(f.Line))
	w.number(uint64(f.Hidden))
	w.number(uint64(f.Stamp.Size))
	w.number(uint64(f.Stamp.ModTime))
	w.bytes(f.Stamp.Content[:])
	w.bytes(f.Stamp.Reading[:])
	w.number(uint64(len(f.Passages)))
	for _, p := range f.Passages {
		w.passage(p)
	}
}

func (w *storeWriter) passage(p *passage.Passage) {
	var flags uint64
	if p.Kind == passage.QA {
		flags |= flagQA
	}
	if p.Format == passage.Markdown {
		flags |= flagMarkdown
	}
	if p.Private {
		flags |= flagPrivate
	}
	w.number(flags)
	w.bytes(p.ID[:])
	w.shared(p.Record)
	w.shared(p.Document)
	w.shared(p.Title)
	w.shared(p.Section)
	w.shared(p.Date)
	w.list(p.Headings)
	w.list(p.Also)
	w.text(p.Question)
	w.text(p.Text)
	w.shared(p.Place.Field)
	w.number(uint64(p.Place.Record))
	w.number(uint64(p.Place.Span.Start))
	w.number(uint64(p.Place.Span.End))
	w.number(uint64(p.Place.Line))
}

func (w *storeWriter) list(items []string) {
	w.number(uint64(len(items)))
	for _, item := range items {
		w.shared(item)
	}
}

// errStore is what every fault in a store comes to: it is not what writeStore wrote.
var errStore = errors.New("the passages cannot be read")

// readStore reads what writeStore wrote. The passages' strings share the memory of the file.
func readStore(path string) (files []ingest.File, err error) {
	content, err := readString(path)
	if err != nil {
		return nil, err
	}
	return decodeStore(content)
}

func decodeStore(content string) ([]ingest.File, error) {
	r := &storeReader{rest: content}
	if r.raw(len(storeMagic)) != storeMagic {
		return nil, fmt.Errorf("%w: wrong beginning", errStore)
	}
	files := make([]ingest.File, r.count(1))
	for i := range files {
		r.file(&files[i])
	}
	if r.bad || r.rest != "" {
		return nil, fmt.Errorf("%w: wrong at %d of %d bytes", errStore, len(content)-len(r.rest), len(content))
	}
	return files, nil
}

// readString reads a file into a string without keeping a second copy of it.
func readString(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	if _, err := io.Copy(&b, f); err != nil {
		return "", err
	}
	return b.String(), nil
}

// storeReader reads values one after the other. After a fault it is bad and gives zero values.
type storeReader struct {
	rest    string
	strings []string // shared, by number
	bad     bool
}

func (r *storeReader) fail() { r.bad, r.rest = true, "" }

func (r *storeReader) raw(n int) string {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *storeReader) number() uint64 {
	n := uint64(0)
	for shift := 0; shift < 64; shift += 7 {
		b := r.raw(1)
		if b == "" {
			return 0
		}
		n |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return n
		}
	}
	r.fail()
	return 0
}

// count reads how many things follow, each of which takes at least size bytes.
func (r *storeReader) count(size int) int {
	n := r.number()
	if n > uint64(len(r.rest)/size) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *storeReader) int() int { return int(r.number()) }

func (r *storeReader) text() string { return r.raw(r.int()) }

func (r *storeReader) shared() string {
	n := r.number()
	if n == uint64(len(r.strings)) && !r.bad {
		r.strings = append(r.strings, r.text())
	}
	if n >= uint64(len(r.strings)) {
		r.fail()
		return ""
	}
	return r.strings[n]
}

func (r *storeReader) file(f *ingest.File) {
	f.Source = r.shared()
	f.File = r.shared()
	f.State = ingest.FileState(r.shared())
	f.Reason = r.shared()
	f.Line = r.int()
	f.Hidden = r.int()
	f.Stamp.Size = int64(r.number())
	f.Stamp.ModTime = int64(r.number())
	copy(f.Stamp.Content[:], r.raw(sha256.Size))
	copy(f.Stamp.Reading[:], r.raw(sha256.Size))
	passages := make([]passage.Passage, r.count(len(passage.ID{})))
	if len(passages) == 0 {
		return
	}
	f.Passages = make([]*passage.Passage, len(passages))
	for i := range passages {
		r.passage(&passages[i], f)
		f.Passages[i] = &passages[i]
	}
	f.FileReport.Passages = len(passages)
}

func (r *storeReader) passage(p *passage.Passage, f *ingest.File) {
	flags := r.number()
	p.Source, p.Kind, p.Format = f.Source, passage.Text, passage.Plain
	if flags&flagQA != 0 {
		p.Kind = passage.QA
	}
	if flags&flagMarkdown != 0 {
		p.Format = passage.Markdown
	}
	p.Private = flags&flagPrivate != 0
	copy(p.ID[:], r.raw(len(p.ID)))
	p.Record = r.shared()
	p.Document = r.shared()
	p.Title = r.shared()
	p.Section = r.shared()
	p.Date = r.shared()
	p.Headings = r.list()
	p.Also = r.list()
	p.Question = r.text()
	p.Text = r.text()
	p.Place.File = f.File
	p.Place.Field = r.shared()
	p.Place.Record = int64(r.number())
	p.Place.Span.Start = r.int()
	p.Place.Span.End = r.int()
	p.Place.Line = r.int()
}

func (r *storeReader) list() []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	items := make([]string, n)
	for i := range items {
		items[i] = r.shared()
	}
	return items
}
