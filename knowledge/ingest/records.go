package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"unicode"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// row is one record of a JSON Lines or CSV file.
type row interface {
	// text returns a field as text, empty if the field is absent. It fails if the field is something
	// else.
	text(field string) (string, error)
	// list returns a field that holds several names.
	list(field string) ([]string, error)
	// marks returns the lines of a field's text; nil if it stands on the row's first line.
	marks(field string) []passage.Mark
	// about returns the columns that concern Lacuna, in no order.
	about() []column
}

// rowReader reads records in order. next returns io.EOF at the end, a *rowError for a row that cannot
// be used while later ones can, and any other error where reading must stop.
type rowReader interface {
	next() (row, error)
	// place returns where the last row begins: its offset in the decompressed file, and its line.
	place() (offset int64, line int)
}

// A rowOpener opens a file of records, of which it reads at most limit bytes. The first row of a CSV
// file must name one of the wanted columns.
type rowOpener func(r io.Reader, limit int64, wanted ...string) (rowReader, error)

// rowError is a row that cannot be used.
type rowError struct {
	line    int
	reason  string
	private bool // it can only mean that the file is private
}

func (e *rowError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

// errTooLarge ends a file that decompresses to more than we read.
var errTooLarge = fmt.Errorf("larger than %d MiB; the rest is left out", maxRecordsBytes>>20)

// limited reads at most left bytes and then fails with errTooLarge, where io.LimitReader would pretend
// that the file ends.
type limited struct {
	io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.Reader.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// splitList splits names in one field at semicolons and bars.
func splitList(text string) []string {
	var names []string
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '|' }) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// column is a field of a row with its name.
type column struct{ name, value string }

// privacyOfRow returns whether a row is private by a column such as lacuna or lacuna-private, and
// whether that is clear.
func privacyOfRow(r row) (private, clear bool) {
	for _, said := range r.about() {
		switch value := strings.TrimSpace(said.value); {
		case head.Means(said.name) && value != "":
			return true, false
		case value == "", strings.EqualFold(value, "public"):
		case strings.EqualFold(value, "private"):
			private, clear = true, true
		default:
			return true, false
		}
	}
	return private, clear
}

// addRecords adds the passages of a file of records.
func (c *candidate) addRecords(ctx context.Context, open rowOpener, f io.Reader, h hash.Hash, file *File) {
	raw := io.TeeReader(f, h)
	// The stamp covers the whole file, also what the reader leaves unread.
	defer func() { _, _ = io.Copy(io.Discard, raw) }()

	fields := c.source.Fields.orDefaults()
	rows, err := open(raw, min(maxRecordsBytes, c.allowance.Unpacked), c.source.wanted()...)
	if errors.Is(err, errNoColumns) {
		file.skip(err.Error())
		return
	}
	if err != nil {
		file.fail(err.Error())
		return
	}
	var problems problems
	names, private := interner{}, false
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return
		}
		row, err := rows.next()
		if err == io.EOF {
			break
		}
		offset, line := rows.place()
		c.allowance.used.unpacked = offset // which the reader bounds
		if err == nil {
			var read []*passage.Passage
			read, err = c.readRow(row, fields, passage.Place{File: c.path, Record: offset, Line: line}, names)
			if rowPrivate, clear := privacyOfRow(row); rowPrivate {
				for _, p := range read {
					p.Private = true
				}
				if !clear {
					problems.add(line, UnclearRow+`; write "private" into the column lacuna, or nothing`)
				}
			}
			cost := passagesUsage(read)
			cost.passages = max(1, cost.passages)
			if !c.allowance.spend(cost) {
				break
			}
			file.Passages = append(file.Passages, read...)
		} else if !c.allowance.spend(usage{passages: 1}) {
			break
		}
		var bad *rowError
		switch {
		case errors.As(err, &bad) && bad.private:
			private = true
			privacy{true, cmp.Or(bad.line, line)}.addTo(&problems)
		case errors.As(err, &bad):
			problems.add(cmp.Or(bad.line, line), bad.reason)
		case errors.Is(err, errTooLarge) && c.allowance.Unpacked < maxRecordsBytes:
			c.allowance.over = "unpacked"
		case err != nil:
			problems.add(line, err.Error())
		}
		if err != nil && bad == nil {
			break
		}
	}
	for _, p := range file.Passages {
		p.Private = p.Private || private
	}
	problems.report(&file.FileReport)
	if c.allowance.over != "" {
		file.Reason, file.Line = c.allowance.reason(), 0
	}
	switch {
	case len(file.Passages) > 0:
	case file.Reason == "":
		file.skip("no records")
	default:
		file.State = Failed
	}
}

