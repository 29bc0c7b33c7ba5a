package lexical

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/blugelabs/bluge"
	"github.com/blugelabs/bluge/index"
	segment "github.com/blugelabs/bluge_segment_api"

	"lacuna/vecmath/mapped"
)

// part is a bluge index of some of the texts. It never changes: texts that change later stay in it without
// an ordinal, and are written to another part.
type part struct {
	name     string
	snapshot *index.Snapshot
	files    []*mapped.File // that the snapshot reads
	ordinals []uint32       // of the texts, by bluge's document number; noOrdinal for texts that are gone
	texts    int            // that have an ordinal
}

// noOrdinal marks a text that a later index no longer has.
const noOrdinal = ^uint32(0)

// postings calls found with each text that has a term, and how often.
func (p *part) postings(term string, found func(ordinal uint32, frequency int)) error {
	postings, err := p.snapshot.PostingsIterator([]byte(term), fieldName, true, false, false)
	if err != nil {
		return err
	}
	defer postings.Close()
	for {
		posting, err := postings.Next()
		if err != nil || posting == nil {
			return err
		}
		if ordinal := p.ordinals[posting.Number()]; ordinal != noOrdinal {
			found(ordinal, posting.Frequency())
		}
	}
}

// renumber returns the part under other ordinals; now maps the present ones. The result cannot be searched.
func (p *part) renumber(now []uint32) *part {
	r := &part{name: p.name, ordinals: make([]uint32, len(p.ordinals))}
	for document, ordinal := range p.ordinals {
		r.ordinals[document] = noOrdinal
		if ordinal != noOrdinal {
			r.ordinals[document] = now[ordinal]
		}
		if r.ordinals[document] != noOrdinal {
			r.texts++
		}
	}
	return r
}

// present returns the ordinals of the texts that have one.
func (p *part) present() []uint32 {
	return slices.DeleteFunc(slices.Clone(p.ordinals), func(ordinal uint32) bool { return ordinal == noOrdinal })
}

// openPart opens what writePart wrote, of as many documents as there are ordinals.
func openPart(dir, name string, m *manifest, ordinals []uint32) (*part, error) {
	folder := filepath.Join(dir, name)
	directory := &verifiedDirectory{FileSystemDirectory: index.NewFileSystemDirectory(folder), dir: dir, part: name, manifest: m}
	snapshot, err := index.OpenReader(index.DefaultConfigWithDirectory(func() index.Directory { return directory }))
	if err != nil {
		return nil, err
	}
	count, err := snapshot.Count()
	if err != nil || count != uint64(len(ordinals)) {
		return nil, fmt.Errorf("%d documents for %d texts (%v)", count, len(ordinals), err)
	}
	p := &part{name: name, snapshot: snapshot, files: directory.files, ordinals: ordinals}
	for _, ordinal := range ordinals {
		if ordinal != noOrdinal {
			p.texts++
		}
	}
	return p, nil
}

// verifiedDirectory maps the files of a part that are as the manifest says.
type verifiedDirectory struct {
	*index.FileSystemDirectory
	dir, part string
	manifest  *manifest
	files     []*mapped.File
}

func (d *verifiedDirectory) Load(kind string, id uint64) (*segment.Data, io.Closer, error) {
	name := fmt.Sprintf("%s/%012x%s", d.part, id, kind) // as FileSystemDirectory names it
	file, err := d.manifest.open(d.dir, name)
	if err != nil {
		return nil, nil, err
	}
	d.files = append(d.files, file)
	return segment.NewDataBytes(file.Bytes()), io.NopCloser(nil), nil
}

// writePart writes a bluge index of the texts with these ordinals, whose document numbers are their
// places in the list.
func writePart(ctx context.Context, folder string, f *forward, ordinals []uint32, report func(done int)) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	size := batchSize(len(ordinals))
	// The writer flushes a batch when it holds one more than its limit.
	writer, err := bluge.OpenOfflineWriter(bluge.DefaultConfigWithDirectory(func() index.Directory {
		return index.NewFileSystemDirectory(folder)
	}), size-1, mergeFactor)
	if err != nil {
		return err
	}
	documents := newDocuments(f)
	for done, ordinal := range ordinals {
		if done%256 == 0 && ctx.Err() != nil {
			return ctx.Err() // the writer holds nothing open between batches
		}
		if done%1000 == 0 {
			report(done)
		}
		if done%size == 0 {
			documents.reset() // the writer is done with those of the last batch
		}
		if err := writer.Insert(documents.of(int(ordinal))); err != nil {
			return err
		}
	}
	return writer.Close()
}

// mergeFactor is the number of segments that bluge's offline writer merges at a time. It merges the first
// ten into one that it puts last, so that only with at most ten segments does the final segment hold the
// texts in their order.
const mergeFactor = 10

// largestPart is the number of texts a part begins with at most: as many as go into ten segments that take
// little memory to make. So every text is merged once. Only tests change it.
var largestPart = 200_000

// batchSize returns the number of texts a segment begins with.
func batchSize(n int) int { return max(2, (n+mergeFactor-1)/mergeFactor) }

// documents makes what bluge is given of texts, a batch in the same memory as the last.
type documents struct {
	forward    *forward
	vocabulary [][]byte // by term number
	counter    *counter
	batch      []occurrences
}

func newDocuments(f *forward) *documents {
	d := &documents{forward: f, vocabulary: make([][]byte, len(f.vocabulary)), counter: newCounter(len(f.vocabulary))}
	for number, term := range f.vocabulary {
		d.vocabulary[number] = []byte(term)
	}
	return d
}

func (d *documents) reset() { d.batch = d.batch[:0] }

func (d *documents) of(ordinal int) document {
	start := len(d.batch)
	for _, number := range d.counter.count(d.forward.text(ordinal)) {
		d.batch = append(d.batch, occurrences{d.vocabulary[number], int(d.counter.frequency[number])})
	}
	return document{d.batch[start:len(d.batch):len(d.batch)], d.forward.length(ordinal)}
}

// document is a text as bluge gets it: its terms, each once, and their number.
type document struct {
	terms  []occurrences
	length int
}

func (document) Analyze() {}

func (d document) EachField(visit segment.VisitField) { visit(field(d)) }

const fieldName = "text"

// field is the one field of a document: indexed, neither stored nor sortable.
type field document

func (field) Name() string { return fieldName }

func (field) Value() []byte { return nil }

func (field) Index() bool { return true }

func (field) Store() bool { return false }

func (field) IndexDocValues() bool { return false }

func (f field) Length() int { return f.length }

func (f field) EachTerm(visit segment.VisitTerm) {
	for i := range f.terms {
		visit(&f.terms[i])
	}
}

// occurrences says how often a term occurs in a document.
type occurrences struct {
	term      []byte
	frequency int
}

func (o *occurrences) Term() []byte { return o.term }

func (o *occurrences) Frequency() int { return o.frequency }

func (o *occurrences) EachLocation(segment.VisitLocation) {}
