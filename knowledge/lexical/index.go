package lexical

import (
	"fmt"
	"sync"

	"lacuna/vecmath/mapped"
)

// Index finds texts by their terms. It is immutable and safe for concurrent use. Its files are
// memory-mapped; they may be removed while it is open, but not changed.
type Index struct {
	dir      string
	manifest *manifest
	files    []*mapped.File // that hold the next three
	forward  *forward
	bounds   *bounds
	parts    []*part
	bm25     Parameters
	texts    int
	mean     float64   // length of a text
	excerpt  bool      // forward holds some of the texts, and there are neither bounds nor parts
	rooms    sync.Pool // of *room
	spelling spelling
}

// Open opens an index. It fails when the folder was not written by this version of [Build] to its
// end, or when a byte has changed since.
func Open(dir string) (x *Index, err error) {
	defer func() {
		if err != nil {
			x, err = nil, fmt.Errorf("lexical index %s: %w", dir, err)
		}
	}()
	defer recoverTo(&err, "open")
	defer mapped.Release(nil, mapped.Guard())
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	x = &Index{dir: dir, manifest: m, bm25: m.Parameters}
	x.rooms.New = func() any { return new(scratch) }
	terms, err := x.open(forwardName)
	if err != nil {
		return nil, err
	}
	if x.forward, err = readForward(terms); err != nil {
		return nil, err
	}
	if x.texts = x.forward.texts(); x.texts != m.Texts {
		return nil, fmt.Errorf("%d texts, not %d", x.texts, m.Texts)
	}
	x.mean = x.forward.meanLength()
	limits, err := x.open(boundsName)
	if err != nil {
		return nil, err
	}
	if x.bounds, err = readBounds(limits, x.N(), len(x.forward.vocabulary)); err != nil {
		return nil, err
	}
	return x, x.openParts()
}

// open maps a file of the index for as long as the index lives.
func (x *Index) open(name string) ([]byte, error) {
	file, err := x.manifest.open(x.dir, name)
	if err != nil {
		return nil, err
	}
	x.files = append(x.files, file)
	return file.Bytes(), nil
}

func (x *Index) openParts() error {
	data, err := x.open(ordinalsName)
	if err != nil {
		return err
	}
	ordinals := mapped.View[uint32](data)
	texts := 0
	for _, size := range x.manifest.Parts {
		if size.Documents > len(ordinals) {
			return fmt.Errorf("%s is too short", ordinalsName)
		}
		p, err := openPart(x.dir, size.Name, x.manifest, ordinals[:size.Documents])
		if err != nil {
			return fmt.Errorf("%s: %w", size.Name, err)
		}
		x.parts = append(x.parts, p)
		ordinals = ordinals[size.Documents:]
		texts += p.texts
	}
	if texts != x.N() || len(ordinals) > 0 {
		return fmt.Errorf("postings of %d texts for %d", texts, x.N())
	}
	return nil
}

// recoverTo turns a panic of bluge, or a fault of a truncated file, into an error: a damaged file must not
// end an editor's session.
func recoverTo(err *error, doing string) {
	switch r := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("lexical index: %s: %w", doing, r)
	default:
		*err = fmt.Errorf("lexical index: %s: %v", doing, r)
	}
}

// N returns the number of texts.
func (x *Index) N() int { return x.texts }

// MeanLength returns the mean number of terms of a text.
func (x *Index) MeanLength() float64 { return x.mean }

// Parameters returns the parameters the index was built with.
func (x *Index) Parameters() Parameters { return x.bm25 }

// DocFreq returns the number of texts in which a term occurs.
func (x *Index) DocFreq(term string) int {
	defer mapped.Release(x, mapped.Guard())
	number, ok := x.forward.number(term)
	if !ok {
		return 0
	}
	return int(x.forward.documents[number])
}

// TermNumber returns a term's place in [Index.Vocabulary], or false if no text has it.
func (x *Index) TermNumber(term string) (uint32, bool) {
	defer mapped.Release(x, mapped.Guard())
	return x.forward.number(term)
}

// Vocabulary returns every term, each once. The slice must not be changed.
func (x *Index) Vocabulary() []string { return x.forward.vocabulary }

// TermNumbers returns the terms of a text in their order, each as its place in [Index.Vocabulary].
// The slice must not be changed, and is good for as long as the index is in reach.
func (x *Index) TermNumbers(ordinal int) []uint32 { return x.forward.text(ordinal) }

// Terms returns the terms of a text in their order.
func (x *Index) Terms(ordinal int) []string {
	defer mapped.Release(x, mapped.Guard())
	numbers := x.forward.text(ordinal)
	terms := make([]string, len(numbers))
	for i, number := range numbers {
		terms[i] = x.forward.vocabulary[number]
	}
	return terms
}
