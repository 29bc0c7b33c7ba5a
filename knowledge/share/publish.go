package share

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"lacuna/vecmath/regular"
)

// headName is what makes a publication current, and is written last.
const headName = "head"

// File is a file to publish.
type File struct {
	Name string // in the publication: relative, with forward slashes
	Path string // on this machine
}

// Publication is what [Publish] publishes.
type Publication struct {
	Source Source
	Files  []File
	Now    time.Time
	// Replace publishes over what another key signed, which whoever mirrors it must then pin, and sends again what the place
	// has already, which may be damaged.
	Replace bool
	// Progress, which may be nil, is called now and then with the bytes read so far.
	Progress func(done int64)
}

// Published says what [Publish] did.
type Published struct {
	Head      Head
	Card      Card
	Unchanged bool  // the place held just this already
	Sent      int   // pieces that were not there
	SentBytes int64 // of them, as they are kept
	Removed   int   // pieces that nothing needs any more
}

// Publish publishes the files. Pieces that the place has are not sent again, also those of a call
// that did not end; the head comes last, so a reader sees the publication before, or this one. Of two calls at the same
// time one wins, and its pieces are all there.
func Publish(ctx context.Context, to Place, p Publication, key *Key) (done Published, err error) {
	before, err := to.Get(ctx, headName, maxHead)
	old := Head{}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return done, err
	default:
		if old, err = openHead(before, key.Public); err != nil && !p.Replace {
			return done, fmt.Errorf("%s holds a publication of %s: %w", to, cmp.Or(publisher(before), "somebody else"), err)
		}
		if err == nil && old.Source != p.Source.Name && !p.Replace {
			return done, fmt.Errorf("%s holds a publication of the source %q; publish %q elsewhere", to, old.Source, p.Source.Name)
		}
	}
	last, err := cardOf(ctx, to, old)
	if err != nil && !errors.Is(err, ErrAltered) && !errors.Is(err, fs.ErrNotExist) { // a damaged one is repaired
		return done, err
	}
	s := newSending(ctx, to, last, p.Replace)
	defer s.stop()
	card, err := s.card(p)
	if err == nil {
		err = s.stop()
	}
	if err != nil {
		return done, err
	}
	text, err := json.Marshal(card)
	if err != nil {
		return done, err
	}
	done = Published{Card: card, Sent: s.sent, SentBytes: s.bytes}
	done.Head = Head{Format: format, Source: p.Source.Name, Number: old.Number + 1, Published: p.Now.UTC().Truncate(time.Second), Card: pieceOf(text)}
	if old.Number > 0 {
		if !done.Head.Published.After(old.Published) { // within a second, or the clock has gone back
			done.Head.Published = old.Published.Add(time.Second)
		}
		if old.Card == done.Head.Card && !p.Replace {
			done.Head, done.Unchanged = old, true
			return done, nil
		}
		done.Head.Previous = &old.Card
	}
	if err := to.Put(ctx, done.Head.Card.name(), packed(text)); err != nil {
		return done, err
	}
	signed, err := key.sign(done.Head)
	if err != nil {
		return done, err
	}
	if err := to.Put(ctx, headName, signed); err != nil {
		return done, err
	}
	keep := needed(done.Head, card, last)
	switch to := to.(type) {
	case Folder:
		done.Removed, err = to.prune(keep, p.Now)
	case Remover:
		done.Removed, err = removeOlder(ctx, to, old, keep)
	}
	return done, err
}

// Remover is a place that can remove what it keeps, and cannot list it.
type Remover interface {
	Place
	// Remove removes what has the names; none is no error.
	Remove(ctx context.Context, names []string) error
}

// removeOlder removes the pieces of the publication before old, but for those that are kept.
func removeOlder(ctx context.Context, place Remover, old Head, keep map[Piece]bool) (removed int, err error) {
	if old.Previous == nil {
		return 0, nil
	}
	card, err := cardOf(ctx, place, Head{Number: 1, Card: *old.Previous})
	if err != nil {
		return 0, nil // without its card nobody knows them
	}
	var names []string
	for p := range needed(Head{Card: *old.Previous}, card) {
		if !keep[p] {
			names = append(names, p.name())
		}
	}
	return len(names), place.Remove(ctx, names)
}

// needed returns the pieces of a publication and of the one before.
func needed(head Head, cards ...Card) map[Piece]bool {
	pieces := map[Piece]bool{head.Card: true}
	if head.Previous != nil {
		pieces[*head.Previous] = true
	}
	for _, card := range cards {
		for _, p := range slices.Concat(card.List, card.Content) {
			pieces[p] = true
		}
	}
	return pieces
}

