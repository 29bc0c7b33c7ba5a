// Package history keeps what a person made of the answers they got: pairs of a question and an answer
// that they accepted, which answer the same question the next time, and labels that say which way of
// answering served better, from which a gate learns.
//
// A pair rests on the sentences of the user's own sources that its answer quotes or cites. It serves
// only while all of them stand on disk as they were read; what a model wrote of its own never gets in,
// and neither does an answer that rests on an accepted one. So an error cannot launder itself into
// evidence. Begin with [In], [PairOf] and [Store.Publish].
package history

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// SourceName is the source that the pairs which serve are a part of the library by.
const SourceName = "accepted answers"

const (
	pairsName  = "accepted.jsonl"
	labelsName = "gate-labels.jsonl"
	// servingFolder is the folder of the source; its one file is made of the pairs that serve.
	servingFolder = "accepted"
	servingName   = "answers.jsonl"
)

// Store is the history of one workspace, in the folder of its index; its files have mode 0600. It is
// safe for concurrent use, by several processes as well.
type Store struct{ dir string }

// In returns the store in a folder, which need not hold one yet. Nothing is written before something
// is to be kept.
func In(dir string) *Store { return &Store{dir} }

func (s *Store) pairsFile() string  { return filepath.Join(s.dir, pairsName) }
func (s *Store) labelsFile() string { return filepath.Join(s.dir, labelsName) }
func (s *Store) servedFile() string { return filepath.Join(s.dir, servingFolder, servingName) }

// Source is the source of the pairs that serve. Its folder is made, so that a source without pairs is
// an empty one.
func (s *Store) Source() (ingest.Source, error) {
	folder := filepath.Join(s.dir, servingFolder)
	return ingest.Source{
		Name: SourceName, Kind: passage.QA, Path: folder, Include: []string{servingName}, Confined: true,
	}, os.MkdirAll(folder, 0o700)
}

// Accept keeps a pair, in the place of one of the same identity.
func (s *Store) Accept(ctx context.Context, p Pair) error {
	return update(ctx, s.pairsFile(), func(all []Pair) []Pair {
		if at := slices.IndexFunc(all, func(had Pair) bool { return had.ID == p.ID }); at >= 0 {
			all[at] = p
			return all
		}
		return append(all, p)
	})
}

// Pairs lists the pairs in the order in which they were accepted first.
func (s *Store) Pairs() ([]Pair, error) { return read[Pair](s.pairsFile()) }

// Keep keeps a label, in the place of one of the same identity; but what a person said by overruling
// an answer stands against what they merely did with another.
func (s *Store) Keep(ctx context.Context, l Label) error {
	return update(ctx, s.labelsFile(), func(all []Label) []Label {
		at := slices.IndexFunc(all, func(had Label) bool { return had.ID == l.ID })
		switch {
		case at < 0:
			return append(all, l)
		case all[at].How != Overruled || l.How == Overruled:
			all[at] = l
		}
		return all
	})
}

// Labels lists the labels in the order in which they were given first; each is a row that [gate.Read]
// reads.
func (s *Store) Labels() ([]Label, error) { return read[Label](s.labelsFile()) }

// Forget drops the pair or the label of that identity and reports whether there was one. A pair
// serves no longer.
func (s *Store) Forget(ctx context.Context, id string) (found bool, err error) {
	pair := func(p Pair) bool { found = found || p.ID == id; return p.ID == id }
	label := func(l Label) bool { found = found || l.ID == id; return l.ID == id }
	return found, errors.Join(
		discard(ctx, s.pairsFile(), pair),
		discard(ctx, s.servedFile(), func(r served) bool { return r.ID == id }),
		discard(ctx, s.labelsFile(), label))
}

// ForgetNote drops what is kept of a note, and reports whether there was anything.
func (s *Store) ForgetNote(ctx context.Context, note string) (found bool, err error) {
	gone := map[string]bool{}
	pair := func(p Pair) bool { gone[p.ID] = gone[p.ID] || p.Note == note; return p.Note == note }
	label := func(l Label) bool { found = found || l.Note == note; return l.Note == note }
	err = errors.Join(discard(ctx, s.pairsFile(), pair), discard(ctx, s.labelsFile(), label),
		discard(ctx, s.servedFile(), func(r served) bool { found = found || gone[r.ID]; return gone[r.ID] }))
	for _, of := range gone {
		found = found || of
	}
	return found, err
}

// ForgetAll drops everything, and with it the lines that cannot be read.
func (s *Store) ForgetAll(ctx context.Context) error {
	return errors.Join(empty(ctx, s.pairsFile()), empty(ctx, s.servedFile()), empty(ctx, s.labelsFile()))
}

// Rename gives pairs and labels to the names that their notes have now. What is kept under a new name
// already stays: it is newer. Pairs serve under their new identity once they are published again.
func (s *Store) Rename(ctx context.Context, renamed func(note string) string) error {
	return errors.Join(
		rename(ctx, s.pairsFile(), func(p Pair) Pair {
			if name := renamed(p.Note); name != p.Note {
				p.Note, p.ID = name, PairID(name, p.Question)
			}
			return p
		}),
		rename(ctx, s.labelsFile(), func(l Label) Label {
			if name := renamed(l.Note); name != l.Note {
				l.Note, l.ID = name, labelID(name, l.Question)
			}
			return l
		}))
}

// rename changes the rows of a file, where it is there and a row changes.
func rename[T row](ctx context.Context, path string, change func(T) T) error {
	rows, err := read[T](path)
	moves := func(one T) bool { return change(one).identity() != one.identity() }
	if err != nil || !slices.ContainsFunc(rows, moves) {
		return err
	}
	return update(ctx, path, func(rows []T) []T {
		taken := make(map[string]bool)
		for _, one := range rows {
			if !moves(one) {
				taken[one.identity()] = true
			}
		}
		var kept []T
		for _, one := range rows {
			if next := change(one); !moves(one) || !taken[next.identity()] {
				kept = append(kept, next)
			}
		}
		return kept
	})
}

// served is a pair as a source of questions and answers has it.
type served struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Date     string `json:"date"`
}

// Publish makes the source hold the pairs whose citations stand in the library and on disk now, and
// reports whether that changed it.
func (s *Store) Publish(ctx context.Context, library *knowledge.Library) (changed bool, err error) {
	pairs, err := s.Pairs()
	if err != nil {
		return false, err
	}
	evidence := evidenceOf(library, pairs)
	var rows []served
	for _, p := range pairs {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if evidence.check(p) == nil {
			rows = append(rows, served{p.ID, p.Question, p.Answer, p.Date})
		}
	}
	path := s.servedFile()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && len(rows) == 0 {
		return false, nil
	}
	content := encode(rows)
	err = knowledge.UpdateFile(ctx, path, func(old []byte) ([]byte, error) {
		changed = !bytes.Equal(old, content)
		return content, nil
	})
	return changed, err
}
