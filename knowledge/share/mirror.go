package share

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"lacuna/knowledge/par"
	"lacuna/vecmath/regular"
)

// What a mirror's folder holds.
const (
	filesName    = "files"    // the source; a path for the settings
	stateName    = ".share"   // what the mirror knows of it:
	pinName      = "pin.json" // where it is from, and whose signature counts
	listName     = "list"     // the entries of the files, as they were published
	cardName     = "card.json"
	lockName     = "lock"
	incomingName = "incoming" // pieces of a pull that has not ended
	nextName     = "next"     // the folder that will be files
	lastName     = "last"     // what files was until a moment ago
)

// Mirror is a publication on this machine.
type Mirror struct {
	Folder string // of the mirror
	Pin    Pin
	Head   Head // of what it holds; its number is 0 until a pull has ended
}

// Pin says where a mirror is from and whose signature counts there.
type Pin struct {
	From string `json:"from"`
	Key  string `json:"key"`
}

// Files is the folder with the source.
func (m *Mirror) Files() string { return filepath.Join(m.Folder, filesName) }

func (m *Mirror) state(name string) string { return filepath.Join(m.Folder, stateName, name) }

// Open returns the mirror of a folder, or [fs.ErrNotExist] if it is none.
func Open(folder string) (*Mirror, error) {
	m := &Mirror{Folder: folder}
	text, err := regular.ReadFile(m.state(pinName))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &m.Pin); err != nil {
		return nil, fmt.Errorf("%s: %w", m.state(pinName), err)
	}
	signed, err := regular.ReadFile(m.state(headName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		m.Head, err = openHead(signed, m.Pin.Key)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.state(headName), err)
	}
	return m, nil
}

// Of returns the mirror that a source's path is from; false if it is from none.
func Of(path string) (*Mirror, bool) {
	for at := path; filepath.Dir(at) != at; at = filepath.Dir(at) {
		if filepath.Base(at) == filesName {
			m, err := Open(filepath.Dir(at))
			return m, err == nil
		}
	}
	return nil, false
}

// Create makes a folder the mirror of a place. The folder must be empty, or a mirror of it already, or one that holds
// nothing yet.
func Create(folder string, pin Pin) (*Mirror, error) {
	m, err := Open(folder)
	if err == nil && (m.Pin == pin || m.Head.Number > 0) {
		if m.Pin != pin {
			return nil, fmt.Errorf("%s mirrors %s, signed by %s; mirror into another folder", folder, m.Pin.From, m.Pin.Key)
		}
		return m, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 && m == nil {
		return nil, fmt.Errorf("%s is not empty; mirror into a new folder", folder)
	}
	m = &Mirror{Folder: folder, Pin: pin}
	if err := os.MkdirAll(filepath.Join(folder, stateName), 0o700); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(pin, "", "\t")
	if err != nil {
		return nil, err
	}
	return m, write(m.state(pinName), append(text, '\n'), 0o600)
}

// Options are the options of a pull.
type Options struct {
	// Check compares every mirrored file with what was signed, also if nothing new was published, and repairs
	// what differs.
	Check bool
	// Progress, which may be nil, is called with the bytes that are there and all that are needed. Calls do not overlap.
	Progress func(done, total int64)
}

// Pulled says what a pull did.
type Pulled struct {
	Head         Head
	Card         Card
	Unchanged    bool // nothing new was published, and nothing repaired
	Fetched      int  // pieces
	FetchedBytes int64
	Kept         int // files that stayed as they were
	Written      int // files that are new or changed
	Removed      int // files that are gone
}

// Offer is what a place offers to somebody who pins no key yet. It is unchecked.
type Offer struct{ Publisher string }

// Look returns what a place offers, unchecked: to compare it with what the publisher told.
func Look(ctx context.Context, from Place) (Offer, error) {
	signed, err := from.Get(ctx, headName, maxHead)
	return Offer{publisher(signed)}, err
}

// Pull brings the mirror up to date. What an interrupted call has fetched is not fetched again. Each
// piece and each file is compared with what the publisher signed before the folder of the files is exchanged as a
// whole; after an error it is what it was. Pieces of files that are there already come from them.
func (m *Mirror) Pull(ctx context.Context, from Place, o Options) (done Pulled, err error) {
	lock := flock.New(m.state(lockName))
	if locked, err := lock.TryLock(); err != nil || !locked {
		return done, cmpErr(err, ErrBusy)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := m.recover(); err != nil {
		return done, err
	}
	signed, err := from.Get(ctx, headName, maxHead)
	if err != nil {
		return done, err
	}
	head, err := openHead(signed, m.Pin.Key)
	if err != nil {
		return done, err
	}
	switch {
	case head.Published.Before(m.Head.Published): // the number may be lower: of a place that was lost and filled again
		return done, fmt.Errorf("%s offers what was published at %s, and what is here was at %s: %w", from, head.Published.Format(time.DateTime), m.Head.Published.Format(time.DateTime), ErrOlder)
	case head.Number == m.Head.Number && head.Card == m.Head.Card && !o.Check:
		card, _, err := m.current()
		if err == nil {
			done = Pulled{Head: head, Card: card, Unchanged: true, Kept: card.Files}
			return done, os.RemoveAll(m.state(incomingName)) // of a pull that was killed when all was done but this
		}
	}
	p := &pull{mirror: m, from: from, options: o}
	if err := p.plan(ctx, head); err != nil {
		return done, err
	}
	if err := p.fetch(ctx); err != nil {
		return done, err
	}
	if err := p.assemble(ctx); err != nil {
		return done, errors.Join(err, os.RemoveAll(m.state(nextName)))
	}
	if err := m.exchange(); err != nil {
		return done, err
	}
	p.done.Unchanged = head.Card == m.Head.Card && p.done.Written+p.done.Removed == 0
	m.Head = head
	return p.done, p.settle(signed)
}

// cmpErr returns the first error that there is.
func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// current returns the card and the entries of what the mirror holds; empty before the first pull.
func (m *Mirror) current() (card Card, entries []Entry, err error) {
	if m.Head.Number == 0 {
		return card, nil, nil
	}
	text, err := regular.ReadFile(m.state(cardName))
	if err == nil {
		err = parse(text, &card)
	}
	if err != nil {
		return card, nil, err
	}
	list, err := regular.ReadFile(m.state(listName))
	if err == nil {
		entries, err = entriesOf(list)
	}
	return card, entries, err
}

// entriesOf reads the list of files.
func entriesOf(list []byte) ([]Entry, error) {
	var entries []Entry
	for lines := bufio.NewReader(bytes.NewReader(list)); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e Entry
			if err := parse(line, &e); err != nil {
				return nil, err
			}
			if err := e.check(); err != nil {
				return nil, err
			}
			entries = append(entries, e)
		}
		if err != nil {
			return entries, nil
		}
	}
}

