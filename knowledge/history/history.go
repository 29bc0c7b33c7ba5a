// Package history stores what the user made of answers: accepted pairs of a question and its answer, which
// answer the same question the next time, and labels that say which way of answering was better, from which
// a gate learns.
//
// A pair rests on the sentences of the user's own sources that its answer quotes or cites. It answers only
// while all of them stand on disk as they were read. What a model wrote of its own never gets in, and
// neither does an answer that rests on an accepted one, so that an error cannot launder itself into
// evidence. Begin with [In], [PairOf] and [Store.Publish].
package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

const (
	pairsName  = "accepted.jsonl"
	labelsName = "gate-labels.jsonl"
	// publishedFolder is the folder of the source. Its one file holds the published pairs.
	publishedFolder = "accepted"
	publishedName   = "answers.jsonl"
)

// Store is the history of one workspace, in the folder of its index. Its files have mode 0600. It is safe
// for concurrent use, also by several processes.
type Store struct{ dir string }

// In returns the store in a folder, which need not hold one yet. Nothing is written until something is
// stored.
func In(dir string) *Store { return &Store{dir} }

func (s *Store) pairsFile() string     { return filepath.Join(s.dir, pairsName) }
func (s *Store) labelsFile() string    { return filepath.Join(s.dir, labelsName) }
func (s *Store) publishedFile() string { return filepath.Join(s.dir, publishedFolder, publishedName) }

// Source returns the source of the published pairs and makes its folder, so that a source without pairs is
// empty and not missing.
func (s *Store) Source() (ingest.Source, error) {
	folder := filepath.Join(s.dir, publishedFolder)
	return ingest.Source{
		Name: SourceName, Kind: passage.QA, Path: folder, Include: []string{publishedName}, Confined: true,
	}, os.MkdirAll(folder, 0o700)
}

// Accept stores a pair in place of one with the same identity.
func (s *Store) Accept(ctx context.Context, p Pair) error {
	return update(ctx, s.pairsFile(), func(all []Pair) []Pair {
		if at := slices.IndexFunc(all, func(had Pair) bool { return had.ID == p.ID }); at >= 0 {
			all[at] = p
			return all
		}
		return append(all, p)
	})
}

// Pairs lists the pairs in the order in which they were first accepted.
func (s *Store) Pairs() ([]Pair, error) { return read[Pair](s.pairsFile()) }

// Keep stores a label in place of one with the same identity. A label that overrules an answer is replaced
// only by another such label: it says more than what the user did with an answer.
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

// Labels lists the labels in the order in which they were first given. Each is a row for [gate.Read].
func (s *Store) Labels() ([]Label, error) { return read[Label](s.labelsFile()) }

// Forget deletes the pair or the label with that identity, also from the published pairs, and reports
// whether there was one.
func (s *Store) Forget(ctx context.Context, id string) (found bool, err error) {
	pair := func(p Pair) bool { found = found || p.ID == id; return p.ID == id }
	label := func(l Label) bool { found = found || l.ID == id; return l.ID == id }
	return found, errors.Join(
		discard(ctx, s.pairsFile(), pair),
		discard(ctx, s.publishedFile(), func(r publishedRow) bool { return r.ID == id }),
		discard(ctx, s.labelsFile(), label))
}

// ForgetNote deletes what is stored about a note and reports whether there was anything.
func (s *Store) ForgetNote(ctx context.Context, note string) (found bool, err error) {
	gone := map[string]bool{}
	pair := func(p Pair) bool { gone[p.ID] = gone[p.ID] || p.Note == note; return p.Note == note }
	label := func(l Label) bool { found = found || l.Note == note; return l.Note == note }
	err = errors.Join(discard(ctx, s.pairsFile(), pair), discard(ctx, s.labelsFile(), label),
		discard(ctx, s.publishedFile(), func(r publishedRow) bool { found = found || gone[r.ID]; return gone[r.ID] }))
	for _, of := range gone {
		found = found || of
	}
	return found, err
}

// ForgetAll deletes everything, also the lines that cannot be read.
func (s *Store) ForgetAll(ctx context.Context) error {
	return errors.Join(empty(ctx, s.pairsFile()), empty(ctx, s.publishedFile()), empty(ctx, s.labelsFile()))
}

// Rename moves pairs and labels to the new names of their notes. What already has a new name stays: it is
// newer. Pairs have their new identity in the source once they are published again.
func (s *Store) Rename(ctx context.Context, newName func(note string) string) error {
	return errors.Join(
		rename(ctx, s.pairsFile(), func(p Pair) Pair {
			if name := newName(p.Note); name != p.Note {
				p.Note, p.ID = name, PairID(name, p.Question)
			}
			return p
		}),
		rename(ctx, s.labelsFile(), func(l Label) Label {
			if name := newName(l.Note); name != l.Note {
				l.Note, l.ID = name, labelID(name, l.Question)
			}
			return l
		}))
}

