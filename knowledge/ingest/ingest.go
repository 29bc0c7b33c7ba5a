// Package ingest reads the user's sources into passages and reports what it skipped and why.
//
//	source.go            the folder or file that the user named → candidates
//	formats.go           the reader for each file, by the ending of its name
//	markdown.go, pdf.go… one reader a format → a document, or records
//	chunk.go             the sentences of a document → spans that fit into passages
//	passages.go          documents → passages; records.go does the same for records
//	budget.go            what all of it may cost
//
// Begin with [Read]. [Resolve] goes the other way and fetches the bytes a place names, so that a quote
// can be checked against the disk; both use the same readers. Whatever a file holds, reading it ends,
// and only that file fails.
package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"lacuna/knowledge/ingest/ocr"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
)

// Read reads every file of the sources, in the order of the sources and, within one, of the paths,
// as far as the limits allow. A file that known holds and that has not changed keeps its passages and is
// not parsed; one with another time but the same bytes is only hashed. Progress, which may be nil, is
// called before each file and at the end, from this goroutine. The error is ctx's; everything else is in the
// reports.
func Read(ctx context.Context, limits Limits, sources []Source, known []File, progress func(Progress)) ([]File, error) {
	var found []candidate
	for _, source := range sources {
		files, err := candidates(ctx, source)
		if err != nil {
			return nil, err
		}
		found = append(found, files...)
	}
	addReferences(ctx, found)
	remembered := make(map[fileKey]*File, len(known))
	for i := range known {
		remembered[fileKey{known[i].Source, known[i].File}] = &known[i]
	}
	same := unchangedFiles(ctx, found, remembered)
	files := make([]File, 0, len(found))
	budget := budget{limits: limits}
	pace := newPace(found, same)
	for i, c := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		unchanged, began := same[i] != nil, time.Now()
		if progress != nil {
			progress(pace.begin(&c, unchanged, files))
		}
		c.allowance = budget.allowance()
		before := remembered[c.key()]
		if same[i] == nil && before != nil && before.Stamp.Reading == c.allowance.stamp(c.readingStamp(before)) && c.isSameOnDisk(before) {
			same[i] = before // cut off as it would be now
		}
		if same[i] == nil || !c.withinAllowance(same[i]) {
			file, err := c.read(ctx, before)
			if err != nil {
				return nil, err
			}
			same[i] = &file
		}
		files = append(files, *same[i])
		budget.used.add(c.cost(same[i]))
		pace.end(&c, unchanged, time.Since(began), len(same[i].Passages))
	}
	if progress != nil {
		progress(pace.finished(files))
	}
	return files, nil
}

// candidates lists the files of a source by path, with a reason for each file that is not to be read.
func candidates(ctx context.Context, source Source) ([]candidate, error) {
	found, err := walk(ctx, source)
	for i := range found {
		if c := &found[i]; c.reason == "" {
			if c.reason = source.unreadable(c.record); c.reason != "" {
				c.state = Skipped
			}
		}
	}
	return found, err
}

// Listing is a file of a source before anything of it is read.
type Listing struct {
	FileReport        // without a state if it would be read
	Ending     string // of its name, in lower case, such as ".md"
	Size       int64  // bytes on disk
}

// List returns the files of a source in the order of their paths, and why some would not be read. It opens none, so what
// only their content tells is not known yet. The error is ctx's.
func List(ctx context.Context, source Source) ([]Listing, error) {
	found, err := candidates(ctx, source)
	if err != nil {
		return nil, err
	}
	files := make([]Listing, len(found))
	for i, c := range found {
		files[i] = Listing{FileReport{Source: source.Name, File: c.path, State: c.state, Reason: c.reason}, extension(c.record), c.size}
	}
	return files, nil
}

// fileKey identifies a file among the files of all sources.
type fileKey struct{ source, path string }

func (c *candidate) key() fileKey { return fileKey{c.source.Name, c.path} }

