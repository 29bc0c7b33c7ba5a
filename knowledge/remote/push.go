package remote

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/share"
)

// Source is what is pushed: the library of one source, finished and with nothing private in it.
type Source struct {
	Name    string
	Library *knowledge.Library
	// Relative returns the name of a file within the source, with forward slashes.
	Relative func(file string) string
}

// Options are the options of a push.
type Options struct {
	Key      *share.Key
	Now      time.Time
	Shards   int // of each collection; 0 means the engine's choice
	Replicas int // of each shard; 0 means the engine's choice
	// Dir is a folder of the caller's for the card and for what an interrupted push had sent. The next push of the
	// same library goes on there.
	Dir string
	// Check is called when all is in the engine and before anybody sees it; an error leaves what is current current.
	Check func(ctx context.Context, g *Generation) error
	// Progress, which may be nil, is called with the objects that are sent, of all.
	Progress func(done, total int)
	// Waiting, which may be nil, is called again and again while a replica lacks objects, with how many replicas there
	// are that can be asked.
	Waiting func(replicas int)
}

// Pushed says what a push did.
type Pushed struct {
	Head      share.Head
	Unchanged bool // the engine held just this already
	Objects   int  // that were sent, now or by an interrupted push
}

const (
	batchSize = 200
	// awayTime is how long an engine may be away while they are waited for.
	awayTime = 30 * time.Second
	// settleTime is how long the replicas may take to count the same after the last write, and settlePause the time
	// between two counts.
	settleTime  = 5 * time.Minute
	settlePause = 500 * time.Millisecond
)

// Push puts a source into an engine, waits until all replicas have all of it, has it checked and makes it current.
// Those who ask see what was current before until then. The generation before stays for those who are reading it.
func Push(ctx context.Context, e engine.Engine, s Source, o Options) (done Pushed, err error) {
	if slices.ContainsFunc(s.Library.Passages(), func(p *passage.Passage) bool { return p.Private }) {
		return done, fmt.Errorf("the source %q holds private passages, which are never pushed", s.Name)
	}
	p := &push{engine: e, source: s, options: o, card: s.Library.Card()}
	if err := p.prepare(); err != nil {
		return done, err
	}
	if err := p.send(ctx); err != nil {
		return done, err
	}
	if err := p.settle(ctx); err != nil {
		return done, err
	}
	folder, err := p.writeCard()
	if err != nil {
		return done, err
	}
	if o.Check != nil {
		g, err := openCard(e, folder, share.Head{Source: s.Name}, "", passage.Publication{})
		if err == nil {
			err = o.Check(ctx, g)
		}
		if err != nil {
			return done, fmt.Errorf("not made current: %w", err)
		}
	}
	files, err := filesOf(folder)
	if err != nil {
		return done, err
	}
	published, err := share.Publish(ctx, newPlace(e, s.Name), share.Publication{
		Source: share.Source{Name: s.Name, Kind: passage.Text}, Files: files, Now: o.Now,
	}, o.Key)
	if err != nil {
		return done, err
	}
	done = Pushed{Head: published.Head, Unchanged: published.Unchanged, Objects: p.total}
	return done, errors.Join(p.dropOlder(ctx), os.Remove(p.progressFile()))
}

type push struct {
	engine  engine.Engine
	source  Source
	options Options
	card    *knowledge.Card
	about   about
	hashes  treeBuilder
	sums    map[string][sha256.Size]byte // of the files, by path
	total   int
}

// prepare names the collections and hashes every passage.
func (p *push) prepare() error {
	p.about = about{Format: format, Source: p.source.Name, Collections: make(map[passage.Kind]string), Count: make(map[passage.Kind]int)}
	p.sums = make(map[string][sha256.Size]byte)
	for position, one := range p.source.Library.Passages() {
		if _, known := p.sums[one.Place.File]; !known {
			sum, err := share.HashFile(one.Place.File)
			if err != nil {
				return err
			}
			p.sums[one.Place.File] = sum
		}
		if err := p.hashes.add(p.record(position).encode()); err != nil {
			return err
		}
	}
	var err error
	if p.about.Tree, err = p.hashes.tree(); err != nil {
		return err
	}
	for _, one := range p.source.Library.Passages() {
		p.about.Count[one.Kind]++
	}
	for _, kind := range p.card.Kinds() {
		p.about.Collections[kind] = collectionOf(p.source.Name, fmt.Sprintf("%x", p.about.Tree.Root[:6]), string(kind))
	}
	p.total = p.card.Len()
	return nil
}

func (p *push) record(position int) record {
	one := p.source.Library.Passages()[position]
	return record{position: position, file: p.source.Relative(one.Place.File), sum: p.sums[one.Place.File], passage: one}
}

// object returns what the engine keeps of a passage.
func (p *push) object(position int) (engine.Object, error) {
	r := p.record(position)
	content := r.encode()
	proof, err := p.hashes.prove(position)
	terms := p.source.Library.Collection(r.passage.Kind).Terms(position)
	return engine.Object{
		ID: idOf(content), Document: r.passage.Document, Terms: terms, Vector: p.card.Vector(r.passage.Kind, terms), Content: content, Proof: proof,
	}, err
}