// readRow calls rowPassages and turns a panic into an error, so that a bug loses this row and no other.
func (c *candidate) readRow(r row, fields Fields, at passage.Place, names interner) (all []*passage.Passage, err error) {
	defer func() {
		if p := recover(); p != nil {
			all, err = nil, &rowError{reason: panicReason(p)}
		}
	}()
	return c.rowPassages(r, fields, at, names)
}

// rowPassages turns a row into passages: one, or several if its text is too long. A stored pair is one
// passage, whatever the length of its answer.
func (c *candidate) rowPassages(r row, fields Fields, at passage.Place, names interner) ([]*passage.Passage, error) {
	g := getter{row: r}
	name := g.text(fields.ID)
	base := passage.Passage{
		Source: c.source.Name,
		Format: passage.Plain,
		Record: cmp.Or(name, c.record+"#"+strconv.Itoa(at.Line)),
		Date:   names.intern(g.text(fields.Date)),
		Place:  at,
	}
	pair := c.source.Kind == passage.QA
	text := g.text(fields.Text)
	question := g.text(fields.Question)
	if c.source.mixed() {
		pair = question != "" && text == ""
	}
	var all []*passage.Passage
	if pair {
		base.Kind = passage.QA
		base.Question = question
		base.Text = g.text(fields.Answer)
		base.Title = names.intern(g.text(fields.Topic))
		base.Section = names.intern(g.text(fields.Kind))
		base.Also = g.list(fields.Also)
		base.Document = names.intern(cmp.Or(g.text(fields.Document), base.Title, base.Record))
		base.Identify(name)
		base.Place.Field = fields.Answer
		if base.Text == "" {
			base.Place.Field = fields.Question // the only text there is to go to
		}
		base.Place.Span = passage.Span{Start: 0, End: len(base.Text)}
		all = []*passage.Passage{&base}
	} else {
		base.Kind = passage.Text
		base.Title = names.intern(g.text(fields.Title))
		base.Section = names.intern(g.text(fields.Section))
		if base.Section != "" && (base.Title != "" || !isPartOfPaper(base.Section)) {
			base.Headings = []string{base.Section}
		}
		base.Document = names.intern(cmp.Or(g.text(fields.Document), base.Record))
		base.Place.Field = fields.Text
		all = split(base, name, text, c.source.Chunker)
	}
	switch {
	case g.err != nil:
		return nil, g.err
	case pair && strings.TrimSpace(question) == "":
		return nil, &rowError{reason: "no " + strconv.Quote(fields.Question)}
	case !pair && strings.TrimSpace(text) == "":
		return nil, &rowError{reason: "no " + strconv.Quote(fields.Text)}
	}
	for _, p := range all {
		p.Marks = marksWithin(r.marks(p.Place.Field), p.Place.Span)
	}
	return all, nil
}

// isPartOfPaper reports whether the section of a row without a title only says which part of a paper it is: "RESULTS",
// "Materials and methods". No question asks for one.
func isPartOfPaper(section string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(section), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !paperWords[word] {
			return false
		}
	}
	return true
}

var paperWords = plaintext.Set(`abstract summary title text full body main content article paper introduction background context rationale
	objective objectives purpose aim aims hypothesis method methods material materials design setting settings study data source sources
	selection extraction synthesis patients patient participants subjects interventions intervention measurements measures outcome
	outcomes results result findings finding discussion interpretation conclusion conclusions limitations significance importance
	implications relevance clinical and or of the with from unlabelled unassigned zusammenfassung einleitung hintergrund ziel
	methoden methodik ergebnisse diskussion schlussfolgerung 摘要 目的 方法 结果 结论 讨论 引言 背景 正文`)

// split returns the passages of a record's text: one, or several if it is too long for one.
func split(base passage.Passage, name, text string, chunker Chunker) []*passage.Passage {
	spans := []passage.Span{{Start: 0, End: len(text)}}
	if chunker == Chars1000 {
		spans = chunkChars(text, []unit{{Span: spans[0]}})
	} else if m := measureOf(text); m.count(text) > m.max {
		var units []unit
		for _, s := range passage.Sentences(text, passage.Plain) {
			units = append(units, unit{Span: s})
		}
		spans = m.pack(text, units)
	}
	all := make([]*passage.Passage, 0, len(spans))
	for _, span := range spans {
		p := base
		p.Text = text[span.Start:span.End]
		p.Identify(name)
		p.Place.Span = span
		all = append(all, &p)
	}
	return all
}

// getter reads fields of a row and remembers the first error.
type getter struct {
	row
	err error
}

func (g *getter) text(field string) string {
	value, err := g.row.text(field)
	g.err = cmp.Or(g.err, err)
	return value
}

func (g *getter) list(field string) []string {
	values, err := g.row.list(field)
	g.err = cmp.Or(g.err, err)
	return values
}

// interner shares one copy of the strings that many rows have.
type interner map[string]string

func (in interner) intern(s string) string {
	if kept, ok := in[s]; ok {
		return kept
	}
	in[s] = s
	return s
}
