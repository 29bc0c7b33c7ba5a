package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"lacuna/handlers/note"
)

// dismissalsFile lies in the index's folder.
const dismissalsFile = "dismissed.json"

// dismissals are the gaps that the user has marked as not needed. They are kept in one small file
// and are safe for concurrent use.
type dismissals struct {
	folder string // empty: not kept beyond the session

	mu   sync.Mutex
	gaps []dismissal // in the order of dismissal; guarded by mu
}

// dismissal names a gap. The note's question appears as its hash only.
type dismissal struct {
	Note     string          `json:"note"` // path, or URI of a note without one
	Question note.QuestionID `json:"question"`
	Code     string          `json:"code"`
}

// newDismissals reads what is kept in a folder. A file that cannot be read is put aside, so that
// nothing of it is lost, and the log says where.
func newDismissals(folder string, log *slog.Logger) *dismissals {
	d := &dismissals{folder: folder}
	if folder == "" {
		return d
	}
	path := filepath.Join(folder, dismissalsFile)
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &d.gaps)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return d
	}
	aside := path + ".unreadable"
	log.Warn("dismissed gaps could not be read and were put aside", "file", aside, "err", err)
	if err := os.Rename(path, aside); err != nil {
		log.Warn("putting aside failed", "err", err)
	}
	d.gaps = nil
	return d
}

func (d *dismissals) has(noteName string, id note.QuestionID, code string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.gaps, dismissal{noteName, id, code})
}

// set remembers or forgets a dismissal, also when it cannot be written.
func (d *dismissals) set(noteName string, id note.QuestionID, code string, dismissed bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	gap := dismissal{noteName, id, code}
	at := slices.Index(d.gaps, gap)
	switch {
	case dismissed == (at >= 0):
		return nil
	case dismissed:
		d.gaps = append(d.gaps, gap)
	default:
		d.gaps = slices.Delete(d.gaps, at, at+1)
	}
	return d.save()
}

// save replaces the file in one step, so that a crash leaves the old one or the new one. The
// caller holds mu.
func (d *dismissals) save() error {
	if d.folder == "" {
		return nil
	}
	data, err := json.MarshalIndent(d.gaps, "", "\t")
	if err != nil {
		return fmt.Errorf("encode dismissed gaps: %w", err)
	}
	if err := os.MkdirAll(d.folder, 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(d.folder, dismissalsFile+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // gone already when all went well
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), filepath.Join(d.folder, dismissalsFile))
}