// progress is the file that lets a push go on.
type progress struct {
	Tree tree `json:"tree"`
	Sent int  `json:"sent"` // positions below it are in the engine
}

func (p *push) progressFile() string { return filepath.Join(p.options.Dir, "sent.json") }

// send puts all objects, a batch at a time, from where an interrupted push had come to.
func (p *push) send(ctx context.Context) error {
	for kind, collection := range p.about.Collections {
		layout := engine.Layout{Dim: p.card.Dim(kind), Terms: true, Shards: p.options.Shards, Replicas: p.options.Replicas}
		if err := p.engine.Create(ctx, collection, layout); err != nil {
			return err
		}
	}
	from := p.sent(ctx)
	for batch := range slices.Chunk(positions(from, p.total), batchSize) {
		objects := make(map[passage.Kind][]engine.Object)
		for _, position := range batch {
			o, err := p.object(position)
			if err != nil {
				return err
			}
			kind := p.source.Library.Passages()[position].Kind
			objects[kind] = append(objects[kind], o)
		}
		for kind, list := range objects {
			if err := p.engine.Put(ctx, p.about.Collections[kind], list); err != nil {
				return err
			}
		}
		from += len(batch)
		if err := p.note(from); err != nil {
			return err
		}
		if p.options.Progress != nil {
			p.options.Progress(from, p.total)
		}
	}
	return nil
}

// sent returns how many objects an interrupted push of the same generation had sent; 0 if the engine has lost them.
func (p *push) sent(ctx context.Context) int {
	var last progress
	text, err := os.ReadFile(p.progressFile())
	if err != nil || json.Unmarshal(text, &last) != nil || last.Tree != p.about.Tree || last.Sent <= 0 || last.Sent > p.total {
		return 0
	}
	o, err := p.object(last.Sent - 1)
	if err != nil {
		return 0
	}
	kind := p.source.Library.Passages()[last.Sent-1].Kind
	if _, err := p.engine.Get(ctx, p.about.Collections[kind], o.ID); err != nil {
		return 0
	}
	return last.Sent
}

func (p *push) note(sent int) error {
	text, err := json.Marshal(progress{p.about.Tree, sent})
	return errors.Join(err, os.MkdirAll(p.options.Dir, 0o700), os.WriteFile(p.progressFile(), text, 0o600))
}

func positions(from, to int) []int {
	list := make([]int, 0, to-from)
	for ; from < to; from++ {
		list = append(list, from)
	}
	return list
}

// settle waits until all replicas count all objects.
func (p *push) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for _, kind := range p.card.Kinds() {
		for there := time.Now(); ; {
			count, err := p.engine.Count(ctx, p.about.Collections[kind])
			if err == nil && count.Least == p.about.Count[kind] && count.Most == p.about.Count[kind] {
				break
			}
			switch {
			case !errors.Is(err, engine.ErrAway):
				there = time.Now()
			case time.Since(there) > awayTime:
				return err
			}
			if p.options.Waiting != nil {
				p.options.Waiting(count.Replicas)
			}
			select {
			case <-time.After(settlePause):
			case <-ctx.Done():
				return fmt.Errorf("the replicas of %s count %d to %d of %d objects: %w", p.about.Collections[kind], count.Least, count.Most, p.about.Count[kind], errors.Join(err, engine.ErrAway))
			}
		}
	}
	return nil
}

// writeCard writes what is signed into a new folder.
func (p *push) writeCard() (folder string, err error) {
	folder = filepath.Join(p.options.Dir, "card")
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := p.card.Write(filepath.Join(folder, cardName)); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(p.about, "", "\t")
	return folder, errors.Join(err, os.WriteFile(filepath.Join(folder, aboutName), append(text, '\n'), 0o600))
}

// filesOf lists the files of a card's folder.
func filesOf(folder string) (files []share.File, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files = append(files, share.File{Name: filepath.ToSlash(name), Path: path})
		return err
	})
	return files, err
}

// keptGenerations is how many generations stay in the engine: what is current, and the one before, which others may be
// reading.
const keptGenerations = 2

// dropOlder removes the collections of older generations that this publisher pushed from this folder.
func (p *push) dropOlder(ctx context.Context) error {
	file := filepath.Join(p.options.Dir, "generations.json")
	var pushed []map[passage.Kind]string
	if text, err := os.ReadFile(file); err == nil {
		_ = json.Unmarshal(text, &pushed) // what cannot be read is not removed
	}
	pushed = slices.DeleteFunc(pushed, func(g map[passage.Kind]string) bool { return maps.Equal(g, p.about.Collections) })
	pushed = append(pushed, p.about.Collections)
	for len(pushed) > keptGenerations {
		for _, collection := range pushed[0] {
			if err := p.engine.Drop(ctx, collection); err != nil {
				return err
			}
		}
		pushed = pushed[1:]
	}
	text, err := json.Marshal(pushed)
	return errors.Join(err, os.WriteFile(file, text, 0o600))
}