// pull is one pull.
type pull struct {
	mirror  *Mirror
	from    Place
	options Options
	done    Pulled

	entries []Entry
	list    []byte          // as it was published
	text    []byte          // of the card
	kept    map[string]bool // names of files that are here, byte for byte
	stream  stream          // what is to be
	here    stream          // what is
	needed  []Piece         // for files that are not kept
	local   map[Piece]int64 // where a needed piece stands in the stream that is here
}

// stream is the content of a publication: its files, one after the other, cut into pieces.
type stream struct {
	pieces  []Piece
	ends    []int64 // of the pieces
	entries []Entry
	starts  []int64 // of the entries
}

func streamOf(pieces []Piece, entries []Entry) (s stream, err error) {
	s = stream{pieces: pieces, entries: entries}
	at := int64(0)
	for _, p := range pieces {
		if p.Bytes < 1 || p.Bytes > maxPiece {
			return s, fmt.Errorf("a piece of %d bytes: %w", p.Bytes, ErrAltered)
		}
		at += p.Bytes
		s.ends = append(s.ends, at)
	}
	total := int64(0)
	for i, e := range entries {
		if i > 0 && e.Name <= entries[i-1].Name {
			return s, fmt.Errorf("%q is out of order: %w", e.Name, ErrAltered)
		}
		s.starts = append(s.starts, total)
		total += e.Bytes
	}
	if total != at {
		return s, fmt.Errorf("files of %d bytes in pieces of %d: %w", total, at, ErrAltered)
	}
	return s, nil
}

// piecesOf returns the numbers of the pieces that hold an entry: from first up to last, which is excluded.
func (s *stream) piecesOf(entry int) (first, last int) {
	from, to := s.starts[entry], s.starts[entry]+s.entries[entry].Bytes
	first, _ = slices.BinarySearch(s.ends, from+1)
	if last = first; to > from {
		last, _ = slices.BinarySearch(s.ends, to)
		last++
	}
	return first, last
}

