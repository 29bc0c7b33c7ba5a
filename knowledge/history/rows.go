package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/gate"
	"lacuna/vecmath/regular"
)

// row is what a line of a file holds: a pair, a label, or a pair that serves.
type row interface {
	identity() string
	whole() bool // whether everything is there that a row has to have
}

func (p Pair) identity() string   { return p.ID }
func (l Label) identity() string  { return l.ID }
func (s served) identity() string { return s.ID }

func (p Pair) whole() bool { return p.ID != "" && p.Question != "" && p.Answer != "" }
func (l Label) whole() bool {
	return l.ID != "" && l.Question != "" && (l.Label == gate.Better || l.Label == gate.Worse || l.Label == gate.Same)
}
func (s served) whole() bool { return s.ID != "" && s.Question != "" && s.Answer != "" }

// Unread is a line of the history that cannot be read: a disk failed, or somebody has changed it. It
// serves nothing and teaches nothing, and it stays in its file as it is until a person mends or
// deletes it, or forgets everything.
type Unread struct {
	File string // its path
	Line int    // from 1
}

// Unread lists the lines that cannot be read, of pairs first and then of labels. Lines move when
// something is kept or forgotten: those that cannot be read come first then.
func (s *Store) Unread() ([]Unread, error) {
	pairs, pairsErr := unread[Pair](s.pairsFile())
	labels, labelsErr := unread[Label](s.labelsFile())
	return append(pairs, labels...), errors.Join(pairsErr, labelsErr)
}

func unread[T row](path string) ([]Unread, error) {
	content, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var lines []Unread
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if _, ok := decodeLine[T](line); !ok && !blank(line) {
			lines = append(lines, Unread{path, number})
		}
	}
	return lines, err
}

// read reads the rows of a file; [Store.Unread] has what is no row.
func read[T row](path string) ([]T, error) {
	content, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	rows, _ := decode[T](content)
	return rows, err
}

// decode returns the rows of a file, and the lines that are none, each with its line feed.
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

// update changes the rows of a file. What cannot be read stays, at its beginning.
func update[T row](ctx context.Context, path string, change func([]T) []T) error {
	return knowledge.UpdateFile(ctx, path, func(content []byte) ([]byte, error) {
		rows, unread := decode[T](content)
		return append(unread, encode(change(rows))...), nil
	})
}

// discard drops rows of a file, which is not made if it is not there.
func discard[T row](ctx context.Context, path string, drop func(T) bool) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return update(ctx, path, func(rows []T) []T { return slices.DeleteFunc(rows, drop) })
}

// empty drops all of a file, which is not made if it is not there.
func empty(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return knowledge.UpdateFile(ctx, path, func([]byte) ([]byte, error) { return nil, nil })
}
