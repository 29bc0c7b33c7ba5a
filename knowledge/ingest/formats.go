package ingest

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// A format says how one kind of file is read. To read another kind, write its reader in a file of its
// own, give it a row in [formats] and a target in fuzz_test.go. The reader is one of outline, extract
// and rows; the others are nil.
type format struct {
	// outline finds the structure of a document whose text is its file's, with line feeds at the ends of
	// lines; pairs asks for the questions and answers in it as well.
	outline func(body string, pairs bool) outline
	// extract takes the text out of a file whose bytes are not its text.
	extract extractor
	// rows opens a file of records.
	rows rowOpener
	// rowAt reads the record that begins at an offset of the file; nil if the file must be read from its
	// beginning. field is one that the record had.
	rowAt func(file io.ReadSeeker, offset int64, field string) (row, error)

	sentences passage.Format // of the text, for cutting it into sentences; empty means plain
	markup    head.Markup    // whose comments may say that a document is private
	pairs     bool           // documents may hold questions with their answers
	binary    bool           // files are no text
	slow      bool           // extracting may take long: it is given up in time, and what it gave is cached
	// cost is how much longer it takes to read a byte than one of records, and unpacked how many bytes
	// there are to read, of which nil means the size of the file.
	cost     int64
	unpacked func(file io.ReaderAt, size int64) int64
}

// An extractor takes the text from a file, within the time given. What it returns must be the same for
// the same bytes, because places in it are stored.
type extractor func(ctx context.Context, content []byte, longest time.Duration) (extraction, error)

var (
	markdownFormat = &format{outline: markdownOutline, sentences: passage.Markdown, markup: head.Markdown, pairs: true, cost: markupCost}
	plainFormat    = &format{outline: plainOutline, markup: head.Plain, cost: 1}
	orgFormat      = &format{outline: orgOutline, markup: head.Org, cost: markupCost}
	restFormat     = &format{outline: restOutline, markup: head.RST, cost: markupCost}
	htmlFormat     = &format{extract: extractHTML, markup: head.HTML, cost: markupCost}
	wordFormat     = &format{extract: extractDOCX, binary: true, cost: markupCost, unpacked: unpackedDOCX}
	pdfFormat      = &format{extract: extractPDF, binary: true, slow: true, cost: 1}
	jsonLines      = &format{rows: openJSONLines, rowAt: jsonLineAt, cost: 1}
	packedLines    = &format{rows: openPackedJSONLines, cost: markupCost}
	commaSeparated = &format{rows: openCSV, rowAt: csvRowAt, cost: 1}
)

// formats are the formats by the ending of a file's name.
var formats = map[string]*format{
	".md": markdownFormat, ".markdown": markdownFormat,
	".txt": plainFormat, ".text": plainFormat,
	".org": orgFormat,
	".rst": restFormat, ".rest": restFormat,
	".html": htmlFormat, ".htm": htmlFormat, ".xhtml": htmlFormat,
	".docx":  wordFormat,
	".pdf":   pdfFormat,
	".jsonl": jsonLines, ".ndjson": jsonLines,
	".jsonl.gz": packedLines, ".ndjson.gz": packedLines,
	".csv": commaSeparated,
}

// formatOf returns the format of a file, or nil if there is no reader for it.
func formatOf(name string) *format { return formats[extension(name)] }

// extension returns the lower-case ending by which a file's format is told.
func extension(name string) string {
	name = strings.ToLower(name)
	ext := filepath.Ext(name)
	if ext == ".gz" {
		return filepath.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	return ext
}

// unreadable says why no reader takes a file of that name, or "".
func (s *Source) unreadable(record string) string {
	switch f := formatOf(record); {
	case f == nil && extension(record) == "":
		return "no reader for files without an extension"
	case f == nil:
		return "no reader for " + extension(record)
	case s.Kind == passage.QA && f.rows == nil && !f.pairs:
		return "no question-answer pairs in " + extension(record)
	}
	return ""
}
