package ingest

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"lacuna/knowledge/document"
	"lacuna/knowledge/head"
	"lacuna/knowledge/ingest/archive"
	"lacuna/knowledge/ingest/mail"
	"lacuna/knowledge/ingest/markup"
	"lacuna/knowledge/ingest/notebook"
	"lacuna/knowledge/ingest/office"
	"lacuna/knowledge/ingest/web"
	"lacuna/knowledge/passage"
)

// A format says how to read one kind of file. To read another kind, write its reader in a file of its
// own, add a row to formats and a target to fuzz_test.go. Exactly one of outline, extract and rows is
// set.
type format struct {
	// outline finds the structure of a document whose text is its file's, with line feeds at the ends
	// of lines. If pairs is set, it returns questions with their answers too.
	outline func(body string, pairs bool) (document.Document, []markup.Pair)
	// extract takes the text out of a file whose bytes are not its text.
	extract extractor
	// rows opens a file of records.
	rows rowOpener
	// rowAt reads the record that begins at an offset of the file; nil if the file must be read from
	// its beginning. field is one of the record's fields.
	rowAt func(file io.ReadSeeker, offset int64, field string) (row, error)

	sentences passage.Format              // the markup by which sentences are found; empty means plain
	markup    head.Markup                 // whose comments may say that a document is private
	pairs     bool                        // documents may hold questions with answers
	binary    bool                        // files are not text
	decode    func(content []byte) string // the characters of a file that may have another encoding than UTF-8; nil if it may not
	slow      bool                        // extraction is given up after a while, and its results are cached
	// cost is how much longer it takes to read a byte than a byte of records. unpacked returns how many
	// bytes there are to read; nil means the size of the file.
	cost     int64
	unpacked func(file io.ReaderAt, size int64) int64
}

// An extractor takes the text from a file, within the time given. It must return the same for the same
// bytes, because places in the text are stored.
type extractor func(ctx context.Context, content []byte, longest time.Duration) (document.Document, error)

// unpaired makes an outline of a reader that finds no questions with answers.
func unpaired(read func(body string) document.Document) func(string, bool) (document.Document, []markup.Pair) {
	return func(body string, _ bool) (document.Document, []markup.Pair) { return read(body), nil }
}

// untimed makes an extractor of a reader that is quick whatever the file holds.
func untimed(read func(ctx context.Context, content []byte) (document.Document, error)) extractor {
	return func(ctx context.Context, content []byte, _ time.Duration) (document.Document, error) {
		return read(ctx, content)
	}
}

// readNotebook reads a notebook, whose text is Markdown.
func readNotebook(ctx context.Context, content []byte) (document.Document, error) {
	return notebook.Read(ctx, content, func(source string) document.Document {
		d, _ := markup.Markdown(source, false)
		return d
	})
}

// unpackedPages returns the size of the pages of an EPUB file.
func unpackedPages(file io.ReaderAt, size int64) int64 {
	return archive.Unpacked(file, size, func(name string) bool {
		switch strings.ToLower(filepath.Ext(name)) {
		case ".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx":
			return true
		}
		return false
	})
}

var (
	markdownFormat = &format{outline: markup.Markdown, sentences: passage.Markdown, markup: head.Markdown, pairs: true, cost: markupCost}
	plainFormat    = &format{outline: unpaired(markup.Plain), markup: head.Plain, cost: 1}
	orgFormat      = &format{outline: unpaired(markup.Org), markup: head.Org, cost: markupCost}
	restFormat     = &format{outline: unpaired(markup.RST), markup: head.RST, cost: markupCost}
	htmlFormat     = &format{extract: untimed(web.Read), decode: web.Decode, markup: head.HTML, cost: markupCost}
	wordFormat     = &format{extract: untimed(office.Word), binary: true, cost: markupCost, unpacked: office.Unpacked}
	openTextFormat = &format{extract: untimed(office.OpenText), binary: true, cost: markupCost, unpacked: office.Unpacked}
	openShowFormat = &format{extract: untimed(office.OpenSlides), binary: true, cost: markupCost, unpacked: office.Unpacked}
	richTextFormat = &format{extract: untimed(office.RTF), binary: true, cost: markupCost}
	slidesFormat   = &format{extract: untimed(office.Slides), binary: true, cost: markupCost, unpacked: office.Unpacked}
	pdfFormat      = &format{extract: extractPDF, binary: true, slow: true, cost: 1}
	xmlFormat      = &format{extract: extractXML, markup: head.HTML, binary: true, cost: markupCost}
	jsonFormat     = &format{extract: extractJSON, cost: markupCost}
	bookFormat     = &format{extract: untimed(web.ReadEPUB), binary: true, cost: markupCost, unpacked: unpackedPages}
	mailFormat     = &format{extract: untimed(mail.Read), binary: true, cost: markupCost}
	mailboxFormat  = &format{extract: untimed(mail.ReadMailbox), binary: true, cost: markupCost}
	notebookFormat = &format{extract: untimed(readNotebook), binary: true, cost: markupCost}
	bibFormat      = &format{extract: extractBibTeX, cost: markupCost}
	jsonLines      = &format{rows: openJSONLines, rowAt: jsonLineAt, cost: 1}
	packedLines    = &format{rows: openPackedJSONLines, cost: markupCost}
	commaSeparated = &format{rows: openCSV, rowAt: csvRowAt, cost: 1}
)

// formats maps the ending of a file's name to its format.
var formats = map[string]*format{
	".md": markdownFormat, ".markdown": markdownFormat, ".mdx": markdownFormat, ".qmd": markdownFormat, ".rmd": markdownFormat,
	".txt": plainFormat, ".text": plainFormat,
	".org": orgFormat,
	".rst": restFormat, ".rest": restFormat,
	".html": htmlFormat, ".htm": htmlFormat, ".xhtml": htmlFormat,
	".docx": wordFormat, ".docm": wordFormat, ".dotx": wordFormat, ".dotm": wordFormat,
	".pdf": pdfFormat,
	".xml": xmlFormat, ".nxml": xmlFormat, ".dita": xmlFormat, ".dbk": xmlFormat,
	".json":  jsonFormat,
	".epub":  bookFormat,
	".eml":   mailFormat,
	".mbox":  mailboxFormat,
	".ipynb": notebookFormat,
	".bib":   bibFormat,
	".odt":   openTextFormat, ".ott": openTextFormat, ".fodt": openTextFormat, ".odp": openShowFormat,
	".rtf":  richTextFormat,
	".pptx": slidesFormat, ".pptm": slidesFormat, ".ppsx": slidesFormat,
	".jsonl": jsonLines, ".ndjson": jsonLines,
	".jsonl.gz": packedLines, ".ndjson.gz": packedLines,
	".csv": commaSeparated,
}

// formatOf returns the format of a file, or nil if no reader takes it.
func formatOf(name string) *format { return formats[extension(name)] }

// extension returns the lower-case ending that identifies a file's format.
func extension(name string) string {
	name = strings.ToLower(name)
	ext := filepath.Ext(name)
	if ext == ".gz" {
		return filepath.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	return ext
}

// unreadable returns why no reader takes a file of that name, or "".
func (s *Source) unreadable(record string) string {
	switch f := formatOf(record); {
	case f == nil && extension(record) == "":
		return noReader + noEnding
	case f == nil:
		return noReader + extension(record)
	case s.Kind == passage.QA && f.rows == nil && !f.pairs:
		return "no question-answer pairs in " + extension(record)
	}
	return ""
}
