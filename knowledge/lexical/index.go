package lexical

import (
	"fmt"
	"io"
	"sync"

	"github.com/blugelabs/bluge/index"
	segment "github.com/blugelabs/bluge_segment_api"
)

// Index finds texts by their terms. It is immutable and safe for concurrent use. Its files are
// read into memory when it is opened and not needed afterwards.
type Index struct {
	snapshot *index.Snapshot
	forward  *forward
	bm25     Parameters
	mean     float64   // length of a text
	scores   sync.Pool // of *[]float64, all zero, one for each text
}

// Open reads an index. It fails when the folder was not written by this version of [Build] to its
// end, or when a byte has changed since.
func Open(dir string) (x *Index, err error) {
	defer recoverTo(&err, "open "+dir)
	m, err := readManifest(dir)
	if err != nil {
		return nil, fmt.Errorf("lexical index %s: %w", dir, err)
	}
	data, err := m.read(dir, forwardName)
	if err != nil {
		return nil, fmt.Errorf("lexical index %s: %w", dir, err)
	}
	terms, err := readForward(data)
	if err != nil {
		return nil, fmt.Errorf("lexical index %s: %s: %w", dir, forwardName, err)
	}
	snapshot, err := index.OpenReader(index.DefaultConfigWithDirectory(func() index.Directory {
		return &verified{index.NewFileSystemDirectory(dir), dir, m}
	}))
	if err != nil {
		return nil, fmt.Errorf("lexical index %s: %w", dir, err)
	}
	count, err := snapshot.Count()
	if err != nil || count != uint64(m.Texts) || terms.texts() != m.Texts {
		return nil, fmt.Errorf("lexical index %s: %d postings lists and %d term lists for %d texts (%v)",
			dir, count, terms.texts(), m.Texts, err)
	}
	return newIndex(snapshot, terms, m.Parameters), nil
}

func newIndex(snapshot *index.Snapshot, terms *forward, p Parameters) *Index {
	x := &Index{snapshot: snapshot, forward: terms, bm25: p, mean: terms.meanLength()}
	x.scores.New = func() any {
		scores := make([]float64, terms.texts())
		return &scores
	}
	return x
}

// recoverTo turns a panic of the library below into an error, since a damaged file must not end
// an editor's session.
func recoverTo(err *error, doing string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("lexical index: %s: %v", doing, r)
	}
}

// verified reads whole files that are as the manifest says. Mapping them into memory instead would
// let a file that another process cuts off kill this one.
type verified struct {
	*index.FileSystemDirectory
	dir      string
	manifest *manifest
}

func (d *verified) Load(kind string, id uint64) (*segment.Data, io.Closer, error) {
	data, err := d.manifest.read(d.dir, // the name FileSystemDirectory gave it
		fmt.Sprintf("%012x%s", id, kind))
	if err != nil {
		return nil, nil, err
	}
	return segment.NewDataBytes(data), io.NopCloser(nil), nil
}

// N is the number of texts.
func (x *Index) N() int { return x.forward.texts() }

// Parameters are those the index was built with.
func (x *Index) Parameters() Parameters { return x.bm25 }

// DocFreq is the number of texts in which a term occurs.
func (x *Index) DocFreq(term string) int {
	number, ok := x.forward.numbers[term]
	if !ok {
		return 0
	}
	return int(x.forward.documents[number])
}

// TermNumber returns a term's place in [Index.Vocabulary], or false if no text has it.
func (x *Index) TermNumber(term string) (uint32, bool) {
	number, ok := x.forward.numbers[term]
	return number, ok
}

// Vocabulary returns every term, each once. The slice must not be changed.
func (x *Index) Vocabulary() []string { return x.forward.vocabulary }

// TermNumbers returns the terms of a text in their order, each as its place in [Index.Vocabulary].
// The slice must not be changed.
func (x *Index) TermNumbers(ordinal int) []uint32 { return x.forward.text(ordinal) }

// Terms returns the terms of a text in their order.
func (x *Index) Terms(ordinal int) []string {
	numbers := x.forward.text(ordinal)
	terms := make([]string, len(numbers))
	for i, number := range numbers {
		terms[i] = x.forward.vocabulary[number]
	}
	return terms
}
