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
	"strings"
	"time"

	"lacuna/knowledge/passage"
)

// Limits that keep one file from filling memory or time.
const (
	maxDocumentBytes = 64 << 20  // of a file read whole
	maxRecordsBytes  = 512 << 20 // of a file read row by row, decompressed
	maxLineBytes     = 16 << 20  // of one row
)

// form is how a file is read.
type form int

const (
	unknown form = iota
	markdownDocument
	plainDocument
	orgDocument
	restDocument
	htmlDocument
	wordDocument
	pdfDocument
	jsonLines
	jsonLinesGzip
	commaSeparated
)

var forms = map[string]form{
	".md": markdownDocument, ".markdown": markdownDocument,
	".txt": plainDocument, ".text": plainDocument,
	".org": orgDocument,
	".rst": restDocument, ".rest": restDocument,
	".html": htmlDocument, ".htm": htmlDocument, ".xhtml": htmlDocument,
	".docx":  wordDocument,
	".pdf":   pdfDocument,
	".jsonl": jsonLines, ".ndjson": jsonLines,
	".jsonl.gz": jsonLinesGzip, ".ndjson.gz": jsonLinesGzip,
	".csv": commaSeparated,
}

// extension is the lower-case ending by which a file's form is told.
func extension(name string) string {
	name = strings.ToLower(name)
	ext := filepath.Ext(name)
	if ext == ".gz" {
		return filepath.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	return ext
}

// document reports whether files of the form are running text rather than records.
func (f form) document() bool { return unknown < f && f < jsonLines }

func formOf(name string) form { return forms[extension(name)] }

// unreadable says why no reader takes a file of that name, or "".
func (s *Source) unreadable(record string) string {
	switch f := formOf(record); {
	case f == unknown && extension(record) == "":
		return "no reader for files without an extension"
	case f == unknown:
		return "no reader for " + extension(record)
	case s.Kind == passage.QA && f.document() && f != markdownDocument:
		return "no question-answer pairs in " + extension(record)
	}
	return ""
}

// isUnchanged reports whether the file can be opened and has the size and the time of the known one,
// which is to be read alike.
func (c *candidate) isUnchanged(known *File) bool {
	return known.Stamp.Reading == c.readingStamp() && c.isAsOn(known)
}

// isAsOn is the part of it that looks at the disk.
func (c *candidate) isAsOn(known *File) bool {
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

// read returns what the file gives, or known where it has the same bytes. The error is ctx's.
func (c *candidate) read(ctx context.Context, known *File) (file File, err error) {
	file = File{FileReport: FileReport{Source: c.source.Name, File: c.path, State: c.state, Reason: c.reason}}
	file.Stamp = Stamp{Size: c.size, Reading: c.readingStamp()}
	if c.reason != "" {
		file.Stamp.Content = sha256.Sum256([]byte(c.reason))
		return file, nil
	}
	file.State = Indexed
	defer func() {
		if p := recover(); p != nil {
			file.Passages, file.FileReport.Passages = nil, 0
			file.fail(fault(p))
		}
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	f, info, err := c.open()
	if err != nil {
		file.fail(plain(err))
		return file, nil
	}
	defer f.Close()

	file.Stamp.Size, file.Stamp.ModTime = info.Size(), trusted(info.ModTime(), time.Now())
	if known != nil && known.Stamp.Reading == file.Stamp.Reading && known.Stamp.Size == info.Size() {
		if c.sameBytes(f, known.Stamp.Content) && c.takesFile(known) {
			file = *known
			file.Stamp.ModTime = trusted(info.ModTime(), time.Now())
			return file, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			file.fail(plain(err))
			return file, nil
		}
	}
	c.parse(ctx, f, &file)
	return file, nil
}

// readerFault begins the reason where a fault of ours, not of the file's writer, left something out.
const readerFault = "the reader failed"

// fault is the reason for what a recovered panic left out.
func fault(recovered any) string { return fmt.Sprintf("%s: %v", readerFault, recovered) }

// trusted returns the time of a file's last change, or 0 when it is so recent that another change
// might leave the same time.
func trusted(changed, now time.Time) int64 {
	const granularity = 2 * time.Second // of the coarsest file system in use, FAT
	if now.Sub(changed) < granularity {
		return 0
	}
	return changed.UnixNano()
}

// open opens the file. For a confined source the operating system resolves links below the
// source's folder only, so that nothing can change between a check and the opening.
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
			return nil, nil, errors.New("a link that leads out of the source")
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

func (c *candidate) sameBytes(f io.Reader, content [sha256.Size]byte) bool {
	h := sha256.New()
	_, err := io.Copy(h, f)
	return err == nil && [sha256.Size]byte(h.Sum(nil)) == content
}

// parse reads the file's passages and stamps what was read.
func (c *candidate) parse(ctx context.Context, f io.Reader, file *File) {
	h := sha256.New()
	defer func() { file.Stamp.Content = [sha256.Size]byte(h.Sum(nil)) }()
	switch formOf(c.record) {
	case jsonLines, jsonLinesGzip, commaSeparated:
		c.parseRecords(ctx, f, h, file)
	default:
		c.parseDocument(ctx, f, h, file)
	}
	if c.share.over != "" {
		file.Stamp.Reading = c.share.stamp(file.Stamp.Reading)
	}
	file.FileReport.Passages = len(file.Passages)
}

func (c *candidate) parseDocument(ctx context.Context, f io.Reader, h hash.Hash, file *File) {
	if file.Stamp.Size > maxDocumentBytes {
		file.skip(fmt.Sprintf("larger than %d MiB", maxDocumentBytes>>20))
		return
	}
	if !c.share.takes(usage{unpacked: c.unpackedCost(file.Stamp.Size)}) {
		file.skip(c.share.reason())
		return
	}
	defer func() { c.share.cut(file) }()
	content, err := io.ReadAll(io.LimitReader(io.TeeReader(f, h), maxDocumentBytes))
	if err != nil {
		file.fail(plain(err))
		return
	}
	switch {
	case formOf(c.record) == wordDocument, formOf(c.record) == pdfDocument:
		c.extraction(ctx, content, file)
	case bytes.HasPrefix(content, []byte("\xff\xfe")), bytes.HasPrefix(content, []byte("\xfe\xff")):
		file.fail("UTF-16; save it as UTF-8")
	case bytes.IndexByte(content, 0) >= 0:
		file.skip("binary")
	case formOf(c.record).extracts():
		c.extraction(ctx, content, file)
	default:
		c.document(string(content), file)
	}
}

func (f *FileReport) fail(reason string) { f.State, f.Reason = Failed, reason }
func (f *FileReport) skip(reason string) { f.State, f.Reason = Skipped, reason }
