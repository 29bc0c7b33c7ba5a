package knowledge

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// The store keeps what was read of every file, so that an unchanged file is not read again. Its
// format is written down in FORMAT.md.

const storeMagic = "LACPASS\x04"

// blockSize is the number of passages that one goroutine reads at a time.
const blockSize = 1024

// Flags of a stored passage.
const (
	flagQA = 1 << iota
	flagMarkdown
	flagPrivate
	flagWrapped
)

// writeStore writes files with their passages.
func writeStore(path string, files []ingest.File) error {
	f, err := regular.Create(path)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(f, 1<<16) // it keeps the first error until Flush
	var e, block encoding
	e.raw(storeMagic)
	e.number(uint64(len(files)))
	for i := range files {
		e.file(&files[i])
		for passages := range slices.Chunk(files[i].Passages, blockSize) {
			block = block[:0]
			block.passages(passages)
			e.number(uint64(len(block)))
			e = append(e, block...)
			_, _ = buffered.Write(e)
			e = e[:0]
		}
	}
	_, _ = buffered.Write(e)
	return errors.Join(buffered.Flush(), f.Close())
}

// encoding is a sequence of encoded values.
type encoding []byte

func (e *encoding) raw(s string) { *e = append(*e, s...) }

func (e *encoding) number(n uint64) { *e = binary.AppendUvarint(*e, n) }

func (e *encoding) text(s string) {
	e.number(uint64(len(s)))
	e.raw(s)
}

// file encodes what is known of a file but its passages, of which it gives the number.
func (e *encoding) file(f *ingest.File) {
	e.text(f.Source)
	e.text(f.File)
	e.text(string(f.State))
	e.text(f.Reason)
	e.number(uint64(f.Line))
	e.number(uint64(f.Hidden))
	e.text(asJSON(f.Coverage))
	e.number(uint64(f.Stamp.Size))
	e.number(uint64(f.Stamp.ModTime))
	*e = append(*e, f.Stamp.Content[:]...)
	*e = append(*e, f.Stamp.Reading[:]...)
	e.number(uint64(len(f.Passages)))
}

// passages encodes the passages of a block.
func (e *encoding) passages(passages []*passage.Passage) {
	last := &passage.Passage{}
	for _, p := range passages {
		e.passage(p, last)
		last = p
	}
}

// passage encodes a passage that stands after another in its block.
func (e *encoding) passage(p, last *passage.Passage) {
	var flags uint64
	if p.Kind == passage.QA {
		flags |= flagQA
	}
	if p.Format == passage.Markdown {
		flags |= flagMarkdown
	}
	if p.Format == passage.Wrapped {
		flags |= flagWrapped
	}
	if p.Private {
		flags |= flagPrivate
	}
	e.number(flags)
	*e = append(*e, p.ID[:]...)
	e.delta(p.Record, last.Record)
	e.delta(p.Document, last.Document)
	e.delta(p.Title, last.Title)
	e.delta(p.Section, last.Section)
	e.delta(p.Date, last.Date)
	e.list(p.Headings, last.Headings)
	e.list(p.Also, last.Also)
	about := ""
	if p.About != nil {
		about = asJSON(p.About)
	}
	lastAbout := ""
	if last.About != nil {
		lastAbout = asJSON(last.About)
	}
	e.delta(about, lastAbout)
	e.text(p.Question)
	e.text(p.Text)
	e.delta(p.Place.Field, last.Place.Field)
	e.number(uint64(p.Place.Record))
	e.number(uint64(p.Place.Span.Start))
	e.number(uint64(p.Place.Span.End))
	e.number(uint64(p.Place.Line))
	e.number(uint64(len(p.Marks)))
	for _, m := range p.Marks {
		e.number(uint64(m.Offset))
		e.number(uint64(m.Line))
	}
	e.number(uint64(len(p.Leads)))
	for _, l := range p.Leads {
		e.number(uint64(l.Kind))
		e.text(l.Text)
		e.number(uint64(l.Span.Start))
		e.number(uint64(l.Span.End))
		e.number(uint64(l.Line))
		e.number(uint64(l.Lead))
	}
	e.number(uint64(len(p.Blocks)))
	end := 0
	for _, b := range p.Blocks {
		e.number(uint64(b.Kind))
		e.number(uint64(b.Start - end))
		e.number(uint64(b.Len()))
		e.number(uint64(b.Level))
		e.number(uint64(b.Lead))
		end = b.End
	}
}

// asJSON encodes a value whose fields change with the formats that are read.
func asJSON(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // a struct of strings and numbers
	}
	return string(encoded)
}

// delta encodes a string: 0 when it is the last passage's, else its length plus one and itself.
func (e *encoding) delta(s, last string) {
	if s == last {
		e.number(0)
		return
	}
	e.number(uint64(len(s)) + 1)
	e.raw(s)
}

// list encodes a list: 0 when it is the last passage's, else its length plus one and its strings.
func (e *encoding) list(items, last []string) {
	if slices.Equal(items, last) {
		e.number(0)
		return
	}
	e.number(uint64(len(items)) + 1)
	for _, item := range items {
		e.text(item)
	}
}

// errStore means that a store is not what writeStore wrote.
var errStore = errors.New("the passages cannot be read")

// decodeStore reads what writeStore wrote. The passages' strings share the memory of the content.
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
	return files, r.readBlocks()
}

// block is a run of passages of one file, yet to be read.
type block struct {
	file     *ingest.File
	passages []passage.Passage
	encoded  string
}

