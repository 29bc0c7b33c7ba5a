package lexical

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blugelabs/bluge"
	"github.com/blugelabs/bluge/index"
	segment "github.com/blugelabs/bluge_segment_api"
)

// Build writes an index of n texts into the folder dir, which it makes; text returns the text of
// an ordinal and is called once for each, in order. report, if not nil, hears how many texts are
// done. The folder is complete only when Build returns nil; what an interrupted Build leaves
// behind, [Open] refuses.
//
// Build holds the terms' numbers of all texts in memory, but not the texts.
func Build(ctx context.Context, dir string, p Parameters, n int, text func(ordinal int) string, report func(done int)) (err error) {
	defer recoverTo(&err, "build")
	if n == 0 {
		return errors.New("lexical index: no texts")
	}
	if err := p.check(); err != nil {
		return fmt.Errorf("lexical index: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("lexical index: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("lexical index: %w", err)
	}
	all := newForward()
	if err := writePostings(ctx, dir, n, func(ordinal int) document {
		if report != nil && ordinal%1000 == 0 {
			report(ordinal)
		}
		return newDocument(all, all.add(Terms(text(ordinal))))
	}); err != nil {
		return fmt.Errorf("lexical index: postings: %w", err)
	}
	if err := writeFile(filepath.Join(dir, forwardName), all.writeTo); err != nil {
		return fmt.Errorf("lexical index: terms: %w", err)
	}
	if err := writeManifest(dir, p, n); err != nil {
		return fmt.Errorf("lexical index: manifest: %w", err)
	}
	return nil
}

// writePostings writes a bluge index whose document numbers are the ordinals.
func writePostings(ctx context.Context, dir string, n int, document func(ordinal int) document) error {
	size := batchSize(n)
	// The writer flushes a batch when it holds one more than it is told.
	writer, err := bluge.OpenOfflineWriter(bluge.DefaultConfigWithDirectory(func() index.Directory {
		return index.NewFileSystemDirectory(dir)
	}), size-1, mergeFactor)
	if err != nil {
		return err
	}
	for ordinal := range n {
		if ordinal%256 == 0 && ctx.Err() != nil {
			return ctx.Err() // the writer holds nothing open between batches
		}
		if err := writer.Insert(document(ordinal)); err != nil {
			return err
		}
	}
	return writer.Close()
}

// mergeFactor is how many segments bluge's offline writer merges at a time.
const mergeFactor = 10

// batchSize is the number of texts a segment begins with. The offline writer merges the first ten
// segments into one that it puts last; only when there are at most ten, or exactly a hundred,
// does the final segment hold the texts in their order.
func batchSize(n int) int {
	if size := (n + mergeFactor - 1) / mergeFactor; size <= 2000 {
		return max(size, 2)
	}
	const batches = mergeFactor * mergeFactor
	return (n + batches - 1) / batches
}

// document is a text on its way into bluge: its terms, each once.
type document []occurrences

func newDocument(f *forward, numbers []uint32) document {
	at := make(map[uint32]int, len(numbers))
	var d document
	for _, number := range numbers {
		i, seen := at[number]
		if !seen {
			i = len(d)
			at[number] = i
			d = append(d, occurrences{term: f.vocabulary[number]})
		}
		d[i].frequency++
	}
	return d
}

func (document) Analyze()                             {}
func (d document) EachField(visit segment.VisitField) { visit(field(d)) }

const fieldName = "text"

// field is the one field of a document: indexed, neither stored nor sortable.
type field document

func (field) Name() string         { return fieldName }
func (field) Value() []byte        { return nil }
func (field) Index() bool          { return true }
func (field) Store() bool          { return false }
func (field) IndexDocValues() bool { return false }

func (f field) Length() int {
	length := 0
	for _, o := range f {
		length += o.frequency
	}
	return length
}

func (f field) EachTerm(visit segment.VisitTerm) {
	for i := range f {
		visit(&f[i])
	}
}

// occurrences says how often a term occurs in a document.
type occurrences struct {
	term      string
	frequency int
}

func (o *occurrences) Term() []byte                       { return []byte(o.term) }
func (o *occurrences) Frequency() int                     { return o.frequency }
func (o *occurrences) EachLocation(segment.VisitLocation) {}