// rename changes the rows of a file if it exists and a row changes.
func rename[T interface {
	row
	identity() string
}](ctx context.Context, path string, change func(T) T) error {
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

// publishedRow is a pair as a row of the source of stored questions.
type publishedRow struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Date     string `json:"date"`
}

// Publish writes the pairs whose citations stand in the library and on disk now to the source, and reports
// whether that changed it.
func (s *Store) Publish(ctx context.Context, library *knowledge.Library) (changed bool, err error) {
	pairs, err := s.Pairs()
	if err != nil {
		return false, err
	}
	evidence := evidenceOf(library, pairs)
	var rows []publishedRow
	for _, p := range pairs {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if evidence.check(p) == nil {
			rows = append(rows, publishedRow{p.ID, p.Question, p.Answer, p.Date})
		}
	}
	path := s.publishedFile()
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

// row is the content of a file's line: a pair, a label or a published pair.
type row interface {
	whole() bool // whether it has everything that a row must have
}

func (p Pair) identity() string  { return p.ID }
func (l Label) identity() string { return l.ID }

func (p Pair) whole() bool { return p.ID != "" && p.Question != "" && p.Answer != "" }
func (l Label) whole() bool {
	return l.ID != "" && l.Question != "" && (l.Label == gate.Better || l.Label == gate.Worse || l.Label == gate.Same)
}
func (s publishedRow) whole() bool { return s.ID != "" && s.Question != "" && s.Answer != "" }

// BadLine is a line of the history that cannot be read, because a disk failed or someone changed it. It is
// not used, and it stays in its file as it is until the user corrects or deletes it, or forgets everything.
type BadLine struct {
	File string // its path
	Line int    // from 1
}

// BadLines lists the lines that cannot be read, of pairs and then of labels. When something is stored or
// forgotten, these lines move to the beginning of their file.
func (s *Store) BadLines() ([]BadLine, error) {
	pairs, pairsErr := badLines[Pair](s.pairsFile())
	labels, labelsErr := badLines[Label](s.labelsFile())
	return append(pairs, labels...), errors.Join(pairsErr, labelsErr)
}

func badLines[T row](path string) ([]BadLine, error) {
	content, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var lines []BadLine
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if _, ok := decodeLine[T](line); !ok && !blank(line) {
			lines = append(lines, BadLine{path, number})
		}
	}
	return lines, err
}

// read reads the rows of a file; [Store.BadLines] lists what is not a row.
func read[T row](path string) ([]T, error) {
	content, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	rows, _ := decode[T](content)
	return rows, err
}

// decode returns the rows of a file and the lines that are not rows, each with its line feed.
func decode[T row](content []byte) (rows []T, unread []byte) {
	for line := range bytes.Lines(content) {
		if one, ok := decodeLine[T](line); ok {
			rows = append(rows, one)
		} else if !blank(line) {
			unread = append(append(unread, bytes.TrimSuffix(line, []byte("\n"))...), '\n')
		}
	}
	return rows, unread
}

func decodeLine[T row](line []byte) (one T, ok bool) {
	return one, json.Unmarshal(line, &one) == nil && one.whole()
}

func blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

func encode[T row](rows []T) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, one := range rows {
		_ = encoder.Encode(one) // strings and numbers are always written
	}
	return b.Bytes()
}

// update changes the rows of a file. Lines that cannot be read move to its beginning.
func update[T row](ctx context.Context, path string, change func([]T) []T) error {
	return knowledge.UpdateFile(ctx, path, func(content []byte) ([]byte, error) {
		rows, unread := decode[T](content)
		return append(unread, encode(change(rows))...), nil
	})
}

// discard deletes rows of a file, if the file exists.
func discard[T row](ctx context.Context, path string, drop func(T) bool) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return update(ctx, path, func(rows []T) []T { return slices.DeleteFunc(rows, drop) })
}

// empty deletes the content of a file, if the file exists.
func empty(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return knowledge.UpdateFile(ctx, path, func([]byte) ([]byte, error) { return nil, nil })
}

// CheckedPair is a pair with the reason why it is not published; nil if it is.
type CheckedPair struct {
	Pair
	Inactive error
}

// Check lists the pairs and whether the citations of each stand now.
func (s *Store) Check(library *knowledge.Library) ([]CheckedPair, error) {
	pairs, err := s.Pairs()
	evidence := evidenceOf(library, pairs)
	checked := make([]CheckedPair, len(pairs))
	for i, p := range pairs {
		checked[i] = CheckedPair{p, evidence.check(p)}
	}
	return checked, err
}