// readBlocks reads the passages of all files, on all processors.
func (r *storeReader) readBlocks() error {
	var next atomic.Int64
	var bad atomic.Bool
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(r.blocks)) {
		working.Go(func() {
			for at := next.Add(1) - 1; at < int64(len(r.blocks)); at = next.Add(1) - 1 {
				b := r.blocks[at]
				within := &storeReader{rest: b.encoded}
				last := &passage.Passage{}
				for i := range b.passages {
					within.passage(&b.passages[i], last, b.file)
					last = &b.passages[i]
				}
				if within.bad || within.rest != "" {
					bad.Store(true)
				}
			}
		})
	}
	working.Wait()
	if bad.Load() {
		return fmt.Errorf("%w: wrong passages", errStore)
	}
	return nil
}

// storeReader reads values in order. After an error it is bad and returns zero values.
type storeReader struct {
	rest   string
	blocks []block
	bad    bool
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
	if len(r.rest) > 0 && r.rest[0] < 0x80 { // as most are
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
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

// delta reads a string of a passage, of which the one before has last.
func (r *storeReader) delta(last string) string {
	n := r.int()
	if n == 0 {
		return last
	}
	return r.raw(n - 1)
}

func (r *storeReader) file(f *ingest.File) {
	f.Source = r.text()
	f.File = r.text()
	f.State = ingest.FileState(r.text())
	f.Reason = r.text()
	f.Line = r.int()
	f.Hidden = r.int()
	r.json(r.text(), &f.Coverage)
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
		f.Passages[i] = &passages[i]
	}
	f.FileReport.Passages = len(passages)
	for part := range slices.Chunk(passages, blockSize) {
		r.blocks = append(r.blocks, block{f, part, r.text()})
	}
}

// passage reads a passage that stands after another in its block.
func (r *storeReader) passage(p, last *passage.Passage, f *ingest.File) {
	flags := r.number()
	p.Source, p.Kind, p.Format = f.Source, passage.Text, passage.Plain
	if flags&flagQA != 0 {
		p.Kind = passage.QA
	}
	if flags&flagMarkdown != 0 {
		p.Format = passage.Markdown
	}
	if flags&flagWrapped != 0 {
		p.Format = passage.Wrapped
	}
	p.Private = flags&flagPrivate != 0
	copy(p.ID[:], r.raw(len(p.ID)))
	p.Record = r.delta(last.Record)
	p.Document = r.delta(last.Document)
	p.Title = r.delta(last.Title)
	p.Section = r.delta(last.Section)
	p.Date = r.delta(last.Date)
	p.Headings = r.list(last.Headings)
	p.Also = r.list(last.Also)
	switch n := r.int(); {
	case n == 0:
		p.About = last.About
	case n > 1:
		p.About = new(passage.Metadata)
		r.json(r.raw(n-1), p.About)
	}
	p.Question = r.text()
	p.Text = r.text()
	p.Place.File = f.File
	p.Place.Field = r.delta(last.Place.Field)
	p.Place.Record = int64(r.number())
	p.Place.Span.Start = r.int()
	p.Place.Span.End = r.int()
	p.Place.Line = r.int()
	if n := r.count(2); n > 0 {
		p.Marks = make([]passage.Mark, n)
		for i := range p.Marks {
			p.Marks[i] = passage.Mark{Offset: int32(r.number()), Line: int32(r.number())}
		}
	}
	if n := r.count(6); n > 0 {
		p.Leads = make([]passage.Lead, n)
		for i := range p.Leads {
			l := passage.Lead{Kind: passage.BlockKind(r.number()), Text: r.text()}
			l.Span.Start, l.Span.End, l.Line, l.Lead = r.int(), r.int(), r.int(), r.int()
			p.Leads[i] = l
		}
	}
	if n := r.count(5); n > 0 {
		p.Blocks = make([]passage.Block, n)
		end := 0
		for i := range p.Blocks {
			b := passage.Block{Kind: passage.BlockKind(r.number())}
			skip, length := r.int(), r.int()
			if skip < 0 || length < 0 || skip > len(p.Text)-end || length > len(p.Text)-end-skip {
				r.fail()
				return
			}
			b.Start = end + skip
			b.End = b.Start + length
			b.Level, b.Lead = r.int(), r.int()
			p.Blocks[i], end = b, b.End
		}
	}
}

// json decodes what asJSON encoded.
func (r *storeReader) json(encoded string, into any) {
	if !r.bad && json.Unmarshal([]byte(encoded), into) != nil {
		r.fail()
	}
}

// list reads a list of a passage, of which the one before has last.
func (r *storeReader) list(last []string) []string {
	n := r.number()
	if n == 0 {
		return last
	}
	if n-1 > uint64(len(r.rest)) {
		r.fail()
	}
	if n == 1 || r.bad {
		return nil
	}
	items := make([]string, n-1)
	for i := range items {
		items[i] = r.text()
	}
	return items
}

// EncodePassage returns a passage without its source and its file, as the store keeps it.
func EncodePassage(p *passage.Passage) []byte {
	var e encoding
	e.passage(p, &passage.Passage{})
	return e
}

// DecodePassage returns a passage of a source and a file from what [EncodePassage] returned.
func DecodePassage(encoded, source, file string) (*passage.Passage, error) {
	r := &storeReader{rest: encoded}
	p := &passage.Passage{}
	r.passage(p, &passage.Passage{}, &ingest.File{FileReport: ingest.FileReport{Source: source, File: file}})
	if r.bad || r.rest != "" {
		return nil, errStore
	}
	return p, nil
}
