// Package ingest reads the user's sources into passages and reports what it skipped and why.
//
// [Read] walks sources and gives every file's passages; [Resolve] goes the other way and fetches
// the bytes a place names, so that a quote can be checked against the disk. Both decode files with
// the same code. Whatever a file holds, reading it ends, and only that file fails.
package ingest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"lacuna/knowledge/passage"
)

// Source is a configured source. Path is absolute.
type Source struct {
	Name    string
	Kind    passage.Kind
	Path    string   // a folder or a file
	Include []string // patterns relative to Path; empty means every format we read
	Exclude []string
	Fields  Fields
	Chunker Chunker // of running text; empty means Sentences
	// Implicit sources are found in the workspace's kb/ folder rather than configured. There a row
	// with a question is a pair whatever Kind says, and what Exclude matches is not reported: it is
	// an implicit source of its own.
	Implicit bool
	// Confined refuses files whose real path lies outside Path; it is set for sources that a
	// workspace names, so that a link in a cloned repository cannot read the user's home.
	Confined bool
}

// Fields are the names of the columns of a JSON Lines or CSV source. Zero values mean the defaults
// of the configuration reference.
type Fields struct {
	ID, Question, Answer, Also       string // question-answer pairs; defaults id question answer synonyms
	Title, Section, Text             string // passages; defaults title section text
	Document, Date, Topic, Kind, URL string // defaults ref date focus qtype url
}

// orDefaults returns f with every empty name replaced by its default.
func (f Fields) orDefaults() Fields {
	for _, field := range []struct {
		name *string
		def  string
	}{
		{&f.ID, "id"}, {&f.Question, "question"}, {&f.Answer, "answer"}, {&f.Also, "synonyms"},
		{&f.Title, "title"}, {&f.Section, "section"}, {&f.Text, "text"},
		{&f.Document, "ref"}, {&f.Date, "date"}, {&f.Topic, "focus"}, {&f.Kind, "qtype"}, {&f.URL, "url"},
	} {
		if *field.name == "" {
			*field.name = field.def
		}
	}
	return f
}

// FileState says what became of a file.
type FileState string

const (
	Indexed FileState = "indexed"
	Skipped FileState = "skipped"
	Failed  FileState = "failed"
)

// FileReport is the fate of one file of a source.
type FileReport struct {
	Source   string
	File     string // absolute path
	State    FileState
	Reason   string // why it was skipped, failed, or read only in part; empty when all is well
	Passages int
	Line     int // where the reason applies; 0 when it applies to the whole file
	// Hidden counts what a reader of the file does not see: comments, invisible and
	// direction-changing characters. They say nothing of intent; a person should look.
	Hidden int
}

// File is what one file of a source gave.
type File struct {
	FileReport
	Stamp    Stamp
	Passages []*passage.Passage
}

// Stamp tells whether a file must be read again.
type Stamp struct {
	Size    int64
	ModTime int64             // nanoseconds since 1970; 0 when the time cannot be relied on
	Content [sha256.Size]byte // of the bytes on disk; of the reason where none were read
	Reading [sha256.Size]byte // of what else decides the passages: the settings and the reader's version
}

// Read is [ReadWithin] with [DefaultLimits].
func Read(ctx context.Context, sources []Source, known []File, progress func(percent int)) ([]File, error) {
	return ReadWithin(ctx, DefaultLimits(), sources, known, progress)
}

// ReadWithin reads every file of the sources, in the order of the sources and, within one, of the paths,
// as far as the limits allow. A file that known holds and that has not changed keeps its passages and is
// not parsed; one with another time but the same bytes is only hashed. Progress, which may be nil, is
// told the percentage done, from this goroutine. The error is ctx's; everything else is in the reports.
func ReadWithin(ctx context.Context, limits Limits, sources []Source, known []File, progress func(percent int)) ([]File, error) {
	var found []candidate
	for _, source := range sources {
		candidates, err := walk(ctx, source)
		if err != nil {
			return nil, err
		}
		found = append(found, candidates...)
	}
	total, done := int64(0), int64(0)
	for _, c := range found {
		total += c.weight()
	}
	remembered := make(map[fileKey]*File, len(known))
	for i := range known {
		remembered[fileKey{known[i].Source, known[i].File}] = &known[i]
	}
	same := asKnown(ctx, found, remembered)
	files := make([]File, 0, len(found))
	budget := budget{limits: limits}
	percent := -1
	for i, c := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if now := int(100 * done / max(1, total)); progress != nil && now != percent {
			percent = now
			progress(percent)
		}
		done += c.weight()
		c.share = budget.share()
		before := remembered[c.key()]
		if same[i] == nil && before != nil && before.Stamp.Reading == c.share.stamp(c.readingStamp()) && c.isAsOn(before) {
			same[i] = before // cut off as it would be now
		}
		if same[i] == nil || !c.takesFile(same[i]) {
			file, err := c.read(ctx, before)
			if err != nil {
				return nil, err
			}
			same[i] = &file
		}
		files = append(files, *same[i])
		budget.used.add(c.cost(same[i]))
	}
	return files, nil
}

// fileKey tells files of all sources apart.
type fileKey struct{ source, path string }

func (c *candidate) key() fileKey { return fileKey{c.source.Name, c.path} }

// asKnown returns, for each file found, what is known of it if it has not changed since, by its size
// and time; nil for the others. That takes the system little time for each of many files, so all
// processors look.
func asKnown(ctx context.Context, found []candidate, known map[fileKey]*File) []*File {
	same := make([]*File, len(found))
	if len(known) == 0 {
		return same
	}
	const part = 64 // files looked at in a row
	var next atomic.Int64
	var looking sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (len(found)+part-1)/part) {
		looking.Go(func() {
			for ctx.Err() == nil {
				to := int(next.Add(part))
				if to-part >= len(found) {
					return
				}
				for i := to - part; i < min(to, len(found)); i++ {
					if file := known[found[i].key()]; file != nil && found[i].isUnchanged(file) {
						same[i] = file
					}
				}
			}
		})
	}
	looking.Wait()
	return same
}

// Passages returns the passages of files in order. A text that stands at several places is a passage at
// each of them.
func Passages(files []File) []*passage.Passage {
	total := 0
	for _, f := range files {
		total += len(f.Passages)
	}
	all := make([]*passage.Passage, 0, total)
	for _, f := range files {
		all = append(all, f.Passages...)
	}
	return all
}

// readerVersion changes whenever the same bytes give other passages than before.
const readerVersion = 6

// readingStamp covers everything but the file's bytes that decides its passages.
func (c *candidate) readingStamp() [sha256.Size]byte {
	s := c.source
	return sha256.Sum256(fmt.Appendf(nil, "%d %q %q %q %v %q %q", readerVersion, s.Kind, s.Name, s.Fields.orDefaults(), s.Implicit, c.record, s.Chunker))
}