// unchangedFiles returns, for each candidate, the known file if its size and time are unchanged, else
// nil. It looks at many files concurrently, because each look waits for the system.
func unchangedFiles(ctx context.Context, found []candidate, known map[fileKey]*File) []*File {
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

// Passages returns the passages of files in order. A text that stands in several places is a passage in
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
const readerVersion = 11

// readingStamp covers everything except the file's bytes that decides its passages. read is what was
// read of the file, which decides whether an entry of a reference list describes it; nil if nothing was.
func (c *candidate) readingStamp(read *File) [sha256.Size]byte {
	s := c.source
	stamp := fmt.Appendf(nil, "%d %q %q %q %v %q %q", readerVersion, s.Kind, s.Name, s.Fields.orDefaults(), s.Implicit, c.record, s.Chunker)
	if formatOf(c.record) == pdfFormat {
		stamp = append(stamp, ocr.Stamp()...)
	}
	return stampOf(sha256.Sum256(stamp), c.entry(read))
}

// isUnchanged reports whether the file can be opened, has the size and time of the known one, and would
// be read with the same settings.
func (c *candidate) isUnchanged(known *File) bool {
	return known.Stamp.Reading == c.readingStamp(known) && c.isSameOnDisk(known)
}

// isSameOnDisk is the part of it that looks at the disk.
func (c *candidate) isSameOnDisk(known *File) bool {
	if c.reason != "" || known.Stamp.ModTime == 0 {
		return false
	}
	f, info, err := c.open()
	if err != nil {
		return false
	}
	defer f.Close()
	return known.Stamp.Size == info.Size() && known.Stamp.ModTime == info.ModTime().UnixNano()
}

// read returns the file's passages, or the known file if its bytes are the same. The error is ctx's.
func (c *candidate) read(ctx context.Context, known *File) (file File, err error) {
	file = File{FileReport: FileReport{Source: c.source.Name, File: c.path, State: c.state, Reason: c.reason}}
	file.Stamp = Stamp{Size: c.size, Reading: c.readingStamp(known)}
	if c.reason != "" {
		file.Stamp.Content = sha256.Sum256([]byte(c.reason))
		return file, nil
	}
	file.State = Indexed
	defer func() {
		if p := recover(); p != nil {
			file.Passages, file.FileReport.Passages = nil, 0
			file.fail(panicReason(p))
		}
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	f, info, err := c.open()
	if err != nil {
		file.fail(fileErrorReason(err))
		return file, nil
	}
	defer f.Close()

	file.Stamp.Size, file.Stamp.ModTime = info.Size(), stableTime(info.ModTime(), time.Now())
	if known != nil && known.Stamp.Reading == file.Stamp.Reading && known.Stamp.Size == info.Size() {
		if c.hasContent(f, known.Stamp.Content) && c.withinAllowance(known) {
			file = *known
			file.Stamp.ModTime = stableTime(info.ModTime(), time.Now())
			return file, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			file.fail(fileErrorReason(err))
			return file, nil
		}
	}
	c.readContent(ctx, f, &file)
	return file, nil
}

// stableTime returns the time of a file's last change, or 0 if it does not tell this state of the file from others:
// if it is so recent, or by a clock that is ahead of ours, that another change might leave the same time, or if it is no
// time at all, as in archives and stores where every file was changed in 1970 or 1980.
func stableTime(changed, now time.Time) int64 {
	const granularity = 2 * time.Second // of the coarsest file system in use, FAT
	if now.Sub(changed) < granularity || changed.Before(firstTime) {
		return 0
	}
	return changed.UnixNano()
}

// firstTime is later than the times that are written where none is to be told: the first of Unix and of FAT.
var firstTime = time.Date(1981, 1, 1, 0, 0, 0, 0, time.UTC)

// open opens the file. For a confined source, the operating system resolves links only below the
// source's folder, so nothing can change between a check and the opening.
func (c *candidate) open() (*os.File, fs.FileInfo, error) {
	open := func() (*os.File, error) { return os.Open(c.path) }
	if c.source.Confined {
		folder, name := c.source.Path, filepath.FromSlash(c.record)
		if filepath.Clean(folder) == c.path {
			folder = filepath.Dir(c.path)
		}
		open = func() (*os.File, error) {
			root, err := os.OpenRoot(folder)
			if err != nil {
				return nil, err
			}
			defer root.Close()
			return root.Open(name)
		}
	}
	f, err := open()
	if err != nil {
		if link, lerr := os.Lstat(c.path); lerr == nil && link.Mode()&fs.ModeSymlink != 0 && c.source.Confined {
			return nil, nil, errors.New("a link out of the source")
		}
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func (c *candidate) hasContent(f io.Reader, content [sha256.Size]byte) bool {
	h := sha256.New()
	_, err := io.Copy(h, f)
	return err == nil && [sha256.Size]byte(h.Sum(nil)) == content
}

// readContent reads the file's passages and stamps them.
func (c *candidate) readContent(ctx context.Context, f io.Reader, file *File) {
	h := sha256.New()
	defer func() { file.Stamp.Content = [sha256.Size]byte(h.Sum(nil)) }()
	if format := formatOf(c.record); format.rows != nil {
		c.addRecords(ctx, format.rows, f, h, file)
	} else {
		c.readDocument(ctx, format, f, h, file)
	}
	c.describe(file)
	if c.library != nil {
		file.Stamp.Reading = c.readingStamp(file)
	}
	if c.allowance.over != "" {
		file.Stamp.Reading = c.allowance.stamp(file.Stamp.Reading)
	}
	file.FileReport.Passages = len(file.Passages)
}

func (c *candidate) readDocument(ctx context.Context, format *format, f io.Reader, h hash.Hash, file *File) {
	if file.Stamp.Size > maxDocumentBytes {
		file.skip(fmt.Sprintf("larger than %d MiB", maxDocumentBytes>>20))
		return
	}
	if !c.allowance.spend(usage{unpacked: c.unpackedCost(file.Stamp.Size)}) {
		file.skip(c.allowance.reason())
		return
	}
	defer func() { c.allowance.cut(file) }()
	content, err := io.ReadAll(io.LimitReader(io.TeeReader(f, h), maxDocumentBytes))
	if err != nil {
		file.fail(fileErrorReason(err))
		return
	}
	switch {
	case format.binary:
		c.addExtraction(ctx, format, content, file)
	case format.decode != nil && !bytes.ContainsRune([]byte(format.decode(content)), 0):
		c.addExtraction(ctx, format, content, file)
	case bytes.HasPrefix(content, []byte("\xff\xfe")), bytes.HasPrefix(content, []byte("\xfe\xff")):
		file.fail("UTF-16; save it as UTF-8")
	case bytes.IndexByte(content, 0) >= 0:
		file.skip("binary")
	case format.extract != nil:
		c.addExtraction(ctx, format, content, file)
	default:
		c.addText(format, string(content), file)
	}
}

// unpackedCost returns the cost of reading the file, which depends on the file alone. For packed
// records it is an estimate; their unpacked size is bounded while they are read.
func (c *candidate) unpackedCost(size int64) int64 {
	format := formatOf(c.record)
	if format.unpacked == nil {
		return size * format.cost
	}
	f, info, err := c.open()
	if err != nil {
		return 0
	}
	defer f.Close()
	return format.unpacked(f, info.Size()) * format.cost
}

// cost returns what a file has cost, judging by its passages and its reason.
func (c *candidate) cost(file *File) usage {
	u := passagesUsage(file.Passages)
	u.lost = pdf.LostTime(file.Reason)
	if c.reason == "" && (formatOf(c.record).rows != nil || file.Stamp.Size <= maxDocumentBytes) && (file.Limited() == "" || u.passages > 0) { // what was not read costs nothing
		u.unpacked = c.unpackedCost(file.Stamp.Size)
	}
	return u
}

// withinAllowance reports whether a file read before costs no more than allowed now.
func (c *candidate) withinAllowance(file *File) bool {
	allowance := c.allowance
	return allowance.spend(c.cost(file))
}

// Fingerprint identifies the files of sources without opening them. Two are equal if no file was added,
// removed or moved, and none has another size or time.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of the sources as they are now. The error is ctx's.
func FingerprintOf(ctx context.Context, sources []Source) (Fingerprint, error) {
	h := sha256.New()
	for _, source := range sources {
		found, err := candidates(ctx, source)
		if err != nil {
			return Fingerprint{}, err
		}
		for _, c := range found {
			fmt.Fprintf(h, "%q %q %d %d %q\n", source.Name, c.path, c.size, c.changed.UnixNano(), c.reason)
		}
	}
	return Fingerprint(h.Sum(nil)), nil
}
