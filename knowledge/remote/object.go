package remote

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"

	"lacuna/knowledge"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/passage"
)

// ErrAltered says that what an engine returned is not what the publisher signed.
var ErrAltered = errors.New("not what the publisher signed")

// record is what an engine keeps of a passage, besides what it finds it by.
type record struct {
	position int    // of the passage in the generation
	file     string // of the passage: relative to its source, with forward slashes
	sum      [sha256.Size]byte
	passage  *passage.Passage
}

// encode writes the position, the source and the file's name with their lengths, the hash of the file and the passage;
// numbers are varints.
func (r record) encode() []byte {
	content := binary.AppendUvarint(nil, uint64(r.position))
	for _, name := range []string{r.passage.Source, r.file} {
		content = binary.AppendUvarint(content, uint64(len(name)))
		content = append(content, name...)
	}
	content = append(content, r.sum[:]...)
	return append(content, knowledge.EncodePassage(r.passage)...)
}

// decode reads what encode wrote. The passage's file stands below root.
func decode(content []byte, root string) (r record, err error) {
	bad := fmt.Errorf("an object of a shape that nobody writes: %w", ErrAltered)
	number := func() uint64 {
		n, size := binary.Uvarint(content)
		if size <= 0 {
			err = bad
			return 0
		}
		content = content[size:]
		return n
	}
	cut := func(n uint64) string {
		if n > uint64(len(content)) {
			err = bad
			return ""
		}
		head := string(content[:n])
		content = content[n:]
		return head
	}
	position := number()
	source := cut(number())
	r.file = cut(number())
	copy(r.sum[:], cut(sha256.Size))
	if err != nil || position > 1<<40 || r.file == "" || !filepath.IsLocal(filepath.FromSlash(r.file)) {
		return record{}, bad
	}
	r.position = int(position)
	r.passage, err = knowledge.DecodePassage(string(content), source, filepath.Join(root, filepath.FromSlash(r.file)))
	if err != nil {
		return record{}, bad
	}
	return r, nil
}

// idOf returns the identity of an object in the engine: the hash of its content, so that putting it again changes
// nothing.
func idOf(content []byte) engine.ID {
	sum := sha256.Sum256(content)
	return engine.ID(sum[:16])
}

// tree vouches for all objects of a generation by one hash, as certificate logs do: an object comes with the hashes
// that lead from it to the root.
type tree struct {
	Size int64     `json:"size"`
	Root tlog.Hash `json:"root"`
}

// treeBuilder holds the hashes of the contents in the order of their positions.
type treeBuilder struct {
	size   int64
	hashes []tlog.Hash
}

// ReadHashes implements [tlog.HashReader].
func (b *treeBuilder) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		hashes[i] = b.hashes[at]
	}
	return hashes, nil
}

// add appends a content.
func (b *treeBuilder) add(content []byte) error {
	hashes, err := tlog.StoredHashes(b.size, content, b)
	b.hashes = append(b.hashes, hashes...)
	b.size++
	return err
}

func (b *treeBuilder) tree() (tree, error) {
	root, err := tlog.TreeHash(b.size, b)
	return tree{b.size, root}, err
}

// prove returns the proof of the content at a position.
func (b *treeBuilder) prove(position int) ([]byte, error) {
	hashes, err := tlog.ProveRecord(b.size, int64(position), b)
	if err != nil {
		return nil, err
	}
	var proof []byte
	for _, h := range hashes {
		proof = append(proof, h[:]...)
	}
	return proof, nil
}

// check fails unless a content stood at a position when the root was signed.
func (t tree) check(position int, content, proof []byte) error {
	if len(proof)%tlog.HashSize != 0 || int64(position) >= t.Size {
		return ErrAltered
	}
	hashes := make(tlog.RecordProof, len(proof)/tlog.HashSize)
	for i := range hashes {
		copy(hashes[i][:], proof[i*tlog.HashSize:])
	}
	if tlog.CheckRecord(hashes, t.Size, t.Root, int64(position), tlog.RecordHash(content)) != nil {
		return ErrAltered
	}
	return nil
}
