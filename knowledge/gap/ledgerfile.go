package gap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"lacuna/knowledge"
	"lacuna/regular"
)

const (
	ledgerFile    = "gaps.json"
	ledgerVersion = 1
	// dismissalsFile is what the versions before the ledger kept; it is read once, when there is
	// no ledger yet, and left where it is.
	dismissalsFile = "dismissed.json"
)

// written is the form of the file.
type written struct {
	Version   int     `json:"version"`
	Questions []entry `json:"questions"`
}

// OpenLedger reads the ledger of an index folder; an empty dir keeps nothing beyond the process. The
// ledger can be used in any case. An error says that what was there could not be read and where it
// was put, so that nothing of it is lost.
func OpenLedger(dir string) (*Ledger, error) {
	l := &Ledger{}
	l.book.Store(newBook())
	if dir == "" {
		return l, nil
	}
	l.path = filepath.Join(dir, ledgerFile)
	_, err := l.Reload()
	if err != nil {
		return l, l.putAside(err)
	}
	if l.stamp == (stamp{}) {
		return l, l.adoptDismissals(filepath.Join(dir, dismissalsFile))
	}
	return l, nil
}

// Reload reads what other processes have changed since, and reports whether that was anything.
func (l *Ledger) Reload() (changed bool, err error) {
	if l.path == "" {
		return false, nil
	}
	l.turn.Lock()
	defer l.turn.Unlock()
	now := stampOf(l.path)
	if now == l.stamp {
		return false, nil
	}
	content, err := regular.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = nil, nil
	}
	if err != nil {
		return false, err
	}
	b, err := readBook(content)
	if err != nil {
		return false, err
	}
	for _, apply := range l.pending {
		apply(b)
	}
	l.book.Store(b)
	l.stamp = now
	return true, nil
}

// change applies a change to the book at once and to the file as it is by then.
func (l *Ledger) change(ctx context.Context, apply func(*book)) error {
	l.turn.Lock()
	defer l.turn.Unlock()
	next := &book{entries: maps.Clone(l.book.Load().entries)}
	apply(next)
	l.book.Store(next)
	if l.path == "" {
		return nil
	}
	l.pending = append(l.pending, apply)
	var damage error
	err := knowledge.UpdateFile(ctx, l.path, func(content []byte) ([]byte, error) {
		merged, err := readBook(content)
		if err != nil { // since it was last read; what this process knows takes its place
			damage = l.putAside(err)
			return next.encode()
		}
		for _, apply := range l.pending {
			apply(merged)
		}
		next = merged
		return merged.encode()
	})
	if err != nil {
		return fmt.Errorf("remember gaps: %w", err)
	}
	l.book.Store(next)
	l.pending, l.stamp = nil, stampOf(l.path)
	return damage
}

// putAside renames a file that cannot be read.
func (l *Ledger) putAside(cause error) error {
	aside := l.path + ".unreadable"
	if err := os.Rename(l.path, aside); err != nil {
		return fmt.Errorf("remembered gaps cannot be read: %w", errors.Join(cause, err))
	}
	return fmt.Errorf("remembered gaps could not be read and were put aside as %s: %w", aside, cause)
}

// adoptDismissals takes over what a version before the ledger kept. The gaps it knew are told
// apart by their code alone, which is their identity.
func (l *Ledger) adoptDismissals(path string) error {
	content, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var old []struct{ Note, Question, Code string }
	if err == nil {
		err = json.Unmarshal(content, &old)
	}
	if err != nil {
		return fmt.Errorf("gaps marked as not needed by an earlier version could not be read from %s: %w", path, err)
	}
	b := newBook()
	for _, o := range old {
		e := b.entries[key{o.Note, o.Question}]
		e.Asked = Asked{Note: o.Note, Question: o.Question}
		e.Dismissed = append(e.Dismissed, o.Code)
		b.put(e)
	}
	l.book.Store(b)
	l.pending = append(l.pending, func(next *book) {
		for k, e := range b.entries {
			if _, known := next.entries[k]; !known {
				next.entries[k] = e
			}
		}
	})
	return nil
}

func newBook() *book { return &book{entries: make(map[key]entry)} }

func readBook(content []byte) (*book, error) {
	b := newBook()
	if len(content) == 0 {
		return b, nil
	}
	var file written
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, err
	}
	if file.Version != ledgerVersion {
		return nil, fmt.Errorf("version %d, want %d", file.Version, ledgerVersion)
	}
	for _, e := range file.Questions {
		b.put(e)
	}
	return b, nil
}

func (b *book) encode() ([]byte, error) {
	return json.MarshalIndent(written{Version: ledgerVersion, Questions: b.sorted()}, "", "\t")
}

// stamp tells the states of a file apart; zero where there is none.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}