// plan finds out which pieces are needed, and which of them stand in files that are here.
func (p *pull) plan(ctx context.Context, head Head) error {
	text, _, err := get(ctx, p.from, head.Card)
	if err != nil {
		return err
	}
	var card Card
	if err := parse(text, &card); err != nil {
		return err
	}
	size := int64(0)
	for _, piece := range card.List {
		if size += piece.Bytes; piece.Bytes > maxPiece || size > maxList {
			return fmt.Errorf("the list of its files is too long: %w", ErrAltered)
		}
		part, _, err := get(ctx, p.from, piece)
		if err != nil {
			return err
		}
		p.list = append(p.list, part...)
	}
	if p.entries, err = entriesOf(p.list); err != nil {
		return err
	}
	if p.stream, err = streamOf(card.Content, p.entries); err != nil {
		return err
	}
	if card.Source.Name != head.Source || card.Files != len(p.entries) || card.Source.File != "" && (len(p.entries) != 1 || p.entries[0].Name != card.Source.File) {
		return fmt.Errorf("its card: %w", ErrAltered)
	}
	p.text, p.done = text, Pulled{Head: head, Card: card}
	old, entries, err := p.mirror.current()
	if err == nil {
		p.here, err = streamOf(old.Content, entries)
	}
	if err != nil {
		p.here = p.stream // a killed pull, or damage: files here may be the new ones, and are compared with what was signed
	}
	p.findKept()
	p.findNeeded()
	return ctx.Err()
}

// findKept compares the files that are here with those that are to be.
func (p *pull) findKept() {
	before := make(map[string]Entry, len(p.here.entries))
	for _, e := range p.here.entries {
		before[e.Name] = e
	}
	names := par.Gather(len(p.entries), func(i int) (string, bool) {
		e := p.entries[i]
		old, was := before[e.Name]
		if !was || old != e {
			return "", false
		}
		found, err := HashFile(p.mirror.path(e.Name))
		return e.Name, err == nil && found == e.SHA256
	})
	p.kept = make(map[string]bool, len(names))
	for _, name := range names {
		p.kept[name] = true
	}
	p.done.Kept, p.done.Written = len(names), len(p.entries)-len(names)
	for _, e := range p.entries {
		delete(before, e.Name)
	}
	p.done.Removed = len(before)
}

// HashFile returns the SHA-256 of a regular file.
func HashFile(path string) (found [sha256.Size]byte, err error) {
	file, err := regular.Open(path)
	if err != nil {
		return found, err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	h.Sum(found[:0])
	return found, err
}

// path is where a file of the mirror is.
func (m *Mirror) path(name string) string {
	return filepath.Join(m.Files(), filepath.FromSlash(name))
}

func (p *pull) findNeeded() {
	places := make(map[Piece]int64, len(p.here.pieces))
	for i, piece := range p.here.pieces {
		places[piece] = p.here.ends[i] - piece.Bytes
	}
	seen := make(map[Piece]bool)
	p.local = make(map[Piece]int64)
	for i, e := range p.entries {
		if p.kept[e.Name] {
			continue
		}
		first, last := p.stream.piecesOf(i)
		for _, piece := range p.stream.pieces[first:last] {
			if seen[piece] {
				continue
			}
			seen[piece] = true
			p.needed = append(p.needed, piece)
			if at, is := places[piece]; is {
				p.local[piece] = at
			}
		}
	}
}

// readHere returns a piece from the files that are here, if it still stands there.
func (p *pull) readHere(piece Piece) ([]byte, bool) {
	at, is := p.local[piece]
	if !is {
		return nil, false
	}
	content := make([]byte, 0, piece.Bytes)
	entry, exact := slices.BinarySearch(p.here.starts, at)
	if !exact {
		entry--
	}
	for ; int64(len(content)) < piece.Bytes && entry < len(p.here.entries); entry++ {
		e := p.here.entries[entry]
		skip := at + int64(len(content)) - p.here.starts[entry]
		part := make([]byte, min(e.Bytes-skip, piece.Bytes-int64(len(content))))
		file, err := regular.Open(p.mirror.path(e.Name))
		if err != nil {
			return nil, false
		}
		_, err = file.ReadAt(part, skip)
		_ = file.Close() // was only read
		if err != nil && len(part) > 0 && !errors.Is(err, io.EOF) {
			return nil, false
		}
		content = append(content, part...)
	}
	return content, pieceOf(content) == piece
}

func (p *pull) incoming(piece Piece) string {
	return filepath.Join(p.mirror.state(incomingName), filepath.FromSlash(piece.name()))
}

// fetch fetches the needed pieces that are nowhere here.
func (p *pull) fetch(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	total := int64(0)
	for _, piece := range p.needed {
		total += piece.Bytes
	}
	queue := make(chan Piece)
	var mu sync.Mutex
	var workers sync.WaitGroup
	there := int64(0)
	for range max(8, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for piece := range queue {
				bytes, err := p.obtain(ctx, piece)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				if there += piece.Bytes; p.options.Progress != nil {
					p.options.Progress(there, total)
				}
				if bytes > 0 {
					p.done.Fetched++
					p.done.FetchedBytes += bytes
				}
				mu.Unlock()
			}
		})
	}
	for _, piece := range p.needed {
		if ctx.Err() != nil {
			break
		}
		queue <- piece
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

// obtain sees to it that a piece is here, and returns how many bytes had to be fetched.
func (p *pull) obtain(ctx context.Context, piece Piece) (fetched int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if _, is := p.readHere(piece); is {
		return 0, nil
	}
	name := p.incoming(piece)
	if kept, err := regular.ReadFile(name); err == nil {
		if _, err := piece.unpack(kept); err == nil {
			return 0, nil
		}
	}
	_, kept, err := get(ctx, p.from, piece)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return 0, err
	}
	return int64(len(kept)), os.WriteFile(name, kept, 0o600) // an incomplete one is fetched again
}

