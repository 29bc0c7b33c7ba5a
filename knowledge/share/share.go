// Package share publishes a source for a team, and mirrors what was published.
//
// A publication is a folder that only grows, on a file share or behind any web server:
//
//	head            a signed note (golang.org/x/mod/sumdb/note): a [Head] in JSON, and the publisher's signature
//	pieces/ab/ab12… pieces of the files, of the list of files and the card, compressed by gzip and
//	                named by the SHA-256 of what they hold
//
// The files follow each other in one stream, which is cut where its content says so (content-defined
// chunking): after a change most pieces are those that a mirror has already. The head names the
// [Card], the card names the pieces in order. So the one signature vouches for every byte, and whoever keeps
// the pieces need not be trusted: what was altered on the way is refused.
//
//	publish.go   a source → pieces, then the head, which makes them current
//	mirror.go    a publication → a folder on this machine, resumed and switched as a whole
//	pieces.go    where a stream is cut, and how a piece is kept
//	place.go     a [Place] keeps pieces: a [Folder], or a web server (package web)
//	key.go       who publishes: ed25519 keys, made once and pinned by those who mirror
package share

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// format names the version of a publication. A mirror refuses others.
const format = "lacuna-share 1"

// Limits on what a publication may hold, so that none can exhaust a mirror's memory.
const (
	maxHead = 64 << 10
	maxCard = 512 << 20
	maxList = 2 << 30
	maxName = 1024 // bytes of a file's name, with its folders
)

// Head is what a publisher signs.
type Head struct {
	Format    string    `json:"format"`
	Source    string    `json:"source"`    // its name
	Number    int       `json:"number"`    // of the publication at its place, from 1 on
	Published time.Time `json:"published"` // UTC, by the publisher's clock, and later than the one before; a mirror never goes back
	Card      Piece     `json:"card"`
	Previous  *Piece    `json:"previous,omitempty"` // the card before, which mirrors may still be reading
}

// Card says what a publication holds.
type Card struct {
	Source  Source  `json:"source"`
	Files   int     `json:"files"`
	Bytes   int64   `json:"bytes"`   // of all files
	List    []Piece `json:"list"`    // of JSON Lines, an [Entry] each, in the order of the content
	Content []Piece `json:"content"` // of the files, one after the other
}

// Source is how a publisher's settings describe the source, as far as a reader of its files needs it.
type Source struct {
	Name   string         `json:"name"`
	Kind   passage.Kind   `json:"kind"`
	Fields ingest.Fields  `json:"fields,omitzero"`
	Chunks ingest.Chunker `json:"chunks,omitempty"`
	// File is the name of the only file, where the source is a file and not a folder.
	File string `json:"file,omitempty"`
}

// Entry is a file of a publication.
type Entry struct {
	Name     string `json:"name"` // relative, with forward slashes
	Bytes    int64  `json:"bytes"`
	SHA256   sum    `json:"sha256"`
	Modified int64  `json:"modified"` // nanoseconds since 1970
}

var (
	// ErrNoKey says that nobody told whose signature to accept.
	ErrNoKey = errors.New("no key is known for this publication")
	// ErrSignature says that a publication was not signed by the key that was asked for.
	ErrSignature = errors.New("not signed by the key that is expected")
	// ErrOlder says that a place offers an older publication than the mirror holds.
	ErrOlder = errors.New("older than what is mirrored already")
	// ErrAltered says that bytes are not those that the publisher signed.
	ErrAltered = errors.New("not what the publisher signed")
	// ErrBusy says that another process works on the mirror.
	ErrBusy = errors.New("another process updates this mirror")
)

// check fails if a mirror cannot hold an entry.
func (e Entry) check() error {
	switch local := filepath.FromSlash(e.Name); {
	case e.Bytes < 0, e.Name == "", len(e.Name) > maxName, !utf8.ValidString(e.Name):
		return fmt.Errorf("%q: no name of a file", e.Name)
	case strings.ContainsFunc(e.Name, func(r rune) bool { return unicode.IsControl(r) || r == '\\' }):
		return fmt.Errorf("%q: its name has a character that not all systems have in names", e.Name)
	case !filepath.IsLocal(local), filepath.Clean(local) != local, filepath.VolumeName(local) != "":
		return fmt.Errorf("%q: its name leads out of the folder, or is reserved on this system", e.Name)
	}
	return nil
}

// parse reads JSON of a publication, strictly.
func parse(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %w", ErrAltered, err)
	}
	return nil
}