// cardOf fetches the card of a head; without a head it is empty.
func cardOf(ctx context.Context, from Place, head Head) (Card, error) {
	if head.Number == 0 {
		return Card{}, nil
	}
	text, _, err := get(ctx, from, head.Card)
	if err != nil {
		return Card{}, err
	}
	var card Card
	return card, parse(text, &card)
}

// sending puts pieces concurrently, each once.
type sending struct {
	ctx    context.Context
	cancel context.CancelFunc
	to     Place
	again  bool           // also what the place has
	known  map[Piece]bool // sent already, or there since the last publication
	queue  chan []byte
	closed bool // the queue; only the caller's goroutine knows
	done   sync.WaitGroup

	mu    sync.Mutex
	err   error // the first
	sent  int
	bytes int64
}

// newSending begins to send. The pieces of the last publication are taken to be there, unless they are sent again.
func newSending(ctx context.Context, to Place, last Card, again bool) *sending {
	s := &sending{to: to, again: again, known: make(map[Piece]bool), queue: make(chan []byte)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if !again {
		for _, p := range slices.Concat(last.List, last.Content) {
			s.known[p] = true
		}
	}
	for range max(16, runtime.GOMAXPROCS(0)) { // they wait for a disk or a server, not for the processor
		s.done.Go(func() {
			for content := range s.queue {
				s.put(content)
			}
		})
	}
	return s
}

// add sends a copy of the content unless it is known, and names it.
func (s *sending) add(content []byte) (Piece, error) {
	p := pieceOf(content)
	if s.known[p] {
		return p, s.ctx.Err()
	}
	s.known[p] = true
	select {
	case s.queue <- bytes.Clone(content):
		return p, nil
	case <-s.ctx.Done():
		return p, s.ctx.Err()
	}
}

func (s *sending) put(content []byte) {
	if s.ctx.Err() != nil {
		return
	}
	name := pieceOf(content).name()
	has, err := s.to.Has(s.ctx, name)
	kept := []byte(nil)
	if err == nil && (s.again || !has) {
		kept = packed(content)
		err = s.to.Put(s.ctx, name, kept)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.err == nil {
		s.err = err
		s.cancel()
	}
	if kept != nil && err == nil {
		s.sent++
		s.bytes += int64(len(kept))
	}
}

// stop waits until all is sent, and returns why not everything was. It may be called again.
func (s *sending) stop() error {
	if !s.closed {
		close(s.queue)
		s.closed = true
		s.done.Wait()
		if s.err == nil {
			s.err = s.ctx.Err()
		}
		s.cancel()
	}
	return s.err
}

// card sends the files and their list.
func (s *sending) card(p Publication) (Card, error) {
	files := slices.Clone(p.Files)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	card := Card{Source: p.Source, Files: len(files)}
	var list bytes.Buffer
	stream := &joined{files: files, each: func(e Entry) error {
		card.Bytes += e.Bytes
		line, err := json.Marshal(e)
		list.Write(append(line, '\n'))
		return errors.Join(err, e.check())
	}}
	defer stream.close()
	read := int64(0)
	err := cut(stream, func(content []byte) error {
		piece, err := s.add(content)
		card.Content = append(card.Content, piece)
		if read += piece.Bytes; p.Progress != nil {
			p.Progress(read)
		}
		return err
	})
	if err == nil {
		err = cut(&list, func(content []byte) error {
			piece, err := s.add(content)
			card.List = append(card.List, piece)
			return err
		})
	}
	if failed := s.failed(); failed != nil {
		err = failed // the cause of all others
	}
	return card, err
}

func (s *sending) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// joined reads files one after the other, and reports each when it has been read.
type joined struct {
	files []File
	each  func(Entry) error

	open  *os.File
	entry Entry
	hash  hash.Hash
}

// Read implements [io.Reader].
func (j *joined) Read(into []byte) (int, error) {
	for {
		if j.open == nil {
			if len(j.files) == 0 {
				return 0, io.EOF
			}
			if err := j.next(); err != nil {
				return 0, err
			}
		}
		n, err := j.open.Read(into)
		j.entry.Bytes += int64(n)
		j.hash.Write(into[:n])
		if n > 0 {
			return n, nil
		}
		if errors.Is(err, io.EOF) {
			j.hash.Sum(j.entry.SHA256[:0])
			err = errors.Join(j.close(), j.each(j.entry))
		}
		if err != nil {
			return 0, err
		}
	}
}

func (j *joined) next() error {
	file, err := regular.Open(j.files[0].Path)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	j.open, j.hash = file, sha256.New()
	j.entry = Entry{Name: j.files[0].Name, Modified: info.ModTime().UnixNano()}
	j.files = j.files[1:]
	return nil
}

func (j *joined) close() error {
	if j.open == nil {
		return nil
	}
	file := j.open
	j.open = nil
	return file.Close()
}