// read returns a piece that obtain has seen to.
func (p *pull) read(piece Piece) ([]byte, error) {
	if content, is := p.readHere(piece); is {
		return content, nil
	}
	kept, err := regular.ReadFile(p.incoming(piece))
	if err != nil {
		return nil, err
	}
	return piece.unpack(kept)
}

// assemble writes the folder that is to be.
func (p *pull) assemble(ctx context.Context) error {
	next := p.mirror.state(nextName)
	if err := os.RemoveAll(next); err != nil {
		return err
	}
	if err := os.MkdirAll(next, 0o700); err != nil {
		return err
	}
	last, content := -1, []byte(nil) // of the pieces the one that was read last: small files share one
	for i, e := range p.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := filepath.Join(next, filepath.FromSlash(e.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if p.kept[e.Name] {
			if err := regular.LinkOrCopy(p.mirror.path(e.Name), to); err != nil {
				return err
			}
			continue
		}
		err := writeNew(to, e, func(w io.Writer) error {
			first, end := p.stream.piecesOf(i)
			for n := first; n < end; n++ {
				if n != last {
					var err error
					if content, err = p.read(p.stream.pieces[n]); err != nil {
						return err
					}
					last = n
				}
				begin := p.stream.ends[n] - p.stream.pieces[n].Bytes
				from := max(0, p.stream.starts[i]-begin)
				to := min(p.stream.pieces[n].Bytes, p.stream.starts[i]+e.Bytes-begin)
				if _, err := w.Write(content[from:to]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return settleAll(next)
}

// writeNew writes a file that must not be there yet: on systems that do not tell capitals from small letters, two names may
// be one.
func writeNew(to string, e Entry, fill func(io.Writer) error) error {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%q has the name of another file, on this system", e.Name)
	}
	if err != nil {
		return err
	}
	h := sha256.New()
	if err := errors.Join(fill(io.MultiWriter(file, h)), settleFile(file), file.Close()); err != nil {
		return err
	}
	if sum(h.Sum(nil)) != e.SHA256 {
		return fmt.Errorf("%q: %w", e.Name, ErrAltered)
	}
	modified := time.Unix(0, e.Modified)
	return os.Chtimes(to, modified, modified)
}

// exchange makes the new folder the mirror's files.
func (m *Mirror) exchange() error {
	next, last := m.state(nextName), m.state(lastName)
	if _, err := os.Lstat(m.Files()); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(next, m.Files())
	}
	if swap(next, m.Files()) == nil {
		return os.RemoveAll(next) // which holds the old ones now
	}
	if err := os.Rename(m.Files(), last); err != nil {
		return fmt.Errorf("a program holds files of %s open: close it and pull again: %w", m.Files(), err)
	}
	if err := os.Rename(next, m.Files()); err != nil {
		return errors.Join(err, os.Rename(last, m.Files()))
	}
	return os.RemoveAll(last)
}

// recover undoes what a killed pull left between the two steps of an exchange, and removes what it did not finish.
// The caller must hold the lock.
func (m *Mirror) recover() error {
	entries, err := os.ReadDir(m.state(""))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		for _, name := range []string{cardName, listName, headName} {
			if unfinished, _ := filepath.Match(temporaryOf(name), entry.Name()); unfinished {
				_ = os.Remove(m.state(entry.Name())) // it harms nobody
			}
		}
	}
	last := m.state(lastName)
	if _, err := os.Lstat(last); err != nil {
		return nil
	}
	if _, err := os.Lstat(m.Files()); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(last, m.Files())
	}
	return os.RemoveAll(last)
}

// settle writes down what the mirror holds now.
func (p *pull) settle(signed []byte) error {
	m := p.mirror
	return errors.Join(
		write(m.state(cardName), p.text, 0o600),
		write(m.state(listName), p.list, 0o600),
		write(m.state(headName), signed, 0o600),
		os.RemoveAll(m.state(incomingName)),
	)
}
